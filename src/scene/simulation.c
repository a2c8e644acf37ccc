// SPDX-License-Identifier: Apache-2.0
// Simulations: everything a scene asks for, and its steps under loads that change with time.
//
// Loads are taken at the middle of a step, or of a part of one that was split, and held over it.
// That is second order in the step, it is the value that the midpoint schemes want, and it needs no
// state: a resumed run sees the same loads. A scheme for equilibria ends steps in balance with what
// acts then, and takes the loads of their ends.
#include "scene/simulation.h"

#include <math.h>
#include <string.h>

#include "run/run.h"
#include "scene/scene.h"
#include "stiction/extend/base.h"

SticSceneTime stic_simulation_load_time(const SticSimulation* simulation, double begin, double end)
{
    if (simulation->still)
        return (SticSceneTime){.t = end, .before = end > begin};
    return (SticSceneTime){.t = begin + 0.5 * (end - begin)};
}

// SticLoads.set of a simulation
static SticStatus apply_loads(void* self, double begin, double end, SticError* error)
{
    SticSimulation* simulation = self;
    const SticSceneDef* def = simulation->def;
    const SticSceneTime at = stic_simulation_load_time(simulation, begin, end);
    if (end > simulation->known * (1.0 + 1e-9))
        return stic_error_set(
            error, STIC_BAD_DATA,
            "a time function is known until %g s, and the run is to go on to %g s: "
            "load the script with the later end",
            simulation->known, end);
    if (simulation->gravity_changes)
        stic_world_set_gravity(simulation->world, stic_scene_load_at(def, &def->gravity, at));
    for (int32_t k = 0; k < simulation->loaded_count; ++k) {
        const int32_t i = simulation->loaded[k];
        STIC_TRY(stic_body_set_force(simulation->world, simulation->body[i],
                                     stic_scene_load_at(def, &def->body[i].force, at),
                                     stic_scene_load_at(def, &def->body[i].torque, at), error));
    }
    for (int32_t k = 0; k < simulation->acting_count; ++k) {
        const int32_t i = simulation->acting[k];
        STIC_TRY(stic_joint_set_force(simulation->world, simulation->joint[i],
                                      stic_scene_scalar_at(def, &def->joint[i].force, at), error));
    }
    return stic_simulation_push(simulation, at, false, error);
}

// SticLoads.kink of a simulation
static double find_kink(void* self, double t)
{
    const SticSimulation* simulation = self;
    const SticSceneDef* def = simulation->def;
    double first = stic_scene_load_kink(def, &def->gravity, t, INFINITY);
    for (int32_t k = 0; k < simulation->loaded_count; ++k) {
        const SticSceneBody* body = &def->body[simulation->loaded[k]];
        first = stic_scene_load_kink(def, &body->force, t, first);
        first = stic_scene_load_kink(def, &body->torque, t, first);
    }
    for (int32_t k = 0; k < simulation->acting_count; ++k) {
        const SticSceneScalar* force = &def->joint[simulation->acting[k]].force;
        const double kink = stic_signal_kink(&def->signal[force->signal], t);
        first = kink < first ? kink : first;
    }
    return stic_simulation_push_kink(simulation, t, first);
}

// SticLoads.smooth of a simulation
static double find_smooth(void* self, double t, double end)
{
    const SticSimulation* simulation = self;
    const SticSceneDef* def = simulation->def;
    end = stic_scene_load_smooth(def, &def->gravity, t, end);
    for (int32_t k = 0; k < simulation->loaded_count; ++k) {
        const SticSceneBody* body = &def->body[simulation->loaded[k]];
        end = stic_scene_load_smooth(def, &body->force, t, end);
        end = stic_scene_load_smooth(def, &body->torque, t, end);
    }
    for (int32_t k = 0; k < simulation->acting_count; ++k)
        end = stic_signal_smooth(&def->signal[def->joint[simulation->acting[k]].force.signal], 0, t,
                                 end);
    return stic_simulation_push_smooth(simulation, t, end);
}

/* ---- creation ---- */

static SticStatus reserve(SticSimulation* made)
{
    const SticContext* context = &made->context;
    const SticSceneDef* def = made->def;
    made->load_factor = 1.0;
    STIC_TRY(STIC_ALLOCATE(context, &made->shape, def->shape_count));
    STIC_TRY(STIC_ALLOCATE(context, &made->body, def->body_count));
    STIC_TRY(STIC_ALLOCATE(context, &made->joint, def->joint_count));
    STIC_TRY(STIC_ALLOCATE(context, &made->material, def->material_count));
    STIC_TRY(STIC_ALLOCATE(context, &made->loaded, def->body_count));
    STIC_TRY(STIC_ALLOCATE(context, &made->motion, def->body_count));
    STIC_TRY(STIC_ALLOCATE(context, &made->driven, def->joint_count));
    STIC_TRY(STIC_ALLOCATE(context, &made->acting, def->joint_count));

    STIC_TRY(STIC_ALLOCATE(context, &made->check, def->check_count));
    STIC_TRY(STIC_ALLOCATE(context, &made->body_colour, def->body_count));
    STIC_TRY(STIC_ALLOCATE(context, &made->body_look, def->body_count));
    STIC_TRY(STIC_ALLOCATE(context, &made->material_colour, def->material_count + 1));
    STIC_TRY(stic_arena_create(context, 0, &made->scratch));
    made->gravity_changes = stic_scene_load_changes(&def->gravity);
    for (int32_t i = 0; i < def->body_count; ++i)
        if (stic_scene_load_changes(&def->body[i].force) ||
            stic_scene_load_changes(&def->body[i].torque))
            made->loaded[made->loaded_count++] = i;
    for (int32_t i = 0; i < def->joint_count; ++i)
        if (def->joint[i].force.signal >= 0)
            made->acting[made->acting_count++] = i;
    return STIC_OK;
}

// time until which a function is known: one of a script as far as it was sampled
static double end_of(const SticSignal* signal)
{
    switch ((SticSignalKind)signal->kind) {
    case STIC_SIGNAL_STEPS:
        return signal->interval * signal->count;
    case STIC_SIGNAL_CURVE:
        return stic_signal_knot(signal, signal->count - 1);
    case STIC_SIGNAL_TABLE:
        return signal->until > 0.0 ? signal->until : INFINITY;
    default:
        return INFINITY;
    }
}

static SticStatus check_signals(SticSimulation* made, SticError* error)
{
    const SticSceneDef* def = made->def;
    // a run ends with a whole step
    const double last = rint(def->run.until / def->run.step) * def->run.step;
    made->known = INFINITY;
    for (int32_t i = 0; i < def->signal_count; ++i) {
        const double end = end_of(&def->signal[i]);
        made->known = end < made->known ? end : made->known;
        if (last > end * (1.0 + 1e-9))
            return stic_error_set(error, STIC_BAD_DATA,
                                  "the run ends at %g s, but time function %d is known until %g s: "
                                  "load the script with the later end",
                                  last, i + 1, end);
    }
    return STIC_OK;
}

// the chart of a model's rotating block that a scheme can move
static SticStatus model_chart(const SticModel* model, const SticScheme* scheme, SticChart* chart)
{
    *chart = STIC_CHART_LINEAR;
    if (model->charts == 0)
        return STIC_OK;
    for (int k = 0; k <= STIC_CHART_GENERAL; ++k)
        if ((model->charts & scheme->charts & STIC_CHART_BIT(k)) != 0) {
            *chart = (SticChart)k;
            return STIC_OK;
        }
    return STIC_UNSUPPORTED;
}

// run of a registered model at its start
static SticStatus run_model(SticSimulation* made, SticRunParts* parts, SticError* error)
{
    const SticSceneDef* def = made->def;
    SticChart chart = STIC_CHART_LINEAR;
    made->model = stic_model_find(def->model, error);
    if (made->model == NULL)
        return STIC_BAD_ARGUMENT;
    if (model_chart(made->model, parts->scheme, &chart) != STIC_OK)
        return stic_error_set(error, STIC_UNSUPPORTED, "scheme '%s' cannot move the model '%s'",
                              parts->scheme->name, def->model);
    SticSystem* system = NULL;
    STIC_TRY(made->model->create(&made->context, def->model_parameters, chart, &system, error));
    made->system = parts->system = system;
    STIC_TRY(stic_run_assemble(&made->context, parts, &made->run, error));
    made->model->start(def->model_parameters, chart, stic_run_state(made->run));
    return STIC_OK;
}

static SticStatus run_world(SticSimulation* made, const SticRunParts* parts, SticError* error)
{
    STIC_TRY(stic_simulation_build_world(made, error));
    SticSystem* system = NULL;
    STIC_TRY(
        stic_scene_blame(stic_run_system(made->world, parts->scheme, &system, error), 0, error));
    STIC_TRY(stic_run_adopt(&made->context, made->world, system, parts, &made->run, error));
    made->system = system;
    return STIC_OK;
}

// start velocities that fit the joints
static SticStatus project(SticSimulation* made, const SticScheme* scheme, SticError* error)
{
    SticStepper* stepper = NULL;
    SticProjection report;
    STIC_TRY(stic_stepper_create(&made->context, scheme, &stepper));
    const SticStatus status =
        stic_step_project(stepper, made->system, stic_run_state(made->run), &report, error);
    stic_stepper_destroy(stepper);
    return status;
}

// what a body takes from a material that does not state it
typedef struct Guess {
    bool density, friction;
} Guess;

static Guess guess_of(const SticSceneDef* def, const SticSceneBody* body)
{
    Guess guess = {false, false};
    if (body->kind == STIC_BODY_FIXED || body->kind == STIC_BODY_PRESCRIBED)
        return guess;
    for (int32_t k = 0; k < body->part_count; ++k) {
        const int32_t own = body->part[k].material, material = own >= 0 ? own : body->material;
        guess.density |= !(body->mass > 0.0) && (material < 0 || !def->material[material].weighed);
        guess.friction |= material < 0 || !def->material[material].rubbed;
    }
    return guess;
}

// defaults that stand in for what the scene does not say
static void note_guesses(SticSimulation* made)
{
    const SticSceneDef* def = made->def;
    const SticMaterialDef material = stic_material_default_def();
    const double end = (double)made->steps * def->run.step, off = fabs(def->run.until - end);
    int32_t shaped = 0;
    for (int32_t i = 0; i < def->body_count; ++i)
        shaped += def->body[i].part_count > 0;
    SticNotice notice = stic_notice_make(def->run.step, -1, -1);
    if (def->run_guessed)
        stic_run_note(made->run, STIC_NOTICE_RUN, &notice);
    notice = stic_notice_make(off, -1, -1);
    if (off > 1e-6 * def->run.step)
        stic_run_note(made->run, STIC_NOTICE_REMAINDER, &notice);
    notice = stic_notice_make(def->rough_at, -1, -1);
    notice.count = def->rough;
    if (def->rough > 0)
        stic_run_note(made->run, STIC_NOTICE_ROUGH, &notice);
    for (int32_t i = 0; i < def->body_count; ++i) {
        const Guess guess = guess_of(def, &def->body[i]);
        const int32_t block = stic_world_block(made->system, made->body[i]);
        notice = stic_notice_make(material.density, block, -1);
        if (guess.density)
            stic_run_note(made->run, STIC_NOTICE_DENSITY, &notice);
        notice = stic_notice_make(material.surface.friction, block, -1);
        // a body on its own has nothing to rub against
        if (guess.friction && shaped > 1)
            stic_run_note(made->run, STIC_NOTICE_FRICTION, &notice);
    }
}

static SticStatus build_run(SticSimulation* made, SticError* error)
{
    const SticSceneDef* def = made->def;
    const SticScheme* scheme = stic_scheme_find(def->scheme, error);
    const SticSolver* solver = scheme == NULL ? NULL : stic_solver_find(def->solver, error);
    if (solver == NULL)
        return STIC_BAD_ARGUMENT;
    made->still = scheme->still;
    SticRunParts run = stic_run_default_parts();
    run.scheme = scheme;
    run.scheme_settings = scheme->fields != NULL ? def->scheme_settings : NULL;
    run.solver = solver;
    run.solver_settings = solver->fields != NULL ? def->solver_settings : NULL;
    run.solve = def->solve;
    if (def->second != NULL)
        run.second = stic_solver_find(def->second, NULL);
    run.step = def->run.step;
    run.accuracy = (SticAccuracy)def->run.accuracy;
    run.policy = (SticPolicy)def->run.policy;
    run.max_halvings = def->run.max_halvings;
    run.energy_alarm = def->run.energy_alarm;
    run.sleep = def->run.sleep;
    run.law = (SticContactLaw)def->run.law;
    run.projection = def->run.projection;
    run.correction = (SticCorrection){.rate = def->run.correction, .allowance = def->run.allowance};
    run.loads = (SticLoads){.set = apply_loads,
                            .kink = find_kink,
                            .smooth = find_smooth,
                            .self = made,
                            .potential = made->gravity_changes};
    STIC_TRY(def->model != NULL ? run_model(made, &run, error) : run_world(made, &run, error));
    made->steps = (int64_t)rint(def->run.until / def->run.step);
    note_guesses(made);
    return def->run.project ? project(made, scheme, error) : STIC_OK;
}

// numbers that this system cannot give are refused before the first step
static SticStatus check_measured(const SticSimulation* made, SticError* error)
{
    const SticSceneDef* def = made->def;
    for (int32_t i = 0; i < def->history_count; ++i)
        STIC_TRY(stic_simulation_can_measure(made, &def->history[i], error));
    for (int32_t i = 0; i < def->check_count; ++i)
        STIC_TRY(stic_simulation_can_measure(made, &def->check[i].what, error));
    return STIC_OK;
}

SticStatus stic_simulation_create(const SticContext* context, const SticScene* scene,
                                  SticSimulation** simulation, SticError* error)
{
    context = stic_context_given(context);
    STIC_GIVEN(scene, error);
    STIC_GIVEN(simulation, error);
    SticSimulation* made = NULL;
    SticError local = {0};
    *simulation = NULL;
    SticStatus status = STIC_ALLOCATE(context, &made, 1);
    if (status != STIC_OK)
        return stic_error_set(error, status, "no memory for a simulation");
    made->context = *context;
    made->scene = scene;
    made->def = stic_scene_def(scene);
    status = reserve(made);
    if (status == STIC_OK)
        status = check_signals(made, &local);
    if (status == STIC_OK)
        status = build_run(made, &local);
    if (status == STIC_OK)
        status = check_measured(made, &local);
    if (status == STIC_OK) {
        *simulation = made;
        return STIC_OK;
    }
    stic_simulation_destroy(made);
    return stic_error_set_at(error, status, "", local.line, 0, "%s",
                             local.text[0] != '\0' ? local.text : stic_status_text(status));
}

SticSimulation* stic_simulation_open(const SticContext* context, const char* path, SticError* error)
{
    SticScene* scene = NULL;
    SticSimulation* made = NULL;
    if (stic_scene_load(context, path, NULL, &scene, error) != STIC_OK)
        return NULL;
    if (stic_simulation_create(context, scene, &made, error) != STIC_OK) {
        stic_scene_destroy(scene);
        return NULL;
    }
    made->owned = scene;
    return made;
}

void stic_simulation_destroy(SticSimulation* simulation)
{
    if (simulation == NULL)
        return;
    const SticContext context = simulation->context;
    const SticSceneDef* def = simulation->def;
    stic_run_destroy(simulation->run);
    // the system of a world belongs to the run
    if (simulation->model != NULL)
        stic_model_destroy(simulation->model, (SticSystem*)simulation->system);
    stic_world_destroy(simulation->world);
    for (int32_t i = 0; simulation->shape != NULL && i < def->shape_count; ++i)
        stic_shape_destroy(simulation->shape[i]);
    STIC_RELEASE(&context, simulation->shape, def->shape_count);
    STIC_RELEASE(&context, simulation->body, def->body_count);
    STIC_RELEASE(&context, simulation->joint, def->joint_count);
    STIC_RELEASE(&context, simulation->material, def->material_count);
    STIC_RELEASE(&context, simulation->loaded, def->body_count);
    STIC_RELEASE(&context, simulation->motion, def->body_count);
    STIC_RELEASE(&context, simulation->driven, def->joint_count);
    STIC_RELEASE(&context, simulation->acting, def->joint_count);
    STIC_RELEASE(&context, simulation->place, simulation->place_room);
    STIC_RELEASE(&context, simulation->pushing, simulation->place_room);
    STIC_RELEASE(&context, simulation->check, def->check_count);
    STIC_RELEASE(&context, simulation->body_colour, def->body_count);
    STIC_RELEASE(&context, simulation->body_look, def->body_count);
    STIC_RELEASE(&context, simulation->material_colour, def->material_count + 1);
    stic_arena_destroy(simulation->scratch);
    stic_scene_destroy(simulation->owned);
    STIC_RELEASE(&context, simulation, 1);
}

/* ---- steps ---- */

// what the checks of the scene see after a step
static SticStatus follow_checks(SticSimulation* simulation)
{
    const SticSceneDef* def = simulation->def;
    const double t = stic_run_state(simulation->run)->t;
    const bool first = stic_run_totals(simulation->run)->steps == 1;
    for (int32_t i = 0; i < def->check_count; ++i) {
        const SticSceneCheck* check = &def->check[i];
        SticCheckResult* result = &simulation->check[i];
        const double end = check->at > 0.0 ? check->at : def->run.until;
        // the last value is needed once, the others at every step; a run that was resumed later has
        // missed it
        const bool due = t >= end - 0.5 * def->run.step, missed = t > end + 0.5 * def->run.step;
        if (result->done || missed || (check->reduction == STIC_REDUCE_LAST && !due))
            continue;
        double x = 0.0;
        STIC_TRY(stic_simulation_measure(simulation, &check->what, &x));
        if (check->reduction == STIC_REDUCE_LAST || first ||
            (check->reduction == STIC_REDUCE_LEAST ? x < result->value : x > result->value))
            result->value = x;
        result->done = due;
        result->passed = due && fabs(result->value - check->value) <= check->tolerance;
    }
    return STIC_OK;
}

SticCheckResult stic_simulation_check(const SticSimulation* simulation, int32_t i)
{
    STIC_ASSERT(simulation != NULL);
    STIC_ASSERT(i >= 0 && i < simulation->def->check_count);
    return simulation->check[i];
}

SticStatus stic_simulation_step(SticSimulation* simulation, SticStepInfo* info)
{
    STIC_GIVEN(simulation, NULL);
    SticStepInfo unused;
    info = info == NULL ? &unused : info;
    memset(info, 0, sizeof *info);
    STIC_TRY(stic_run_step(simulation->run, info));
    simulation->contacts = info->contacts;
    simulation->load_factor = info->scales_loads ? info->load_factor : 1.0;
    const SticStatus status = follow_checks(simulation);
    if (status != STIC_OK)
        return stic_error_set(&info->error, status, "a check of the scene cannot be measured: %s",
                              stic_status_text(status));
    return STIC_OK;
}

bool stic_simulation_is_done(const SticSimulation* simulation)
{
    return simulation == NULL || stic_run_totals(simulation->run)->steps >= simulation->steps;
}

int64_t stic_simulation_steps(const SticSimulation* simulation)
{
    STIC_ASSERT(simulation != NULL);
    return simulation->steps;
}

const SticScene* stic_simulation_scene(const SticSimulation* simulation)
{
    STIC_ASSERT(simulation != NULL);
    return simulation->scene;
}

SticRun* stic_simulation_run(SticSimulation* simulation)
{
    return simulation == NULL ? NULL : simulation->run;
}

const SticSystem* stic_simulation_system(const SticSimulation* simulation)
{
    STIC_ASSERT(simulation != NULL);
    return simulation->system;
}

SticWorld* stic_simulation_world(const SticSimulation* simulation)
{
    return simulation == NULL ? NULL : simulation->world;
}

SticPose stic_simulation_pose(const SticSimulation* simulation, const char* body)
{
    const SticWorld* world = stic_simulation_world(simulation);
    return world == NULL ? stic_pose_identity()
                         : stic_run_pose(simulation->run, stic_body_find(world, body));
}

SticBodyId stic_simulation_body(const SticSimulation* simulation, int32_t i)
{
    STIC_ASSERT(simulation != NULL);
    STIC_ASSERT(i >= 0 && i < simulation->def->body_count);
    return simulation->body[i];
}

SticJointId stic_simulation_joint(const SticSimulation* simulation, int32_t i)
{
    STIC_ASSERT(simulation != NULL);
    STIC_ASSERT(i >= 0 && i < simulation->def->joint_count);
    return simulation->joint[i];
}

void stic_simulation_colours(const SticSimulation* simulation, SticOutputDef* output)
{
    STIC_ASSERT(simulation != NULL);
    STIC_ASSERT(output != NULL);
    if (simulation->world == NULL)
        return;
    output->body_colour = simulation->body_colour;
    output->body_look = simulation->body_look;
    output->material_colour = simulation->material_colour;
}

const SticShape* stic_simulation_shape(const SticSimulation* simulation, int32_t i)
{
    STIC_ASSERT(simulation != NULL);
    STIC_ASSERT(i >= 0 && i < simulation->def->shape_count);
    return simulation->shape[i];
}

SticDeterminism stic_simulation_determinism(const SticSimulation* simulation)
{
    STIC_ASSERT(simulation != NULL);
    const SticSceneDef* def = simulation->def;
    const SticDeterminism scheme =
        stic_scheme_determinism(stic_scheme_find(def->scheme, NULL), def->scheme_settings);
    const SticDeterminism solver = stic_solver_find(def->solver, NULL)->determinism;
    if (def->solve.max_seconds > 0.0)
        return STIC_FREE;
    return scheme > solver ? scheme : solver;
}
