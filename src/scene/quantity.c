// SPDX-License-Identifier: Apache-2.0
// Numbers that can be measured at any time of a simulation.
#include <math.h>

#include "math/math.h"
#include "scene/simulation.h"

#include "stiction/extend/base.h"
#include "stiction/extend/run.h"
#include "stiction/extend/vec3.h"
#include "stiction/extend/world.h"
#include "world/world.h"

static double component_of(SticVec3 x, int32_t component)
{
    switch (component) {
    case 0:
        return x.x;
    case 1:
        return x.y;
    case 2:
        return x.z;
    default:
        return stic_vec3_norm(x);
    }
}

// centre of mass: the origin unless a centre was given, or shapes that lie off it
static SticVec3 centre_of(const SticSimulation* simulation, const SticState* state, int32_t i)
{
    const SticBodyId body = simulation->body[i];
    const SticPose pose = stic_world_pose(simulation->system, state, body);
    const int32_t block = stic_world_block(simulation->system, body);
    if (block < 0)
        return pose.origin;
    if (simulation->def->body[i].kind == STIC_BODY_ELASTIC)
        return stic_pose_apply(&pose,
                               stic_view_mass(stic_view_of(simulation->system), body.index).centre);
    // every chart of a body begins with the place of its centre
    const double* q = state->q + simulation->system->layout.q_at[block];
    return stic_vec3(q[0], q[1], q[2]);
}

static double of_body(const SticSimulation* simulation, const SticState* state,
                      const SticSceneHistory* what)
{
    const SticBodyId body = simulation->body[what->body];
    const SticPose pose = stic_world_pose(simulation->system, state, body);
    const SticTwist twist = stic_world_twist(simulation->system, state, body);
    SticVec3 x = pose.origin;
    switch (what->quantity) {
    case STIC_QUANTITY_CENTRE:
        x = centre_of(simulation, state, what->body);
        break;
    case STIC_QUANTITY_VELOCITY:
        x = twist.velocity;
        break;
    case STIC_QUANTITY_ANGULAR_VELOCITY:
        x = twist.angular_velocity;
        break;
    case STIC_QUANTITY_AXIS_X:
        x = stic_mat3_mul_vec(pose.F, stic_vec3(1.0, 0.0, 0.0));
        break;
    case STIC_QUANTITY_AXIS_Y:
        x = stic_mat3_mul_vec(pose.F, stic_vec3(0.0, 1.0, 0.0));
        break;
    case STIC_QUANTITY_AXIS_Z:
        x = stic_mat3_mul_vec(pose.F, stic_vec3(0.0, 0.0, 1.0));
        break;
    default:
        break;
    }
    return component_of(x, what->component);
}

// the same of the first block of a model that is a body in some chart: place, velocity, axes
static double of_block(const SticSimulation* simulation, const SticState* state,
                       const SticSceneHistory* what)
{
    const SticLayout* layout = &simulation->system->layout;
    const SticMat3 R = layout->chart[0] == STIC_CHART_ROTATION
                           ? stic_mat3_load(state->q + 3)
                           : stic_quat_to_matrix(stic_quat_load(state->q + 3));
    SticVec3 x = stic_vec3_load(state->q);
    if (what->quantity == STIC_QUANTITY_VELOCITY)
        x = stic_vec3_load(state->u);
    else if (what->quantity == STIC_QUANTITY_ANGULAR_VELOCITY)
        x = stic_mat3_mul_vec(R, stic_vec3_load(state->u + layout->u_at[1] - 3));
    else if (what->quantity >= STIC_QUANTITY_AXIS_X)
        x = stic_mat3_column(R, what->quantity - STIC_QUANTITY_AXIS_X);
    return component_of(x, what->component);
}

static bool is_body(const SticLayout* layout)
{
    return layout->chart[0] == STIC_CHART_ROTATION || layout->chart[0] == STIC_CHART_QUATERNION ||
           layout->chart[0] == STIC_CHART_SCALABLE;
}

SticStatus stic_simulation_can_measure(const SticSimulation* simulation,
                                       const SticSceneHistory* what, SticError* error)
{
    const SticLayout* layout = &simulation->system->layout;
    const char *quantity = stic_quantity_name((SticQuantity)what->quantity),
               *scheme = simulation->def->scheme;
    const bool is_q = what->quantity == STIC_QUANTITY_STATE_Q;
    const int32_t size = is_q ? layout->nq : layout->nu;
    if ((is_q || what->quantity == STIC_QUANTITY_STATE_U) &&
        (what->component < 0 || what->component >= size))
        return stic_error_set(error, STIC_BAD_ARGUMENT,
                              "there is no %s %d: with scheme '%s' the system has %d of them",
                              quantity, (int)what->component + 1, scheme, (int)size);
    if (what->quantity <= STIC_QUANTITY_AXIS_Z && what->body < 0 && !is_body(layout))
        return stic_error_set(error, STIC_BAD_ARGUMENT,
                              "%s is of a body, and the model '%s' is none: use q or u", quantity,
                              simulation->system->name);
    const bool stress =
        what->quantity >= STIC_QUANTITY_STRESS_X && what->quantity <= STIC_QUANTITY_STRESS_MOST;
    const bool acting = stress || what->quantity == STIC_QUANTITY_CONTACT_FORCE ||
                        what->quantity == STIC_QUANTITY_LOAD;
    if (acting && simulation->world == NULL)
        return stic_error_set(error, STIC_BAD_ARGUMENT,
                              "%s is of a body of a world, and the scene has the model '%s'",
                              quantity, simulation->system->name);
    if (stress && simulation->def->body[what->body].kind != STIC_BODY_PSEUDO_RIGID &&
        simulation->def->body[what->body].kind != STIC_BODY_ELASTIC)
        return stic_error_set(error, STIC_BAD_ARGUMENT,
                              "%s is of a body of kind pseudo_rigid or elastic: others have no "
                              "stress",
                              quantity);
    return STIC_OK;
}

// what a joint does: forces are those of the last step, whatever parts it was made in
static SticStatus of_joint(const SticSimulation* simulation, const SticState* state,
                           const SticSceneHistory* what, double* value)
{
    const SticJointId id = simulation->joint[what->joint];
    if (what->quantity == STIC_QUANTITY_COORDINATE || what->quantity == STIC_QUANTITY_RATE) {
        const SticJointView view = stic_world_joint(simulation->system, state, id);
        *value = what->quantity == STIC_QUANTITY_RATE ? view.rate : view.coordinate;
        return STIC_OK;
    }
    const SticJointForce* joint = NULL;
    int32_t count = 0;
    STIC_TRY(stic_run_joints(simulation->run, &joint, &count));
    for (int32_t k = 0; k < count; ++k)
        if (joint[k].joint.index == id.index && joint[k].joint.generation == id.generation)
            *value = what->quantity == STIC_QUANTITY_DRIVE ? joint[k].drive : joint[k].reaction;
    return STIC_OK;
}

// principal values, or the stress vector on planes across an axis
static SticStatus of_stress(const SticSimulation* simulation, const SticState* state,
                            const SticSceneHistory* what, double* value)
{
    const SticMat3 sigma =
        stic_world_stress(simulation->system, state, simulation->body[what->body]);
    SticVec3 principal = stic_vec3_zero();
    SticMat3 axes;
    if (what->quantity <= STIC_QUANTITY_STRESS_Z) {
        *value = component_of(stic_mat3_column(sigma, what->quantity - STIC_QUANTITY_STRESS_X),
                              what->component);
        return STIC_OK;
    }
    stic_eigen3_symmetric(sigma, &principal, &axes);
    *value = what->quantity == STIC_QUANTITY_STRESS_LEAST ? principal.x : principal.z;
    return STIC_OK;
}

static bool is_same(SticBodyId a, SticBodyId b)
{
    return a.index == b.index && a.generation == b.generation;
}

// resultant of the contacts on a body, of all or of those with another body
static SticStatus of_contacts(const SticSimulation* simulation, const SticSceneHistory* what,
                              double* value)
{
    const SticContactForce* contact = NULL;
    const SticBodyId body = simulation->body[what->body];
    int32_t count = 0;
    SticVec3 sum = stic_vec3_zero();
    STIC_TRY(stic_run_contacts(simulation->run, &contact, &count));
    for (int32_t i = 0; i < count; ++i)
        for (int k = 0; k < 2; ++k)
            if (is_same(contact[i].body[k], body) &&
                (what->other < 0 || is_same(contact[i].body[1 - k], simulation->body[what->other])))
                sum = stic_vec3_add_scaled(sum, k == 0 ? 1.0 : -1.0, contact[i].force);
    *value = component_of(sum, what->component);
    return STIC_OK;
}

// what the scene puts on a body where loads of the last step were taken
static double of_load(const SticSimulation* simulation, const SticState* state,
                      const SticSceneHistory* what)
{
    const SticSceneDef* def = simulation->def;
    SticSceneTime at = stic_simulation_load_time(simulation, state->t - def->run.step, state->t);
    if (at.t <= 0.0)
        at = (SticSceneTime){.t = 0.0};
    const SticVec3 given = stic_vec3_add(stic_scene_load_at(def, &def->body[what->body].force, at),
                                         stic_simulation_point_force(simulation, what->body, at));
    return component_of(stic_vec3_scale(simulation->load_factor, given), what->component);
}

// what is of a body and is not its motion
static SticStatus of_acting(const SticSimulation* simulation, const SticState* state,
                            const SticSceneHistory* what, double* value)
{
    const int32_t bodies = simulation->def->body_count;
    if (simulation->world == NULL || what->body < 0 || what->body >= bodies ||
        what->other >= bodies)
        return STIC_BAD_ARGUMENT;
    if (what->quantity == STIC_QUANTITY_CONTACT_FORCE)
        return of_contacts(simulation, what, value);
    if (what->quantity != STIC_QUANTITY_LOAD)
        return of_stress(simulation, state, what, value);
    *value = of_load(simulation, state, what);
    return STIC_OK;
}

static SticStatus of_all(SticSimulation* simulation, const SticState* state, int32_t quantity,
                         double* value)
{
    double kinetic = 0.0, potential = 0.0;
    STIC_TRY(stic_arena_reset(simulation->scratch));
    STIC_TRY(stic_system_kinetic(simulation->system, state, simulation->scratch, &kinetic));
    STIC_TRY(stic_system_potential(simulation->system, state, simulation->scratch, &potential));
    *value = quantity == STIC_QUANTITY_KINETIC     ? kinetic
             : quantity == STIC_QUANTITY_POTENTIAL ? potential
                                                   : kinetic + potential;
    return STIC_OK;
}

SticStatus stic_simulation_measure(SticSimulation* simulation, const SticSceneHistory* what,
                                   double* value)
{
    STIC_GIVEN(simulation, NULL);
    STIC_GIVEN(what, NULL);
    STIC_GIVEN(value, NULL);
    const SticState* state = stic_run_state(simulation->run);
    const SticRunTotals* totals = stic_run_totals(simulation->run);
    const SticLayout* layout = &simulation->system->layout;
    const int32_t k = what->component;
    *value = 0.0;
    switch ((SticQuantity)what->quantity) {
    case STIC_QUANTITY_KINETIC:
    case STIC_QUANTITY_POTENTIAL:
    case STIC_QUANTITY_ENERGY:
        return of_all(simulation, state, what->quantity, value);
    case STIC_QUANTITY_COORDINATE:
    case STIC_QUANTITY_RATE:
    case STIC_QUANTITY_REACTION:
    case STIC_QUANTITY_DRIVE:
        if (what->joint < 0 || what->joint >= simulation->def->joint_count)
            return STIC_BAD_ARGUMENT;
        return of_joint(simulation, state, what, value);
    case STIC_QUANTITY_STRESS_X:
    case STIC_QUANTITY_STRESS_Y:
    case STIC_QUANTITY_STRESS_Z:
    case STIC_QUANTITY_STRESS_LEAST:
    case STIC_QUANTITY_STRESS_MOST:
    case STIC_QUANTITY_CONTACT_FORCE:
    case STIC_QUANTITY_LOAD:
        return of_acting(simulation, state, what, value);
    case STIC_QUANTITY_CONTACTS:
        *value = simulation->contacts;
        return STIC_OK;
    case STIC_QUANTITY_LOAD_FACTOR:
        *value = simulation->load_factor;
        return STIC_OK;
    case STIC_QUANTITY_PENETRATION:
        *value = totals->penetration;
        return STIC_OK;
    case STIC_QUANTITY_ERROR:
        *value = totals->worst_error;
        return STIC_OK;
    case STIC_QUANTITY_UNSOLVED:
        *value = (double)totals->unsolved;
        return STIC_OK;
    case STIC_QUANTITY_STATE_Q:
    case STIC_QUANTITY_STATE_U: {
        const bool is_q = what->quantity == STIC_QUANTITY_STATE_Q;
        if (k < 0 || k >= (is_q ? layout->nq : layout->nu))
            return STIC_BAD_ARGUMENT;
        *value = is_q ? state->q[k] : state->u[k];
        return STIC_OK;
    }
    default:
        if (what->body >= simulation->def->body_count || (what->body < 0 && !is_body(layout)))
            return STIC_BAD_ARGUMENT;
        *value =
            what->body < 0 ? of_block(simulation, state, what) : of_body(simulation, state, what);
        return STIC_OK;
    }
}
