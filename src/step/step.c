// SPDX-License-Identifier: Apache-2.0
// The table of schemes, refusals, and one checked step.
#include "step/step.h"
#include "math/math.h"
#include "solver/task.h"
#include "step/kept_factor.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "step/parts.h"
#include "step/schemes.h"
#include "step/stray.h"
#include "stiction/extend/base.h"
#include "stiction/extend/law.h"

enum {
    FLAT_CHARTS = STIC_CHART_BIT(STIC_CHART_LINEAR),
    ROTATION_CHARTS = FLAT_CHARTS | STIC_CHART_BIT(STIC_CHART_ROTATION),
    QUATERNION_CHARTS = FLAT_CHARTS | STIC_CHART_BIT(STIC_CHART_QUATERNION),
    SCALABLE_CHARTS = FLAT_CHARTS | STIC_CHART_BIT(STIC_CHART_SCALABLE),
    GENERAL_CHARTS = STIC_CHART_BIT(STIC_CHART_GENERAL)
};

enum {
    LINEAR_MOMENTUM = STIC_PROMISE_BIT(STIC_PROMISE_MOMENTUM),
    CONSISTENT = STIC_PROMISE_BIT(STIC_PROMISE_ENERGY) | STIC_PROMISE_BIT(STIC_PROMISE_POSITION) |
                 STIC_PROMISE_BIT(STIC_PROMISE_RATE) | STIC_PROMISE_BIT(STIC_PROMISE_GAP) |
                 STIC_PROMISE_BIT(STIC_PROMISE_UNIT) | LINEAR_MOMENTUM
};

// one direction of sliding per group of rows
#define EVENT_LAWS                                                                                 \
    (STIC_LAW_BIT(STIC_LAW_FREE) | STIC_LAW_BIT(STIC_LAW_NONNEG) |                                 \
     STIC_LAW_BIT(STIC_LAW_INTERVAL) | STIC_LAW_BIT(STIC_LAW_BALL) |                               \
     STIC_LAW_BIT(STIC_LAW_ELLIPSE) | STIC_LAW_BIT(STIC_LAW_CONE) |                                \
     STIC_LAW_BIT(STIC_LAW_CONE_ELLIPSE) | STIC_LAW_BIT(STIC_LAW_ROLLING))

// laws of up to three rows: what a deviation is kept of
#define PENALTY_LAWS                                                                               \
    (STIC_LAW_BIT(STIC_LAW_FREE) | STIC_LAW_BIT(STIC_LAW_NONNEG) |                                 \
     STIC_LAW_BIT(STIC_LAW_INTERVAL) | STIC_LAW_BIT(STIC_LAW_BALL) |                               \
     STIC_LAW_BIT(STIC_LAW_ELLIPSE) | STIC_LAW_BIT(STIC_LAW_ELLIPSOID) |                           \
     STIC_LAW_BIT(STIC_LAW_CYLINDER) | STIC_LAW_BIT(STIC_LAW_CONTENSOU) |                          \
     STIC_LAW_BIT(STIC_LAW_CONE) | STIC_LAW_BIT(STIC_LAW_CONE_ELLIPSE))

const SticScheme stic_scheme_table[] = {
    {"moreau", "Moreau's midpoint rule, explicit forces (Möller 5.3-5.8)", 0,
     ROTATION_CHARTS | QUATERNION_CHARTS | GENERAL_CHARTS, STIC_STRICT, &stic_moreau_fields,
     stic_moreau_advance, .projects = true,
     .promises = LINEAR_MOMENTUM | STIC_PROMISE_BIT(STIC_PROMISE_UNIT)},
    {"koziara", "Koziara's contact dynamics, explicit central differences (5.1.1-5.2.16)",
     STIC_OFFERS_CONSTANT_MASS, ROTATION_CHARTS, STIC_STRICT, &stic_koziara_fields,
     stic_koziara_advance, .projects = true, .promises = LINEAR_MOMENTUM},
    {"theta", "Moreau and Jean's time stepping with the theta method (Acary and Cadoux 4.17)", 0,
     ROTATION_CHARTS | QUATERNION_CHARTS | GENERAL_CHARTS, STIC_STRICT, &stic_theta_fields,
     stic_theta_advance, .projects = true, .promises = LINEAR_MOMENTUM},
    {"consistent",
     "energy-consistent two-stage scheme with unit quaternions, E2 (Möller 5.157-5.158)",
     STIC_OFFERS_CONSTANT_MASS | STIC_OFFERS_POTENTIAL | STIC_OFFERS_DIRECTIONS_Q,
     QUATERNION_CHARTS, STIC_STRICT, &stic_consistent_fields, stic_consistent_advance,
     .promises = CONSISTENT, .keeps = stic_consistent_keeps, .agree = stic_consistent_agree,
     .suits = stic_consistent_suits, .narrow = true},
    {"decomposed",
     "energy-consistent two-stage scheme with constraints on both levels, D2 (Möller 5.106-5.107)",
     STIC_OFFERS_INERTIA | STIC_OFFERS_POTENTIAL | STIC_OFFERS_DIRECTIONS_Q,
     SCALABLE_CHARTS | GENERAL_CHARTS, STIC_STRICT, &stic_decomposed_fields,
     stic_consistent_advance, .promises = CONSISTENT, .keeps = stic_consistent_keeps,
     .agree = stic_consistent_agree, .suits = stic_consistent_suits, .narrow = true},
    {"relaxed", "contact relaxed to an ODE with error control (Kikuuwe and Brogliato 63-65)",
     STIC_OFFERS_BIAS | STIC_OFFERS_OPEN_GAPS, QUATERNION_CHARTS | GENERAL_CHARTS, STIC_STRICT,
     &stic_relaxed_fields, stic_relaxed_advance, .create = stic_relaxed_create,
     .destroy = stic_relaxed_destroy, .promises = 0, .bits = stic_relaxed_determinism,
     .remark = stic_relaxed_remark, .lacks = STIC_REBOUND_TANGENTIAL, .soft = true, .events = true,
     .instants = true},
    {"penalty",
     "springs and dampers on contacts, implicit Euler, to compare with (Kikuuwe and Brogliato 83, "
     "84)",
     STIC_OFFERS_OPEN_GAPS, QUATERNION_CHARTS | GENERAL_CHARTS, STIC_STRICT, &stic_penalty_fields,
     stic_penalty_advance, .promises = 0, .lacks = STIC_REBOUND_NORMAL | STIC_REBOUND_TANGENTIAL,
     .laws = PENALTY_LAWS, .soft = true},
    {"quasi-static", "implicit Euler with zero velocity at the start of each step (Koziara 5.3)",
     STIC_OFFERS_CONSTANT_MASS | STIC_OFFERS_POTENTIAL | STIC_OFFERS_HESSIAN |
         STIC_OFFERS_OPEN_GAPS,
     ROTATION_CHARTS, STIC_STRICT, &stic_quasistatic_fields, stic_quasistatic_advance,
     .promises = 0, .still = true},
    {"event",
     "event-driven on acceleration level, order 8(5,3) between events (Studer and Glocker)",
     STIC_OFFERS_BIAS | STIC_OFFERS_OPEN_GAPS, QUATERNION_CHARTS | GENERAL_CHARTS, STIC_STRICT,
     &stic_event_fields, stic_event_advance, stic_event_create, stic_event_destroy, .promises = 0,
     .laws = EVENT_LAWS, .bits = stic_event_determinism, .events = true, .instants = true,
     .pairs = true},
    {.name = NULL},
};

static const char* const offer_texts[] = {
#define OFFER_TEXT(name, text) text,
    STIC_OFFER_LIST(OFFER_TEXT)
#undef OFFER_TEXT
};

const char* stic_contact_law_name(int32_t law)
{
    static const char* const names[] = {"gap", "velocity"};
    return law >= 0 && law <= STIC_CONTACT_LAW_VELOCITY ? names[law] : "?";
}

const SticScheme* stic_scheme_find(const char* name, SticError* error)
{
    const char* names[32] = {NULL};
    for (int i = 0; stic_scheme_table[i].name != NULL; ++i) {
        names[i] = stic_scheme_table[i].name;
        if (strcmp(names[i], name) == 0)
            return &stic_scheme_table[i];
    }
    const char* near = stic_suggest(name, names);
    char list[256] = "";
    size_t used = 0;
    for (int i = 0; names[i] != NULL && used < sizeof list; ++i)
        used +=
            (size_t)snprintf(list + used, sizeof list - used, "%s%s", i > 0 ? ", " : "", names[i]);
    if (near != NULL)
        stic_error_set(error, STIC_BAD_ARGUMENT, "there is no scheme '%s'; did you mean '%s'?",
                       name, near);
    else
        stic_error_set(error, STIC_BAD_ARGUMENT, "there is no scheme '%s'; there are %s", name,
                       list);
    return NULL;
}

uint32_t stic_scheme_promises(const SticScheme* scheme, const void* settings)
{
    return scheme->keeps != NULL && settings != NULL ? scheme->keeps(scheme, settings)
                                                     : scheme->promises;
}

SticDeterminism stic_scheme_determinism(const SticScheme* scheme, const void* settings)
{
    return scheme->bits != NULL && settings != NULL ? scheme->bits(settings) : scheme->determinism;
}

const char* stic_scheme_remark(const SticScheme* scheme, const void* settings)
{
    return scheme->remark != NULL && settings != NULL ? scheme->remark(settings) : NULL;
}

SticStatus stic_scheme_agree(const SticScheme* scheme, const void* settings, uint32_t given,
                             SticError* error)
{
    STIC_ASSERT(scheme != NULL);
    return scheme->agree == NULL || settings == NULL ? STIC_OK
                                                     : scheme->agree(settings, given, error);
}

SticStatus stic_scheme_suits(const SticScheme* scheme, const void* settings,
                             const SticSystem* system, SticError* error)
{
    STIC_TRY(stic_scheme_accepts(scheme, system, error));
    return scheme->suits == NULL || settings == NULL ? STIC_OK
                                                     : scheme->suits(settings, system, error);
}

SticStatus stic_scheme_accepts(const SticScheme* scheme, const SticSystem* system, SticError* error)
{
    STIC_ASSERT(scheme != NULL);
    STIC_ASSERT(system != NULL);
    uint32_t offers = system->offers;
    if (offers & STIC_OFFERS_CONSTANT_MASS)
        offers |= STIC_OFFERS_INERTIA;
    const uint32_t missing = scheme->needs & ~offers;
    for (int i = 0; missing != 0 && i < STIC_OFFER_COUNT; ++i)
        if (missing & (1u << i))
            return stic_error_set(error, STIC_UNSUPPORTED,
                                  "scheme '%s' needs %s, which system '%s' does not offer",
                                  scheme->name, offer_texts[i], system->name);
    for (int32_t i = 0; i < system->layout.blocks; ++i) {
        const SticChart chart = (SticChart)system->layout.chart[i];
        if ((scheme->charts & STIC_CHART_BIT(chart)) == 0)
            return stic_error_set(error, STIC_UNSUPPORTED,
                                  "scheme '%s' cannot move coordinates of the %s chart, which "
                                  "system '%s' uses",
                                  scheme->name, stic_chart_name(chart), system->name);
    }
    if (scheme->narrow && system->wide && system->ops->discrete == NULL)
        return stic_error_set(error, STIC_UNSUPPORTED,
                              "scheme '%s' takes potentials of one or two bodies, and that of "
                              "system '%s' joins more; take theta or quasi-static",
                              scheme->name, system->name);
    if (scheme->pairs && system->spread)
        return stic_error_set(error, STIC_UNSUPPORTED,
                              "scheme '%s' takes interactions of two bodies, and in system '%s' "
                              "faces of elastic bodies touch with several nodes; take theta, "
                              "consistent or moreau",
                              scheme->name, system->name);
    const uint32_t foreign = scheme->laws != 0 ? system->laws & ~scheme->laws : 0;
    for (int i = 0; foreign != 0 && i < STIC_LAW_COUNT; ++i)
        if (foreign & STIC_LAW_BIT(i))
            return stic_error_set(error, STIC_UNSUPPORTED,
                                  "scheme '%s' has no rule for the law '%s', which system '%s' "
                                  "uses; moreau, koziara and relaxed take it",
                                  scheme->name, stic_law_name((SticLaw)i), system->name);
    const int lacking = scheme->lacks & system->bounces;
    if (lacking != 0)
        return stic_error_set(
            error, STIC_UNSUPPORTED,
            "scheme '%s' has no law for %srestitution, which surfaces or limits of "
            "system '%s' ask for; set it to 0, or take moreau, koziara or event",
            scheme->name, lacking == STIC_REBOUND_TANGENTIAL ? "tangential " : "", system->name);
    return STIC_OK;
}

SticStatus stic_stepper_create(const SticContext* context, const SticScheme* scheme,
                               SticStepper** stepper)
{
    context = stic_context_given(context);
    STIC_ASSERT(scheme != NULL);
    STIC_ASSERT(stepper != NULL);
    SticStepper* made = NULL;
    *stepper = NULL;
    STIC_TRY(STIC_ALLOCATE(context, &made, 1));
    made->context = *context;
    made->scheme = scheme;
    made->solve.settings = stic_solve_default_settings();
    made->solve.settings.norm = STIC_NORM_UNIT_FREE;
    made->solve.settings.warm_start = true;
    made->solve.settings.per_island = true;
    made->solve.solver = stic_solver_find("auto", NULL);
    made->solve.fits = true;
    SticStatus status = stic_arena_create(context, 0, &made->arena);
    if (status == STIC_OK)
        status = STIC_ALLOCATE(context, &made->classes, 1);
    if (status == STIC_OK)
        made->classes->context = *context;
    if (status == STIC_OK)
        status = stic_kept_factor_create(context, &made->kept_factor);
    if (status == STIC_OK)
        status = STIC_ALLOCATE(context, &made->events, 1);
    if (status == STIC_OK)
        made->events->context = *context;
    if (status == STIC_OK && scheme->create != NULL)
        status = scheme->create(context, &made->own);
    if (status == STIC_OK)
        status = stic_workspace_create_in(made->arena, &made->solve.workspace);
    if (status != STIC_OK) {
        stic_stepper_destroy(made);
        return status;
    }
    *stepper = made;
    return STIC_OK;
}

void stic_stepper_destroy(SticStepper* stepper)
{
    if (stepper == NULL)
        return;
    const SticContext context = stepper->context;
    stic_workspace_destroy(stepper->solve.workspace);
    stic_kept_factor_destroy(stepper->kept_factor);
    stic_arena_destroy(stepper->arena);
    if (stepper->classes != NULL)
        stic_classes_release(stepper->classes);
    STIC_RELEASE(&context, stepper->classes, 1);
    if (stepper->events != NULL)
        stic_events_release(stepper->events);
    STIC_RELEASE(&context, stepper->events, 1);
    if (stepper->scheme->destroy != NULL)
        stepper->scheme->destroy(stepper->own);
    STIC_RELEASE(&context, stepper, 1);
}

SticStatus stic_stepper_load(const SticStepper* stepper, double t, SticError* error)
{
    STIC_ASSERT(stepper != NULL);
    const SticLoads* loads = &stepper->loads;
    return loads->set == NULL ? STIC_OK : loads->set(loads->self, t, t, error);
}

double stic_stepper_kink(const SticStepper* stepper, const SticSystem* system, double t)
{
    STIC_ASSERT(stepper != NULL);
    STIC_ASSERT(system != NULL);
    const SticLoads* loads = &stepper->loads;
    const double load = loads->kink != NULL ? loads->kink(loads->self, t) : INFINITY;
    const double motion = system->ops->kink != NULL ? system->ops->kink(system, t) : INFINITY;
    return load < motion ? load : motion;
}

double stic_stepper_smooth(const SticStepper* stepper, const SticSystem* system, double t,
                           double end)
{
    STIC_ASSERT(stepper != NULL);
    STIC_ASSERT(system != NULL);
    const SticLoads* loads = &stepper->loads;
    if (loads->smooth != NULL)
        end = loads->smooth(loads->self, t, end);
    return system->ops->smooth != NULL ? system->ops->smooth(system, t, end) : end;
}

bool stic_stepper_interrupted(const SticStepper* stepper)
{
    STIC_ASSERT(stepper != NULL);
    return stic_context_ask(&stepper->context, NULL) != STIC_OK;
}

// the first block with a value that is not finite, -1 if there is none
static int32_t find_broken(const SticLayout* layout, const SticState* state)
{
    for (int32_t i = 0; i < layout->blocks; ++i) {
        bool finite = true;
        for (int32_t k = layout->q_at[i]; k < layout->q_at[i + 1]; ++k)
            finite = finite && isfinite(state->q[k]);
        for (int32_t k = layout->u_at[i]; k < layout->u_at[i + 1]; ++k)
            finite = finite && isfinite(state->u[k]);
        if (!finite)
            return i;
    }
    return -1;
}

// all members except the room for texts, which would be most of the work
void stic_step_info_clear(SticStepInfo* info)
{
    stic_solve_info_clear(&info->solve);
    const size_t first = offsetof(SticStepInfo, contacts), end = offsetof(SticStepInfo, error);
    memset((unsigned char*)info + first, 0, end - first);
    stic_error_clear(&info->error);
    info->substeps = 1;
    info->broken = -1;
}

void stic_promise_judge(const SticStepper* stepper, SticPromise promise, double limit,
                        SticStepInfo* info)
{
    const uint32_t promised = stic_scheme_promises(stepper->scheme, stepper->settings);
    const double missed = info->violation[promise];
    if (info->solve.outcome != STIC_OUTCOME_SOLVED || (promised & STIC_PROMISE_BIT(promise)) == 0 ||
        missed <= limit)
        return;
    info->broken_promises |= STIC_PROMISE_BIT(promise);
    // a limit of 0, or a NaN, counts as broken beyond measure
    const double ratio = limit > 0.0 && missed < INFINITY ? missed / limit : INFINITY;
    info->broken_ratio = ratio > info->broken_ratio ? ratio : info->broken_ratio;
}

// Promises that all schemes are measured by: the length of quaternions, and linear momentum where
// the scheme has summed it up. Both are exact up to the rounding of a step and to the tolerance
// that nonlinear equations are solved to.
static void judge(const SticStepper* stepper, const SticSystem* system, const SticState* to,
                  SticStepInfo* info)
{
    static const double limit = 1e-6;
    const SticLayout* layout = &system->layout;
    double* missed = info->violation;
    for (int32_t i = 0; i < layout->blocks; ++i) {
        const double* A = to->q + layout->q_at[i] + 3;
        if (layout->chart[i] != STIC_CHART_QUATERNION && layout->chart[i] != STIC_CHART_SCALABLE)
            continue;
        const double off = fabs(A[0] * A[0] + A[1] * A[1] + A[2] * A[2] + A[3] * A[3] - 1.0);
        missed[STIC_PROMISE_UNIT] =
            off > missed[STIC_PROMISE_UNIT] ? off : missed[STIC_PROMISE_UNIT];
    }
    for (int k = STIC_PROMISE_UNIT; k <= STIC_PROMISE_MOMENTUM; ++k)
        stic_promise_judge(stepper, (SticPromise)k, limit, info);
    STIC_ASSERT((info->broken_promises & (STIC_PROMISE_BIT(STIC_PROMISE_UNIT) | LINEAR_MOMENTUM)) ==
                0);
}

SticStatus stic_step(SticStepper* stepper, const SticSystem* system, const SticState* from,
                     double t_to, SticState* to, SticStepInfo* info)
{
    STIC_ASSERT(stepper != NULL);
    STIC_ASSERT(system != NULL);
    STIC_ASSERT(from != NULL);
    STIC_ASSERT(to != NULL);
    STIC_ASSERT(info != NULL);
    const SticScheme* scheme = stepper->scheme;
    stic_step_info_clear(info);
    STIC_TRY(stic_scheme_accepts(scheme, system, &info->error));
    if (!(t_to > from->t) || !isfinite(t_to))
        return stic_error_set(&info->error, STIC_BAD_ARGUMENT,
                              "a step must end later than it begins: %g to %g", from->t, t_to);
    STIC_TRY(stic_arena_reset(stepper->arena));
    stepper->classes->count = 0;
    stepper->events->count = 0;
    SticStepper prepared = *stepper;
    double defaults[64]; // room for any settings struct, aligned for doubles
    if (prepared.settings == NULL && scheme->fields != NULL) {
        STIC_ASSERT(scheme->fields->size <= sizeof defaults);
        stic_fields_default(scheme->fields, defaults);
        prepared.settings = defaults;
    }
    if (prepared.record != NULL)
        *prepared.record = (SticStepRecord){.filled = false};
    // bonds are those of the state itself, not of where the first step looks for contacts
    SticState start = *from;
    SticMemory memory;
    if (system->bonds && !from->memory->begun) {
        STIC_TRY(stic_parts_first_bonds(&prepared, system, from, &memory));
        start.memory = &memory;
        prepared.bonded = true;
    }
    stic_memory_copy_turns(&system->layout, from->memory, to->memory);
    SticStatus status = stic_stray_advance(&prepared, system, &start, t_to, to, info);
    if (status == STIC_OK)
        status = stic_system_follow(system, to);
    if (prepared.record != NULL)
        prepared.record->first = !from->memory->begun;
    if (status != STIC_OK) {
        if (info->error.status == STIC_OK && status == STIC_NOT_FINITE)
            stic_error_set(&info->error, status,
                           "scheme '%s': a gap, direction or force of system '%s' is not finite in "
                           "the step from t = %g to %g",
                           scheme->name, system->name, from->t, t_to);
        else if (info->error.status == STIC_OK)
            stic_error_set(&info->error, status, "scheme '%s' on system '%s': %s", scheme->name,
                           system->name, stic_status_text(status));
        return status;
    }
    if (stic_dense_is_finite(system->layout.nq, to->q) &&
        stic_dense_is_finite(system->layout.nu, to->u)) {
        judge(&prepared, system, to, info);
        return STIC_OK;
    }
    info->broken = find_broken(&system->layout, to);
    return stic_error_set(&info->error, STIC_NOT_FINITE,
                          "scheme '%s' on system '%s' gave a value that is not finite in the "
                          "step from t = %g to %g",
                          scheme->name, system->name, from->t, t_to);
}
