// SPDX-License-Identifier: Apache-2.0
// Contact patches, distances and depths of many pairs of polyhedra against independent answers.
//
// Boxes, plates and rods of 1:1e4, prisms and random hulls; placed at random, with parallel and
// almost parallel faces, one in the other, touching up to 1e-9, and stacked exactly.
#include <stdlib.h>

#include "helpers/helpers.h"
#include "helpers/narrow_oracle.h"

#ifndef PAIRS
#define PAIRS 10000
#endif

enum { SHAPES = 26, KINDS = 8 };

typedef struct Pair {
    const OracleShape* shape[2];
    SticCollider c[2];
    double size; // of the smaller
    int kind;
} Pair;

static SticShape* make_prism(int32_t sides)
{
    SticVec3 point[64];
    for (int32_t i = 0; i < 2 * sides; ++i)
        point[i] = stic_vec3(cos(2 * i * STIC_PI / sides), i < sides ? -0.5 : 0.5,
                             sin(2 * i * STIC_PI / sides));
    return narrow_hull_of(point, 2 * sides);
}

static void make_shapes(SticRandom* random, OracleShape* list)
{
    static const double half[10][3] = {
        {0.5, 0.5, 0.5},  {1.0, 0.5, 0.5},   {1.0, 0.7, 0.3},  {0.5, 0.5, 0.25}, {1.0, 0.7, 1e-4},
        {1.0, 1.0, 1e-4}, {1e-4, 1e-4, 1.0}, {1.0, 1e-4, 0.5}, {0.1, 0.1, 0.1},  {1.0, 1.0, 1.0}};
    int32_t count = 0;
    for (int i = 0; i < 10; ++i)
        list[count++] = oracle_shape(narrow_box(half[i][0], half[i][1], half[i][2]));
    for (int32_t i = 3; i < 7; ++i)
        list[count++] = oracle_shape(make_prism(i));
    for (int32_t i = 0; i < 12; ++i)
        list[count++] = oracle_shape(narrow_hull(random, 4 + 2 * (i % 6),
                                                 i < 6   ? 1.0
                                                 : i < 9 ? 0.1
                                                         : 1e-4));
    assert_int_equal(count, SHAPES);
}

/* ---- places ---- */

// out of an overlap, along the axis of least depth, to a gap: it stays the axis of the pair
static void separate_to(Pair* pair, double gap)
{
    static OracleBody body[2];
    for (int s = 0; s < 2; ++s)
        oracle_body(pair->shape[s], &pair->c[s].pose, &body[s]);
    const OracleAxis axis = oracle_axis(&body[0], &body[1]);
    if (axis.best < gap)
        pair->c[0].pose.origin =
            stic_vec3_add_scaled(pair->c[0].pose.origin, gap - axis.best, axis.normal);
}

static SticVec3 stacked(SticRandom* random, const OracleShape* const shape[2])
{
    // boxes face to face, offsets that align edges exactly in most cases
    SticVec3 high[2];
    for (int s = 0; s < 2; ++s)
        high[s] = stic_shape_support(shape[s]->shape, stic_vec3(1.0, 1.0, 1.0));
    const double u = 0.5 * rint(stic_random_range(random, -2.5, 2.5));
    const double v = 0.5 * rint(stic_random_range(random, -2.5, 2.5));
    return stic_vec3(u * high[1].x, v * high[1].y, high[0].z + high[1].z);
}

static Pair make_pair(SticRandom* random, const OracleShape* list, int32_t k)
{
    static const double noise[4] = {1e-5, 1e-7, 1e-9, 1e-12};
    static const double gaps[6] = {1e-3, -1e-3, 1e-6, -1e-6, 0.5e-9, -1e-9};
    Pair pair = {.kind = k % KINDS};
    const int boxes = pair.kind == 7 ? 10 : SHAPES;
    for (int s = 0; s < 2; ++s)
        pair.shape[s] = &list[(int32_t)stic_random_range(random, 0.0, boxes - 1e-9)];
    if (pair.kind == 3)
        pair.shape[1] = pair.shape[0];
    const SticMat3 S = k % 3 == 0 ? stic_mat3_identity() : test_random_turn(random);
    SticMat3 R = S;
    SticVec3 x = narrow_random_vec(random, 1.2);
    const int pick = (k / KINDS) % 12;
    if (pair.kind == 0 || pair.kind == 1 || pair.kind == 5)
        R = test_random_turn(random);
    if (pair.kind == 4)
        R = stic_mat3_mul(stic_rotation_exp(narrow_random_vec(random, noise[pick % 4])), S);
    if (pair.kind == 3)
        x = narrow_random_vec(random, pick < 6 ? 0.0 : noise[pick % 4]);
    if (pair.kind == 7)
        x = stic_mat3_mul_vec(S, stacked(random, pair.shape));
    const SticVec3 o = k % 3 == 0 ? stic_vec3_zero() : narrow_random_vec(random, 1.0);
    pair.c[0] = (SticCollider){pair.shape[0]->shape, stic_pose_rigid(R, stic_vec3_add(x, o)), 7};
    pair.c[1] = (SticCollider){pair.shape[1]->shape, stic_pose_rigid(S, o), 9};
    pair.size = fmin(stic_shape_size(pair.c[0].shape), stic_shape_size(pair.c[1].shape));
    if (pair.kind == 5 || pair.kind == 6) {
        pair.c[0].pose.origin = stic_vec3_add_scaled(o, 0.3, x);
        separate_to(&pair, gaps[pick % 6] * pair.size);
    }
    return pair;
}

/* ---- checks ---- */

static void check_numbers(const NarrowFound* found, double reach, double size)
{
    for (int32_t i = 0; i < found->count; ++i) {
        const SticContact* c = &found->list[i];
        assert_true(isfinite(c->gap) && isfinite(c->area) && stic_vec3_is_finite(c->normal) &&
                    stic_vec3_is_finite(c->point));
        for (int j = 0; j < 12; ++j)
            assert_true(isfinite(c->local[j]));
        test_less(fabs(stic_vec3_norm(c->normal) - 1.0), 1e-14);
        test_at_least(c->area, 0.0);
        test_at_least(c->exit, 0.0);
        test_at_most(c->gap, reach + 1.001e-9 * size);
        for (int32_t j = 0; j < i; ++j)
            assert_true(found->list[j].feature != c->feature);
    }
}

// the arguments exchanged: the same bits
static void check_exchange(const NarrowFound* one, const NarrowFound* two)
{
    assert_int_equal(one->count, two->count);
    for (int32_t i = 0; i < one->count; ++i) {
        const SticContact *c = &one->list[i], *d = &two->list[i];
        test_equal(c->feature, d->feature);
        assert_true(c->swapped != d->swapped);
        test_equal(c->gap, d->gap);
        test_equal(c->area, d->area);
        test_equal(c->exit, d->exit);
        assert_true(stic_vec3_is_equal(c->normal, d->normal) &&
                    stic_vec3_is_equal(c->point, d->point));
    }
}

typedef struct Worst {
    double deep, sweep, area, inside, distance, bound;
    int64_t touching, empty, patches, lonely, contacts, distances, sweeps;
    int64_t by_kind[KINDS];
} Worst;

// how far a point is outside the overlap, seen along the normal of the face
static double outside(const OracleFace* plane, const OracleLine* line, int32_t count, SticVec3 x)
{
    const SticVec3 d = stic_vec3_sub(x, plane->origin);
    const double u = stic_vec3_dot(plane->e[0], d), v = stic_vec3_dot(plane->e[1], d);
    double most = 0.0;
    for (int32_t k = 0; k < count; ++k)
        most = test_worse(most, line[k].a * u + line[k].b * v - line[k].c);
    return most;
}

// one choice of faces
static void check_faces(const Pair* pair, const NarrowBody* const body[2], const int32_t face[2],
                        const NarrowFound* found, double reach, double error[2])
{
    OracleLine line[ORACLE_LINES];
    const int32_t count = oracle_overlap(body[0], face[0], body[1], face[1], reach, line);
    const OracleFace plane = oracle_face(body[0], face[0]);
    double most = 0.0;
    for (int32_t i = 0; i < found->count; ++i) {
        // the middle of two edges lies beside the corner where the faces are tilted
        const SticContact* c = &found->list[i];
        const double beside = fabs(c->gap) * stic_vec3_norm(stic_vec3_cross(c->normal, plane.n));
        most = test_worse(most, (outside(&plane, line, count, c->point) - beside) / pair->size);
    }
    const double area = fabs(oracle_area(line, count, 1e-13) - narrow_area_sum(found));
    const double here[2] = {area / (pair->size * pair->size), most};
    // points within the tolerance are inside: the area decides
    const bool inside = most <= 1.001e-6, inside_before = error[1] <= 1.001e-6;
    if (inside != inside_before ? inside : here[0] < error[0]) {
        error[0] = here[0];
        error[1] = here[1];
    }
}

// area and points of a patch against the overlap of the two faces; faces that separate as well, and
// faces that look at them as well, are as good
static void check_patch(const Pair* pair, const OracleBody body[2], const OracleAxis* axis,
                        const NarrowFound* found, double reach, Worst* worst)
{
    const double best = fmax(axis->face[0], axis->face[1]);
    double error[2] = {(double)INFINITY, (double)INFINITY};
    for (int s = 0; s < 2; ++s) {
        const NarrowBody* const b[2] = {&body[s].body, &body[1 - s].body};
        for (int32_t f = 0; f < b[0]->p->face_count; ++f) {
            const SticVec3 n = b[0]->normal[f];
            if (narrow_along(b[1], b[0], n) < best - 1.001e-6 * pair->size)
                continue;
            for (int32_t g = 0; g < b[1]->p->face_count; ++g)
                if (oracle_is_incident(b[1], g, n, 1e-13, 1.001e-6))
                    check_faces(pair, b, (const int32_t[2]){f, g}, found, reach + 1e-9 * pair->size,
                                error);
        }
    }
    worst->patches += 1;
    // no part of the face is over the other, though they overlap: the deepest vertex alone
    const bool lonely = found->count == 1 && narrow_area_sum(found) == 0.0 && axis->best < 0.0;
    worst->area = test_worse(worst->area, error[0]);
    if (lonely && error[1] > 1e-6)
        worst->lonely += 1;
    else
        worst->inside = test_worse(worst->inside, error[1]);
}

static void check_depth(const OracleBody body[2], const OracleAxis* axis, const NarrowFound* found,
                        const Pair* pair, double reach, Worst* worst)
{
    const double size = pair->size;
    if (axis->best > reach + 2e-9 * size)
        assert_int_equal(found->count, 0);
    if (axis->best < -2e-6 * size) {
        worst->touching += 1;
        worst->empty += found->count == 0;
    }
    double least = (double)INFINITY;
    for (int32_t i = 0; i < found->count; ++i)
        least = fmin(least, found->list[i].gap);
    // apart: no depth at all
    if (found->count > 0)
        worst->deep = test_worse(worst->deep, (fmin(axis->best, 0.0) - least) / size);
    if (found->count > 0 && worst->contacts % 16 == 0) {
        const double swept = fmin(oracle_sweep(&body[0], &body[1], 1000), 0.0);
        worst->sweep = test_worse(worst->sweep, (swept - least) / size);
        worst->sweeps += 1;
    }
}

static void check_distance(const Pair* pair, const OracleBody body[2], Worst* worst)
{
    double bound;
    const double expected = oracle_distance(&body[0], &body[1], &bound);
    // the direction of a short vector has lost as many digits as it is short
    worst->bound = test_worse(worst->bound, (expected - fmax(bound, 0.0)) * fmin(expected, 1.0));
    for (int method = 0; method < 2; ++method) {
        const SticDistance d =
            stic_gjk_distance(pair->c[0].shape, &pair->c[0].pose, pair->c[1].shape,
                              &pair->c[1].pose, (SticSubdistance)method);
        worst->distance = test_worse(worst->distance, fabs(d.distance - expected));
    }
    worst->distances += 1;
}

static void test_pairs(void** state)
{
    (void)state;
    static OracleShape list[SHAPES];
    static OracleBody body[2];
    SticCollide* collide = narrow_create();
    SticRandom random = stic_random_create(11);
    make_shapes(&random, list);
    Worst worst = {0};
    for (int32_t k = 0; k < PAIRS; ++k) {
        const Pair pair = make_pair(&random, list, k);
        const double reach = k % 5 == 0 ? 0.0 : k % 5 == 1 ? 0.05 : 1e-3;
        const NarrowFound one = narrow_find(collide, &pair.c[0], &pair.c[1], reach);
        const NarrowFound two = narrow_find(collide, &pair.c[1], &pair.c[0], reach);
        for (int s = 0; s < 2; ++s)
            oracle_body(pair.shape[s], &pair.c[s].pose, &body[s]);
        const OracleAxis axis = oracle_axis(&body[0], &body[1]);
        check_numbers(&one, reach, pair.size);
        check_exchange(&one, &two);
        check_depth(body, &axis, &one, &pair, reach, &worst);
        if (one.count > 0 && axis.edges <= fmax(axis.face[0], axis.face[1]))
            check_patch(&pair, body, &axis, &one, reach, &worst);
        if (k % 4 == 1)
            check_distance(&pair, body, &worst);
        worst.contacts += one.count;
        worst.by_kind[pair.kind] += one.count;
    }
    print_message("%d pairs, %d contacts (by kind", PAIRS, (int)worst.contacts);
    for (int k = 0; k < KINDS; ++k)
        print_message(" %d", (int)worst.by_kind[k]);
    print_message(")\n%d overlap, %d of them without contact; deeper than the truth by %.2e sizes, "
                  "than %d sweeps by %.2e\n",
                  (int)worst.touching, (int)worst.empty, worst.deep, (int)worst.sweeps,
                  worst.sweep);
    print_message("%d patches: area wrong by %.2e sizes^2, points outside by %.2e sizes; %d "
                  "single vertices\n",
                  (int)worst.patches, worst.area, worst.inside, (int)worst.lonely);
    print_message("%d distances: off by %.2e, program closed to %.2e\n", (int)worst.distances,
                  worst.distance, worst.bound);
    test_equal(worst.empty, 0);
    test_equal(worst.lonely, 0);
    for (int k = 0; k < KINDS; ++k)
        test_greater(worst.by_kind[k], PAIRS / (4 * KINDS));
    // what a preferred face may say beyond the depth is 1e-12 sizes, the rest is rounding
    test_at_most(worst.deep, 1.01e-12);
    test_at_most(worst.sweep, 1.01e-12);
    test_at_most(worst.area, 1e-11);
    test_at_most(worst.inside, 1.001e-6);
    test_at_most(worst.bound, 1e-14);
    test_at_most(worst.distance, 1e-12);
    for (int i = 0; i < SHAPES; ++i)
        stic_shape_destroy(list[i].shape);
    stic_collide_destroy(collide);
}

/* ---- the oracle of the area itself ---- */

// two triangles by counting a fine grid, rectangles by formula
static void test_area_oracle(void** state)
{
    (void)state;
    SticRandom random = stic_random_create(5);
    double worst = 0.0;
    for (int k = 0; k < 200; ++k) {
        double r[8];
        for (int i = 0; i < 8; ++i)
            r[i] = stic_random_range(&random, -1.0, 1.0);
        const OracleLine line[8] = {{1, 0, fmax(r[0], r[1])}, {-1, 0, -fmin(r[0], r[1])},
                                    {0, 1, fmax(r[2], r[3])}, {0, -1, -fmin(r[2], r[3])},
                                    {1, 0, fmax(r[4], r[5])}, {-1, 0, -fmin(r[4], r[5])},
                                    {0, 1, fmax(r[6], r[7])}, {0, -1, -fmin(r[6], r[7])}};
        const double w =
            fmin(fmax(r[0], r[1]), fmax(r[4], r[5])) - fmax(fmin(r[0], r[1]), fmin(r[4], r[5]));
        const double h =
            fmin(fmax(r[2], r[3]), fmax(r[6], r[7])) - fmax(fmin(r[2], r[3]), fmin(r[6], r[7]));
        const double expected = w > 0.0 && h > 0.0 ? w * h : 0.0;
        worst = test_worse(worst, fabs(oracle_area(line, 8, 1e-14) - expected));
    }
    test_less(worst, 1e-12);
    double coarse = 0.0;
    for (int k = 0; k < 20; ++k) {
        OracleLine line[7];
        for (int i = 0; i < 7; ++i) {
            const double angle = stic_random_range(&random, 0.0, 0.9) + i * 2 * STIC_PI / 7;
            line[i] = (OracleLine){cos(angle), sin(angle), stic_random_range(&random, 0.2, 1.0)};
        }
        int64_t inside = 0;
        enum { GRID = 600 };
        for (int i = 0; i < GRID * GRID; ++i) {
            const double x = 6.0 * ((i % GRID) + 0.5) / GRID - 3.0;
            const double y = 6.0 * ((double)(i / GRID) + 0.5) / GRID - 3.0;
            bool in = true;
            for (int j = 0; j < 7 && in; ++j)
                in = line[j].a * x + line[j].b * y <= line[j].c;
            inside += in;
        }
        const double counted = 36.0 * (double)inside / (GRID * GRID);
        coarse = test_worse(coarse, fabs(counted - oracle_area(line, 7, 1e-14)));
    }
    print_message("area: %.2e from the formula, %.2e from counting\n", worst, coarse);
    test_less(coarse, 0.02);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_area_oracle),
        cmocka_unit_test(test_pairs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
