// SPDX-License-Identifier: Apache-2.0
// The one-step problem as plain data, its operators, residuals, statistics and file formats.
//
//   M v = f + H r        u = P' v + w        W = P' M^-1 H      b = P' M^-1 f + w      u = W r + b
//   -(u + u_shift) in N_C(r + r_shift)   for every interaction, see law.h
//
// Normal component first in every interaction; r in N s, u in m/s (moments and angles for rotation
// rows).
#ifndef STICTION_PROBLEM_H
#define STICTION_PROBLEM_H

#include "stiction/base.h"
#include "stiction/law.h"
#include "stiction/sparse.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- the data ---- */

/// How M is given.
typedef enum SticMassKind {
    STIC_MASS_BLOCKS, ///< block diagonal, blocks of 1 to 12 rows; `inverse` holds the inverse
                      ///< blocks
    STIC_MASS_FACTOR  ///< sparse, `factor` solves with it
} SticMassKind;

/// The matrix M of the global form.
typedef struct SticMass {
    SticMassKind kind;           ///< what is filled in
    const SticBlockCsr* A;       ///< M itself
    const SticBlockCsr* inverse; ///< BLOCKS: M^-1 with the same pattern
    /// BLOCKS: [dof] the diagonal of A if all its other entries are 0; NULL: not known
    const double* diagonal;
    const double* inverse_diagonal; ///< its inverses; NULL with `diagonal`
    /// FACTOR: x = M^-1 x in place; must be deterministic and not allocate
    SticStatus (*solve)(const void* factor, double* x);
    const void* factor; ///< FACTOR: first argument of `solve`
    /// FACTOR: the columns of M^-1 of a block of A, one after the other, kept until M changes; NULL
    /// where they are too many to be kept. NULL: it has none
    SticStatus (*columns)(const void* factor, int32_t block, const double** columns);
} SticMass;

/// One-step problem: a view that owns nothing. Local form (W, b), global form (M, H, f, w), or
/// both.
typedef struct SticProblem {
    int32_t count;           ///< interactions
    int32_t rows;            ///< scalar rows of r and u
    int32_t dof;             ///< scalar velocities; 0: local form only
    const int32_t* row_at;   ///< [count+1] first row of each interaction
    const uint8_t* law;      ///< [count] SticLaw
    const double (*coef)[4]; ///< [count] coefficients, meaning per law
    const double* bound;     ///< [count] constant part of the bound, N s; NULL: all 0
    const int32_t*
        bound_row;          ///< [count] row whose reaction adds to the bound, -1 none; NULL: all -1
    const double* u_shift;  ///< [rows] restitution, gap/h, joint mean, drive; NULL: all 0
    const double* r_shift;  ///< [rows] cohesion; NULL: all 0
    const SticBlockCsr* W;  ///< local form: rows x rows; NULL until condensed
    const double* b;        ///< [rows] local form: u = W r + b
    const SticMass* M;      ///< global form, dof x dof
    const SticBlockCsr* Ht; ///< global form: H', one block row per interaction, rows x dof
    const SticBlockCsr* Pt; ///< global form: P' if it differs from H', else NULL
    const double* f;        ///< [dof]
    const double* w;        ///< [rows]
} SticProblem;

/// Problem with its own memory: what readers, generators and stic_problem_condense return.
typedef struct SticProblemStore SticProblemStore;

/// Contacts of one kind by dense matrices, row by row: the global form, or the local one if `dof`
/// is 0.
typedef struct SticProblemDef {
    int32_t contacts;     ///< contacts
    int32_t contact_rows; ///< 3 in space, 2 in the plane, 1 without friction
    int32_t dof;          ///< velocities; 0: local form
    const double* mu;     ///< [contacts] friction; not used without
    const double* M;      ///< [dof x dof] positive definite if symmetric
    const double* H;      ///< [dof x rows]
    const double* f;      ///< [dof]
    const double* w;      ///< [rows]
    const double* W;      ///< [rows x rows] local form
    const double* b;      ///< [rows] local form
} SticProblemDef;

/// Check dense data and copy them into a problem with its own memory. A symmetric M with a negative
/// eigenvalue is refused; one that is not symmetric (a tangent matrix) is accepted as it is.
STIC_API SticStatus stic_problem_create(const SticContext* context, const SticProblemDef* def,
                                        SticProblemStore** store, SticError* error);
/// Entries of a sparse matrix, in any order; those at one place add up.
typedef struct SticTriplets {
    int32_t count;       ///< entries
    const int32_t* row;  ///< [count]
    const int32_t* col;  ///< [count]
    const double* value; ///< [count]
} SticTriplets;

/// As SticProblemDef, with sparse matrices.
typedef struct SticSparseProblemDef {
    int32_t contacts;     ///< contacts
    int32_t contact_rows; ///< 3 in space, 2 in the plane, 1 without friction
    int32_t dof;          ///< velocities; 0: local form
    const double* mu;     ///< [contacts] friction; not used without
    SticTriplets M;       ///< [dof x dof] positive definite if symmetric
    SticTriplets H;       ///< [dof x rows]
    const double* f;      ///< [dof]
    const double* w;      ///< [rows]
    SticTriplets W;       ///< [rows x rows] local form
    const double* b;      ///< [rows] local form
} SticSparseProblemDef;

/// The same from sparse data.
STIC_API SticStatus stic_problem_create_sparse(const SticContext* context,
                                               const SticSparseProblemDef* def,
                                               SticProblemStore** store, SticError* error);
/// The view of a stored problem; valid as long as the store. NULL gives NULL.
STIC_API const SticProblem* stic_problem_view(const SticProblemStore* store);
/// Destroy a stored problem; NULL is allowed.
STIC_API void stic_problem_destroy(SticProblemStore* store);

/* ---- files ---- */

/// Start values or a solution that belong to a problem. Not trusted: files often hold zeros.
typedef struct SticGuess {
    const double* r; ///< [rows] reactions; NULL if not given
    const double* u; ///< [rows] relative velocities; NULL if not given
    const double* v; ///< [dof] velocities; NULL if not given
} SticGuess;

/// What a file says about a problem besides its data. Texts may be NULL.
typedef struct SticMetadata {
    const char* title;         ///< a few words
    const char* description;   ///< any text
    const char* math_info;     ///< known properties: existence, uniqueness
    int32_t guess_count;       ///< start values
    const SticGuess* guesses;  ///< [guess_count]
    const SticGuess* solution; ///< NULL if there is none
} SticMetadata;

/// File formats. The ASCII ones are those of Siconos, plain or gzip; they carry no type tag.
typedef enum SticFormat {
    STIC_FORMAT_AUTO,    ///< by contents: HDF5 signature, else the first ASCII form that takes all
                         ///< numbers of the file, in the order of this list
    STIC_FORMAT_FCLIB,   ///< HDF5 of the friction-contact library, local, global or rolling
    STIC_FORMAT_LOCAL,   ///< ASCII: d, nc, W, b, mu (and mu_roll for d = 5)
    STIC_FORMAT_GLOBAL,  ///< ASCII: d, nc, M, H, f, w, mu (and mu_roll for d = 5)
    STIC_FORMAT_LCP,     ///< ASCII: n, W, b; laws NONNEG
    STIC_FORMAT_ROLLING, ///< ASCII: planar rolling friction, as LOCAL with d = 3, mu, mu_roll
    STIC_FORMAT_COUNT
} SticFormat;

/// Read a problem and check it. Errors name the file with line and column, or the HDF5 path.
STIC_API SticStatus stic_problem_read(const SticContext* context, const char* path,
                                      SticFormat format, SticProblemStore** store,
                                      SticError* error);
/// Write a problem, replacing an old file in one go: ASCII if the name ends in .dat, else FCLIB.
/// Shifts are folded into the data; laws that the format cannot hold are refused. `metadata` may
/// be NULL.
STIC_API SticStatus stic_problem_write(const SticContext* context, const SticProblem* problem,
                                       const SticMetadata* metadata, const char* path,
                                       SticError* error);

/* ---- errors ---- */

/// Error measures. The first two add velocities to impulses and depend on the unit of mass: they are
/// for comparisons with codes that use them.
typedef enum SticNorm {
    STIC_NORM_RELATIVE, ///< natural map with rho = 1, divided by |b|
    STIC_NORM_SICONOS,  ///< the same divided by max(|b|, |r|, |u|)
    STIC_NORM_UNIT_FREE ///< natural map with rho from the diagonal blocks, in the energy norm
} SticNorm;

/// The three error measures, recomputed in full from the original data; b is the free velocity with
/// the shifts folded in. Infinite where something is not a number.
typedef struct SticErrors {
    double relative;  ///< STIC_NORM_RELATIVE
    double siconos;   ///< STIC_NORM_SICONOS
    double unit_free; ///< STIC_NORM_UNIT_FREE
    double floor; ///< smallest `relative` that double precision allows here: a few 1e-16 |r|/|b|
    /// the same for `unit_free`, 5e-16 times `growth` and in the global form the rounding of P'v
    /// and of f; near 1 where b is nothing but rounding
    double floor_unit_free;
    /// |r| in the energy norm of the diagonal blocks over that of b: about 1, large for stiff
    /// hyperstatic problems. Far beyond, u is lost in the rounding of r - rho u and no error means
    /// anything.
    double growth;
} SticErrors;

/// Compute u = W r + b and the three errors of r. `u` has `rows` entries.
STIC_API SticStatus stic_errors_compute(SticArena* scratch, const SticProblem* problem,
                                        const double* r, double* u, SticErrors* errors);

#ifdef __cplusplus
}
#endif

#endif
