// SPDX-License-Identifier: Apache-2.0
// The interface between what moves (a system) and how time advances (a scheme).
//
// A system offers batches over all its coordinates and interactions: mass, forces, potential,
// detection of interactions, and their measures (gap, relative velocity, directions). It keeps no
// state: time, coordinates and velocities are the caller's, results never depend on what was asked
// before.
//
//   qdot = F(q) u         M(q) udot = force(q,u,t) - F' dV/dq + gyroscopic term of the chart + H r
//   u_rel = H' u + chi    H' = G F for gaps, with G = dg/dq
#ifndef STICTION_EXTEND_SYSTEM_H
#define STICTION_EXTEND_SYSTEM_H

#include "stiction/base.h"
#include "stiction/extend/body.h"
#include "stiction/problem.h"
#include "stiction/sparse.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- coordinates ---- */

/// Where each block's coordinates and velocities are. Fixed until bodies are added or removed.
typedef struct SticLayout {
    int32_t blocks;       ///< blocks of coordinates
    int32_t nq;           ///< coordinates in all
    int32_t nu;           ///< velocities in all
    int32_t turns;        ///< angles whose turns are counted
    const uint8_t* chart; ///< [blocks] SticChart
    const int32_t* q_at;  ///< [blocks+1]
    const int32_t* u_at;  ///< [blocks+1]
} SticLayout;

/// What the next step needs to know of an interaction of this one.
typedef struct SticMemoryRecord {
    uint64_t id;         ///< of the interaction
    double reaction[6];  ///< impulse of the last step, axes as the system's measures give them
    double tangent[3];   ///< first tangent in world axes, for continuity of frames
    double deviation[3]; ///< penalty: m and rad; relaxed: 1 where it began on the surface, and 1
                         ///< where it began under it; event: code of its mode, directions of its
                         ///< slips, rad; else 0
} SticMemoryRecord;

/// A bond that holds. It joins two material points, whatever a detection finds there: it stays
/// until it is pulled with all its force.
typedef struct SticBond {
    uint64_t id;      ///< of the interaction that was bonded
    int32_t part[2];  ///< the system's own: which parts of A and B are bonded
    double local[12]; ///< features frozen in body frames, as in a set
    double area;      ///< share of the patch, m2
    double cohesion;  ///< tensile force it carries, N
    uint64_t slid;    ///< 1: friction was at its limit in the last step, the points follow
} SticBond;

/// An angle where it was last followed to. Coordinates know it up to whole turns; at another state
/// it is the one nearest to angle + rate (time there - t).
typedef struct SticTurn {
    double angle; ///< rad, turns included
    double rate;  ///< rad/s
    double t;     ///< s
} SticTurn;

/// History of interactions by id: part of the state, so that a failed step leaves it untouched.
typedef struct SticMemory {
    SticContext context;      ///< of the records
    SticMemoryRecord* record; ///< [count] sorted by id
    int32_t count;            ///< records in use
    size_t capacity;          ///< records there is room for
    SticBond* bond;           ///< [bonds] sorted by id
    int32_t bonds;            ///< bonds that hold
    size_t bond_capacity;     ///< bonds there is room for
    SticTurn* turn;           ///< [turns of the layout] NULL: angles lie within half a turn of 0
    bool begun;               ///< a step was done: what touches from now on is new
} SticMemory;

/// A state belongs to whoever advances it; systems and schemes only read `from` and write `to`.
typedef struct SticState {
    double t;           ///< time, s
    double* q;          ///< [nq]
    double* u;          ///< [nu]
    SticMemory* memory; ///< history of the interactions
} SticState;

/* ---- interactions ---- */

/// On what an interaction acts and when it takes part.
typedef enum SticLevel {
    STIC_LEVEL_CONTACT,  ///< the first row has a gap; takes part when the gap is at most `reach`
    STIC_LEVEL_POSITION, ///< every row is a condition g(q) = 0: holonomic joint
    STIC_LEVEL_RATE      ///< condition on velocities only: friction, clutch, skate, drive
} SticLevel;

/// Blocks of an interaction beyond the two of its sides, at most. A macro, since cffi reads no names
/// in pointers to arrays.
#define STIC_ALSO_BLOCKS 3

/// One interaction between two blocks, or between a block and the surroundings. A side that is a
/// place on a face between nodes has a block for each of them.
typedef struct SticInteraction {
    uint64_t id;      ///< survives from step to step
    uint8_t law;      ///< SticLaw
    uint8_t level;    ///< SticLevel
    uint8_t rows;     ///< 1-6, normal first
    uint8_t kernel;   ///< the system's own: how `local` is to be read
    uint8_t bonded;   ///< 1: belongs to a bond that holds, see SticBond
    uint8_t alsos;    ///< blocks that side B has beside block[1], which is none of them
    int32_t block[2]; ///< A and B; negative: fixed or prescribed, its motion is in chi
    int32_t also[STIC_ALSO_BLOCKS]; ///< [alsos] of systems that are `spread`
    int32_t bound_of; ///< index in the set whose first reaction scales the bound; -1: none
    int32_t surface;  ///< pair of surfaces, for output
    int32_t part[2];  ///< the system's own: which parts of A and B touch, for output
    double coef[4];   ///< see law.h
    double bound;     ///< constant part of the bound as a force, N; schemes multiply by the step
    double restitution[2]; ///< Newton's coefficients, normal and tangential, in [0, 1]
    double cohesion;       ///< tensile force carried before the bond breaks, N; 0: broken or none
    double area;           ///< share of the patch, m2; 0: a point
    double slack;          ///< the contact counts up to this far beyond the reach asked for, m
    double size;           ///< of the smaller of the two that touch, m; 0: not known
    double thin;           ///< radius of the ball inside the thinner of them, m; 0: not known
    double place;          ///< largest coordinate of a pivot that is not on a block, m; 0: none is
    double
        passes; ///< for a contact found ahead of the motion: the path within the reach's time, as
                ///< a multiple of the thickness of the thinner body, or the angle of a turn
                ///< beyond a radian; 0: found where it is
} SticInteraction;

/// Interactions found by one detection. Arrays live in the arena given to detect.
typedef struct SticSet {
    int32_t count;                      ///< interactions
    int32_t rows;                       ///< rows in all
    const SticInteraction* interaction; ///< [count] in the order that suits the system
    const int32_t* row_at;              ///< [count+1]
    const int32_t* by_id;               ///< [count] interactions by ascending id; NULL: as they are
    const double (*local)[12];          ///< [count] features frozen in body frames; NULL if none
    const double* exit; ///< [count] distance to the feature's border, m; NULL: unlimited
    /// [count] first and second tangent in world axes where detected; NULL: the axes do not turn
    const double (*tangent)[6];
} SticSet;

/// Which contacts a detection looks for: those with a gap of at most `gap`, and those that blocks
/// could close within `time` if they moved on at the velocities `u`, or at any others that differ
/// from these by at most `change`. A system that cannot tell how far a contact closes in a given
/// time returns all of them.
typedef struct SticReach {
    double gap;           ///< m
    double time;          ///< s; 0: the gap alone counts
    const double* u;      ///< [nu]; read only if `time` is not 0
    const double* change; ///< [nu]; NULL: none
    const uint8_t*
        among; ///< [blocks] contacts of no block that is marked may be left out; NULL: all
    const SticSet* known; ///< contacts of pairs that have one here may be left out; NULL: none
    bool bare;            ///< the set needs no tangents; of systems that have SticSystem.speeds
    bool beside; ///< also what lies beside two edges that meet, which may touch next; systems may
                 ///< list it in any case
} SticReach;

/// Block pattern of the directions of a set: interaction rows by coordinate or velocity blocks.
typedef struct SticPattern {
    SticBlockCsr csr;       ///< without values
    const int64_t (*at)[2]; ///< [count] where the block of side A and B begins, -1: none
    const int64_t (*also_at)[STIC_ALSO_BLOCKS]; ///< [count] where those of `also` begin; NULL: no
                                                ///< interaction has any
    int64_t values;                             ///< doubles in all
} SticPattern;

/// Pattern over the blocks that begin at `at` (layout.u_at for H, layout.q_at for G and C).
STIC_API SticStatus stic_pattern_create(SticArena* arena, const SticSet* set,
                                        const SticLayout* layout, const int32_t* at,
                                        SticPattern* pattern);

enum {
    STIC_WANT_GAP = 1u << 0,
    STIC_WANT_CHI = 1u << 1,
    STIC_WANT_BIAS = 1u << 2,
    STIC_WANT_H = 1u << 3, ///< u-based directions
    STIC_WANT_G = 1u << 4, ///< q-based directions dg/dq
    STIC_WANT_C = 1u << 5, ///< curvature d/dq (G(q) y)
    STIC_WANT_TANGENT = 1u << 6,
    STIC_WANT_SPEED = 1u << 7 ///< only of systems that have SticSystem.speeds; H need not be kept
};

/// Measures of a set at a state; only what `want` asks for is written. Caller's memory.
typedef struct SticMeasures {
    uint32_t want; ///< STIC_WANT_* to fill
    double* gap;   ///< [rows] g; rows without a gap get 0, tangents of a bond how far it slid
    double* chi;   ///< [rows] u_rel = H' u + chi
    double* bias;  ///< [rows] d/dt(H') u + d/dt chi
    double* speed; ///< [rows] H' u + chi at the velocities of the state; chi must be wanted too
    double* H;     ///< values of H' in the u pattern; room for it with STIC_WANT_SPEED too
    const double* further; ///< [nu] NULL, or velocities that STIC_WANT_SPEED takes as well
    double* further_speed; ///< [rows] H' times these, without chi
    double* G;             ///< values of G in the q pattern; of rows that `gap` tells something of
    double* C;             ///< values of C in the q pattern
    double (*tangent)[6];  ///< [count] tangents in world axes, as in a set; not of systems without
    const double* y;       ///< [nq] for C
    double lead; ///< chi takes velocities of prescribed motions this much later, s; places stay
    /// Bodies are where they were this much earlier, s: chi of contacts takes them along from there,
    /// as a mean, while that of joints goes by `lead`; 0: not.
    double since;
    bool placed; ///< chi of contacts is that of the places that touch, not rigid about other bodies
    bool carried;         ///< bias of contacts is for tangents that do not turn about the normal
    const uint8_t* aside; ///< [count] NULL, or interactions that nobody asks for: measured or not
    const SticPattern* u_pattern; ///< of H
    const SticPattern* q_pattern; ///< of G and C
} SticMeasures;

/* ---- potential ---- */

/// Potential energy as a sum of local terms, so that the discrete derivative stays local.
typedef struct SticTerms {
    int32_t count;             ///< terms
    const int32_t (*block)[2]; ///< [count] blocks a term depends on; second -1: one block
    const int32_t* member_at;  ///< NULL, or [count+1]: term k depends on the blocks from
                               ///< member[member_at[k]] on, in place of `block`; see
                               ///< SticSystem.wide
    const int32_t* member;     ///< blocks in the order of the terms
    const uint8_t* open;       ///< NULL, or [count] 1: see SticSystemOps.discrete
    double* value;             ///< [count]
    double* products;          ///< NULL, or [count] sizes of the products that a value is made of
        ///< beside those of slopes and coordinates, J: it is rounded as they are
    double* gradient; ///< order >= 1: per term, dV/dq of its blocks one after the other
    double* hessian;  ///< order >= 2: per term, square matrix of that size, row by row
} SticTerms;

/// Blocks of term k; some of them may be negative, which stands for none. Returns their number.
static inline int32_t stic_terms_blocks(const SticTerms* terms, int32_t k, const int32_t** block)
{
    if (terms->member_at == NULL) {
        *block = terms->block[k];
        return 2;
    }
    *block = terms->member + terms->member_at[k];
    return terms->member_at[k + 1] - terms->member_at[k];
}

/* ---- the system ---- */

/// Kinds of restitution; a scheme that lacks one refuses systems that ask for it.
typedef enum SticRebound {
    STIC_REBOUND_NORMAL = 1,    ///< along normals, and of limits of joints
    STIC_REBOUND_TANGENTIAL = 2 ///< along tangents
} SticRebound;

/// What a system can do; a scheme's needs must be inside.
#define STIC_OFFER_LIST(X)                                                                         \
    X(CONSTANT_MASS, "a mass matrix that does not depend on the coordinates")                      \
    X(POTENTIAL, "its forces split into a potential and the rest")                                 \
    X(HESSIAN, "second derivatives of the potential")                                              \
    X(DIRECTIONS_Q, "gap directions with respect to the coordinates")                              \
    X(CURVATURE, "second derivatives of its constraints")                                          \
    X(BIAS, "the acceleration bias of its interactions")                                           \
    X(SCLERONOMIC, "interactions that do not depend on time")                                      \
    X(OPEN_GAPS, "gaps of interactions that are open")                                             \
    X(INERTIA, "a constant mass matrix, or its inertia terms split into dT/dq and a skew matrix")

enum {
#define STIC_OFFER_INDEX(name, text) STIC_OFFER_INDEX_##name,
    STIC_OFFER_LIST(STIC_OFFER_INDEX)
#undef STIC_OFFER_INDEX
        STIC_OFFER_COUNT
};

enum {
#define STIC_OFFER_ENUM(name, text) STIC_OFFERS_##name = 1 << STIC_OFFER_INDEX_##name,
    STIC_OFFER_LIST(STIC_OFFER_ENUM)
#undef STIC_OFFER_ENUM
};

/// What moves, as schemes see it.
typedef struct SticSystem SticSystem;

/// Callbacks of a system. All are batches; non-finite output fails the step.
typedef struct SticSystemOps {
    /// M at q: blocks along the layout, with their inverses; memory from the arena or the system.
    SticStatus (*mass)(const SticSystem*, const SticState*, SticArena*, SticMass*);
    /// Applied forces (not the potential, not gyroscopic terms) in u-based components: f [nu].
    SticStatus (*force)(const SticSystem*, const SticState*, double* f);
    /// The part of `force` that is viscous damping, for the ledger: f [nu]; NULL: none.
    SticStatus (*damping)(const SticSystem*, const SticState*, double* f);
    /// Inertia terms of GENERAL blocks, as a force [nu]; NULL if there are none.
    SticStatus (*gyro)(const SticSystem*, const SticState*, double* f);
    /// The same split for schemes that conserve energy (Möller 3.33-3.39): M u' + G u + dT/dq = f
    /// with slope = dT/dq [nq] and, unless NULL, the skew blocks of G on the pattern of the mass;
    /// NULL if the mass is constant.
    SticStatus (*inertia)(const SticSystem*, const SticState*, double* slope, double* G);
    /// Terms of V: order 0 values, 1 gradients, 2 Hessians; memory from the arena.
    SticStatus (*potential)(const SticSystem*, const SticState*, int order, SticArena*, SticTerms*);
    /// Discrete derivative of V between two states of one time, in the terms of `potential`: each
    /// gradient times q_end - q_begin is the change of its term, `hessian` about its derivative by
    /// q_end, `value` the sum of the sizes of both energies. Terms of one or two blocks may be left
    /// `open`: schemes make theirs. NULL: they make all, which they cannot where terms have more
    /// than two blocks.
    SticStatus (*discrete)(const SticSystem*, const SticState* begin, const SticState* end,
                           SticArena*, SticTerms*);
    /// df/du of `force` as local terms: their `hessian` is over the velocities of their blocks,
    /// values and gradients are not given; NULL: zero. Newton's iteration does without df/dq of
    /// forces that have no potential.
    SticStatus (*tangent)(const SticSystem*, const SticState*, SticArena*, SticTerms*);
    /// A stable step of explicit schemes for bodies deformed as in the state, s: the largest one if
    /// that is below h, else h or more; NULL: every step is stable.
    SticStatus (*limit)(const SticSystem*, const SticState*, double h, double* step);
    /// Contacts within reach at the state, and all interactions that are always on.
    SticStatus (*detect)(const SticSystem*, const SticState*, const SticReach*, SticArena*,
                         SticSet*);
    /// Measures of a set at any state.
    SticStatus (*measure)(const SticSystem*, const SticSet*, const SticState*, SticMeasures*);
    /// The contacts of a set as they are at another state: a point that wanders over a curved
    /// surface lies elsewhere there. `there` has the same interactions with features of that state;
    /// known [count] is 0 where the contact does not exist there. NULL: frozen features are exact.
    SticStatus (*retrace)(const SticSystem*, const SticSet*, const SticState*, SticArena*,
                          SticSet* there, uint8_t* known);
    /// The gap of a contact of two parts at a state, and the least of all that they have there,
    /// however far they are; infinite where there is none. `beside`: of those that SticReach.beside
    /// asks for, too. NULL: not known.
    SticStatus (*gap)(const SticSystem*, const SticState*, const int32_t part[2], uint64_t id,
                      bool beside, double gap[2]);
    /// The first time after t at which velocities of prescribed motions jump; INFINITY: none. NULL:
    /// never.
    double (*kink)(const SticSystem*, double t);
    /// The end, at most `end`, of the stretch from t over which prescribed motions are so smooth
    /// that a dozen values show all they do. NULL: all is.
    double (*smooth)(const SticSystem*, double t, double end);
    /// Follow the angles whose turns are counted from where the memory of the state has them to the
    /// state itself; called where a step, or a part of one, has ended. NULL: there are none.
    SticStatus (*follow)(const SticSystem*, SticState*);
    /// Largest rate of an angle that something depends on at a state, rad/s: a torsion spring, or
    /// limits. NULL: nothing does.
    SticStatus (*winding)(const SticSystem*, const SticState*, double* rate);
    /// Where the moment of an interaction is told about: from the origin of the block that it is told
    /// of, A or else B, to that point, m, world axes. NULL: about that origin.
    void (*lever)(const SticSystem*, const SticInteraction*, const SticState*, double arm[3]);
    /// How far surfaces of prescribed bodies move at most between two times, m. NULL: none move.
    SticStatus (*sweep)(const SticSystem*, double t, double until, double* way);
    /// What a block is, for messages, such as "body 'left'"; NULL: it is told by its number.
    void (*label)(const SticSystem*, int32_t block, char* text, size_t size);
} SticSystemOps;

/// A system as schemes see it.
struct SticSystem {
    const char* name;         ///< for messages
    uint32_t offers;          ///< STIC_OFFERS_*
    SticLayout layout;        ///< blocks of coordinates
    const SticSystemOps* ops; ///< callbacks
    const void* self;         ///< for the callbacks
    double step_limit; ///< largest stable step of explicit schemes where bodies deform, before they
                       ///< do, s; 0: none
    bool bonds;        ///< what touches at the start is bonded, see stic_step
    bool wide;         ///< its potential has terms of more than two blocks
    bool spread;       ///< it has interactions of more than two blocks
    bool speeds;       ///< `measure` knows STIC_WANT_SPEED, and STIC_WANT_TANGENT of any set
    uint8_t bounces;   ///< mask of SticRebound: restitution that surfaces or limits ask for
    uint32_t laws;     ///< mask of STIC_LAW_BIT that its interactions may have; 0: not known
    const uint8_t* jointed; ///< [blocks] 1: bound by a joint; NULL: not known
    const double* size; ///< [blocks] diameter of the body that a block moves, m; its first three
                        ///< coordinates are the place of its centre; NULL: no bodies
    const double (*origin)[3]; ///< [blocks] where the first three coordinates count from; NULL: 0
    double thin; ///< radius of the ball inside the thinnest shape, m; 0: there are no shapes
    const double (*box)[3]; ///< [2] least and greatest coordinates at the start of everything that
                            ///< forces do not move, m; NULL: there is nothing, or it is not known
};

/// Kinetic energy of a state.
STIC_API SticStatus stic_system_kinetic(const SticSystem* system, const SticState* state,
                                        SticArena* scratch, double* energy);
/// Kinetic energy of `to` less that of `from`.
STIC_API SticStatus stic_system_kinetic_change(const SticSystem* system, const SticState* from,
                                               const SticState* to, SticArena* scratch,
                                               double* change);
/// Potential energy of a state; 0 for a system without a potential.
STIC_API SticStatus stic_system_potential(const SticSystem* system, const SticState* state,
                                          SticArena* scratch, double* energy);
/// Forces of the potential alone, [nu]; 0 where the system offers none. `alone`: NULL, or [2 nu]
/// sums of what terms of one block (weights, springs to the ground) push forwards, then backwards.
STIC_API SticStatus stic_system_potential_force(const SticSystem* system, const SticState* state,
                                                SticArena* scratch, double* f, double* alone);
/// Applied and potential forces in u-based components: f = force - F' dV/dq.
STIC_API SticStatus stic_system_force(const SticSystem* system, const SticState* state,
                                      SticArena* scratch, double* f);
/// Add the gyroscopic terms of all blocks to f.
STIC_API SticStatus stic_system_add_gyro(const SticSystem* system, const SticState* state,
                                         const SticMass* mass, SticArena* scratch, double* f);
/// Add the inertia terms that the system's own callback gives, those of GENERAL blocks.
STIC_API SticStatus stic_system_add_inertia(const SticSystem* system, const SticState* state,
                                            SticArena* scratch, double* f);
/// Bring the turns in the memory of a state to the state.
STIC_API SticStatus stic_system_follow(const SticSystem* system, SticState* state);
/// Largest rate of an angle that something depends on, rad/s.
STIC_API SticStatus stic_system_winding(const SticSystem* system, const SticState* state,
                                        double* rate);
/// qdot = F(q) u for all blocks.
STIC_API void stic_system_rate(const SticSystem* system, const SticState* state, double* qdot);

/* ---- states ---- */

/// A zero state of the right size (quaternions 1, rotations I) with an empty memory.
STIC_API SticStatus stic_state_create(const SticContext* context, const SticLayout* layout,
                                      SticState** state);
/// Release a state; NULL is allowed.
STIC_API void stic_state_destroy(SticState* state, const SticLayout* layout);
/// Copy time, coordinates, velocities and memory.
STIC_API SticStatus stic_state_copy(const SticLayout* layout, const SticState* from, SticState* to);
/// Hash of everything in a state.
STIC_API uint64_t stic_state_hash(const SticLayout* layout, const SticState* state);
/// Place of the first record whose id is not less than this one; their count if there is none.
STIC_API int32_t stic_memory_first(const SticMemory* memory, uint64_t id);
/// Record of an interaction, or NULL.
STIC_API const SticMemoryRecord* stic_memory_find(const SticMemory* memory, uint64_t id);
/// Make room for `count` records and set the count; ids must then be written in ascending order.
STIC_API SticStatus stic_memory_resize(SticMemory* memory, int32_t count);
/// The same for bonds.
STIC_API SticStatus stic_memory_resize_bonds(SticMemory* memory, int32_t count);
/// Copy where angles were last followed to; both memories are of states of the layout.
STIC_API void stic_memory_copy_turns(const SticLayout* layout, const SticMemory* from,
                                     SticMemory* to);

/* ---- small systems written by hand ---- */

/// Measures of one interaction of a small system, dense: side 0 is block[0], side 1 is block[1].
typedef struct SticPointMeasures {
    double gap[6];       ///< g of each row
    double chi[6];       ///< part of the relative velocity that does not depend on u
    double bias[6];      ///< d/dt(H') u + d/dt chi
    double H[2][6 * 12]; ///< rows x u-size of the block, row by row
    double G[2][6 * 12]; ///< rows x q-size of the block
    double C[2][6 * 12]; ///< d/dq (G y), rows x q-size of the block
} SticPointMeasures;

/// A small system: a constant list of interactions and plain callbacks on q, u, t.
typedef struct SticSmallDef {
    const char* name;     ///< for messages
    uint32_t offers;      ///< STIC_OFFERS_*
    int32_t blocks;       ///< blocks of coordinates
    const uint8_t* chart; ///< [blocks]
    const int32_t* size;  ///< [blocks] u-size of LINEAR and GENERAL blocks; others follow the chart
    const double* mass;   ///< constant mass, blocks one after the other; NULL: callback
    /// M(q), blocks one after the other
    void (*mass_at)(const void* self, const double* q, double* mass);
    /// applied forces, zero on entry; NULL: none
    void (*force)(const void* self, double t, const double* q, const double* u, double* f);
    /// inertia terms of GENERAL blocks as forces; NULL: none
    void (*gyro)(const void* self, const double* q, const double* u, double* f);
    /// dT/dq and, unless NULL, the blocks of G; all zero on entry; see SticSystemOps
    void (*inertia)(const void* self, const double* q, const double* u, double* slope, double* G);
    int32_t terms;                  ///< terms of the potential
    const int32_t (*term_block)[2]; ///< [terms]
    /// value, gradient and (order 2) Hessian of term k with respect to its blocks' coordinates
    double (*potential)(const void* self, int32_t k, const double* q, double* gradient,
                        double* hessian);
    int32_t interactions;               ///< length of the list below
    const SticInteraction* interaction; ///< [interactions] sorted by id; bound_of within this list
    /// fill the asked measures of interaction i, which are zero on entry; others may be written but
    /// hold anything (vectors are zero too). y as in SticMeasures. A callback that cannot answer
    /// writes NaN into gap[0], asked for or not: the step fails as NOT_FINITE, the state stays.
    void (*measure)(const void* self, int32_t i, const SticState* state, uint32_t want,
                    const double* y, SticPointMeasures* out);
    const void* self; ///< parameters; `self_size` bytes are copied
    size_t self_size; ///< bytes of the parameters
} SticSmallDef;

/// Build a system from a definition; everything but the name is copied.
STIC_API SticStatus stic_small_create(const SticContext* context, const SticSmallDef* def,
                                      SticSystem** system, SticError* error);
/// Release a system made by stic_small_create; NULL is allowed.
STIC_API void stic_small_destroy(SticSystem* system);

/* ---- registered models ---- */

/// A small system with a name, parameters and a start state.
typedef struct SticModel {
    const char* name;             ///< as in scenes
    const char* text;             ///< one sentence with its source
    const SticFieldTable* fields; ///< parameters
    uint32_t charts;              ///< charts its rotating block can have; 0: it has none
    /// build the system for a chart of its rotating block
    SticStatus (*create)(const SticContext* context, const void* parameters, SticChart chart,
                         SticSystem** system, SticError* error);
    /// write the start state into a fresh state
    void (*start)(const void* parameters, SticChart chart, SticState* state);
    /// release a system; NULL: stic_small_destroy
    void (*destroy)(SticSystem* system);
} SticModel;

/// The table of models, ended by a NULL name.
STIC_API extern const SticModel* const stic_model_table[];
/// Entry by name, or NULL with a suggestion in `error`.
STIC_API const SticModel* stic_model_find(const char* name, SticError* error);
/// Release a system that a model made; NULL is allowed.
STIC_API void stic_model_destroy(const SticModel* model, SticSystem* system);

#ifdef __cplusplus
}
#endif

#endif
