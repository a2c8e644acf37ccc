// SPDX-License-Identifier: Apache-2.0
// Boxes and spheres that drop on a plane.
#ifndef TEST_DROP_H
#define TEST_DROP_H

#include "helpers/world.h"
#include "stiction/extend/vec3.h"

/// `count` bodies, boxes and spheres in turn with half edges and radii around 0.1 m, on a grid of
/// 6 x 6 per layer above a half-space, turned and thrown at random.
static inline void test_drop_build(TestWorld* tw, const SticContext* context, int count)
{
    SticWorldDef def = stic_world_default_def();
    def.material.surface = (SticSurface){.friction = 0.4};
    test_world_open(tw, context, &def);
    test_world_plane(tw, stic_vec3(0, 0, 1), 0.0, (SticMaterialId){0, 0});
    const SticShape* box[3] = {test_world_box(tw, 0.1, 0.1, 0.1),
                               test_world_box(tw, 0.12, 0.1, 0.06),
                               test_world_box(tw, 0.07, 0.09, 0.11)};
    const SticShape* ball[2] = {test_world_sphere(tw, 0.1), test_world_sphere(tw, 0.08)};
    SticRandom random = stic_random_create(42);
    for (int i = 0; i < count; ++i) {
        double turn[4], motion[6];
        test_random_unit(&random, 4, turn);
        test_random_vector(&random, 6, -1.0, 1.0, motion);
        SticBodyDef body = stic_body_default_def();
        const int cell = i % 36, layer = i / 36;
        body.position = stic_vec3(0.4 * (cell % 6) + 0.02 * motion[0],
                                  0.4 * (cell / 6) + 0.02 * motion[1], 0.25 + 0.4 * layer);
        body.orientation = stic_quat_load(turn);
        body.velocity = stic_vec3(0.2 * motion[3], 0.2 * motion[4], -1.0);
        body.angular_velocity = stic_vec3(motion[0], motion[1], motion[2]);
        test_world_add(tw, &body, i % 2 == 0 ? box[i / 2 % 3] : ball[i / 2 % 2],
                       (SticMaterialId){0, 0});
    }
}

/// Schemes, each in its chart; the tolerance of Newton is that of the inclusions inside.
static const struct {
    const char *name, *settings;
    double step;
} test_drop_schemes[] = {
    {"koziara", "rotation=new2", 3e-3},
    {"moreau", NULL, 3e-3},
    {"consistent", "newton_tolerance=1e-6", 2e-3},
};
enum { TEST_DROP_SCHEMES = sizeof test_drop_schemes / sizeof test_drop_schemes[0] };
#define TEST_DROP_TOLERANCE 1e-6

/// A run of a hundred bodies with one of the schemes.
static inline void test_drop_open(TestWorld* tw, const SticContext* context, int scheme)
{
    test_drop_build(tw, context, 100);
    test_world_run(tw, test_drop_schemes[scheme].name, test_drop_schemes[scheme].settings,
                   test_drop_schemes[scheme].step, TEST_DROP_TOLERANCE);
}

/// A snapshot that outlives the arena it was made in.
typedef struct TestSnapshot {
    unsigned char* bytes;
    size_t count;
} TestSnapshot;

static inline TestSnapshot test_drop_save(TestWorld* tw)
{
    SticArena* arena = NULL;
    const void* bytes = NULL;
    TestSnapshot snapshot = {NULL, 0};
    const SticContext context = stic_context_default();
    assert_int_equal(stic_arena_create(&context, 0, &arena), STIC_OK);
    TEST_TRY(tw, stic_run_save(tw->run, arena, &bytes, &snapshot.count));
    assert_int_equal(STIC_ALLOCATE(&context, &snapshot.bytes, snapshot.count), STIC_OK);
    memcpy(snapshot.bytes, bytes, snapshot.count);
    stic_arena_destroy(arena);
    return snapshot;
}

static inline void test_drop_release(TestSnapshot* snapshot)
{
    const SticContext context = stic_context_default();
    STIC_RELEASE(&context, snapshot->bytes, snapshot->count);
}

static inline void test_drop_load(TestWorld* tw, const TestSnapshot* snapshot)
{
    TEST_TRY(tw, stic_run_load(tw->run, snapshot->bytes, snapshot->count, &tw->error));
}

#endif
