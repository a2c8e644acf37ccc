// SPDX-License-Identifier: Apache-2.0
// The energy-consistent schemes: settings and the stages of a step.
//
// With unit quaternions this is Möller's family E, with scalable blocks his family D, and B where
// all blocks are linear; two stages are E2 and D2 (5.106-5.107, 5.157-5.158), one stage E1 and D1
// (5.95, 5.141), constraints on positions alone B1 (5.31). Constraints on both levels in family E
// are ours: the equations are those of D with F(q*) in place of Q^-1, and so is the proof
// (docs/theory/consistent.md).
#include "step/consistent.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "problem/mass.h"
#include "step/schemes.h"
#include "stiction/extend/base.h"
#include "stiction/extend/law.h"
#include "stiction/extend/sparse.h"

static const char* const stage_names[] = {"two", "one", "mixed", NULL};
static const char* const level_names[] = {"both", "position", NULL};
static const char* const place_names[] = {"middle", "begin", NULL};

static const SticField fields[] = {
    STIC_FIELD_PICK(SticConsistentSettings, stages, STIC_STAGES_TWO, STIC_STAGES_MIXED, stage_names,
                    "impact and motion one after the other, as one problem, or with laws on the "
                    "velocity at the end where these take energy"),
    STIC_FIELD_PICK(SticConsistentSettings, levels, 0, 1, level_names,
                    "joints hold for positions and velocities, or for positions alone"),
    STIC_FIELD_PICK(SticConsistentSettings, friction, STIC_FRICTION_MIDDLE, STIC_FRICTION_BEGIN,
                    place_names,
                    "where directions of friction and drives are taken; the thesis takes the "
                    "beginning, which is of first order"),
    STIC_FIELD_FLAG(SticConsistentSettings, begin_directions, 0,
                    "all directions at the beginning, those of gaps too, instead of the discrete "
                    "derivative"),
    STIC_FIELD_FLAG(SticConsistentSettings, linearised, 0,
                    "smooth forces by their linearisation: one inclusion per step, energy is no "
                    "longer exact"),
    STIC_FIELD_FLAG(SticConsistentSettings, settle, 1,
                    "contacts that carried obey their laws at the end of the step too (two "
                    "stages)"),
    STIC_FIELD_COUNT(SticConsistentSettings, max_newton, 30, 1, 1000, "-",
                     "iterations of the motion stage that may pass without progress"),
    STIC_FIELD_REAL(SticConsistentSettings, newton_tolerance, 1e-12, 1e-15, 1.0, "-",
                    "relative change of the velocities that ends them"),
    STIC_FIELD_REAL(SticConsistentSettings, activation, 0.0, 0.0, 1e300, "m",
                    "contacts with a gap at most this take part, and keep it"),
    // the last one: matrices of unit quaternions are always those of mid-step
    STIC_FIELD_FLAG(SticConsistentSettings, midpoint, 0,
                    "structure matrices at mid-step instead of the beginning"),
};
enum { FIELDS = sizeof fields / sizeof fields[0] };
const SticFieldTable stic_consistent_fields = {"consistent", fields, FIELDS - 1,
                                               sizeof(SticConsistentSettings)};
const SticFieldTable stic_decomposed_fields = {"decomposed", fields, FIELDS,
                                               sizeof(SticConsistentSettings)};

static bool is_given(uint32_t given, const char* name)
{
    for (int32_t k = 0; k < FIELDS; ++k)
        if (strcmp(fields[k].name, name) == 0)
            return (given >> k & 1u) != 0;
    STIC_ASSERT(false);
    return false;
}

// A value that was written down and means something else than what happens. One that says what
// happens anyway, such as settle = false with one stage, is no fault.
SticStatus stic_consistent_agree(const void* settings, uint32_t given, SticError* error)
{
    const SticConsistentSettings* s = settings;
    if (s->settle && is_given(given, "settle") && s->stages == STIC_STAGES_ONE)
        return stic_error_set(error, STIC_BAD_ARGUMENT,
                              "settle = true has no effect with stages = \"one\": contacts settle "
                              "with two stages; leave one of them out");
    if (s->friction == STIC_FRICTION_MIDDLE && is_given(given, "friction") && s->begin_directions)
        return stic_error_set(error, STIC_BAD_ARGUMENT,
                              "friction = \"middle\" has no effect with begin_directions = true, "
                              "which takes all directions where a step begins; leave one of them "
                              "out");
    if (s->linearised && (is_given(given, "max_newton") || is_given(given, "newton_tolerance")))
        return stic_error_set(error, STIC_BAD_ARGUMENT,
                              "%s has no effect with linearised = true, which makes one iteration; "
                              "leave one of them out",
                              is_given(given, "max_newton") ? "max_newton" : "newton_tolerance");
    return STIC_OK;
}

// Bonds that turn hold if their directions turn with them: with those of the beginning, forces come
// out as up to twice what they are, and bonds break too early
SticStatus stic_consistent_suits(const void* settings, const SticSystem* system, SticError* error)
{
    const SticConsistentSettings* s = settings;
    bool scalable = false;
    if (system->bonds && (s->begin_directions || s->linearised))
        return stic_error_set(error, STIC_UNSUPPORTED,
                              "with %s = true bonds of cohesion that turn would break too early; "
                              "leave it out, or the cohesion",
                              s->begin_directions ? "begin_directions" : "linearised");
    for (int32_t i = 0; i < system->layout.blocks; ++i)
        scalable = scalable || system->layout.chart[i] == STIC_CHART_SCALABLE;
    if (s->midpoint && !scalable)
        return stic_error_set(error, STIC_UNSUPPORTED,
                              "midpoint = true has no effect on system '%s': it is about bodies "
                              "that turn",
                              system->name);
    return STIC_OK;
}

uint32_t stic_consistent_keeps(const SticScheme* scheme, const void* settings)
{
    const SticConsistentSettings* s = settings;
    uint32_t mask = scheme->promises;
    // What acts from outside is taken from the linearised equations, not from measurements:
    // momentum is kept where nothing acts. |A| = 1 of scalable blocks is one of these equations
    if (s->linearised)
        mask &= (scheme->charts & STIC_CHART_BIT(STIC_CHART_QUATERNION)) != 0
                    ? STIC_PROMISE_BIT(STIC_PROMISE_UNIT)
                    : 0u;
    if (s->stages != STIC_STAGES_TWO || s->begin_directions)
        mask &= ~STIC_PROMISE_BIT(STIC_PROMISE_GAP);
    if (s->levels == 1)
        mask &= ~STIC_PROMISE_BIT(STIC_PROMISE_RATE);
    return mask;
}

/* ---- the beginning ---- */

static SticStatus take_states(SticMotion* m)
{
    const SticLayout* layout = &m->system->layout;
    SticArena* arena = m->stepper->arena;
    const SticBlockCsr* M = m->mass.A;
    const int64_t values = M->value_at[M->begin[M->rows]];
    STIC_TRY(STIC_TAKE(arena, &m->u_impact, layout->nu));
    STIC_TRY(STIC_TAKE(arena, &m->weight, layout->nq));
    STIC_TRY(STIC_TAKE(arena, &m->end.q, layout->nq));
    STIC_TRY(STIC_TAKE(arena, &m->end.u, layout->nu));
    STIC_TRY(STIC_TAKE(arena, &m->middle.q, layout->nq));
    STIC_TRY(STIC_TAKE(arena, &m->middle.u, layout->nu));
    STIC_TRY(STIC_TAKE(arena, &m->force, layout->nu));
    STIC_TRY(STIC_TAKE(arena, &m->pull, layout->nu));
    STIC_TRY(STIC_TAKE(arena, &m->potential.gradient, layout->nq));
    STIC_TRY(STIC_TAKE(arena, &m->scratch, layout->nq + layout->nu));
    STIC_TRY(STIC_TAKE(arena, &m->diagonal, values));
    STIC_TRY(STIC_TAKE(arena, &m->inverse, values));
    m->J = m->J_inverse = *M;
    m->J.value = m->diagonal;
    m->J_inverse.value = m->inverse;
    m->tangent = (SticMass){.kind = STIC_MASS_BLOCKS, .A = &m->J, .inverse = &m->J_inverse};
    m->end.t = m->from->t + m->h;
    m->middle.t = m->from->t + 0.5 * m->h;
    m->end.memory = m->middle.memory = m->from->memory;
    return STIC_OK;
}

// speed of a block whose whole kinetic energy would be translation, squared
static double square_speed(const SticMotion* m, int32_t i, const double* u)
{
    const SticLayout* layout = &m->system->layout;
    const SticBlockCsr* M = m->mass.A;
    const double *block = M->value + M->value_at[M->begin[i]], *own = u + layout->u_at[i];
    const int32_t n = layout->u_at[i + 1] - layout->u_at[i];
    double sum = 0.0;
    for (int32_t e = 0; e < n * n; ++e)
        sum += own[e / n] * block[e] * own[e % n];
    return sum / block[0];
}

// Contacts that carried and are now open, because of what solvers leave, would fall by g h^2/2 if
// they took no part. What decides is the speed that the forces on each block give it in a step
// [blocks]: a contact whose gap and velocity are not beyond that is loaded and has not rebounded.
// Without settling, contacts take part where they are closed, as in the thesis.
static SticStatus find_driven(SticMotion* m, double** driven, double* most)
{
    const SticLayout* layout = &m->system->layout;
    double* velocity = NULL;
    bool carried = false;
    *most = 0.0;
    *driven = NULL;
    for (int32_t k = 0; k < m->from->memory->count; ++k)
        carried = carried || m->from->memory->record[k].reaction[0] > 0.0;
    if (!carried || m->stages != STIC_STAGES_TWO || !m->settings->settle)
        return STIC_OK;
    STIC_TRY(STIC_TAKE(m->stepper->arena, driven, layout->blocks));
    STIC_TRY(STIC_TAKE(m->stepper->arena, &velocity, layout->nu));
    stic_mass_divide(&m->mass, m->pull, velocity);
    for (int32_t i = 0; i < layout->blocks; ++i) {
        (*driven)[i] = m->h * sqrt(square_speed(m, i, velocity));
        *most = (*driven)[i] > *most ? (*driven)[i] : *most;
    }
    return STIC_OK;
}

// Largest velocity of a contact, and gap as a velocity, that does not count as a rebound: the speed
// that loads give in a step. Elastic contacts rebound from that, too; for them it is only what
// solvers leave of it and of the speeds of their bodies.
static double resting_speed(const SticMotion* m, const SticInteraction* contact,
                            const double* driven)
{
    const double loose = stic_accuracy_promise(m->stepper->accuracy)->motion,
                 asked = m->stepper->solve.settings.tolerance, part = loose > asked ? loose : asked;
    double made = 0.0, speed = 0.0;
    for (int side = 0; side < 2; ++side)
        if (contact->block[side] >= 0) {
            made += driven[contact->block[side]];
            speed += sqrt(square_speed(m, contact->block[side], m->from->u));
        }
    return contact->restitution[0] < 1.0 ? made : part * (made + speed);
}

// rounding of coordinates, relative to the largest one: products and sums of a gap
#define ROUNDING 16.0

static double rounding_of(const SticMotion* m, const SticInteraction* contact)
{
    return ROUNDING * DBL_EPSILON * (m->place + contact->size + contact->place);
}

// Of the contacts that were found with a larger reach, keep those that it was meant for
static SticStatus keep_loaded(SticMotion* m, const double* driven)
{
    SticDirections* all = &m->all;
    SticArena* arena = m->stepper->arena;
    const SticSet found = all->set;
    double *r = NULL, *velocity = NULL;
    uint8_t* keep = NULL;
    STIC_TRY(STIC_TAKE(arena, &keep, found.count));
    STIC_TRY(STIC_TAKE(arena, &r, found.rows));
    STIC_TRY(STIC_TAKE(arena, &velocity, found.rows));
    STIC_TRY(stic_directions_measure(m->stepper, m->system, m->from,
                                     STIC_WANT_GAP | STIC_WANT_CHI | STIC_WANT_H, NULL, all));
    stic_parts_warm_start(&found, m->from->memory, r);
    stic_directions_velocity(all, m->from->u, velocity);
    for (int32_t i = 0; i < found.count; ++i) {
        const SticInteraction* contact = &found.interaction[i];
        const int32_t row = found.row_at[i];
        const double gap = all->measures.gap[row];
        keep[i] = true;
        // a bond is there whatever its gap, and what is open by rounding is closed
        if (contact->level != STIC_LEVEL_CONTACT || contact->bonded ||
            gap <= m->settings->activation || gap <= rounding_of(m, contact))
            continue;
        const double resting = resting_speed(m, contact, driven);
        keep[i] = r[row] > 0.0 && gap <= 0.5 * m->h * resting + rounding_of(m, contact) &&
                  fabs(velocity[row]) <= resting;
    }
    memset(all, 0, sizeof *all);
    STIC_TRY(stic_parts_keep(arena, &found, keep, &all->set));
    return stic_directions_prepare(m->stepper, m->system, all);
}

static SticStatus find_contacts(SticMotion* m)
{
    const double activation = m->settings->activation;
    double *driven = NULL, most = 0.0;
    STIC_TRY(find_driven(m, &driven, &most));
    const double reach = m->h * most > activation ? m->h * most : activation;
    STIC_TRY(stic_directions_detect(m->stepper, m->system, m->from, reach, &m->all));
    return driven != NULL ? keep_loaded(m, driven) : STIC_OK;
}

// what takes part, split into laws and bilateral conditions, measured at the beginning
static SticStatus detect(SticMotion* m, SticStepInfo* info)
{
    SticStepper* stepper = m->stepper;
    const SticSystem* system = m->system;
    SticDirections *all = &m->all, *laws = &m->laws;
    double *begin_H = NULL, *begin_chi = NULL, *begin_gap = NULL;
    STIC_TRY(find_contacts(m));
    STIC_TRY(stic_directions_measure(stepper, system, m->from,
                                     STIC_WANT_GAP | STIC_WANT_CHI | STIC_WANT_H, NULL, all));
    stic_parts_count(all, info);
    STIC_TRY(stic_parts_select(stepper->arena, &all->set,
                               1u << STIC_LEVEL_CONTACT | 1u << STIC_LEVEL_RATE, &laws->set));
    STIC_TRY(
        stic_parts_select(stepper->arena, &all->set, 1u << STIC_LEVEL_POSITION, &m->joints.set));
    STIC_TRY(stic_directions_prepare(stepper, system, laws));
    STIC_TRY(stic_directions_prepare(stepper, system, &m->joints));
    STIC_TRY(stic_directions_measure(stepper, system, m->from,
                                     STIC_WANT_GAP | STIC_WANT_CHI | STIC_WANT_H | STIC_WANT_G,
                                     NULL, laws));
    STIC_TRY(STIC_TAKE(stepper->arena, &begin_H, laws->u_pattern.values));
    STIC_TRY(STIC_TAKE(stepper->arena, &begin_chi, laws->set.rows));
    STIC_TRY(STIC_TAKE(stepper->arena, &begin_gap, laws->set.rows));
    STIC_TRY(STIC_TAKE(stepper->arena, &m->chi, laws->set.rows));
    STIC_TRY(STIC_TAKE(stepper->arena, &m->r, laws->set.rows));
    if (laws->set.rows > 0) {
        memcpy(begin_H, laws->measures.H, (size_t)laws->u_pattern.values * sizeof *begin_H);
        memcpy(begin_chi, laws->measures.chi, (size_t)laws->set.rows * sizeof *begin_chi);
        memcpy(begin_gap, laws->measures.gap, (size_t)laws->set.rows * sizeof *begin_gap);
    }
    if (m->moving)
        STIC_TRY(stic_directions_chi(stepper, system, laws, m->from, 0.5 * m->h, begin_chi));
    m->begin_H = begin_H;
    m->begin_chi = begin_chi;
    m->begin_gap = begin_gap;
    return STIC_OK;
}

// what stages give is summed up from nothing
static SticStatus take_given(SticMotion* m)
{
    SticArena* arena = m->stepper->arena;
    const size_t laws = (size_t)m->laws.set.count, joints = (size_t)m->joints.set.count;
    STIC_TRY(STIC_TAKE(arena, &m->law_given, laws));
    STIC_TRY(STIC_TAKE(arena, &m->tie_given, joints));
    STIC_TRY(STIC_TAKE(arena, &m->tie_struck, m->rows));
    memset(m->law_given, 0, laws * sizeof *m->law_given);
    memset(m->tie_given, 0, joints * sizeof *m->tie_given);
    memset(m->tie_struck, 0, (size_t)m->rows * sizeof *m->tie_struck);
    return STIC_OK;
}

static SticStatus begin(SticMotion* m, SticStepInfo* info)
{
    const SticLayout* layout = &m->system->layout;
    const int32_t nu = layout->nu;
    for (int32_t i = 0; m->system->size != NULL && i < layout->blocks; ++i) {
        // gaps are rounded as places are, also where coordinates count from elsewhere
        double place[3];
        for (int k = 0; k < 3; ++k)
            place[k] = m->from->q[layout->q_at[i] + k] +
                       (m->system->origin != NULL ? m->system->origin[i][k] : 0.0);
        const double far = stic_motion_largest(3, place);
        m->place = far > m->place ? far : m->place;
    }
    STIC_TRY(m->system->ops->mass(m->system, m->from, m->stepper->arena, &m->mass));
    STIC_TRY(take_states(m));
    stic_discrete_weights(&m->system->layout, &m->mass, m->weight);
    STIC_TRY(stic_system_force(m->system, m->from, m->stepper->arena, m->pull));
    STIC_TRY(detect(m, info));
    STIC_TRY(stic_ties_prepare(m));
    STIC_TRY(take_given(m));
    for (int32_t c = 0; m->rows > 0 && c < layout->nq; ++c)
        m->shaken += m->weight[c] * m->from->q[c] * m->from->q[c];
    m->shaken = DBL_EPSILON * sqrt(m->shaken) / m->h;
    STIC_TRY(STIC_TAKE(m->stepper->arena, &m->x, m->unknowns));
    STIC_TRY(STIC_TAKE(m->stepper->arena, &m->residual, m->unknowns));
    memset(m->x, 0, (size_t)m->unknowns * sizeof *m->x);
    memcpy(m->u_impact, m->from->u, (size_t)nu * sizeof *m->u_impact);
    return STIC_OK;
}

/* ---- stages ---- */

// Accuracy of velocities. Along a normal, forces make some velocity in a step: an approach that is
// slower than that times the solver's tolerance is the noise of contacts that carry, and the motion
// stage stops it. And Newton knows all velocities only to its own tolerance.
static SticStatus find_noise(SticMotion* m)
{
    const SticSet* set = &m->laws.set;
    const SticLayout* layout = &m->system->layout;
    double *velocity = NULL, *along = NULL, most = 0.0, fastest = 0.0;
    STIC_TRY(STIC_TAKE(m->stepper->arena, &velocity, layout->nu));
    STIC_TRY(STIC_TAKE(m->stepper->arena, &along, set->rows));
    stic_mass_divide(&m->mass, m->pull, velocity);
    m->idle = 0.5 * m->h * m->h * stic_mass_form(&m->mass, velocity, velocity);
    stic_block_csr_multiply(m->h, &m->laws.Ht, velocity, 0.0, along);
    for (int32_t i = 0; i < set->count; ++i) {
        const double size = fabs(along[set->row_at[i]]);
        if (set->interaction[i].level == STIC_LEVEL_CONTACT)
            most = size > most ? size : most;
    }
    for (int32_t i = 0; i < layout->blocks; ++i) {
        const double speed =
            sqrt(square_speed(m, i, m->from->u)) + m->h * sqrt(square_speed(m, i, velocity));
        fastest = speed > fastest ? speed : fastest;
    }
    m->noise = m->stepper->solve.settings.tolerance * most;
    m->least = m->settings->newton_tolerance * fastest;
    return STIC_OK;
}

void stic_motion_tell(SticMotion* m, const SticSet* set, const double* before)
{
    stic_parts_tell(m->stepper, m->system, set, before);
    m->stepper->rows.least = m->least;
}

// Drives and the friction of joints have no impacts: in one-stage schemes they hold for the mean
// velocity as it is, and do not give way by what loads add to it in half a step; nor do bonds
bool stic_motion_is_steady(const SticInteraction* interaction)
{
    return interaction->law == STIC_LAW_FREE || interaction->bonded ||
           (interaction->level == STIC_LEVEL_RATE && interaction->law != STIC_LAW_NONNEG &&
            interaction->bound_of < 0);
}

// Dissipation indices of one-stage schemes, by rows; none where all impacts are elastic
static SticStatus find_dissipation(SticMotion* m)
{
    const SticSet* set = &m->laws.set;
    double *restitution = NULL, *ones = NULL;
    bool elastic = true;
    STIC_TRY(STIC_TAKE(m->stepper->arena, &restitution, set->rows));
    STIC_TRY(STIC_TAKE(m->stepper->arena, &ones, set->rows));
    for (int32_t row = 0; row < set->rows; ++row) {
        restitution[row] = 0.0;
        ones[row] = 1.0;
    }
    stic_parts_restitution(set, ones, restitution);
    for (int32_t i = 0; i < set->count; ++i)
        for (int32_t row = set->row_at[i]; row < set->row_at[i + 1]; ++row) {
            const double eps = stic_motion_is_steady(&set->interaction[i]) ? 1.0 : restitution[row];
            restitution[row] = sqrt((1.0 - eps) / (1.0 + eps));
            elastic = elastic && eps == 1.0;
        }
    m->delta = elastic ? NULL : restitution;
    return elastic || m->ties == 0 ? STIC_OK : stic_motion_hold(m, false, &m->held);
}

bool stic_motion_is_open(const SticMotion* m, int32_t i)
{
    const SticInteraction* contact = &m->laws.set.interaction[i];
    const double gap = m->begin_gap[m->laws.set.row_at[i]];
    return contact->level == STIC_LEVEL_CONTACT && !contact->bonded &&
           gap > m->settings->activation && gap > rounding_of(m, contact) &&
           contact->restitution[0] < 1.0;
}

// A contact that is open may close: its gap at the end, g + h w, is not negative. That takes r g of
// energy, which elastic contacts do not give: their gaps, which are hardly more than rounding, stay
static void add_gaps(const SticMotion* m, double* shift)
{
    for (int32_t i = 0; i < m->laws.set.count; ++i)
        if (stic_motion_is_open(m, i))
            shift[m->laws.set.row_at[i]] += 2.0 * m->begin_gap[m->laws.set.row_at[i]] / m->h;
}

// A bond takes back a part of its gap and slip in every step. Directions of slips are those of the
// middle, which leaves some of fourth order per step: it would add up over many turns.
static void add_slips(const SticMotion* m, double* shift)
{
    const SticSet* set = &m->laws.set;
    // half of them by the mean velocity, of which the laws of bonds hold for twice
    for (int32_t i = 0; i < set->count; ++i)
        for (int32_t row = set->row_at[i]; set->interaction[i].bonded && row < set->row_at[i + 1];
             ++row)
            shift[row] += m->begin_gap[row] / m->h;
}

// the motion stage, or the whole step of one-stage schemes
static SticStatus move(SticMotion* m, SticStepInfo* info)
{
    const SticSet* set = &m->laws.set;
    double *shift = NULL, *before = NULL;
    STIC_TRY(stic_parts_problem(m->stepper, &m->laws, m->h, &m->problem, &shift));
    if (m->stages == STIC_STAGES_ONE)
        STIC_TRY(find_dissipation(m));
    STIC_TRY(STIC_TAKE(m->stepper->arena, &before, set->rows));
    stic_directions_velocity(&m->laws, m->from->u, before);
    if (m->stages == STIC_STAGES_MIXED) {
        stic_parts_restitution(set, before, shift);
        for (int32_t i = 0; i < set->count; ++i)
            for (int32_t row = set->row_at[i];
                 stic_motion_is_steady(&set->interaction[i]) && row < set->row_at[i + 1]; ++row)
                shift[row] = 0.0;
    }
    if (m->stages == STIC_STAGES_TWO)
        add_gaps(m, shift);
    add_slips(m, shift);
    stic_motion_tell(m, set, before);
    m->stepper->rows.both = m->stages != STIC_STAGES_MIXED;
    stic_parts_warm_start(set, m->from->memory, m->r);
    STIC_TRY(stic_motion_start(m));
    return stic_motion_solve(m, info);
}

/* ---- the step ---- */

// Scalable blocks turn by sin(theta/2) = h |omega|/2 in a step: beyond 2 there is no such turn, and
// Newton would end at the nearest one that exists. The velocities are those after impacts.
static double find_turn(const SticMotion* m)
{
    const SticLayout* layout = &m->system->layout;
    double most = 0.0;
    for (int32_t i = 0; i < layout->blocks; ++i) {
        if (layout->chart[i] != STIC_CHART_SCALABLE)
            continue;
        const double* omega = m->u_impact + layout->u_at[i] + 4;
        const double own =
            m->h * sqrt(omega[0] * omega[0] + omega[1] * omega[1] + omega[2] * omega[2]);
        most = own > most ? own : most;
    }
    return most;
}

// rad in a step
#define MOST_WINDING 2.0

// Coordinates know angles up to whole turns, and a step sees them as the ones nearest to where its
// rates lead. While joints whose angle something depends on turn by less than MOST_WINDING, that is
// the same turn for the rate of its beginning, which the equations see, for that of both ends, which
// angles are followed by, and for the turn 4 atan(h omega/4) of the quaternions themselves. Beyond it
// a wound spring would gain or lose whole turns, and energy with them.
static SticStatus find_winding(const SticMotion* m, const SticState* at, double* u, double* turn)
{
    const SticState state = {.t = at->t, .q = at->q, .u = u, .memory = at->memory};
    double rate = 0.0;
    STIC_TRY(stic_system_winding(m->system, &state, &rate));
    if (m->h * rate >= MOST_WINDING && m->h * rate > *turn)
        *turn = m->h * rate;
    return STIC_OK;
}

// a step without a solution, or without a start for Newton: it ends where it began
static SticStatus give_up(const SticMotion* m, double t_to, SticState* to, SticStepInfo* info)
{
    info->solve.outcome = STIC_OUTCOME_STALLED;
    info->solve.newton_ratio = INFINITY;
    info->newton = 0;
    memset(&info->ledger, 0, sizeof info->ledger);
    STIC_TRY(stic_state_copy(&m->system->layout, m->from, to));
    to->t = t_to;
    return STIC_OK;
}

// One step with the given stages. `gives`: laws of the velocity at the end would give energy; then
// nothing else was done
static SticStatus advance_in(SticMotion* m, SticState* to, bool* gives, SticStepInfo* info)
{
    double* total = NULL;
    const double t_to = to->t;
    STIC_TRY(begin(m, info));
    STIC_TRY(STIC_TAKE(m->stepper->arena, &total, m->laws.set.rows));
    for (int32_t row = 0; row < m->laws.set.rows; ++row)
        total[row] = 0.0;
    if (m->laws.set.rows > 0)
        STIC_TRY(find_noise(m));
    SticStatus status = STIC_OK;
    if (m->stages == STIC_STAGES_TWO && m->laws.set.rows > 0)
        status = stic_motion_impact(m, total, info);
    else
        status = stic_motion_seize(m, info);
    info->turn = find_turn(m);
    if (status == STIC_OK)
        status = find_winding(m, m->from, m->u_impact, &info->turn);
    if (status == STIC_OK && info->turn >= MOST_WINDING)
        return give_up(m, t_to, to, info);
    if (status == STIC_OK)
        status = move(m, info);
    if (status == STIC_SINGULAR)
        return give_up(m, t_to, to, info);
    STIC_TRY(status);
    *gives = m->gives;
    if (m->gives)
        return STIC_OK;
    for (int32_t row = 0; row < m->laws.set.rows; ++row)
        total[row] += m->r[row];
    m->end.t = t_to;
    if (m->stages != STIC_STAGES_TWO || m->settings->settle)
        STIC_TRY(stic_motion_settle(m, total, info));
    STIC_TRY(stic_motion_close(m, total, to, info));
    STIC_TRY(find_winding(m, to, to->u, &info->turn));
    if (info->turn >= MOST_WINDING)
        return give_up(m, t_to, to, info);
    return stic_motion_judge(m, info);
}

// Laws of the velocity at the end work along the mean one: a contact that opens where the step
// begins and is pressed shut in it gets r gamma_B/2, and so does friction that turns round. A step
// in which laws would give is made in two stages, which never do.
SticStatus stic_consistent_advance(SticStepper* stepper, const SticSystem* system,
                                   const SticState* from, double t_to, SticState* to,
                                   SticStepInfo* info)
{
    STIC_ASSERT(from != to);
    STIC_ASSERT(t_to > from->t);
    const SticConsistentSettings* settings = stepper->settings;
    const SticMotion start = {.stepper = stepper,
                              .system = system,
                              .settings = settings,
                              .stages = (SticStages)settings->stages,
                              .from = from,
                              .h = t_to - from->t,
                              .moving = (system->offers & STIC_OFFERS_SCLERONOMIC) == 0,
                              .change = INFINITY,
                              .nearest = INFINITY,
                              .last_change = INFINITY};
    SticMotion m = start;
    bool gives = false;
    to->t = t_to;
    if (m.stages != STIC_STAGES_MIXED)
        return advance_in(&m, to, &gives, info);
    const SticStepInfo before = *info;
    const SticArenaMark mark = stic_arena_mark(stepper->arena);
    STIC_TRY(advance_in(&m, to, &gives, info));
    if (!gives)
        return STIC_OK;
    stic_arena_rewind(stepper->arena, mark);
    *info = before;
    m = start;
    m.stages = STIC_STAGES_TWO;
    return advance_in(&m, to, &gives, info);
}
