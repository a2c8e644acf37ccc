// SPDX-License-Identifier: Apache-2.0
// Continuation in the proximal parameter by arc length.
//
// With a centre r that stays, the solutions x(c) of
//     F(x, y) = 0,   y = W x + b + c (x - r)                          (one step of prox_newton.c)
// form a path: for a large c there is one solution, near r, and where the path reaches c = 0 it has
// arrived at a solution of the problem itself; on the way the error is about c |x - r|. For a
// monotone problem c falls all along the path. Coulomb's law is not monotone: the path turns back
// at folds, where the contacts that creep between two states run away, and iterations that only
// lower c (or move r, as proximal points do) go round in circles there. So the path is followed by
// its length:
//     z = (x, ln c),  t = (K^-1 dF/d(-ln c), 1) normalised and oriented,
//     predictor z + s t, corrector Newton on F = 0 in the plane through it that is normal to t,
//     by bordering: two solves with the factor of K = A + B (W + c I).
// Orientation (Keller; Allgower and Georg, Introduction to Numerical Continuation Methods,
// SIAM 2003, sections 2.1 and 11.2): the sign of det K times the direction of ln c is the same
// along the whole path. This also holds on a path of smooth pieces and determines, at a kink where
// a contact changes between open, stick and slip, in which direction the next piece is followed:
// where the corrector fails, the direction is recomputed at a point behind the kink, and the step
// is tried from there.
//
// Cost: one LU per corrector step, 3 to 6 per point. Workspace: seven vectors. Nothing is proven:
// the path may run to infinity, and steps may get too small where many kinks meet.
#include "solver/method/prox_path.h"

#include <math.h>
#include <string.h>

#include "math/math.h"

enum {
    CORRECTIONS = 8, // Newton steps of a corrector
    STARTS = 6       // values of c tried for the first point
};

static const double first_c = 1e-2;   // as the start of prox-newton
static const double last_tau = -30.0; // ln c at the rounding of W, whose diagonal is 1
static const double first_step = 0.2, longest = 2.0, shortest = 1e-7;

SticStatus stic_prox_path_create(SticProxNewton* newton, SticProxPath* made)
{
    *made = (SticProxPath){.newton = newton};
    double** const vectors[] = {&made->point, &made->base,   &made->along, &made->tangent,
                                &made->slope, &made->toward, &made->rise};
    for (size_t k = 0; k < sizeof vectors / sizeof vectors[0]; ++k)
        STIC_TRY(STIC_TAKE(newton->task->arena, vectors[k], newton->scaled->problem.rows));
    return STIC_OK;
}

/* ---- points and directions ---- */

static int32_t rows_of(const SticProxPath* path)
{
    return path->newton->scaled->problem.rows;
}

static double dot(const SticProxPath* path, const double* a, const double* b)
{
    double sum = 0.0;
    for (int32_t k = 0; k < rows_of(path); ++k)
        sum += a[k] * b[k];
    return sum;
}

static void copy(const SticProxPath* path, double* to, const double* from)
{
    memcpy(to, from, (size_t)rows_of(path) * sizeof *to);
}

// x = from + length * d, and y and c of it
static void move_to(SticProxPath* path, const double* from, double length, const double* d,
                    double tau)
{
    SticProxNewton* newton = path->newton;
    for (int32_t k = 0; k < rows_of(path); ++k)
        newton->x[k] = from[k] + length * d[k];
    path->tau = tau;
    newton->c = stic_exp(tau);
    stic_scaled_velocity(newton->scaled, newton->x, newton->y);
    for (int32_t k = 0; k < rows_of(path); ++k)
        newton->y[k] += newton->c * (newton->x[k] - newton->centre[k]);
}

// factor of K at x, with its two solutions; false if that is not possible or the task stops
static bool factorise(SticProxPath* path)
{
    SticProxNewton* newton = path->newton;
    stic_prox_newton_assemble(newton, path->slope);
    newton->task->info->factorisations += 1;
    const bool regular = stic_newton_system_factor(newton->system);
    path->halted = !stic_prox_newton_count(newton, -1.0);
    if (path->halted || !regular)
        return false;
    stic_newton_system_solve(newton->system, newton->F, 1, path->toward);
    stic_newton_system_solve(newton->system, path->slope, 1, path->rise);
    return true;
}

// unit direction of the path from the last factor
static double direction(const SticProxPath* path, double* d)
{
    const double sign = stic_newton_system_sign(path->newton->system) * path->side;
    const double tau = sign / sqrt(1.0 + dot(path, path->rise, path->rise));
    for (int32_t k = 0; k < rows_of(path); ++k)
        d[k] = tau * path->rise[k];
    return tau;
}

/* ---- a step ---- */

// corrector from base + length * tangent; whether it reached the path
static bool correct(SticProxPath* path, double length, int32_t* steps)
{
    SticProxNewton* newton = path->newton;
    const double target = 1e-2 * path->error;
    double first = 0.0;
    move_to(path, path->base, length, path->tangent, path->base_tau + length * path->tangent_tau);
    for (*steps = 1; *steps <= CORRECTIONS; ++*steps) {
        if (!factorise(path))
            return false;
        // in the plane: tangent . (toward + tau rise, tau) = 0
        const double tau = -dot(path, path->tangent, path->toward) /
                           (dot(path, path->tangent, path->rise) + path->tangent_tau);
        for (int32_t k = 0; k < rows_of(path); ++k)
            path->toward[k] += tau * path->rise[k];
        const double size = sqrt(dot(path, path->toward, path->toward) + tau * tau);
        first = *steps == 1 ? size : first;
        // as far away as the step is long, or no convergence
        if (!(first <= length) || (*steps >= 3 && size > 0.5 * first) ||
            (*steps >= 5 && size > 0.1 * first))
            return false;
        move_to(path, newton->x, 1.0, path->toward, path->tau + tau);
        if (stic_prox_newton_norm(newton, newton->x, newton->y) <= target)
            return true;
    }
    return false;
}

// from the last point along its direction
static bool step_along(SticProxPath* path, int32_t* steps)
{
    copy(path, path->base, path->point);
    copy(path, path->tangent, path->along);
    path->base_tau = path->point_tau;
    path->tangent_tau = path->along_tau;
    return correct(path, path->step, steps);
}

// from behind a kink along the direction there
static bool step_behind(SticProxPath* path, int32_t* steps)
{
    // below this angle the piece is the same, or another that differs little
    const double same = 0.95;
    move_to(path, path->point, path->step, path->along,
            path->point_tau + path->step * path->along_tau);
    copy(path, path->base, path->newton->x);
    path->base_tau = path->tau;
    if (!factorise(path))
        return false;
    path->tangent_tau = direction(path, path->tangent);
    if (dot(path, path->tangent, path->along) + path->tangent_tau * path->along_tau > same)
        return false;
    return correct(path, path->step, steps);
}

// direction at the point itself, and not that of the corrector's last factor
static bool refresh(SticProxPath* path)
{
    move_to(path, path->point, 0.0, path->point, path->point_tau);
    if (!factorise(path))
        return false;
    path->along_tau = direction(path, path->along);
    path->fresh = true;
    return true;
}

// to the next point; false if the path is lost or the task stops
static bool advance(SticProxPath* path)
{
    int32_t steps = 0;
    for (int32_t failures = 0; path->step >= shortest && !path->halted; ++failures) {
        if (step_along(path, &steps)) {
            path->step *= steps <= 4 ? 1.6 : steps <= 6 ? 1.0 : 0.8;
            path->step = path->step < longest ? path->step : longest;
            return true;
        }
        if (failures > 0 && !path->halted && step_behind(path, &steps)) {
            path->kinks += 1;
            path->step *= 2.0;
            return true;
        }
        if (path->halted || (!path->fresh && !refresh(path)))
            return false;
        path->step *= 0.4;
    }
    return false;
}

/* ---- the path ---- */

// x, y of the corrector become a point of the path; false if the task stops
static bool accept(SticProxPath* path)
{
    SticProxNewton* newton = path->newton;
    const double before = path->along_tau;
    copy(path, path->point, newton->x);
    path->point_tau = path->tau;
    path->along_tau = direction(path, path->along);
    path->fresh = false;
    path->folds += path->points > 0 && before * path->along_tau < 0.0;
    path->points += 1;
    path->error = stic_prox_newton_error(newton);
    if (path->error < newton->best_error) {
        newton->best_error = path->error;
        copy(path, newton->best, newton->x);
    }
    newton->rho = stic_prox_newton_weight(newton->settings, 1.0, path->error);
    if (path->error > newton->best_error)
        return true;
    stic_scaled_to(newton->scaled, newton->x, newton->task->r);
    return stic_task_judge(newton->task, newton->task->r);
}

// the point for a c that is large enough for Newton to find it
static SticStageEnd begin(SticProxPath* path)
{
    SticProxNewton* newton = path->newton;
    SticStageEnd end = STIC_STAGE_BROKEN;
    double c = first_c;
    newton->rho = 1.0;
    for (int32_t k = 0; k < STARTS && end == STIC_STAGE_BROKEN; ++k, c *= 4.0)
        end = stic_prox_newton_regularised(newton, c);
    if (end != STIC_STAGE_DONE)
        return end;
    move_to(path, newton->x, 0.0, newton->x, stic_ln(newton->c));
    if (!factorise(path))
        return STIC_STAGE_BROKEN;
    // c falls at the start
    path->side = -stic_newton_system_sign(newton->system);
    path->step = first_step;
    return STIC_STAGE_DONE;
}

SticStageEnd stic_prox_path_run(SticProxPath* path, const SticProxNewtonSettings* settings,
                                double* x)
{
    SticProxNewton* newton = path->newton;
    path->points = path->folds = path->kinks = 0;
    path->halted = false;
    stic_prox_newton_begin(newton, settings, x);
    SticStageEnd end = begin(path);
    const double first_tau = path->tau;
    while (end == STIC_STAGE_DONE) {
        if (!accept(path))
            end = STIC_STAGE_STOPPED;
        // back where it came from: no longer the path of this centre
        else if (path->tau > first_tau + 3.0 || path->tau < last_tau || !advance(path))
            end = path->halted ? STIC_STAGE_STOPPED : STIC_STAGE_STALLED;
    }
    copy(path, x, newton->best);
    return end;
}
