// SPDX-License-Identifier: Apache-2.0
// Narrow phase: distance of convex shapes, and the contacts of two posed shapes.
//
// A contact is a pair of features frozen in the frames of its two shapes, A and B: a kernel and
// twelve numbers give gap, normal and point at any later pose without another search. The normal
// points from B to A, the gap is negative where the shapes overlap and continuous through zero.
//
// Lengths inside are parts of the size of the shapes (stic_shape_size); the only length that a
// caller states is `reach`. Work is done relative to one of the two shapes, so that a scene far
// from the origin keeps the accuracy of its coordinates.
#ifndef STIC_COLLIDE_H
#define STIC_COLLIDE_H

#include "stiction/base.h"
#include "stiction/shape.h"
#include "stiction/vec3.h"

/* ---- frozen features ---- */

/// How a contact measures its gap; d is the difference of the two points, from B to A.
typedef enum SticContactKernel {
    STIC_CONTACT_PLANE,      ///< n_B . d - radius: p_A | point and normal of a plane in B | radius
    STIC_CONTACT_ROUND,      ///< |d| - r_A - r_B: centre in A | centre in B | r_A r_B
    STIC_CONTACT_ROUND_EDGE, ///< |d - tau e_B| - r_A - r_B: centre in A | line in B | r_A r_B
    STIC_CONTACT_EDGE_EDGE,  ///< n . d, n ~ e_A x e_B: point and direction in A | the same in B
    STIC_CONTACT_KERNEL_COUNT
} SticContactKernel;

/// One contact of two shapes.
typedef struct SticContact {
    uint64_t feature; ///< number within the pair; the same as long as the two features touch
    double local[12]; ///< features in the frames of the shapes A and B of the contact, see kernels
    double gap;       ///< at the poses of detection
    SticVec3 normal;  ///< unit, from B to A, in space
    SticVec3 point;   ///< where the reaction acts, in space
    double area;      ///< share of the patch; 0 for a single edge, vertex or round feature
    double exit;      ///< distance to the border of the feature; 0: the contact slides along it
    uint8_t kernel;   ///< SticContactKernel
    bool swapped;     ///< A of the contact is the second shape of the pair
} SticContact;

/// What a contact is at a pose.
typedef struct SticContactState {
    double gap;      ///< negative: overlap
    SticVec3 normal; ///< unit, from B to A
    SticVec3 point;  ///< where the reaction acts
} SticContactState;

/// Gap, normal and point of frozen features at any poses of the shapes A and B of the contact.
SticContactState stic_contact_evaluate(SticContactKernel kernel, const double local[12],
                                       const SticPose* A, const SticPose* B);
/// Features in the frames of bodies: `A` and `B` place the shapes in their bodies (rigid).
void stic_contact_place(SticContactKernel kernel, const SticPose* A, const SticPose* B,
                        double local[12]);
/// Tangents of a contact that continue those of the last state: `tangent`[0] is turned with the
/// normal by the smallest rotation; two zero vectors give the frame of stic_mat3_frame.
void stic_contact_tangents(SticVec3 normal, SticVec3 tangent[2]);
/// 64-bit id from the keys of the shapes and the feature: kernel in the upper 4 bits, then a hash.
uint64_t stic_contact_number(const SticContact* contact, uint32_t key_first, uint32_t key_second);

/* ---- distance ---- */

/// How the point of a simplex nearest to the origin is found.
typedef enum SticSubdistance {
    STIC_SUBDISTANCE_FACES,  ///< candidates by sub-simplex, the nearest one taken; always improves
    STIC_SUBDISTANCE_JOHNSON ///< recursive determinants (Koziara 2008, section 9.4.1)
} SticSubdistance;

/// Distance of two convex shapes.
typedef struct SticDistance {
    double distance;    ///< 0 if they overlap
    SticVec3 point[2];  ///< nearest points of A and B; any common point if they overlap
    SticVec3 normal;    ///< unit, from B to A; zero if they overlap
    int32_t iterations; ///< support points that were needed
} SticDistance;

/// Distance of two bounded convex shapes by the algorithm of Gilbert, Johnson and Keerthi (1988).
/// Spheres and capsules with rigid poses enter with their centre or segment and their radius.
SticDistance stic_gjk_distance(const SticShape* A, const SticPose* pose_a, const SticShape* B,
                               const SticPose* pose_b, SticSubdistance method);

/* ---- contacts of a pair ---- */

/// Which contacts a pair of convex shapes has.
typedef enum SticContactRule {
    STIC_RULE_MANIFOLD, ///< the whole patch
    STIC_RULE_CENTROID  ///< one point and averaged normal (Koziara 2008, section 9.4)
} SticContactRule;

/// How two polyhedra are intersected for the rule CENTROID.
typedef enum SticIntersection {
    STIC_INTERSECTION_CLIPPING, ///< faces of each cut by the planes of the other
    STIC_INTERSECTION_POLARITY  ///< hull of the dual points of all planes
} SticIntersection;

/// Settings of the narrow phase.
typedef struct SticCollideSettings {
    SticContactRule rule;          ///< [MANIFOLD]
    SticIntersection intersection; ///< of the rule CENTROID [CLIPPING]
    bool reduce;                   ///< drop points within 1e-3 of the hull of the others [false]
    bool beside;                   ///< with two edges, also vertices and edges beside them that are
                                   ///< within reach, which may touch next [false]
} SticCollideSettings;

/// Whole patches, nothing dropped.
SticCollideSettings stic_collide_default_settings(void);

/// One shape of a pair.
typedef struct SticCollider {
    const SticShape* shape; ///< borrowed
    SticPose pose;          ///< where it lies
    uint32_t key;           ///< pairs are looked at from the lower key, so that exchanging the two
                            ///< changes nothing
} SticCollider;

/// Workspace of the narrow phase; one per thread.
typedef struct SticCollide SticCollide;

/// Make a workspace.
SticStatus stic_collide_create(const SticContext* context, const SticCollideSettings* settings,
                               SticCollide** collide);
/// Release a workspace; NULL is allowed.
void stic_collide_destroy(SticCollide* collide);
/// Sets whether contacts beside two edges are listed, until it is set again.
void stic_collide_beside(SticCollide* collide, bool beside);
/// Contacts of two shapes whose gap is at most `reach`, sorted by feature. The list belongs to the
/// workspace and lives until the next call. UNSUPPORTED if neither shape has convex parts.
SticStatus stic_collide_pair(SticCollide* collide, const SticCollider* first,
                             const SticCollider* second, double reach, const SticContact** contacts,
                             int32_t* count);

#endif
