// SPDX-License-Identifier: Apache-2.0
// LU factors of matrices of any rank: solutions of singular systems whose equations agree.
#include "helpers/helpers.h"

#include <math.h>
#include <stdio.h>

#include "math/dense_rank.h"
#include "stiction/extend/base.h"

enum { N = 12 };

typedef struct Room {
    double a[N * N], row_scale[N], col_scale[N], scratch[N];
    int32_t row[N], col[N];
} Room;

static SticDenseRank factor_of(Room* room)
{
    return (SticDenseRank){.n = N,
                           .a = room->a,
                           .row = room->row,
                           .col = room->col,
                           .row_scale = room->row_scale,
                           .col_scale = room->col_scale,
                           .scratch = room->scratch};
}

// random products of N x r and r x N, with rows and columns of sizes from 1e-6 to 1e6: the rank is
// found, and a right side that is a product has its solution
static void test_ranks(void** state)
{
    uint64_t seed = 1;
    double worst = 0.0;
    (void)state;
    for (int rank = 1; rank <= N; ++rank)
        for (int repeat = 0; repeat < 20; ++repeat) {
            Room room;
            double left[N][N], right[N][N], whole[N * N], x[N], b[N], size = 0.0;
            for (int e = 0; e < N * N; ++e) {
                double pair[2];
                for (int k = 0; k < 2; ++k) {
                    seed = seed * 6364136223846793005u + 1442695040888963407u;
                    pair[k] = (double)(seed >> 11) * 0x1p-52 - 1.0;
                }
                left[e / N][e % N] = e % N < rank ? pair[0] : 0.0;
                right[e / N][e % N] = e / N < rank ? pair[1] : 0.0;
            }
            for (int e = 0; e < N * N; ++e) {
                double sum = 0.0;
                for (int k = 0; k < N; ++k)
                    sum += left[e / N][k] * right[k][e % N];
                whole[e] = room.a[e] = sum * pow(10.0, e / N - 6) * pow(10.0, 6 - e % N);
            }
            for (int i = 0; i < N; ++i) {
                b[i] = 0.0;
                for (int j = 0; j < N; ++j)
                    b[i] += whole[i * N + j] * pow(10.0, j - 6);
                x[i] = b[i];
            }
            SticDenseRank factor = factor_of(&room);
            stic_dense_rank_factorise(&factor);
            assert_int_equal(factor.rank, rank);
            stic_dense_rank_solve(&factor, x);
            for (int i = 0; i < N; ++i) {
                double sum = -b[i];
                for (int j = 0; j < N; ++j)
                    sum += whole[i * N + j] * x[j];
                size = pow(10.0, i - 6);
                worst = fabs(sum) / size > worst ? fabs(sum) / size : worst;
            }
        }
    printf("ranks 1 to %d, entries over 24 decades: residual %.1e of the rows at most\n", N, worst);
    test_less(worst, 1e-9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_ranks)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
