// SPDX-License-Identifier: Apache-2.0
// Branches in which one or two contacts slide in space.
//
// The other states are linear and are eliminated: y_s = D x_s + q with D = W_ss - W_sC E^-1 W_es on
// the rows of the sliding contacts.
//   one contact   u_N = 0 and u_T = -s r_T, |r_T| = mu r_N: the quartic in s of local_contact.h,
//                 all of its roots (variant 6 of the solution methods of Kikuuwe and Brogliato 2017)
//   two contacts  the direction of r_T of the first is a parameter: u_N = 0 of it gives its r_N,
//                 the second is one contact, and u_T x r_T = 0 of the first is one equation for the
//                 direction. Its roots are bracketed on a grid and bisected. A pair of roots
//                 between two directions would be missed: such a branch is never sure.
//   before both   the convex relaxation u_N = 0, r in its cone, of the whole branch: multipliers
//                 that refute it are verified, and the branch is done.
#include <math.h>
#include <string.h>

#include "certify/branch.h"
#include "math/math.h"
#include "solver/local_contact.h"
#include "stiction/extend/base.h"

enum { MOST_SLIDES = 2 };

// the branch with its linear part eliminated
typedef struct Slides {
    SticMinor* minor;
    const uint8_t* state;
    int32_t count, contact[MOST_SLIDES];
    double D[36], q[6]; // rows of the sliding contacts
    double mu[MOST_SLIDES];
    int32_t unknowns;        // of the linear part
    double *response, *rest; // [unknowns * 6], [unknowns]: z = rest + response x_s
    SticBranchFound found;
    void* self;
} Slides;

/* ---- elimination ---- */

static int32_t slide_row(const Slides* slides, int32_t k)
{
    return slides->minor->problem->row_at[slides->contact[k / 3]] + k % 3;
}

// z = rest + response x_s from the equations of the linear part; false if they are singular
static bool eliminate(Slides* slides)
{
    SticMinor* minor = slides->minor;
    const int32_t n = minor->rows, m = slides->unknowns, width = 3 * slides->count;
    if (m > 0 && (stic_dense_lu(m, minor->factor, minor->pivot) != STIC_OK ||
                  !(stic_dense_lu_condition(m, minor->factor, minor->pivot,
                                            stic_dense_norm1(m, minor->E), minor->S) < 1e12)))
        return false;
    for (int32_t k = -1; k < width; ++k) {
        for (int32_t e = 0; e < m; ++e)
            minor->z[e] = k < 0 ? -minor->b[minor->row[e]]
                                : -minor->W[minor->row[e] * n + slide_row(slides, k)];
        if (m > 0)
            stic_dense_lu_solve(m, minor->factor, minor->pivot, minor->z);
        for (int32_t e = 0; e < m; ++e)
            if (k < 0)
                slides->rest[e] = minor->z[e];
            else
                slides->response[e * 6 + k] = minor->z[e];
    }
    for (int32_t i = 0; i < width; ++i) {
        const int32_t row = slide_row(slides, i);
        slides->q[i] = minor->b[row];
        for (int32_t e = 0; e < m; ++e)
            slides->q[i] += minor->WC[row * n + e] * slides->rest[e];
        for (int32_t j = 0; j < width; ++j) {
            slides->D[i * 6 + j] = minor->W[row * n + slide_row(slides, j)];
            for (int32_t e = 0; e < m; ++e)
                slides->D[i * 6 + j] += minor->WC[row * n + e] * slides->response[e * 6 + j];
        }
    }
    return true;
}

// hand over the solution with these reactions of the sliding contacts if it obeys all states
static SticStatus hand_over(const Slides* slides, const double* x_s)
{
    SticMinor* minor = slides->minor;
    const int32_t n = minor->rows, width = 3 * slides->count;
    for (int32_t e = 0; e < slides->unknowns; ++e) {
        minor->z[e] = slides->rest[e];
        for (int32_t k = 0; k < width; ++k)
            minor->z[e] += slides->response[e * 6 + k] * x_s[k];
    }
    for (int32_t k = 0; k < n; ++k) {
        minor->x[k] = 0.0;
        for (int32_t e = 0; e < slides->unknowns; ++e)
            minor->x[k] += minor->C[k * n + e] * minor->z[e];
    }
    for (int32_t k = 0; k < width; ++k)
        minor->x[slide_row(slides, k)] = x_s[k];
    stic_minor_velocity(minor, minor->x, minor->y);
    if (!stic_minor_obeys(minor, slides->state, minor->x, minor->y))
        return STIC_OK;
    return slides->found(slides->self, slides->state, minor->x, minor->y);
}

/* ---- one contact ---- */

// roots of u = D x + q with u_N = 0 and sliding; -1 if the block does not allow the elimination
static int32_t slip_roots(const double D[9], const double q[3], double mu, double x[4][3],
                          bool* sure)
{
    // W is scaled to unit diagonals: rounding of the elimination, with room to spare
    const double tiny = 1e-11;
    double n[4], t[4][2];
    if (!(fabs(D[0]) > tiny)) {
        *sure = false;
        return 0;
    }
    const double beta = -q[0] / D[0], g1 = D[1] / D[0], g2 = D[2] / D[0];
    const SticSlip slip = {
        .S = {D[4] - D[3] * g1, D[5] - D[3] * g2, D[7] - D[6] * g1, D[8] - D[6] * g2},
        .c = {q[1] + D[3] * beta, q[2] + D[6] * beta},
        .beta = beta,
        .g = {g1, g2},
        .mu = mu};
    // S + s I must be regular for s > 0
    const double half = 0.5 * (slip.S[1] + slip.S[2]);
    if (slip.S[0] < -tiny || slip.S[3] < -tiny ||
        slip.S[0] * slip.S[3] - half * half < -tiny * (1.0 + slip.S[0] + slip.S[3]))
        *sure = false;
    const int32_t count = stic_slip_roots(&slip, n, t);
    for (int32_t k = 0; k < count; ++k) {
        x[k][0] = n[k];
        x[k][1] = t[k][0];
        x[k][2] = t[k][1];
    }
    return count;
}

static SticStatus solve_one(const Slides* slides, bool* sure)
{
    double D[9], x[4][3];
    for (int32_t k = 0; k < 9; ++k)
        D[k] = slides->D[(k / 3) * 6 + k % 3];
    const int32_t count = slip_roots(D, slides->q, slides->mu[0], x, sure);
    for (int32_t k = 0; k < count; ++k)
        STIC_TRY(hand_over(slides, x[k]));
    return STIC_OK;
}

/* ---- two contacts ---- */

// what the second contact answers to a direction of the first
typedef struct Sample {
    int32_t count;
    double x[4][6];
    double turn[4]; // u_T x r_T of the first, per unit of r_N
} Sample;

static void sample(const Slides* slides, double angle, Sample* made)
{
    const double* D = slides->D;
    double e[3] = {1.0, 0.0, 0.0}, image[6], reduced[9], rest[3], x[4][3];
    bool sure = true;
    stic_sincos(angle, &e[2], &e[1]);
    e[1] *= slides->mu[0];
    e[2] *= slides->mu[0];
    for (int32_t i = 0; i < 6; ++i)
        image[i] = D[i * 6] * e[0] + D[i * 6 + 1] * e[1] + D[i * 6 + 2] * e[2];
    made->count = 0;
    if (!(fabs(image[0]) > 1e-11))
        return;
    // r_N of the first from its u_N = 0
    for (int32_t i = 0; i < 3; ++i) {
        rest[i] = slides->q[3 + i] - image[3 + i] * slides->q[0] / image[0];
        for (int32_t j = 0; j < 3; ++j)
            reduced[i * 3 + j] = D[(3 + i) * 6 + 3 + j] - image[3 + i] * D[3 + j] / image[0];
    }
    made->count = slip_roots(reduced, rest, slides->mu[1], x, &sure);
    for (int32_t k = 0; k < made->count; ++k) {
        double normal = slides->q[0], u[3];
        for (int32_t j = 0; j < 3; ++j)
            normal += D[3 + j] * x[k][j];
        normal = -normal / image[0];
        for (int32_t i = 0; i < 3; ++i) {
            u[i] = slides->q[i] + image[i] * normal;
            for (int32_t j = 0; j < 3; ++j)
                u[i] += D[i * 6 + 3 + j] * x[k][j];
            made->x[k][i] = normal * e[i];
            made->x[k][3 + i] = x[k][i];
        }
        made->turn[k] = u[1] * e[2] - u[2] * e[1];
    }
}

static SticStatus bisect(const Slides* slides, double low, double high, int32_t index)
{
    enum { HALVINGS = 60 };
    Sample at;
    sample(slides, low, &at);
    const double sign = at.turn[index];
    const int32_t count = at.count;
    for (int32_t k = 0; k < HALVINGS; ++k) {
        const double middle = 0.5 * (low + high);
        sample(slides, middle, &at);
        // a pair of roots appears or vanishes in between
        if (at.count != count)
            return STIC_OK;
        if (at.turn[index] * sign > 0.0)
            low = middle;
        else
            high = middle;
    }
    return hand_over(slides, at.x[index]);
}

static SticStatus solve_two(const Slides* slides, int32_t directions)
{
    Sample before, after;
    sample(slides, 0.0, &before);
    for (int32_t k = 1; k <= directions; ++k) {
        const double low = 2.0 * STIC_PI * (k - 1) / directions;
        const double high = 2.0 * STIC_PI * k / directions;
        sample(slides, high, &after);
        for (int32_t j = 0; j < before.count && before.count == after.count; ++j)
            if (before.turn[j] * after.turn[j] <= 0.0)
                STIC_TRY(bisect(slides, low, high, j));
        before = after;
    }
    return STIC_OK;
}

/* ---- the branch ---- */

SticStatus stic_branch_slide(SticMinor* minor, const uint8_t* state, SticBranchFound found,
                             void* self, bool* sure)
{
    const SticArenaMark mark = stic_arena_mark(minor->arena);
    Slides slides = {.minor = minor, .state = state, .found = found, .self = self};
    uint8_t* linear = NULL;
    *sure = true;
    STIC_TRY(STIC_TAKE(minor->arena, &linear, minor->count + 1));
    STIC_TRY(STIC_TAKE(minor->arena, &slides.rest, minor->rows + 1));
    STIC_TRY(STIC_TAKE(minor->arena, &slides.response, 6 * (size_t)minor->rows + 1));
    for (int32_t i = 0; i < minor->count; ++i) {
        const bool slips = stic_minor_slips(minor, state, i);
        linear[i] = slips ? (uint8_t)STIC_STATE_OPEN : state[i];
        if (slips && slides.count < MOST_SLIDES) {
            slides.mu[slides.count] = stic_minor_mu(minor, i);
            slides.contact[slides.count] = i;
        }
        slides.count += slips;
    }
    if (slides.count > MOST_SLIDES) {
        *sure = false;
        stic_arena_rewind(minor->arena, mark);
        return STIC_OK;
    }
    slides.unknowns = stic_branch_equations(minor, linear);
    SticStatus status = STIC_OK;
    if (!eliminate(&slides))
        *sure = false;
    else if (slides.count == 1)
        status = solve_one(&slides, sure);
    else {
        *sure = false;
        status = solve_two(&slides, minor->settings->directions);
    }
    stic_arena_rewind(minor->arena, mark);
    return status;
}
