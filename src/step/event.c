// SPDX-License-Identifier: Apache-2.0
// Event-driven scheme on acceleration level (Studer and Glocker 2006).
//
// Between events every interaction keeps its mode and the motion is smooth:
//
//   open      no force
//   slide     friction against the slip at its bound, normal acceleration zero
//   stick     relative acceleration zero
//   joints    relative acceleration zero
//
// event_smooth.c has the accelerations, event_find.c integrates them with error control and finds
// the next event, event_impact.c, event_modes.c and event_change.c decide what happens there, and
// event_carry.c takes modes from one step of the run to the next. Interactions are identified by
// their ids; the list of them is detected anew before every step of the integrator, and a closed
// contact that comes or goes is an event, too. event_afresh.c finds where inside a step contacts
// leave their features.
//
// Accumulation points. A contact whose flight would last less than `rest` (default 1e-8 s) is
// closed instead: an infinite sequence of bounces with the coefficient e ends there, too early by
// rest e/(1 - e) at most. Where bodies chatter for another reason (two ends of an edge that hit in
// turns), `rest` becomes ten times longer after every `burst` events of a call, up to a hundredth
// of the call; beyond that, and where the laws on acceleration level have no solution (Painlevé),
// the scheme leaps: one step of Moreau's rule over a time that doubles while this goes on, counted
// as an event of its own.
//
// Several solutions. With `branch` all solutions of a small inclusion are found (branch.c). A
// contact that slides where acceleration level has two (open, and slide) has a third with an
// impulse, which the rules least-energy and stick prefer: they leap there.
//
// A bond carries a pull and presses its two sides together by it; one that opens is gone for good,
// and the list is detected again. Impacts ignore bonds: no finite force withstands an impulse.
//
// Refused before the run: laws whose sliding is not one direction per group of rows
// (Contensou's friction, friction bounded by another interaction).
#include "step/event.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "step/branch.h"
#include "step/schemes.h"
#include "stiction/extend/base.h"
#include "stiction/extend/law.h"
#include "system/push.h"

static const char* const impact_names[] = {"simultaneous", "sequential", NULL};
static const char* const integrator_names[] = {"pair", "cvode", NULL};

static const SticField fields[] = {
    STIC_FIELD_REAL(SticEventSettings, tolerance, 1e-11, 1e-15, 1e-1, "-",
                    "error per step of the motion between events, relative to the velocities"),
    STIC_FIELD_REAL(SticEventSettings, rest, 1e-8, 1e-14, 1.0, "s",
                    "flights shorter than this count as rest"),
    STIC_FIELD_REAL(SticEventSettings, gap, 1e-10, 0.0, 1e6, "m",
                    "gap that counts as closed where the system names none"),
    STIC_FIELD_PICK(SticEventSettings, impact, STIC_IMPACT_SIMULTANEOUS, 1, impact_names,
                    "how impacts at one instant are resolved"),
    STIC_FIELD_COUNT(
        SticEventSettings, burst, 20, 1, 2147483647, "-",
        "events of one step of the run, each at other contacts than the one before and "
        "within 1e-4 of the step, before `rest` becomes ten times longer"),
    STIC_FIELD_PICK(SticEventSettings, integrator, STIC_EVENT_PAIR, STIC_EVENT_CVODE,
                    integrator_names,
                    "of the smooth parts: the pair 8(5,3), the same bits everywhere, or the Adams "
                    "methods of SUNDIALS CVODE"),
    STIC_FIELD_PICK(SticEventSettings, branch, STIC_BRANCH_SOLVER, STIC_BRANCH_NEAREST,
                    stic_branch_names,
                    "solution to take where a small problem has several (Painlevé): what the "
                    "solver finds, or one of all, which become events"),
};
const SticFieldTable stic_event_fields = {
    "event", fields, (int32_t)(sizeof fields / sizeof fields[0]), sizeof(SticEventSettings)};

SticDeterminism stic_event_determinism(const void* settings)
{
    const SticEventSettings* own = settings;
    return own->integrator == STIC_EVENT_CVODE ? STIC_LIBRARY : STIC_STRICT;
}

/* ---- memory between steps ---- */

SticStatus stic_event_create(const SticContext* context, void** own)
{
    SticEventOwn* made = NULL;
    STIC_TRY(STIC_ALLOCATE(context, &made, 1));
    made->context = made->force.context = made->seen.context = *context;
    *own = made;
    return STIC_OK;
}

void stic_event_destroy(void* memory)
{
    SticEventOwn* own = memory;
    if (own == NULL)
        return;
    const SticContext context = own->context;
    STIC_RELEASE(&context, own->mode, own->mode_capacity);
    stic_seen_release(&own->seen);
    stic_cvode_destroy(own->cvode);
    STIC_RELEASE(&context, own->left, (size_t)own->unknowns);
    STIC_RELEASE(&context, own->force.record, own->force.capacity);
    STIC_RELEASE(&context, own->force.bond, own->force.bond_capacity);
    STIC_RELEASE(&context, own, 1);
}

// the integrator of the library, made anew where the number of unknowns has changed
static SticStatus provide_cvode(SticEventOwn* own, int32_t unknowns, SticError* error)
{
    STIC_TRY(stic_cvode_check("the scheme 'event'", error));
    if (own->cvode != NULL && own->unknowns == unknowns)
        return STIC_OK;
    stic_cvode_destroy(own->cvode);
    own->cvode = NULL;
    STIC_RELEASE(&own->context, own->left, (size_t)own->unknowns);
    own->left = NULL;
    own->unknowns = 0;
    STIC_TRY(STIC_ALLOCATE(&own->context, &own->left, (size_t)unknowns));
    own->unknowns = unknowns;
    return stic_cvode_create(&own->context, unknowns, STIC_MULTISTEP_ADAMS, &own->cvode);
}

/* ---- leaps ---- */

// impulses of such a step
static SticStatus report(SticEventMotion* m, const SticStepRecord* record)
{
    double(*given)[6] = NULL;
    STIC_TRY(STIC_TAKE(m->stepper->arena, &given, record->set.count));
    memset(given, 0, (size_t)record->set.count * sizeof *given);
    const SticState at = {record->t, (double*)record->q, NULL, NULL};
    const SticPushRows rows = {m->system, &record->set, &record->Ht, &at};
    stic_push_add_all(&rows, record->r, 1.0, given);
    return stic_seen_add(&m->own->seen, &record->set, record->r, (const double(*)[6])given);
}

// one step of Moreau's rule, whose works and impulses enter those of the call
static SticStatus leap(SticEventMotion* m, double h, SticState* state)
{
    SticStepper stepper = *m->stepper;
    SticStepRecord record = {.filled = false};
    SticStepInfo* info = NULL;
    SticArena* arena = m->stepper->arena;
    const SticLayout* layout = &m->system->layout;
    double *q = NULL, *u = NULL;
    STIC_TRY(STIC_TAKE(arena, &info, 1));
    STIC_TRY(STIC_TAKE(arena, &q, layout->nq));
    STIC_TRY(STIC_TAKE(arena, &u, layout->nu));
    memset(info, 0, sizeof *info);
    memcpy(q, state->q, (size_t)layout->nq * sizeof *q);
    memcpy(u, state->u, (size_t)layout->nu * sizeof *u);
    double settings[8] = {0.0};
    STIC_ASSERT(stic_moreau_fields.size <= sizeof settings);
    stic_fields_default(&stic_moreau_fields, settings);
    stepper.record = &record;
    stepper.settings = settings;
    // what a leap searches for lives no longer than the leap
    stepper.stray = NULL;
    stepper.branch = (SticBranching){m->settings->branch, NULL, true, state->t, 0};
    const SticState from = {state->t, q, u, &m->own->force};
    STIC_TRY(stic_moreau_advance(&stepper, m->system, &from, state->t + h, state, info));
    m->info->solve = info->solve;
    if (info->solve.outcome != STIC_OUTCOME_SOLVED)
        m->unsolved = info->solve.outcome;
    if (record.filled)
        STIC_TRY(report(m, &record));
    SticLedger works = info->ledger;
    works.kinetic = works.integration = 0.0;
    stic_ledger_add(&m->info->ledger, &works);
    m->own->modes = 0;
    m->info->substeps += 1;
    const SticEvent event = {
        .t = state->t, .kind = STIC_EVENT_LEAP, .block = {-1, -1}, .part = {-1, -1}, .value = h};
    return stic_events_add(m->stepper->events, &event);
}

/* ---- the call ---- */

// part of the call that the first leap over chatter takes
#define CHATTER 0.05
// part of the call that events of chatter follow each other within, and that stiff parts take
#define RAPID 1e-4
// stiff parts in a row before `rest` grows: slips that die out by half from part to part take 50
#define STIFF 100
// part of the velocities that a list is made for by which they may change and leave it as it is
#define JUMP 1e-3

// how often events come
typedef struct Pace {
    int32_t events;           // since `rest` last grew, without bounces of the same contacts
    int32_t patience;         // of them before it grows again
    int32_t parts;            // short ones without an event, since `rest` last grew
    int32_t endurance;        // of them before it grows again
    bool spent;               // it cannot grow any more
    uint64_t* struck;         // [blocks] contacts of the last impact of each
    double last;              // time of the last event
    double last_leap, length; // end and length of the last leap
    bool leapt;               // the last part was one
} Pace;

static SticStatus refuse(SticEventMotion* m)
{
    for (int32_t i = 0; i < m->list.set.count; ++i) {
        const SticInteraction* interaction = &m->list.set.interaction[i];
        SticEventLaw law;
        if (stic_event_law(interaction, &law) != STIC_OK)
            return stic_error_set(&m->info->error, STIC_UNSUPPORTED,
                                  "scheme 'event' has no modes for the law '%s', which system "
                                  "'%s' uses; moreau, koziara and relaxed take it",
                                  stic_law_name((SticLaw)interaction->law), m->system->name);
    }
    return STIC_OK;
}

// start values of the first inclusion: the impulses of the last step as forces; turns are followed
// in the memory of the state that goes on
static SticStatus take_forces(SticEventMotion* m, const SticState* from, const SticState* to)
{
    SticMemory* force = &m->own->force;
    STIC_TRY(stic_memory_resize(force, from->memory->count));
    for (int32_t k = 0; k < force->count; ++k) {
        force->record[k] = from->memory->record[k];
        for (int c = 0; c < 6; ++c)
            force->record[k].reaction[c] /= m->length;
    }
    force->begun = true;
    STIC_TRY(stic_memory_resize_bonds(force, from->memory->bonds));
    if (force->bonds > 0)
        memcpy(force->bond, from->memory->bond, (size_t)force->bonds * sizeof *force->bond);
    force->turn = to->memory->turn;
    return STIC_OK;
}

// Longer rests; whether they were the longest already.
static bool rest_longer(SticEventMotion* m, Pace* pace)
{
    pace->events = pace->parts = 0;
    const bool longest = m->rest >= 1e-2 * m->length;
    m->rest = 10.0 * m->rest < 1e-2 * m->length ? 10.0 * m->rest : 1e-2 * m->length;
    return longest;
}

// whether this event is one too many even for the longest rest
static bool too_many(SticEventMotion* m, double t, Pace* pace)
{
    // bodies that have nothing to do with each other bounce in turn: what counts is what else each
    // of them hit before
    bool same = m->struck != 0;
    for (int32_t i = 0; i < m->system->layout.blocks; ++i) {
        same = same && (!m->hit[i] || pace->struck[i] == m->struck);
        pace->struck[i] = m->hit[i] ? m->struck : pace->struck[i];
    }
    const bool rapid = t - pace->last < RAPID * m->length;
    pace->last = t;
    pace->events += same || !rapid ? 0 : 1;
    pace->parts = same ? 0 : pace->parts;
    if (pace->spent || pace->events <= pace->patience)
        return pace->spent;
    pace->patience = pace->patience > 4 ? pace->patience / 2 : 2;
    return rest_longer(m, pace);
}

// Slow slips whose directions turn fast, such as those of a point that a body turns about, are stiff.
// After many short parts in a row `rest` grows: slips that are slower than it allows end.
static void endure(SticEventMotion* m, double part, Pace* pace, bool* event)
{
    if (part >= RAPID * m->length)
        pace->parts = 0;
    if (*event || part >= RAPID * m->length || ++pace->parts <= pace->endurance)
        return;
    pace->endurance = pace->endurance > 4 ? pace->endurance / 2 : 2;
    pace->spent = rest_longer(m, pace);
    *event = true;
}

// `first`: length of the first leap
static SticStatus leap_over(SticEventMotion* m, Pace* pace, double first, double t_to,
                            SticState* state)
{
    const bool again = pace->length > 0.0 && state->t - pace->last_leap <= 10.0 * pace->length;
    pace->length = again ? 2.0 * pace->length : first;
    const double left = t_to - state->t;
    STIC_TRY(leap(m, pace->length < left ? pace->length : left, state));
    if (pace->length >= left)
        state->t = t_to;
    pace->spent = false;
    pace->last_leap = state->t;
    pace->leapt = true;
    return STIC_OK;
}

// The rest of a part where no motion is what is asked for: events would only repeat that.
static SticStatus give_up(SticEventMotion* m, double t_to, bool* event, SticState* state)
{
    m->contradiction = false;
    *event = true;
    if (state->t < t_to)
        STIC_TRY(leap(m, t_to - state->t, state));
    state->t = t_to;
    if (m->unsolved == STIC_OUTCOME_SOLVED)
        m->unsolved = STIC_OUTCOME_STALLED;
    return STIC_OK;
}

// A list is made for the velocities that were there before: those behind an impact may close other
// gaps. `changed`: the new list has contacts that are to be handled first.
static SticStatus list_anew(SticEventMotion* m, double h, const SticState* state, bool* changed)
{
    *changed = false;
    STIC_TRY(stic_event_keep(m, state));
    STIC_TRY(stic_event_detect(m, state, h, changed));
    return refuse(m);
}

// whether an event has left velocities that a list for those before it, u, need not have foreseen:
// impacts, and drives that set out
static bool outruns_list(const SticEventMotion* m, double h, const double* u, const double* after)
{
    double most = m->push * h, change = 0.0;
    for (int32_t c = 0; c < m->system->layout.nu; ++c) {
        most = stic_event_more(most, fabs(u[c]));
        change = stic_event_more(change, fabs(after[c] - u[c]));
    }
    return m->struck != 0 || change > JUMP * most;
}

// Velocities at the end of a smooth step drift by its tolerance, which is much of them where bodies
// turn back: what can be put right is no contradiction.
static SticStatus check_end(SticEventMotion* m, SticState* state)
{
    const SticArenaMark mark = stic_arena_mark(m->stepper->arena);
    SticEventInstant now;
    double by = 0.0;
    int32_t unmet = -1;
    STIC_TRY(stic_event_look(m, state, &now));
    STIC_TRY(stic_event_activate(m, state, true, &now));
    const SticEventAsked asked = {state->u, now.gamma, NULL};
    STIC_TRY(stic_event_unmet(m, &now, &asked, &unmet, &by));
    if (unmet >= 0)
        STIC_TRY(stic_event_still(m, state, true, &now));
    stic_arena_rewind(m->stepper->arena, mark);
    return STIC_OK;
}

// one list, and a smooth step or an event with it
static SticStatus one_part(SticEventMotion* m, double t_to, double* h, bool* event, Pace* pace,
                           SticState* state)
{
    bool changed = *event, solved = true, jumped = false;
    double* u = NULL;
    const double left = t_to - state->t;
    *h = *h < left ? *h : left;
    const bool carried = m->carried;
    STIC_TRY(stic_event_detect(m, state, *h, &changed));
    STIC_TRY(refuse(m));
    // velocities drift by the tolerance of every smooth step
    if (carried && !changed) {
        SticEventInstant now;
        STIC_TRY(stic_event_look(m, state, &now));
        STIC_TRY(stic_event_still(m, state, true, &now));
    }
    if (changed) {
        // velocities after a leap are those of its length: contacts that they would close in that
        // time rest, otherwise the leap would cause the next impacts
        const double rest = m->rest;
        m->rest = pace->leapt ? stic_event_more(rest, pace->length) : rest;
        m->goes_on = false;
        m->broke = false;
        STIC_TRY(STIC_TAKE(m->stepper->arena, &u, m->system->layout.nu));
        memcpy(u, state->u, (size_t)m->system->layout.nu * sizeof *u);
        STIC_TRY(stic_event_restart(m, state, &solved));
        if (m->contradiction)
            return give_up(m, t_to, event, state);
        STIC_TRY(stic_event_project(m, state));
        jumped = solved && !m->broke && (m->kink || outruns_list(m, *h, u, state->u));
        m->kink = false;
        m->rest = rest;
        pace->leapt = false;
    }
    if (m->broke) {
        *event = true;
        return stic_event_keep(m, state);
    }
    if (!solved || (*event && too_many(m, state->t, pace))) {
        *event = true;
        return leap_over(m, pace, solved ? CHATTER * m->length : m->rest, t_to, state);
    }
    if (jumped)
        STIC_TRY(list_anew(m, *h, state, event));
    if (jumped && *event)
        return stic_event_keep(m, state);
    const SticOde ode = {m->system->layout.nq + m->system->layout.nu, m, stic_event_slope};
    STIC_TRY(stic_runge_kutta_create(m->stepper->arena, &ode, &m->step));
    const double begun = state->t;
    STIC_TRY(stic_event_advance_smooth(m, h, state, event));
    endure(m, state->t - begun, pace, event);
    // rounding must not leave a remainder too short for a step
    if (t_to - state->t <= 4.0 * DBL_EPSILON * stic_event_more(fabs(t_to), m->length))
        state->t = t_to;
    STIC_TRY(check_end(m, state));
    if (m->contradiction)
        return give_up(m, t_to, event, state);
    if (!*event)
        STIC_TRY(stic_event_project(m, state));
    STIC_TRY(stic_event_keep_bonds(m, state));
    return stic_event_keep(m, state);
}

/* ---- kinks ----
 *
 * Where velocities of prescribed motions or loads jump is known beforehand: smooth steps end there,
 * and what comes is an event like any other, with the velocities behind the kink. One at the end
 * of a call is met where the next one begins.
 */

// the piece that begins at a time
static void begin_piece(SticEventMotion* m, double t)
{
    const double first = stic_stepper_kink(m->stepper, m->system, t - stic_event_instant(t));
    m->kink = first <= t + stic_event_instant(t);
    m->piece[0] = m->kink ? first : -INFINITY;
    m->piece[1] = m->kink
                      ? stic_stepper_kink(m->stepper, m->system, first + stic_event_instant(first))
                      : first;
}

// from piece to piece
static SticStatus next_part(SticEventMotion* m, double t_to, double* h, bool* event, Pace* pace,
                            SticState* state)
{
    const bool cut = m->piece[1] < t_to - stic_event_instant(t_to);
    STIC_TRY(one_part(m, cut ? m->piece[1] : t_to, h, event, pace, state));
    STIC_TRY(stic_system_follow(m->system, state));
    if (!cut || state->t < m->piece[1])
        return STIC_OK;
    begin_piece(m, m->piece[1]);
    *event = true;
    m->planned = false;
    *h = m->length;
    return STIC_OK;
}

// If the impulses of a contact leave its law, the step counts as not solved, whatever the solver
// said about its problems.
static void judge_report(SticEventMotion* m)
{
    SticSolveInfo* solve = &m->info->solve;
    const double beyond = stic_event_reported_excess(&m->own->seen, m->length);
    if (!(beyond > STIC_EVENT_BEYOND) || solve->outcome != STIC_OUTCOME_SOLVED)
        return;
    solve->outcome = STIC_OUTCOME_STALLED;
    solve->method = "event";
    solve->tolerance = STIC_EVENT_BEYOND;
    solve->ratio = beyond / STIC_EVENT_BEYOND;
    solve->errors.unit_free = beyond;
}

SticStatus stic_event_advance(SticStepper* stepper, const SticSystem* system, const SticState* from,
                              double t_to, SticState* to, SticStepInfo* info)
{
    STIC_ASSERT(from != to);
    STIC_ASSERT(t_to > from->t);
    STIC_TRY(stic_state_copy(&system->layout, from, to));
    const SticEventSettings* settings = stepper->settings;
    SticEventMotion m = {.stepper = stepper,
                         .system = system,
                         .settings = settings,
                         .info = info,
                         .own = stepper->own,
                         .length = t_to - from->t,
                         .rest = settings->rest,
                         .decided = -DBL_MAX,
                         .smooth = {INFINITY, -INFINITY},
                         .unsolved = STIC_OUTCOME_SOLVED};
    // directions of slips that begin, and velocities after impacts, are read off solutions;
    // accuracy that cannot be reached is taken as far as it goes
    if (stepper->solve.settings.tolerance > 1e-12)
        stepper->solve.settings.tolerance = 1e-12;
    if (settings->integrator == STIC_EVENT_CVODE)
        STIC_TRY(provide_cvode(m.own, system->layout.nq + system->layout.nu, &info->error));
    stepper->branch = (SticBranching){.rule = settings->branch};
    m.own->seen.count = 0;
    bool event = true;
    begin_piece(&m, from->t);
    STIC_TRY(stic_event_take_modes(&m, from->memory, &event));
    event = event || m.kink;
    STIC_TRY(take_forces(&m, from, to));
    STIC_TRY(STIC_TAKE(stepper->arena, &m.fastest, system->layout.nu));
    memset(m.fastest, 0, (size_t)system->layout.nu * sizeof *m.fastest);
    info->substeps = 0;
    info->solve.outcome = STIC_OUTCOME_SOLVED;
    Pace pace = {.patience = settings->burst, .endurance = STIFF, .last = -DBL_MAX};
    STIC_TRY(STIC_TAKE(stepper->arena, &pace.struck, system->layout.blocks));
    STIC_TRY(STIC_TAKE(stepper->arena, &m.hit, system->layout.blocks));
    memset(pace.struck, 0, (size_t)system->layout.blocks * sizeof *pace.struck);
    memset(m.hit, 0, (size_t)system->layout.blocks);
    double h = m.length;
    while (to->t < t_to) {
        if (stic_stepper_interrupted(stepper))
            return stic_error_set(&info->error, STIC_INTERRUPTED,
                                  "stopped on request at t = %g, inside the step from %g to %g",
                                  to->t, from->t, t_to);
        const SticArenaMark mark = stic_arena_mark(stepper->arena);
        STIC_TRY(next_part(&m, t_to, &h, &event, &pace, to));
        stic_arena_rewind(stepper->arena, mark);
    }
    // forces between events are solutions of equations; what counts is whether impacts were solved
    info->solve.outcome = m.unsolved;
    judge_report(&m);
    STIC_TRY(stic_seen_record(&m.own->seen, stepper, system, m.length, to, info));
    STIC_TRY(stic_event_leave_modes(&m, event, to->memory));
    return stic_ledger_close(stepper, system, from, to, &info->ledger);
}
