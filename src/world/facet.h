// SPDX-License-Identifier: Apache-2.0
// Faces of elastic bodies in contact: flat triangles over the nodes of the surface.
#ifndef STIC_WORLD_FACET_H
#define STIC_WORLD_FACET_H

#include "world/narrow.h"
#include "world/side.h"
#include "world/soft.h"

/// A triangle of the surface of an elastic body: a face of tet4, a quarter of one of tet10 (three
/// corners or middles of edges), a quarter of one of hex8 (an edge and the mean of the four nodes).
/// It is a side of contacts like an affine body whose frame has its origin at the first corner, the
/// other two at (1, 0, 0) and (0, 1, 0), and the third axis along the normal.
struct SticFacet {
    const SticSoftBody* body;
    int32_t node[4];   ///< of the mesh; the last is -1 but for hex8
    int32_t block[4];  ///< of the view, -1: held
    int32_t beside[3]; ///< facet of the body over the edge from corner k to the next, -1: none
    bool ridge[3];     ///< the surface bends there
    int32_t lowest[3]; ///< least facet at corner k that does not lie over a ridge
    double depth; ///< half of the thickness of its cell: what lies deeper did not come from here
};

/// Make the facets of all elastic bodies, where anything but half-spaces may touch them; shapes of
/// bodies and their nodes are there already, blocks too.
SticStatus stic_facet_build(SticView* view);
/// Whether a view needs them.
bool stic_facet_needed(const SticWorld* world);
/// Release them.
void stic_facet_drop(SticView* view);

/// The facet that is a side of an interaction, NULL: none is.
static inline const SticFacet* stic_facet_of(const SticView* view,
                                             const SticInteraction* interaction)
{
    return interaction->part[1] < view->facet_part ||
                   (interaction->kernel & ~STIC_KERNEL_TANGENT) >= STIC_CONTACT_KERNEL_COUNT
               ? NULL
               : &view->facet[interaction->part[1] - view->facet_part];
}
/// Where a facet is, and with rates how it moves.
SticSide stic_facet_side(const SticView* view, const SticState* state, const SticFacet* facet,
                         bool rates);
/// The side of a shape: that of its facet or of its block.
SticSide stic_view_shape_side(const SticView* view, const SticState* state,
                              const SticBlockShape* shape, bool rates);
/// Shares of its nodes at a place of its frame, [4].
void stic_facet_shares(const SticFacet* facet, SticVec3 material, double share[4]);
/// Blocks of an interaction with the facet on side B.
void stic_facet_blocks(const SticFacet* facet, SticInteraction* contact);
/// Box around a facet and what lies behind it within its depth, wider by a margin.
SticBounds stic_facet_bounds(const SticFacet* facet, const SticSide* side, double margin);
/// How a facet moves; `off` may be NULL.
SticSwing stic_facet_swing(const SticFacet* facet, const SticSide* side, const SticSide* off);

/// Whether a shape has points that touch facets: corners, or the centres of balls and capsules.
bool stic_facet_has_points(const SticShape* shape);
/// Whether a shape has points that touch a facet.
bool stic_facet_meets(const SticView* view, const SticBlockShape* shape, const SticFacet* facet);
/// Share of a node in the area of its surface as seen along a normal of what it touches, m2; 0 for
/// other shapes.
double stic_facet_area(const SticNarrow* narrow, const SticBlockShape* shape, SticVec3 n);
/// How far beside the border of a face a node still stands on it, m; 0 for other shapes.
double stic_facet_rim(const SticView* view, const SticBlockShape* shape);
/// Whether the surface around a node looks against a normal of what it touches; true without facets.
bool stic_facet_opposes(const SticNarrow* narrow, const SticBlockShape* shape, SticVec3 n);
/// The k-th facet around a node: its normal, and a point on it a tenth of the way to its middle;
/// false if there is none.
bool stic_facet_beside(const SticNarrow* narrow, const SticBlockShape* shape, int32_t k,
                       SticVec3* point, SticVec3* normal);
/// Contacts of a shape with a facet up to a gap of `reach`, behind those of the lane: features as
/// the narrow phase gives them, without what depends on the reach.
SticStatus stic_facet_touch(const SticNarrow* narrow, SticLane* lane, SticBoxPair pair,
                            double reach, int32_t* count);

#endif
