// SPDX-License-Identifier: Apache-2.0
// Contacts of spheres, boxes and half-spaces: how many, where, how deep, and their ids.
#include "helpers/world.h"

#include "math/math.h"
#include "shape/private.h"
#include "world/contact.h"

// a world with a state and an arena for detections
typedef struct Bench {
    TestWorld tw;
    SticState* state;
    SticArena* arena;
} Bench;

static void bench_open(Bench* bench)
{
    test_world_open(&bench->tw, NULL, NULL);
    assert_int_equal(stic_arena_create(&bench->tw.context, 0, &bench->arena), STIC_OK);
    bench->state = NULL;
}

static void bench_build(Bench* bench, SticChart chart)
{
    test_world_system(&bench->tw, chart);
    assert_int_equal(
        stic_state_create(&bench->tw.context, &bench->tw.system->layout, &bench->state), STIC_OK);
    stic_world_start(bench->tw.world, bench->tw.system, bench->state);
}

static void bench_close(Bench* bench)
{
    stic_state_destroy(bench->state, &bench->tw.system->layout);
    stic_arena_destroy(bench->arena);
    test_world_close(&bench->tw);
}

static SticSet detect(Bench* bench, double reach)
{
    SticSet set;
    assert_int_equal(bench->tw.system->ops->detect(bench->tw.system, bench->state,
                                                   &(SticReach){.gap = reach}, bench->arena, &set),
                     STIC_OK);
    for (int32_t k = 1; k < set.count; ++k)
        test_less(set.interaction[set.by_id[k - 1]].id, set.interaction[set.by_id[k]].id);
    return set;
}

static SticBodyId box_at(Bench* bench, const SticShape* box, SticQuat frame, SticVec3 place,
                         bool fixed)
{
    SticBodyDef def = stic_body_default_def();
    def.kind = fixed ? STIC_BODY_FIXED : STIC_BODY_RIGID;
    def.position = stic_quat_rotate(frame, place);
    def.orientation = frame;
    return test_world_add(&bench->tw, &def, box, (SticMaterialId){0, 0});
}

static SticQuat random_turn(SticRandom* random)
{
    double a[4];
    test_random_unit(random, 4, a);
    return stic_quat_load(a);
}

/* ---- counts at alignment ---- */

// contacts of two cubes, the upper one moved by (x, y) and turned about the vertical, in a frame
// that is turned at random; noise moves the upper one by rounding errors
static int32_t stacked(SticRandom* random, double x, double y, double yaw, double noise)
{
    Bench bench;
    bench_open(&bench);
    const SticShape* cube = test_world_box(&bench.tw, 0.5, 0.5, 0.5);
    const SticQuat frame = random_turn(random);
    box_at(&bench, cube, frame, stic_vec3_zero(), false);
    SticBodyDef def = stic_body_default_def();
    const SticVec3 place = stic_vec3(x, y, 1.0);
    def.position = stic_quat_rotate(frame, place);
    def.orientation = stic_quat_mul(frame, test_turn(stic_vec3(0, 0, 1), yaw));
    test_world_add(&bench.tw, &def, cube, (SticMaterialId){0, 0});
    bench_build(&bench, STIC_CHART_QUATERNION);
    for (int32_t c = 7; c < 14; ++c)
        bench.state->q[c] += noise * stic_random_range(random, -1.0, 1.0);
    const SticSet set = detect(&bench, 1e-9);
    double highest = 0.0;
    for (int32_t i = 0; i < set.count; ++i) {
        const SticContactView seen = stic_world_contact(bench.tw.system, &set, i, bench.state);
        const SticVec3 up = stic_quat_rotate(frame, stic_vec3(0, 0, 1));
        highest = test_worse(highest, fabs(seen.gap));
        // the normal points to A: from the lower cube to the upper one if that is A
        const SticVec3 n = seen.body[0].index == 1 ? up : stic_vec3_neg(up);
        test_less(stic_vec3_distance(seen.axis[0], n), 1e-9);
    }
    test_less(highest, 1e-9);
    const int32_t count = set.count;
    bench_close(&bench);
    return count;
}

static void test_stacked_cubes(void** unused)
{
    (void)unused;
    SticRandom random = stic_random_create(3);
    const double yaw = 0.25 * STIC_PI;
    for (int trial = 0; trial < 50; ++trial) {
        const double noise = trial == 0 ? 0.0 : 1e-15 * pow(10.0, trial % 6);
        assert_int_equal(stacked(&random, 0.0, 0.0, 0.0, noise), 4);     // exactly aligned
        assert_int_equal(stacked(&random, 0.3, 0.0, 0.0, noise), 4);     // aligned along one side
        assert_int_equal(stacked(&random, 0.3, 0.2, 0.0, noise), 4);     // shifted both ways
        assert_int_equal(stacked(&random, 0.0, 0.0, yaw, noise), 8);     // octagon
        assert_int_equal(stacked(&random, 0.0, 0.0, 2 * yaw, noise), 4); // a quarter turn
        assert_int_equal(stacked(&random, 1.0, 0.0, 0.0, noise), 0);     // edge on edge
        assert_int_equal(stacked(&random, 1.0, 1.0, 0.0, noise), 0);     // vertex on vertex
        assert_int_equal(stacked(&random, 0.999, 0.0, 0.0, noise), 4);   // a narrow strip
    }
}

static void test_brick_across_two(void** unused)
{
    (void)unused;
    SticRandom random = stic_random_create(5);
    for (int trial = 0; trial < 20; ++trial) {
        Bench bench;
        bench_open(&bench);
        const SticShape* brick = test_world_box(&bench.tw, 0.5, 0.25, 0.125);
        const SticQuat frame = trial == 0 ? stic_quat_identity() : random_turn(&random);
        box_at(&bench, brick, frame, stic_vec3(-0.5, 0.0, 0.0), false);
        box_at(&bench, brick, frame, stic_vec3(0.5, 0.0, 0.0), false);
        box_at(&bench, brick, frame, stic_vec3(0.0, 0.0, 0.25), false);
        bench_build(&bench, STIC_CHART_ROTATION);
        const SticSet set = detect(&bench, 1e-12);
        int32_t across = 0, beside = 0;
        for (int32_t i = 0; i < set.count; ++i) {
            const SticContactView seen = stic_world_contact(bench.tw.system, &set, i, bench.state);
            const bool upper = seen.body[0].index == 2 || seen.body[1].index == 2;
            across += upper;
            beside += !upper;
        }
        // four on each lower brick, and the four of the joint between them
        assert_int_equal(across, 8);
        assert_int_equal(beside, 4);
        bench_close(&bench);
    }
}

/* ---- frozen features ---- */

// gap of the contact with an id, or NaN
static double gap_of(Bench* bench, const SticSet* set, uint64_t id)
{
    for (int32_t i = 0; i < set->count; ++i)
        if (set->interaction[i].id == id)
            return stic_world_contact(bench->tw.system, set, i, bench->state).gap;
    return (double)NAN;
}

// largest difference between frozen and fresh gaps after a motion of size `size`
static double freeze(Bench* bench, const double* motion, double size, int32_t* compared)
{
    const SticLayout* layout = &bench->tw.system->layout;
    stic_world_start(bench->tw.world, bench->tw.system, bench->state);
    const SticSet frozen = detect(bench, 0.05);
    double worst = 0.0;
    for (int32_t i = 0; i < layout->blocks; ++i)
        stic_chart_drift(STIC_CHART_ROTATION, 6, bench->state->q + layout->q_at[i],
                         motion + layout->u_at[i], size, bench->state->q + layout->q_at[i]);
    const SticSet fresh = detect(bench, 0.1);
    for (int32_t i = 0; i < frozen.count; ++i) {
        const uint64_t id = frozen.interaction[i].id;
        const double before = gap_of(bench, &frozen, id), now = gap_of(bench, &fresh, id);
        if (isnan(now))
            continue;
        *compared += 1;
        worst = test_worse(worst, fabs(before - now));
    }
    return worst;
}

static void test_frozen_second_order(void** unused)
{
    (void)unused;
    SticRandom random = stic_random_create(9);
    const TestTable table = test_table_begin("frozen against fresh gaps after a motion of size s",
                                             "scene     |s = 1e-2|1e-3   |1e-4   |order|compared");
    static const char* const names[] = {"cubes", "turned", "spheres"};
    for (int scene = 0; scene < 3; ++scene) {
        double worst[3] = {0.0, 0.0, 0.0};
        int32_t total = 0;
        for (int trial = 0; trial < 20; ++trial) {
            Bench bench;
            bench_open(&bench);
            const SticShape* cube = test_world_box(&bench.tw, 0.5, 0.4, 0.3);
            const SticShape* ball = test_world_sphere(&bench.tw, 0.2);
            const SticQuat frame = random_turn(&random);
            box_at(&bench, cube, frame, stic_vec3_zero(), false);
            if (scene == 2) {
                // on a face, an edge, a vertex, and two on each other
                box_at(&bench, ball, frame, stic_vec3(0.1, 0.1, 0.5), false);
                box_at(&bench, ball, frame, stic_vec3(0.0, 0.55, 0.43), false);
                box_at(&bench, ball, frame, stic_vec3(0.62, 0.52, 0.42), false);
                box_at(&bench, ball, frame, stic_vec3(0.1, 0.1, 0.9), false);
            } else {
                SticBodyDef def = stic_body_default_def();
                def.position = stic_quat_rotate(frame, stic_vec3(0.1, 0.05, 0.6));
                def.orientation =
                    stic_quat_mul(frame, test_turn(stic_vec3(0, 0, 1), scene == 0 ? 0.0 : 0.4));
                test_world_add(&bench.tw, &def, cube, (SticMaterialId){0, 0});
            }
            bench_build(&bench, STIC_CHART_ROTATION);
            double motion[6 * 5];
            test_random_vector(&random, 30, -1.0, 1.0, motion);
            int32_t compared = 0;
            for (int k = 0; k < 3; ++k)
                worst[k] =
                    test_worse(worst[k], freeze(&bench, motion, pow(10.0, -2 - k), &compared));
            total += compared;
            bench_close(&bench);
        }
        test_table_row(&table, "%s|%.1e|%.1e|%.1e|%.2f|%d", names[scene], worst[0], worst[1],
                       worst[2], worst[2] > 0.0 ? 0.5 * log10(worst[0] / worst[2]) : INFINITY,
                       total);
        // faces of equal area change their roles where they tilt by more than 1e-6
        test_greater(total, 80);
        // second order with a constant of the order of |motion|^2, at most 12; features that change
        // on the way are not compared, which moves the measured order a little
        for (int k = 0; k < 3; ++k)
            test_less(worst[k], 12.0 * pow(10.0, -4 - 2 * k));
    }
}

/* ---- depth ---- */

// separation of two bodies along a direction from B to A
static double separation(Bench* bench, const SticShape* const shape[2], SticVec3 n)
{
    SticVec3 point[2];
    for (uint32_t k = 0; k < 2; ++k) {
        const SticPose pose = stic_world_pose(bench->tw.system, bench->state, (SticBodyId){k, 1});
        const SticVec3 toward = k == 0 ? stic_vec3_neg(n) : n;
        point[k] = stic_shape_support_posed(shape[k], &pose, toward);
    }
    return stic_vec3_dot(n, stic_vec3_sub(point[0], point[1]));
}

// the largest separation over directions: a search on the sphere from many starts
static double depth_by_search(Bench* bench, const SticShape* const shape[2], SticRandom* random)
{
    double best = -INFINITY;
    SticVec3 along = stic_vec3(0, 0, 1);
    for (int k = 0; k < 4000; ++k) {
        double n[3];
        test_random_unit(random, 3, n);
        const double here = separation(bench, shape, stic_vec3_load(n));
        if (here > best) {
            best = here;
            along = stic_vec3_load(n);
        }
    }
    for (double size = 0.1; size > 1e-9; size *= 0.93) {
        double n[3];
        test_random_unit(random, 3, n);
        const SticVec3 tried =
            stic_vec3_normalize(stic_vec3_add_scaled(along, size, stic_vec3_load(n)));
        const double here = separation(bench, shape, tried);
        if (here > best) {
            best = here;
            along = tried;
            size *= 1.3;
        }
    }
    return best;
}

static void test_depth_of_boxes(void** unused)
{
    (void)unused;
    SticRandom random = stic_random_create(13);
    int32_t touching = 0, edges = 0, apart = 0;
    double worst = 0.0, lead = 0.0;
    for (int trial = 0; trial < 150; ++trial) {
        Bench bench;
        bench_open(&bench);
        const SticShape* shape[2];
        for (int k = 0; k < 2; ++k) {
            double half[3];
            test_random_vector(&random, 3, 0.3, 0.6, half);
            shape[k] = test_world_box(&bench.tw, half[0], half[1], half[2]);
            double place[3];
            test_random_unit(&random, 3, place);
            const double far = k == 0 ? 0.0 : stic_random_range(&random, 0.6, 1.7);
            SticBodyDef def = stic_body_default_def();
            def.position = stic_vec3_scale(far, stic_vec3_load(place));
            def.orientation = random_turn(&random);
            test_world_add(&bench.tw, &def, shape[k], (SticMaterialId){0, 0});
        }
        bench_build(&bench, STIC_CHART_QUATERNION);
        const SticSet set = detect(&bench, 0.0);
        const double found = depth_by_search(&bench, shape, &random);
        if (found > 0.0) {
            assert_int_equal(set.count, 0);
            apart += 1;
        } else if (found < -1e-6) {
            double deepest = 0.0;
            test_greater(set.count, 0);
            for (int32_t i = 0; i < set.count; ++i) {
                const SticContactView seen =
                    stic_world_contact(bench.tw.system, &set, i, bench.state);
                deepest = fmin(deepest, seen.gap);
                // no contact is deeper than the boxes are along its own normal
                const SticVec3 n =
                    seen.body[0].index == 0 ? seen.axis[0] : stic_vec3_neg(seen.axis[0]);
                worst = test_worse(worst, separation(&bench, shape, n) - seen.gap);
            }
            edges += set.interaction[0].kernel == STIC_CONTACT_EDGE_EDGE;
            touching += 1;
            // a face may be preferred to an edge that is better by a thousandth of the half size
            lead = test_worse(lead, found - deepest);
        }
        bench_close(&bench);
    }
    print_message(
        "%d pairs touch (%d by edges), %d do not; deeper than the boxes by %.1e, than the "
        "search by %.1e\n",
        touching, edges, apart, worst, lead);
    test_greater(touching, 30);
    test_greater(edges, 5);
    test_greater(apart, 30);
    test_less(worst, 1e-14);
    test_less(lead, 1.1e-3 * 0.6);
}

/* ---- spheres ---- */

static void test_sphere_on_box(void** unused)
{
    (void)unused;
    // places of the centre in the frame of the box, expected gap and kernel
    static const struct {
        double x, y, z, gap;
        int kernel;
    } cases[] = {
        {0.1, -0.2, 0.55, 0.05, STIC_CONTACT_PLANE},       // over the top
        {0.1, 0.1, -0.45, -0.05, STIC_CONTACT_PLANE},      // below
        {0.1, 0.05, 0.2, -0.3, STIC_CONTACT_PLANE},        // centre inside, 0.1 below the top
        {0.53, 0.1, 0.34, -0.15, STIC_CONTACT_ROUND_EDGE}, // 3-4-5 from an edge
        {0.52, -0.43, 0.36, -0.13, STIC_CONTACT_ROUND},    // 2-3-6-7 from a vertex
    };
    SticRandom random = stic_random_create(17);
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; ++k) {
        Bench bench;
        bench_open(&bench);
        const SticQuat frame = random_turn(&random);
        const SticVec3 place = stic_vec3(cases[k].x, cases[k].y, cases[k].z);
        box_at(&bench, test_world_box(&bench.tw, 0.5, 0.4, 0.3), frame, stic_vec3_zero(), true);
        box_at(&bench, test_world_sphere(&bench.tw, 0.2), frame, place, false);
        bench_build(&bench, STIC_CHART_QUATERNION);
        const SticSet set = detect(&bench, 0.1);
        assert_int_equal(set.count, 1);
        assert_int_equal(set.interaction[0].kernel, cases[k].kernel);
        const SticContactView seen = stic_world_contact(bench.tw.system, &set, 0, bench.state);
        test_less(fabs(seen.gap - cases[k].gap), 1e-15);
        assert_int_equal(seen.body[0].index, 1);
        const SticSet nothing = detect(&bench, cases[k].gap - 1e-9);
        assert_int_equal(nothing.count, 0);
        bench_close(&bench);
    }
}

static void test_vertices_on_plane(void** unused)
{
    (void)unused;
    Bench bench;
    bench_open(&bench);
    SticError error = {0};
    SticMaterialDef smooth = stic_material_default_def();
    SticMaterialId ice;
    smooth.surface.friction = 0.0;
    smooth.surface.restitution[0] = 0.25;
    assert_int_equal(stic_material_create(bench.tw.world, &smooth, &ice, &error), STIC_OK);
    const SticVec3 normal = stic_vec3(1.0, 2.0, 2.0); // length 3
    test_world_plane(&bench.tw, normal, 0.5, ice);
    SticBodyDef def = stic_body_default_def();
    const SticVec3 n = stic_vec3_scale(1.0 / 3.0, normal);
    def.position = stic_vec3_scale(0.5 + 0.3, n);
    // box with its z axis along the normal
    def.orientation = stic_quat_from_matrix(stic_mat3_from_columns(
        stic_mat3_column(stic_mat3_frame(n), 1), stic_mat3_column(stic_mat3_frame(n), 2), n));
    test_world_add(&bench.tw, &def, test_world_box(&bench.tw, 0.5, 0.4, 0.3),
                   (SticMaterialId){0, 0});
    bench_build(&bench, STIC_CHART_QUATERNION);
    const SticSet set = detect(&bench, 1e-12), all = detect(&bench, 0.61);
    assert_int_equal(set.count, 4);
    assert_int_equal(all.count, 8);
    for (int32_t i = 0; i < 4; ++i) {
        const SticInteraction* interaction = &set.interaction[i];
        const SticContactView seen = stic_world_contact(bench.tw.system, &set, i, bench.state);
        test_less(fabs(seen.gap), 1e-15);
        // no friction: one row; restitution takes the larger coefficient
        assert_int_equal(interaction->law, STIC_LAW_NONNEG);
        assert_int_equal(interaction->rows, 1);
        test_equal(interaction->restitution[0], 0.25);
        test_equal(interaction->block[1], -1);
        test_less(stic_vec3_distance(seen.axis[0], n), 1e-15);
    }
    // with a reach of infinity everything is a contact, whatever the distance
    bench.state->q[0] += 1e6;
    assert_int_equal(detect(&bench, INFINITY).count, 8);
    assert_int_equal(detect(&bench, 1.0).count, 0);
    bench_close(&bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stacked_cubes),       cmocka_unit_test(test_brick_across_two),
        cmocka_unit_test(test_frozen_second_order), cmocka_unit_test(test_depth_of_boxes),
        cmocka_unit_test(test_sphere_on_box),       cmocka_unit_test(test_vertices_on_plane),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
