// SPDX-License-Identifier: Apache-2.0
// Five worlds written in C, for test_same_bits.py: each prints the hash of its last state.
//
// The same worlds are written in Lua and in Python beside this file; all three must end with the
// same bits.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "stiction/stiction.h"

static SticError error;

static void must(SticStatus status)
{
    if (status == STIC_OK)
        return;
    fprintf(stderr, "five_scenes: %s\n", error.text);
    exit(1);
}

static SticWorld* new_world(SticVec3 gravity)
{
    SticWorldDef def = stic_world_default_def();
    SticWorld* world = NULL;
    def.gravity = gravity;
    must(stic_world_create(NULL, &def, &world, &error));
    return world;
}

static void finish(const char* name, SticWorld* world, const SticRunDef* def, double until)
{
    SticRun* run = NULL;
    must(stic_run_create(NULL, world, def, &run, &error));
    must(stic_run_advance(run, until, &error));
    printf("%s %016" PRIx64 "\n", name, stic_run_hash(run));
    stic_run_destroy(run);
    stic_world_destroy(world);
}

static void add_floor(SticWorld* world)
{
    SticBodyDef body = stic_body_default_def();
    body.kind = STIC_BODY_FIXED;
    body.shape = stic_world_half_space(world, stic_vec3(0, 0, 1), 0.0, &error);
    must(stic_body_create(world, &body, NULL, &error));
}

static void stack(void)
{
    SticWorld* world = new_world(stic_vec3(0, 0, -9.81));
    add_floor(world);
    for (int i = 0; i < 5; ++i) {
        SticBodyDef body = stic_body_default_def();
        body.shape = stic_world_box(world, stic_vec3(0.2, 0.15, 0.1), &error);
        body.position = stic_vec3(0.01 * i, 0, 0.1 + 0.2 * i);
        must(stic_body_create(world, &body, NULL, &error));
    }
    finish("stack", world, NULL, 0.5);
}

static void crank(void)
{
    SticWorld* world = new_world(stic_vec3(0, 0, -9.81));
    SticBodyDef arm = stic_body_default_def();
    SticJointDef hinge = stic_joint_default_def(), rod = hinge;
    SticJointId id;
    arm.mass = 2.0;
    arm.position = stic_vec3(0.5, 0, 0);
    arm.shape = stic_world_box(world, stic_vec3(0.5, 0.05, 0.05), &error);
    must(stic_body_create(world, &arm, &hinge.body[0], &error));
    arm.position = stic_vec3(1.0, 0, -1.0);
    arm.mass = 1.0;
    arm.shape = stic_world_sphere(world, 0.1, &error);
    must(stic_body_create(world, &arm, &rod.body[0], &error));
    hinge.kind = STIC_JOINT_HINGE;
    hinge.driven = true;
    hinge.drive.speed = 3.0;
    hinge.drive_force = 40.0;
    must(stic_joint_place(world, stic_vec3(0, 0, 0), stic_vec3(0, 1, 0), &hinge, &error));
    must(stic_joint_create(world, &hinge, &id, &error));
    rod.kind = STIC_JOINT_ROD;
    rod.body[1] = hinge.body[0];
    must(stic_joint_place(world, stic_vec3(1, 0, -1), stic_vec3(0, 0, 1), &rod, &error));
    rod.frame[1].point = stic_joint_point(world, rod.body[1], stic_vec3(1, 0, 0));
    must(stic_joint_create(world, &rod, &id, &error));
    SticRunDef def = stic_run_default_def();
    def.scheme = "koziara";
    def.step = 2e-3;
    finish("crank", world, &def, 1.0);
}

static void balls(void)
{
    SticWorld* world = new_world(stic_vec3(0.5, 0, -9.81));
    SticMaterialDef rubber = stic_material_default_def();
    SticMaterialId id;
    rubber.name = "rubber";
    rubber.density = 1200.0;
    rubber.surface.friction = 0.8;
    rubber.surface.restitution[0] = 0.7;
    must(stic_material_create(world, &rubber, &id, &error));
    add_floor(world);
    for (int i = 0; i < 4; ++i) {
        SticBodyDef body = stic_body_default_def();
        body.shape = stic_world_sphere(world, 0.1 + 0.01 * i, &error);
        body.material = id;
        body.position = stic_vec3(0.05 * i, 0.02 * i, 0.5 + 0.3 * i);
        body.velocity = stic_vec3(1, 0, 0);
        body.angular_velocity = stic_vec3(0, 5, 1);
        must(stic_body_create(world, &body, NULL, &error));
    }
    SticRunDef def = stic_run_default_def();
    def.scheme = "theta";
    def.settings = "scheme.theta=0.6";
    finish("balls", world, &def, 1.0);
}

static void wedges(void)
{
    static const double corner[8][3] = {{-0.5, -0.3, 0},  {0.5, -0.3, 0},     {0.5, 0.3, 0},
                                        {-0.5, 0.3, 0},   {-0.4, -0.25, 0.4}, {0.4, -0.25, 0.5},
                                        {0.4, 0.25, 0.5}, {-0.4, 0.25, 0.4}};
    SticWorld* world = new_world(stic_vec3(0, 0, -9.81));
    SticPolyhedronDef stone = stic_polyhedron_default_def();
    SticVec3 vertex[8];
    SticShape* shape = NULL;
    for (int i = 0; i < 8; ++i)
        vertex[i] = stic_vec3(corner[i][0], corner[i][1], corner[i][2]);
    stone.vertex = vertex;
    stone.vertex_count = 8;
    const SticContext context = stic_context_default();
    must(stic_shape_create_polyhedron(&context, &stone, &shape, &error));
    must(stic_world_keep(world, shape, &error));
    add_floor(world);
    for (int i = 0; i < 3; ++i) {
        SticBodyDef body = stic_body_default_def();
        body.shape = shape;
        body.position = stic_vec3(0.05 * i, 0, 0.02 + 0.6 * i);
        body.orientation = stic_quat(0.8, stic_vec3(0, 0, 0.6));
        must(stic_body_create(world, &body, NULL, &error));
    }
    SticRunDef def = stic_run_default_def();
    def.accuracy = "strict";
    def.step = 2e-3;
    finish("wedges", world, &def, 1.0);
}

static void rolling(void)
{
    SticWorld* world = new_world(stic_vec3(3, 0, -9));
    SticMaterialDef soft = stic_material_default_def();
    SticMaterialId id;
    soft.name = "soft";
    soft.surface.law = STIC_FRICTION_ROLLING;
    soft.surface.rolling = 0.01;
    must(stic_material_create(world, &soft, &id, &error));
    SticBodyDef ground = stic_body_default_def();
    ground.kind = STIC_BODY_FIXED;
    ground.shape = stic_world_half_space(world, stic_vec3(0, 0, 1), 0.0, &error);
    ground.material = id;
    must(stic_body_create(world, &ground, NULL, &error));
    for (int i = 0; i < 3; ++i) {
        SticBodyDef body = stic_body_default_def();
        body.shape = stic_world_sphere(world, 0.25, &error);
        body.material = id;
        body.position = stic_vec3(0.5 * i, 0, 0.25);
        must(stic_body_create(world, &body, NULL, &error));
    }
    SticRunDef def = stic_run_default_def();
    def.solver = "nsgs";
    finish("rolling", world, &def, 0.5);
}

int main(void)
{
    stack();
    crank();
    balls();
    wedges();
    rolling();
    return 0;
}
