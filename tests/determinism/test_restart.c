// SPDX-License-Identifier: Apache-2.0
// A restart at any step: a world with everything that leaves a memory (contacts that stick, slide
// and are bonded, joints with friction and drives, a spring between bodies, a body that deforms) is
// saved after every step; each of these snapshots ends with the same bits.
#include "helpers/world.h"

enum { STEPS = 60 };

static const SticMaterialId own = {0, 0};

static void join(TestWorld* tw, SticJointDef* def, SticBodyId a, SticBodyId b)
{
    SticJointId id;
    def->body[0] = a;
    def->body[1] = b;
    TEST_TRY(tw, stic_joint_create(tw->world, def, &id, &tw->error));
}

static void add_stack(TestWorld* tw, SticMaterialId glue)
{
    const SticShape* box = test_world_box(tw, 0.1, 0.1, 0.1);
    for (int k = 0; k < 3; ++k) {
        SticBodyDef def = stic_body_default_def();
        SticMaterialDef material = stic_material_default_def();
        SticMaterialId id;
        material.density = k % 2 == 0 ? 100.0 : 1e5;
        TEST_TRY(tw, stic_material_create(tw->world, &material, &id, &tw->error));
        def.position = stic_vec3(0.01 * k, 0.0, 0.1 + 0.2 * k);
        test_world_add(tw, &def, box, id);
        def.position = stic_vec3(1.0, 0.02 * k, 0.1 + 0.2 * k);
        test_world_add(tw, &def, box, glue);
    }
}

static void open_all(TestWorld* tw, const char* scheme)
{
    test_world_open(tw, NULL, NULL);
    SticMaterialDef material = stic_material_default_def();
    SticMaterialId glue;
    material.surface.cohesion = 1e4;
    TEST_TRY(tw, stic_material_create(tw->world, &material, &glue, &tw->error));
    test_world_plane(tw, stic_vec3(0, 0, 1), 0.0, own);
    add_stack(tw, glue);
    const SticShape* ball = test_world_sphere(tw, 0.1);
    test_world_body(tw, ball, stic_vec3(-1.0, 0.0, 0.1), stic_vec3(1.0, 0.5, 0.0));
    const SticBodyId a = test_world_body(tw, ball, stic_vec3(0, 2, 1), stic_vec3(0, 0, 1)),
                     b = test_world_body(tw, ball, stic_vec3(0.5, 2, 1), stic_vec3(0, 1, 0)),
                     c = test_world_body(tw, ball, stic_vec3(1.0, 2, 1), stic_vec3_zero());
    SticJointDef def = stic_joint_default_def();
    def.kind = STIC_JOINT_SPAN;
    def.spring = (SticSpring){.stiffness = 1e4, .rest = 0.4, .damping = 3.0};
    join(tw, &def, a, b);
    def = stic_joint_default_def();
    def.kind = STIC_JOINT_HINGE;
    def.friction = 0.1;
    def.body[0] = b;
    def.body[1] = c;
    TEST_TRY(tw, stic_joint_place(tw->world, stic_vec3(0.75, 2, 1), stic_vec3(0, 1, 0), &def,
                                  &tw->error));
    join(tw, &def, b, c);
    SticBodyDef soft = stic_body_default_def();
    soft.kind = STIC_BODY_PSEUDO_RIGID;
    soft.elastic = (SticElastic){1e5, 0.3};
    soft.position = stic_vec3(3.0, 0.0, 0.12);
    test_world_add(tw, &soft, test_world_box(tw, 0.1, 0.1, 0.1), own);
    test_world_run(tw, scheme, NULL, 2e-3, 1e-8);
}

static void any_step(void** unused)
{
    (void)unused;
    static const char* const schemes[] = {"koziara", "moreau", "theta"};
    for (int s = 0; s < 3; ++s) {
        TestWorld whole;
        SticArena* arena = NULL;
        const void* bytes[STEPS];
        size_t size[STEPS];
        open_all(&whole, schemes[s]);
        assert_int_equal(stic_arena_create(&whole.context, 0, &arena), STIC_OK);
        for (int k = 0; k < STEPS; ++k) {
            TEST_TRY(&whole, stic_run_save(whole.run, arena, &bytes[k], &size[k]));
            test_world_steps(&whole, 1);
        }
        const uint64_t hash = stic_run_hash(whole.run);
        printf(
            "%s: %d contacts, %d interactions, hash %016llx after a restart at any of %d steps\n",
            schemes[s], whole.info.contacts, whole.info.interactions, (unsigned long long)hash,
            STEPS);
        test_greater(whole.info.contacts, 20);
        for (int k = 0; k < STEPS; ++k) {
            TestWorld again;
            open_all(&again, schemes[s]);
            TEST_TRY(&again, stic_run_load(again.run, bytes[k], size[k], &again.error));
            test_world_steps(&again, STEPS - k);
            test_equal(stic_run_hash(again.run), hash);
            assert_memory_equal(stic_run_totals(again.run), stic_run_totals(whole.run),
                                sizeof(SticRunTotals));
            test_world_close(&again);
        }
        stic_arena_destroy(arena);
        test_world_close(&whole);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(any_step)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
