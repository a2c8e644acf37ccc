// SPDX-License-Identifier: Apache-2.0
// Every kind of shape at rest on every other, lying, standing, on edges and corners, along each
// other and crossed: the whole contact, from a gap of 1e-3 through touching to an overlap of 1e-6,
// under jitter and tiny tilts, and while it rolls.
//
// The number of contacts follows from the two features that touch, gaps and normals from the height
// at which the upper shape is put.
#include "helpers/helpers.h"
#include "helpers/lies.h"

#ifndef JITTERS
#define JITTERS 120
#endif

enum { YAWS = 3, GAPS = 9, ROLLS = 400 };

// beyond the largest gap, and less than the next features of columns are away
#define REACH 1.5e-3

static const double yaws[YAWS] = {0.0, 0.3, STIC_PI / 2};
static const double gaps[GAPS] = {1e-3, 1e-6, 1e-9, 1e-12, 1e-15, -1e-15, -1e-12, -1e-9, -1e-6};

typedef struct Case {
    const Lie *upper, *lower;
    double yaw;
    SticVec3 shift;
    bool swapped; // the upper shape has the higher key
} Case;

static void print_case(const Case* c)
{
    print_message("%s on %s, yaw %g, shift %g %g, %s first\n", c->upper->name, c->lower->name,
                  c->yaw, c->shift.x, c->shift.y, c->swapped ? "lower" : "upper");
}

static void place(const Case* c, double gap, SticCollider pair[2])
{
    pair[0] =
        (SticCollider){c->upper->shape, lies_pose(c->upper, c->lower, c->yaw, c->shift, gap), 5};
    pair[1] = (SticCollider){c->lower->shape, stic_pose_rigid(c->lower->R, stic_vec3_zero()),
                             c->swapped ? 1 : 9};
}

// contacts of two lies, or minus what they have at least if it is not a matter of the features
// alone
static int32_t expected(const Case* c)
{
    const LieFeature a = c->upper->feature, b = c->lower->feature;
    if (c->lower->has_seam)
        return a == LIE_POINT ? -1 : -2;
    if (a == LIE_POINT || b == LIE_POINT)
        return 1;
    if (a == LIE_SEGMENT && b == LIE_SEGMENT)
        return c->yaw == 0.0 ? 2 : 1;
    if (a == LIE_SEGMENT || b == LIE_SEGMENT)
        return 2;
    if (b == LIE_PLANE)
        return a == LIE_DISC ? 8 : 4;
    return -3;
}

static bool same_ids(const NarrowFound* a, const NarrowFound* b)
{
    bool same = a->count == b->count;
    for (int32_t i = 0; i < a->count && same; ++i)
        same = a->list[i].feature == b->list[i].feature && a->list[i].swapped == b->list[i].swapped;
    return same;
}

typedef void CaseFunction(SticCollide* collide, const Case* c, void* self);

// all lies on all others; shifted only where the features stay over each other
static int32_t for_all(CaseFunction* function, void* self)
{
    Lies lies;
    SticCollide* collide = narrow_create();
    int32_t count = 0;
    lies_make(&lies);
    for (int i = 0; i < lies.count; ++i)
        for (int j = 0; j < lies.count; ++j)
            for (int k = 0; k < 4 * YAWS; ++k) {
                const Lie *upper = &lies.list[i], *lower = &lies.list[j];
                Case c = {upper, lower, yaws[k % YAWS], stic_vec3_zero(), k / YAWS % 2 == 1};
                const bool flat = upper->feature >= LIE_POLYGON || lower->feature >= LIE_POLYGON;
                if (k / YAWS >= 2)
                    c.shift = stic_vec3(0.06, flat ? 0.04 : 0.0, 0.0);
                // what has faces in one plane may slide past: no contact of edges or corners
                const bool past =
                    upper == lower && c.yaw == 0.0 && lies_are_sharp(upper, lower, c.yaw);
                if (upper->top_only || past ||
                    (k / YAWS >= 2 && !flat && lower->feature != LIE_SEGMENT))
                    continue;
                function(collide, &c, self);
                count += 1;
            }
    stic_collide_destroy(collide);
    lies_destroy(&lies);
    return count;
}

/* ---- gaps ---- */

typedef struct Worst {
    double gap, normal;
    int32_t counts, ids, lost;
} Worst;

static void look_at_gaps(SticCollide* collide, const Case* c, void* self)
{
    Worst* worst = self;
    SticCollider pair[2];
    place(c, 0.0, pair);
    const NarrowFound rest = narrow_find(collide, &pair[0], &pair[1], REACH);
    const int32_t known = expected(c);
    if (known >= 0 ? rest.count != known : rest.count < -known) {
        print_case(c);
        print_message("  %d contacts, not %d\n", rest.count, known);
        worst->counts += 1;
    }
    const bool sharp = lies_are_sharp(c->upper, c->lower, c->yaw);
    for (int k = 0; k < GAPS; ++k) {
        // edges and corners that overlap by more than their rounding have the normal of a face
        if (sharp && gaps[k] < -1e-7)
            continue;
        place(c, gaps[k], pair);
        const NarrowFound found = narrow_find(collide, &pair[0], &pair[1], REACH);
        const NarrowFound touching = narrow_find(collide, &pair[0], &pair[1], 0.0);
        const bool other = !same_ids(&rest, &found);
        const bool lost = gaps[k] < 1e-10 && !same_ids(&rest, &touching);
        if (other || lost) {
            print_case(c);
            print_message("  gap %g: %s\n", gaps[k], other ? "other ids" : "lost without reach");
        }
        worst->ids += other;
        worst->lost += lost;
        for (int32_t i = 0; i < found.count; ++i) {
            const double gap = found.list[i].gap;
            if (sharp && fabs(gaps[k]) < 1e-4) {
                // some normal between the faces: no more than the distance
                test_at_most(fabs(gap), fabs(gaps[k]) + 1e-15);
                test_at_least(gap * gaps[k], -1e-24);
                continue;
            }
            worst->gap = fmax(worst->gap, fabs(gap - gaps[k]));
            worst->normal = fmax(worst->normal, 1.0 - fabs(found.list[i].normal.z));
        }
    }
}

static void test_gaps(void** state)
{
    (void)state;
    Worst worst = {0};
    const int32_t count = for_all(look_at_gaps, &worst);
    print_message("%d lies: gaps from 1e-3 to -1e-6 off by %.1e, cosines of normals by %.1e; %d "
                  "other counts, %d times other ids, %d times lost\n",
                  count, worst.gap, worst.normal, worst.counts, worst.ids, worst.lost);
    test_greater(count, 1000);
    assert_int_equal(worst.counts, 0);
    assert_int_equal(worst.ids, 0);
    assert_int_equal(worst.lost, 0);
    // coordinates of about 1 in two frames
    test_less(worst.gap, 1e-14);
    test_less(worst.normal, 1e-14);
}

/* ---- jitter ---- */

typedef struct Jitter {
    SticRandom random;
    int64_t poses, lost;
    double frozen; // worst difference of frozen and new gaps over what second order allows
} Jitter;

static double frozen_gap(const SticContact* contact, const SticCollider pair[2])
{
    const int a = contact->swapped ? 1 : 0;
    return stic_contact_evaluate((SticContactKernel)contact->kernel, contact->local, &pair[a].pose,
                                 &pair[1 - a].pose)
        .gap;
}

// the upper shape moved by up to 1e-7 and turned by up to 1e-6, both from 1e-17 on
static void shake(SticRandom* random, const Lie* lower, SticPose* pose, double* size)
{
    // on a seam only as far as a contact does not wander from one part to the other
    const double most = lower->has_seam ? -7.0 : -6.0;
    const double turn = stic_pow(10.0, stic_random_range(random, -17.0, most));
    const double move = stic_pow(10.0, stic_random_range(random, -17.0, -7.0));
    const SticMat3 R = stic_rotation_exp(narrow_random_vec(random, turn));
    *pose = stic_pose_rigid(stic_mat3_mul(R, pose->F),
                            stic_vec3_add(pose->origin, narrow_random_vec(random, move)));
    *size = turn + move;
}

static void look_at_jitter(SticCollide* collide, const Case* c, void* self)
{
    Jitter* jitter = self;
    SticCollider pair[2];
    int32_t lost = 0;
    const bool sharp = lies_are_sharp(c->upper, c->lower, c->yaw);
    place(c, 0.0, pair);
    const NarrowFound rest = narrow_find(collide, &pair[0], &pair[1], REACH);
    for (int k = 0; k < JITTERS; ++k) {
        double size;
        place(c, 0.0, pair);
        shake(&jitter->random, c->lower, &pair[0].pose, &size);
        const NarrowFound found = narrow_find(collide, &pair[0], &pair[1], REACH);
        jitter->poses += 1;
        if (!same_ids(&rest, &found)) {
            lost += 1;
            continue;
        }
        for (int32_t i = 0; i < found.count && !sharp; ++i) {
            const double error = fabs(frozen_gap(&rest.list[i], pair) - found.list[i].gap);
            jitter->frozen = fmax(jitter->frozen, error / (1e-15 + size * size + 1e-8 * size));
        }
    }
    if (lost > 0) {
        print_case(c);
        print_message("  %d of %d with other contacts\n", lost, JITTERS);
    }
    jitter->lost += lost;
}

static void test_jitter(void** state)
{
    (void)state;
    Jitter jitter = {.random = stic_random_create(7)};
    for_all(look_at_jitter, &jitter);
    print_message(
        "%lld poses around rest, moved by 1e-17 to 1e-7 and turned by 1e-17 to 1e-6: %lld "
        "with other contacts; frozen gaps off by %.1f of 1e-15 + d^2 + 1e-8 d\n",
        (long long)jitter.poses, (long long)jitter.lost, jitter.frozen);
    assert_int_equal(jitter.lost, 0);
    test_less(jitter.frozen, 20.0);
}

/* ---- rolling ---- */

static void look_at_rolling(SticCollide* collide, const Case* c, void* self)
{
    int32_t* changed = self;
    SticCollider pair[2];
    if (!c->upper->rolls)
        return;
    place(c, 0.0, pair);
    const NarrowFound rest = narrow_find(collide, &pair[0], &pair[1], REACH);
    const SticMat3 R = c->upper->R;
    for (int k = 0; k < ROLLS; ++k) {
        place(c, 0.0, pair);
        // about its own axis, several times round, and along it
        const SticMat3 turn = stic_rotation_exp(stic_vec3(0.0471 * k, 0.0, 0.0));
        const SticMat3 own = stic_mat3_mul(stic_mat3_transpose(R), stic_mat3_mul(turn, R));
        pair[0].pose.F = stic_mat3_mul(pair[0].pose.F, own);
        const NarrowFound found = narrow_find(collide, &pair[0], &pair[1], REACH);
        *changed += !same_ids(&rest, &found);
    }
}

static void test_rolling(void** state)
{
    (void)state;
    int32_t changed = 0;
    for_all(look_at_rolling, &changed);
    print_message("rolling spheres, capsules and cylinders: ids changed %d times\n", changed);
    assert_int_equal(changed, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_gaps), cmocka_unit_test(test_jitter),
                                       cmocka_unit_test(test_rolling)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
