// SPDX-License-Identifier: Apache-2.0
// What a Gauss-Seidel sweep holds: shared by sweep_create.c, which makes it, and sweep.c.
#ifndef STIC_SOLVER_SWEEP_DATA_H
#define STIC_SOLVER_SWEEP_DATA_H

#include "solver/joints.h"
#include "solver/pack.h"
#include "solver/sweep.h"

typedef enum SticSweepKernel {
    KERNEL_RECORD,  // CONE, 3 rows, bodies of 6 velocities, one block per body
    KERNEL_PACK,    // the same, four at a time
    KERNEL_CONTACT, // CONE, 3 rows
    KERNEL_PLANAR,  // CONE, 2 rows
    KERNEL_NORMAL,  // NONNEG, bodies of 6 velocities, one block per body
    KERNEL_NONNEG,
    KERNEL_FREE,
    KERNEL_JOINTS, // FREE, in a group
    KERNEL_INTERVAL,
    KERNEL_DISC,   // BALL, 2 rows
    KERNEL_GENERAL // any law by projected steps
} SticSweepKernel;

typedef struct SticSweepRecord {
    int32_t body[2]; // first velocity of each body, -1: none
    double mu, inverse_NN, inverse_det;
    double D[6]; // NN N1 N2 11 12 22
    double r[3];
    double before[3]; // r at the last visit, for momentum
    double idle;      // open, with nothing to do before its bodies have travelled this far
    double w[3];
    double H[2][18];
} SticSweepRecord;

// a normal row alone, as corrections of overlaps have it
typedef struct SticSweepNormal {
    int32_t body[2]; // as above
    double D, root;  // root of 1/D
    double r, before, idle, w;
    double H[2][6];
} SticSweepNormal;

// visits of a shuffled sweep that stay together
typedef struct SticSweepBlock {
    int32_t chunk;
    int32_t first, count; // positions, or packs
} SticSweepBlock;

struct SticSweep {
    SticOperator* given; // as it was made
    SticOperator* op;    // the same with a constant part of its own, see own_offset
    const SticProblem* problem;
    SticSweepOptions options;
    SticOrder order;
    const uint8_t* kernel;   // [count]
    double* r;               // [rows]; of records only r_N, and only if `share` is set
    double* v;               // [velocities] factored form
    SticSweepRecord* record; // [records] in the order of the sweep
    int32_t* record_at;      // [count] by position, -1: none
    SticSweepNormal* normal; // [normals] in the order of the sweep
    int32_t* normal_at;      // [count] by position, -1: none
    SticPack* pack;          // [packs] in the order of the sweep
    int32_t* lane_at;        // [count] 4 pack + lane by position, -1: none
    int32_t* chunk_pack;     // [chunks+1] first pack of each chunk
    int32_t*
        chunk_nobody; // [chunks+1] chunks with packs before each: they write places of their own
    SticPackKernel* visit_packs;
    SticContactBlock* contact; // [count] KERNEL_CONTACT
    double (*rho)[3];          // [count] KERNEL_GENERAL
    double* D;                 // local blocks, laid out like the operator's diagonal
    double* inverse;           // their inverses, KERNEL_FREE
    SticSweepChange* change;   // [chunks]
    int64_t* fallback;         // [chunks]
    double* sum;               // [interactions/4096 + 1] parts of a sum
    int64_t fallbacks;
    double* offset; // [rows] w or b of the operator, corrected at checks
    int32_t records, normals, packs;
    bool share; // some bound reads r_N of a record
    bool back;  // the running sweep visits everything in reverse
    // momentum, see stic_sweep_run_island
    double beta, accuracy; // of the running sweep
    bool idles;            // it passes over open contacts that have nothing to do
    double* before;        // [rows] r at the last visit; of records: in them
    double* v_before;      // [velocities]
    SticSweepBlock* block; // scratch of shuffled sweeps
    double work;           // multiplications of a sweep
    int32_t* joint_group;  // [count] group whose first member stands at a position, -1; NULL: none
    SticJoints* joints;    // [islands, or 1] bilateral interactions that are visited together
};

static inline const double* stic_sweep_block_of(const SticSweep* sweep, int32_t i)
{
    return sweep->D + sweep->op->diagonal_at[i];
}

// first velocity of the dummy bodies of packs
static inline int32_t stic_sweep_nobody(const SticOperator* op)
{
    return (op->velocities + 7) / 8 * 8;
}

#endif
