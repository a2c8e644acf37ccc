// SPDX-License-Identifier: Apache-2.0
// Inverses of diagonal blocks: products with the blocks, symmetry, singular and missing blocks.
#include <float.h>
#include <math.h>
#include <string.h>

#include "helpers/helpers.h"
#include "sparse/sparse.h"

enum { PARTS = STIC_BLOCK_MAX };

static void products_with_the_blocks_are_the_identity(void** state)
{
    (void)state;
    const SticContext context = stic_context_default();
    SticRandom random = stic_random_create(31);
    SticArena* arena = NULL;
    assert_int_equal(stic_arena_create(&context, 0, &arena), STIC_OK);
    // one block of every size; a symmetric and an unsymmetric matrix, with entries off the diagonal
    int32_t at[PARTS + 1] = {0};
    for (int32_t i = 0; i < PARTS; ++i)
        at[i + 1] = at[i] + i + 1;
    const int32_t n = at[PARTS];
    static double dense[78 * 78];
    for (int pass = 0; pass < 2; ++pass) {
        for (int32_t i = 0; i < n; ++i)
            for (int32_t j = 0; j <= i; ++j) {
                dense[i * n + j] = stic_random_range(&random, -1, 1);
                dense[j * n + i] = pass ? stic_random_range(&random, -1, 1) : dense[i * n + j];
            }
        const SticPartition partition = {PARTS, PARTS, at, at};
        SticBlockCsr A, inverse;
        assert_int_equal(stic_block_csr_from_dense(&partition, dense, arena, &A), STIC_OK);
        assert_int_equal(stic_block_csr_invert_diagonal(&A, arena, &inverse, NULL), STIC_OK);
        assert_int_equal(stic_block_csr_check(&inverse, NULL), STIC_OK);
        assert_int_equal(stic_block_csr_count(&inverse), PARTS);
        double worst = 0;
        for (int32_t b = 0; b < PARTS; ++b) {
            const double* X = inverse.value + inverse.value_at[b];
            const int32_t m = b + 1;
            double size = 0;
            for (int32_t e = 0; e < m * m; ++e)
                size = test_worse(size, fabs(X[e]));
            for (int32_t i = 0; i < m; ++i)
                for (int32_t j = 0; j < m; ++j) {
                    double sum = i == j ? -1 : 0;
                    for (int32_t k = 0; k < m; ++k)
                        sum += dense[(at[b] + i) * n + at[b] + k] * X[k * m + j];
                    worst = test_worse(worst, fabs(sum) / size);
                }
        }
        print_message("%s: largest |B X - I| / |X| %.1e, asymmetry %.1e\n",
                      pass ? "unsymmetric" : "symmetric", worst,
                      stic_block_csr_asymmetry(&inverse));
        test_less(worst, 1e-14);
        if (pass == 0)
            test_equal(stic_block_csr_asymmetry(&inverse), 0);
    }
    stic_arena_destroy(arena);
}

static void singular_and_missing_blocks_are_named(void** state)
{
    (void)state;
    const SticContext context = stic_context_default();
    SticArena* arena = NULL;
    SticError error = {0};
    assert_int_equal(stic_arena_create(&context, 0, &arena), STIC_OK);
    const int32_t at[3] = {0, 2, 4};
    const SticPartition partition = {2, 2, at, at};
    const double singular[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 2, 0, 0, 2, 4};
    const double missing[16] = {1, 0, 0, 0, 0, 1, 0, 0, 1};
    SticBlockCsr A, inverse;
    assert_int_equal(stic_block_csr_from_dense(&partition, singular, arena, &A), STIC_OK);
    assert_int_equal(stic_block_csr_invert_diagonal(&A, arena, &inverse, &error), STIC_SINGULAR);
    print_message("%s\n", error.text);
    assert_non_null(strstr(error.text, "block 1"));
    assert_int_equal(stic_block_csr_from_dense(&partition, missing, arena, &A), STIC_OK);
    assert_int_equal(stic_block_csr_invert_diagonal(&A, arena, &inverse, &error), STIC_SINGULAR);
    const SticBlockCsr wide = {1, 2, at, at, A.begin, A.col, A.value_at, A.value};
    assert_int_equal(stic_block_csr_invert_diagonal(&wide, arena, &inverse, &error),
                     STIC_BAD_ARGUMENT);

    // tiny and huge blocks are not singular
    const double scales[2] = {1e-150, 1e150};
    for (int k = 0; k < 2; ++k) {
        const double scaled[16] = {2 * scales[k], 0, 0, 0, 0,         scales[k],    0, 0, 0, 0,
                                   scales[k],     0, 0, 0, scales[k], 4 * scales[k]};
        assert_int_equal(stic_block_csr_from_dense(&partition, scaled, arena, &A), STIC_OK);
        assert_int_equal(stic_block_csr_invert_diagonal(&A, arena, &inverse, &error), STIC_OK);
        test_less(fabs(inverse.value[0] * 2 * scales[k] - 1), 1e-15);
    }
    stic_arena_destroy(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_with_the_blocks_are_the_identity),
        cmocka_unit_test(singular_and_missing_blocks_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
