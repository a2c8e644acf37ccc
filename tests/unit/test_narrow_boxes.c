// SPDX-License-Identifier: Apache-2.0
// Boxes against the same bodies as general polyhedra: fifteen axes and the faces of a box by their
// numbers are a shorter way to the same contacts.
#include "helpers/helpers.h"
#include "helpers/narrow.h"

enum { PAIRS = 20000, MOST = 16 };

typedef struct Body {
    SticShape *box, *hull;
} Body;

static Body make_body(SticVec3 half)
{
    SticVec3 corner[8];
    for (int i = 0; i < 8; ++i)
        corner[i] =
            stic_vec3(i & 1 ? half.x : -half.x, i & 2 ? half.y : -half.y, i & 4 ? half.z : -half.z);
    return (Body){narrow_box(half.x, half.y, half.z), narrow_hull_of(corner, 8)};
}

static Body random_body(SticRandom* random)
{
    SticVec3 half =
        stic_vec3(stic_random_range(random, 0.2, 0.5), stic_random_range(random, 0.2, 0.5),
                  stic_random_range(random, 0.2, 0.5));
    // plates and rods of 1:1000
    const uint64_t kind = stic_random_bits(random) % 6;
    half.x *= kind == 0 || kind == 1 ? 1e-3 : 1.0;
    half.y *= kind == 1 ? 1e-3 : 1.0;
    return make_body(half);
}

// anywhere, or upright with parallel or slightly tilted faces that touch, overlap or are apart
static void place(SticRandom* random, int k, const Body* body, SticPose pose[2])
{
    static const double tilts[4] = {0.0, 1e-4, 5e-3, 0.1};
    const SticVec3 a = body[0].box->as.box.half, b = body[1].box->as.box.half;
    pose[1] = stic_pose_rigid(test_random_turn(random), narrow_random_vec(random, 1.0));
    pose[0] = stic_pose_rigid(test_random_turn(random),
                              stic_vec3_add(pose[1].origin, narrow_random_vec(random, 0.5)));
    if (k % 2 == 0)
        return;
    const SticVec3 turn = stic_vec3_add(stic_vec3(0.0, 0.0, stic_random_range(random, -1.5, 1.5)),
                                        narrow_random_vec(random, tilts[k / 2 % 4]));
    const SticVec3 up =
        stic_vec3(stic_random_range(random, -0.4, 0.4), stic_random_range(random, -0.4, 0.4),
                  a.z + b.z + stic_random_range(random, -0.02, 0.02));
    const SticMat3 S = pose[1].F;
    pose[0] = stic_pose_rigid(stic_mat3_mul(S, stic_rotation_exp(turn)),
                              stic_vec3_add(pose[1].origin, stic_mat3_mul_vec(S, up)));
}

// differences of two contacts that should be one
static double difference(const SticContact* c, const SticContact* d)
{
    double worst = fabs(c->gap - d->gap);
    worst = fmax(worst, fabs(c->area - d->area));
    worst = fmax(worst, stic_vec3_norm(stic_vec3_sub(c->normal, d->normal)));
    worst = fmax(worst, stic_vec3_norm(stic_vec3_sub(c->point, d->point)));
    if (isfinite(c->exit) || isfinite(d->exit))
        worst = fmax(worst, fabs(c->exit - d->exit));
    return worst;
}

// every contact of the one list has its own in the other
static double compare(const NarrowFound* found, const NarrowFound* other)
{
    bool taken[MOST] = {false};
    double worst = 0.0;
    if (found->count != other->count || found->count > MOST)
        return (double)INFINITY;
    for (int32_t i = 0; i < found->count; ++i) {
        int32_t best = -1;
        double least = (double)INFINITY;
        for (int32_t j = 0; j < other->count; ++j) {
            const double here = difference(&found->list[i], &other->list[j]);
            if (!taken[j] && here < least) {
                least = here;
                best = j;
            }
        }
        if (best < 0)
            return (double)INFINITY;
        taken[best] = true;
        worst = least > worst ? least : worst;
    }
    return worst;
}

static void test_boxes(void** state)
{
    (void)state;
    SticRandom random = stic_random_create(77);
    SticCollide *collide = narrow_create(), *general = narrow_create();
    Body body[8];
    double worst = 0.0;
    int64_t contacts = 0, touching = 0, different = 0;
    for (int i = 0; i < 8; ++i)
        body[i] = random_body(&random);
    for (int k = 0; k < PAIRS; ++k) {
        const Body pair[2] = {body[k % 8], body[k / 8 % 8]};
        SticPose pose[2];
        place(&random, k, pair, pose);
        const double reach = k % 3 == 0 ? 0.0 : 0.03;
        const SticCollider a = {pair[0].box, pose[0], 1}, b = {pair[1].box, pose[1], 2};
        const SticCollider c = {pair[0].hull, pose[0], 1}, d = {pair[1].hull, pose[1], 2};
        const NarrowFound found = narrow_find(collide, &a, &b, reach);
        contacts += found.count;
        touching += found.count > 0;
        for (int way = 1; way < 4; ++way) {
            const NarrowFound other =
                narrow_find(general, way & 1 ? &c : &a, way & 2 ? &d : &b, reach);
            const double here = compare(&found, &other);
            different += here > 1e-12;
            worst = here > worst ? here : worst;
        }
    }
    print_message("boxes and the same bodies as polyhedra: %d pairs, %lld touch, %lld contacts, "
                  "largest difference %.1e\n",
                  PAIRS, (long long)touching, (long long)contacts, worst);
    test_greater(touching, PAIRS / 3);
    assert_int_equal(different, 0);
    for (int i = 0; i < 8; ++i) {
        stic_shape_destroy(body[i].box);
        stic_shape_destroy(body[i].hull);
    }
    stic_collide_destroy(collide);
    stic_collide_destroy(general);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_boxes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
