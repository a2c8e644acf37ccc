// SPDX-License-Identifier: Apache-2.0
// Worlds with joints in tests.
#ifndef TEST_JOINTS_H
#define TEST_JOINTS_H

#include "helpers/world.h"
#include "stiction/extend/vec3.h"

/// A body without a shape.
static inline SticBodyId test_joint_body(TestWorld* tw, double mass, SticVec3 inertia, SticVec3 at)
{
    SticBodyDef def = stic_body_default_def();
    def.mass = mass;
    def.inertia = stic_mat3_diag(inertia);
    def.position = at;
    SticBodyId id;
    TEST_TRY(tw, stic_body_create(tw->world, &def, &id, &tw->error));
    return id;
}

static inline SticJointId test_joint_add(TestWorld* tw, const SticJointDef* def)
{
    SticJointId id;
    TEST_TRY(tw, stic_joint_create(tw->world, def, &id, &tw->error));
    return id;
}

/// A rod between points in world axes; a null body is the ground.
static inline SticJointId test_joint_rod(TestWorld* tw, SticBodyId a, SticVec3 on_a, SticBodyId b,
                                         SticVec3 on_b)
{
    SticJointDef def = stic_joint_default_def();
    def.kind = STIC_JOINT_ROD;
    def.body[0] = a;
    def.body[1] = b;
    def.frame[0].point = stic_joint_point(tw->world, a, on_a);
    def.frame[1].point = stic_joint_point(tw->world, b, on_b);
    return test_joint_add(tw, &def);
}

/// A definition of a joint between a body and the ground, placed at a point with an axis.
static inline SticJointDef test_joint_def(TestWorld* tw, SticJointKind kind, SticBodyId body,
                                          SticVec3 point, SticVec3 axis)
{
    SticJointDef def = stic_joint_default_def();
    def.kind = (int32_t)kind;
    def.body[0] = body;
    TEST_TRY(tw, stic_joint_place(tw->world, point, axis, &def, &tw->error));
    return def;
}

static inline double test_joint_energy(TestWorld* tw)
{
    double kinetic = 0.0, potential = 0.0;
    SticArena* arena = NULL;
    assert_int_equal(stic_arena_create(&tw->context, 0, &arena), STIC_OK);
    const SticState* state = stic_run_state(tw->run);
    assert_int_equal(stic_system_kinetic(tw->system, state, arena, &kinetic), STIC_OK);
    assert_int_equal(stic_system_potential(tw->system, state, arena, &potential), STIC_OK);
    stic_arena_destroy(arena);
    return kinetic + potential;
}

static inline SticWorldDef test_joint_gravity(SticVec3 gravity)
{
    SticWorldDef def = stic_world_default_def();
    def.gravity = gravity;
    return def;
}

static const SticBodyId test_ground = {0, 0};

/* ---- examples that a test and its study share ---- */

/// Koziara 13.4.1: point mass on a rod, in the plane x-z, from the horizontal; pivot at (0, 0, 1).
static inline SticBodyId test_pendulum(TestWorld* tw, double step)
{
    const double g = 9.869604401089358; // pi^2
    const SticWorldDef world = test_joint_gravity(stic_vec3(0.0, 0.0, -g));
    test_world_open(tw, NULL, &world);
    const SticVec3 at = stic_vec3(1.0, 0.0, 1.0);
    const SticBodyId body = test_joint_body(tw, 1.0, stic_vec3(1.0, 1.0, 1.0), at);
    test_joint_rod(tw, body, at, test_ground, stic_vec3(0.0, 0.0, 1.0));
    test_world_run(tw, "koziara", "rotation=new2 law=velocity", step, 1e-12);
    return body;
}

/// Koziara 13.4.6: five balls on rods, the first lifted by pi/8.
static inline void test_cradle(TestWorld* tw, double step, SticBodyId ball[5])
{
    SticWorldDef world = stic_world_default_def();
    world.material.surface = (SticSurface){.friction = 0.0, .restitution = {1.0, 0.0}};
    test_world_open(tw, NULL, &world);
    const SticShape* sphere = test_world_sphere(tw, 0.05);
    for (int k = 0; k < 5; ++k) {
        const double x = k * (0.1 + 1e-10), angle = k == 0 ? 3.14159265358979323846 / 8.0 : 0.0;
        const SticVec3 at = stic_vec3(x - 0.5 * sin(angle), 0.0, 0.5 - 0.5 * cos(angle));
        ball[k] = test_world_body(tw, sphere, at, stic_vec3_zero());
        test_joint_rod(tw, ball[k], at, test_ground, stic_vec3(x, 0.0, 0.5));
    }
    test_world_run(tw, "koziara", "rotation=new2 law=velocity", step, 1e-12);
}

#endif
