// SPDX-License-Identifier: Apache-2.0
// Measures of frozen features, and the list of contacts of a pair: inline, every contact that is
// found goes through them.
#ifndef STIC_COLLIDE_CONTACT_H
#define STIC_COLLIDE_CONTACT_H

#include "collide/hull.h"
#include "stiction/extend/base.h"
#include "stiction/extend/vec3.h"

/* ---- measures ---- */

/// A frozen direction, or an arm, in space.
static inline SticVec3 stic_posed_turn(const SticPose* pose, const double* e)
{
    return stic_mat3_mul_vec(pose->F, stic_vec3_load(e));
}

/// A frozen normal in space.
static inline SticVec3 stic_posed_turn_normal(const SticPose* pose, const double* n)
{
    if (pose->rigid)
        return stic_posed_turn(pose, n);
    return stic_vec3_normalize(stic_mat3_mul_vec(stic_mat3_cofactor(pose->F), stic_vec3_load(n)));
}

/// From the point with the arm `b` of B to the one with the arm `a` of A.
static inline SticVec3 stic_posed_difference(const SticPose* A, SticVec3 a, const SticPose* B,
                                             SticVec3 b)
{
    return stic_vec3_add(stic_vec3_sub(A->origin, B->origin), stic_vec3_sub(a, b));
}

/// STIC_CONTACT_PLANE at any pose.
static inline SticContactState stic_plane_state(const double local[12], const SticPose* A,
                                                const SticPose* B)
{
    const SticVec3 arm = stic_posed_turn(A, local);
    SticContactState state;
    state.normal = stic_posed_turn_normal(B, local + 6);
    const SticVec3 d = stic_posed_difference(A, arm, B, stic_posed_turn(B, local + 3));
    state.gap = stic_vec3_dot(state.normal, d) - local[9];
    state.point = stic_vec3_add(A->origin, stic_vec3_add_scaled(arm, -local[9], state.normal));
    return state;
}

/// STIC_CONTACT_EDGE_EDGE at any pose.
static inline SticContactState stic_edges_state(const double local[12], const SticPose* A,
                                                const SticPose* B)
{
    const SticVec3 arm[2] = {stic_posed_turn(A, local), stic_posed_turn(B, local + 6)};
    const SticVec3 e[2] = {stic_posed_turn(A, local + 3), stic_posed_turn(B, local + 9)};
    const SticVec3 d = stic_posed_difference(A, arm[0], B, arm[1]);
    const SticVec3 c = stic_vec3_cross(e[0], e[1]);
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

/* ---- the list of a pair ---- */

/// Feature of a part of a shape, from that within the part.
uint64_t stic_contact_mix(uint64_t feature, const SticPairWork* work);
/// Frozen features from the frames of the parts to those of the shapes.
void stic_contact_move(SticPairWork* work, SticContact* contact);

/// Room for one more contact. The caller fills `local`, `area` and `exit`.
static inline SticStatus stic_contact_add(SticPairWork* work, SticContactKernel kernel,
                                          uint64_t feature, bool swapped, SticContact** contact)
{
    if ((size_t)work->count >= work->capacity)
        STIC_TRY(STIC_RESERVE(work->context, &work->contact, &work->capacity, work->count + 1));
    SticContact* made = &work->contact[work->count++];
    if ((work->element[0] | work->element[1]) != 0)
        feature = stic_contact_mix(feature, work);
    made->feature = (uint64_t)kernel << 60 | feature;
    made->kernel = (uint8_t)kernel;
    made->swapped = swapped;
    *contact = made;
    return STIC_OK;
}

/// Gap, normal and point of the contact added last, whose kernel this is; drops it again if its gap
/// is larger than `reach` + `slack`. True if it stays.
static inline bool stic_contact_finish(SticPairWork* work, SticContactKernel kernel, double slack)
{
    SticContact* contact = &work->contact[work->count - 1];
    const SticPose* A = &work->pose[contact->swapped ? 1 : 0];
    const SticPose* B = &work->pose[contact->swapped ? 0 : 1];
    if (work->place[0] != NULL || work->place[1] != NULL)
        stic_contact_move(work, contact);
    const SticContactState state =
        kernel == STIC_CONTACT_PLANE       ? stic_plane_state(contact->local, A, B)
        : kernel == STIC_CONTACT_EDGE_EDGE ? stic_edges_state(contact->local, A, B)
                                           : stic_contact_evaluate(kernel, contact->local, A, B);
    contact->gap = state.gap;
    contact->normal = state.normal;
    contact->point = stic_vec3_add(state.point, work->base);
    if (state.gap <= work->reach + slack)
        return true;
    work->count -= 1;
    return false;
}

#endif
