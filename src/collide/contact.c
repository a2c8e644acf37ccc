// SPDX-License-Identifier: Apache-2.0
// Frozen features: gap, normal and point at any pose, change of frame, tangents, ids; the list of
// contacts of a pair.
//
// With a deformation gradient F a direction becomes F e and a normal cof(F) n; radii stay what they
// are (round shapes are frozen for rigid poses only). Differences of origins are taken first, so
// that the gap keeps its accuracy far from the origin.
#include <string.h>

#include "collide/part.h"

static SticVec3 turn(const SticPose* pose, const double* p)
{
    return stic_mat3_mul_vec(pose->F, stic_vec3_load(p));
}

static SticVec3 turn_normal(const SticPose* pose, const double* n)
{
    if (pose->rigid)
        return turn(pose, n);
    return stic_vec3_normalize(stic_mat3_mul_vec(stic_mat3_cofactor(pose->F), stic_vec3_load(n)));
}

// from the point `b` of B to the point `a` of A
static SticVec3 difference(const SticPose* A, SticVec3 a, const SticPose* B, SticVec3 b)
{
    return stic_vec3_add(stic_vec3_sub(A->origin, B->origin), stic_vec3_sub(a, b));
}

// a ball of A with the centre `arm` and the vector `across` from the feature of B to the centre
static SticContactState round_state(const SticPose* A, SticVec3 arm, SticVec3 across,
                                    const double radius[2])
{
    const double length = stic_vec3_norm(across);
    SticContactState state;
    // a centre on the feature itself has no normal: any one will do
    state.normal = length > 0.0 ? stic_vec3_scale(1.0 / length, across) : stic_vec3(0.0, 0.0, 1.0);
    state.gap = length - (radius[0] + radius[1]);
    state.point = stic_vec3_add(
        A->origin, stic_vec3_add_scaled(arm, -(radius[0] + 0.5 * state.gap), state.normal));
    return state;
}

static SticContactState edges_state(const double local[12], const SticPose* A, const SticPose* B)
{
    const SticVec3 arm[2] = {turn(A, local), turn(B, local + 6)};
    const SticVec3 e[2] = {turn(A, local + 3), turn(B, local + 9)};
    const SticVec3 d = difference(A, arm[0], B, arm[1]), c = stic_vec3_cross(e[0], e[1]);
    const double size = stic_vec3_norm(c);
    SticContactState state;
    state.normal = stic_vec3_scale(1.0 / size, c);
    state.gap = stic_vec3_dot(state.normal, d);
    // d + t0 e0 - t1 e1 is parallel to n: the middle of the two feet, seen from A
    const double t0 = -stic_vec3_dot(d, stic_vec3_cross(e[1], state.normal)) / size;
    const SticVec3 foot = stic_vec3_add_scaled(arm[0], t0, e[0]);
    state.point =
        stic_vec3_add(A->origin, stic_vec3_add_scaled(foot, -0.5 * state.gap, state.normal));
    return state;
}

// inline: detection evaluates every contact it adds
static inline SticContactState evaluate(SticContactKernel kernel, const double local[12],
                                        const SticPose* A, const SticPose* B)
{
    const SticVec3 arm = turn(A, local);
    switch (kernel) {
    case STIC_CONTACT_PLANE: {
        SticContactState state = {.normal = turn_normal(B, local + 6)};
        const SticVec3 d = difference(A, arm, B, turn(B, local + 3));
        state.gap = stic_vec3_dot(state.normal, d) - local[9];
        state.point = stic_vec3_add(A->origin, stic_vec3_add_scaled(arm, -local[9], state.normal));
        return state;
    }
    case STIC_CONTACT_ROUND:
        return round_state(A, arm, difference(A, arm, B, turn(B, local + 3)), local + 6);
    case STIC_CONTACT_ROUND_EDGE: {
        const SticVec3 e = turn(B, local + 6), d = difference(A, arm, B, turn(B, local + 3));
        const double tau = stic_vec3_dot(d, e) / stic_vec3_dot(e, e);
        return round_state(A, arm, stic_vec3_add_scaled(d, -tau, e), local + 9);
    }
    default:
        return edges_state(local, A, B);
    }
}

SticContactState stic_contact_evaluate(SticContactKernel kernel, const double local[12],
                                       const SticPose* A, const SticPose* B)
{
    return evaluate(kernel, local, A, B);
}

static void place_point(const SticPose* pose, double* p)
{
    stic_vec3_store(stic_pose_apply(pose, stic_vec3_load(p)), p);
}

static void place_direction(const SticPose* pose, double* e)
{
    stic_vec3_store(turn(pose, e), e);
}

void stic_contact_place(SticContactKernel kernel, const SticPose* A, const SticPose* B,
                        double local[12])
{
    place_point(A, local);
    if (kernel == STIC_CONTACT_EDGE_EDGE) {
        place_direction(A, local + 3);
        place_point(B, local + 6);
        place_direction(B, local + 9);
        return;
    }
    place_point(B, local + 3);
    if (kernel == STIC_CONTACT_PLANE)
        stic_vec3_store(turn_normal(B, local + 6), local + 6);
    else if (kernel == STIC_CONTACT_ROUND_EDGE)
        place_direction(B, local + 6);
}

void stic_contact_tangents(SticVec3 normal, SticVec3 tangent[2])
{
    // smallest rotation from the old normal t1 x t2 to the new one: R t = t - (n.t)(m + n)/(1+m.n)
    const SticVec3 old = stic_vec3_cross(tangent[0], tangent[1]);
    const double cosine = stic_vec3_dot(old, normal);
    SticVec3 t = stic_vec3_zero();
    if (cosine > -0.5 && stic_vec3_norm2(old) > 0.5)
        t = stic_vec3_add_scaled(tangent[0], -stic_vec3_dot(normal, tangent[0]) / (1.0 + cosine),
                                 stic_vec3_add(old, normal));
    // rounding must not add up over many steps
    t = stic_vec3_add_scaled(t, -stic_vec3_dot(normal, t), normal);
    if (stic_vec3_norm2(t) < 0.25)
        t = stic_mat3_column(stic_mat3_frame(normal), 1);
    tangent[0] = stic_vec3_normalize(t);
    tangent[1] = stic_vec3_cross(normal, tangent[0]);
}

uint64_t stic_contact_number(const SticContact* contact, uint32_t key_first, uint32_t key_second)
{
    const bool ordered = key_first <= key_second;
    const uint64_t part[3] = {(uint64_t)(ordered ? key_first : key_second) << 32 |
                                  (ordered ? key_second : key_first),
                              contact->feature, contact->swapped == ordered};
    return (uint64_t)contact->kernel << 60 | stic_hash_bytes(0, part, sizeof part) >> 4;
}

/* ---- the list of a pair ---- */

static uint64_t mix_element(uint64_t feature, const uint32_t element[2])
{
    if (element[0] == 0 && element[1] == 0)
        return feature;
    const uint64_t part[2] = {feature, (uint64_t)element[0] << 32 | element[1]};
    return stic_hash_bytes(1, part, sizeof part) >> 4;
}

SticStatus stic_contact_add(SticPairWork* work, SticContactKernel kernel, uint64_t feature,
                            bool swapped, SticContact** contact)
{
    if ((size_t)work->count >= work->capacity)
        STIC_TRY(STIC_RESERVE(work->context, &work->contact, &work->capacity, work->count + 1));
    SticContact* made = &work->contact[work->count++];
    memset(made->local, 0, sizeof made->local);
    made->feature = (uint64_t)kernel << 60 | mix_element(feature, work->element);
    made->area = made->exit = 0.0;
    made->kernel = (uint8_t)kernel;
    made->swapped = swapped;
    *contact = made;
    return STIC_OK;
}

bool stic_contact_finish(SticPairWork* work, double slack)
{
    SticContact* contact = &work->contact[work->count - 1];
    const int a = contact->swapped ? 1 : 0, b = 1 - a;
    const SticContactKernel kernel = (SticContactKernel)contact->kernel;
    if (work->place[0] != NULL || work->place[1] != NULL) {
        const SticPose none = stic_pose_identity();
        const SticPose *A = work->place[a], *B = work->place[b];
        stic_contact_place(kernel, A != NULL ? A : &none, B != NULL ? B : &none, contact->local);
    }
    const SticContactState state = evaluate(kernel, contact->local, &work->pose[a], &work->pose[b]);
    contact->gap = state.gap;
    contact->normal = state.normal;
    contact->point = stic_vec3_add(state.point, work->base);
    if (state.gap <= work->reach + slack)
        return true;
    work->count -= 1;
    return false;
}

SticStatus stic_contact_put(SticPairWork* work, const SticContact* contact, double slack)
{
    SticContact* place;
    STIC_TRY(stic_contact_add(work, (SticContactKernel)contact->kernel, contact->feature,
                              contact->swapped, &place));
    const uint64_t feature = place->feature;
    *place = *contact;
    place->feature = feature;
    stic_contact_finish(work, slack);
    return STIC_OK;
}
