// SPDX-License-Identifier: Apache-2.0
// Penalty relaxation, for comparison with relaxed (Kikuuwe and Brogliato 2017, eqs. 83, 84).
//
//   lambda = K (e + beta e'),   (u_T + e_T', g + e_N) obeys the law with lambda
//
// e is the deviation of a row: normal rows and joints on positions, friction and drives on
// velocities. Unlike the relaxed law it does not know the mass: under a load it is e = lambda/K,
// and a sticking contact gives way by that. For unilateral rows it is not an ODE; it is integrated
// by implicit Euler with directions of the beginning, which makes it one problem with a compliance
// (Kikuuwe and Fujimoto 2006):
//
//   e_1 = r/(K (h + beta)) + beta e_0/(h + beta)              r = h lambda
//   W + 1/(K h (h + beta)) on the diagonal,
//   u_N + g/h + beta e_0/(h (h + beta)),  u_T - e_0/(h + beta)   obey the law with r
//
// Deviations are part of the state: in its memory, by the ids of interactions. Those of joints are
// minus their gaps. Restitution has no place in this law and is not read.
#include <math.h>
#include <string.h>

#include "problem/mass.h"
#include "step/parts.h"
#include "step/schemes.h"
#include "stiction/extend/base.h"
#include "stiction/extend/law.h"

typedef struct PenaltySettings {
    double stiffness, time;
} PenaltySettings;

static const SticField fields[] = {
    STIC_FIELD_REAL(PenaltySettings, stiffness, 1e6, 1e-12, 1e18, "N/m",
                    "force per deviation of every row; N m/rad where rows turn"),
    STIC_FIELD_REAL(PenaltySettings, time, 1e-4, 0.0, 1e6, "s",
                    "damping over stiffness of every row"),
};
const SticFieldTable stic_penalty_fields = {
    "penalty", fields, (int32_t)(sizeof fields / sizeof fields[0]), sizeof(PenaltySettings)};

typedef struct Penalty {
    SticStepper* stepper;
    const SticSystem* system;
    const PenaltySettings* settings;
    const SticState* from;
    double h;
    SticDirections d;
    SticMass mass;
    double* momentum;  // [nu] M u + h f
    double* deviation; // [rows] where the step begins
} Penalty;

static bool on_position(const SticInteraction* interaction, int32_t row)
{
    return interaction->level == STIC_LEVEL_POSITION ||
           (interaction->level == STIC_LEVEL_CONTACT && row == 0);
}

// distance that velocities and free accelerations of the beginning can cover in a step
static SticStatus find_contacts(Penalty* p)
{
    const SticLayout* layout = &p->system->layout;
    SticArena* arena = p->stepper->arena;
    double *force = NULL, *free = NULL, reach = 0.0;
    STIC_TRY(STIC_TAKE(arena, &force, layout->nu));
    STIC_TRY(STIC_TAKE(arena, &free, layout->nu));
    STIC_TRY(STIC_TAKE(arena, &p->momentum, layout->nu));
    STIC_TRY(p->system->ops->mass(p->system, p->from, arena, &p->mass));
    STIC_TRY(stic_system_force(p->system, p->from, arena, force));
    STIC_TRY(stic_system_add_gyro(p->system, p->from, &p->mass, arena, force));
    stic_mass_divide(&p->mass, force, free);
    stic_mass_multiply(&p->mass, p->from->u, 0.0, p->momentum);
    for (int32_t c = 0; c < layout->nu; ++c) {
        const double way = p->h * (fabs(p->from->u[c]) + p->h * fabs(free[c]));
        reach = way > reach ? way : reach;
        p->momentum[c] += p->h * force[c];
    }
    STIC_TRY(stic_directions_detect(p->stepper, p->system, p->from, 4.0 * reach, &p->d));
    return stic_directions_measure(p->stepper, p->system, p->from,
                                   STIC_WANT_GAP | STIC_WANT_CHI | STIC_WANT_H, NULL, &p->d);
}

static SticStatus take_deviations(Penalty* p, SticError* error)
{
    const SticSet* set = &p->d.set;
    STIC_TRY(STIC_TAKE(p->stepper->arena, &p->deviation, set->rows));
    for (int32_t i = 0; i < set->count; ++i) {
        const SticInteraction* interaction = &set->interaction[i];
        const SticMemoryRecord* known = stic_memory_find(p->from->memory, interaction->id);
        double* e = p->deviation + set->row_at[i];
        if (interaction->level != STIC_LEVEL_POSITION && interaction->rows > 3)
            return stic_error_set(error, STIC_UNSUPPORTED,
                                  "scheme 'penalty' keeps deviations of three rows, and the law "
                                  "'%s' of system '%s' has %d",
                                  stic_law_name((SticLaw)interaction->law), p->system->name,
                                  interaction->rows);
        for (int32_t c = 0; c < interaction->rows; ++c)
            e[c] = interaction->level == STIC_LEVEL_POSITION
                       ? -p->d.measures.gap[set->row_at[i] + c]
                   : known != NULL ? known->deviation[c]
                                   : 0.0;
        if (known != NULL && set->tangent != NULL && interaction->level == STIC_LEVEL_CONTACT)
            stic_parts_turn(interaction, set->tangent[i], known->tangent, e);
    }
    return STIC_OK;
}

// the problem in local form, with the compliance of the rows
static SticStatus soften(const Penalty* p, SticProblem* problem, double* shift, SticError* error)
{
    SticArena* arena = p->stepper->arena;
    const SticSet* set = &p->d.set;
    const double h = p->h, beta = p->settings->time, K = p->settings->stiffness;
    SticProblem local;
    SticBlockCsr* W = NULL;
    double* value = NULL;
    STIC_TRY(stic_problem_condense(arena, problem, &local, error));
    const int64_t values = local.W->value_at[local.W->begin[local.W->rows]];
    STIC_TRY(STIC_TAKE(arena, &W, 1));
    STIC_TRY(STIC_TAKE(arena, &value, values));
    memcpy(value, local.W->value, (size_t)values * sizeof *value);
    *W = *local.W;
    W->value = value;
    for (int32_t i = 0; i < set->count; ++i) {
        const int32_t rows = set->interaction[i].rows, at = set->row_at[i];
        for (int32_t e = W->begin[i]; e < W->begin[i + 1]; ++e)
            for (int32_t c = 0; W->col[e] == i && c < rows; ++c)
                value[W->value_at[e] + (int64_t)c * rows + c] += 1.0 / (K * h * (h + beta));
        for (int32_t c = 0; c < rows; ++c) {
            const double part = p->deviation[at + c] / (h + beta);
            shift[at + c] += on_position(&set->interaction[i], c)
                                 ? (p->d.measures.gap[at + c] + beta * part) / h
                                 : -part;
        }
    }
    local.W = W;
    local.dof = 0;
    local.M = NULL;
    local.Ht = local.Pt = NULL;
    local.f = local.w = NULL;
    *problem = local;
    return STIC_OK;
}

static void keep_deviations(const Penalty* p, const double* r, SticMemory* memory)
{
    const SticSet* set = &p->d.set;
    const double sum = p->h + p->settings->time;
    for (int32_t k = 0; k < memory->count; ++k) {
        const int32_t i = stic_parts_find(set, memory->record[k].id), at = set->row_at[i];
        for (int32_t c = 0; c < set->interaction[i].rows && c < 3; ++c)
            memory->record[k].deviation[c] = r[at + c] / (p->settings->stiffness * sum) +
                                             p->settings->time * p->deviation[at + c] / sum;
    }
}

SticStatus stic_penalty_advance(SticStepper* stepper, const SticSystem* system,
                                const SticState* from, double t_to, SticState* to,
                                SticStepInfo* info)
{
    STIC_ASSERT(from != to);
    STIC_ASSERT(t_to > from->t);
    SticArena* arena = stepper->arena;
    Penalty p = {.stepper = stepper,
                 .system = system,
                 .settings = stepper->settings,
                 .from = from,
                 .h = t_to - from->t};
    SticProblem problem;
    double *shift = NULL, *r = NULL, *u = NULL, *before = NULL, *scratch = NULL;
    STIC_TRY(stic_state_copy(&system->layout, from, to));
    STIC_TRY(find_contacts(&p));
    STIC_TRY(take_deviations(&p, &info->error));
    const int32_t rows = p.d.set.rows;
    STIC_TRY(stic_parts_problem(stepper, &p.d, p.h, &problem, &shift));
    STIC_TRY(STIC_TAKE(arena, &r, rows));
    STIC_TRY(STIC_TAKE(arena, &u, rows));
    STIC_TRY(STIC_TAKE(arena, &before, rows));
    STIC_TRY(STIC_TAKE(arena, &scratch, system->layout.nu));
    problem.dof = system->layout.nu;
    problem.M = &p.mass;
    problem.Ht = &p.d.Ht;
    problem.f = p.momentum;
    problem.w = p.d.measures.chi;
    stic_directions_velocity(&p.d, from->u, before);
    stic_parts_warm_start(&p.d.set, from->memory, r);
    info->solve.outcome = STIC_OUTCOME_SOLVED;
    if (rows > 0) {
        STIC_TRY(soften(&p, &problem, shift, &info->error));
        STIC_TRY(stic_parts_solve(stepper, &problem, r, u, info));
    }
    stic_parts_velocity(&p.mass, &p.d.Ht, p.momentum, r, to->u, scratch);
    stic_parts_drift(&system->layout, from->q, to->u, p.h, to->q);
    to->t = t_to;
    stic_parts_count(&p.d, info);
    const SticClosing closing = {.directions = &p.d, .r = r, .before = before, .at = from};
    STIC_TRY(stic_parts_close(stepper, system, &closing, from, to, info));
    keep_deviations(&p, r, to->memory);
    return STIC_OK;
}
