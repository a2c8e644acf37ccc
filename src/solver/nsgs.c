// SPDX-License-Identifier: Apache-2.0
// nsgs: block Gauss-Seidel with local solves.
//
// Repeat sweeps (sweep.h) until the recomputed error passes. Source: Jourdan, Alart, Jean, Comput.
// Methods Appl. Mech. Engrg. 155 (1998); Koziara's thesis, alg. 11.3.1, whose stopping rule on the
// change of r is only used here to guess when a check of the error pays. At each check the
// velocities are recomputed from r, which removes the rounding that pushes leave behind, and
// corrected by what the check's accurate velocities differ: iterative refinement, needed for
// ill-conditioned masses. It needs no regular W; the rate is linear and gets poor for tall stacks.
#include "solver/methods.h"
#include "solver/sweep.h"

typedef struct NsgsSettings {
    int32_t form;             ///< SticForm
    int32_t local;            ///< SticLocalSolver
    int32_t order;            ///< 0 natural, 1 coloured
    double omega;             ///< relaxation
    int32_t local_iterations; ///< projected steps of laws without a closed form
    double local_tolerance;   ///< fraction of the first step at which they stop
} NsgsSettings;

static const char* const form_names[] = {"auto", "explicit", "factored", NULL};
static const char* const local_names[] = {"newton", "quartic", "projection", NULL};
static const char* const order_names[] = {"natural", "coloured", NULL};

static const SticField nsgs_fields[] = {
    STIC_FIELD_PICK(NsgsSettings, form, STIC_FORM_AUTO, STIC_FORM_FACTORED, form_names,
                    "rows of W, or mass-scaled H with body velocities"),
    STIC_FIELD_PICK(NsgsSettings, local, STIC_LOCAL_NEWTON, STIC_LOCAL_PROJECTION, local_names,
                    "solver of a spatial contact; projection: one step per visit for every law"),
    STIC_FIELD_PICK(NsgsSettings, order, 0, 1, order_names,
                    "interactions as numbered, or by colours that run in parallel"),
    STIC_FIELD_REAL(NsgsSettings, omega, 1.0, 0.01, 1.99, "-", "relaxation of each visit"),
    STIC_FIELD_COUNT(NsgsSettings, local_iterations, 100, 1, 1000000, "steps",
                     "projected steps at most per visit, for laws without a closed form"),
    STIC_FIELD_REAL(NsgsSettings, local_tolerance, 1e-4, 0.0, 1.0, "-",
                    "fraction of the first projected step at which a visit ends"),
};

const SticFieldTable stic_nsgs_fields = {
    .name = "nsgs",
    .fields = nsgs_fields,
    .count = sizeof nsgs_fields / sizeof nsgs_fields[0],
    .size = sizeof(NsgsSettings),
};

SticStatus stic_nsgs_run(SticSolveTask* task)
{
    const NsgsSettings* settings = task->method;
    const SticSweepOptions options = {.form = (SticForm)settings->form,
                                      .local = (SticLocalSolver)settings->local,
                                      .coloured = settings->order == 1,
                                      .omega = settings->omega,
                                      .limits = {.iterations = settings->local_iterations,
                                                 .tolerance = settings->local_tolerance}};
    SticSweep* sweep = NULL;
    STIC_TRY(stic_sweep_create(task->arena, task->problem, &options, &sweep, &task->info->error));
    double* u = NULL;
    STIC_TRY(STIC_TAKE(task->arena, &u, task->problem->rows));
    stic_sweep_start(sweep, task->r);
    const double work = stic_sweep_work(sweep);
    const double scale = task->b_norm > 0.0 ? 1.0 / task->b_norm : 1.0;
    bool more = true;
    while (more) {
        const double change = stic_sweep_run(sweep);
        if (!stic_task_count(task, work, scale * change))
            continue;
        stic_sweep_get(sweep, task->r);
        more = stic_task_judge(task, task->r);
        if (!more)
            break;
        stic_sweep_start(sweep, task->r);
        stic_task_velocity(task, u);
        stic_sweep_correct(sweep, u);
    }
    task->info->fallbacks = stic_sweep_fallbacks(sweep);
    return STIC_OK;
}
