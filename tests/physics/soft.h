// SPDX-License-Identifier: Apache-2.0
// Worlds with elastic bodies, as tests make them.
#ifndef STIC_TESTS_PHYSICS_SOFT_H
#define STIC_TESTS_PHYSICS_SOFT_H

#include "helpers/helpers.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "stiction/extend/base.h"
#include "stiction/extend/run.h"
#include "stiction/extend/vec3.h"
#include "stiction/stiction.h"

/// A world with one body under way, or more.
typedef struct TestSoft {
    SticContext context;
    SticWorld* world;
    SticSolidMesh mesh;
    SticBodyId body;
    SticRun* run;
    SticError error;
} TestSoft;

/// An empty world.
static inline void test_soft_open(TestSoft* s, SticVec3 gravity, double friction, double density)
{
    memset(s, 0, sizeof *s);
    s->context = stic_context_default();
    SticWorldDef def = stic_world_default_def();
    def.gravity = gravity;
    def.material.density = density;
    def.material.surface.friction = friction;
    assert_int_equal(stic_world_create(&s->context, &def, &s->world, &s->error), STIC_OK);
}

/// A half-space through the origin.
static inline void test_soft_floor(TestSoft* s, SticVec3 normal)
{
    SticBodyDef floor = stic_body_default_def();
    floor.kind = STIC_BODY_FIXED;
    floor.name = "floor";
    floor.shape = stic_world_half_space(s->world, normal, 0.0, &s->error);
    assert_int_equal(stic_body_create(s->world, &floor, NULL, &s->error), STIC_OK);
}

/// A mesh for the next bodies.
static inline void test_soft_fill(TestSoft* s, SticVec3 low, SticVec3 high, const int32_t count[3],
                                  SticSolidCell kind)
{
    const SticSolidBox box = {low, high, {count[0], count[1], count[2]}, kind};
    stic_solid_mesh_release(&s->mesh);
    assert_int_equal(stic_solid_box(&s->context, &box, &s->mesh, &s->error), STIC_OK);
}

/// An elastic body of that mesh.
static inline SticBodyDef test_soft_body(const TestSoft* s, SticSolidMaterialKind kind,
                                         double young, double poisson)
{
    SticBodyDef def = stic_body_default_def();
    def.kind = STIC_BODY_ELASTIC;
    def.name = "block";
    def.mesh = &s->mesh;
    def.stored = (int32_t)kind;
    def.elastic = (SticElastic){young, poisson};
    return def;
}

/// Settings behind a blank, as in "theta scheme.theta=1"
static inline void test_soft_start(TestSoft* s, const char* scheme, double step)
{
    SticRunDef def = stic_run_default_def();
    char name[64];
    const char* blank = strchr(scheme, ' ');
    snprintf(name, sizeof name, "%.*s", blank == NULL ? 63 : (int)(blank - scheme), scheme);
    def.scheme = name;
    def.settings = blank == NULL ? NULL : blank + 1;
    def.step = step;
    const SticStatus status = stic_run_create(&s->context, s->world, &def, &s->run, &s->error);
    if (status != STIC_OK)
        print_message("%s\n", s->error.text);
    assert_int_equal(status, STIC_OK);
}

/// Give everything back.
static inline void test_soft_close(TestSoft* s)
{
    stic_run_destroy(s->run);
    stic_world_destroy(s->world);
    stic_solid_mesh_release(&s->mesh);
}

/// Steps that must succeed.
static inline void test_soft_steps(TestSoft* s, int steps)
{
    for (int k = 0; k < steps; ++k) {
        SticStepInfo info;
        const SticStatus status = stic_run_step(s->run, &info);
        if (status != STIC_OK)
            print_message("step %d: %s\n", k, info.error.text);
        assert_int_equal(status, STIC_OK);
    }
}

#endif
