// SPDX-License-Identifier: Apache-2.0
// St Venant-Kirchhoff material of pseudo-rigid bodies (Koziara 4.1.2, 5.1.7).
//
//   E = (F'F - I)/2    S = lambda tr(E) I + 2 mu E    P = F S    psi = 1/2 E : S
//   dP_ij/dF_kl = d_ik S_lj + lambda F_ij F_kl + mu (F_il F_kj + (F F')_ik d_jl)
//   sigma = P F' / det F
//
// (4.1.40) prints psi with the factor 1/4 for (F'F - I) : C : (F'F - I); only 1/8 gives the P of
// (5.1.7). The volume of the balance is that of the reference. The material has no resistance
// against det F = 0: strong compression (E towards -1/2 along an axis) is beyond its range of use.
#include <math.h>

#include "body/body.h"
#include "math/math.h"
#include "stiction/extend/vec3.h"

typedef struct Lame {
    double lambda, mu;
} Lame;

static Lame lame_of(const SticElastic* elastic)
{
    const double E = elastic->young, nu = elastic->poisson;
    return (Lame){E * nu / ((1.0 + nu) * (1.0 - 2.0 * nu)), E / (2.0 + 2.0 * nu)};
}

static SticMat3 strain_of(SticMat3 F)
{
    return stic_mat3_scale(0.5, stic_mat3_sub(stic_mat3_transpose_mul(F, F), stic_mat3_identity()));
}

// second Piola-Kirchhoff stress
static SticMat3 second_stress(Lame lame, SticMat3 F)
{
    const SticMat3 E = strain_of(F);
    return stic_mat3_add_scaled(
        stic_mat3_scale(lame.lambda * stic_mat3_trace(E), stic_mat3_identity()), 2.0 * lame.mu, E);
}

double stic_elastic_energy(const SticElastic* elastic, SticMat3 F)
{
    return 0.5 * stic_mat3_contract(strain_of(F), second_stress(lame_of(elastic), F));
}

SticMat3 stic_elastic_stress(const SticElastic* elastic, SticMat3 F)
{
    return stic_mat3_mul(F, second_stress(lame_of(elastic), F));
}

SticMat3 stic_elastic_cauchy(const SticElastic* elastic, SticMat3 F)
{
    const SticMat3 P = stic_elastic_stress(elastic, F);
    return stic_mat3_scale(1.0 / stic_mat3_det(F), stic_mat3_mul_transpose(P, F));
}

void stic_elastic_tangent(const SticElastic* elastic, SticMat3 F, double K[81])
{
    const Lame lame = lame_of(elastic);
    const SticMat3 S = second_stress(lame, F), B = stic_mat3_mul_transpose(F, F);
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            for (int k = 0; k < 3; ++k)
                for (int l = 0; l < 3; ++l) {
                    double value = lame.lambda * F.m[i][j] * F.m[k][l];
                    value += lame.mu * (F.m[i][l] * F.m[k][j] + (j == l ? B.m[i][k] : 0.0));
                    K[9 * (3 * i + j) + 3 * k + l] = value + (i == k ? S.m[l][j] : 0.0);
                }
}

// block := L^-1 block L^-T for a lower triangle L
static void reduce_block(const double L[9], double* block, int stride)
{
    // columns first, then rows: both by forward substitution
    for (int pass = 0; pass < 2; ++pass)
        for (int c = 0; c < 3; ++c) {
            double x[3];
            for (int r = 0; r < 3; ++r) {
                x[r] = pass == 0 ? block[r * stride + c] : block[c * stride + r];
                for (int k = 0; k < r; ++k)
                    x[r] -= L[3 * r + k] * x[k];
                x[r] /= L[3 * r + r];
            }
            for (int r = 0; r < 3; ++r)
                block[pass == 0 ? r * stride + c : c * stride + r] = x[r];
        }
}

double stic_elastic_step(const SticElastic* elastic, double volume, SticMat3 euler, SticMat3 F)
{
    double K[81], L[9], values[9];
    stic_mat3_store(euler, L);
    if (stic_dense_cholesky(3, L) != STIC_OK)
        return 0.0;
    stic_elastic_tangent(elastic, F, K);
    for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 3; ++k)
            reduce_block(L, K + 27 * i + 3 * k, 9);
    stic_dense_eigenvalues(9, K, values);
    // h <= 2 / sqrt(lambda_max(M^-1 K)), as for central differences (Koziara 5.1)
    const double largest = volume * values[8];
    return largest > 0.0 ? 2.0 / sqrt(largest) : (double)INFINITY;
}

double stic_elastic_step_bound(const SticElastic* elastic, double volume, SticMat3 euler,
                               double rest, SticMat3 F)
{
    SticMat3 inverse;
    if (!(rest > 0.0) || !stic_mat3_inverse(euler, &inverse))
        return 0.0;
    // K = (F x I) C (F x I)' + I x S and the mass I x E0: the first part has eigenvalues of at most
    // |F'F| = |I + 2 E| times those at rest, the second of at most V |S| / (least of E0)
    const double strain = stic_mat3_norm(strain_of(F));
    const double stress = stic_mat3_norm(second_stress(lame_of(elastic), F));
    const double largest =
        (1.0 + 2.0 * strain) * 4.0 / (rest * rest) + volume * stress * stic_mat3_trace(inverse);
    return 2.0 / sqrt(largest);
}
