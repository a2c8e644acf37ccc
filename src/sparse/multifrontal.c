// SPDX-License-Identifier: Apache-2.0
// Multifrontal LDL' and LU of a block matrix (Duff and Reid, ACM TOMS 9, 1983; Liu, SIAM Review 34,
// 1992).
//
// Supernode by supernode in postorder, with its front split into
//     [ diagonal  upper ]      diagonal  w x w
//     [ lower     rest  ]      lower     m x w, upper kept as its transpose m x w, rest m x m:
//   1. add the blocks of A and the updates of the children;
//   2. factorise the diagonal block (ldl.c, lu.c);
//   3. LDL': lower = lower L^-T D^-1;  LU: lower = lower U^-1, upper' = upper' L^-T;
//   4. update = rest - lower D lower' (LDL', its lower half) or rest - lower upper, which goes onto
//      the stack where the children's updates were.
// The symmetric case differs from the general one in what steps 1 and 4 leave out; both run
// through the same code. Order of all sums is given by the pattern.
// Cost: see SticSymbolicInfo. Workspace: stack and one update, sized by the analysis.
#include "sparse/factor.h"

#include <math.h>
#include <string.h>

// the front of one supernode
typedef struct Front {
    int32_t s, w, m;
    int64_t diagonal_ld, ld; // padded w and m
    double *diagonal, *lower, *upper;
    bool symmetric;
} Front;

static Front make_front(const SticFactor* factor, int32_t s)
{
    const SticSymbolic* symbolic = factor->symbolic;
    const int32_t w = stic_supernode_width(symbolic, s), m = stic_supernode_height(symbolic, s);
    const bool symmetric = factor->kind == STIC_FACTOR_LDL;
    const Front front = {
        .s = s,
        .w = w,
        .m = m,
        .diagonal_ld = stic_padded(w),
        .ld = stic_padded(m),
        .diagonal = factor->diagonal + symbolic->diagonal_at[s],
        .lower = factor->lower + symbolic->panel_at[s],
        .upper = symmetric ? NULL : factor->upper + symbolic->panel_at[s],
        .symmetric = symmetric,
    };
    return front;
}

// where front entry (row, col) is kept and the steps to the next row and column of a block there
typedef struct Target {
    double* value;
    int64_t row_step, col_step;
} Target;

static Target find_target(const Front* front, int32_t row, int32_t col)
{
    // the symmetric front keeps one half
    if (front->symmetric && row < col) {
        const Target mirrored = find_target(front, col, row);
        return (Target){mirrored.value, mirrored.col_step, mirrored.row_step};
    }
    if (row < front->w && col < front->w)
        return (Target){front->diagonal + col * front->diagonal_ld + row, 1, front->diagonal_ld};
    if (row >= front->w)
        return (Target){front->lower + col * front->ld + (row - front->w), 1, front->ld};
    return (Target){front->upper + row * front->ld + (col - front->w), front->ld, 1};
}

// scalar in elimination order at a position of the front
static int32_t front_scalar(const SticSymbolic* symbolic, const Front* front, int32_t position)
{
    return position < front->w ? symbolic->first[front->s] + position
                               : symbolic->row[symbolic->row_begin[front->s] + position - front->w];
}

static void add_sources(const SticFactor* factor, const SticBlockCsr* A, const Front* front)
{
    const SticSymbolic* symbolic = factor->symbolic;
    const int32_t end = symbolic->source_begin[front->s + 1];
    for (int32_t e = symbolic->source_begin[front->s]; e < end; ++e) {
        const int32_t k = symbolic->source[e], i = symbolic->source_block[e], j = A->col[k];
        if (front->symmetric && j > i)
            continue;
        const int32_t row = symbolic->source_row[e];
        const Target to = find_target(front, row, symbolic->source_col[e]);
        const double* scale =
            front->symmetric ? NULL : factor->row_scale + front_scalar(symbolic, front, row);
        const int32_t rows = A->row_at[i + 1] - A->row_at[i];
        const int32_t cols = A->col_at[j + 1] - A->col_at[j];
        const double* value = A->value + A->value_at[k];
        for (int32_t r = 0; r < rows; ++r)
            for (int32_t c = 0; c < (front->symmetric && i == j ? r + 1 : cols); ++c)
                to.value[r * to.row_step + c * to.col_step] =
                    scale != NULL ? value[r * cols + c] * scale[r] : value[r * cols + c];
    }
}

// add the update of one child; its rows before `split` are columns of this front
static void add_update(const SticFactor* factor, const Front* front, int32_t child,
                       const double* from)
{
    const SticSymbolic* symbolic = factor->symbolic;
    const int32_t m = stic_supernode_height(symbolic, child), w = front->w;
    const int32_t split = symbolic->split[child];
    const int64_t from_ld = stic_padded(m), ld = front->ld;
    const int32_t* relative = symbolic->relative + symbolic->row_begin[child];
    for (int32_t j = 0; j < m; ++j, from += from_ld) {
        const int64_t place = relative[j];
        int32_t i = front->symmetric ? j : 0;
        if (j < split) {
            double* restrict diagonal = front->diagonal + place * front->diagonal_ld;
            double* restrict lower = front->lower + place * ld;
            for (; i < split; ++i)
                diagonal[relative[i]] += from[i];
            for (; i < m; ++i)
                lower[relative[i] - w] += from[i];
        } else {
            for (; i < split; ++i)
                front->upper[relative[i] * ld + (place - w)] += from[i];
            double* restrict rest = factor->update + (place - w) * ld;
            for (; i < m; ++i)
                rest[relative[i] - w] += from[i];
        }
    }
}

// steps 1 of the list above; gives the number of updates left on the stack
static int32_t assemble(const SticFactor* factor, const SticBlockCsr* A, const Front* front,
                        int32_t open)
{
    const SticSymbolic* symbolic = factor->symbolic;
    const size_t panel = (size_t)(front->w * front->ld) * sizeof(double);
    memset(front->diagonal, 0, (size_t)(front->w * front->diagonal_ld) * sizeof(double));
    memset(front->lower, 0, panel);
    if (!front->symmetric)
        memset(front->upper, 0, panel);
    add_sources(factor, A, front);
    const int32_t children = symbolic->children[front->s];
    if (children == 0)
        return open;
    for (int64_t j = 0; j < front->m; ++j) {
        const int64_t start = front->symmetric ? j / 4 * 4 : 0;
        memset(factor->update + j * front->ld + start, 0,
               (size_t)(front->ld - start) * sizeof(double));
    }
    for (int32_t c = open - children; c < open; ++c)
        add_update(factor, front, factor->stacked[c], factor->stack + factor->stack_at[c]);
    return open - children;
}

// step 3: the panels
static void solve_panels(const SticFactor* factor, const Front* front)
{
    const int32_t first = factor->symbolic->first[front->s];
    const double *pivot = factor->pivot + first, *inverse = factor->inverse + first;
    const int64_t step = front->diagonal_ld;
    SticPanelUpdate shape = {
        .m = (int32_t)front->ld, .n = front->w, .to = front->lower, .to_ld = front->ld};
    if (front->symmetric) {
        const SticPanelSource L = {front->diagonal, 1, step, pivot};
        stic_panel_solve_right(factor->kernels, &shape, &L, inverse, factor->packed);
        return;
    }
    const SticPanelSource U = {front->diagonal, step, 1, NULL};
    stic_panel_solve_right(factor->kernels, &shape, &U, inverse, factor->packed);
    for (int32_t j = 0; j < front->w; ++j)
        if (factor->swap[first + j] != j) {
            double *a = front->upper + j * front->ld,
                   *b = front->upper + factor->swap[first + j] * front->ld;
            for (int32_t i = 0; i < front->m; ++i) {
                const double kept = a[i];
                a[i] = b[i];
                b[i] = kept;
            }
        }
    const SticPanelSource L = {front->diagonal, 1, step, NULL};
    shape.to = front->upper;
    stic_panel_solve_right(factor->kernels, &shape, &L, factor->ones, factor->packed);
}

// step 4
static void subtract_product(const SticFactor* factor, const Front* front, double* to)
{
    const bool leaf = factor->symbolic->children[front->s] == 0;
    const SticPanelUpdate shape = {
        .m = (int32_t)front->ld,
        .n = front->m,
        .k = front->w,
        .A = front->lower,
        .lda = front->ld,
        .from = leaf ? NULL : factor->update,
        .from_ld = front->ld,
        .to = to,
        .to_ld = front->ld,
        .lower = front->symmetric,
    };
    const double* pivot = factor->pivot + factor->symbolic->first[front->s];
    const SticPanelSource source = {front->symmetric ? front->lower : front->upper, 1, front->ld,
                                    front->symmetric ? pivot : NULL};
    stic_panel_update(factor->kernels, &shape, &source, factor->packed);
}

// largest absolute value of each row, or of row and column where only the lower half counts
static void measure_rows(SticFactor* factor, const SticBlockCsr* A)
{
    const SticSymbolic* symbolic = factor->symbolic;
    const bool symmetric = factor->kind == STIC_FACTOR_LDL;
    double* size = factor->z;
    memset(size, 0, (size_t)symbolic->size * sizeof *size);
    for (int32_t i = 0; i < A->rows; ++i)
        for (int32_t k = A->begin[i]; k < A->begin[i + 1]; ++k) {
            const int32_t j = A->col[k];
            const double* value = A->value + A->value_at[k];
            if (symmetric && j > i)
                continue;
            for (int32_t row = A->row_at[i]; row < A->row_at[i + 1]; ++row)
                for (int32_t col = A->col_at[j]; col < A->col_at[j + 1]; ++col) {
                    const double entry = fabs(*value++);
                    if (entry > size[row])
                        size[row] = entry;
                    if (symmetric && entry > size[col])
                        size[col] = entry;
                }
        }
    for (int32_t p = 0; p < symbolic->size; ++p) {
        const double most = size[symbolic->scalar_order[p]];
        if (symmetric) {
            factor->row_size[p] = most;
            continue;
        }
        int exponent = 0;
        if (most > 0.0 && isfinite(most))
            (void)frexp(most, &exponent);
        factor->row_scale[p] = ldexp(1.0, -exponent);
    }
}

static void factor_diagonal(const SticFactor* factor, const Front* front,
                            const SticPivotSettings* settings, SticFactorInfo* info)
{
    const int32_t first = factor->symbolic->first[front->s];
    const SticDiagonal diagonal = {
        .kernels = factor->kernels,
        .w = front->w,
        .ld = front->diagonal_ld,
        .value = front->diagonal,
        .pivot = factor->pivot + first,
        .inverse = factor->inverse + first,
        .swap = factor->swap != NULL ? factor->swap + first : NULL,
        .row_size = factor->row_size != NULL ? factor->row_size + first : NULL,
        .row = factor->symbolic->scalar_order + first,
        .packed = factor->packed,
        .settings = settings,
        .info = info,
    };
    if (front->symmetric)
        stic_ldl_diagonal(&diagonal);
    else
        stic_lu_diagonal(&diagonal);
}

void stic_multifrontal_compute(SticFactor* factor, const SticBlockCsr* A,
                               const SticPivotSettings* settings, SticFactorInfo* info)
{
    measure_rows(factor, A);
    int32_t open = 0; // updates on the stack
    int64_t top = 0;
    for (int32_t s = 0; s < factor->symbolic->supernodes; ++s) {
        const Front front = make_front(factor, s);
        const int32_t before = open;
        open = assemble(factor, A, &front, open);
        if (open < before)
            top = factor->stack_at[open];
        factor_diagonal(factor, &front, settings, info);
        if (front.m == 0)
            continue;
        solve_panels(factor, &front);
        subtract_product(factor, &front, factor->stack + top);
        factor->stacked[open] = s;
        factor->stack_at[open++] = top;
        top += front.m * front.ld;
    }
}
