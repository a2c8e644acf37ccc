// SPDX-License-Identifier: Apache-2.0
// Frozen features: gap, normal and point at any pose, change of frame, tangents, ids; the list of
// contacts of a pair.
//
// With a deformation gradient F a direction becomes F e and a normal cof(F) n; radii stay what they
// are (round shapes are frozen for rigid poses only). Differences of origins are taken first, so
// that the gap keeps its accuracy far from the origin.
#include "collide/contact.h"

#include "collide/part.h"

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

SticContactState stic_contact_evaluate(SticContactKernel kernel, const double local[12],
                                       const SticPose* A, const SticPose* B)
{
    if (kernel == STIC_CONTACT_PLANE)
        return stic_plane_state(local, A, B);
    if (kernel == STIC_CONTACT_EDGE_EDGE)
        return stic_edges_state(local, A, B);
    const SticVec3 arm = stic_posed_turn(A, local);
    const SticVec3 d = stic_posed_difference(A, arm, B, stic_posed_turn(B, local + 3));
    if (kernel == STIC_CONTACT_ROUND)
        return round_state(A, arm, d, local + 6);
    const SticVec3 e = stic_posed_turn(B, local + 6);
    const double tau = stic_vec3_dot(d, e) / stic_vec3_dot(e, e);
    return round_state(A, arm, stic_vec3_add_scaled(d, -tau, e), local + 9);
}

static void place_point(const SticPose* pose, double* p)
{
    stic_vec3_store(stic_pose_apply(pose, stic_vec3_load(p)), p);
}

static void place_direction(const SticPose* pose, double* e)
{
    stic_vec3_store(stic_posed_turn(pose, e), e);
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
        stic_vec3_store(stic_posed_turn_normal(B, local + 6), local + 6);
    else if (kernel == STIC_CONTACT_ROUND_EDGE)
        place_direction(B, local + 6);
}

void stic_contact_tangents(SticVec3 normal, SticVec3 tangent[2])
{
    STIC_ASSERT(fabs(stic_vec3_dot(normal, normal) - 1.0) < 1e-6);
    // smallest rotation from the old normal t1 x t2 to the new one: R t = t - (n.t)(m + n)/(1+m.n)
    const SticVec3 old = stic_vec3_cross(tangent[0], tangent[1]);
    const double cosine = stic_vec3_dot(old, normal);
    SticVec3 t = stic_vec3_zero();
    if (cosine > -0.5 && stic_vec3_norm2(old) > 0.5)
        t = stic_vec3_add_scaled(tangent[0], -stic_vec3_dot(normal, tangent[0]) / (1.0 + cosine),
                                 stic_vec3_add(old, normal));
    // rounding must not accumulate over many steps
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

uint64_t stic_contact_mix(uint64_t feature, const SticPairWork* work)
{
    uint32_t element[2] = {work->element[0], work->element[1]};
    if (work->face_side >= 0)
        element[work->face_side] = work->region[work->face_side];
    const uint64_t part[2] = {feature, (uint64_t)element[0] << 32 | element[1]};
    return stic_hash_bytes(1, part, sizeof part) >> 4;
}

void stic_contact_move(SticPairWork* work, SticContact* contact)
{
    const SticPose none = stic_pose_identity();
    const int a = contact->swapped ? 1 : 0;
    const SticPose *A = work->place[a], *B = work->place[1 - a];
    stic_contact_place((SticContactKernel)contact->kernel, A != NULL ? A : &none,
                       B != NULL ? B : &none, contact->local);
}

SticStatus stic_contact_put(SticPairWork* work, const SticContact* contact, double slack)
{
    SticContact* place;
    const SticContactKernel kernel = (SticContactKernel)contact->kernel;
    STIC_TRY(stic_contact_add(work, kernel, contact->feature, contact->swapped, &place));
    const uint64_t feature = place->feature;
    *place = *contact;
    place->feature = feature;
    stic_contact_finish(work, kernel, slack);
    return STIC_OK;
}
