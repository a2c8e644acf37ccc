// SPDX-License-Identifier: Apache-2.0
// auto on the small members of all generated families: at rest, hit, sliding, and with masses that
// make W unsymmetric.
#include "families.h"

#include "helpers/helpers.h"
#include "sparse/sparse.h"

static const char* const names[] = {
    "stack3",           "stack100",        "stack100-gyro", "stack100-slide", "wall5",
    "wall5-hit",        "wall5-slide",     "wall5-gyro",    "pyramid5",       "pyramid20",
    "pyramid5-hit",     "pyramid5-slide",  "pyramid5-gyro", "arch9",          "arch200",
    "arch27-hit",       "arch27-gyro",     "chain5",        "chain100",       "chain20-hit",
    "chain100-slide",   "chain100-gyro",   "bridge10",      "bridge200",      "bridge10-hit",
    "bridge10-slide",   "bridge10-gyro",   "spheres20",     "spheres200",     "spheres50-hit",
    "spheres50-slide",  "spheres50-gyro",  "capsules20",    "capsules200",    "capsules50-hit",
    "capsules50-slide", "capsules50-gyro",
};

static void test_small(void** state)
{
    (void)state;
    const TestTable table = family_table("auto on generated scenes, relative norm 1e-8");
    for (size_t k = 0; k < sizeof names / sizeof names[0]; ++k)
        family_solve(&table, names[k], 1e-8);
}

// the gyroscopic masses do make W unsymmetric, and the capsules touch as spheres do: unit normals,
// points on both surfaces
static void test_scenes(void** state)
{
    (void)state;
    SceneDef def = {0};
    SceneMore more = {0};
    Scene scene;
    SticArena* arena = NULL;
    SticProblem local;
    SticError error = {0};
    const SticContext context = stic_context_default();
    assert_false(scene_parse("tower5", &def, &more));
    assert_true(scene_parse("capsules50-gyro", &def, &more));
    scene_create_more(&scene, &def, &more);
    assert_int_equal(stic_arena_create(&context, 0, &arena), STIC_OK);
    assert_int_equal(stic_problem_condense(arena, &scene.problem, &local, &error), STIC_OK);
    const double asymmetry = stic_block_csr_asymmetry(local.W);
    print_message("50 capsules: %d contacts, |W - W'|/|W| = %.2e\n", scene.contacts, asymmetry);
    test_greater(asymmetry, 1e-3);
    for (int32_t c = 0; c < scene.contacts; ++c) {
        const double* n = scene.contact[c].normal;
        test_less(fabs(n[0] * n[0] + n[1] * n[1] + n[2] * n[2] - 1.0), 1e-12);
    }
    stic_arena_destroy(arena);
    scene_release(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_small), cmocka_unit_test(test_scenes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
