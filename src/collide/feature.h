// SPDX-License-Identifier: Apache-2.0
// Features of convex parts along a direction: the parts of them that may touch.
#ifndef STIC_COLLIDE_FEATURE_H
#define STIC_COLLIDE_FEATURE_H

#include "collide/part.h"

/// Points of the rim of a cap that it stands on.
enum { STIC_RIM = 8 };

/// Sine of the angle below which a direction is the normal of a face, or normal to a line, up to
/// rounding.
#define STIC_NORMAL_EQUAL 1e-9

/// Sine of the angle up to which a cap, face or edge that leans is looked at as a whole.
#define STIC_LEAN 0.1

/// Kinds of features, by rank: the higher one is the reference of a pair.
typedef enum SticFeatureKind {
    STIC_FEATURE_POINT,   ///< vertex, rim, point of a curved surface
    STIC_FEATURE_SEGMENT, ///< side of a cylinder or capsule, edge
    STIC_FEATURE_DISC,    ///< cap of a cylinder
    STIC_FEATURE_POLYGON, ///< face
    STIC_FEATURE_PLANE    ///< half-space
} SticFeatureKind;

/// Feature of a part, in the frame of the pair.
typedef struct SticFeature {
    SticFeatureKind kind;
    int32_t code;                     ///< number within the part
    SticVec3 normal;                  ///< outward, of a flat
    SticVec3 x[2];                    ///< segment: ends of the axis; disc: centre; plane: a point
    SticVec3 u, v;                    ///< disc: axes of the cylinder in its plane
    double radius;                    ///< of the disc, or about the axis of the segment
    bool ball;                        ///< the segment ends in half balls
    int32_t end;                      ///< disc: which end of the cylinder
    const SticVec3* p;                ///< [count] corners of the polygon
    const SticPolyhedron* polyhedron; ///< polygon: of which this is face `face`
    int32_t count, face;
} SticFeature;

/// The feature of a part that is farthest along `n`, including caps, sides and edges that lean a
/// little, and faces that lean by up to `sine`.
SticStatus stic_feature_of(SticPairWork* work, const SticPart* part, const SticPose* pose,
                           SticVec3 n, double sine, SticFeature* feature);
/// Number of the only feature along `n`, which is wrong by no more than `sine`; false if it is not
/// a feature but a border inside a compound or mesh.
bool stic_feature_code(const SticPart* part, const SticPose* pose, SticVec3 n, double sine,
                       int32_t* code);
/// A point of the rim of a cap, in the frame of the pair.
SticVec3 stic_feature_rim(const SticFeature* disc, int k);
/// The point of a cap's rim farthest along a direction; false if all of it is equally far up to
/// `same`.
bool stic_feature_low(const SticFeature* disc, SticVec3 down, double same, SticVec3* low);

/// Kind in a number of stic_feature_code.
static inline SticFeatureKind stic_code_kind(int32_t code)
{
    return (SticFeatureKind)(code & 3);
}

/// Code of an edge of a polyhedron.
static inline int32_t stic_feature_edge(int32_t edge)
{
    return edge << 2 | STIC_FEATURE_SEGMENT;
}

#endif
