// SPDX-License-Identifier: Apache-2.0
// Interior point iteration that keeps De Saxcé's term |y_T| as a non-smooth equation.
//
// Variables in which every cone is |x_T| <= x_N (self-dual). Find x and y in the interior of the
// cones with
//     W x + b + s n - D y = 0        x o y = m e, m -> 0        s = |y_T|, 0, or given
// where D y adds up the cones of an interaction (two for rolling: one over the sliding, one over
// the rolling rows, with a common normal row). Per iteration:
//     Nesterov-Todd point of each cone: P x = P^-1 y = lam
//     K = W + E' G P^2 E,   G = I - n (y_T/|y_T|)'   (I where s does not depend on y)
//     direction of rc:      dx = K^-1 (D G P rc - rp),  dy = P (rc - P E dx)
//     predictor             rc = -lam, step al, sig = ((1-al) gain)^3
//     corrector             rc = lam \ (sig m e - (P dx) o (P^-1 dy)) - lam
//     a corrector that is blocked early competes with pure centring steps on the same factor
// One common step length: the equation couples x and y. s is substituted, neither relaxed nor
// smoothed. Rows of FREE have y = 0; friction rows with mu = 0 have x = 0.
//
// Sources: Nesterov and Todd, SIAM J. Optim. 8 (1998), for the scaling point; Mehrotra, SIAM J.
// Optim. 2 (1992), for the predictor; Acary and Cadoux 2013, eqs. 4.6-4.10, for the problem of a
// given s. For the exact term there is no proof: the central path may have a fold, where the steps
// get short; the run then ends and hands its best x over.
// Cost: one LU and three to five solves per iteration. Workspace: W once more, a few vectors.
#include "solver/method/interior.h"

#include <math.h>
#include <string.h>

#include "solver/cone_kernel.h"
#include "sparse/sparse.h"

enum { MOST = STIC_CONE_MOST };

/* ---- self-dual variables ---- */

static double larger(double a, double b)
{
    return a > b ? a : b;
}

// factor of each row: 1 for normal rows, mu for friction rows (1 where that is 0)
static double row_factor(const SticProblem* problem, int32_t i, int32_t a)
{
    const int32_t rows = problem->row_at[i + 1] - problem->row_at[i];
    const double* coef = problem->coef[i];
    double mu = 1.0;
    if (a > 0 && problem->law[i] == STIC_LAW_CONE)
        mu = coef[0];
    if (a > 0 && problem->law[i] == STIC_LAW_CONE_ELLIPSE)
        mu = coef[a - 1];
    if (a > 0 && problem->law[i] == STIC_LAW_ROLLING)
        mu = coef[a <= rows / 2 ? 0 : 2];
    return mu > 0.0 ? mu : 1.0;
}

static SticStatus scale_dual(SticArena* arena, const SticScaled* natural, SticScaled* dual)
{
    const SticProblem* problem = &natural->problem;
    const SticBlockCsr* W = &natural->W;
    double *b = NULL, *factor = NULL;
    *dual = *natural;
    STIC_TRY(STIC_TAKE(arena, &dual->value, W->value_at[stic_block_csr_count(W)]));
    STIC_TRY(STIC_TAKE(arena, &dual->scale, problem->rows));
    STIC_TRY(STIC_TAKE(arena, &factor, problem->rows));
    STIC_TRY(STIC_TAKE(arena, &b, problem->rows));
    double sum = 0.0;
    for (int32_t i = 0; i < problem->count; ++i)
        for (int32_t row = problem->row_at[i]; row < problem->row_at[i + 1]; ++row) {
            factor[row] = row_factor(problem, i, row - problem->row_at[i]);
            dual->scale[row] = natural->scale[row] * factor[row];
            b[row] = problem->b[row] * factor[row];
            sum += b[row] * b[row];
        }
    const double size = sum > 0.0 ? sqrt(sum) : 1.0;
    dual->size = natural->size * size;
    for (int32_t row = 0; row < problem->rows; ++row)
        b[row] /= size;
    for (int32_t i = 0; i < problem->count; ++i)
        for (int32_t e = W->begin[i]; e < W->begin[i + 1]; ++e) {
            int64_t k = W->value_at[e];
            for (int32_t row = W->row_at[i]; row < W->row_at[i + 1]; ++row)
                for (int32_t col = W->col_at[W->col[e]]; col < W->col_at[W->col[e] + 1]; ++col, ++k)
                    dual->value[k] = natural->value[k] * factor[row] * factor[col];
        }
    dual->W.value = dual->value;
    dual->problem.W = NULL; // dual->W moves with its struct
    dual->problem.b = b;
    return STIC_OK;
}

// cones of interaction i; how many
static int32_t cones_of(const SticProblem* problem, int32_t i, SticCone cone[2])
{
    const int32_t at = problem->row_at[i], rows = problem->row_at[i + 1] - at;
    const double* coef = problem->coef[i];
    cone[0] = (SticCone){.block = i, .axis = at, .first = at + 1, .size = 1};
    cone[1] = cone[0];
    switch (problem->law[i]) {
    case STIC_LAW_NONNEG:
        return 1;
    case STIC_LAW_CONE:
        cone[0].size = coef[0] > 0.0 ? rows : 1;
        return 1;
    case STIC_LAW_CONE_ELLIPSE:
        cone[0].size = 1 + (coef[0] > 0.0) + (coef[1] > 0.0);
        cone[0].first = at + (coef[0] > 0.0 ? 1 : 2);
        return 1;
    case STIC_LAW_ROLLING:
        cone[0].size = coef[0] > 0.0 ? 1 + rows / 2 : 1;
        cone[1].size = coef[2] > 0.0 ? 1 + rows / 2 : 1;
        cone[1].first = at + 1 + rows / 2;
        return 2;
    default:
        return 0;
    }
}

// rows that are neither in a cone nor free have x = 0
static bool is_zero_row(const SticProblem* problem, int32_t i, int32_t row)
{
    SticCone cone[2];
    const int32_t count = cones_of(problem, i, cone);
    for (int32_t c = 0; c < count; ++c)
        if (row == cone[c].axis || (row >= cone[c].first && row < cone[c].first + cone[c].size - 1))
            return false;
    return problem->law[i] != STIC_LAW_FREE;
}

bool stic_interior_symmetric(const SticScaled* natural)
{
    // rounding of W = P' M^-1 H in another order of its sums
    const double rounding = 1e-12;
    const SticProblem* problem = &natural->problem;
    for (int32_t i = 0; i < problem->count; ++i)
        for (int32_t row = problem->row_at[i]; row < problem->row_at[i + 1]; ++row)
            if (is_zero_row(problem, i, row))
                return false;
    return stic_block_csr_asymmetry(&natural->W) <= rounding;
}

static SticStatus take_cones(SticArena* arena, SticInterior* made)
{
    const SticProblem* problem = &made->natural->problem;
    SticCone cone[2];
    made->cones = 0;
    for (int32_t i = 0; i < problem->count; ++i)
        made->cones += cones_of(problem, i, cone);
    STIC_TRY(STIC_TAKE(arena, &made->cone, made->cones));
    STIC_TRY(STIC_TAKE(arena, &made->y, made->cones));
    STIC_TRY(STIC_TAKE(arena, &made->dy, made->cones));
    STIC_TRY(STIC_TAKE(arena, &made->dy_t, made->cones));
    STIC_TRY(STIC_TAKE(arena, &made->rc, made->cones));
    STIC_TRY(STIC_TAKE(arena, &made->lam, made->cones));
    STIC_TRY(STIC_TAKE(arena, &made->P, made->cones));
    STIC_TRY(STIC_TAKE(arena, &made->s, made->cones));
    for (int32_t i = 0, at = 0; i < problem->count; ++i) {
        const int32_t count = cones_of(problem, i, cone);
        memcpy(made->cone + at, cone, (size_t)count * sizeof *cone);
        at += count;
    }
    return STIC_OK;
}

SticStatus stic_interior_create(SticSolveTask* task, const SticScaled* natural,
                                SticNewtonSystem* system, SticInterior* made)
{
    *made = (SticInterior){.task = task, .natural = natural, .system = system};
    STIC_TRY(scale_dual(task->arena, natural, &made->dual));
    STIC_TRY(take_cones(task->arena, made));
    double** const vectors[] = {&made->x,    &made->dx,        &made->dx_t,
                                &made->rp,   &made->rhs,       &made->u,
                                &made->best, &made->x_natural, &made->u_natural};
    for (size_t k = 0; k < sizeof vectors / sizeof vectors[0]; ++k)
        STIC_TRY(STIC_TAKE(task->arena, vectors[k], natural->problem.rows));
    return STIC_OK;
}

/* ---- directions ---- */

static double cone_x(const SticCone* cone, const double* x, int32_t k)
{
    return x[k == 0 ? cone->axis : cone->first + k - 1];
}

static void gather(const SticCone* cone, const double* x, double* v)
{
    for (int32_t k = 0; k < cone->size; ++k)
        v[k] = cone_x(cone, x, k);
}

// v := G v, G = I - n (y_T/|y_T|)'
static void apply_term(const SticInterior* method, SticInteriorTerm term, int32_t c, double* v)
{
    const int32_t n = method->cone[c].size;
    const double length = stic_cone_across(n, method->y[c]);
    if (term != STIC_TERM_EXACT || !(length > 0.0))
        return;
    for (int32_t k = 1; k < n; ++k)
        v[0] -= (method->y[c][k] / length) * v[k];
}

static double term_of(const SticInterior* method, SticInteriorTerm term, int32_t c)
{
    if (term == STIC_TERM_EXACT)
        return stic_cone_across(method->cone[c].size, method->y[c]);
    return term == STIC_TERM_GIVEN ? method->s[c] : 0.0;
}

// rp = W x + b + s n - D y, the velocities u = W x + b and the mean of <x, y>
static double residual(SticInterior* method, SticInteriorTerm term)
{
    const SticProblem* problem = &method->dual.problem;
    double sum = 0.0;
    memcpy(method->u, problem->b, (size_t)problem->rows * sizeof *method->u);
    stic_block_csr_multiply(1.0, &method->dual.W, method->x, 1.0, method->u);
    memcpy(method->rp, method->u, (size_t)problem->rows * sizeof *method->rp);
    for (int32_t c = 0; c < method->cones; ++c) {
        const SticCone* cone = &method->cone[c];
        method->rp[cone->axis] += term_of(method, term, c);
        for (int32_t k = 0; k < cone->size; ++k) {
            method->rp[k == 0 ? cone->axis : cone->first + k - 1] -= method->y[c][k];
            sum += cone_x(cone, method->x, k) * method->y[c][k];
        }
    }
    return method->cones > 0 ? sum / method->cones : 0.0;
}

// K = W + E' G P^2 E in `system`; rows with x = 0 are those of the identity
static bool assemble(SticInterior* method, SticInteriorTerm term)
{
    // as for proximal points: redundant joints leave W singular in their rows
    const double joint = 1e-10;
    const SticProblem* problem = &method->dual.problem;
    for (int32_t i = 0, c = 0; i < problem->count; ++i) {
        const int32_t at = problem->row_at[i], rows = problem->row_at[i + 1] - at;
        double L[36] = {0.0}, D[36] = {0.0};
        for (int32_t a = 0; a < rows; ++a) {
            const bool zero = is_zero_row(problem, i, at + a);
            L[a * rows + a] = zero ? 0.0 : 1.0;
            D[a * rows + a] = zero ? 1.0 : problem->law[i] == STIC_LAW_FREE ? joint : 0.0;
        }
        for (; c < method->cones && method->cone[c].block == i; ++c) {
            const SticCone* cone = &method->cone[c];
            const int32_t n = cone->size;
            if (!stic_cone_scaling(n,
                                   (double[MOST]){cone_x(cone, method->x, 0),
                                                  n > 1 ? cone_x(cone, method->x, 1) : 0.0,
                                                  n > 2 ? cone_x(cone, method->x, 2) : 0.0},
                                   method->y[c], method->P[c], method->lam[c]))
                return false;
            for (int32_t k = 0; k < n; ++k) {
                // column k of G P^2
                double column[MOST], image[MOST];
                for (int32_t a = 0; a < n; ++a)
                    column[a] = method->P[c][0][a * n + k];
                stic_cone_multiply(n, method->P[c][0], column, image);
                apply_term(method, term, c, image);
                const int32_t col = (k == 0 ? cone->axis : cone->first + k - 1) - at;
                for (int32_t a = 0; a < n; ++a) {
                    const int32_t row = (a == 0 ? cone->axis : cone->first + a - 1) - at;
                    D[row * rows + col] += image[a];
                }
            }
        }
        stic_newton_system_row(method->system, i, L);
        stic_newton_system_add(method->system, i, D);
    }
    return true;
}

// dx, dy of the right-hand side rc; gives the largest feasible step
static double direction(SticInterior* method, SticInteriorTerm term, double* dx, double (*dy)[MOST])
{
    const SticProblem* problem = &method->dual.problem;
    for (int32_t row = 0; row < problem->rows; ++row)
        method->rhs[row] = -method->rp[row];
    for (int32_t i = 0; i < problem->count; ++i)
        for (int32_t row = problem->row_at[i]; row < problem->row_at[i + 1]; ++row)
            if (is_zero_row(problem, i, row))
                method->rhs[row] = -method->x[row];
    for (int32_t c = 0; c < method->cones; ++c) {
        const SticCone* cone = &method->cone[c];
        double v[MOST];
        stic_cone_multiply(cone->size, method->P[c][0], method->rc[c], v);
        apply_term(method, term, c, v);
        for (int32_t k = 0; k < cone->size; ++k)
            method->rhs[k == 0 ? cone->axis : cone->first + k - 1] += v[k];
    }
    stic_newton_system_solve(method->system, method->rhs, 1, dx);
    double step = INFINITY;
    for (int32_t c = 0; c < method->cones; ++c) {
        const SticCone* cone = &method->cone[c];
        double x[MOST] = {0.0}, d[MOST] = {0.0}, v[MOST];
        gather(cone, method->x, x);
        gather(cone, dx, d);
        stic_cone_multiply(cone->size, method->P[c][0], d, v);
        for (int32_t k = 0; k < cone->size; ++k)
            v[k] = method->rc[c][k] - v[k];
        stic_cone_multiply(cone->size, method->P[c][0], v, dy[c]);
        const double along_x = stic_cone_step(cone->size, x, d);
        const double along_y = stic_cone_step(cone->size, method->y[c], dy[c]);
        step = along_x < step ? along_x : step;
        step = along_y < step ? along_y : step;
    }
    return step;
}

// mean of <x, y> after a step
static double mean_after(const SticInterior* method, double al)
{
    double sum = 0.0;
    for (int32_t c = 0; c < method->cones; ++c)
        for (int32_t k = 0; k < method->cone[c].size; ++k)
            sum += (cone_x(&method->cone[c], method->x, k) +
                    al * cone_x(&method->cone[c], method->dx, k)) *
                   (method->y[c][k] + al * method->dy[c][k]);
    return sum / method->cones;
}

// rc = lam \ (target e - second) - lam; second order term of (dx, dy) if `second`
static void complementarity(SticInterior* method, double target, bool second)
{
    for (int32_t c = 0; c < method->cones; ++c) {
        const int32_t n = method->cone[c].size;
        double v[MOST] = {target, 0.0, 0.0};
        if (second) {
            double d[MOST], a[MOST], b[MOST];
            gather(&method->cone[c], method->dx, d);
            stic_cone_multiply(n, method->P[c][0], d, a);
            stic_cone_multiply(n, method->P[c][1], method->dy[c], b);
            for (int32_t k = 0; k < n; ++k)
                v[0] -= a[k] * b[k];
            for (int32_t k = 1; k < n; ++k)
                v[k] -= a[0] * b[k] + b[0] * a[k];
        }
        stic_cone_divide(n, method->lam[c], v, method->rc[c]);
        for (int32_t k = 0; k < n; ++k)
            method->rc[c][k] -= method->lam[c][k];
    }
}

static void swap_direction(SticInterior* method)
{
    double* dx = method->dx;
    method->dx = method->dx_t;
    method->dx_t = dx;
    double(*dy)[MOST] = method->dy;
    method->dy = method->dy_t;
    method->dy_t = dy;
}

// predictor, corrector and, if that is blocked, centring steps; the step length of the best
static double find_direction(SticInterior* method, SticInteriorTerm term, double mean)
{
    const double blocked = 0.2;
    for (int32_t c = 0; c < method->cones; ++c)
        for (int32_t k = 0; k < method->cone[c].size; ++k)
            method->rc[c][k] = -method->lam[c][k];
    double al = direction(method, term, method->dx, method->dy);
    al = al < 1.0 ? al : 1.0;
    const double gain = mean_after(method, al) / mean;
    double sig = gain > 0.0 ? gain * gain * gain : 0.0;
    sig = sig < 1e-6 ? 1e-6 : sig > 1.0 ? 1.0 : sig;
    if (al <= 0.1)
        sig = 0.5;
    complementarity(method, sig * mean, true);
    double best = direction(method, term, method->dx_t, method->dy_t);
    swap_direction(method);
    for (int trial = 1; trial <= 2 && best < blocked; ++trial) {
        complementarity(method, 0.5 * trial * mean, false);
        const double step = direction(method, term, method->dx_t, method->dy_t);
        if (step > best) {
            best = step;
            swap_direction(method);
        }
    }
    return best;
}

/* ---- the iteration ---- */

// error of the natural map in the natural scaling; without De Saxcé's term, that of the convex
// problem
static double natural_error(SticInterior* method, SticInteriorTerm term)
{
    const SticScaled *dual = &method->dual, *natural = method->natural;
    const SticProblem* problem = &natural->problem;
    for (int32_t row = 0; row < problem->rows; ++row) {
        const double f = dual->size * dual->scale[row] / (natural->size * natural->scale[row]);
        const double size = dual->size / natural->size;
        method->x_natural[row] = f * method->x[row];
        method->u_natural[row] = method->u[row] * size * size / f;
    }
    if (term == STIC_TERM_EXACT)
        return stic_scaled_error(natural, method->x_natural, method->u_natural);
    // x = P_K(x - (u + s n)) in the self-dual variables
    double sum = 0.0;
    for (int32_t c = 0; c < method->cones; ++c) {
        const SticCone* cone = &method->cone[c];
        double v[MOST], p[MOST], x[MOST];
        const SticConvexSet set =
            cone->size > 1 ? stic_set_cone(cone->size, 1.0) : stic_set_nonneg(1);
        gather(cone, method->x, x);
        for (int32_t k = 0; k < cone->size; ++k)
            v[k] = x[k] - method->y[c][k];
        stic_set_prox(&set, v, p);
        for (int32_t k = 0; k < cone->size; ++k)
            sum += (x[k] - p[k]) * (x[k] - p[k]);
    }
    for (int32_t row = 0; row < problem->rows; ++row)
        sum += method->rp[row] * method->rp[row];
    return sqrt(sum);
}

static void start(SticInterior* method)
{
    // ten times the mean size of the unit vector b: centred and large enough for most
    const double size = 10.0 / sqrt((double)larger(1.0, method->cones));
    memset(method->x, 0, (size_t)method->dual.problem.rows * sizeof *method->x);
    for (int32_t c = 0; c < method->cones; ++c) {
        method->x[method->cone[c].axis] = size;
        memset(method->y[c], 0, sizeof method->y[c]);
        method->y[c][0] = size;
    }
}

// remember the best x; error of this one
static double judge(SticInterior* method, SticInteriorTerm term)
{
    const double error = natural_error(method, term);
    if (error < method->best_error) {
        method->best_error = error;
        memcpy(method->best, method->x, (size_t)method->dual.problem.rows * sizeof *method->best);
    }
    return error;
}

// count an iteration; false if the task is to stop
static bool count_step(SticInterior* method, SticInteriorTerm term, double estimate)
{
    SticSolveTask* task = method->task;
    const double values = (double)method->dual.W.value_at[stic_block_csr_count(&method->dual.W)];
    const double work = method->system->factor_work + 4.0 * method->system->solve_work + values;
    const bool due = stic_task_count(task, work, estimate);
    // iterates towards the solution of another problem must not be judged
    if (term != STIC_TERM_EXACT)
        return !task->stopped;
    if (!due)
        return true;
    stic_scaled_to(&method->dual, method->x, task->r);
    return stic_task_judge(task, task->r);
}

bool stic_interior_run(SticInterior* method, const SticInteriorLimits* limits)
{
    const SticScaled* before = method->system->scaled;
    bool running = true;
    int32_t blocked = 0;
    double estimate = -1.0;
    stic_newton_system_scale(method->system, &method->dual);
    method->best_error = INFINITY;
    start(method);
    for (int32_t step = 0; step <= limits->steps && running; ++step) {
        const double mean = residual(method, limits->term);
        estimate = judge(method, limits->term);
        method->complementarity = mean;
        // the task sees every x; the first one belongs to no step
        if (step > 0 && !count_step(method, limits->term, estimate)) {
            running = false;
            break;
        }
        if (estimate <= limits->error || blocked >= 3 || step == limits->steps ||
            !assemble(method, limits->term))
            break;
        method->task->info->factorisations += 1;
        if (!stic_newton_system_factor(method->system))
            break;
        double al = method->cones > 0 ? 0.995 * find_direction(method, limits->term, mean)
                                      : direction(method, limits->term, method->dx, method->dy);
        al = al < 1.0 ? al : 1.0;
        for (int32_t row = 0; row < method->dual.problem.rows; ++row)
            method->x[row] += al * method->dx[row];
        for (int32_t c = 0; c < method->cones; ++c)
            for (int32_t k = 0; k < method->cone[c].size; ++k)
                method->y[c][k] += al * method->dy[c][k];
        blocked = al < 0.05 ? blocked + 1 : 0;
        method->steps += 1;
    }
    stic_newton_system_scale(method->system, before);
    return running;
}

void stic_interior_get(const SticInterior* method, double* x)
{
    const SticScaled *dual = &method->dual, *natural = method->natural;
    for (int32_t row = 0; row < natural->problem.rows; ++row)
        x[row] = method->best[row] * (dual->size * dual->scale[row]) /
                 (natural->size * natural->scale[row]);
}

void stic_interior_slip(const SticInterior* method, double* s)
{
    memcpy(method->u, method->dual.problem.b,
           (size_t)method->dual.problem.rows * sizeof *method->u);
    stic_block_csr_multiply(1.0, &method->dual.W, method->best, 1.0, method->u);
    for (int32_t c = 0; c < method->cones; ++c) {
        const SticCone* cone = &method->cone[c];
        double sum = 0.0;
        for (int32_t k = 1; k < cone->size; ++k)
            sum += method->u[cone->first + k - 1] * method->u[cone->first + k - 1];
        s[c] = sqrt(sum);
    }
}
