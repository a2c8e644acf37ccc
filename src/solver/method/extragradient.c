// SPDX-License-Identifier: Apache-2.0
// extragradient: projected prediction and correction with a self-adapting step.
//
// With F(r) = W r + b (plus De Saxcé's term mu |u_T| for the cones) and P the projection of each
// law in the metric of its own step lengths rho_i (law.h), both scaled by one number s:
//     z = P( r - s rho F(r) )          prediction
//     q = s |F(r) - F(z)|_rho / |r - z|_(1/rho)
//     q > 0.9:  s := 2/3 s min(1, 1/q), predict again
//     r := P( r - s rho F(z) )         correction
//     q < 0.3:  s := 3/2 s
// Sources: Korpelevich 1976; the step rule of Khobotov 1987 with the constants of He and Liao 2002.
// For a monotone F it converges. Coulomb friction is not monotone; no friction problem of the
// public collection made it diverge, two linear complementarity problems with a zero diagonal did.
// Departure: the metric rho_i from the diagonal blocks, which makes s free of units. Cost: two
// products with W and two projections per iteration; workspace: five vectors.
#include "solver/method/projected_step.h"
#include "solver/methods.h"

#include <math.h>
#include <string.h>

#include "problem/operator_kernel.h"

typedef struct ExtragradientSettings {
    double step;   ///< first value of s
    double high;   ///< shorten the step when q is above this
    double low;    ///< lengthen it when q is below this
    double shrink; ///< factor when shortening
    double grow;   ///< factor when lengthening
} ExtragradientSettings;

static const SticField extragradient_fields[] = {
    STIC_FIELD_REAL(ExtragradientSettings, step, 1.0, 1e-12, 1e12, "-",
                    "first step length, in units of 1/W_ii"),
    STIC_FIELD_REAL(ExtragradientSettings, high, 0.9, 0.01, 0.999, "-",
                    "Lipschitz ratio above which the step is shortened"),
    STIC_FIELD_REAL(ExtragradientSettings, low, 0.3, 0.0, 0.9, "-",
                    "Lipschitz ratio below which the step is lengthened"),
    STIC_FIELD_REAL(ExtragradientSettings, shrink, 0.6666666666666666, 0.01, 0.99, "-",
                    "factor when shortening"),
    STIC_FIELD_REAL(ExtragradientSettings, grow, 1.5, 1.0, 100.0, "-", "factor when lengthening"),
};

const SticFieldTable stic_extragradient_fields = {
    .name = "extragradient",
    .fields = extragradient_fields,
    .count = sizeof extragradient_fields / sizeof extragradient_fields[0],
    .size = sizeof(ExtragradientSettings),
};

typedef struct Extragradient {
    const SticProblem* problem;
    const ExtragradientSettings* settings;
    SticProjectedStep step;
    double *r, *z;     // [rows] iterate and prediction
    double *u_r, *u_z; // [rows] their velocities
    double q;          // Lipschitz ratio of the last prediction
} Extragradient;

// De Saxcé's term: what is added to u_N so that the law is a normal-cone inclusion
static double normal_term(SticLaw law, int32_t rows, const double* coef, const double* u)
{
    if (law == STIC_LAW_CONE)
        return coef[0] * (rows == 2 ? fabs(u[1]) : sqrt(u[1] * u[1] + u[2] * u[2]));
    if (law == STIC_LAW_ROLLING && rows == 3)
        return coef[0] * fabs(u[1]) + coef[2] * fabs(u[2]);
    if (law == STIC_LAW_ROLLING)
        return coef[0] * sqrt(u[1] * u[1] + u[2] * u[2]) +
               coef[2] * sqrt(u[3] * u[3] + u[4] * u[4]);
    return 0.0;
}

// |F(r) - F(z)|^2 and |r - z|^2 of the interactions of a chunk, in the metrics rho and 1/rho
static void compare_chunk(void* self, int32_t chunk)
{
    const Extragradient* e = self;
    const SticProblem* problem = e->problem;
    const int32_t first = chunk * STIC_OPERATOR_CHUNK;
    double velocity = 0.0, distance = 0.0;
    for (int32_t i = first; i < problem->count && i < first + STIC_OPERATOR_CHUNK; ++i) {
        const int32_t at = problem->row_at[i], rows = problem->row_at[i + 1] - at;
        const SticLaw law = (SticLaw)problem->law[i];
        int32_t group_at[4];
        const int32_t groups = stic_law_groups(law, rows, group_at);
        double extra = normal_term(law, rows, problem->coef[i], e->u_r + at) -
                       normal_term(law, rows, problem->coef[i], e->u_z + at);
        for (int32_t g = 0; g < groups; ++g)
            for (int32_t a = group_at[g]; a < group_at[g + 1]; ++a) {
                const double dF = e->u_r[at + a] - e->u_z[at + a] + extra;
                const double dr = e->r[at + a] - e->z[at + a];
                velocity += e->step.rho[i][g] * dF * dF;
                distance += dr * dr / e->step.rho[i][g];
                extra = 0.0;
            }
    }
    double* sums = e->step.sums[chunk];
    sums[0] = velocity;
    sums[1] = distance;
    sums[2] = sums[3] = 0.0;
}

// whether the step is short enough for the ratio q
static bool accept(void* self, const double sums[STIC_STEP_SUMS])
{
    Extragradient* e = self;
    const double q = sums[1] > 0.0 ? e->step.length * sqrt(sums[0] / sums[1]) : 0.0;
    e->q = q;
    if (!(q > e->settings->high))
        return true;
    e->step.length *= e->settings->shrink * (q > 1.0 ? 1.0 / q : 1.0);
    return false;
}

static SticStatus prepare(SticSolveTask* task, Extragradient* e)
{
    const int32_t rows = task->problem->rows;
    *e = (Extragradient){.problem = task->problem, .settings = task->method, .r = task->r};
    STIC_TRY(stic_projected_step_create(task, e->settings->step, &e->step));
    STIC_TRY(STIC_TAKE(task->arena, &e->z, rows));
    STIC_TRY(STIC_TAKE(task->arena, &e->u_r, rows));
    return STIC_TAKE(task->arena, &e->u_z, rows);
}

SticStatus stic_extragradient_run(SticSolveTask* task)
{
    Extragradient e;
    STIC_TRY(prepare(task, &e));
    // each trial leaves at most 2/3 of the step: 200 of them leave nothing
    const SticStepSearch search = {.base = e.r,
                                   .velocity = e.u_r,
                                   .to = e.z,
                                   .u_to = e.u_z,
                                   .sum = compare_chunk,
                                   .accept = accept,
                                   .self = &e,
                                   .trials = 200};
    const size_t bytes = (size_t)task->problem->rows * sizeof(double);
    const double product = stic_operator_apply_work(e.step.op) + 20.0 * e.problem->rows;
    double work = 0.0;
    do {
        // prediction with the longest step that the ratio allows
        double sums[STIC_STEP_SUMS];
        stic_operator_apply(e.step.op, e.r, e.u_r);
        work = product * (1.0 + stic_projected_step_search(&e.step, &search, sums));
        // correction; through z, since bounds are read from r meanwhile
        stic_projected_step_run(&e.step, e.r, e.u_z, e.z);
        memcpy(e.r, e.z, bytes);
        if (e.q < e.settings->low)
            e.step.length *= e.settings->grow;
        task->info->lipschitz = e.q;
    } while (stic_task_next(task, e.r, work, -1.0));
    return STIC_OK;
}
