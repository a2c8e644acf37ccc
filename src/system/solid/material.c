// SPDX-License-Identifier: Apache-2.0
// Stored energies of isotropic materials, with stress and tangent.
//
//   F = I + D    e = (D + D')/2    E = e + D'D/2    lambda, mu: Lamé
//
//   linear      psi = lambda/2 tr(e)^2 + mu e:e     P = lambda tr(e) I + 2 mu e
//   kirchhoff   the same with E and S               P = F S
//   neo-hooke   psi = mu/2 (|F|^2 - 3 - 2 ln J) + lambda/2 (ln J)^2
//               P = mu (F - F^-T) + lambda ln J F^-T
//   corotated   psi = mu |F - R|^2 + lambda/2 (tr(R'F) - 3)^2,  F = R U
//               P = 2 mu (F - R) + lambda (tr U - 3) R
//               dR = R [w], (tr U I - U) w = axial vector of R'dF - dF'R
//
// Strains are formed from D, not from F - I: displacements far below the size of the solid keep
// their digits. Simo and Pister's neo-Hooke (1984) has energy without bound as J tends to 0;
// St Venant-Kirchhoff has not and softens below E = -1/3 (see body/elastic.c).
#include <math.h>

#include "body/body.h"
#include "math/math.h"
#include "stiction/extend/base.h"
#include "stiction/extend/math.h"
#include "stiction/extend/solid.h"
#include "stiction/extend/vec3.h"

typedef struct Lame {
    double lambda, mu;
} Lame;

const char* stic_solid_material_name(SticSolidMaterialKind kind)
{
    static const char* const names[STIC_SOLID_MATERIAL_COUNT] = {"linear", "kirchhoff", "neo-hooke",
                                                                 "corotated"};
    STIC_ASSERT(kind < STIC_SOLID_MATERIAL_COUNT);
    return names[kind];
}

// lambda tr(e) I + 2 mu e
static SticMat3 hooke(Lame lame, SticMat3 e)
{
    return stic_mat3_add_scaled(
        stic_mat3_scale(lame.lambda * stic_mat3_trace(e), stic_mat3_identity()), 2.0 * lame.mu, e);
}

// entry (i, j; k, l) of a tangent
static double* entry(double* K, int i, int j, int k, int l)
{
    return &K[9 * (3 * i + j) + 3 * k + l];
}

static double delta(int i, int k)
{
    return i == k ? 1.0 : 0.0;
}

static SticStatus linear(Lame lame, SticMat3 D, double* psi, double* P, double* K)
{
    const SticMat3 e = stic_mat3_symmetric(D), S = hooke(lame, e);
    *psi = 0.5 * stic_mat3_contract(e, S);
    if (P != NULL)
        stic_mat3_store(S, P);
    for (int c = 0; K != NULL && c < 81; ++c) {
        const int i = c / 27, j = c / 9 % 3, k = c / 3 % 3, l = c % 3;
        *entry(K, i, j, k, l) = lame.lambda * delta(i, j) * delta(k, l) +
                                lame.mu * (delta(i, k) * delta(j, l) + delta(i, l) * delta(j, k));
    }
    return STIC_OK;
}

static SticStatus kirchhoff(const SticSolidMaterial* material, Lame lame, SticMat3 D, double* psi,
                            double* P, double* K)
{
    const SticMat3 F = stic_mat3_add(stic_mat3_identity(), D);
    const SticMat3 E =
        stic_mat3_add_scaled(stic_mat3_symmetric(D), 0.5, stic_mat3_transpose_mul(D, D));
    const SticMat3 S = hooke(lame, E);
    *psi = 0.5 * stic_mat3_contract(E, S);
    if (P != NULL)
        stic_mat3_store(stic_mat3_mul(F, S), P);
    if (K != NULL) {
        const SticElastic elastic = {.young = material->young, .poisson = material->poisson};
        stic_elastic_tangent(&elastic, F, K);
    }
    return STIC_OK;
}

// y - 2 ln J for J^2 = 1 + y, also where y is small: with s = y/(2 + y), ln(1 + y) = 2 (s + s^3/3 + ...)
static double excess(double y, double J, double* log_J)
{
    static const double small = 0.1; // seven terms leave 0.05^16
    if (fabs(y) > small) {
        *log_J = stic_ln(J);
        return y - 2.0 * *log_J;
    }
    const double s = y / (2.0 + y), square = s * s;
    double sum = 0.0;
    for (int k = 15; k >= 3; k -= 2)
        sum = (sum + 1.0 / k) * square;
    const double rest = y * s - 2.0 * s * sum;
    *log_J = 0.5 * (y - rest);
    return rest;
}

// In A = C - 1 = D + D' + D'D, so that nothing of the size of F is left to cancel where a body
// turns and hardly deforms: with y = J^2 - 1 = tr A + I2 + I3 of A,
//
//   psi = mu/2 (y - 2 ln J - I2 - I3) + lambda/2 (ln J)^2    P = F^-T (mu A + lambda ln J 1)
static SticStatus neo_hooke(Lame lame, SticMat3 D, double* psi, double* P, double* K)
{
    const SticMat3 F = stic_mat3_add(stic_mat3_identity(), D);
    SticMat3 inverse;
    const double J = stic_mat3_det(F);
    if (!(J > 0.0) || !stic_mat3_inverse(F, &inverse))
        return STIC_SINGULAR;
    const SticMat3 G = stic_mat3_transpose(inverse);
    const SticMat3 A = stic_mat3_add_scaled(stic_mat3_scale(2.0, stic_mat3_symmetric(D)), 1.0,
                                            stic_mat3_transpose_mul(D, D));
    const double trace = stic_mat3_trace(A);
    const double higher = 0.5 * (trace * trace - stic_mat3_contract(A, A)) + stic_mat3_det(A);
    double log_J;
    const double rest = excess(trace + higher, J, &log_J);
    *psi = 0.5 * lame.mu * (rest - higher) + 0.5 * lame.lambda * log_J * log_J;
    if (P != NULL)
        stic_mat3_store(
            stic_mat3_mul(G, stic_mat3_add_scaled(stic_mat3_scale(lame.mu, A), lame.lambda * log_J,
                                                  stic_mat3_identity())),
            P);
    for (int c = 0; K != NULL && c < 81; ++c) {
        const int i = c / 27, j = c / 9 % 3, k = c / 3 % 3, l = c % 3;
        *entry(K, i, j, k, l) = lame.mu * delta(i, k) * delta(j, l) +
                                (lame.mu - lame.lambda * log_J) * G.m[i][l] * G.m[k][j] +
                                lame.lambda * G.m[i][j] * G.m[k][l];
    }
    return STIC_OK;
}

// columns of K: the change of P for a change of one entry of F
static SticStatus corotated_tangent(Lame lame, SticMat3 R, SticMat3 U, double* K)
{
    const double trace = stic_mat3_trace(U), pull = lame.lambda * (trace - 3.0) - 2.0 * lame.mu;
    SticMat3 bend;
    if (!stic_mat3_inverse(
            stic_mat3_sub(stic_mat3_scale(trace, stic_mat3_identity()), stic_mat3_symmetric(U)),
            &bend))
        return STIC_SINGULAR;
    for (int k = 0; k < 3; ++k)
        for (int l = 0; l < 3; ++l) {
            // A = R'dF has column l = row k of R; A - A' = [a]
            SticMat3 A = stic_mat3_zero();
            for (int i = 0; i < 3; ++i)
                A.m[i][l] = R.m[k][i];
            const SticVec3 a =
                stic_vec3(A.m[2][1] - A.m[1][2], A.m[0][2] - A.m[2][0], A.m[1][0] - A.m[0][1]);
            const SticMat3 dR = stic_mat3_mul(R, stic_mat3_skew(stic_mat3_mul_vec(bend, a)));
            for (int i = 0; i < 3; ++i)
                for (int j = 0; j < 3; ++j)
                    *entry(K, i, j, k, l) = 2.0 * lame.mu * delta(i, k) * delta(j, l) +
                                            pull * dR.m[i][j] + lame.lambda * R.m[k][l] * R.m[i][j];
        }
    return STIC_OK;
}

static SticStatus corotated(Lame lame, SticMat3 D, double* psi, double* P, double* K)
{
    const SticMat3 F = stic_mat3_add(stic_mat3_identity(), D);
    SticMat3 R, U;
    if (stic_polar3(F, &R, &U) != STIC_OK)
        return STIC_SINGULAR;
    const SticMat3 strain = stic_mat3_sub(F, R);
    const double trace = stic_mat3_trace(U) - 3.0;
    *psi = lame.mu * stic_mat3_contract(strain, strain) + 0.5 * lame.lambda * trace * trace;
    if (P != NULL)
        stic_mat3_store(
            stic_mat3_add_scaled(stic_mat3_scale(2.0 * lame.mu, strain), lame.lambda * trace, R),
            P);
    return K != NULL ? corotated_tangent(lame, R, U, K) : STIC_OK;
}

SticStatus stic_solid_material_energy(const SticSolidMaterial* material, SticMat3 D, double* psi,
                                      double* P, double* K)
{
    STIC_ASSERT(material != NULL);
    STIC_ASSERT(psi != NULL);
    const double E = material->young, nu = material->poisson;
    const Lame lame = {E * nu / ((1.0 + nu) * (1.0 - 2.0 * nu)), E / (2.0 + 2.0 * nu)};
    switch (material->kind) {
    case STIC_SOLID_KIRCHHOFF:
        return kirchhoff(material, lame, D, psi, P, K);
    case STIC_SOLID_NEO_HOOKE:
        return neo_hooke(lame, D, psi, P, K);
    case STIC_SOLID_COROTATED:
        return corotated(lame, D, psi, P, K);
    default:
        return linear(lame, D, psi, P, K);
    }
}
