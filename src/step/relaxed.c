// SPDX-License-Identifier: Apache-2.0
// Relaxed ODE of Kikuuwe and Brogliato (2017, eqs. 63-65).
//
//   M a = f + H lambda,   eta = H' a + bias + (2 zeta/delta) u_rel + (1/delta^2) g   obeys the law
//   with lambda,          q' = F u,  u' = a
//
// eta is the acceleration that would bring gap and velocity back with the time constant delta and
// the damping zeta; g enters on rows that have a gap. Joints get the classical Baumgarte term.
// Friction holds a constant load without creep; a normal impact takes a time of order delta.
//
// Restitution. A body that starts on the surface with a speed towards it leaves with
//   e = exp(-zeta acos(2 zeta^2 - 1)/sqrt(1 - zeta^2))                     (their eq. 104)
// A body that arrives from outside is braked as soon as g < 2 zeta delta |v| and leaves with
//   e = exp(-pi zeta/sqrt(1 - zeta^2)),  0 from zeta = 1 on.
// With zeta = -1 every contact takes the damping of its own restitution by the formula that `start`
// names, or that fits its own start: on the surface at the start of the run, or from outside.
// Joints take 1 then, friction 4.
//
// Integration: by default one of the first and the third, see choose_method. The pair 8(5,3) with
// error control, the classical method of order four, the linearised implicit Euler step u' = u + h
// a, q' = q + h F u', which for zeta = 1/2 and delta = h is their eq. 70, or CVODE's stiff methods,
// which are started anew in every step of the run. Features are frozen over a step of the
// integrator. One Coulomb problem per stage.
#include <float.h>
#include <math.h>
#include <string.h>

#include "math/math.h"
#include "problem/mass.h"
#include "step/border.h"
#include "step/branch.h"
#include "step/cvode.h"
#include "step/parts.h"
#include "step/relaxed_way.h"
#include "step/runge_kutta.h"
#include "step/schemes.h"
#include "step/seen.h"
#include "step/wander.h"
#include "stiction/extend/base.h"
#include "system/push.h"

typedef enum Method { AUTO, PAIR, CLASSIC, EULER, BDF } Method;
typedef enum Start { BY_CONTACT, ARRIVING, TOUCHING } Start;

typedef struct RelaxedSettings {
    double delta, zeta;
    int32_t start, method;
    double tolerance, step, reach;
    int32_t branch, way;
} RelaxedSettings;

static const char* const start_names[] = {"contact", "arriving", "touching", NULL};
static const char* const method_names[] = {"auto", "pair", "classic", "euler", "bdf", NULL};

static const SticField fields[] = {
    STIC_FIELD_REAL(RelaxedSettings, delta, 1e-3, 1e-12, 1e6, "s", "relaxation time"),
    STIC_FIELD_REAL(RelaxedSettings, zeta, -1.0, -1.0, 1e6, "-",
                    "damping of the relaxation; -1: that of each contact's restitution"),
    STIC_FIELD_PICK(RelaxedSettings, start, BY_CONTACT, TOUCHING, start_names,
                    "which restitution the damping is for: of bodies that arrive, that start on "
                    "the surface, or by the start of each contact"),
    STIC_FIELD_PICK(RelaxedSettings, method, AUTO, BDF, method_names,
                    "integrator: pair 8(5,3) with error control, classical order four, "
                    "linearised implicit Euler, the stiff methods of SUNDIALS CVODE, or auto: "
                    "euler for more than four bodies whose contacts do not bounce, else pair"),
    STIC_FIELD_REAL(RelaxedSettings, tolerance, 1e-8, 1e-15, 1.0, "-",
                    "error per step of the pair and of bdf, relative to the velocities"),
    STIC_FIELD_REAL(RelaxedSettings, step, 1e-4, 1e-12, 1e6, "s",
                    "longest internal step; the pair controls its error and takes up to a hundred "
                    "times that, and half of delta where friction holds"),
    STIC_FIELD_REAL(RelaxedSettings, reach, 0.0, 0.0, 1e300, "m",
                    "contacts with a larger gap are left out; 0: what velocities can brake"),
    STIC_FIELD_PICK(RelaxedSettings, branch, STIC_BRANCH_SOLVER, STIC_BRANCH_NEAREST,
                    stic_branch_names,
                    "solution to take where a small problem has several (Painlevé): what the "
                    "solver finds, or one of all, which become events"),
    STIC_FIELD_PICK(RelaxedSettings, way, STIC_WAY_RUN, STIC_WAY_LAST, stic_way_names,
                    "how contact laws are solved: by the run's solver, exactly (exact, newton, "
                    "quartic, product) or approximately (convex, projection, faceted)"),
};
const SticFieldTable stic_relaxed_fields = {
    "relaxed", fields, (int32_t)(sizeof fields / sizeof fields[0]), sizeof(RelaxedSettings)};

// kept between steps: room only
typedef struct RelaxedOwn {
    SticContext context;
    SticSeen seen;
    SticCvode* cvode; // for `unknowns` unknowns
    int32_t unknowns;
} RelaxedOwn;

typedef struct Relaxed {
    RelaxedOwn* own;
    int32_t method; // AUTO until the first list of the call is known
    bool goes_on;   // CVODE has a history
    // contacts that began on the surface and have not parted yet: id 0 if they have
    uint64_t* began;
    uint8_t* acted; // [begun] they have carried something
    int32_t begun;
    uint64_t* sunk; // contacts that overlapped at the start of the run and are not out yet, or 0
    int32_t sunken;
    SticStepper* stepper;
    const SticSystem* system;
    const RelaxedSettings* settings;
    SticStepInfo* info;
    SticMemory* memory; // forces of the last instant, for the next start value, and bonds
    SticSeen* seen;
    SticDirections list;
    double *zeta, *gap_rate; // [list.set.rows] damping, and 1/delta^2 on rows with a gap
    SticLedger trial;        // works of the step on trial
    bool engaged;            // a contact carried something at one of its stages
    double *impulse, *work;  // [list.set.rows]
    double (*given)[6];      // [list.set.count] see SticStepRecord
    double *gap, *rate;      // [list.set.rows] at the last instant
    double *gap_0, *rate_0;  // [list.set.rows] at the first instant of the step on trial
    bool first;              // the next instant is that
    double piece[2]; // kinks of loads and prescribed motions before and behind; infinite: none
    double begin;    // of the call
    double smooth;   // until when loads and prescribed motions are smooth
    SticStepInfo* deepest; // penetration over the call
    double* push;          // [nu] accelerations of the last instant
    bool pushed;           // contacts have had their part in them
    bool tell;             // several solutions of the next instant are events
    SticOutcome unsolved;
} Relaxed;

/* ---- damping by restitution ---- */

double stic_relaxed_restitution(double zeta, bool touching)
{
    STIC_ASSERT(zeta >= 0.0);
    if (!touching)
        return zeta >= 1.0 ? 0.0 : stic_exp(-STIC_PI * zeta / sqrt(1.0 - zeta * zeta));
    const double x = 2.0 * zeta * zeta - 1.0, d = 1.0 - zeta * zeta;
    // near 1 both quotients are 0/0; their limit is 2
    if (fabs(d) < 1e-9)
        return stic_exp(-2.0 * zeta);
    const double angle = d > 0.0 ? stic_acos(x) / sqrt(d) : stic_acosh(x) / sqrt(-d);
    return stic_exp(-zeta * angle);
}

double stic_relaxed_damping(double restitution, bool touching)
{
    STIC_ASSERT(restitution >= 0.0 && restitution <= 1.0);
    if (!touching) {
        if (restitution <= 0.0)
            return 1.0;
        const double l = -stic_ln(restitution);
        return l / sqrt(STIC_PI * STIC_PI + l * l);
    }
    // decreasing, about 1/(4 zeta^2) for large zeta: a plastic contact has no damping of its own
    double low = 0.0, high = 16.0;
    for (int k = 0; k < 200 && low < high; ++k) {
        const double middle = 0.5 * (low + high);
        if (middle <= low || middle >= high)
            break;
        if (stic_relaxed_restitution(middle, true) > restitution)
            low = middle;
        else
            high = middle;
    }
    return 0.5 * (low + high);
}

static int32_t find_began(const Relaxed* relaxed, uint64_t id)
{
    for (int32_t k = 0; k < relaxed->begun; ++k)
        if (relaxed->began[k] == id)
            return k;
    return -1;
}

// damping of friction where the restitution names that of the normals: a slip decays as
// exp(-2 zeta t/delta) once friction holds it, which must be over before a collision is, about
// 3 delta long; 1e-10 of it is left then
#define FRICTION_DAMPING 4.0

static void fill_damping(Relaxed* relaxed)
{
    const SticSet* set = &relaxed->list.set;
    const RelaxedSettings* settings = relaxed->settings;
    const double spring = 1.0 / (settings->delta * settings->delta);
    for (int32_t i = 0; i < set->count; ++i)
        for (int32_t row = set->row_at[i]; row < set->row_at[i + 1]; ++row) {
            const bool contact = set->interaction[i].level == STIC_LEVEL_CONTACT;
            const bool normal = contact && row == set->row_at[i];
            double zeta = settings->zeta >= 0.0 ? settings->zeta : contact ? FRICTION_DAMPING : 1.0;
            if (settings->zeta < 0.0 && normal)
                zeta = stic_relaxed_damping(set->interaction[i].restitution[0],
                                            settings->start == TOUCHING ||
                                                (settings->start == BY_CONTACT &&
                                                 find_began(relaxed, set->interaction[i].id) >= 0));
            relaxed->zeta[row] = 2.0 * zeta / settings->delta;
            relaxed->gap_rate[row] = spring;
        }
}

// A time inside the piece under way: signals take times within 16 roundings of a kink for the kink
// itself, and what jumps there has the value of its side.
static double inside(const Relaxed* relaxed, double t)
{
    for (int k = 0; k < 2; ++k) {
        const double kink = relaxed->piece[k], shy = 32.0 * DBL_EPSILON * fabs(kink);
        if (isfinite(kink) && (k == 0 ? t < kink + shy : t > kink - shy))
            return k == 0 ? kink + shy : kink - shy;
    }
    return t;
}

/* ---- the list ---- */

// time, in delta, before it closes from which on a contact is braked: 2 zeta, and some
#define BRAKING 4.0

// A contact is braked from g = 2 zeta delta |v| + delta^2 |a| on; zeta of arriving bodies is at
// most 1. Within a step velocities change by what the last accelerations add.
static SticStatus reach_of(Relaxed* relaxed, const SticState* state, double h, SticReach* reach)
{
    const RelaxedSettings* settings = relaxed->settings;
    *reach = (SticReach){.gap = settings->reach, .beside = true};
    if (settings->reach > 0.0)
        return STIC_OK;
    const double zeta = settings->zeta > 1.0                                ? settings->zeta
                        : settings->start == TOUCHING || relaxed->begun > 0 ? 16.0
                                                                            : 1.0;
    double* change = NULL;
    STIC_TRY(STIC_TAKE(relaxed->stepper->arena, &change, relaxed->system->layout.nu));
    reach->time = 2.0 * zeta * settings->delta + h;
    for (int32_t c = 0; c < relaxed->system->layout.nu; ++c)
        change[c] = reach->time * fabs(relaxed->push[c]);
    reach->u = state->u;
    reach->change = change;
    return STIC_OK;
}

// Leaves out of the list what would be braked although it leaves its feature before it touches.
static SticStatus drop_leaving(Relaxed* relaxed, const SticState* state, double h)
{
    SticArena* arena = relaxed->stepper->arena;
    SticDirections* list = &relaxed->list;
    const int32_t count = list->set.count;
    const SticState at = {inside(relaxed, state->t), state->q, state->u, state->memory};
    double *rate = NULL, *lambda = NULL;
    uint8_t *asked = NULL, *keep = NULL;
    SticSet part;
    bool any = false;
    STIC_TRY(STIC_TAKE(arena, &rate, list->set.rows));
    STIC_TRY(STIC_TAKE(arena, &lambda, list->set.rows));
    STIC_TRY(STIC_TAKE(arena, &asked, count));
    STIC_TRY(STIC_TAKE(arena, &keep, count));
    STIC_TRY(stic_directions_measure(relaxed->stepper, relaxed->system, &at,
                                     STIC_WANT_GAP | STIC_WANT_CHI | STIC_WANT_H, NULL, list));
    stic_directions_velocity(list, at.u, rate);
    stic_parts_warm_start(&list->set, relaxed->memory, lambda);
    for (int32_t i = 0; i < count; ++i) {
        const int32_t row = list->set.row_at[i];
        asked[i] = lambda[row] <= 0.0 && list->measures.gap[row] > list->set.interaction[i].slack;
    }
    const SticBorderMotion motion = {.arena = arena,
                                     .system = relaxed->system,
                                     .state = &at,
                                     .push = relaxed->push,
                                     .gap = list->measures.gap,
                                     .rate = rate,
                                     .asked = asked,
                                     .beside = true,
                                     .horizon = BRAKING * relaxed->settings->delta + h};
    STIC_TRY(stic_border_leave(&motion, &list->set, keep, &any));
    for (int32_t i = 0; i < count; ++i)
        keep[i] = !keep[i];
    memset(&list->measures, 0, sizeof list->measures);
    if (!any)
        return STIC_OK;
    STIC_TRY(stic_parts_keep(arena, &list->set, keep, &part));
    memset(list, 0, sizeof *list);
    list->set = part;
    return stic_directions_prepare(relaxed->stepper, relaxed->system, list);
}

static SticStatus detect(Relaxed* relaxed, const SticState* state, double h)
{
    SticArena* arena = relaxed->stepper->arena;
    SticReach reach;
    STIC_TRY(reach_of(relaxed, state, h, &reach));
    memset(&relaxed->list, 0, sizeof relaxed->list);
    STIC_TRY(
        relaxed->system->ops->detect(relaxed->system, state, &reach, arena, &relaxed->list.set));
    STIC_TRY(stic_directions_prepare(relaxed->stepper, relaxed->system, &relaxed->list));
    if (relaxed->list.set.count > 0)
        STIC_TRY(drop_leaving(relaxed, state, h));
    const int32_t rows = relaxed->list.set.rows;
    STIC_TRY(STIC_TAKE(arena, &relaxed->zeta, rows));
    STIC_TRY(STIC_TAKE(arena, &relaxed->gap_rate, rows));
    STIC_TRY(STIC_TAKE(arena, &relaxed->impulse, rows));
    STIC_TRY(STIC_TAKE(arena, &relaxed->given, relaxed->list.set.count));
    STIC_TRY(STIC_TAKE(arena, &relaxed->work, rows));
    STIC_TRY(STIC_TAKE(arena, &relaxed->gap, rows));
    STIC_TRY(STIC_TAKE(arena, &relaxed->rate, rows));
    STIC_TRY(STIC_TAKE(arena, &relaxed->gap_0, rows));
    STIC_TRY(STIC_TAKE(arena, &relaxed->rate_0, rows));
    fill_damping(relaxed);
    return STIC_OK;
}

// contacts of the first state of a run that are closed and approach, and those of the memory
static SticStatus take_began(Relaxed* relaxed, const SticState* from)
{
    SticArena* arena = relaxed->stepper->arena;
    const SticMemory* memory = from->memory;
    SticDirections d = {.set = {.count = 0}};
    double* rate = NULL;
    if (relaxed->settings->start != BY_CONTACT || relaxed->settings->zeta >= 0.0)
        return STIC_OK;
    if (!memory->begun) {
        STIC_TRY(stic_directions_detect(relaxed->stepper, relaxed->system, from, 0.0, &d));
        STIC_TRY(stic_directions_measure(relaxed->stepper, relaxed->system, from,
                                         STIC_WANT_GAP | STIC_WANT_CHI | STIC_WANT_H, NULL, &d));
    }
    STIC_TRY(STIC_TAKE(arena, &relaxed->began, d.set.count + memory->count));
    STIC_TRY(STIC_TAKE(arena, &relaxed->acted, d.set.count + memory->count));
    STIC_TRY(STIC_TAKE(arena, &rate, d.set.rows));
    if (d.set.rows > 0)
        stic_directions_velocity(&d, from->u, rate);
    for (int32_t i = 0; i < d.set.count; ++i)
        if (d.set.interaction[i].level == STIC_LEVEL_CONTACT && rate[d.set.row_at[i]] < 0.0) {
            relaxed->acted[relaxed->begun] = 0;
            relaxed->began[relaxed->begun++] = d.set.interaction[i].id;
        }
    for (int32_t k = 0; memory->begun && k < memory->count; ++k)
        if (memory->record[k].deviation[0] == 1.0) {
            relaxed->acted[relaxed->begun] = 1;
            relaxed->began[relaxed->begun++] = memory->record[k].id;
        }
    return STIC_OK;
}

// Contacts that overlap in the first state of a run, and those of the memory. The law drives them
// out: energy that comes from such an overlap is a correction, not an impact.
static SticStatus take_sunk(Relaxed* relaxed, const SticState* from)
{
    SticArena* arena = relaxed->stepper->arena;
    const SticMemory* memory = from->memory;
    SticDirections d = {.set = {.count = 0}};
    if (!memory->begun) {
        STIC_TRY(stic_directions_detect(relaxed->stepper, relaxed->system, from, 0.0, &d));
        STIC_TRY(stic_directions_measure(relaxed->stepper, relaxed->system, from, STIC_WANT_GAP,
                                         NULL, &d));
    }
    STIC_TRY(STIC_TAKE(arena, &relaxed->sunk, d.set.count + memory->count));
    for (int32_t i = 0; i < d.set.count; ++i)
        if (d.set.interaction[i].level == STIC_LEVEL_CONTACT &&
            d.measures.gap[d.set.row_at[i]] < -d.set.interaction[i].slack)
            relaxed->sunk[relaxed->sunken++] = d.set.interaction[i].id;
    for (int32_t k = 0; memory->begun && k < memory->count; ++k)
        if (memory->record[k].deviation[1] == 1.0)
            relaxed->sunk[relaxed->sunken++] = memory->record[k].id;
    return STIC_OK;
}

// works of contacts that are driven out, and which of them are
static void follow_sunk(Relaxed* relaxed)
{
    const SticSet* set = &relaxed->list.set;
    for (int32_t k = 0; k < relaxed->sunken; ++k) {
        const int32_t i = stic_parts_find(set, relaxed->sunk[k]);
        if (relaxed->sunk[k] == 0 || i < 0) {
            relaxed->sunk[k] = 0;
            continue;
        }
        relaxed->trial.correction += relaxed->work[set->row_at[i]];
        relaxed->work[set->row_at[i]] = 0.0;
        if (relaxed->gap[set->row_at[i]] > 0.0)
            relaxed->sunk[k] = 0;
    }
}

// A contact that carried a load, no longer does and is outside has parted; when it comes back it
// arrives from outside. Forces end while it is still below the surface, on its way out.
static void follow_began(Relaxed* relaxed)
{
    const SticSet* set = &relaxed->list.set;
    for (int32_t k = 0; k < relaxed->begun; ++k) {
        const int32_t i = stic_parts_find(set, relaxed->began[k]);
        const bool acts = i >= 0 && relaxed->impulse[set->row_at[i]] > 0.0;
        const bool out = i < 0 || relaxed->gap[set->row_at[i]] > 0.0;
        if (relaxed->acted[k] && !acts && out)
            relaxed->began[k] = 0;
        relaxed->acted[k] = relaxed->acted[k] || acts;
    }
}

// the least gap between two instants h apart, by the cubic through gaps and rates
static double least_gap(const double gap[2], const double rate[2], double h)
{
    const double least = gap[0] < gap[1] ? gap[0] : gap[1];
    if (!(rate[0] < 0.0 && rate[1] > 0.0))
        return least;
    // g(x) = gap_0 + a x + b x^2 + c x^3 with x from 0 to 1
    const double a = h * rate[0], d = gap[1] - gap[0];
    const double b = 3.0 * d - 2.0 * a - h * rate[1], c = a + h * rate[1] - 2.0 * d;
    const double root = sqrt(b * b - 3.0 * a * c);
    // the root at which g grows; this form has no cancellation and holds for c = 0
    const double x = b + root > 0.0 ? -a / (b + root) : (root - b) / (3.0 * c);
    const double turn = gap[0] + x * (a + x * (b + x * c));
    return x > 0.0 && x < 1.0 && turn < least ? turn : least;
}

// overlaps of a step of length h; Euler's gaps are those of its beginning
static void follow_depth(Relaxed* relaxed, double h)
{
    const SticSet* set = &relaxed->list.set;
    for (int32_t i = 0; i < set->count; ++i) {
        const int32_t row = set->row_at[i];
        if (set->interaction[i].level != STIC_LEVEL_CONTACT)
            continue;
        const double gap[2] = {relaxed->gap_0[row], relaxed->gap[row]},
                     rate[2] = {relaxed->rate_0[row], relaxed->rate[row]};
        stic_parts_count_depth(&set->interaction[i], -least_gap(gap, rate, h), 0.0,
                               relaxed->deepest);
    }
}

/* ---- accelerations ---- */

static SticStatus add_works(Relaxed* relaxed, const SticState* state, const SticDirections* d,
                            const double* lambda, double weight)
{
    double *moved = NULL, *u_rel = NULL;
    STIC_TRY(STIC_TAKE(relaxed->stepper->arena, &moved, relaxed->system->layout.nu));
    STIC_TRY(STIC_TAKE(relaxed->stepper->arena, &u_rel, d->set.rows));
    stic_directions_velocity(d, state->u, u_rel);
    for (int32_t row = 0; row < d->set.rows; ++row) {
        relaxed->impulse[row] += weight * lambda[row];
        relaxed->work[row] += weight * lambda[row] * u_rel[row];
    }
    const SticPushRows rows = {relaxed->system, &d->set, &d->Ht, state};
    stic_push_add_all(&rows, lambda, weight, relaxed->given);
    stic_ledger_add_prescribed(d->set.rows, lambda, d->measures.chi, weight, &relaxed->trial);
    for (int32_t c = 0; c < relaxed->system->layout.nu; ++c)
        moved[c] = weight * state->u[c];
    return stic_ledger_add_applied(relaxed->stepper, relaxed->system, state, moved,
                                   &relaxed->trial);
}

static void note_gaps(Relaxed* relaxed, int32_t rows, const double* gap, const double* rate)
{
    const size_t size = (size_t)rows * sizeof *gap;
    if (rows > 0) {
        memcpy(relaxed->gap, gap, size);
        memcpy(relaxed->rate, rate, size);
    }
    if (rows > 0 && relaxed->first) {
        memcpy(relaxed->gap_0, gap, size);
        memcpy(relaxed->rate_0, rate, size);
    }
    relaxed->first = false;
}

// whether a contact of the set carries something
static bool carry(const SticSet* set, const double* lambda)
{
    for (int32_t i = 0; i < set->count; ++i)
        for (int32_t row = set->row_at[i];
             set->interaction[i].level == STIC_LEVEL_CONTACT && row < set->row_at[i + 1]; ++row)
            if (lambda[row] != 0.0)
                return true;
    return false;
}

// Forces from those of the last instant. Shares of redundant points go on from what they begin
// with: where nothing was carried before, equal contacts get equal forces.
static SticStatus solve(Relaxed* relaxed, const SticSet* set, const SticProblem* problem,
                        double* lambda, double* eta)
{
    SticStepper* stepper = relaxed->stepper;
    const bool begins = stepper->branch.rule == STIC_BRANCH_SOLVER && !carry(set, lambda);
    double* start = NULL;
    STIC_TRY(STIC_TAKE(stepper->arena, &start, set->rows));
    if (set->rows > 0)
        memcpy(start, lambda, (size_t)set->rows * sizeof *start);
    STIC_TRY(stic_parts_solve(stepper, problem, lambda, eta, relaxed->info));
    if (!begins || !carry(set, lambda))
        return STIC_OK;
    memcpy(lambda, start, (size_t)set->rows * sizeof *start);
    return stic_parts_solve_evenly(stepper, problem, lambda, eta, relaxed->info);
}

// accelerations at a state; works of the stage enter the trial with the weight of the quadrature,
// s; `keep`: forces and bonds go into the memory
static SticStatus accelerate(Relaxed* relaxed, const SticState* asked, double weight, bool keep,
                             double* acceleration)
{
    const SticState at = {inside(relaxed, asked->t), asked->q, asked->u, asked->memory},
                    *state = &at;
    SticStepper* stepper = relaxed->stepper;
    const SticSystem* system = relaxed->system;
    SticArena* arena = stepper->arena;
    const SticArenaMark mark = stic_arena_mark(arena);
    SticMass mass;
    SticDirections d = relaxed->list;
    SticProblem problem;
    double *force = NULL, *w = NULL, *shift = NULL, *lambda = NULL, *eta = NULL, *scratch = NULL;
    STIC_TRY(stic_stepper_load(stepper, state->t, &relaxed->info->error));
    STIC_TRY(STIC_TAKE(arena, &force, system->layout.nu));
    STIC_TRY(STIC_TAKE(arena, &scratch, system->layout.nu));
    STIC_TRY(system->ops->mass(system, state, arena, &mass));
    STIC_TRY(stic_system_force(system, state, arena, force));
    STIC_TRY(stic_system_add_gyro(system, state, &mass, arena, force));
    const double longest = 0.01 * relaxed->settings->delta;
    STIC_TRY(stic_wander_measure(stepper, system, state, longest, relaxed->piece, &d));
    STIC_TRY(stic_parts_problem(stepper, &d, 1.0, &problem, &shift));
    STIC_TRY(STIC_TAKE(arena, &w, d.set.rows));
    STIC_TRY(STIC_TAKE(arena, &lambda, d.set.rows));
    STIC_TRY(STIC_TAKE(arena, &eta, d.set.rows));
    stic_directions_velocity(&d, state->u, w);
    note_gaps(relaxed, d.set.rows, d.measures.gap, w);
    for (int32_t row = 0; row < d.set.rows; ++row)
        w[row] = d.measures.bias[row] + relaxed->zeta[row] * w[row] +
                 relaxed->gap_rate[row] * d.measures.gap[row];
    problem.dof = system->layout.nu;
    problem.M = &mass;
    problem.Ht = &d.Ht;
    problem.f = force;
    problem.w = w;
    stic_parts_warm_start(&d.set, relaxed->memory, lambda);
    stepper->branch =
        (SticBranching){relaxed->settings->branch, state->u, relaxed->tell, state->t, 0};
    relaxed->tell = false;
    STIC_TRY(solve(relaxed, &d.set, &problem, lambda, eta));
    if (relaxed->info->solve.outcome != STIC_OUTCOME_SOLVED &&
        stic_way_is_exact(relaxed->settings->way))
        relaxed->unsolved = relaxed->info->solve.outcome;
    stic_parts_velocity(&mass, &d.Ht, force, lambda, acceleration, scratch);
    memcpy(relaxed->push, acceleration, (size_t)system->layout.nu * sizeof *acceleration);
    relaxed->engaged = relaxed->engaged || carry(&d.set, lambda);
    if (weight != 0.0) {
        // forces of an Euler step do work over its mean velocity, and what they take is theirs
        for (int32_t c = 0; c < system->layout.nu; ++c)
            scratch[c] =
                state->u[c] + (relaxed->method == EULER ? 0.5 * weight * acceleration[c] : 0.0);
        const SticState worked = {state->t, state->q, scratch, state->memory};
        STIC_TRY(add_works(relaxed, &worked, &d, lambda, weight));
    }
    if (keep) {
        SticReactions reactions = {.r = lambda, .h = 1.0};
        STIC_TRY(stic_parts_opening(stepper, &problem, eta, &reactions.opens));
        STIC_TRY(stic_parts_remember(&d.set, &reactions, relaxed->memory));
    }
    stic_arena_rewind(arena, mark);
    return STIC_OK;
}

// slope of (q, u) at a stage
static SticStatus slope_at(void* self, double t, const double* y, double weight, double* slope)
{
    Relaxed* relaxed = self;
    const SticLayout* layout = &relaxed->system->layout;
    const SticArenaMark mark = stic_arena_mark(relaxed->stepper->arena);
    double* q = NULL;
    STIC_TRY(STIC_TAKE(relaxed->stepper->arena, &q, layout->nq + layout->nu));
    memcpy(q, y, (size_t)(layout->nq + layout->nu) * sizeof *q);
    const SticState state = {t, q, q + layout->nq, relaxed->memory};
    stic_system_rate(relaxed->system, &state, slope);
    STIC_TRY(accelerate(relaxed, &state, weight, false, slope + layout->nq));
    stic_arena_rewind(relaxed->stepper->arena, mark);
    return STIC_OK;
}

/* ---- steps ---- */

static void begin_trial(Relaxed* relaxed)
{
    const size_t rows = (size_t)relaxed->list.set.rows;
    memset(&relaxed->trial, 0, sizeof relaxed->trial);
    memset(relaxed->impulse, 0, rows * sizeof *relaxed->impulse);
    memset(relaxed->given, 0, (size_t)relaxed->list.set.count * sizeof *relaxed->given);
    memset(relaxed->work, 0, rows * sizeof *relaxed->work);
    relaxed->first = true;
    relaxed->engaged = false;
}

// works, impulses, overlaps and forces of an accepted step of length h
static SticStatus commit(Relaxed* relaxed, double h, SticState* state)
{
    const SticSet* set = &relaxed->list.set;
    const SticLayout* layout = &relaxed->system->layout;
    double *one = NULL, *rate = NULL;
    STIC_TRY(STIC_TAKE(relaxed->stepper->arena, &one, set->rows));
    STIC_TRY(STIC_TAKE(relaxed->stepper->arena, &rate, layout->nu));
    for (int32_t row = 0; row < set->rows; ++row)
        one[row] = 1.0;
    for (int32_t i = 0; !relaxed->goes_on && i < layout->blocks; ++i)
        stic_chart_normalize((SticChart)layout->chart[i], state->q + layout->q_at[i]);
    relaxed->info->substeps += 1;
    STIC_TRY(stic_system_follow(relaxed->system, state));
    // an Euler step has kept the forces it was made with
    if (relaxed->method != EULER)
        STIC_TRY(accelerate(relaxed, state, 0.0, true, rate));
    follow_sunk(relaxed);
    STIC_TRY(stic_ledger_add_reactions(relaxed->stepper, set, relaxed->work, one, &relaxed->trial));
    stic_ledger_add(&relaxed->info->ledger, &relaxed->trial);
    STIC_TRY(
        stic_seen_add(relaxed->seen, set, relaxed->impulse, (const double(*)[6])relaxed->given));
    follow_began(relaxed);
    follow_depth(relaxed, h);
    return STIC_OK;
}

static SticStatus euler_step(Relaxed* relaxed, double h, SticState* state)
{
    const SticLayout* layout = &relaxed->system->layout;
    double *rate = NULL, *before = NULL;
    STIC_TRY(STIC_TAKE(relaxed->stepper->arena, &rate, layout->nu));
    STIC_TRY(STIC_TAKE(relaxed->stepper->arena, &before, layout->nu));
    memcpy(before, state->u, (size_t)layout->nu * sizeof *before);
    STIC_TRY(accelerate(relaxed, state, h, true, rate));
    for (int32_t c = 0; c < layout->nu; ++c)
        state->u[c] = before[c] + h * rate[c];
    stic_parts_drift(layout, state->q, state->u, h, state->q);
    return STIC_OK;
}

static SticStatus classic_step(Relaxed* relaxed, double h, SticState* state)
{
    const SticLayout* layout = &relaxed->system->layout;
    const SticOde ode = {layout->nq + layout->nu, relaxed, slope_at};
    double *work = NULL, *y = NULL;
    STIC_TRY(STIC_TAKE(relaxed->stepper->arena, &work, 3 * (int64_t)ode.n));
    STIC_TRY(STIC_TAKE(relaxed->stepper->arena, &y, ode.n));
    memcpy(y, state->q, (size_t)layout->nq * sizeof *y);
    memcpy(y + layout->nq, state->u, (size_t)layout->nu * sizeof *y);
    STIC_TRY(stic_runge_kutta_classic(&ode, state->t, h, work, y));
    memcpy(state->q, y, (size_t)layout->nq * sizeof *y);
    memcpy(state->u, y + layout->nq, (size_t)layout->nu * sizeof *y);
    return STIC_OK;
}

// length of a step, in delta, over which a collision, which lasts pi delta or less, is seen by stages
// that count
#define SEEN 2.0

// part of delta within which the end of a feature is known: what a load does in it is nothing
#define BORDER 1e-6

// whether a contact that carries something has left its feature at a part of the last step
static SticStatus has_left(Relaxed* relaxed, const SticRungeKutta* step, double part,
                           const uint8_t* asked, bool* left)
{
    SticArena* arena = relaxed->stepper->arena;
    const SticLayout* layout = &relaxed->system->layout;
    const SticArenaMark mark = stic_arena_mark(arena);
    double* y = NULL;
    STIC_TRY(STIC_TAKE(arena, &y, step->ode.n));
    if (part == 0.0 || part == 1.0)
        memcpy(y, part == 0.0 ? step->begin : step->end, (size_t)step->ode.n * sizeof *y);
    else
        stic_runge_kutta_at(step, part, y);
    for (int32_t i = 0; i < layout->blocks; ++i)
        stic_chart_normalize((SticChart)layout->chart[i], y + layout->q_at[i]);
    const SticState at = {step->t + part * step->h, y, y + layout->nq, relaxed->memory};
    const SticBorderMotion motion = {
        .arena = arena, .system = relaxed->system, .state = &at, .asked = asked, .beside = true};
    STIC_TRY(stic_border_left(&motion, &relaxed->list.set, left));
    stic_arena_rewind(arena, mark);
    return STIC_OK;
}

// Frozen planes and edges have no ends. A step in which a contact that carries something leaves its
// feature is made again with the length up to there, by bisection on the dense output.
static SticStatus end_at_border(Relaxed* relaxed, SticRungeKutta* step, double* done)
{
    const SticSet* set = &relaxed->list.set;
    double low = 0.0, high = 1.0;
    uint8_t* asked = NULL;
    bool left = false, before = false;
    if (!relaxed->engaged)
        return STIC_OK;
    STIC_TRY(STIC_TAKE(relaxed->stepper->arena, &asked, set->count));
    for (int32_t i = 0; i < set->count; ++i)
        asked[i] = relaxed->impulse[set->row_at[i]] > 0.0;
    STIC_TRY(has_left(relaxed, step, 1.0, asked, &left));
    if (left)
        STIC_TRY(has_left(relaxed, step, 0.0, asked, &before));
    if (!left || before)
        return STIC_OK;
    // four slopes, of which nothing is counted
    STIC_TRY(stic_runge_kutta_prepare(step));
    while ((high - low) * *done > BORDER * relaxed->settings->delta) {
        const double middle = 0.5 * (low + high);
        STIC_TRY(has_left(relaxed, step, middle, asked, &left));
        *(left ? &high : &low) = middle;
    }
    *done *= high;
    begin_trial(relaxed);
    return stic_runge_kutta_try(step, step->t, *done);
}

// a step of the pair, at most *h long; *h becomes the length of the next one
static SticStatus pair_step(Relaxed* relaxed, SticErrorScale* scale, double* h, double* done,
                            SticState* state)
{
    const SticLayout* layout = &relaxed->system->layout;
    const SticOde ode = {layout->nq + layout->nu, relaxed, slope_at};
    SticRungeKutta* step = NULL;
    double error = 0.0;
    STIC_TRY(stic_runge_kutta_create(relaxed->stepper->arena, &ode, &step));
    memcpy(step->begin, state->q, (size_t)layout->nq * sizeof *state->q);
    memcpy(step->begin + layout->nq, state->u, (size_t)layout->nu * sizeof *state->u);
    for (*done = *h;; *done *= stic_runge_kutta_factor(isfinite(error) ? error : 1e300)) {
        begin_trial(relaxed);
        STIC_TRY(stic_runge_kutta_try(step, state->t, *done));
        STIC_TRY(stic_step_error(step, relaxed->system, relaxed->stepper->arena, scale, &error));
        // stages without a weight may be the only ones inside a collision that is shorter than the
        // step: the estimate knows nothing of it
        if (relaxed->engaged && *done > SEEN * relaxed->settings->delta)
            error = INFINITY;
        // where a contact engages the slope has a corner: no shorter step than this for it
        if (error <= 1.0 || *done <= 1e-4 * relaxed->settings->delta)
            break;
    }
    *h = *done * stic_runge_kutta_factor(error);
    STIC_TRY(end_at_border(relaxed, step, done));
    memcpy(state->q, step->end, (size_t)layout->nq * sizeof *state->q);
    memcpy(state->u, step->end + layout->nq, (size_t)layout->nu * sizeof *state->u);
    return STIC_OK;
}

// a step of CVODE's stiff methods of at most h; quaternions keep their length to its tolerance, and
// are scaled back at the end of the call
static SticStatus bdf_step(Relaxed* relaxed, SticErrorScale* scale, double h, double* done,
                           SticState* state)
{
    const SticLayout* layout = &relaxed->system->layout;
    const SticOde ode = {layout->nq + layout->nu, relaxed, slope_at};
    SticArena* arena = relaxed->stepper->arena;
    double *y = NULL, *allowed = NULL, *scratch = NULL, ends[2] = {state->t, 0.0};
    STIC_TRY(STIC_TAKE(arena, &y, ode.n));
    STIC_TRY(STIC_TAKE(arena, &allowed, ode.n));
    STIC_TRY(STIC_TAKE(arena, &scratch, 2 * (int64_t)ode.n));
    memcpy(y, state->q, (size_t)layout->nq * sizeof *y);
    memcpy(y + layout->nq, state->u, (size_t)layout->nu * sizeof *y);
    STIC_TRY(stic_step_allowed(relaxed->system, arena, state, scale, allowed));
    if (!relaxed->goes_on)
        STIC_TRY(stic_cvode_start(relaxed->own->cvode, &ode, state->t, y, &relaxed->info->error));
    relaxed->goes_on = true;
    begin_trial(relaxed);
    STIC_TRY(stic_cvode_step(relaxed->own->cvode, &ode, allowed, state->t + h, &ends[1], y));
    STIC_TRY(stic_cvode_sum(relaxed->own->cvode, &ode, ends, scratch));
    *done = ends[1] - ends[0];
    memcpy(state->q, y, (size_t)layout->nq * sizeof *y);
    memcpy(state->u, y + layout->nq, (size_t)layout->nu * sizeof *y);
    return STIC_OK;
}

// Relaxation displaces bodies by about delta times their speeds. Euler's steps of delta/10 add a
// twentieth of that and cost one problem each, the pair thirteen or more, which pays for few bodies
// and where the speed of a rebound counts.
static Method choose_method(const Relaxed* relaxed)
{
    enum { FEW = 4 };
    const SticSet* set = &relaxed->list.set;
    bool bounces = relaxed->settings->zeta >= 0.0 && relaxed->settings->zeta < 1.0;
    int32_t contacts = 0;
    for (int32_t i = 0; i < set->count; ++i) {
        const bool contact = set->interaction[i].level == STIC_LEVEL_CONTACT;
        contacts += contact ? 1 : 0;
        bounces = bounces || (contact && relaxed->settings->zeta < 0.0 &&
                              set->interaction[i].restitution[0] > 0.0);
    }
    return relaxed->system->layout.blocks > FEW && contacts > 0 && !bounces ? EULER : PAIR;
}

// A slip that friction holds decays at the rate 2 zeta/delta; the pair is stable up to about six
// over that, and steps beyond would keep slips at its tolerance instead of letting them go.
static double stable_step(const Relaxed* relaxed)
{
    double rate = 0.0;
    for (int32_t row = 0; row < relaxed->list.set.rows; ++row)
        rate = relaxed->zeta[row] > rate ? relaxed->zeta[row] : rate;
    return rate > 0.0 ? 4.0 / rate : INFINITY;
}

// where a step that begins at a time has to end: at the next kink, and where the stretch does over
// which loads and prescribed motions are smooth
static double end_of_step(Relaxed* relaxed, double t, double t_to)
{
    const double instant = 64.0 * DBL_EPSILON * fabs(t);
    if (!(relaxed->piece[1] > t + instant)) {
        relaxed->piece[0] = relaxed->piece[1];
        relaxed->piece[1] = stic_stepper_kink(relaxed->stepper, relaxed->system, t + instant);
    }
    if (!(relaxed->smooth > t + instant))
        relaxed->smooth =
            stic_stepper_smooth(relaxed->stepper, relaxed->system, t, t + (t_to - relaxed->begin));
    const double end = relaxed->piece[1] < relaxed->smooth ? relaxed->piece[1] : relaxed->smooth;
    return end < t_to - instant ? end : t_to;
}

// The list of a step. Accelerations at the beginning of the call are those without contacts; what
// acting contacts turn may close others within the step, so that it is made again with theirs.
// Euler's steps are too short for that.
static SticStatus list_for(Relaxed* relaxed, const SticState* state, double h)
{
    double* rate = NULL;
    STIC_TRY(detect(relaxed, state, h));
    if (relaxed->method == AUTO)
        relaxed->method = (int32_t)choose_method(relaxed);
    const bool again = !relaxed->pushed && relaxed->method != EULER && relaxed->memory->count > 0;
    relaxed->pushed = true;
    if (!again)
        return STIC_OK;
    STIC_TRY(STIC_TAKE(relaxed->stepper->arena, &rate, relaxed->system->layout.nu));
    relaxed->tell = false;
    STIC_TRY(accelerate(relaxed, state, 0.0, false, rate));
    return detect(relaxed, state, h);
}

static SticStatus one_step(Relaxed* relaxed, SticErrorScale* scale, double t_to, double* h,
                           SticState* state)
{
    const RelaxedSettings* settings = relaxed->settings;
    const double end = end_of_step(relaxed, state->t, t_to), left = end - state->t;
    double done = 0.0;
    STIC_TRY(list_for(relaxed, state, *h < left ? *h : left));
    relaxed->tell = true;
    if (relaxed->method == PAIR) {
        *h = *h < settings->step * 100.0 ? *h : settings->step * 100.0;
        *h = *h < stable_step(relaxed) ? *h : stable_step(relaxed);
        *h = *h < left ? *h : left;
        STIC_TRY(pair_step(relaxed, scale, h, &done, state));
    } else if (relaxed->method == BDF) {
        STIC_TRY(bdf_step(relaxed, scale, *h < left ? *h : left, &done, state));
        // CVODE makes the next step ten times longer at most
        *h = 20.0 * done;
    } else {
        const double longest = settings->method == AUTO && settings->step > 0.1 * settings->delta
                                   ? 0.1 * settings->delta
                                   : settings->step;
        const double parts = ceil(left / longest * (1.0 - 1e-12));
        done = left / (parts > 1.0 ? parts : 1.0);
        begin_trial(relaxed);
        STIC_TRY(relaxed->method == EULER ? euler_step(relaxed, done, state)
                                          : classic_step(relaxed, done, state));
    }
    const bool last = left - done <= 1e-12 * scale->length;
    relaxed->goes_on = relaxed->goes_on && !last;
    state->t = last ? end : state->t + done;
    return commit(relaxed, done, state);
}

SticStatus stic_relaxed_create(const SticContext* context, void** own)
{
    RelaxedOwn* made = NULL;
    STIC_TRY(STIC_ALLOCATE(context, &made, 1));
    made->context = made->seen.context = *context;
    *own = made;
    return STIC_OK;
}

void stic_relaxed_destroy(void* memory)
{
    RelaxedOwn* own = memory;
    if (own == NULL)
        return;
    const SticContext context = own->context;
    stic_cvode_destroy(own->cvode);
    stic_seen_release(&own->seen);
    STIC_RELEASE(&context, own, 1);
}

SticDeterminism stic_relaxed_determinism(const void* settings)
{
    const RelaxedSettings* own = settings;
    return own->method == BDF ? STIC_LIBRARY : STIC_STRICT;
}

const char* stic_relaxed_remark(const void* settings)
{
    return stic_way_remark(((const RelaxedSettings*)settings)->way);
}

// the integrator of the library, made anew where the number of unknowns has changed
static SticStatus provide_cvode(RelaxedOwn* own, int32_t unknowns, SticError* error)
{
    STIC_TRY(stic_cvode_check("the scheme 'relaxed'", error));
    if (own->cvode != NULL && own->unknowns == unknowns)
        return STIC_OK;
    stic_cvode_destroy(own->cvode);
    own->cvode = NULL;
    own->unknowns = unknowns;
    return stic_cvode_create(&own->context, unknowns, STIC_MULTISTEP_BDF, &own->cvode);
}

// accelerations without contacts, for the first look at what may be braked
static SticStatus free_push(Relaxed* relaxed, const SticState* from)
{
    const SticSystem* system = relaxed->system;
    SticArena* arena = relaxed->stepper->arena;
    SticMass mass;
    double* force = NULL;
    STIC_TRY(STIC_TAKE(arena, &relaxed->push, system->layout.nu));
    const SticArenaMark mark = stic_arena_mark(arena);
    STIC_TRY(stic_stepper_load(relaxed->stepper, from->t, &relaxed->info->error));
    STIC_TRY(STIC_TAKE(arena, &force, system->layout.nu));
    STIC_TRY(system->ops->mass(system, from, arena, &mass));
    STIC_TRY(stic_system_force(system, from, arena, force));
    STIC_TRY(stic_system_add_gyro(system, from, &mass, arena, force));
    stic_mass_divide(&mass, force, relaxed->push);
    stic_arena_rewind(arena, mark);
    return STIC_OK;
}

SticStatus stic_relaxed_advance(SticStepper* stepper, const SticSystem* system,
                                const SticState* from, double t_to, SticState* to,
                                SticStepInfo* info)
{
    STIC_ASSERT(from != to);
    STIC_ASSERT(t_to > from->t);
    Relaxed relaxed = {.stepper = stepper,
                       .system = system,
                       .settings = stepper->settings,
                       .info = info,
                       .memory = to->memory,
                       .method = ((const RelaxedSettings*)stepper->settings)->method,
                       .own = stepper->own,
                       .begin = from->t,
                       .smooth = -INFINITY,
                       .unsolved = STIC_OUTCOME_SOLVED};
    const double instant = 64.0 * DBL_EPSILON * fabs(from->t);
    relaxed.piece[0] = relaxed.piece[1] = stic_stepper_kink(stepper, system, from->t - instant);
    if (relaxed.piece[0] > from->t + instant)
        relaxed.piece[0] = -INFINITY;
    relaxed.seen = &relaxed.own->seen;
    STIC_TRY(stic_state_copy(&system->layout, from, to));
    relaxed.seen->count = 0;
    STIC_TRY(stic_way_take(relaxed.settings->way, stepper, &info->error));
    STIC_TRY(take_began(&relaxed, from));
    STIC_TRY(take_sunk(&relaxed, from));
    STIC_TRY(free_push(&relaxed, from));
    STIC_TRY(STIC_TAKE(stepper->arena, &relaxed.deepest, 1));
    stic_step_info_clear(relaxed.deepest);
    if (relaxed.settings->method == BDF) {
        STIC_TRY(provide_cvode(relaxed.own, system->layout.nq + system->layout.nu, &info->error));
        // Newton's matrix comes from differences of solutions
        if (stepper->solve.settings.tolerance > 1e-12)
            stepper->solve.settings.tolerance = 1e-12;
    }
    // impulses of the last step as forces
    for (int32_t k = 0; k < to->memory->count; ++k)
        for (int c = 0; c < 6; ++c)
            to->memory->record[k].reaction[c] /= t_to - from->t;
    // gaps are brought back within delta
    SticErrorScale scale = {relaxed.settings->tolerance, t_to - from->t, 0.0,
                            4.0 / relaxed.settings->delta, to->memory};
    double h = t_to - from->t;
    if (relaxed.method <= PAIR && h > relaxed.settings->delta)
        h = relaxed.settings->delta;
    info->substeps = 0;
    while (to->t < t_to) {
        if (stic_stepper_interrupted(stepper))
            return stic_error_set(&info->error, STIC_INTERRUPTED,
                                  "stopped on request at t = %g, inside the step from %g to %g",
                                  to->t, from->t, t_to);
        const SticArenaMark mark = stic_arena_mark(stepper->arena);
        STIC_TRY(one_step(&relaxed, &scale, t_to, &h, to));
        stic_arena_rewind(stepper->arena, mark);
    }
    info->solve.outcome = relaxed.unsolved;
    STIC_TRY(stic_seen_record(relaxed.seen, stepper, system, t_to - from->t, to, info));
    if (relaxed.deepest->penetration > info->penetration) {
        info->penetration = relaxed.deepest->penetration;
        info->penetration_part = relaxed.deepest->penetration_part;
    }
    for (int32_t k = 0; k < to->memory->count; ++k) {
        SticMemoryRecord* record = &to->memory->record[k];
        record->deviation[0] = find_began(&relaxed, record->id) >= 0 ? 1.0 : 0.0;
        for (int32_t j = 0; j < relaxed.sunken; ++j)
            if (relaxed.sunk[j] == record->id)
                record->deviation[1] = 1.0;
    }
    return stic_ledger_close(stepper, system, from, to, &info->ledger);
}
