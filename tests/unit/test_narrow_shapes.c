// SPDX-License-Identifier: Apache-2.0
// Contacts of all kinds of shapes: known cases, and random pairs against a sweep of directions.
#include "helpers/helpers.h"
#include "helpers/narrow.h"

#ifndef PAIRS
#define PAIRS 24
#endif

enum { KINDS = 6, SWEEP = 1500 };

static const SticContext* context(void)
{
    static SticContext made;
    made = stic_context_default();
    return &made;
}

static SticShape* make(int kind, SticRandom* random)
{
    SticShape* shape = NULL;
    SticStatus status = STIC_OK;
    switch (kind) {
    case 0:
        status = stic_shape_create_sphere(context(), 0.6, &shape, NULL);
        break;
    case 1:
        return narrow_box(0.8, 0.5, 0.3);
    case 2:
        status = stic_shape_create_capsule(context(), 0.3, 0.7, &shape, NULL);
        break;
    case 3:
        status = stic_shape_create_cylinder(context(), 0.5, 0.4, &shape, NULL);
        break;
    case 4:
        status = stic_shape_create_ellipsoid(context(), stic_vec3(0.4, 0.6, 0.9), &shape, NULL);
        break;
    default:
        return narrow_hull(random, 14, 0.7);
    }
    assert_int_equal(status, STIC_OK);
    return shape;
}

static int32_t find(SticCollide* collide, const SticCollider* a, const SticCollider* b,
                    double reach, const SticContact** list)
{
    int32_t count;
    assert_int_equal(stic_collide_pair(collide, a, b, reach, list, &count), STIC_OK);
    return count;
}

static double deepest(const SticContact* list, int32_t count)
{
    double gap = (double)INFINITY;
    for (int32_t i = 0; i < count; ++i)
        gap = fmin(gap, list[i].gap);
    return gap;
}

/* ---- random pairs ---- */

static double along(const SticCollider* a, const SticCollider* b, SticVec3 n)
{
    const SticVec3 x = stic_shape_support_posed(a->shape, &a->pose, stic_vec3_neg(n));
    const SticVec3 y = stic_shape_support_posed(b->shape, &b->pose, n);
    return stic_vec3_dot(n, stic_vec3_sub(x, y));
}

// separation by a sweep over directions and a search from the best of them
static double sweep(const SticCollider* a, const SticCollider* b)
{
    SticVec3 best = stic_vec3(0.0, 0.0, 1.0);
    double top = along(a, b, best);
    for (int i = 0; i < SWEEP; ++i) {
        const double z = 1.0 - (2.0 * i + 1.0) / SWEEP, r = sqrt(1.0 - z * z);
        const double angle = 2.399963229728653 * i;
        const SticVec3 n = stic_vec3(r * cos(angle), r * sin(angle), z);
        const double h = along(a, b, n);
        if (h > top) {
            top = h;
            best = n;
        }
    }
    // ridges are narrow: directions at random, the step shrinks when many of them fail
    SticRandom random = stic_random_create(3);
    int failed = 0;
    for (double step = 0.1; step > 1e-13;) {
        const SticVec3 n =
            stic_vec3_normalize(stic_vec3_add_scaled(best, step, narrow_random_vec(&random, 1.0)));
        const double h = along(a, b, n);
        failed = h > top ? 0 : failed + 1;
        if (h > top) {
            top = h;
            best = n;
            step *= 2.0;
        } else if (failed > 100) {
            step *= 0.5;
            failed = 0;
        }
    }
    return top;
}

static void test_all_pairs(void** state)
{
    (void)state;
    SticCollide* collide = narrow_create();
    SticRandom random = stic_random_create(31);
    double deep = 0.0, along_normal = 0.0;
    int32_t touching = 0, missing = 0;
    for (int i = 0; i < KINDS; ++i)
        for (int j = 0; j < KINDS; ++j)
            for (int k = 0; k < PAIRS; ++k) {
                SticShape *A = make(i, &random), *B = make(j, &random);
                const SticCollider a = {
                    A, stic_pose_rigid(test_random_turn(&random), narrow_random_vec(&random, 0.8)),
                    1};
                const SticCollider b = {
                    B, stic_pose_rigid(test_random_turn(&random), stic_vec3_zero()), 2};
                const SticContact* list;
                SticContact first[32];
                const int32_t count = find(collide, &a, &b, 0.02, &list);
                for (int32_t c = 0; c < count; ++c) {
                    first[c] = list[c];
                    assert_true(isfinite(list[c].gap) && stic_vec3_is_finite(list[c].point));
                    test_less(fabs(stic_vec3_norm(list[c].normal) - 1.0), 1e-12);
                }
                assert_int_equal(find(collide, &b, &a, 0.02, &list), count);
                for (int32_t c = 0; c < count; ++c) {
                    test_equal(list[c].feature, first[c].feature);
                    test_equal(list[c].gap, first[c].gap);
                    assert_true(list[c].swapped != first[c].swapped);
                }
                const double apart = sweep(&a, &b);
                if (apart > 0.0201)
                    assert_int_equal(count, 0);
                if (apart < 0.0) {
                    touching += 1;
                    missing += count == 0;
                    const double gap = deepest(list, count);
                    // the sweep finds a separation from below: the depth is at most that
                    if (count > 0)
                        deep = test_worse(deep, apart - gap);
                    // one point: the gap is the separation along its normal, so the depth is no
                    // less than the true one either
                    const double sign = count > 0 && list[0].swapped ? 1.0 : -1.0;
                    if (count == 1)
                        along_normal = test_worse(
                            along_normal,
                            fabs(along(&a, &b, stic_vec3_scale(sign, list[0].normal)) - gap));
                }
                stic_shape_destroy(A);
                stic_shape_destroy(B);
            }
    print_message(
        "%d overlapping pairs, %d without contact; too deep by %.2e, gap and normal differ "
        "by %.2e\n",
        touching, missing, deep, along_normal);
    assert_int_equal(missing, 0);
    test_less(deep, 1e-12);
    test_less(along_normal, 1e-11);
    stic_collide_destroy(collide);
}

/* ---- known cases ---- */

static void test_flat(void** state)
{
    (void)state;
    SticCollide* collide = narrow_create();
    SticRandom random = stic_random_create(1);
    const SticMat3 I = stic_mat3_identity();
    const SticMat3 lie = stic_rotation_exp(stic_vec3(0.0, STIC_PI / 2, 0.0));
    SticShape *cylinder = make(3, &random), *capsule = make(2, &random), *plane;
    SticShape *slab = narrow_box(3.0, 3.0, 1.0), *sphere = make(0, &random);
    assert_int_equal(stic_shape_create_half_space(context(), stic_vec3(0, 0, 1), 1.0, &plane, NULL),
                     STIC_OK);
    const SticContact* list;
    const SticShape* ground[2] = {slab, plane};
    for (int g = 0; g < 2; ++g) {
        const SticCollider b = narrow_at(ground[g], I, 0, 0, 0, 9);
        SticCollider a = narrow_at(cylinder, I, 0, 0, 1.4, 1);
        assert_int_equal(find(collide, &a, &b, 1e-6, &list), 8);
        test_less(fabs(deepest(list, 8)), 1e-12);
        a = narrow_at(cylinder, lie, 0, 0, 1.499, 1);
        assert_int_equal(find(collide, &a, &b, 1e-6, &list), 2);
        test_less(fabs(deepest(list, 2) + 1e-3), 1e-9);
        a = narrow_at(capsule, lie, 0, 0, 1.3, 1);
        assert_int_equal(find(collide, &a, &b, 1e-6, &list), 2);
        test_less(fabs(deepest(list, 2)), 1e-12);
        a = narrow_at(capsule, I, 0, 0, 1.99, 1);
        assert_int_equal(find(collide, &a, &b, 1e-6, &list), 1);
        test_less(fabs(list[0].gap + 0.01), 1e-12);
        a = narrow_at(sphere, I, 0, 0, 1.59, 1);
        assert_int_equal(find(collide, &a, &b, 1e-6, &list), 1);
        test_less(fabs(list[0].gap + 0.01), 1e-12);
        test_equal(list[0].normal.z, 1.0);
    }
    // two capsules side by side, crossed, end on end
    const SticCollider b = narrow_at(capsule, I, 0, 0, 0, 2);
    SticCollider a = narrow_at(capsule, I, 0.59, 0, 0.4, 1);
    assert_int_equal(find(collide, &a, &b, 0.0, &list), 2);
    test_less(fabs(list[0].gap + 0.01), 1e-12);
    test_less(fabs(list[1].gap + 0.01), 1e-12);
    a = narrow_at(capsule, lie, 0, 0.61, 0, 1);
    assert_int_equal(find(collide, &a, &b, 0.02, &list), 1);
    test_less(fabs(list[0].gap - 0.01), 1e-12);
    a = narrow_at(capsule, I, 0, 0, 2.0, 1);
    assert_int_equal(find(collide, &a, &b, 0.0, &list), 1);
    stic_shape_destroy(cylinder);
    stic_shape_destroy(capsule);
    stic_shape_destroy(plane);
    stic_shape_destroy(slab);
    stic_shape_destroy(sphere);
    stic_collide_destroy(collide);
}

// a flat mesh and a flat height field of 8 x 8 cells over [0,8]^2
static void make_ground(SticShape** mesh, SticShape** field)
{
    static SticVec3 vertex[81];
    static int32_t triangle[3 * 128];
    static double height[81];
    for (int i = 0; i < 81; ++i) {
        vertex[i] = stic_vec3(i % 9, i / 9, 0.0);
        height[i] = 0.0;
    }
    int32_t n = 0;
    for (int j = 0; j < 8; ++j)
        for (int i = 0; i < 8; ++i) {
            const int32_t o = 9 * j + i, corner[6] = {o, o + 1, o + 10, o, o + 10, o + 9};
            for (int k = 0; k < 6; ++k)
                triangle[n++] = corner[k];
        }
    SticMeshDef def = stic_mesh_default_def();
    def.vertex = vertex;
    def.vertex_count = 81;
    def.face_vertex = triangle;
    def.face_count = 128;
    assert_int_equal(stic_shape_create_mesh(context(), &def, mesh, NULL), STIC_OK);
    const SticHeightFieldDef heights = {height, 9, 9, 1.0, 1.0};
    assert_int_equal(stic_shape_create_height_field(context(), &heights, field, NULL), STIC_OK);
}

static void test_mesh(void** state)
{
    (void)state;
    SticCollide* collide = narrow_create();
    SticRandom random = stic_random_create(1);
    const SticMat3 I = stic_mat3_identity();
    SticShape *ground[2], *sphere = make(0, &random), *box = narrow_box(0.9, 0.7, 0.5);
    SticShape* capsule = make(2, &random);
    make_ground(&ground[0], &ground[1]);
    const SticContact* list;
    for (int g = 0; g < 2; ++g) {
        const SticCollider b = narrow_at(ground[g], I, 0, 0, 0, 9);
        for (int k = 0; k < 400; ++k) {
            // over faces, edges and vertices: always one contact, straight up
            const double x = 2.0 + 0.005 * k, y = 2.5 + 0.0025 * k;
            SticCollider a = narrow_at(sphere, I, x, y, 0.59, 1);
            assert_int_equal(find(collide, &a, &b, 0.05, &list), 1);
            test_less(fabs(list[0].gap + 0.01), 1e-12);
            test_greater(list[0].normal.z, 1.0 - 1e-12);
            // four corners, and none of the triangles' own
            const SticMat3 R = stic_rotation_exp(stic_vec3(0.0, 0.0, 0.01 * k));
            a = narrow_at(box, R, x, y, 0.499, 1);
            assert_int_equal(find(collide, &a, &b, 0.05, &list), 4);
            for (int c = 0; c < 4; ++c) {
                test_less(fabs(list[c].gap + 0.001), 1e-12);
                test_greater(list[c].normal.z, 1.0 - 1e-12);
            }
            a = narrow_at(capsule,
                          stic_mat3_mul(R, stic_rotation_exp(stic_vec3(STIC_PI / 2, 0, 0))), x, y,
                          0.299, 1);
            const int32_t count = find(collide, &a, &b, 0.05, &list);
            test_at_least(count, 2);
            for (int c = 0; c < count; ++c) {
                test_less(fabs(list[c].gap + 0.001), 1e-9);
                test_greater(list[c].normal.z, 1.0 - 1e-9);
            }
        }
    }
    stic_shape_destroy(sphere);
    stic_shape_destroy(box);
    stic_shape_destroy(capsule);
    stic_shape_destroy(ground[0]);
    stic_shape_destroy(ground[1]);
    stic_collide_destroy(collide);
}

// a beam of two boxes glued together: the seam is not felt
static void test_compound(void** state)
{
    (void)state;
    SticCollide* collide = narrow_create();
    SticRandom random = stic_random_create(1);
    const SticMat3 I = stic_mat3_identity();
    SticShape *half = narrow_box(1.0, 1.0, 0.5), *beam = NULL, *sphere = make(0, &random);
    const SticShape* const part[2] = {half, half};
    const SticPose place[2] = {stic_pose_rigid(I, stic_vec3(-1, 0, 0)),
                               stic_pose_rigid(I, stic_vec3(1, 0, 0))};
    SticCompoundDef def = stic_compound_default_def();
    def.shape = part;
    def.pose = place;
    def.count = 2;
    assert_int_equal(stic_shape_create_compound(context(), &def, &beam, NULL), STIC_OK);
    const SticCollider b = narrow_at(beam, I, 0, 0, 0, 9);
    const SticContact* list;
    for (int k = 0; k < 200; ++k) {
        SticCollider a = narrow_at(sphere, I, -1.0 + 0.0101 * k, 0.1, 1.09, 1);
        assert_int_equal(find(collide, &a, &b, 0.05, &list), 1);
        test_less(fabs(list[0].gap + 0.01), 1e-12);
        test_greater(list[0].normal.z, 1.0 - 1e-12);
        a = narrow_at(half, I, 0.001 * k, 0.0, 0.999, 1);
        const int32_t count = find(collide, &a, &b, 0.0, &list);
        double area = 0.0;
        assert_int_equal(count, 8);
        for (int32_t c = 0; c < count; ++c) {
            area += list[c].area;
            test_less(fabs(list[c].gap + 0.001), 1e-12);
            test_greater(fabs(list[c].normal.z), 1.0 - 1e-12);
        }
        test_less(fabs(area - 4.0), 1e-12);
    }
    stic_shape_destroy(half);
    stic_shape_destroy(beam);
    stic_shape_destroy(sphere);
    stic_collide_destroy(collide);
}

/* ---- memory ---- */

typedef struct Memory {
    SticShape* shape[8];
} Memory;

static SticStatus all_pairs(const SticContext* limited, void* self)
{
    const Memory* memory = self;
    SticStatus status = STIC_OK;
    for (int rule = 0; rule < 2 && status == STIC_OK; ++rule) {
        SticCollideSettings settings = stic_collide_default_settings();
        settings.rule = (SticContactRule)rule;
        SticCollide* collide = NULL;
        status = stic_collide_create(limited, &settings, &collide);
        for (int i = 0; i < 8 && status == STIC_OK; ++i)
            for (int j = 0; j < 6 && status == STIC_OK; ++j) {
                const SticCollider a =
                    narrow_at(memory->shape[i], stic_mat3_identity(), 0.0, 0.0, 0.0, 1);
                const SticCollider b =
                    narrow_at(memory->shape[j], stic_mat3_identity(), 2.1, 2.2, 0.25, 2);
                const SticContact* list;
                int32_t count;
                status = stic_collide_pair(collide, &a, &b, 3.0, &list, &count);
            }
        stic_collide_destroy(collide);
    }
    return status;
}

static void test_memory(void** state)
{
    (void)state;
    SticRandom random = stic_random_create(1);
    Memory memory;
    for (int k = 0; k < KINDS; ++k)
        memory.shape[k] = make(k, &random);
    make_ground(&memory.shape[6], &memory.shape[7]);
    const int64_t calls = test_fail_every_allocation(all_pairs, &memory);
    print_message("%d allocations, each failed once\n", (int)calls);
    for (int k = 0; k < 8; ++k)
        stic_shape_destroy(memory.shape[k]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_pairs), cmocka_unit_test(test_flat),
        cmocka_unit_test(test_mesh),      cmocka_unit_test(test_compound),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
