// SPDX-License-Identifier: Apache-2.0
// Times of the sparse factorisations on patterns of contact problems, best of a few runs.
//
//   grid a x b      bodies in a rectangle, 6 x 6 blocks, four neighbours (walls, pavements)
//   pile n          random spheres in a box with contacts of near neighbours, 6 x 6 blocks
//   W of pile n     3 x 3 blocks of its contacts, coupled where two share a body
//   W of wall       the same for a 20 x 20 wall with four contacts between neighbours
// Printed: values of L, analysis, LDL' and LU factor and solve in ms, speed, backward errors; the
// same of CHOLMOD, KLU and UMFPACK where they are installed. Times are processor times, best of
// five. STICTION_BENCH_LONG=1 adds W of the large pile and KLU on large
// matrices.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "sparse/sparse.h"

#include "stiction/extend/base.h"

#ifdef STIC_BENCH_PEERS
#include <cholmod.h>
#include <klu.h>
#include <umfpack.h>
#endif

typedef struct Pairs {
    int32_t nodes, count, room;
    int32_t (*pair)[2];
} Pairs;

static void add_pair(Pairs* pairs, int32_t a, int32_t b)
{
    if (pairs->count == pairs->room) {
        pairs->room = 2 * pairs->room + 1000;
        pairs->pair = realloc(pairs->pair, (size_t)pairs->room * sizeof *pairs->pair);
        if (pairs->pair == NULL)
            exit(1);
    }
    pairs->pair[pairs->count][0] = a;
    pairs->pair[pairs->count++][1] = b;
}

static Pairs make_grid(int32_t a, int32_t b)
{
    Pairs pairs = {.nodes = a * b};
    for (int32_t i = 0; i < a; ++i)
        for (int32_t j = 0; j < b; ++j) {
            if (i + 1 < a)
                add_pair(&pairs, i * b + j, (i + 1) * b + j);
            if (j + 1 < b)
                add_pair(&pairs, i * b + j, i * b + j + 1);
        }
    return pairs;
}

// jittered lattice: each sphere touches the neighbours that come near enough, 6 on average
static Pairs make_pile(int32_t n)
{
    const int32_t side = (int32_t)ceil(cbrt((double)n));
    Pairs pairs = {.nodes = n};
    double(*x)[3] = malloc((size_t)n * sizeof *x);
    SticRandom random = stic_random_create(11);
    if (x == NULL)
        exit(1);
    for (int32_t i = 0; i < n; ++i) {
        x[i][0] = i % side + stic_random_range(&random, -0.3, 0.3);
        x[i][1] = i / side % side + stic_random_range(&random, -0.3, 0.3);
        x[i][2] = i / (side * side) + stic_random_range(&random, -0.3, 0.3);
    }
    for (int32_t i = 0; i < n; ++i)
        for (int32_t dz = 0; dz <= 1; ++dz)
            for (int32_t dy = -1; dy <= 1; ++dy)
                for (int32_t dx = -1; dx <= 1; ++dx) {
                    const int32_t j = i + dx + side * (dy + side * dz);
                    if (j <= i || j >= n)
                        continue;
                    double square = 0;
                    for (int32_t k = 0; k < 3; ++k)
                        square += (x[i][k] - x[j][k]) * (x[i][k] - x[j][k]);
                    if (square < 1.2 * 1.2)
                        add_pair(&pairs, i, j);
                }
    free(x);
    return pairs;
}

// contacts of a pile as nodes, coupled where they share a body
static Pairs make_dual(const Pairs* bodies)
{
    Pairs pairs = {.nodes = bodies->count};
    int32_t* begin = calloc((size_t)bodies->nodes + 2, sizeof *begin);
    int32_t* list = calloc(2 * (size_t)bodies->count + 1, sizeof *list);
    if (begin == NULL || list == NULL)
        exit(1);
    for (int32_t c = 0; c < bodies->count; ++c)
        for (int32_t e = 0; e < 2; ++e)
            begin[bodies->pair[c][e] + 2] += 1;
    for (int32_t i = 0; i < bodies->nodes; ++i)
        begin[i + 2] += begin[i + 1];
    for (int32_t c = 0; c < bodies->count; ++c)
        for (int32_t e = 0; e < 2; ++e)
            list[begin[bodies->pair[c][e] + 1]++] = c;
    for (int32_t i = 0; i < bodies->nodes; ++i)
        for (int32_t p = begin[i]; p < begin[i + 1]; ++p)
            for (int32_t q = begin[i]; q < p; ++q)
                add_pair(&pairs, list[p], list[q]);
    free(begin);
    free(list);
    return pairs;
}

typedef struct Matrix {
    int32_t* at;
    SticArena* arena;
    SticBlockCsr A;
} Matrix;

static void check(SticStatus status)
{
    if (status != STIC_OK) {
        fprintf(stderr, "%s\n", stic_status_text(status));
        exit(1);
    }
}

// blocks of one pair: [B'B, -B'C; -C'B, C'C] with random B, C, so that the sum is definite with 1
// added on the diagonal; `skew` disturbs the symmetry of the values
static Matrix make_matrix(const Pairs* pairs, int32_t size, double skew)
{
    const SticContext context = stic_context_default();
    Matrix matrix = {0};
    check(stic_arena_create(&context, 1 << 20, &matrix.arena));
    const int32_t count = 4 * pairs->count + pairs->nodes;
    int32_t *row = NULL, *col = NULL;
    double* value = NULL;
    check(STIC_TAKE(matrix.arena, &matrix.at, (size_t)pairs->nodes + 1));
    for (int32_t i = 0; i <= pairs->nodes; ++i)
        matrix.at[i] = size * i;
    check(STIC_TAKE(matrix.arena, &row, count));
    check(STIC_TAKE(matrix.arena, &col, count));
    check(STIC_TAKE(matrix.arena, &value, (size_t)count * (size_t)(size * size)));
    memset(value, 0, (size_t)count * (size_t)(size * size) * sizeof *value);
    SticRandom random = stic_random_create(5);
    double* to = value;
    int32_t k = 0;
    for (int32_t c = 0; c < pairs->count; ++c) {
        double B[2][3][6];
        for (int32_t e = 0; e < 36; ++e)
            ((double*)B)[e] = stic_random_range(&random, -1, 1);
        for (int32_t e = 0; e < 4; ++e, ++k) {
            row[k] = pairs->pair[c][e / 2];
            col[k] = pairs->pair[c][e % 2];
            for (int32_t i = 0; i < size; ++i)
                for (int32_t j = 0; j < size; ++j, ++to)
                    for (int32_t p = 0; p < 3; ++p)
                        *to += B[e / 2][p][i] * B[e % 2][p][j];
        }
    }
    for (int32_t i = 0; i < pairs->nodes; ++i, ++k, to += size * size) {
        row[k] = col[k] = i;
        for (int32_t j = 0; j < size; ++j)
            to[j * size + j] = 1;
    }
    if (skew > 0)
        for (int64_t e = 0; e < to - value; ++e)
            value[e] *= 1 + stic_random_range(&random, -skew, skew);
    const SticPartition partition = {pairs->nodes, pairs->nodes, matrix.at, matrix.at};
    const SticBlockTriplets triplets = {count, row, col, value};
    check(stic_block_csr_from_blocks(&partition, &triplets, matrix.arena, &matrix.A, NULL));
    return matrix;
}

// processor time: other programs on the machine do not count
static double seconds(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

typedef struct Times {
    double factor, solve, error;
} Times;

enum { REPEATS = 5 };

static double* make_vector(int32_t n)
{
    double* x = calloc((size_t)n + 1, sizeof *x);
    if (x == NULL)
        exit(1);
    for (int32_t i = 0; i < n; ++i)
        x[i] = 1 + i % 7;
    return x;
}

// largest |b - A x|_i / (|A| |x| + |b|)_i for b of make_vector
static double error_of(const SticBlockCsr* A, const double* x)
{
    double worst = 0;
    for (int32_t i = 0; i < A->rows; ++i)
        for (int32_t r = 0; r < A->row_at[i + 1] - A->row_at[i]; ++r) {
            const double b = 1 + (A->row_at[i] + r) % 7;
            double sum = b, bound = b;
            for (int32_t k = A->begin[i]; k < A->begin[i + 1]; ++k) {
                const int32_t at = A->col_at[A->col[k]], n = A->col_at[A->col[k] + 1] - at;
                for (int32_t c = 0; c < n; ++c) {
                    const double product = A->value[A->value_at[k] + r * n + c] * x[at + c];
                    sum -= product;
                    bound += fabs(product);
                }
            }
            worst = fmax(worst, fabs(sum) / bound);
        }
    return worst;
}

static Times time_factor(const SticSymbolic* symbolic, SticFactorKind kind, const SticBlockCsr* A)
{
    const int32_t n = stic_block_csr_height(A);
    SticFactor* factor = NULL;
    check(stic_factor_create(symbolic, kind, &factor, NULL));
    double *b = make_vector(n), *x = make_vector(n);
    Times best = {INFINITY, INFINITY, 0};
    for (int repeat = 0; repeat < REPEATS; ++repeat) {
        const double start = seconds();
        check(stic_factor_compute(factor, A, NULL, NULL));
        const double middle = seconds();
        memcpy(x, b, (size_t)n * sizeof *x);
        stic_factor_solve(factor, x);
        const double end = seconds();
        best.factor = fmin(best.factor, middle - start);
        best.solve = fmin(best.solve, end - middle);
    }
    best.error = error_of(A, x);
    free(b);
    free(x);
    stic_factor_destroy(factor);
    return best;
}

#ifdef STIC_BENCH_PEERS

// scalar columns of A' (rows of A); for a symmetric matrix the same as columns of A
typedef struct Scalars {
    int n, *begin, *index;
    double* value;
} Scalars;

static Scalars make_scalars(const SticBlockCsr* A)
{
    Scalars to = {.n = stic_block_csr_height(A)};
    const size_t count = (size_t)A->value_at[stic_block_csr_count(A)];
    to.begin = calloc((size_t)to.n + 1, sizeof *to.begin);
    to.index = calloc(count + 1, sizeof *to.index);
    to.value = calloc(count + 1, sizeof *to.value);
    if (to.begin == NULL || to.index == NULL || to.value == NULL)
        exit(1);
    int place = 0, row = 0;
    for (int32_t i = 0; i < A->rows; ++i)
        for (int32_t r = 0; r < A->row_at[i + 1] - A->row_at[i]; ++r) {
            for (int32_t k = A->begin[i]; k < A->begin[i + 1]; ++k) {
                const int32_t at = A->col_at[A->col[k]], n = A->col_at[A->col[k] + 1] - at;
                for (int32_t c = 0; c < n; ++c) {
                    to.index[place] = at + c;
                    to.value[place++] = A->value[A->value_at[k] + r * n + c];
                }
            }
            to.begin[++row] = place;
        }
    return to;
}

static void drop_scalars(Scalars* scalars)
{
    free(scalars->begin);
    free(scalars->index);
    free(scalars->value);
}

static Times time_cholmod(const SticBlockCsr* A)
{
    Scalars S = make_scalars(A);
    cholmod_common common;
    cholmod_start(&common);
    common.nmethods = 1;
    common.method[0].ordering = CHOLMOD_AMD;
    cholmod_sparse M = {.nrow = (size_t)S.n,
                        .ncol = (size_t)S.n,
                        .nzmax = (size_t)S.begin[S.n],
                        .p = S.begin,
                        .i = S.index,
                        .x = S.value,
                        .stype = 1,
                        .itype = CHOLMOD_INT,
                        .xtype = CHOLMOD_REAL,
                        .dtype = CHOLMOD_DOUBLE,
                        .sorted = 1,
                        .packed = 1};
    cholmod_factor* L = cholmod_analyze(&M, &common);
    double* values = make_vector(S.n);
    cholmod_dense b = {.nrow = (size_t)S.n,
                       .ncol = 1,
                       .nzmax = (size_t)S.n,
                       .d = (size_t)S.n,
                       .x = values,
                       .xtype = CHOLMOD_REAL,
                       .dtype = CHOLMOD_DOUBLE};
    cholmod_dense *X = NULL, *Y = NULL, *E = NULL;
    Times best = {INFINITY, INFINITY, 0};
    for (int repeat = 0; repeat < REPEATS; ++repeat) {
        const double start = seconds();
        cholmod_factorize(&M, L, &common);
        const double middle = seconds();
        cholmod_solve2(CHOLMOD_A, L, &b, NULL, &X, NULL, &Y, &E, &common);
        const double end = seconds();
        best.factor = fmin(best.factor, middle - start);
        best.solve = fmin(best.solve, end - middle);
    }
    best.error = error_of(A, X->x);
    cholmod_free_dense(&X, &common);
    cholmod_free_dense(&Y, &common);
    cholmod_free_dense(&E, &common);
    cholmod_free_factor(&L, &common);
    cholmod_finish(&common);
    free(values);
    drop_scalars(&S);
    return best;
}

static Times time_klu(const SticBlockCsr* A)
{
    Scalars S = make_scalars(A);
    klu_common common;
    klu_defaults(&common);
    common.btf = 0;
    common.scale = 2;
    klu_symbolic* symbolic = klu_analyze(S.n, S.begin, S.index, &common);
    double *b = make_vector(S.n), *x = make_vector(S.n);
    Times best = {INFINITY, INFINITY, 0};
    // one run: large matrices take minutes
    const double start = seconds();
    klu_numeric* numeric = klu_factor(S.begin, S.index, S.value, symbolic, &common);
    const double middle = seconds();
    memcpy(x, b, (size_t)S.n * sizeof *x);
    klu_tsolve(symbolic, numeric, S.n, 1, x, &common);
    best.factor = middle - start;
    best.solve = seconds() - middle;
    best.error = error_of(A, x);
    klu_free_numeric(&numeric, &common);
    klu_free_symbolic(&symbolic, &common);
    free(b);
    free(x);
    drop_scalars(&S);
    return best;
}

static Times time_umfpack(const SticBlockCsr* A)
{
    Scalars S = make_scalars(A);
    double control[UMFPACK_CONTROL];
    umfpack_di_defaults(control);
    control[UMFPACK_STRATEGY] = UMFPACK_STRATEGY_SYMMETRIC;
    control[UMFPACK_IRSTEP] = 0;
    void *symbolic = NULL, *numeric = NULL;
    umfpack_di_symbolic(S.n, S.n, S.begin, S.index, S.value, &symbolic, control, NULL);
    double *b = make_vector(S.n), *x = make_vector(S.n);
    Times best = {INFINITY, INFINITY, 0};
    const double start = seconds();
    umfpack_di_numeric(S.begin, S.index, S.value, symbolic, &numeric, control, NULL);
    const double middle = seconds();
    umfpack_di_solve(UMFPACK_At, S.begin, S.index, S.value, x, b, numeric, control, NULL);
    best.factor = middle - start;
    best.solve = seconds() - middle;
    best.error = error_of(A, x);
    umfpack_di_free_numeric(&numeric);
    umfpack_di_free_symbolic(&symbolic);
    free(b);
    free(x);
    drop_scalars(&S);
    return best;
}

static void print_peer(const char* name, Times times)
{
    printf("    %-12s factor %9.2f ms  solve %7.2f ms  error %.1e\n", name, 1e3 * times.factor,
           1e3 * times.solve, times.error);
    fflush(stdout);
}

static void run_peers(const SticBlockCsr* symmetric, const SticBlockCsr* general)
{
    print_peer("CHOLMOD", time_cholmod(symmetric));
    print_peer("UMFPACK", time_umfpack(general));
    // minutes on the large pile
    if (stic_block_csr_height(general) < 50000 || getenv("STICTION_BENCH_LONG") != NULL)
        print_peer("KLU", time_klu(general));
}

#else

static void run_peers(const SticBlockCsr* symmetric, const SticBlockCsr* general)
{
    (void)symmetric;
    (void)general;
}

#endif

static void run(const char* name, const Pairs* pairs, int32_t size)
{
    Matrix symmetric = make_matrix(pairs, size, 0);
    Matrix general = make_matrix(pairs, size, 0.1);
    const SticContext context = stic_context_default();
    SticSymbolic* symbolic = NULL;
    const double start = seconds();
    check(stic_symbolic_create(&context, &symmetric.A, STIC_ORDERING_AMD, &symbolic, NULL));
    const double analysis = seconds() - start;
    const SticSymbolicInfo info = stic_symbolic_info(symbolic);
    const Times ldl = time_factor(symbolic, STIC_FACTOR_LDL, &symmetric.A);
    const Times lu = time_factor(symbolic, STIC_FACTOR_LU, &general.A);
    printf("%-16s %7d %5.1f %9.2e %6d %5d %7.1f | %8.2f %6.2f %5.1f %7.1e | %8.2f %6.2f %7.1e\n",
           name, symmetric.at[pairs->nodes],
           (double)stic_block_csr_count(&symmetric.A) / pairs->nodes, (double)info.values,
           info.supernodes, info.widest, 1e3 * analysis, 1e3 * ldl.factor, 1e3 * ldl.solve,
           2e-9 * info.work / ldl.factor, ldl.error, 1e3 * lu.factor, 1e3 * lu.solve, lu.error);
    fflush(stdout);
    run_peers(&symmetric.A, &general.A);
    stic_symbolic_destroy(symbolic);
    stic_arena_destroy(symmetric.arena);
    stic_arena_destroy(general.arena);
}

int main(void)
{
    printf("%-16s %7s %5s %9s %6s %5s %7s | %8s %6s %5s %7s | %8s %6s %7s\n", "matrix", "rows",
           "/row", "values", "super", "wide", "analyse", "LDL' ms", "solve", "Gflop", "error",
           "LU ms", "solve", "error");
    const int32_t grids[][2] = {{50, 50}, {50, 100}, {100, 100}};
    for (int g = 0; g < 3; ++g) {
        char name[32];
        snprintf(name, sizeof name, "grid %d x %d", grids[g][0], grids[g][1]);
        Pairs pairs = make_grid(grids[g][0], grids[g][1]);
        run(name, &pairs, 6);
        free(pairs.pair);
    }
    Pairs wall = {.nodes = 400}, grid = make_grid(20, 20);
    for (int32_t k = 0; k < 4 * grid.count; ++k)
        add_pair(&wall, grid.pair[k / 4][0], grid.pair[k / 4][1]);
    Pairs contacts = make_dual(&wall);
    run("W of wall", &contacts, 3);
    free(wall.pair);
    free(grid.pair);
    free(contacts.pair);
    for (int32_t n = 1000; n <= 10000; n *= 10) {
        char name[32];
        Pairs pairs = make_pile(n);
        snprintf(name, sizeof name, "pile %d", n);
        run(name, &pairs, 6);
        if (n < 10000 || getenv("STICTION_BENCH_LONG") != NULL) {
            Pairs dual = make_dual(&pairs);
            snprintf(name, sizeof name, "W of pile %d", n);
            run(name, &dual, 3);
            free(dual.pair);
        }
        free(pairs.pair);
    }
    return 0;
}
