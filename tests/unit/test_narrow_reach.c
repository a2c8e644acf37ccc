// SPDX-License-Identifier: Apache-2.0
// Contacts of shapes that are apart: the nearest features are among them, and none is a ghost.
//
// Random pairs against the distance of the two shapes (stic_gjk_distance, and closed forms of
// what was put together), shapes put together so that gap and normal are known, bodies that lean,
// roll and pass each other.
#include "helpers/helpers.h"
#include "helpers/lies.h"

// all but the half-space
enum { KINDS = NARROW_KINDS - 1, PAIRS = 400 };

/* ---- random pairs that are apart ---- */

// distance of a point to a shape
static double away(const SticShape* point, const SticCollider* body, SticVec3 x)
{
    const SticPose at = stic_pose_rigid(stic_mat3_identity(), x);
    return stic_gjk_distance(point, &at, body->shape, &body->pose, STIC_SUBDISTANCE_FACES).distance;
}

typedef struct Apart {
    int32_t pairs, missing, contacts;
    double nearest, below, beside;
} Apart;

// how far the two feet of a contact are from the shapes they belong to; the larger
static double beside(const SticShape* point, const SticCollider pair[2], const SticContact* c)
{
    const double part = c->kernel == STIC_CONTACT_PLANE ? 1.0 : 0.5;
    const SticVec3 b = stic_vec3_add_scaled(c->point, -part * c->gap, c->normal);
    const SticVec3 a = stic_vec3_add_scaled(c->point, (1.0 - part) * c->gap, c->normal);
    const int s = c->swapped ? 1 : 0;
    return fmax(away(point, &pair[s], a), away(point, &pair[1 - s], b));
}

static void look_apart(SticCollide* collide, const SticShape* point, const SticCollider pair[2],
                       Apart* apart)
{
    const double reach = 0.3;
    const SticDistance d = stic_gjk_distance(pair[0].shape, &pair[0].pose, pair[1].shape,
                                             &pair[1].pose, STIC_SUBDISTANCE_FACES);
    if (d.distance <= 1e-3 || d.distance > 0.99 * reach)
        return;
    const NarrowFound found = narrow_find(collide, &pair[0], &pair[1], reach);
    double least = (double)INFINITY;
    for (int32_t i = 0; i < found.count; ++i) {
        least = fmin(least, found.list[i].gap);
        apart->beside = fmax(apart->beside, beside(point, pair, &found.list[i]));
    }
    apart->pairs += 1;
    apart->contacts += found.count;
    apart->missing += !(least <= d.distance + 1e-6);
    if (found.count > 0)
        apart->below = fmax(apart->below, d.distance - least);
    if (least <= d.distance + 1e-6)
        apart->nearest = fmax(apart->nearest, least - d.distance);
}

static void test_apart(void** state)
{
    (void)state;
    const SticContext context = stic_context_default();
    SticCollide* collide = narrow_create();
    SticRandom random = stic_random_create(43);
    SticShape* point;
    assert_int_equal(stic_shape_create_sphere(&context, 1e-9, &point, NULL), STIC_OK);
    print_message("%-22s %6s %9s %9s %9s %9s %9s\n", "apart by 1e-3 to 0.3", "pairs", "contacts",
                  "missing", "too far", "too near", "beside");
    for (int i = 0; i < KINDS; ++i)
        for (int j = i; j < KINDS; ++j) {
            Apart apart = {0};
            for (int k = 0; k < PAIRS; ++k) {
                SticShape *A = narrow_kind(i, &random), *B = narrow_kind(j, &random);
                const SticCollider pair[2] = {
                    {A, stic_pose_rigid(test_random_turn(&random), narrow_random_vec(&random, 1.3)),
                     1},
                    {B, stic_pose_rigid(test_random_turn(&random), stic_vec3_zero()), 2}};
                look_apart(collide, point, pair, &apart);
                stic_shape_destroy(A);
                stic_shape_destroy(B);
            }
            print_message("%-10s %-11s %6d %9d %9d %9.1e %9.1e %9.1e\n", narrow_kind_name[i],
                          narrow_kind_name[j], apart.pairs, apart.contacts, apart.missing,
                          apart.nearest, apart.below, apart.beside);
            test_greater(apart.pairs, 20);
            assert_int_equal(apart.missing, 0);
            // the distance itself is known to 2^-40; feet of contacts lie on the shapes
            test_less(apart.nearest, 1e-9);
            test_less(apart.below, 1e-9);
            test_less(apart.beside, 2e-6);
        }
    stic_shape_destroy(point);
    stic_collide_destroy(collide);
}

/* ---- shapes put together ---- */

enum { HEIGHTS = 7 };

static const double heights[HEIGHTS] = {1e-2, 1e-6, 1e-12, 0.0, -1e-12, -1e-9, -1e-6};

typedef struct Known {
    double gap, normal;
    int32_t contacts, missing, others;
} Known;

// A stands on B at the points with the normals n and -n, higher by `gap` along n: if the gap is not
// negative that is the distance, and a small depth is the depth
static void stand(const SticShape* A, const SticShape* B, SticVec3 n, double gap,
                  SticCollider pair[2])
{
    pair[0] = (SticCollider){A, pair[0].pose, 1};
    pair[1] = (SticCollider){B, pair[1].pose, 2};
    pair[0].pose.origin = pair[1].pose.origin = stic_vec3_zero();
    const SticVec3 a = stic_shape_support_posed(A, &pair[0].pose, stic_vec3_neg(n));
    const SticVec3 b = stic_shape_support_posed(B, &pair[1].pose, n);
    pair[0].pose.origin = stic_vec3_add_scaled(stic_vec3_sub(b, a), gap, n);
}

static void look_known(SticCollide* collide, const SticShape* A, const SticShape* B,
                       SticRandom* random, Known* known)
{
    double unit[3];
    uint64_t id = 0;
    SticCollider pair[2];
    for (int s = 0; s < 2; ++s)
        pair[s].pose = stic_pose_rigid(test_random_turn(random), stic_vec3_zero());
    test_random_unit(random, 3, unit);
    const SticVec3 n = stic_vec3_load(unit);
    for (int k = 0; k < HEIGHTS; ++k) {
        stand(A, B, n, heights[k], pair);
        const NarrowFound found = narrow_find(collide, &pair[0], &pair[1], 0.02);
        double least = (double)INFINITY;
        for (int32_t i = 0; i < found.count; ++i)
            if (found.list[i].gap < least) {
                const double sign = found.list[i].swapped ? -1.0 : 1.0;
                least = found.list[i].gap;
                known->normal =
                    fmax(known->normal,
                         stic_vec3_distance(stic_vec3_scale(sign, found.list[i].normal), n));
                known->others += k > 0 && found.list[i].feature != id;
                id = found.list[i].feature;
            }
        known->contacts += found.count;
        known->missing += found.count == 0;
        if (found.count > 0)
            known->gap = fmax(known->gap, fabs(least - heights[k]));
    }
}

static void test_known(void** state)
{
    (void)state;
    SticCollide* collide = narrow_create();
    SticRandom random = stic_random_create(47);
    print_message("%-22s %9s %9s %9s %9s %9s\n", "gaps 1e-2 to -1e-6", "contacts", "missing",
                  "gap off", "normal", "other ids");
    for (int i = 0; i < KINDS; ++i)
        for (int j = 0; j < KINDS; ++j) {
            // two corners have a whole cone of normals
            const bool sharp[2] = {i == 1 || i == 5, j == 1 || j == 5};
            Known known = {0};
            if (sharp[0] && sharp[1])
                continue;
            for (int k = 0; k < PAIRS; ++k) {
                SticShape *A = narrow_kind(i, &random), *B = narrow_kind(j, &random);
                look_known(collide, A, B, &random, &known);
                stic_shape_destroy(A);
                stic_shape_destroy(B);
            }
            print_message("%-10s %-11s %9d %9d %9.1e %9.1e %9d\n", narrow_kind_name[i],
                          narrow_kind_name[j], known.contacts, known.missing, known.gap,
                          known.normal, known.others);
            assert_int_equal(known.missing, 0);
            // a corner on a rim has more than one normal too, and the depth along another is less
            const bool rim = (sharp[0] && j == 3) || (i == 3 && sharp[1]);
            if (!rim) {
                test_less(known.gap, 1e-14);
                test_equal(known.others, 0);
            }
            test_less(known.gap, 1e-6);
            // directions whose heights differ by less than 1e-13 from that of a side are its
            if (!rim) {
                test_less(known.normal, 1e-6);
            }
        }
    stic_collide_destroy(collide);
}

/* ---- two cards ---- */

// thin boxes that lean against each other with an edge each, 35 degrees from the vertical
static void lean(const SticShape* card, double gap, SticCollider pair[2])
{
    const double angle = 35.0 * STIC_PI / 180.0;
    for (int s = 0; s < 2; ++s) {
        const double sign = s == 0 ? -1.0 : 1.0;
        const SticMat3 R = stic_rotation_exp(stic_vec3(0.0, -sign * angle, 0.0));
        const SticVec3 edge = stic_mat3_mul_vec(R, stic_vec3(-sign * 0.01, 0.0, 0.5));
        const SticVec3 place = stic_vec3(sign * 0.5 * gap, s == 0 ? 0.0 : 0.05, 0.0);
        pair[s] =
            (SticCollider){card, stic_pose_rigid(R, stic_vec3_sub(place, edge)), (uint32_t)s + 1};
    }
}

static void test_cards(void** state)
{
    (void)state;
    static const double gaps[6] = {1e-3, 1e-6, 1e-12, 0.0, -1e-12, -1e-8};
    SticCollide* collide = narrow_create();
    SticRandom random = stic_random_create(53);
    SticShape* card = narrow_box(0.01, 0.4, 0.5);
    SticCollider pair[2];
    lean(card, 0.0, pair);
    const NarrowFound rest = narrow_find(collide, &pair[0], &pair[1], 1e-2);
    double normal = 0.0, off = 0.0;
    assert_int_equal(rest.count, 2);
    for (int k = 0; k < 600; ++k) {
        lean(card, gaps[k % 6], pair);
        const SticMat3 R = stic_rotation_exp(narrow_random_vec(&random, 1e-10));
        const SticVec3 d = narrow_random_vec(&random, 1e-10);
        pair[0].pose = stic_pose_rigid(stic_mat3_mul(R, pair[0].pose.F),
                                       stic_vec3_add(pair[0].pose.origin, d));
        const NarrowFound found = narrow_find(collide, &pair[0], &pair[1], 1e-2);
        assert_int_equal(found.count, 2);
        for (int32_t i = 0; i < 2; ++i) {
            test_equal(found.list[i].feature, rest.list[i].feature);
            normal = fmax(normal, 1.0 - fabs(found.list[i].normal.x));
            off = fmax(off, fabs(found.list[i].gap - gaps[k % 6]));
        }
    }
    print_message("two cards at 35 degrees: two contacts, normals off the horizontal by %.1e rad, "
                  "gaps by %.1e\n",
                  sqrt(2.0 * normal), off);
    // jitter of 1e-10 of edges rounded with 1e-6 sizes
    test_less(sqrt(2.0 * normal), 1e-3);
    test_less(off, 1e-9);
    stic_shape_destroy(card);
    stic_collide_destroy(collide);
}

/* ---- leaning ---- */

// what leans keeps its contacts as long as they are within reach
static void test_leaning(void** state)
{
    (void)state;
    static const double tilts[4] = {1e-5, 1e-3, 2e-2, 5e-2};
    Lies lies;
    SticCollide* collide = narrow_create();
    int32_t looked = 0;
    lies_make(&lies);
    for (int i = 0; i < lies.count; ++i)
        for (int j = 0; j < lies.count; ++j) {
            const Lie *upper = &lies.list[i], *lower = &lies.list[j];
            if (upper->top_only || lower->feature != LIE_PLANE || upper->feature == LIE_POINT)
                continue;
            const SticVec3 shift = stic_vec3(0.06, 0.04, 0.0);
            SticCollider a = {upper->shape, lies_pose(upper, lower, 0.3, shift, 0.0), 5};
            const SticCollider b = {lower->shape, stic_pose_rigid(lower->R, stic_vec3_zero()), 9};
            const NarrowFound rest = narrow_find(collide, &a, &b, 0.1);
            for (int t = 0; t < 4; ++t) {
                a.pose = lies_pose(upper, lower, 0.3, shift, 0.03);
                const SticMat3 R =
                    stic_rotation_exp(stic_vec3(0.6 * tilts[t], 0.8 * tilts[t], 0.0));
                a.pose.F = stic_mat3_mul(R, a.pose.F);
                const NarrowFound found = narrow_find(collide, &a, &b, 0.1);
                // the lowest point of a rim stands for one or two fixed ones; points on a seam,
                // between the ends of a segment or within a cap, need not be there
                const int32_t least = upper->feature == LIE_DISC      ? 7
                                      : upper->feature == LIE_SEGMENT ? 2
                                                                      : 4;
                if (found.count < least || found.count > rest.count) {
                    print_message("%s on %s, tilt %g: %d contacts, not %d\n", upper->name,
                                  lower->name, tilts[t], found.count, rest.count);
                    fail();
                }
                looked += 1;
                for (int32_t k = 0; k < found.count; ++k) {
                    const SticContact* c = &found.list[k];
                    const double height = c->point.z - lower->height;
                    // points of the upper shape lie above the ground by their gap
                    if (c->kernel == STIC_CONTACT_PLANE && fabs(c->normal.z) > 1.0 - 1e-15)
                        test_less(fabs(height - c->gap), 1e-14);
                }
            }
        }
    print_message("%d bodies that lean by up to 0.05 have all their contacts within reach\n",
                  looked);
    lies_destroy(&lies);
    stic_collide_destroy(collide);
}

/* ---- rolling and passing ---- */

static void test_rolling(void** state)
{
    (void)state;
    const SticContext context = stic_context_default();
    SticCollide* collide = narrow_create();
    SticShape *disc, *ellipsoid, *ball, *plane, *slab = narrow_box(2.0, 2.0, 0.5);
    SticShape* mesh = lies_plate();
    assert_int_equal(stic_shape_create_cylinder(&context, 0.3, 0.05, &disc, NULL), STIC_OK);
    assert_int_equal(stic_shape_create_sphere(&context, 0.3, &ball, NULL), STIC_OK);
    assert_int_equal(
        stic_shape_create_ellipsoid(&context, stic_vec3(0.3, 0.2, 0.1), &ellipsoid, NULL), STIC_OK);
    assert_int_equal(stic_shape_create_half_space(&context, stic_vec3(0, 0, 1), 0.0, &plane, NULL),
                     STIC_OK);
    const SticShape* ground[3] = {slab, plane, mesh};
    const SticShape* body[3] = {disc, ellipsoid, ball};
    int32_t steps = 0;
    for (int g = 0; g < 3; ++g)
        for (int s = 0; s < 3; ++s) {
            uint64_t id = 0;
            for (int k = 0; k < 3000; ++k) {
                // a disc that leans by 20 degrees runs round, the others tumble
                const SticMat3 round = stic_rotation_exp(stic_vec3(0.0, 0.0, 0.0037 * k));
                const SticMat3 lean_by =
                    stic_rotation_exp(stic_vec3(s == 0 ? 0.349 : 0.0029 * k, 0.0, 0.0));
                const SticMat3 spin = stic_rotation_exp(stic_vec3(0.0, 0.0, -0.0051 * k));
                const SticMat3 R = stic_mat3_mul(round, stic_mat3_mul(lean_by, spin));
                SticCollider a = {body[s], stic_pose_rigid(R, stic_vec3_zero()), 1};
                const SticCollider b = {
                    ground[g],
                    stic_pose_rigid(stic_mat3_identity(), stic_vec3(0, 0, g == 0 ? -0.5 : 0.0)), 2};
                const SticVec3 low =
                    stic_shape_support_posed(body[s], &a.pose, stic_vec3(0.0, 0.0, -1.0));
                a.pose.origin = stic_vec3(-0.9 + 0.0006 * k, -0.8 + 0.0005 * k, -low.z);
                const NarrowFound found = narrow_find(collide, &a, &b, 0.0);
                assert_int_equal(found.count, 1);
                test_less(fabs(found.list[0].gap), 1e-15);
                assert_true(k == 0 || found.list[0].feature == id);
                id = found.list[0].feature;
                steps += 1;
            }
        }
    print_message("a disc on its rim, an ellipsoid and a ball roll %d steps over box, half-space "
                  "and triangles: one contact with one id each\n",
                  steps);
    stic_shape_destroy(disc);
    stic_shape_destroy(ellipsoid);
    stic_shape_destroy(ball);
    stic_shape_destroy(plane);
    stic_shape_destroy(slab);
    stic_shape_destroy(mesh);
    stic_collide_destroy(collide);
}

// a box slides from one tile to the next, and past one that is a little lower
static void test_passing(void** state)
{
    (void)state;
    SticCollide* collide = narrow_create();
    SticShape *tile = narrow_box(0.5, 0.5, 0.1), *box = narrow_box(0.2, 0.2, 0.2);
    int32_t before = 0, after = 0;
    for (int k = -100; k <= 100; ++k)
        for (int low = 0; low < 2; ++low) {
            const double x = 0.3 + 0.002 * k + 1e-5;
            const SticCollider a = {
                box, stic_pose_rigid(stic_mat3_identity(), stic_vec3(x, 0.03, 0.3)), 1};
            const SticCollider next = {
                tile, stic_pose_rigid(stic_mat3_identity(), stic_vec3(1.0, 0.0, low * -1e-9)), 2};
            const NarrowFound found = narrow_find(collide, &a, &next, 0.05);
            for (int32_t i = 0; i < found.count; ++i)
                test_greater(fabs(found.list[i].normal.z), 1.0 - 1e-12);
            // nothing in front of the box, the whole face under it once it is there
            assert_int_equal(found.count, x + 0.2 > 0.5 + 1e-6 ? 4 : 0);
            before += x + 0.2 <= 0.5;
            after += x + 0.2 > 0.5;
        }
    print_message("a box that slides to the next tile: %d times nothing in front, %d times its "
                  "face\n",
                  before, after);
    stic_shape_destroy(tile);
    stic_shape_destroy(box);
    stic_collide_destroy(collide);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_apart),   cmocka_unit_test(test_known),
        cmocka_unit_test(test_cards),   cmocka_unit_test(test_leaning),
        cmocka_unit_test(test_rolling), cmocka_unit_test(test_passing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
