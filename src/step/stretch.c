// SPDX-License-Identifier: Apache-2.0
// Discrete derivative of the energy of a body that deforms, see stretch.h.
//
// S and its derivative come from the slope P = V'(F*) and the Hessian of any F* with F*'F* = C_M,
// since V does not depend on the orientation:
//
//   S = F*^-1 P      dS = F*^-1 (V''(F*) dF* - dF* S)  with  F*'dF* = dC_M/2
#include "step/stretch.h"

#include "stiction/extend/base.h"

#include <float.h>
#include <math.h>

enum { N = STIC_STRETCH_WIDTH };

static SticMat3 gradient_at(const double* q)
{
    return stic_mat3_load(q + 3);
}

static SticMat3 metric_at(const double* q)
{
    return stic_mat3_transpose_mul(gradient_at(q), gradient_at(q));
}

static SticMat3 inverse_of(SticMat3 a)
{
    return stic_mat3_scale(1.0 / stic_mat3_det(a), stic_mat3_transpose(stic_mat3_cofactor(a)));
}

bool stic_stretch_middle(const double* begin, const double* end, double* q)
{
    const SticMat3 C = stic_mat3_scale(0.5, stic_mat3_add(metric_at(begin), metric_at(end)));
    SticMat3 U = stic_mat3_zero(); // upper triangle, U'U = C
    for (int i = 0; i < 3; ++i) {
        double square = C.m[i][i];
        for (int k = 0; k < i; ++k)
            square -= U.m[k][i] * U.m[k][i];
        if (!(square > 0.0))
            return false;
        U.m[i][i] = sqrt(square);
        for (int j = i + 1; j < 3; ++j) {
            double sum = C.m[i][j];
            for (int k = 0; k < i; ++k)
                sum -= U.m[k][i] * U.m[k][j];
            U.m[i][j] = sum / U.m[i][i];
        }
    }
    for (int k = 0; k < 3; ++k)
        q[k] = 0.5 * (begin[k] + end[k]);
    stic_mat3_store(U, q + 3);
    return true;
}

/* ---- which values are such energies ---- */

static double larger(double a, double b)
{
    return a > b ? a : b;
}

// Weights are the same in all places, torques vanish in all: P F' is symmetric. Both up to
// rounding, for which the Hessian gives the scale where slopes vanish
static bool is_energy(const SticStretch* s, const double* middle)
{
    static const double same = 1e-8;
    const double* const q[3] = {s->begin, s->end, middle};
    double size = 0.0, torque = 0.0, stiffness = 0.0, length = 0.0;
    for (int k = 0; k < 3; ++k) {
        const double own = s->slope[2][k];
        for (int e = 0; e < 2; ++e)
            if (fabs(s->slope[e][k] - own) > 1e-12 * fabs(own))
                return false;
    }
    for (int e = 0; e < N * N; ++e) {
        const bool of_place = e / N < 3 || e % N < 3;
        if (of_place && s->hessian[e] != 0.0)
            return false;
        stiffness = larger(stiffness, fabs(s->hessian[e]));
    }
    for (int e = 0; e < 3; ++e) {
        const SticMat3 F = gradient_at(q[e]), P = gradient_at(s->slope[e]),
                       moment = stic_mat3_mul_transpose(P, F),
                       skew = stic_mat3_sub(moment, stic_mat3_transpose(moment));
        length = larger(length, stic_mat3_norm(F));
        size = larger(size, stic_mat3_norm(P) * stic_mat3_norm(F));
        torque = larger(torque, stic_mat3_norm(skew));
    }
    return torque <= same * size + 64.0 * DBL_EPSILON * stiffness * length * length;
}

/* ---- the derivative ---- */

// a step of such an energy
typedef struct Step {
    const SticStretch* s;
    SticMat3 there, inverse; // F* and F*^-1
    SticMat3 end, mean;      // F_E, F_M
    SticMat3 stress, grown;  // S, dC
    double square, alpha;    // dC:dC/2
} Step;

// A change that rounding explains is not corrected, nor one that may be rounding and would change
// the stress by more than a part: as in stic_discrete_correct
static double correction_of(const Step* step)
{
    static const double most_part = 1e-9;
    const SticStretch* s = step->s;
    double miss = s->change - 0.5 * stic_mat3_contract(step->stress, step->grown), unit = 0.0;
    for (int c = 0; c < N; ++c) {
        unit += fabs(s->slope[2][c]) * (fabs(s->begin[c]) + fabs(s->end[c]));
        miss -= c < 3 ? s->slope[2][c] * (s->end[c] - s->begin[c]) : 0.0;
    }
    unit *= DBL_EPSILON;
    if (fabs(miss) <= 2.0 * unit || !(step->square > 0.0))
        return 0.0;
    const double alpha = miss / step->square;
    const bool noise = fabs(miss) <= 64.0 * unit && fabs(alpha) * stic_mat3_norm(step->grown) >
                                                        most_part * stic_mat3_norm(step->stress);
    return noise ? 0.0 : alpha;
}

static void prepare(const SticStretch* s, const double* middle, Step* step)
{
    step->s = s;
    step->there = gradient_at(middle);
    step->inverse = inverse_of(step->there);
    step->end = gradient_at(s->end);
    step->mean = stic_mat3_scale(0.5, stic_mat3_add(gradient_at(s->begin), step->end));
    step->stress = stic_mat3_symmetric(stic_mat3_mul(step->inverse, gradient_at(s->slope[2])));
    step->grown = stic_mat3_sub(metric_at(s->end), metric_at(s->begin));
    step->square = 0.5 * stic_mat3_contract(step->grown, step->grown);
    step->alpha = correction_of(step);
}

// dS for a change of C_M
static SticMat3 stress_change(const Step* step, SticMat3 change)
{
    const SticMat3 dF = stic_mat3_scale(0.5, stic_mat3_transpose_mul(step->inverse, change));
    double dP[9], from[9];
    stic_mat3_store(dF, from);
    for (int r = 0; r < 9; ++r) {
        dP[r] = 0.0;
        for (int c = 0; c < 9; ++c)
            dP[r] += step->s->hessian[(3 + r) * N + 3 + c] * from[c];
    }
    return stic_mat3_symmetric(stic_mat3_mul(
        step->inverse, stic_mat3_sub(stic_mat3_load(dP), stic_mat3_mul(dF, step->stress))));
}

// the column of the derivative for a change of one entry of F_E
static SticMat3 column_of(const Step* step, SticMat3 dF)
{
    const SticMat3 half = stic_mat3_transpose_mul(step->end, dF),
                   dC = stic_mat3_add(half, stic_mat3_transpose(half));
    SticMat3 stress = stic_mat3_add_scaled(step->stress, step->alpha, step->grown),
             change = stress_change(step, stic_mat3_scale(0.5, dC));
    if (step->alpha != 0.0) {
        const double miss = stic_mat3_contract(gradient_at(step->s->slope[1]), dF) -
                            0.5 * stic_mat3_contract(change, step->grown) -
                            0.5 * stic_mat3_contract(step->stress, dC),
                     slope =
                         (miss - step->alpha * stic_mat3_contract(step->grown, dC)) / step->square;
        change =
            stic_mat3_add_scaled(stic_mat3_add_scaled(change, step->alpha, dC), slope, step->grown);
    }
    return stic_mat3_add_scaled(stic_mat3_mul(step->mean, change), 0.5, stic_mat3_mul(dF, stress));
}

bool stic_stretch_derive(const SticStretch* s, double* value, double* hessian)
{
    STIC_ASSERT(s != NULL);
    double middle[N];
    Step step;
    if (!stic_stretch_middle(s->begin, s->end, middle) || !is_energy(s, middle))
        return false;
    prepare(s, middle, &step);
    for (int k = 0; k < 3; ++k)
        value[k] = s->slope[2][k];
    stic_mat3_store(
        stic_mat3_mul(step.mean, stic_mat3_add_scaled(step.stress, step.alpha, step.grown)),
        value + 3);
    for (int e = 0; e < N * N; ++e)
        hessian[e] = 0.0;
    for (int c = 0; c < 9; ++c) {
        SticMat3 dF = stic_mat3_zero();
        double column[9];
        dF.m[c / 3][c % 3] = 1.0;
        stic_mat3_store(column_of(&step, dF), column);
        for (int r = 0; r < 9; ++r)
            hessian[(3 + r) * N + 3 + c] = column[r];
    }
    return true;
}
