// SPDX-License-Identifier: Apache-2.0
// Convex sets with their proximal points, and the contact laws built on them.
//
// A law relates the reaction r and the relative velocity u of one interaction. Sets hold r itself:
//   -u in N_C(r)   <=>   r = prox_C(r - rho u)   for any rho > 0
#ifndef STICTION_EXTEND_LAW_H
#define STICTION_EXTEND_LAW_H

#include "stiction/base.h"
#include "stiction/law.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- convex sets ---- */

enum { STIC_SET_DIM = 6 }; ///< most components a set may have

/// Kinds of convex sets; what `size` and `low` mean is said per kind.
typedef enum SticSetKind {
    STIC_SET_ALL,         ///< R^n
    STIC_SET_NONNEG,      ///< every component >= 0
    STIC_SET_BOX,         ///< low[k] <= x_k <= size[k]; ends may be infinite; n = 1: interval
    STIC_SET_BALL,        ///< |x| <= size[0]
    STIC_SET_ELLIPSOID,   ///< semi-axes size[k] >= 0; n = 2: ellipse
    STIC_SET_CYLINDER,    ///< n = 3: |(x0, x1)| <= size[0], |x2| <= size[1]
    STIC_SET_CONTENSOU,   ///< n = 3: Coulomb-Contensou body, force size[0], lever size[1]
    STIC_SET_CONE,        ///< |(x1, …)| <= size[0] x0; size[0] in [0, inf]
    STIC_SET_ROLLING_CONE ///< n = 3 or 5: cone size[0] on the first half of x1…, size[1] on the
                          ///< rest
} SticSetKind;

/// A convex set as plain data; made by the functions below.
typedef struct SticConvexSet {
    SticSetKind kind;          ///< which shape
    int32_t n;                 ///< components, 1 to STIC_SET_DIM
    double size[STIC_SET_DIM]; ///< radius, semi-axes, coefficients, upper ends
    double low[STIC_SET_DIM];  ///< lower ends of a box
} SticConvexSet;

/// R^n: its proximal point is the point itself.
STIC_API SticConvexSet stic_set_all(int32_t n);
/// The non-negative orthant of R^n.
STIC_API SticConvexSet stic_set_nonneg(int32_t n);
/// The interval [low, high], ends possibly infinite.
STIC_API SticConvexSet stic_set_interval(double low, double high);
/// The box low[k] <= x_k <= high[k].
STIC_API SticConvexSet stic_set_box(int32_t n, const double* low, const double* high);
/// The ball of a radius around 0; a radius <= 0 gives the set {0}.
STIC_API SticConvexSet stic_set_ball(int32_t n, double radius);
/// The ellipsoid with semi-axes along the coordinate axes; a semi-axis <= 0 is a component held
/// at 0.
STIC_API SticConvexSet stic_set_ellipsoid(int32_t n, const double* axes);
/// Disc of a radius times [-half, half].
STIC_API SticConvexSet stic_set_cylinder(double radius, double half);
/// Friction forces (T1, T2, drilling moment) of a circular patch under Hertz' pressure: largest
/// force `force`, largest moment force * lever; lever = stic_contensou_lever(patch radius), or 1 in
/// the scaled form.
STIC_API SticConvexSet stic_set_contensou(double force, double lever);
/// Second-order cone |(x1, …)| <= mu x0; mu = 0 is a ray, mu = infinity a half-space.
STIC_API SticConvexSet stic_set_cone(int32_t n, double mu);
/// Intersection of two cones over one axis: |x_T| <= mu x0 and |x_R| <= mu_roll x0; n = 3 (N, T, R)
/// or 5 (N, T1, T2, R1, R2).
STIC_API SticConvexSet stic_set_rolling_cone(int32_t n, double mu, double mu_roll);
/// Nearest point p of the set to x (p may be x); true if x was in the set already.
STIC_API bool stic_set_prox(const SticConvexSet* set, const double* x, double* p);
/// Element of the generalised Jacobian of stic_set_prox at x, n x n, symmetric.
STIC_API void stic_set_prox_derivative(const SticConvexSet* set, const double* x, double* J);
/// kappa(x, r) = x - prox of r times the set, for r > 0: the velocity counterpart of the prox.
STIC_API void stic_set_kappa(const SticConvexSet* set, const double* x, double r, double* k);
/// Whether the distance of x to the set is at most `slack` times |x|.
STIC_API bool stic_set_contains(const SticConvexSet* set, const double* x, double slack);
/// Mean friction radius 3 pi R / 16 of a circular patch of radius R under Hertz' pressure.
STIC_API double stic_contensou_lever(double patch_radius);
/// Boundary of the Coulomb-Contensou body of unit force and unit lever at v = |u_T| / (R |u_tau|)
/// in [0, inf]: force and moment.
STIC_API void stic_contensou_boundary(double v, double* force, double* moment);

/* ---- laws ---- */

/// Bit of a law in a mask of laws.
#define STIC_LAW_BIT(law) (1u << (law))

/// Mask of all laws.
#define STIC_LAW_ALL ((1u << STIC_LAW_COUNT) - 1u)

/// Mask of the laws whose first row is a normal row that bounds the others.
#define STIC_LAW_WITH_NORMAL                                                                       \
    (STIC_LAW_BIT(STIC_LAW_CONE) | STIC_LAW_BIT(STIC_LAW_CONE_ELLIPSE) |                           \
     STIC_LAW_BIT(STIC_LAW_CONE_CONTENSOU) | STIC_LAW_BIT(STIC_LAW_ROLLING))

/// Lower-case name of a law, as used in files and messages.
STIC_API const char* stic_law_name(SticLaw law);
/// One sentence about a law.
STIC_API const char* stic_law_text(SticLaw law);
/// Law by name; false if there is none.
STIC_API bool stic_law_find(const char* name, SticLaw* law);
/// Whether an interaction with this law may have `rows` rows.
STIC_API bool stic_law_takes_rows(SticLaw law, int32_t rows);
/// Whether the first row is a normal row whose reaction bounds the others (the CONE laws and
/// ROLLING).
STIC_API bool stic_law_has_normal(SticLaw law);
/// Whether coef and the constant bound are admissible for the law; if not, a sentence in `error`.
STIC_API SticStatus stic_law_check(SticLaw law, int32_t rows, const double coef[4], double bound,
                                   SticError* error);
/// Rows of a law in groups that may be scaled independently of each other: [at[g], at[g+1]) is
/// group g; returns the number of groups, 1 to 3. One group: FREE, NONNEG, INTERVAL, BALL. By row:
/// ELLIPSE (T1 | T2), ELLIPSOID (T1 | T2 | drilling), CONE_ELLIPSE (N | T1 | T2). Discs stay
/// together: CYLINDER, CONTENSOU (T | drilling), CONE (N | T), CONE_CONTENSOU (N | T | drilling),
/// ROLLING (N | T | R).
STIC_API int32_t stic_law_groups(SticLaw law, int32_t rows, int32_t at[4]);
/// rho[g] = 1 / (largest eigenvalue of the symmetric part of the group's diagonal block of W_ii);
/// 1 where that is not positive. Unused groups get 1.
STIC_API void stic_law_rho(SticLaw law, int32_t rows, const double* W_ii, double rho[3]);
/// The set C of r + r_shift for bound B. CONE and ROLLING: the whole cone (B is not used);
/// CONE_ELLIPSE and CONE_CONTENSOU: the section of the rows behind the normal, for r_N = B.
STIC_API SticConvexSet stic_law_set(SticLaw law, int32_t rows, const double coef[4], double B);

/// One interaction's law with the bound it has at the moment.
typedef struct SticLawBlock {
    SticLaw law;        ///< which law
    int32_t rows;       ///< its rows
    const double* coef; ///< [4]
    double B;           ///< bound; not used by laws with a normal row, which take it from r
} SticLawBlock;

/// One projected step p from (u, r), both with their shifts added: p == r iff the law holds. rho[g]
/// > 0 belongs to group g (stic_law_groups); the projection is orthogonal in the metric 1/rho. True
/// if nothing had to be projected. p may be r.
STIC_API bool stic_law_step(const SticLawBlock* block, const double rho[3], const double* u,
                            const double* r, double* p);
/// The same, but the normal law comes first, then friction in the section that the new normal
/// reaction bounds. It differs from stic_law_step only for CONE and ROLLING, where that one projects
/// on the whole cone.
STIC_API bool stic_law_step_split(const SticLawBlock* block, const double rho[3], const double* u,
                                  const double* r, double* p);

/* ---- force laws of mechanics ---- */

/// What an interaction of a problem needs to obey a named force law.
typedef struct SticForceLaw {
    SticLaw law;    ///< law of the interaction
    int32_t rows;   ///< its rows
    double coef[4]; ///< its coefficients
    double bound;   ///< constant part of the bound, N s
} SticForceLaw;

/// Joint or other bilateral constraint with 1 to 6 rows.
STIC_API SticForceLaw stic_force_bilateral(int32_t rows);
/// Unilateral contact without friction; without a gap condition the same law is a sprag clutch.
STIC_API SticForceLaw stic_force_unilateral(void);
/// One-way clutch: u >= 0 at all times, r >= 0.
STIC_API SticForceLaw stic_force_sprag_clutch(void);
/// Friction with a given bound: 1 row (planar), 2 or 3 rows.
STIC_API SticForceLaw stic_force_tresca(int32_t rows, double bound);
/// Friction rows alone, bounded by mu times another row's reaction (`bound_row` of the problem): 1
/// row (planar) or 2.
STIC_API SticForceLaw stic_force_friction(int32_t rows, double mu);
/// Drive or brake that holds u = 0 (or the speed in u_shift) with an impulse in [-least, most].
STIC_API SticForceLaw stic_force_motor(double least, double most);
/// Contact with Coulomb friction: 2 rows (planar) or 3 (spatial).
STIC_API SticForceLaw stic_force_coulomb(int32_t rows, double mu);
/// Contact with anisotropic Coulomb friction along its two tangents.
STIC_API SticForceLaw stic_force_anisotropic(double mu1, double mu2);
/// Contact over a patch of radius R: sliding and drilling friction coupled exactly.
STIC_API SticForceLaw stic_force_contensou(double mu, double patch_radius);
/// Contact with sliding and rolling friction; mu_roll is a length; 3 rows (planar) or 5.
STIC_API SticForceLaw stic_force_rolling(int32_t rows, double mu, double mu_roll);

/// A force law by name, for scenes and tables.
typedef struct SticForceEntry {
    const char* name;         ///< as written in scenes
    const char* text;         ///< one sentence
    const char* parameter[3]; ///< names of the numbers `make` takes, NULL where fewer
    const char* unit[3];      ///< their units
    SticForceLaw (*make)(const double parameter[3]); ///< the interaction for given numbers
} SticForceEntry;

/// The table, ended by a NULL name.
STIC_API extern const SticForceEntry stic_force_table[];
/// Entry by name, or NULL with a suggestion in `error`.
STIC_API const SticForceEntry* stic_force_find(const char* name, SticError* error);

#ifdef __cplusplus
}
#endif

#endif
