// SPDX-License-Identifier: Apache-2.0
// Event-driven scheme on acceleration level (Studer and Glocker 2006), events located by bisection.
//
// Between events every contact keeps its mode and the motion is smooth; classical Runge-Kutta steps
// integrate it.
//   open     no force; event when the gap closes
//   slide    lambda_T = -mu lambda_N gamma_T/|gamma_T|, so that forces enter along N - mu T t and G
//   is not symmetric;
//            events: lambda_N falls to 0 (take-off), gamma_T comes to 0
//   stick    relative acceleration 0; events: take-off, |lambda_T| reaches mu lambda_N
// At an event: impact law (Newton) where closed contacts approach, then the modes from the contact
// laws on acceleration level for gaps and normal velocities that are zero (the sets P_N and P_T of
// the paper).
//
// A contact counts as closed below `gap`, an approach or a slip as none below `velocity`: a
// bouncing ball comes to rest when its bounces fall below that. Laws taken: nonneg and cone at
// contacts, free for joints. Cost: four small problems per Runge-Kutta step, about 40 steps per
// event for the bisection.
#include "step/parts.h"
#include "step/runge_kutta.h"
#include "step/schemes.h"

#include <math.h>
#include <string.h>

typedef struct EventSettings {
    double step, gap, velocity, time;
    int32_t max_events;
} EventSettings;

static const SticField fields[] = {
    STIC_FIELD_REAL(EventSettings, step, 1e-2, 1e-12, 1e6, "s", "longest step between events"),
    STIC_FIELD_REAL(EventSettings, gap, 1e-9, 0.0, 1e6, "m", "gap that counts as closed"),
    STIC_FIELD_REAL(EventSettings, velocity, 1e-6, 0.0, 1e6, "m/s",
                    "approach or slip that counts as none"),
    STIC_FIELD_REAL(EventSettings, time, 1e-12, 0.0, 1.0, "s", "accuracy of an event's time"),
    STIC_FIELD_COUNT(EventSettings, max_events, 10000, 1, 2147483647, "-",
                     "events in one call at most"),
};
const SticFieldTable stic_event_fields = {
    "event", fields, (int32_t)(sizeof fields / sizeof fields[0]), sizeof(EventSettings)};

// part of the free acceleration of a contact below which its slip acceleration counts as none: well
// above the tolerances that one-step problems are solved to
static const double NO_SLIP = 1e-7;

typedef enum Mode { OPEN, SLIDE, STICK, ALWAYS } Mode;

/// Mode of one interaction of the full list and, for SLIDE, the direction of slip.
typedef struct Contact {
    Mode mode;
    double direction[2];
} Contact;

typedef struct Motion {
    SticStepper* stepper;
    const SticSystem* system;
    const EventSettings* settings;
    SticStepInfo* info;
    SticMemory* memory;
    Contact* contact; // [interactions of the system]
    SticRungeKutta method;
    double *start_q, *start_u; // beginning of a step
    bool works;                // stages write the ledger
} Motion;

/// Everything about one instant: directions of all interactions, the active problem and its
/// solution.
typedef struct Instant {
    SticDirections all;
    double* gamma;     // [all.rows] relative velocities
    SticSet active;    // interactions that carry force now
    const int32_t* of; // [active.count] their index in `all`
    double *lambda, *acceleration_rel;
    double* free; // [active.rows] relative accelerations without contact forces
    double* acceleration;
} Instant;

static double friction_of(const SticInteraction* interaction)
{
    return interaction->law == STIC_LAW_CONE ? interaction->coef[0] : 0.0;
}

static double slip_speed(const SticSet* set, const double* gamma, int32_t i)
{
    double square = 0.0;
    for (int32_t row = set->row_at[i] + 1; row < set->row_at[i + 1]; ++row)
        square += gamma[row] * gamma[row];
    return sqrt(square);
}

// slip direction at this instant: that of the velocity as long as it has not turned against the
// direction known before; behind an event the smooth branch is continued, so that the bisection
// sees a sign change
static void slip_direction(const Motion* m, const Instant* now, int32_t i, double direction[2])
{
    const SticSet* set = &now->all.set;
    const double* gamma = now->gamma + set->row_at[i] + 1;
    const double speed = slip_speed(set, now->gamma, i);
    const int32_t tangents = set->interaction[i].rows - 1;
    double along = 0.0;
    for (int32_t k = 0; k < tangents; ++k)
        along += gamma[k] * m->contact[i].direction[k];
    const bool same = along > 0.0 && speed > m->settings->velocity;
    for (int32_t k = 0; k < tangents; ++k)
        direction[k] = same ? gamma[k] / speed : m->contact[i].direction[k];
}

// the interactions that carry force in their present modes; a sliding contact has one row
static SticStatus select_active(Motion* m, Instant* now)
{
    const SticSet* all = &now->all.set;
    SticArena* arena = m->stepper->arena;
    SticInteraction* interaction = NULL;
    int32_t *row_at = NULL, *of = NULL, count = 0, rows = 0;
    STIC_TRY(STIC_TAKE(arena, &interaction, all->count));
    STIC_TRY(STIC_TAKE(arena, &row_at, all->count + 1));
    STIC_TRY(STIC_TAKE(arena, &of, all->count));
    for (int32_t i = 0; i < all->count; ++i) {
        const Mode mode = m->contact[i].mode;
        if (mode == OPEN)
            continue;
        of[count] = i;
        interaction[count] = all->interaction[i];
        if (mode == SLIDE) {
            interaction[count].rows = 1;
            interaction[count].law = STIC_LAW_NONNEG;
        }
        row_at[count] = rows;
        rows += interaction[count++].rows;
    }
    row_at[count] = rows;
    now->of = of;
    now->active =
        (SticSet){.count = count, .rows = rows, .interaction = interaction, .row_at = row_at};
    return STIC_OK;
}

// H' and P' of the active interactions, copied from the measures of all; sliding forces act along N
// - mu T t
static SticStatus fill_directions(Motion* m, const Instant* now, const SticPattern* pattern,
                                  double* force, double* velocity)
{
    const SticDirections* all = &now->all;
    for (int32_t k = 0; k < now->active.count; ++k) {
        const int32_t i = now->of[k], rows = now->active.interaction[k].rows;
        const bool slides = m->contact[i].mode == SLIDE;
        double direction[2] = {0.0, 0.0};
        if (slides)
            slip_direction(m, now, i, direction);
        for (int side = 0; side < 2; ++side) {
            const int64_t from = all->u_pattern.at[i][side], to = pattern->at[k][side];
            if (to < 0)
                continue;
            const int32_t block = now->active.interaction[k].block[side];
            const int32_t n = pattern->csr.col_at[block + 1] - pattern->csr.col_at[block];
            const double* H = all->measures.H + from;
            memcpy(velocity + to, H, (size_t)(rows * n) * sizeof *H);
            memcpy(force + to, H, (size_t)(rows * n) * sizeof *H);
            const double mu = friction_of(&all->set.interaction[i]);
            for (int32_t t = 0; slides && t < all->set.interaction[i].rows - 1; ++t)
                for (int32_t c = 0; c < n; ++c)
                    force[to + c] -= mu * direction[t] * H[(1 + t) * n + c];
        }
    }
    return STIC_OK;
}

// measure all interactions at a state
static SticStatus look(Motion* m, const SticState* state, Instant* now)
{
    memset(now, 0, sizeof *now);
    STIC_TRY(stic_directions_detect(m->stepper, m->system, state, INFINITY, &now->all));
    STIC_TRY(stic_directions_measure(m->stepper, m->system, state,
                                     STIC_WANT_GAP | STIC_WANT_CHI | STIC_WANT_BIAS | STIC_WANT_H,
                                     NULL, &now->all));
    STIC_TRY(STIC_TAKE(m->stepper->arena, &now->gamma, now->all.set.rows));
    stic_directions_velocity(&now->all, state->u, now->gamma);
    return STIC_OK;
}

// solve the laws on acceleration level for the present modes
static SticStatus accelerate(Motion* m, const SticState* state, Instant* now)
{
    SticArena* arena = m->stepper->arena;
    const SticSystem* system = m->system;
    SticMass mass;
    SticPattern pattern;
    SticDirections active = {0};
    SticProblem problem;
    double *f = NULL, *force = NULL, *velocity = NULL, *w = NULL, *shift = NULL, *scratch = NULL;
    STIC_TRY(look(m, state, now));
    STIC_TRY(select_active(m, now));
    STIC_TRY(
        stic_pattern_create(arena, &now->active, &system->layout, system->layout.u_at, &pattern));
    STIC_TRY(STIC_TAKE(arena, &force, pattern.values));
    STIC_TRY(STIC_TAKE(arena, &velocity, pattern.values));
    STIC_TRY(STIC_TAKE(arena, &f, system->layout.nu));
    STIC_TRY(STIC_TAKE(arena, &scratch, system->layout.nu));
    STIC_TRY(STIC_TAKE(arena, &now->acceleration, system->layout.nu));
    STIC_TRY(STIC_TAKE(arena, &w, now->active.rows));
    STIC_TRY(STIC_TAKE(arena, &now->lambda, now->active.rows));
    STIC_TRY(STIC_TAKE(arena, &now->acceleration_rel, now->active.rows));
    STIC_TRY(STIC_TAKE(arena, &now->free, now->active.rows));
    STIC_TRY(fill_directions(m, now, &pattern, force, velocity));
    for (int32_t k = 0; k < now->active.count; ++k)
        for (int32_t row = 0; row < now->active.interaction[k].rows; ++row)
            w[now->active.row_at[k] + row] =
                now->all.measures.bias[now->all.set.row_at[now->of[k]] + row];
    STIC_TRY(system->ops->mass(system, state, arena, &mass));
    STIC_TRY(stic_system_force(system, state, arena, f));
    STIC_TRY(stic_system_add_gyro(system, state, &mass, arena, f));
    active.set = now->active;
    STIC_TRY(stic_parts_problem(m->stepper, &active, 1.0, &problem, &shift));
    SticBlockCsr Ht = pattern.csr, Pt = pattern.csr;
    Ht.value = force;
    Pt.value = velocity;
    problem.dof = system->layout.nu;
    problem.M = &mass;
    problem.Ht = &Ht;
    problem.Pt = &Pt;
    problem.f = f;
    problem.w = w;
    stic_parts_warm_start(&now->active, m->memory, now->lambda);
    STIC_TRY(stic_parts_solve(m->stepper, &problem, now->lambda, now->acceleration_rel, m->info));
    // without reactions first: the scale of the accelerations at each contact
    memset(now->free, 0, (size_t)now->active.rows * sizeof *now->free);
    stic_parts_velocity(&mass, &Ht, f, now->free, now->acceleration, scratch);
    memcpy(now->free, w, (size_t)now->active.rows * sizeof *w);
    if (now->active.rows > 0)
        stic_block_csr_multiply(1.0, &Pt, now->acceleration, 1.0, now->free);
    stic_parts_velocity(&mass, &Ht, f, now->lambda, now->acceleration, scratch);
    const SticReactions reactions = {now->lambda, 1.0, NULL};
    return stic_parts_remember(&now->active, &reactions, m->memory);
}

/* ---- events
 * ---------------------------------------------------------------------------------------------- */

// impulses where closed contacts approach; a bounce below the tolerance is left out, so that
// velocities behind an impact are either above it or zero
static SticStatus resolve_impacts(Motion* m, SticState* state)
{
    const SticSystem* system = m->system;
    SticArena* arena = m->stepper->arena;
    Instant now;
    STIC_TRY(look(m, state, &now));
    bool approach = false;
    for (int32_t i = 0; i < now.all.set.count; ++i) {
        const int32_t at = now.all.set.row_at[i];
        const bool contact = now.all.set.interaction[i].level == STIC_LEVEL_CONTACT;
        approach = approach ||
                   (contact && now.all.measures.gap[at] <= m->settings->gap && now.gamma[at] < 0.0);
    }
    if (!approach)
        return STIC_OK;
    SticDirections d;
    SticMass mass;
    SticProblem laws;
    double *shift = NULL, *before = NULL, *r = NULL, *momentum = NULL, *u = NULL, *mean = NULL;
    STIC_TRY(stic_directions_detect(m->stepper, system, state, m->settings->gap, &d));
    STIC_TRY(
        stic_directions_measure(m->stepper, system, state, STIC_WANT_CHI | STIC_WANT_H, NULL, &d));
    STIC_TRY(system->ops->mass(system, state, arena, &mass));
    STIC_TRY(stic_parts_problem(m->stepper, &d, 0.0, &laws, &shift));
    STIC_TRY(STIC_TAKE(arena, &before, d.set.rows));
    STIC_TRY(STIC_TAKE(arena, &mean, d.set.rows));
    STIC_TRY(STIC_TAKE(arena, &r, d.set.rows));
    STIC_TRY(STIC_TAKE(arena, &momentum, system->layout.nu));
    STIC_TRY(STIC_TAKE(arena, &u, system->layout.nu));
    stic_directions_velocity(&d, state->u, before);
    stic_parts_restitution(&d.set, before, shift);
    for (int32_t i = 0; i < d.set.count; ++i)
        if (fabs(shift[d.set.row_at[i]]) <= m->settings->velocity)
            shift[d.set.row_at[i]] = 0.0;
    stic_block_csr_multiply(1.0, mass.A, state->u, 0.0, momentum);
    const SticMemory nothing = {.count = 0};
    const SticStage stage = {&d, &mass, momentum, &laws, &nothing, NULL};
    STIC_TRY(stic_parts_stage(m->stepper, &stage, r, u, m->info));
    stic_directions_velocity(&d, u, mean);
    for (int32_t row = 0; row < d.set.rows; ++row)
        mean[row] = 0.5 * (mean[row] + before[row]);
    STIC_TRY(stic_ledger_add_reactions(m->stepper, &d.set, r, mean, &m->info->ledger));
    stic_ledger_add_prescribed(d.set.rows, r, d.measures.chi, 1.0, &m->info->ledger);
    memcpy(state->u, u, (size_t)system->layout.nu * sizeof *u);
    return STIC_OK;
}

// candidates from gaps and velocities
static void classify(Motion* m, const Instant* now)
{
    const SticSet* set = &now->all.set;
    for (int32_t i = 0; i < set->count; ++i) {
        Contact* contact = &m->contact[i];
        const int32_t at = set->row_at[i];
        *contact = (Contact){.mode = ALWAYS};
        if (set->interaction[i].level != STIC_LEVEL_CONTACT)
            continue;
        const bool closed = now->all.measures.gap[at] <= m->settings->gap &&
                            now->gamma[at] <= m->settings->velocity;
        const double speed = slip_speed(set, now->gamma, i);
        contact->mode = !closed ? OPEN : speed > m->settings->velocity ? SLIDE : STICK;
        for (int32_t k = 0; contact->mode == SLIDE && k < set->interaction[i].rows - 1; ++k)
            contact->direction[k] = now->gamma[at + 1 + k] / speed;
    }
}

// whether a sticking contact slips away: its friction force is at the bound and the tangential
// acceleration is not zero. Where several contacts share the load, some are at their bounds
// although all stick: there it is zero up to rounding and the tolerance of the solver.
static bool slips_away(const Instant* now, int32_t k)
{
    const int32_t at = now->active.row_at[k], rows = now->active.interaction[k].rows;
    double used = 0.0, size = 0.0, scale = 0.0;
    for (int32_t c = 1; c < rows; ++c) {
        used += now->lambda[at + c] * now->lambda[at + c];
        size += now->acceleration_rel[at + c] * now->acceleration_rel[at + c];
    }
    for (int32_t c = 0; c < rows; ++c)
        scale += now->free[at + c] * now->free[at + c];
    const double bound = friction_of(&now->active.interaction[k]) * now->lambda[at];
    return rows > 1 && sqrt(used) > bound * (1.0 - 1e-9) && sqrt(size) > NO_SLIP * sqrt(scale);
}

// after the problem on acceleration level: contacts without force open, contacts that start to slip
// slide
static void settle(Motion* m, const Instant* now)
{
    for (int32_t k = 0; k < now->active.count; ++k) {
        Contact* contact = &m->contact[now->of[k]];
        const int32_t at = now->active.row_at[k], rows = now->active.interaction[k].rows;
        const double normal = now->lambda[at];
        if (contact->mode == ALWAYS)
            continue;
        if (normal <= 0.0) {
            contact->mode = OPEN;
            continue;
        }
        if (contact->mode != STICK || rows == 1)
            continue;
        if (!slips_away(now, k))
            continue;
        double size = 0.0;
        for (int32_t c = 1; c < rows; ++c)
            size += now->acceleration_rel[at + c] * now->acceleration_rel[at + c];
        contact->mode = SLIDE;
        for (int32_t c = 1; c < rows; ++c)
            contact->direction[c - 1] = now->acceleration_rel[at + c] / sqrt(size);
    }
}

// whether some contact has left its mode at this instant
static bool has_event(const Motion* m, const Instant* now)
{
    const SticSet* set = &now->all.set;
    for (int32_t i = 0; i < set->count; ++i) {
        const Contact* contact = &m->contact[i];
        const int32_t at = set->row_at[i];
        double along = 0.0;
        for (int32_t k = 0; k < set->interaction[i].rows - 1 && k < 2; ++k)
            along += now->gamma[at + 1 + k] * contact->direction[k];
        if (contact->mode == OPEN && now->all.measures.gap[at] < 0.0 && now->gamma[at] < 0.0)
            return true;
        if (contact->mode == SLIDE && along < 0.0)
            return true;
    }
    for (int32_t k = 0; k < now->active.count; ++k) {
        const Contact* contact = &m->contact[now->of[k]];
        if (contact->mode == ALWAYS)
            continue;
        if (now->lambda[now->active.row_at[k]] <= 0.0)
            return true;
        if (contact->mode == STICK && slips_away(now, k))
            return true;
    }
    return false;
}

/* ---- smooth motion
 * ---------------------------------------------------------------------------------------- */

// add the power of reactions and applied forces at an instant, times `weight` seconds
static SticStatus add_works(Motion* m, const SticState* state, const Instant* now, double weight,
                            double* scratch)
{
    double* work = NULL;
    STIC_TRY(STIC_TAKE(m->stepper->arena, &work, now->all.set.rows));
    SticLedger* ledger = &m->info->ledger;
    for (int32_t k = 0; k < now->active.count; ++k) {
        const int32_t i = now->of[k], at = now->all.set.row_at[i], to = now->active.row_at[k];
        const double* gamma = now->gamma + at;
        const bool slides = m->contact[i].mode == SLIDE;
        double normal = now->lambda[to] * gamma[0], tangential = 0.0;
        for (int32_t c = 1; !slides && c < now->active.interaction[k].rows; ++c)
            tangential += now->lambda[to + c] * gamma[c];
        if (slides)
            tangential = -friction_of(&now->all.set.interaction[i]) * now->lambda[to] *
                         slip_speed(&now->all.set, now->gamma, i);
        const double* chi = now->all.measures.chi + at;
        double direction[2] = {0.0, 0.0};
        if (slides)
            slip_direction(m, now, i, direction);
        stic_ledger_add_prescribed(slides ? 1 : now->active.interaction[k].rows, now->lambda + to,
                                   chi, weight, ledger);
        for (int32_t c = 1; slides && c < now->all.set.interaction[i].rows; ++c)
            ledger->prescribed += weight * friction_of(&now->all.set.interaction[i]) *
                                  now->lambda[to] * direction[c - 1] * chi[c];
        if (m->contact[i].mode == ALWAYS)
            ledger->constraint += weight * (normal + tangential);
        else {
            ledger->impact += weight * normal;
            ledger->friction += weight * tangential;
        }
    }
    for (int32_t c = 0; c < m->system->layout.nu; ++c)
        scratch[c] = weight * state->u[c];
    return stic_ledger_add_applied(m->stepper, m->system, state, scratch, ledger);
}

static SticStatus slope_at(void* self, const SticState* state, double weight, double* slope)
{
    Motion* m = self;
    const int32_t nq = m->system->layout.nq;
    const SticArenaMark mark = stic_arena_mark(m->stepper->arena);
    Instant now;
    STIC_TRY(accelerate(m, state, &now));
    if (m->works)
        STIC_TRY(add_works(m, state, &now, weight, slope + nq));
    stic_system_rate(m->system, state, slope);
    memcpy(slope + nq, now.acceleration, (size_t)m->system->layout.nu * sizeof *slope);
    stic_arena_rewind(m->stepper->arena, mark);
    return STIC_OK;
}

// slip directions follow the motion from step to step
static SticStatus follow(Motion* m, const SticState* state)
{
    const SticArenaMark mark = stic_arena_mark(m->stepper->arena);
    Instant now;
    STIC_TRY(look(m, state, &now));
    for (int32_t i = 0; i < now.all.set.count; ++i)
        if (m->contact[i].mode == SLIDE)
            slip_direction(m, &now, i, m->contact[i].direction);
    stic_arena_rewind(m->stepper->arena, mark);
    return STIC_OK;
}

// a trial step into `to`: does an event lie inside?
static SticStatus probe(Motion* m, const SticState* from, double h, SticState* to, bool* event)
{
    const SticArenaMark mark = stic_arena_mark(m->stepper->arena);
    Instant now;
    m->works = false;
    STIC_TRY(stic_runge_kutta_step(&m->method, from, h, to));
    STIC_TRY(accelerate(m, to, &now));
    *event = has_event(m, &now);
    stic_arena_rewind(m->stepper->arena, mark);
    return STIC_OK;
}

// one step of at most h from m->start; on an event the step ends just behind it
static SticStatus smooth_step(Motion* m, double h, SticState* state, bool* event)
{
    const SticLayout* layout = &m->system->layout;
    const SticState from = {state->t, m->start_q, m->start_u, state->memory};
    memcpy(m->start_q, state->q, (size_t)layout->nq * sizeof *state->q);
    memcpy(m->start_u, state->u, (size_t)layout->nu * sizeof *state->u);
    double before = 0.0, behind = h;
    STIC_TRY(probe(m, &from, h, state, event));
    // bisection on the length of the step
    while (*event && behind - before > m->settings->time) {
        const double middle = 0.5 * (before + behind);
        bool inside = false;
        if (middle <= before || middle >= behind)
            break;
        STIC_TRY(probe(m, &from, middle, state, &inside));
        if (inside)
            behind = middle;
        else
            before = middle;
    }
    m->works = true;
    return stic_runge_kutta_step(&m->method, &from, behind, state);
}

// impact and new modes
static SticStatus restart(Motion* m, SticState* state)
{
    const SticArenaMark mark = stic_arena_mark(m->stepper->arena);
    Instant now;
    STIC_TRY(resolve_impacts(m, state));
    STIC_TRY(look(m, state, &now));
    classify(m, &now);
    STIC_TRY(accelerate(m, state, &now));
    settle(m, &now);
    stic_arena_rewind(m->stepper->arena, mark);
    return STIC_OK;
}

static SticStatus prepare(Motion* m, const SticState* from)
{
    const SticLayout* layout = &m->system->layout;
    SticArena* arena = m->stepper->arena;
    SticSet set;
    const SticReach everything = {.gap = INFINITY};
    STIC_TRY(m->system->ops->detect(m->system, from, &everything, arena, &set));
    for (int32_t i = 0; i < set.count; ++i) {
        const SticLaw law = (SticLaw)set.interaction[i].law;
        if (law != STIC_LAW_FREE && law != STIC_LAW_NONNEG && law != STIC_LAW_CONE)
            return stic_error_set(&m->info->error, STIC_UNSUPPORTED,
                                  "scheme 'event' takes the laws free, nonneg and cone; system "
                                  "'%s' has %s",
                                  m->system->name, stic_law_name(law));
    }
    m->method = (SticRungeKutta){.layout = layout, .self = m, .slope = slope_at};
    STIC_TRY(STIC_TAKE(arena, &m->contact, set.count));
    STIC_TRY(STIC_TAKE(arena, &m->method.memory, 3 * (layout->nq + layout->nu)));
    STIC_TRY(STIC_TAKE(arena, &m->start_q, layout->nq));
    return STIC_TAKE(arena, &m->start_u, layout->nu);
}

SticStatus stic_event_advance(SticStepper* stepper, const SticSystem* system, const SticState* from,
                              double t_to, SticState* to, SticStepInfo* info)
{
    STIC_TRY(stic_state_copy(&system->layout, from, to));
    Motion m = {.stepper = stepper,
                .system = system,
                .settings = stepper->settings,
                .info = info,
                .memory = to->memory};
    STIC_TRY(prepare(&m, from));
    STIC_TRY(restart(&m, to));
    int32_t events = 0;
    info->substeps = 0;
    while (to->t < t_to) {
        const double left = t_to - to->t;
        const double h = left < m.settings->step ? left : m.settings->step;
        bool event = false;
        STIC_TRY(smooth_step(&m, h, to, &event));
        info->substeps += 1;
        if (!event) {
            STIC_TRY(follow(&m, to));
            continue;
        }
        if (++events > m.settings->max_events)
            return stic_error_set(&info->error, STIC_STEP_FAILED,
                                  "scheme 'event' met more than %d events between t = %g and %g",
                                  m.settings->max_events, from->t, t_to);
        STIC_TRY(restart(&m, to));
    }
    to->t = t_to;
    info->interactions = to->memory->count;
    return stic_ledger_close(stepper, system, from, to, &info->ledger);
}
