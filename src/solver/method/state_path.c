// SPDX-License-Identifier: Apache-2.0
// The path of the proximal parameter from event to event: a method that always finishes.
//
// As in prox_path.c, with a centre r that stays, the solutions x(c) of
//     laws between x and y,   y = W x + b + c (x - r)
// form a path from c = infinity on. If <x, W x> >= 0 it reaches every c > 0: the laws give
// <x, y> = - sum mu x_N |y_T| <= 0, hence
//     c |x|^2 <= - <x, b> + c <x, r>,   |x| <= |b| / c + |r|:
// it cannot run to infinity at any c > 0, nor return to c = infinity, where the solution is unique.
// (Almost all paths of a map of smooth pieces are curves: Allgower and Georg, Introduction to
// Numerical Continuation Methods, SIAM 2003, chapters 11 and 12; Lemke's method is the planar
// case.) A point of it has the error c |x - r| in the natural map: it vanishes with c where
// reactions stay bounded, and relative to |x| in any case. So it is enough to follow the path
// without losing it where c turns back (folds) or a state changes (kinks).
// Therefore
//   states   open, closed, slip of every interaction are kept fixed between events (state_law.c):
//            the equations of a piece are smooth, and Newton cannot jump to another piece;
//   powers   x, y and ln c as power series of the length s along the tangent, up to order 12, from
//            one factor of K = A + B (W + c I) and a solve per power (the asymptotic numerical
//            method: Cochelin, Comput. Struct. 53, 1994), because pieces of sliding contacts are so
//            curved that tangents allow steps of sqrt(c) only; the step ends where the last power
//            is 1e-8;
//   events   the first zero of a margin within the step ends it, is corrected onto the border, and
//            the state changes; borders found to be crossed at a point change without a step;
//   side     sign(det K) times the direction of ln c is the same on the whole path, through folds
//            and kinks.
// Start: Newton with states that change, at c = 10 or more. rho = 1/(1 + c) balances x and y.
//
// Cost: one LU and 12 solves per point; RockPile_tob1: 1 to 2 events per contact and two points per
// event. Workspace: 39 + 5 vectors. Where it fails: paths that cross several borders at once, and c
// below about 1e-9, where rounding decides on which side of a border a contact is.
#include "solver/method/state_path.h"

#include <math.h>
#include <string.h>

#include "math/math.h"

enum {
    ORDER = STIC_STATE_ORDER,
    CORRECTIONS = 10, // Newton steps of a corrector
    STARTS = 6,       // values of c tried for the first point, each ten times the last
    START_STEPS = 60, // Newton steps of each
    SAMPLES = 4,      // of margins within a step
    HALVINGS = 50,    // of the interval that holds an event
    FLIPS = 20        // changes of state at one point that are taken for progress
};

static const double first_c = 10.0;
static const double last_tau = -30.0; // ln c at the rounding of W, whose diagonal is 1
static const double longest = 2.0, shortest = 1e-12;
static const double last_power = 1e-8; // at the end of a step, relative to its interaction
static const double exact = 1e-7;      // |F| of an interaction over its size
static const double border = 1e-9;     // margin over size that counts as 0

bool stic_state_path_takes(const SticProblem* problem)
{
    for (int32_t i = 0; i < problem->count; ++i)
        if (!stic_state_law_takes(problem, i))
            return false;
    return true;
}

SticStatus stic_state_path_create(SticProxNewton* newton, SticStatePath* made)
{
    SticArena* arena = newton->task->arena;
    const SticProblem* problem = &newton->scaled->problem;
    *made = (SticStatePath){.newton = newton};
    double** const vectors[] = {&made->rise, &made->rise_y, &made->toward, &made->toward_y,
                                &made->slope};
    for (size_t k = 0; k < sizeof vectors / sizeof vectors[0]; ++k)
        STIC_TRY(STIC_TAKE(arena, vectors[k], problem->rows));
    for (int32_t k = 0; k <= ORDER; ++k) {
        STIC_TRY(STIC_TAKE(arena, &made->series.x[k], problem->rows));
        STIC_TRY(STIC_TAKE(arena, &made->series.y[k], problem->rows));
        STIC_TRY(STIC_TAKE(arena, &made->series.slide[k], problem->rows));
    }
    return STIC_TAKE(arena, &made->state, problem->count);
}

/* ---- points ---- */

static int32_t rows_of(const SticStatePath* path)
{
    return path->newton->scaled->problem.rows;
}

static int32_t count_of(const SticStatePath* path)
{
    return path->newton->scaled->problem.count;
}

static SticStateContact contact_of(const SticStatePath* path, int32_t i)
{
    const SticProblem* problem = &path->newton->scaled->problem;
    const int32_t at = problem->row_at[i];
    return (SticStateContact){.at = at,
                              .rows = problem->row_at[i + 1] - at,
                              .law = (SticLaw)problem->law[i],
                              .mu = problem->law[i] == STIC_LAW_CONE ? problem->coef[i][0] : 0.0,
                              .rho = path->newton->rho,
                              .state = (SticPathState)path->state[i]};
}

static double dot(const SticStatePath* path, const double* a, const double* b)
{
    double sum = 0.0;
    for (int32_t k = 0; k < rows_of(path); ++k)
        sum += a[k] * b[k];
    return sum;
}

// c, rho and y of x
static void set_tau(SticStatePath* path, double tau)
{
    SticProxNewton* newton = path->newton;
    path->tau = tau;
    newton->c = stic_exp(tau);
    newton->rho = 1.0 / (1.0 + newton->c);
    stic_scaled_velocity(newton->scaled, newton->x, newton->y);
    for (int32_t k = 0; k < rows_of(path); ++k)
        newton->y[k] += newton->c * (newton->x[k] - newton->centre[k]);
}

// dy of dx at a fixed c
static void image(const SticStatePath* path, const double* dx, double* dy)
{
    memcpy(dy, dx, (size_t)rows_of(path) * sizeof *dy);
    stic_block_csr_multiply(1.0, &path->newton->scaled->W, dx, path->newton->c, dy);
}

// -F into newton->F; the largest |F_i| over what is allowed
static double residual(SticStatePath* path)
{
    SticProxNewton* newton = path->newton;
    double most = 0.0, F[STIC_STATE_ROWS];
    path->small = 1e-12 * (1.0 + sqrt(dot(path, newton->x, newton->x)));
    for (int32_t i = 0; i < count_of(path); ++i) {
        const SticStateContact contact = contact_of(path, i);
        const double *x = newton->x + contact.at, *y = newton->y + contact.at;
        double square = 0.0;
        stic_state_law_linearise(&contact, x, y, F, NULL, NULL);
        for (int32_t a = 0; a < contact.rows; ++a) {
            newton->F[contact.at + a] = -F[a];
            square += F[a] * F[a];
        }
        const double part =
            sqrt(square) / (exact * stic_state_law_size(&contact, x, y) + path->small);
        if (!(part <= most))
            most = part;
    }
    return most;
}

// K at x, y into the system, and the right-hand sides for F and for ln c
static void assemble(SticStatePath* path)
{
    SticProxNewton* newton = path->newton;
    double F[STIC_STATE_ROWS];
    double A[STIC_STATE_ROWS * STIC_STATE_ROWS], B[STIC_STATE_ROWS * STIC_STATE_ROWS];
    for (int32_t i = 0; i < count_of(path); ++i) {
        const SticStateContact contact = contact_of(path, i);
        const int32_t at = contact.at, n = contact.rows;
        stic_state_law_linearise(&contact, newton->x + at, newton->y + at, F, A, B);
        for (int32_t a = 0; a < n; ++a) {
            double sum = 0.0;
            for (int32_t k = 0; k < n; ++k)
                sum += B[a * n + k] * (newton->x[at + k] - newton->centre[at + k]);
            path->slope[at + a] = -newton->c * sum;
            newton->F[at + a] = -F[a];
        }
        stic_newton_system_row(newton->system, i, B);
        for (int32_t k = 0; k < n * n; ++k)
            A[k] += newton->c * B[k];
        stic_newton_system_add(newton->system, i, A);
    }
}

// factor of K at x, y and the derivatives by ln c; false if that fails or the task stops
static bool factorise(SticStatePath* path)
{
    SticProxNewton* newton = path->newton;
    assemble(path);
    newton->task->info->factorisations += 1;
    const bool regular = stic_newton_system_factor(newton->system);
    path->halted = !stic_prox_newton_count(newton, -1.0);
    if (!regular || path->halted)
        return false;
    stic_newton_system_solve(newton->system, path->slope, 1, path->rise);
    image(path, path->rise, path->rise_y);
    for (int32_t k = 0; k < rows_of(path); ++k)
        path->rise_y[k] += newton->c * (newton->x[k] - newton->centre[k]);
    return true;
}

/* ---- powers of the length ---- */

// contribution of lower powers to power k of y into y[k], and the right-hand side for x_k into
// newton->F; c_power[k] does not contain tau_k yet
static void lower_powers(SticStatePath* path, int32_t k)
{
    SticProxNewton* newton = path->newton;
    double *y = path->series.y[k], F[STIC_STATE_ROWS], rest[STIC_STATE_ROWS];
    double A[STIC_STATE_ROWS * STIC_STATE_ROWS], B[STIC_STATE_ROWS * STIC_STATE_ROWS];
    for (int32_t row = 0; row < rows_of(path); ++row) {
        y[row] = path->c_power[k] * (newton->x[row] - newton->centre[row]);
        for (int32_t j = 1; j < k; ++j)
            y[row] += path->c_power[j] * path->series.x[k - j][row];
    }
    for (int32_t i = 0; i < count_of(path); ++i) {
        const SticStateContact contact = contact_of(path, i);
        const int32_t at = contact.at, n = contact.rows;
        stic_state_law_linearise(&contact, newton->x + at, newton->y + at, F, A, B);
        stic_state_law_rest(&contact, &path->series, k, rest);
        for (int32_t a = 0; a < n; ++a) {
            newton->F[at + a] = -rest[a];
            for (int32_t b = 0; b < n; ++b)
                newton->F[at + a] -= B[a * n + b] * y[at + b];
        }
    }
}

static void find_slides(SticStatePath* path, int32_t k)
{
    for (int32_t i = 0; i < count_of(path); ++i) {
        const SticStateContact contact = contact_of(path, i);
        stic_state_law_slide(&contact, &path->series, k);
    }
}

// power k > 1 of everything from those below
static void add_power(SticStatePath* path, int32_t k)
{
    SticProxNewton* newton = path->newton;
    double *tau = path->tau_power, *c = path->c_power;
    c[k] = 0.0;
    for (int32_t j = 1; j < k; ++j)
        c[k] += (double)j / (double)k * tau[j] * c[k - j];
    lower_powers(path, k);
    stic_newton_system_solve(newton->system, newton->F, 0, path->toward);
    image(path, path->toward, path->toward_y);
    // s is the length along the tangent: higher powers are across
    tau[k] = -path->weight * dot(path, path->rise, path->toward) /
             (1.0 + path->weight * dot(path, path->rise, path->rise));
    c[k] += newton->c * tau[k];
    for (int32_t row = 0; row < rows_of(path); ++row) {
        path->series.x[k][row] = path->toward[row] + tau[k] * path->rise[row];
        path->series.y[k][row] += path->toward_y[row] + tau[k] * path->rise_y[row];
    }
    find_slides(path, k);
}

// x, y become the last point: factor, direction and powers there
static bool find_powers(SticStatePath* path)
{
    // below this size of x, lengths are those of ln c: the size to come is not known yet
    const double least = 1e-3;
    SticProxNewton* newton = path->newton;
    const size_t bytes = (size_t)rows_of(path) * sizeof(double);
    const double before = path->tau_power[1], square = dot(path, newton->x, newton->x);
    memcpy(path->series.x[0], newton->x, bytes);
    memcpy(path->series.y[0], newton->y, bytes);
    if (!factorise(path))
        return false;
    path->weight = 1.0 / (square > least * least ? square : least * least);
    const double tau = stic_newton_system_sign(newton->system) * path->side /
                       sqrt(1.0 + path->weight * dot(path, path->rise, path->rise));
    path->folds += before * tau < 0.0;
    path->tau_power[0] = path->tau;
    path->tau_power[1] = tau;
    path->c_power[0] = newton->c;
    path->c_power[1] = newton->c * tau;
    for (int32_t row = 0; row < rows_of(path); ++row) {
        path->series.x[1][row] = tau * path->rise[row];
        path->series.y[1][row] = tau * path->rise_y[row];
    }
    find_slides(path, 0);
    find_slides(path, 1);
    for (int32_t k = 2; k <= ORDER; ++k)
        add_power(path, k);
    newton->task->info->work +=
        ORDER * (newton->system->solve_work +
                 (double)newton->scaled->W.value_at[stic_block_csr_count(&newton->scaled->W)] +
                 10.0 * ORDER * rows_of(path));
    return true;
}

// length at which power k is small, relative to its interaction where that slides
static double reach_of(const SticStatePath* path, int32_t k)
{
    const SticStateSeries* series = &path->series;
    double most = sqrt(path->weight * dot(path, series->x[k], series->x[k]));
    most = fabs(path->tau_power[k]) > most ? fabs(path->tau_power[k]) : most;
    for (int32_t i = 0; i < count_of(path); ++i) {
        if (path->state[i] != STIC_PATH_SLIP)
            continue;
        const SticStateContact contact = contact_of(path, i);
        const double* slide = series->slide[k] + contact.at;
        const double longer = fabs(slide[0]) / series->slide[0][contact.at];
        most = longer > most ? longer : most;
        for (int32_t a = 1; a < contact.rows; ++a)
            most = fabs(slide[a]) > most ? fabs(slide[a]) : most;
    }
    return most > 0.0 ? stic_pow(last_power / most, 1.0 / (double)k) : longest;
}

static double power_sum(double* const* power, int32_t row, double s)
{
    double sum = power[ORDER][row];
    for (int32_t k = ORDER - 1; k >= 0; --k)
        sum = sum * s + power[k][row];
    return sum;
}

/* ---- events ---- */

typedef struct Event {
    int32_t contact; // -1: none
    int32_t which;   // its margin
    SticPathState next;
    double at; // length to it
} Event;

// margin `which` of a contact at length s
static double margin_at(const SticStatePath* path, const SticStateContact* contact, double s,
                        int32_t which)
{
    SticStateMargin margin[2];
    double x[3], y[3];
    for (int32_t a = 0; a < contact->rows; ++a) {
        x[a] = power_sum(path->series.x, contact->at + a, s);
        y[a] = power_sum(path->series.y, contact->at + a, s);
    }
    const double* xy[2] = {x, y};
    stic_state_law_margins(contact, xy, xy, margin);
    return margin[which].value;
}

// where a margin ends, between `low`, where it is inside, and `high`
static double bisect(const SticStatePath* path, const SticStateContact* contact, int32_t which,
                     double low, double high)
{
    for (int32_t k = 0; k < HALVINGS; ++k) {
        const double middle = 0.5 * (low + high);
        if (margin_at(path, contact, middle, which) < 0.0)
            high = middle;
        else
            low = middle;
    }
    return high;
}

// the first event of contact i before event->at
static void look_at(const SticStatePath* path, int32_t i, Event* event)
{
    const SticStateContact contact = contact_of(path, i);
    SticStateMargin margin[2];
    const double* xy[2] = {path->series.x[0] + contact.at, path->series.y[0] + contact.at};
    const int32_t count = stic_state_law_margins(&contact, xy, xy, margin);
    const double slack = border * stic_state_law_size(&contact, xy[0], xy[1]) + path->small;
    for (int32_t which = 0; which < count; ++which) {
        const double part = event->at / SAMPLES;
        for (int32_t k = 1; k <= SAMPLES; ++k) {
            if (!(margin_at(path, &contact, k * part, which) < -slack))
                continue;
            const double at = bisect(path, &contact, which, (k - 1) * part, k * part);
            *event = (Event){i, which, margin[which].next, at};
            break;
        }
    }
}

static Event first_event(const SticStatePath* path, double length)
{
    Event event = {.contact = -1, .at = length};
    for (int32_t i = 0; i < count_of(path); ++i)
        look_at(path, i, &event);
    return event;
}

static SticStateMargin event_margin(const SticStatePath* path, const Event* event, const double* dx,
                                    const double* dy)
{
    const SticStateContact contact = contact_of(path, event->contact);
    const int32_t at = contact.at;
    const double* xy[2] = {path->newton->x + at, path->newton->y + at};
    const double* dxy[2] = {dx + at, dy + at};
    SticStateMargin margin[2];
    stic_state_law_margins(&contact, xy, dxy, margin);
    return margin[event->which];
}

// whether all contacts are in their states, but for the one of the event at its border
static bool is_inside(const SticStatePath* path, const Event* event)
{
    for (int32_t i = 0; i < count_of(path); ++i) {
        const SticStateContact contact = contact_of(path, i);
        SticStateMargin margin[2];
        const double* xy[2] = {path->newton->x + contact.at, path->newton->y + contact.at};
        const int32_t count = stic_state_law_margins(&contact, xy, xy, margin);
        // more than what counts as an event, so that the next step can begin with one
        const double slack =
            10.0 * border * stic_state_law_size(&contact, xy[0], xy[1]) + 2.0 * path->small;
        for (int32_t k = 0; k < count; ++k)
            if (margin[k].value < -slack && !(event->contact == i && event->which == k))
                return false;
    }
    return true;
}

/* ---- a step ---- */

// |F| and the margin of the event over what is allowed
static double defect_of(SticStatePath* path, const Event* event)
{
    const double most = residual(path);
    if (event->contact < 0)
        return most;
    const SticStateContact contact = contact_of(path, event->contact);
    const double *x = path->newton->x + contact.at, *y = path->newton->y + contact.at;
    const double part = fabs(event_margin(path, event, path->rise, path->rise_y).value) /
                        (border * stic_state_law_size(&contact, x, y) + path->small);
    return part > most ? part : most;
}

// whether x is about as far along the tangent as it should be: on this piece of the path
static bool is_near(const SticStatePath* path, double length)
{
    double sum = 0.0;
    for (int32_t k = 0; k < rows_of(path); ++k)
        sum += path->series.x[1][k] * (path->newton->x[k] - path->series.x[0][k]);
    sum = path->weight * sum + path->tau_power[1] * (path->tau - path->tau_power[0]);
    return fabs(sum - length) <= 0.5 * length;
}

// a Newton step in the plane across the path, or on the border of the event
static void correct_once(SticStatePath* path, const Event* event)
{
    SticProxNewton* newton = path->newton;
    const double* along = path->series.x[1];
    stic_newton_system_solve(newton->system, newton->F, 1, path->toward);
    double tau = -path->weight * dot(path, along, path->toward) /
                 (path->tau_power[1] + path->weight * dot(path, along, path->rise));
    if (event->contact >= 0) {
        image(path, path->toward, path->toward_y);
        const SticStateMargin there = event_margin(path, event, path->toward, path->toward_y);
        tau = -(there.value + there.slope) /
              event_margin(path, event, path->rise, path->rise_y).slope;
    }
    for (int32_t k = 0; k < rows_of(path); ++k)
        newton->x[k] += path->toward[k] + tau * path->rise[k];
    set_tau(path, path->tau + tau);
}

// from the sum of the powers to the path or the border
static bool correct(SticStatePath* path, const Event* event)
{
    SticProxNewton* newton = path->newton;
    double last = INFINITY, before = INFINITY, tau = 0.0;
    for (int32_t row = 0; row < rows_of(path); ++row)
        newton->x[row] = power_sum(path->series.x, row, event->at);
    for (int32_t k = ORDER; k >= 0; --k)
        tau = tau * event->at + path->tau_power[k];
    set_tau(path, tau);
    for (int32_t step = 0; step < CORRECTIONS; ++step) {
        const double defect = defect_of(path, event);
        if (!(defect < INFINITY) || !is_near(path, event->at) ||
            (step >= 3 && defect > 1.0 && defect > 0.5 * before))
            return false;
        if (defect <= 1.0)
            return is_inside(path, event);
        // the factor of the last point as long as that converges fast
        if (step > 0 && defect > 0.1 * last && !factorise(path))
            return false;
        before = last;
        last = defect;
        correct_once(path, event);
    }
    return false;
}

static bool go_back(SticStatePath* path)
{
    memcpy(path->newton->x, path->series.x[0], (size_t)rows_of(path) * sizeof(double));
    set_tau(path, path->tau_power[0]);
    return !path->halted && find_powers(path);
}

// to the next point or event; false if the path is lost or the task stops
static bool advance(SticStatePath* path)
{
    const double reach = reach_of(path, ORDER), other = reach_of(path, ORDER - 1);
    double length = path->step < reach ? path->step : reach;
    length = length < other ? length : other;
    for (bool failed = false; length >= shortest; failed = true) {
        const Event event = first_event(path, length);
        const bool hit = event.contact >= 0, here = hit && event.at < shortest;
        if (here || correct(path, &event)) {
            path->flips = here ? path->flips + 1 : 0;
            path->events += hit;
            if (hit)
                path->state[event.contact] = (uint8_t)event.next;
            if (!here)
                path->step = failed ? length : 2.0 * path->step;
            path->step = path->step < longest ? path->step : longest;
            return path->flips <= FLIPS && find_powers(path);
        }
        length = 0.4 * event.at;
        if (!go_back(path))
            return false;
    }
    return false;
}

/* ---- the path ---- */

// the solution for a large c: Newton with states that change
static bool begin(SticStatePath* path, double c)
{
    SticProxNewton* newton = path->newton;
    memcpy(newton->x, newton->centre, (size_t)rows_of(path) * sizeof(double));
    set_tau(path, stic_ln(c));
    for (int32_t step = 0; step < START_STEPS; ++step) {
        bool same = step > 0;
        for (int32_t i = 0; i < count_of(path); ++i) {
            const SticStateContact contact = contact_of(path, i);
            const SticPathState state =
                stic_state_law_at(&contact, newton->x + contact.at, newton->y + contact.at);
            same = same && state == contact.state;
            path->state[i] = (uint8_t)state;
        }
        if (same && residual(path) <= 1.0)
            return true;
        if (!factorise(path))
            return false;
        stic_newton_system_solve(newton->system, newton->F, 1, path->toward);
        for (int32_t k = 0; k < rows_of(path); ++k)
            newton->x[k] += path->toward[k];
        set_tau(path, path->tau);
    }
    return false;
}

static bool find_start(SticStatePath* path)
{
    double c = first_c;
    bool found = false;
    memset(path->state, STIC_PATH_OPEN, (size_t)count_of(path) * sizeof *path->state);
    for (int32_t k = 0; k < STARTS && !found && !path->halted; ++k, c *= 10.0)
        found = begin(path, c);
    if (!found || !find_powers(path))
        return false;
    // c falls at the start
    if (path->tau_power[1] < 0.0)
        return true;
    path->side = -1;
    path->tau_power[1] = 0.0;
    return find_powers(path);
}

// a point of the path: false if the task stops
static bool accept(SticStatePath* path)
{
    SticProxNewton* newton = path->newton;
    path->points += 1;
    if (stic_task_interrupted(newton->task, newton->task->info->work))
        return false;
    const double error = stic_prox_newton_error(newton);
    if (!(error < newton->best_error))
        return true;
    newton->best_error = error;
    memcpy(newton->best, newton->x, (size_t)rows_of(path) * sizeof(double));
    // a check costs as much as some solves
    if (error > 0.9 * path->judged)
        return true;
    path->judged = error;
    stic_scaled_to(newton->scaled, newton->x, newton->task->r);
    return stic_task_judge(newton->task, newton->task->r);
}

// symmetric scenes cross several borders at once: a centre that is a little off has no such path
static void disturb(SticStatePath* path, uint64_t seed)
{
    const double off = 1e-4 / sqrt((double)rows_of(path)); // of b, whose norm is 1
    SticRandom random = stic_random_create(seed);
    for (int32_t k = 0; k < rows_of(path); ++k)
        path->newton->centre[k] += stic_random_range(&random, -off, off);
}

SticStageEnd stic_state_path_run(SticStatePath* path, const SticProxNewtonSettings* settings,
                                 uint64_t seed, double* x)
{
    SticProxNewton* newton = path->newton;
    path->points = path->events = path->folds = path->flips = 0;
    path->halted = false;
    path->side = 1;
    path->tau_power[1] = 0.0;
    path->step = longest;
    path->judged = INFINITY;
    stic_prox_newton_begin(newton, settings, x);
    disturb(path, seed);
    SticStageEnd end = find_start(path) ? STIC_STAGE_DONE
                       : path->halted   ? STIC_STAGE_STOPPED
                                        : STIC_STAGE_BROKEN;
    while (end == STIC_STAGE_DONE) {
        if (!accept(path))
            end = STIC_STAGE_STOPPED;
        else if (path->tau < last_tau || !advance(path))
            end = path->halted ? STIC_STAGE_STOPPED : STIC_STAGE_STALLED;
    }
    memcpy(x, newton->best, (size_t)rows_of(path) * sizeof *x);
    return end;
}
