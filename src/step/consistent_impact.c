// SPDX-License-Identifier: Apache-2.0
// The impact stage of the energy-consistent schemes: coordinates stand still.
//
//   M (uC - uB) = H Lambda + B' Lambda_S      H'(uC + eps uB) obeys the laws, gamma_S(uC) = 0
//
// With one coefficient eps for all rows an impact does not gain energy (Möller 3.160). Friction has
// one of its own, 0 unless asked for, and where normal and friction rows depend on each other, as
// at the end of a slanted rod, Newton's law may then gain (Kane and Levinson 1985). Such an impact
// is made less elastic: between its velocities uN and the velocities uP of the impact without
// restitution, which loses energy, there are some with the energy before the impact,
//
//   uC = uP + s (uN - uP),  Lambda = Lambda_P + s (Lambda_N - Lambda_P),  0 <= s < 1, T(uC) = T(uB)
//
// Cones are convex, so that these impulses are in them; contacts part, and ties hold, as they do in
// both. For a sphere, whose rows do not depend on each other, Newton's law does not gain, so s = 1.
// Contacts with different normal coefficients keep Newton's law, which may gain by what was asked
// for (Möller 3.163-3.168: a ledger whose impacts are positive shows it).
#include <float.h>
#include <math.h>
#include <string.h>

#include "problem/mass.h"
#include "step/consistent.h"
#include "stiction/extend/base.h"
#include "stiction/extend/law.h"
#include "stiction/extend/sparse.h"

// the slip of a contact
static double slip_of(const SticSet* set, int32_t i, const double* velocity)
{
    double sum = 0.0;
    for (int32_t row = set->row_at[i] + 1; row < set->row_at[i + 1]; ++row)
        sum += velocity[row] * velocity[row];
    return sqrt(sum);
}

// Whether nothing happens in an instant: no contact is approached and no law without a bound acts.
// Solvers know the normal velocity of what slides to a part `slack` of its slip
static bool at_peace(const SticSet* set, const double* before, double noise, double slack)
{
    for (int32_t i = 0; i < set->count; ++i) {
        const SticLaw law = (SticLaw)set->interaction[i].law;
        const double velocity = before[set->row_at[i]];
        if ((stic_law_has_normal(law) || law == STIC_LAW_NONNEG) &&
            velocity < -noise - slack * slip_of(set, i, before))
            return false;
        if (law == STIC_LAW_FREE)
            return false;
    }
    return true;
}

// whether the velocities of the start miss the joints by more than a solved step leaves
static SticStatus starts_off(const SticMotion* m, bool* off)
{
    const SticLayout* layout = &m->system->layout;
    double* rate = NULL;
    *off = false;
    // where the scheme does not hold velocities of joints at the end, they are its own business
    if (m->rows == 0 || m->settings->levels == 1 || m->settings->linearised)
        return STIC_OK;
    STIC_TRY(STIC_TAKE(m->stepper->arena, &rate, m->rows));
    stic_ties_rates(m, m->from->u, false, rate);
    const double speed = stic_motion_largest(layout->nu, m->from->u),
                 place = stic_motion_largest(layout->nq, m->from->q);
    *off = stic_motion_largest(m->rows, rate) >
           1e3 * (m->settings->newton_tolerance * speed + DBL_EPSILON * place / m->h);
    return STIC_OK;
}

static bool dissipates(const SticInteraction* interaction)
{
    const SticLaw law = (SticLaw)interaction->law;
    return law != STIC_LAW_FREE && !(interaction->restitution[0] == 1.0 && interaction->rows == 1 &&
                                     (law == STIC_LAW_NONNEG || stic_law_has_normal(law)));
}

double stic_motion_gain(const SticSet* set, const double* r, const double* velocity)
{
    double work = 0.0;
    bool elastic = true;
    for (int32_t i = 0; i < set->count; ++i) {
        const SticInteraction* interaction = &set->interaction[i];
        // forces that hold parts together do work where these give way
        if (interaction->cohesion > 0.0 || interaction->bonded)
            continue;
        elastic = elastic && !dissipates(interaction);
        for (int32_t row = set->row_at[i]; row < set->row_at[i + 1]; ++row)
            work += r[row] * velocity[row];
    }
    return elastic ? fabs(work) : work > 0.0 ? work : 0.0;
}

SticAsked stic_motion_ask_more(SticMotion* m, const SticSolveInfo* info, double part)
{
    SticStepper* stepper = m->stepper;
    // with a margin for an error that is not that of the worst contact alone
    const double asked =
        0.1 * part * stic_errors_get(&info->errors, (SticNorm)stepper->solve.settings.norm);
    const SticAsked before = {stepper->accuracy, stepper->solve.settings.tolerance};
    stepper->accuracy = STIC_ACCURACY_TOLERANCE;
    stepper->solve.settings.tolerance = asked > DBL_EPSILON ? asked : DBL_EPSILON;
    return before;
}

void stic_motion_ask(SticMotion* m, SticAsked asked)
{
    m->stepper->accuracy = asked.accuracy;
    m->stepper->solve.settings.tolerance = asked.tolerance;
}

// energy that the laws of an instant give beyond what they may, with velocities u after it
static double gain_of(const SticInstant* instant, const double* r, const double* u, double* along)
{
    const SticSet* set = &instant->laws->set;
    stic_directions_velocity(instant->laws, u, along);
    for (int32_t row = 0; row < set->rows; ++row)
        along[row] += instant->problem->u_shift[row];
    return stic_motion_gain(set, r, along);
}

// an impact once more, from its reactions on, with a part of the error of `first`; a result that is
// not better is dropped
static SticStatus solve_again(SticMotion* m, SticInstant* instant, const SticSolveInfo* first,
                              double part, double* r, SticStepInfo* info)
{
    const SticSet* set = &m->laws.set;
    SticArena* arena = m->stepper->arena;
    double *again = NULL, *u = NULL, *along = NULL;
    STIC_TRY(STIC_TAKE(arena, &again, set->rows));
    STIC_TRY(STIC_TAKE(arena, &along, set->rows));
    STIC_TRY(STIC_TAKE(arena, &u, m->system->layout.nu));
    SticInstant more = *instant;
    more.start = NULL;
    memcpy(again, r, (size_t)set->rows * sizeof *again);
    const SticAsked before = stic_motion_ask_more(m, first, part);
    const SticStatus status = stic_motion_instant(m, &more, again, u, info);
    stic_motion_ask(m, before);
    STIC_TRY(status);
    const double gain = gain_of(&more, again, u, along);
    if (gain >= m->gain)
        return STIC_OK;
    memcpy(r, again, (size_t)set->rows * sizeof *r);
    memcpy(m->u_impact, u, (size_t)m->system->layout.nu * sizeof *u);
    instant->tie_r = more.tie_r;
    m->gain = gain;
    return STIC_OK;
}

// an impact that gives energy is solved more accurately, and then as far as rounding allows
static SticStatus repeat_impact(SticMotion* m, SticInstant* instant, double* r, SticStepInfo* info)
{
    const double kinetic = 0.5 * stic_mass_form(&m->mass, m->from->u, m->from->u),
                 allowed = STIC_GAIN_PART * (kinetic + m->idle);
    const SticSolveInfo first = info->solve;
    double* along = NULL;
    STIC_TRY(STIC_TAKE(m->stepper->arena, &along, m->laws.set.rows));
    m->gain = gain_of(instant, r, m->u_impact, along);
    for (int pass = 0; first.outcome == STIC_OUTCOME_SOLVED && pass < 2 && m->gain > allowed;
         ++pass)
        STIC_TRY(solve_again(m, instant, &first, pass == 0 ? allowed / m->gain : 0.0, r, info));
    // solved as far as was asked at first
    info->solve = first;
    return STIC_OK;
}

// the coefficient of all normal rows; `same` says whether they have one
static double common_restitution(const SticSet* set, bool* same)
{
    double common = -1.0;
    *same = true;
    for (int32_t i = 0; i < set->count; ++i) {
        const SticLaw law = (SticLaw)set->interaction[i].law;
        const double own = set->interaction[i].restitution[0];
        if (!stic_law_has_normal(law) && law != STIC_LAW_NONNEG)
            continue;
        *same = *same && (common < 0.0 || own == common);
        common = own;
    }
    return common > 0.0 ? common : 0.0;
}

double stic_motion_restitution(const SticMotion* m)
{
    bool same = true;
    const double common = common_restitution(&m->laws.set, &same);
    return same ? common : 0.0;
}

// largest s in [0, 1] with T(u_P + s (u_N - u_P)) at most `kinetic`
static double elastic_part(const SticMass* mass, const double* plastic, const double* change,
                           double kinetic)
{
    const double a = 0.5 * stic_mass_form(mass, change, change),
                 b = 0.5 * stic_mass_form(mass, plastic, change),
                 c = 0.5 * stic_mass_form(mass, plastic, plastic) - kinetic;
    if (c >= 0.0 || !(a > 0.0))
        return 0.0;
    // a s^2 + 2 b s + c = 0 with c < 0: the positive root, without cancellation
    const double root = sqrt(b * b - a * c), s = b > 0.0 ? -c / (b + root) : (root - b) / a;
    return s < 1.0 ? s : 1.0;
}

// an impact that gains energy by friction is made less elastic
static SticStatus restrain_impact(SticMotion* m, SticInstant* instant, double* r,
                                  SticStepInfo* info)
{
    const int32_t rows = m->laws.set.rows, nu = m->system->layout.nu;
    SticArena* arena = m->stepper->arena;
    const double before = 0.5 * stic_mass_form(&m->mass, m->from->u, m->from->u),
                 after = 0.5 * stic_mass_form(&m->mass, m->u_impact, m->u_impact);
    double *shift = NULL, *own = NULL, *u = NULL;
    bool same = true;
    const bool bounces = common_restitution(&m->laws.set, &same) > 0.0;
    if (!bounces || !same || m->moving || after <= before + STIC_GAIN_PART * (before + m->idle))
        return STIC_OK;
    STIC_TRY(STIC_TAKE(arena, &own, rows));
    STIC_TRY(STIC_TAKE(arena, &u, nu));
    SticProblem problem;
    STIC_TRY(stic_parts_problem(m->stepper, &m->laws, 0.0, &problem, &shift));
    SticInstant plastic = *instant;
    plastic.problem = &problem;
    plastic.kept = 0.0;
    const SticSolveInfo first = info->solve;
    STIC_TRY(stic_motion_instant(m, &plastic, own, u, info));
    // an impact that was not solved is reported
    if (info->solve.outcome == STIC_OUTCOME_SOLVED)
        info->solve = first;
    for (int32_t c = 0; c < nu; ++c)
        m->u_impact[c] -= u[c];
    const double s = elastic_part(&m->mass, u, m->u_impact, before);
    for (int32_t c = 0; c < nu; ++c)
        m->u_impact[c] = u[c] + s * m->u_impact[c];
    for (int32_t row = 0; row < rows; ++row)
        r[row] = own[row] + s * (r[row] - own[row]);
    for (int32_t k = 0; instant->tie_r != NULL && k < m->rows; ++k)
        instant->tie_r[k] = plastic.tie_r[k] + s * (instant->tie_r[k] - plastic.tie_r[k]);
    return STIC_OK;
}

SticStatus stic_motion_impact(SticMotion* m, double* total, SticStepInfo* info)
{
    SticDirections* laws = &m->laws;
    const SticSet* set = &laws->set;
    SticArena* arena = m->stepper->arena;
    const SticMemory nothing = {.count = 0};
    SticProblem problem;
    double *shift = NULL, *before = NULL, *r = NULL;
    bool off = false;
    // bounds that are forces have no impulse in an instant: h = 0
    STIC_TRY(stic_parts_problem(m->stepper, laws, 0.0, &problem, &shift));
    STIC_TRY(STIC_TAKE(arena, &before, set->rows));
    STIC_TRY(STIC_TAKE(arena, &r, set->rows));
    stic_directions_velocity(laws, m->from->u, before);
    STIC_TRY(starts_off(m, &off));
    // all of the error of a solve may sit in one contact; levels of accuracy ask for more of what is
    // slow
    const bool level = m->stepper->accuracy != STIC_ACCURACY_TOLERANCE;
    const double slack = level ? 0.0 : 10.0 * m->stepper->solve.settings.tolerance;
    if (!off && at_peace(set, before, (level ? 1.0 : 10.0) * m->noise, slack))
        return STIC_OK;
    stic_parts_restitution(set, before, shift);
    stic_motion_tell(m, set, before);
    SticInstant instant = {.laws = laws,
                           .problem = &problem,
                           .u_before = m->from->u,
                           .kept = -stic_motion_restitution(m),
                           .start = &nothing};
    STIC_TRY(stic_motion_instant(m, &instant, r, m->u_impact, info));
    STIC_TRY(repeat_impact(m, &instant, r, info));
    STIC_TRY(restrain_impact(m, &instant, r, info));
    for (int32_t row = 0; row < set->rows; ++row)
        total[row] += r[row];
    STIC_TRY(stic_motion_account(m, &instant, r, m->u_impact, info));
    m->struck = info->ledger.impact + info->ledger.friction;
    return STIC_OK;
}

SticStatus stic_motion_seize(SticMotion* m, SticStepInfo* info)
{
    SticDirections none;
    SticProblem empty;
    const SticMemory nothing = {.count = 0};
    bool off = false;
    STIC_TRY(starts_off(m, &off));
    if (!off)
        return STIC_OK;
    memset(&none, 0, sizeof none);
    memset(&empty, 0, sizeof empty);
    SticInstant instant = {
        .laws = &none, .problem = &empty, .u_before = m->from->u, .start = &nothing};
    STIC_TRY(stic_motion_instant(m, &instant, NULL, m->u_impact, info));
    return stic_motion_account(m, &instant, NULL, m->u_impact, info);
}
