// SPDX-License-Identifier: Apache-2.0
// Worlds in tests: shapes with an owner, bodies in one line, runs by the name of a scheme.
#ifndef TEST_WORLD_H
#define TEST_WORLD_H

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "helpers/helpers.h"
#include "stiction/extend/run.h"
#include "stiction/extend/vec3.h"
#include "stiction/extend/world.h"

enum { TEST_SHAPES = 64 };

/// A world with its shapes, a system and a run.
typedef struct TestWorld {
    SticContext context;
    SticWorld* world;
    SticShape* shape[TEST_SHAPES];
    int shapes;
    const SticScheme* scheme;
    double settings[64];
    SticSystem* system;
    SticRun* run;
    SticStepInfo info;
    SticError error;
} TestWorld;

/// Fail the test with the sentence of the error.
#define TEST_TRY(tw, call)                                                                         \
    do {                                                                                           \
        const SticStatus test_status = (call);                                                     \
        if (test_status != STIC_OK)                                                                \
            fail_msg("%s: %s: %s", #call, stic_status_name(test_status), (tw)->error.text);        \
    } while (0)

static inline void test_world_open(TestWorld* tw, const SticContext* context,
                                   const SticWorldDef* def)
{
    memset(tw, 0, sizeof *tw);
    tw->context = context == NULL ? stic_context_default() : *context;
    const SticWorldDef standard = stic_world_default_def();
    TEST_TRY(
        tw, stic_world_create(&tw->context, def == NULL ? &standard : def, &tw->world, &tw->error));
}

static inline void test_world_close(TestWorld* tw)
{
    stic_run_destroy(tw->run);
    stic_world_system_destroy(tw->system);
    stic_world_destroy(tw->world);
    for (int k = 0; k < tw->shapes; ++k)
        stic_shape_destroy(tw->shape[k]);
    memset(tw, 0, sizeof *tw);
}

static inline const SticShape* test_world_sphere(TestWorld* tw, double radius)
{
    test_less(tw->shapes, TEST_SHAPES);
    TEST_TRY(tw,
             stic_shape_create_sphere(&tw->context, radius, &tw->shape[tw->shapes], &tw->error));
    return tw->shape[tw->shapes++];
}

static inline const SticShape* test_world_box(TestWorld* tw, double x, double y, double z)
{
    test_less(tw->shapes, TEST_SHAPES);
    TEST_TRY(tw, stic_shape_create_box(&tw->context, stic_vec3(x, y, z), &tw->shape[tw->shapes],
                                       &tw->error));
    return tw->shape[tw->shapes++];
}

/// A body of a definition with one shape; material null: the world's own.
static inline SticBodyId test_world_add(TestWorld* tw, const SticBodyDef* def,
                                        const SticShape* shape, SticMaterialId material)
{
    SticBodyId id;
    const SticAttachDef attach = {
        .shape = shape, .pose = stic_pose_identity(), .material = material};
    TEST_TRY(tw, stic_body_create(tw->world, def, &id, &tw->error));
    TEST_TRY(tw, stic_body_attach(tw->world, id, &attach, NULL, &tw->error));
    return id;
}

/// A rigid body with one shape of the world's own material.
static inline SticBodyId test_world_body(TestWorld* tw, const SticShape* shape, SticVec3 position,
                                         SticVec3 velocity)
{
    SticBodyDef def = stic_body_default_def();
    def.position = position;
    def.velocity = velocity;
    return test_world_add(tw, &def, shape, (SticMaterialId){0, 0});
}

/// A fixed half-space below the plane normal . x = offset |normal|.
static inline SticBodyId test_world_plane(TestWorld* tw, SticVec3 normal, double offset,
                                          SticMaterialId material)
{
    test_less(tw->shapes, TEST_SHAPES);
    TEST_TRY(tw, stic_shape_create_half_space(&tw->context, normal, offset, &tw->shape[tw->shapes],
                                              &tw->error));
    SticBodyDef def = stic_body_default_def();
    def.kind = STIC_BODY_FIXED;
    return test_world_add(tw, &def, tw->shape[tw->shapes++], material);
}

/// The system in a chart.
static inline void test_world_system(TestWorld* tw, SticChart chart)
{
    TEST_TRY(tw, stic_world_system(tw->world, chart, &tw->system, &tw->error));
}

/// System and run for a scheme; `settings` is "name=value name=value …".
static inline void test_world_run(TestWorld* tw, const char* scheme, const char* settings,
                                  double step, double tolerance)
{
    SticChart chart = STIC_CHART_LINEAR;
    tw->scheme = stic_scheme_find(scheme, &tw->error);
    assert_non_null(tw->scheme);
    assert_true(stic_world_chart(tw->scheme->charts, &chart));
    test_world_system(tw, chart);
    if (tw->scheme->fields != NULL)
        stic_fields_default(tw->scheme->fields, tw->settings);
    SticRunParts def = stic_run_default_parts();
    char text[512], *rest = text, *word;
    snprintf(text, sizeof text, "%s", settings == NULL ? "" : settings);
    while ((word = strtok_r(rest, " ", &rest)) != NULL) {
        // the law of the papers, without corrections of positions
        if (strcmp(word, "law=velocity") == 0) {
            def.law = STIC_CONTACT_LAW_VELOCITY;
            def.projection = false;
            continue;
        }
        char* value = strchr(word, '=');
        *value++ = '\0';
        TEST_TRY(tw, stic_fields_set(tw->scheme->fields, tw->settings, word, value, &tw->error));
    }
    def.system = tw->system;
    def.scheme = tw->scheme;
    def.scheme_settings = tw->scheme->fields == NULL ? NULL : tw->settings;
    def.step = step;
    def.solve.tolerance = tolerance;
    def.solve.max_iterations = 100000;
    TEST_TRY(tw, stic_run_assemble(&tw->context, &def, &tw->run, &tw->error));
    stic_world_start(tw->world, tw->system, stic_run_state(tw->run));
}

/// Steps that must all succeed.
static inline void test_world_steps(TestWorld* tw, int steps)
{
    for (int k = 0; k < steps; ++k)
        if (stic_run_step(tw->run, &tw->info) != STIC_OK)
            fail_msg("step %d at t = %g: %s", k, stic_run_state(tw->run)->t, tw->info.error.text);
}

static inline SticVec3 test_world_place(TestWorld* tw, SticBodyId body)
{
    return stic_world_pose(tw->system, stic_run_state(tw->run), body).origin;
}

static inline SticTwist test_world_motion(TestWorld* tw, SticBodyId body)
{
    return stic_world_twist(tw->system, stic_run_state(tw->run), body);
}

/// The unit quaternion that turns by an angle about an axis.
static inline SticQuat test_turn(SticVec3 axis, double angle)
{
    const SticVec3 unit = stic_vec3_normalize(axis);
    return stic_quat(cos(0.5 * angle), stic_vec3_scale(sin(0.5 * angle), unit));
}

#endif
