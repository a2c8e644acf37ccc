// SPDX-License-Identifier: Apache-2.0
// nsgs: block Gauss-Seidel with local solves.
//
// Repeat sweeps (sweep.h) until the recomputed error passes. Source: Jourdan, Alart, Jean, Comput.
// Methods Appl. Mech. Engrg. 155 (1998); Koziara's thesis, alg. 11.3.1, whose stopping rule on the
// change of r is only used here to guess when a check of the error pays. At each check the
// velocities are recomputed from r, which removes the rounding that pushes leave behind, and
// corrected by their difference from the accurate velocities of the check: iterative refinement,
// needed for ill-conditioned masses. W need not be regular; the rate is linear and gets poor for
// tall stacks.
//
// Exact local solves can run into a cycle (many contacts on one body, unsymmetric W). When the best
// error has not fallen by 5 % in a quarter of all sweeps, and at least in 3000, visits are relaxed
// more: omega := 0.7 omega, from the start again once it would be below 0.2.
#include "solver/methods.h"
#include "solver/sweep.h"

typedef struct NsgsSettings {
    int32_t form;             ///< SticForm
    int32_t local;            ///< SticLocalSolver
    int32_t order;            ///< 0 natural, 1 coloured
    double omega;             ///< relaxation
    bool adapt;               ///< relax more when the error stays
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
    STIC_FIELD_FLAG(NsgsSettings, adapt, 1, "relax more when the error no longer falls"),
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

enum { PATIENCE = 3000 };

// the relaxation in use, and the last progress that was seen
typedef struct Relaxation {
    double omega;
    double error; // best error at the last progress
    int32_t at;   // iteration of that, or of the last change of omega
} Relaxation;

static void adapt(const SticSolveTask* task, Relaxation* relaxation)
{
    const NsgsSettings* settings = task->method;
    const int32_t now = task->info->iterations;
    if (task->best_error <= 0.95 * relaxation->error) {
        relaxation->error = task->best_error;
        relaxation->at = now;
    }
    const int32_t wait = now / 4 > PATIENCE ? now / 4 : PATIENCE;
    if (!settings->adapt || now - relaxation->at < wait)
        return;
    relaxation->at = now;
    relaxation->omega = 0.7 * relaxation->omega >= 0.2 ? 0.7 * relaxation->omega : settings->omega;
}

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
    Relaxation relaxation = {.omega = settings->omega, .error = task->best_error};
    for (;;) {
        const double change = stic_sweep_run(sweep);
        if (!stic_task_count(task, work, scale * change))
            continue;
        stic_sweep_get(sweep, task->r);
        if (!stic_task_judge(task, task->r))
            break;
        adapt(task, &relaxation);
        stic_sweep_relax(sweep, relaxation.omega);
        stic_sweep_start(sweep, task->r);
        stic_task_velocity(task, u);
        stic_sweep_correct(sweep, u);
    }
    task->info->fallbacks = stic_sweep_fallbacks(sweep);
    return STIC_OK;
}
