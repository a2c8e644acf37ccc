// SPDX-License-Identifier: Apache-2.0
// Intersection of polyhedra by clipping and by polarity, and the contact rule `centroid`.
#include "collide/intersect.h"
#include "helpers/helpers.h"
#include "helpers/narrow.h"

#ifndef PAIRS
#define PAIRS 2000
#endif

static double differ(const SticOverlap* one, const SticOverlap* two, double size)
{
    double worst = fabs(one->volume - two->volume) / (size * size * size);
    for (int s = 0; s < 2; ++s) {
        worst = test_worse(worst, fabs(one->side[s].area - two->side[s].area) / (size * size));
        worst = test_worse(worst, stic_vec3_distance(one->side[s].normal, two->side[s].normal) /
                                      (size * size));
        worst = test_worse(worst, stic_vec3_distance(one->side[s].moment, two->side[s].moment) /
                                      (size * size * size));
    }
    return worst;
}

static void test_same(void** state)
{
    (void)state;
    const SticContext context = stic_context_default();
    SticRandom random = stic_random_create(23);
    SticArena* arena;
    assert_int_equal(stic_arena_create(&context, 1 << 20, &arena), STIC_OK);
    double worst = 0.0, closed = 0.0, seconds[2] = {0.0, 0.0};
    int32_t overlapping = 0;
    for (int32_t k = 0; k < PAIRS; ++k) {
        SticShape* A = k % 2 == 0 ? narrow_box(1.0, 0.7, 0.3) : narrow_hull(&random, 16, 1.0);
        SticShape* B = narrow_hull(&random, 4 + k % 20, 0.5);
        const SticPose pose =
            stic_pose_rigid(test_random_turn(&random), narrow_random_vec(&random, 1.0));
        SticHull hull[2];
        SticOverlap one, two;
        const SticArenaMark mark = stic_arena_mark(arena);
        assert_int_equal(stic_hull_place(arena, stic_shape_polyhedron(A), &pose, &hull[0]),
                         STIC_OK);
        assert_int_equal(stic_hull_place(arena, stic_shape_polyhedron(B), NULL, &hull[1]), STIC_OK);
        const double t0 = stic_timer_seconds();
        assert_int_equal(stic_overlap_by_clipping(arena, hull, &one), STIC_OK);
        const double t1 = stic_timer_seconds();
        assert_int_equal(stic_overlap_by_polarity(arena, hull, &two), STIC_OK);
        seconds[0] += t1 - t0;
        seconds[1] += stic_timer_seconds() - t1;
        worst = test_worse(worst, differ(&one, &two, 2.0));
        // the boundary is closed: the normals sum up to zero
        closed = test_worse(closed,
                            stic_vec3_norm(stic_vec3_add(one.side[0].normal, one.side[1].normal)));
        overlapping += one.volume > 0.0;
        test_at_least(one.volume, -1e-14);
        stic_arena_rewind(arena, mark);
        stic_shape_destroy(A);
        stic_shape_destroy(B);
    }
    print_message("%d pairs, %d overlap: clipping and polarity differ by %.2e, open by %.2e; %.2f "
                  "and %.2f us\n",
                  PAIRS, overlapping, worst, closed, 1e6 * seconds[0] / PAIRS,
                  1e6 * seconds[1] / PAIRS);
    test_greater(overlapping, PAIRS / 4);
    test_less(worst, 1e-11);
    test_less(closed, 1e-11);
    stic_arena_destroy(arena);
}

static SticCollide* create(SticIntersection intersection)
{
    const SticContext context = stic_context_default();
    SticCollideSettings settings = stic_collide_default_settings();
    settings.rule = STIC_RULE_CENTROID;
    settings.intersection = intersection;
    SticCollide* collide = NULL;
    assert_int_equal(stic_collide_create(&context, &settings, &collide), STIC_OK);
    return collide;
}

// overlap 0.75 x 1 x d: the upper cube has its lower face and one side in it and is the master; the
// lower one has its upper face, a side and, as the first, the two common sides of size 0.75 d
static void check_rule(const SticContact* c, double height)
{
    if (height >= 0.0) {
        test_near(c->gap, height, 1e-12);
        test_near(fabs(c->normal.z), 1.0, 1e-6);
        return;
    }
    const double d = -height;
    const SticVec3 n = stic_vec3_normalize(stic_vec3(-d, 0.0, -0.75));
    const SticVec3 moment = stic_vec3(0.75 * 0.125 + d * 0.5 + 1.5 * d * 0.125, 0.0,
                                      0.75 * 0.5 + (d + 1.5 * d) * (0.5 - 0.5 * d));
    const SticVec3 x = stic_vec3_scale(1.0 / (0.75 + 2.5 * d), moment);
    const double gap = stic_vec3_dot(n, stic_vec3_sub(x, stic_vec3(-0.25, 0.0, 0.5 - d)));
    test_less(stic_vec3_distance(c->normal, n), 1e-9);
    test_less(stic_vec3_distance(c->point, x), 1e-9);
    test_less(fabs(c->gap - gap), 1e-9);
}

// two cubes: point in the middle of the overlap, normal of the first, depth
static void test_rule(void** state)
{
    (void)state;
    SticShape* cube = narrow_box(0.5, 0.5, 0.5);
    for (int method = 0; method < 2; ++method) {
        SticCollide* collide = create((SticIntersection)method);
        const double height[3] = {0.99, 1.0, 1.001};
        for (int k = 0; k < 3; ++k) {
            const SticCollider a = {cube, stic_pose_identity(), 1};
            const SticCollider b = {
                cube, stic_pose_rigid(stic_mat3_identity(), stic_vec3(0.25, 0.0, height[k])), 2};
            const SticContact* c;
            int32_t count;
            assert_int_equal(stic_collide_pair(collide, &a, &b, 0.01, &c, &count), STIC_OK);
            assert_int_equal(count, 1);
            print_message("height %.3f: gap %.3e, area %.6f, normal %.3f %.3f %.3f\n", height[k],
                          c->gap, c->area, c->normal.x, c->normal.y, c->normal.z);
            check_rule(c, height[k] - 1.0);
        }
        stic_collide_destroy(collide);
    }
    stic_shape_destroy(cube);
}

// a brick on a large slab, turned by little and pressed in by less: it has its contact at all poses,
// of one number, and the point moves with the angle and does not jump
static void test_rest(void** state)
{
    (void)state;
    SticShape *slab = narrow_box(20.0, 20.0, 0.5), *brick = narrow_box(1.0, 1.0, 0.5);
    SticCollide* collide = create(STIC_INTERSECTION_CLIPPING);
    SticRandom random = stic_random_create(7);
    uint64_t number = 0;
    double moved = 0.0, edge = 0.0;
    for (int32_t k = 0; k < PAIRS; ++k) {
        const double tilt = stic_exp(-23.0 + 16.0 * stic_random_uniform(&random)),
                     depth = stic_exp(-23.0 + 12.0 * stic_random_uniform(&random));
        const double turn = 6.28 * stic_random_uniform(&random);
        const SticVec3 axis = stic_vec3(stic_cos(turn), stic_sin(turn), 0.0);
        const SticVec3 at = stic_vec3(15.0 * stic_random_uniform(&random), -7.0, 1.0 - depth);
        const SticPose pose = stic_pose_rigid(
            stic_rotation_exp(stic_vec3_scale(k % 2 == 0 ? tilt : -tilt, axis)), at);
        const SticCollider a = {slab, stic_pose_identity(), 1}, b = {brick, pose, 2};
        const SticContact* c;
        int32_t count;
        assert_int_equal(stic_collide_pair(collide, &a, &b, 0.0, &c, &count), STIC_OK);
        assert_int_equal(count, 1);
        const uint64_t found = stic_contact_number(c, 1, 2);
        assert_true(k == 0 || found == number);
        number = found;
        // on average no deeper than the lowest corner, but for what clipping takes for one point:
        // 1e-9 of the diameter of the slab
        test_less(c->gap, 1e-15);
        test_greater(c->gap, -depth - 1.5 * tilt - 57e-9);
        // the size of the slab is stretched by 1e-6: faces part beyond a tenth of that angle
        const double way =
            stic_vec3_distance(stic_vec3(c->point.x, c->point.y, 0.0), stic_vec3(at.x, at.y, 0.0));
        if (tilt < 1e-7)
            moved = test_worse(moved, way);
        if (tilt > 1e-4 && depth < 1e-7)
            edge = test_worse(edge, way);
    }
    print_message("%d poses: the point moved by %.3f below 1e-7 rad, by %.3f above 1e-4\n", PAIRS,
                  moved, edge);
    test_less(moved, 0.05);
    // half of the face: a quarter of its width of 2
    test_greater(edge, 0.49);
    stic_collide_destroy(collide);
    stic_shape_destroy(slab);
    stic_shape_destroy(brick);
}

// a brick across the joint of two others, as rounding leaves it: faces that coincide up to 1e-16 have
// their own gap and normal, whichever scraps clipping takes of them
static void test_bond(void** state)
{
    (void)state;
    SticShape* brick = narrow_box(0.1, 0.05, 0.05);
    SticRandom random = stic_random_create(11);
    for (int method = 0; method < 2; ++method) {
        SticCollide* collide = create((SticIntersection)method);
        double lean = 0.0, off = 0.0, beside = 0.0;
        for (int32_t k = 0; k < PAIRS; ++k) {
            const SticVec3 below = stic_vec3(0.2 * (k % 7), 0.0, 0.05 + 0.1 * (k % 5));
            const double noise = 1e-15 * (stic_random_uniform(&random) - 0.5);
            const SticVec3 above = stic_vec3_add(below, stic_vec3(0.1, 0.0, 0.1 + noise));
            const SticVec3 turn = stic_vec3(1e-15 * stic_random_uniform(&random),
                                            1e-15 * stic_random_uniform(&random), 0.0);
            const SticCollider a = {brick, stic_pose_rigid(stic_mat3_identity(), below), 1},
                               b = {brick, stic_pose_rigid(stic_rotation_exp(turn), above), 2};
            const SticContact* c;
            int32_t count;
            assert_int_equal(stic_collide_pair(collide, &a, &b, 0.0, &c, &count), STIC_OK);
            assert_int_equal(count, 1);
            const SticVec3 middle = stic_vec3(below.x + 0.05, 0.0, below.z + 0.05);
            lean = test_worse(lean, hypot(c->normal.x, c->normal.y));
            off = test_worse(off, fabs(c->gap));
            beside = test_worse(beside, stic_vec3_distance(c->point, middle));
        }
        print_message("%s: normal off by %.1e, gap %.1e, point %.1e m beside the middle\n",
                      method == 0 ? "clipping" : "polarity", lean, off, beside);
        // angles of 1e-15 and coordinates of 1; stretching by 1e-6 moves a border 0.1 from the centre
        test_less(lean, 2e-15);
        test_less(off, 2e-15);
        test_less(beside, 1e-7);
        stic_collide_destroy(collide);
    }
    stic_shape_destroy(brick);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same),
        cmocka_unit_test(test_rule),
        cmocka_unit_test(test_bond),
        cmocka_unit_test(test_rest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
