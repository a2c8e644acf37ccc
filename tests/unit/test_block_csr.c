// SPDX-License-Identifier: Apache-2.0
// labels: threads
// Block CSR against dense arithmetic: building, products, transpose, triple product, norms, checks.
#include <math.h>
#include <string.h>

#include "helpers/helpers.h"
#include "sparse/sparse.h"

enum { MAX_PARTS = 40, MAX_SIZE = MAX_PARTS * STIC_BLOCK_MAX };

typedef struct Offsets {
    int32_t count;
    int32_t at[MAX_PARTS + 1];
} Offsets;

static SticArena* make_arena(void)
{
    const SticContext context = stic_context_default();
    SticArena* arena = NULL;
    assert_int_equal(stic_arena_create(&context, 1 << 20, &arena), STIC_OK);
    return arena;
}

static double* take(SticArena* arena, size_t count)
{
    double* x = NULL;
    assert_int_equal(STIC_TAKE(arena, &x, count), STIC_OK);
    memset(x, 0, count * sizeof *x);
    return x;
}

// offsets of `count` parts of the given sizes in turn; size 0 draws from 1 to STIC_BLOCK_MAX
static Offsets make_offsets(SticRandom* random, int32_t count, int32_t size)
{
    Offsets offsets = {.count = count};
    for (int32_t i = 0; i < count; ++i)
        offsets.at[i + 1] =
            offsets.at[i] + (size > 0 ? size : test_random_index(random, 1, STIC_BLOCK_MAX));
    return offsets;
}

// random blocks, some places twice, and the dense sum
typedef struct Sample {
    Offsets rows, cols;
    SticPartition partition;
    SticBlockTriplets triplets;
    SticBlockCsr A;
    double* dense;
} Sample;

static void make_sample(SticArena* arena, SticRandom* random, const int32_t shape[4], int32_t count,
                        Sample* sample)
{
    sample->rows = make_offsets(random, shape[0], shape[2]);
    sample->cols = make_offsets(random, shape[1], shape[3]);
    sample->partition = (SticPartition){shape[0], shape[1], sample->rows.at, sample->cols.at};
    const int32_t height = sample->rows.at[shape[0]], width = sample->cols.at[shape[1]];
    int32_t *row = NULL, *col = NULL;
    assert_int_equal(STIC_TAKE(arena, &row, count), STIC_OK);
    assert_int_equal(STIC_TAKE(arena, &col, count), STIC_OK);
    double* value = take(arena, (size_t)count * 144);
    sample->dense = take(arena, (size_t)height * (size_t)width);
    sample->triplets = (SticBlockTriplets){count, row, col, value};
    for (int32_t k = 0; k < count; ++k) {
        row[k] = test_random_index(random, 0, shape[0] - 1);
        col[k] = test_random_index(random, 0, shape[1] - 1);
        for (int32_t i = sample->rows.at[row[k]]; i < sample->rows.at[row[k] + 1]; ++i)
            for (int32_t j = sample->cols.at[col[k]]; j < sample->cols.at[col[k] + 1]; ++j) {
                *value = stic_random_range(random, -1, 1);
                sample->dense[i * width + j] += *value++;
            }
    }
    assert_int_equal(
        stic_block_csr_from_blocks(&sample->partition, &sample->triplets, arena, &sample->A, NULL),
        STIC_OK);
    assert_int_equal(stic_block_csr_check(&sample->A, NULL), STIC_OK);
}

static double difference(size_t count, const double* a, const double* b)
{
    double most = 0;
    for (size_t i = 0; i < count; ++i)
        if (!(fabs(a[i] - b[i]) <= most))
            most = fabs(a[i] - b[i]);
    return most;
}

static const int32_t shapes[][4] = {{1, 1, 1, 1},  {7, 5, 3, 3},   {9, 4, 3, 6}, {6, 6, 6, 6},
                                    {8, 11, 0, 0}, {20, 20, 0, 0}, {3, 17, 6, 3}};
enum { SHAPES = sizeof shapes / sizeof *shapes };

static void blocks_add_up(void** state)
{
    (void)state;
    SticArena* arena = make_arena();
    SticRandom random = stic_random_create(3);
    for (int s = 0; s < SHAPES; ++s) {
        Sample sample;
        make_sample(arena, &random, shapes[s], 60, &sample);
        const SticBlockCsr* A = &sample.A;
        const size_t size = (size_t)stic_block_csr_height(A) * (size_t)stic_block_csr_width(A);
        double* dense = take(arena, size);
        stic_block_csr_to_dense(A, dense);
        assert_memory_equal(dense, sample.dense, size * sizeof *dense);

        // the same matrix from its dense copy and from its scalars in reverse order
        SticBlockCsr B;
        assert_int_equal(stic_block_csr_from_dense(&sample.partition, sample.dense, arena, &B),
                         STIC_OK);
        assert_int_equal(stic_block_csr_check(&B, NULL), STIC_OK);
        stic_block_csr_to_dense(&B, dense);
        assert_memory_equal(dense, sample.dense, size * sizeof *dense);
        assert_int_equal(stic_block_csr_count(A), stic_block_csr_count(&B));

        int32_t *row = NULL, *col = NULL;
        assert_int_equal(STIC_TAKE(arena, &row, size), STIC_OK);
        assert_int_equal(STIC_TAKE(arena, &col, size), STIC_OK);
        double* value = take(arena, size);
        int32_t count = 0;
        for (size_t v = size; v-- > 0;)
            if (sample.dense[v] != 0) {
                row[count] = (int32_t)v / stic_block_csr_width(A);
                col[count] = (int32_t)v % stic_block_csr_width(A);
                value[count++] = sample.dense[v];
            }
        const SticScalarTriplets scalars = {count, row, col, value};
        assert_int_equal(stic_block_csr_from_scalars(&sample.partition, &scalars, arena, &B, NULL),
                         STIC_OK);
        stic_block_csr_to_dense(&B, dense);
        assert_memory_equal(dense, sample.dense, size * sizeof *dense);
        assert_memory_equal(A->col, B.col, (size_t)stic_block_csr_count(A) * sizeof *A->col);
    }
    stic_arena_destroy(arena);
}

static void caller_arrays_hold_the_same(void** state)
{
    (void)state;
    SticArena* arena = make_arena();
    SticRandom random = stic_random_create(4);
    Sample sample;
    make_sample(arena, &random, shapes[4], 60, &sample);
    static int32_t begin[9], col[60];
    static int64_t value_at[61];
    static double value[60 * 144];
    const SticBlockArrays arrays = {begin, col, value_at, value};
    SticBlockCsr B;
    const SticArenaMark mark = stic_arena_mark(arena);
    assert_int_equal(
        stic_block_csr_fill_blocks(&sample.partition, &sample.triplets, arena, &arrays, &B, NULL),
        STIC_OK);
    const SticArenaMark after = stic_arena_mark(arena);
    test_equal(mark.block, after.block);
    test_equal(mark.used, after.used);
    assert_ptr_equal(B.value, value);
    const size_t values = (size_t)sample.A.value_at[stic_block_csr_count(&sample.A)];
    assert_memory_equal(B.value, sample.A.value, values * sizeof(double));
    stic_arena_destroy(arena);
}

static void products_agree_with_dense(void** state)
{
    (void)state;
    SticArena* arena = make_arena();
    SticRandom random = stic_random_create(5);
    const TestTable table =
        test_table_begin("products with vectors", "shape           |  A x  |  A' x |");
    for (int s = 0; s < SHAPES; ++s) {
        Sample sample;
        make_sample(arena, &random, shapes[s], 60, &sample);
        const SticBlockCsr* A = &sample.A;
        const int32_t height = stic_block_csr_height(A), width = stic_block_csr_width(A);
        double x[MAX_SIZE], y[MAX_SIZE], z[MAX_SIZE], expected[MAX_SIZE], flipped[MAX_SIZE];
        test_random_vector(&random, MAX_SIZE, -1, 1, x);
        test_random_vector(&random, MAX_SIZE, -1, 1, y);
        memcpy(z, y, sizeof z);
        for (int32_t i = 0; i < height; ++i) {
            expected[i] = 0.25 * y[i];
            for (int32_t j = 0; j < width; ++j)
                expected[i] += 1.5 * sample.dense[i * width + j] * x[j];
        }
        for (int32_t j = 0; j < width; ++j) {
            flipped[j] = 0.25 * y[j];
            for (int32_t i = 0; i < height; ++i)
                flipped[j] += 1.5 * sample.dense[i * width + j] * x[i];
        }
        stic_block_csr_multiply(1.5, A, x, 0.25, y);
        stic_block_csr_multiply_transpose(1.5, A, x, 0.25, z);
        const double e1 = difference((size_t)height, y, expected);
        const double e2 = difference((size_t)width, z, flipped);
        test_table_row(&table, "%dx%d of %dx%d|%.1e|%.1e", shapes[s][0], shapes[s][1], shapes[s][2],
                       shapes[s][3], e1, e2);
        test_less(e1, 1e-13);
        test_less(e2, 1e-13);

        // with b = 0 what y held does not matter
        for (int32_t i = 0; i < MAX_SIZE; ++i)
            y[i] = z[i] = NAN;
        stic_block_csr_multiply(1, A, x, 0, y);
        stic_block_csr_multiply_transpose(1, A, x, 0, z);
        SticBlockCsr At;
        assert_int_equal(stic_block_csr_transpose(A, arena, &At), STIC_OK);
        assert_int_equal(stic_block_csr_check(&At, NULL), STIC_OK);
        stic_block_csr_multiply(1, &At, x, 0, expected);
        test_less(difference((size_t)width, z, expected), 1e-13);
        for (int32_t i = 0; i < height; ++i)
            assert_true(isfinite(y[i]));
    }
    stic_arena_destroy(arena);
}

// more rows than one piece of work: the same bits with and without a pool
static void pool_keeps_the_bits(void** state)
{
    (void)state;
    enum { ROWS = 5000 };
    static int32_t at[ROWS + 1], begin[ROWS + 1], col[2 * ROWS];
    static int64_t value_at[2 * ROWS + 1];
    static double value[18 * ROWS], x[3 * ROWS], y[2][3 * ROWS];
    SticRandom random = stic_random_create(5);
    const SticContext context = stic_context_default();
    SticPool* pool = NULL;
    for (int32_t i = 0; i <= ROWS; ++i) {
        at[i] = 3 * i;
        begin[i] = 2 * i;
    }
    for (int32_t k = 0; k < 2 * ROWS; ++k) {
        // the diagonal and one other block, in rising order
        const int32_t i = k / 2, first = i < ROWS - 1 ? i : i - 1;
        col[k] = first + k % 2;
        value_at[k + 1] = 9 * (k + 1);
    }
    for (int32_t k = 0; k < 18 * ROWS; ++k)
        value[k] = stic_random_range(&random, -1.0, 1.0);
    for (int32_t k = 0; k < 3 * ROWS; ++k)
        x[k] = y[0][k] = y[1][k] = stic_random_range(&random, -1.0, 1.0);
    const SticBlockCsr A = {ROWS, ROWS, at, at, begin, col, value_at, value};
    assert_int_equal(stic_pool_create(&context, 3, &pool), STIC_OK);
    const double before = y[0][0];
    stic_block_csr_multiply(0.5, &A, x, -2.0, y[0]);
    stic_block_csr_multiply_on(pool, 0.5, &A, x, -2.0, y[1]);
    stic_pool_destroy(pool);
    assert_memory_equal(y[0], y[1], sizeof y[0]);
    // a row by hand
    double sum = 0.0;
    for (int32_t c = 0; c < 3; ++c)
        sum += value[c] * x[c] + value[9 + c] * x[3 + c];
    const double expected = 0.5 * sum - 2.0 * before;
    test_near(y[1][0], expected, 1e-14);
}

static void every_block_is_found(void** state)
{
    (void)state;
    SticArena* arena = make_arena();
    SticRandom random = stic_random_create(6);
    Sample sample;
    make_sample(arena, &random, shapes[5], 90, &sample);
    int32_t found = 0;
    for (int32_t i = 0; i < sample.A.rows; ++i)
        for (int32_t j = 0; j < sample.A.cols; ++j) {
            const int32_t k = stic_block_csr_find(&sample.A, i, j);
            if (k < 0)
                continue;
            found += 1;
            test_at_least(k, sample.A.begin[i]);
            test_less(k, sample.A.begin[i + 1]);
            assert_int_equal(sample.A.col[k], j);
        }
    assert_int_equal(found, stic_block_csr_count(&sample.A));
    stic_arena_destroy(arena);
}

static void norms_agree_with_dense(void** state)
{
    (void)state;
    SticArena* arena = make_arena();
    SticRandom random = stic_random_create(7);
    for (int s = 0; s < SHAPES; ++s) {
        Sample sample;
        make_sample(arena, &random, shapes[s], 60, &sample);
        const int32_t n = stic_block_csr_width(&sample.A), m = stic_block_csr_height(&sample.A);
        double work[MAX_SIZE], norm1 = 0, square = 0;
        for (int32_t j = 0; j < n; ++j) {
            double sum = 0;
            for (int32_t i = 0; i < m; ++i) {
                sum += fabs(sample.dense[i * n + j]);
                square += sample.dense[i * n + j] * sample.dense[i * n + j];
            }
            norm1 = sum > norm1 ? sum : norm1;
        }
        test_near(stic_block_csr_norm1(&sample.A, work), norm1, 1e-14 * norm1);
        test_near(stic_block_csr_norm_frobenius(&sample.A), sqrt(square), 1e-14 * sqrt(square));
    }
    stic_arena_destroy(arena);
}

static void asymmetry_is_measured(void** state)
{
    (void)state;
    SticArena* arena = make_arena();
    SticRandom random = stic_random_create(8);
    const Offsets parts = make_offsets(&random, 9, 0);
    const SticPartition partition = {9, 9, parts.at, parts.at};
    const int32_t n = parts.at[9];
    double* dense = take(arena, (size_t)(n * n));
    for (int32_t i = 0; i < n; ++i)
        for (int32_t j = 0; j <= i; ++j)
            dense[i * n + j] = dense[j * n + i] =
                (i / 3 + j / 4) % 3 == 0 ? stic_random_range(&random, -1, 1) : 0;
    SticBlockCsr A;
    assert_int_equal(stic_block_csr_from_dense(&partition, dense, arena, &A), STIC_OK);
    test_equal(stic_block_csr_asymmetry(&A), 0);

    // change one entry by d: the measure is sqrt(2) d / |A|; huge values must not overflow
    dense[1] += 1e-3;
    for (int pass = 0; pass < 2; ++pass) {
        assert_int_equal(stic_block_csr_from_dense(&partition, dense, arena, &A), STIC_OK);
        const double expected = sqrt(2.0) * 1e-3 / stic_block_csr_norm_frobenius(&A);
        const double scale = pass == 0 ? 1 : 1e200;
        test_less(fabs(stic_block_csr_asymmetry(&A) - expected * scale), 1e-12 * expected * scale);
        for (int32_t i = 0; i < n * n; ++i)
            dense[i] *= 1e200;
    }
    // a block without partner counts like a partner of zeros
    const int32_t at[3] = {0, 2, 5};
    const SticPartition two = {2, 2, at, at};
    double upper[25] = {1, 0, 0, 0, 3};
    upper[6] = 2;
    assert_int_equal(stic_block_csr_from_dense(&two, upper, arena, &A), STIC_OK);
    const double norm = sqrt(1 + 4 + 9);
    test_less(fabs(stic_block_csr_asymmetry(&A) - sqrt(18) / norm), 1e-15);
    stic_arena_destroy(arena);
}

// W = Pt Minv Ht' for the sample H', P'; the largest error against dense arithmetic
static double product_error(SticArena* arena, const Sample* P, const SticBlockCsr* Minv,
                            const Sample* H)
{
    const int32_t n = Minv->row_at[Minv->rows];
    const int32_t m = stic_block_csr_height(&P->A), l = stic_block_csr_height(&H->A);
    double* inverse = take(arena, (size_t)(n * n));
    double* expected = take(arena, (size_t)(m * l));
    double* dense = take(arena, (size_t)(m * l));
    stic_block_csr_to_dense(Minv, inverse);
    for (int32_t i = 0; i < m; ++i)
        for (int32_t k = 0; k < n; ++k) {
            double left = 0;
            for (int32_t p = 0; p < n; ++p)
                left += P->dense[i * n + p] * inverse[p * n + k];
            for (int32_t j = 0; j < l; ++j)
                expected[i * l + j] += left * H->dense[j * n + k];
        }
    SticBlockCsr W;
    assert_int_equal(stic_block_csr_product3(&P->A, Minv, &H->A, arena, &W), STIC_OK);
    assert_int_equal(stic_block_csr_check(&W, NULL), STIC_OK);
    stic_block_csr_to_dense(&W, dense);
    if (P == H) {
        print_message("asymmetry of W %g\n", stic_block_csr_asymmetry(&W));
        test_equal(stic_block_csr_asymmetry(&W), 0);
    }
    return difference((size_t)(m * l), dense, expected);
}

static void triple_product_agrees_with_dense(void** state)
{
    (void)state;
    SticArena* arena = make_arena();
    SticRandom random = stic_random_create(9);
    const int32_t kinds[][4] = {{12, 5, 3, 6}, {12, 5, 0, 0}, {1, 1, 1, 1}, {20, 9, 3, 3}};
    for (size_t s = 0; s < sizeof kinds / sizeof *kinds; ++s) {
        Sample H, P;
        SticRandom again = random;
        make_sample(arena, &random, kinds[s], 30, &H);
        make_sample(arena, &again, kinds[s], 20, &P);
        // same partition for both, symmetric blocks of M^-1, one of them missing
        P.cols = H.cols;
        const int32_t bodies = kinds[s][1], n = H.cols.at[bodies];
        double* inverse = take(arena, (size_t)(n * n));
        for (int32_t b = 0; b < bodies - (bodies > 2); ++b)
            for (int32_t i = H.cols.at[b]; i < H.cols.at[b + 1]; ++i)
                for (int32_t j = H.cols.at[b]; j <= i; ++j)
                    inverse[i * n + j] = inverse[j * n + i] = stic_random_range(&random, -1, 1);
        const SticPartition partition = {bodies, bodies, H.cols.at, H.cols.at};
        SticBlockCsr Minv;
        assert_int_equal(stic_block_csr_from_dense(&partition, inverse, arena, &Minv), STIC_OK);
        const double same = product_error(arena, &H, &Minv, &H);
        const double other = product_error(arena, &P, &Minv, &H);
        print_message("H' M^-1 H: %.1e   P' M^-1 H: %.1e\n", same, other);
        test_less(same, 1e-13);
        test_less(other, 1e-13);
    }
    stic_arena_destroy(arena);
}

static void wrong_shapes_are_refused(void** state)
{
    (void)state;
    SticArena* arena = make_arena();
    const int32_t at[3] = {0, 3, 6}, wide[3] = {0, 3, 16}, none[3] = {0, 3, 3};
    const int32_t row[1] = {2}, col[1] = {0};
    const SticPartition good = {2, 2, at, at}, big = {2, 2, at, wide}, empty = {2, 2, none, at};
    const SticBlockTriplets outside = {1, row, col, NULL};
    SticBlockCsr A;
    SticError error = {0};
    assert_int_equal(stic_block_csr_from_blocks(&good, &outside, arena, &A, &error), STIC_BAD_DATA);
    print_message("%s\n", error.text);
    assert_int_equal(stic_partition_check(&big, &error), STIC_BAD_DATA);
    print_message("%s\n", error.text);
    assert_int_equal(stic_partition_check(&empty, &error), STIC_BAD_DATA);
    print_message("%s\n", error.text);

    // columns out of order, a value that is not finite, a block of the wrong size
    const int32_t begin[3] = {0, 2, 3}, order[3] = {1, 0, 1};
    int32_t sorted[3] = {0, 1, 1};
    int64_t value_at[4] = {0, 9, 18, 27};
    double value[27] = {0};
    SticBlockCsr B = {2, 2, at, at, begin, order, value_at, value};
    assert_int_equal(stic_block_csr_check(&B, &error), STIC_BAD_DATA);
    print_message("%s\n", error.text);
    B.col = sorted;
    assert_int_equal(stic_block_csr_check(&B, &error), STIC_OK);
    value[20] = NAN;
    assert_int_equal(stic_block_csr_check(&B, &error), STIC_NOT_FINITE);
    print_message("%s\n", error.text);
    value_at[3] = 26;
    assert_int_equal(stic_block_csr_check(&B, &error), STIC_BAD_DATA);
    print_message("%s\n", error.text);
    // M^-1 with a block off its diagonal
    value_at[3] = 27;
    assert_int_equal(stic_block_csr_product3(&B, &B, &B, arena, &A), STIC_BAD_ARGUMENT);
    assert_true(isinf(
        stic_block_csr_asymmetry(&(SticBlockCsr){1, 2, at, at, begin, sorted, value_at, value})));
    stic_arena_destroy(arena);
}

static void empty_matrices_work(void** state)
{
    (void)state;
    SticArena* arena = make_arena();
    const int32_t zero[1] = {0}, at[3] = {0, 3, 4};
    const SticPartition shapes_of_nothing[] = {
        {0, 0, zero, zero}, {0, 2, zero, at}, {2, 0, at, zero}, {2, 2, at, at}};
    for (int s = 0; s < 4; ++s) {
        const SticBlockTriplets none = {0, NULL, NULL, NULL};
        SticBlockCsr A, At, W;
        double x[4] = {1, 2, 3, 4}, y[4] = {1, 1, 1, 1};
        assert_int_equal(stic_block_csr_from_blocks(&shapes_of_nothing[s], &none, arena, &A, NULL),
                         STIC_OK);
        assert_int_equal(stic_block_csr_check(&A, NULL), STIC_OK);
        assert_int_equal(stic_block_csr_transpose(&A, arena, &At), STIC_OK);
        stic_block_csr_multiply(1, &A, x, 2, y);
        for (int32_t i = 0; i < 4; ++i)
            test_equal(y[i], (i < stic_block_csr_height(&A) ? 2.0 : 1.0));
        test_equal(stic_block_csr_norm1(&A, y), 0);
        test_equal(stic_block_csr_norm_frobenius(&A), 0);
        if (A.rows == A.cols) {
            test_equal(stic_block_csr_asymmetry(&A), 0);
            assert_int_equal(stic_block_csr_product3(&A, &A, &A, arena, &W), STIC_OK);
            assert_int_equal(stic_block_csr_count(&W), 0);
        }
    }
    stic_arena_destroy(arena);
}

static SticStatus build_all(const SticContext* context, void* self)
{
    (void)self;
    const int32_t at[5] = {0, 100 % 7, 5, 11, 12}, row[6] = {0, 1, 2, 3, 0, 1};
    const int32_t col[6] = {0, 1, 2, 3, 0, 0};
    const double value[200] = {1};
    const SticPartition partition = {4, 4, at, at};
    const SticBlockTriplets triplets = {6, row, col, NULL};
    const SticScalarTriplets scalars = {6, row, col, value};
    SticBlockCsr A, B, C;
    SticArena* arena = NULL;
    STIC_TRY(stic_arena_create(context, 0, &arena));
    SticStatus status;
    for (int32_t repeat = 0; repeat < 12; ++repeat) {
        STIC_TRY_GOTO(status, end,
                      stic_block_csr_from_blocks(&partition, &triplets, arena, &A, NULL));
        STIC_TRY_GOTO(status, end, stic_block_csr_transpose(&A, arena, &B));
        STIC_TRY_GOTO(status, end,
                      stic_block_csr_from_scalars(&partition, &scalars, arena, &B, NULL));
        STIC_TRY_GOTO(status, end, stic_block_csr_from_dense(&partition, value, arena, &C));
        STIC_TRY_GOTO(status, end, stic_block_csr_product3(&A, &C, &A, arena, &B));
    }
end:
    stic_arena_destroy(arena);
    return status;
}

static void failing_memory_is_reported(void** state)
{
    (void)state;
    test_greater(test_fail_every_allocation(build_all, NULL), 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_add_up),
        cmocka_unit_test(caller_arrays_hold_the_same),
        cmocka_unit_test(products_agree_with_dense),
        cmocka_unit_test(pool_keeps_the_bits),
        cmocka_unit_test(every_block_is_found),
        cmocka_unit_test(norms_agree_with_dense),
        cmocka_unit_test(asymmetry_is_measured),
        cmocka_unit_test(triple_product_agrees_with_dense),
        cmocka_unit_test(wrong_shapes_are_refused),
        cmocka_unit_test(empty_matrices_work),
        cmocka_unit_test(failing_memory_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
