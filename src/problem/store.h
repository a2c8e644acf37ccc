// SPDX-License-Identifier: Apache-2.0
// Problem with its own memory, and the raw form in which readers hand over what a file holds.
#ifndef STIC_PROBLEM_STORE_H
#define STIC_PROBLEM_STORE_H

#include "stiction/extend/problem.h"
#include "stiction/extend/sparse.h"

/* ---- store ---- */

struct SticProblemStore {
    SticContext context;
    struct SticOwned* owned; // list of everything allocated for this problem
    SticProblem view;
    SticMass mass;
    SticBlockCsr W, Ht, Pt, A, inverse;
    SticSymbolic* symbolic; // of A, where M has a factorisation
    SticFactor* factor;
    SticMetadata metadata;
    SticGuess solution;
};

/// Division of scalar rows into consecutive blocks.
typedef struct SticCuts {
    int32_t count;
    const int32_t* at; ///< [count+1] first scalar of each block
} SticCuts;

/// Empty problem; every part is then allocated with STIC_OWN and released with the store.
SticStatus stic_store_create(const SticContext* context, SticProblemStore** store);
/// count * size zeroed bytes that live as long as the store.
SticStatus stic_store_take(SticProblemStore* store, size_t count, size_t size, void** memory);
#define STIC_OWN(store, pointer, count)                                                            \
    stic_store_take((store), (size_t)(count), sizeof **(pointer), (void**)(pointer))
/// Copy of an array owned by the store; NULL stays NULL.
SticStatus stic_store_copy(SticProblemStore* store, const void* from, size_t count, size_t size,
                           const void** copy);
#define STIC_OWN_COPY(store, from, count, pointer)                                                 \
    stic_store_copy((store), (from), (size_t)(count), sizeof *(from), (const void**)(pointer))
/// Copy of texts, guesses and solution for a problem of this size.
SticStatus stic_store_metadata(SticProblemStore* store, const SticMetadata* metadata);

/* ---- raw data of a file ---- */

/// Sparse matrix as read, in the order of the file; entries at one place add up.
typedef struct SticEntries {
    int32_t rows, cols;
    int32_t count;
    size_t row_room, col_room, value_room;
    int32_t *row, *col;
    double* value;
} SticEntries;

/// Numbers as read; grows with them.
typedef struct SticReals {
    size_t count, capacity;
    double* value;
} SticReals;

/// What a file says. Contacts come first, then bilateral rows (law FREE).
typedef struct SticRaw {
    SticContext context;
    bool global;          ///< M, H, f, w instead of W, b
    SticLaw law;          ///< of the contacts
    int32_t contacts;     ///< interactions with that law
    int32_t contact_rows; ///< rows of each
    int32_t free_rows;    ///< bilateral rows after the contacts
    SticEntries W, M, H;  ///< H is dof x rows
    SticReals b, f, w, mu, mu_roll;
    SticMetadata metadata; ///< borrowed texts and arrays
} SticRaw;

/// Append an entry; exact zeros are left out.
SticStatus stic_entries_add(const SticContext* context, SticEntries* entries, int32_t row,
                            int32_t col, double value);
SticStatus stic_reals_add(const SticContext* context, SticReals* reals, double value);
/// Release everything in `raw` except the borrowed metadata, and zero it.
void stic_raw_clear(SticRaw* raw);

/// The problem that raw data describe, checked. May add zeros to the entries.
SticStatus stic_problem_build(SticRaw* raw, SticProblemStore** store, SticError* error);

/* ---- pieces of the build ---- */

/// Copy of a block matrix with its own arrays.
SticStatus stic_store_matrix(SticProblemStore* store, const SticBlockCsr* from, SticBlockCsr* made);
/// How the velocities are divided into bodies (in scratch memory), and whether M is block diagonal
/// in it.
SticStatus stic_store_bodies(SticArena* scratch, const SticRaw* raw, SticCuts* bodies,
                             SticMassKind* kind);
/// Fill store->mass from store->A: inverse blocks or a factorisation.
SticStatus stic_store_mass(SticProblemStore* store, SticArena* scratch, SticMassKind kind,
                           SticError* error);

/* ---- what writers share ---- */

/// A problem as files hold it: one law for all contacts, shifts folded into the vectors, contacts
/// before bilateral rows.
typedef struct SticExport {
    const SticProblem* problem;
    bool global;          ///< M, H, f, w instead of W, b
    SticLaw law;          ///< of the contacts: CONE, ROLLING or NONNEG
    int32_t contacts;     ///< interactions with that law
    int32_t contact_rows; ///< rows of each
    int32_t free_rows;    ///< bilateral rows
    const int32_t* place; ///< [rows] row in the file
    SticProblem folded;   ///< the data, in the order of the problem
} SticExport;
/// Prepare a problem for writing, in memory of `arena`; refused with a sentence if files cannot
/// hold it.
SticStatus stic_problem_export(SticArena* arena, const SticProblem* problem, SticExport* made,
                               SticError* error);

/* ---- readers and writers ---- */

/// An ASCII problem held in memory.
typedef struct SticAscii {
    const char* text; ///< text[size] is 0
    size_t size;
    const char* file;  ///< name for errors
    SticFormat format; ///< AUTO tries LOCAL, GLOBAL, LCP, ROLLING
} SticAscii;
SticStatus stic_ascii_parse(const SticContext* context, const SticAscii* ascii,
                            SticProblemStore** store, SticError* error);
SticStatus stic_ascii_write(const SticContext* context, const SticProblem* problem,
                            const SticMetadata* metadata, const char* path, SticError* error);
SticStatus stic_fclib_read(const SticContext* context, const char* path, SticProblemStore** store,
                           SticError* error);
SticStatus stic_fclib_write(const SticContext* context, const SticProblem* problem,
                            const SticMetadata* metadata, const char* path, SticError* error);

#endif
