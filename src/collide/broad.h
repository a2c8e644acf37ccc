// SPDX-License-Identifier: Apache-2.0
// Broad phase: which of many axis-aligned boxes overlap, and what changed since the last update.
//
// Boxes are closed: boxes that only touch overlap (Koziara's thesis, section 9.3, compares strictly
// and would miss two bodies in resting contact). Boxes may be infinite (half-spaces), flat or
// single points. Every method gives the same pairs in the same order for any number of threads, so
// that the choice of the method is a matter of speed alone.
//
//     SticBroad* broad = NULL;
//     SticBroadSettings settings = stic_broad_default_settings();
//     stic_broad_create(&context, &settings, &broad, &error);
//     stic_broad_insert(broad, &item, &handle, &error);          // for each box
//     stic_broad_update(broad, boxes, &changes, &error);         // each step; boxes[handle]
//     for (int64_t i = 0; i < changes.created_count; ++i) …
#ifndef STIC_COLLIDE_BROAD_H
#define STIC_COLLIDE_BROAD_H

#include "shape/private.h"
#include "stiction/base.h"
#include "stiction/vec3.h"

/// How overlapping boxes are found.
typedef enum SticBroadMethod {
    STIC_BROAD_TREE,         ///< packed tree of enlarged boxes with a list of candidates; default
    STIC_BROAD_HASH3D,       ///< spatial hash, thesis 9.3.5
    STIC_BROAD_SWEEP_H2D,    ///< plane sweep, 2D hash of lists, thesis 9.3.6
    STIC_BROAD_SWEEP_H2DPST, ///< plane sweep, 2D hash of priority search trees
    STIC_BROAD_SWEEP_H1DPST, ///< plane sweep, 1D hash of priority search trees
    STIC_BROAD_SWEEP_PST2D,  ///< plane sweep, one priority search tree
    STIC_BROAD_HYBRID,       ///< streamed segment trees, Zomorodian and Edelsbrunner, thesis 9.3.4
    STIC_BROAD_BRUTE,        ///< every pair; the oracle
    STIC_BROAD_METHOD_COUNT
} SticBroadMethod;

/// Name of a SticBroadMethod, such as "sweep-h2d".
const char* stic_broad_method_name(int32_t method);

/// Settings of a broad phase.
typedef struct SticBroadSettings {
    int32_t method;  ///< SticBroadMethod
    int32_t refresh; ///< hash and sweep: voxel size and axis are computed anew once in this many
                     ///< updates
} SticBroadSettings;

/// Table of SticBroadSettings.
extern const SticFieldTable stic_broad_fields;
/// Defaults of stic_broad_fields.
SticBroadSettings stic_broad_default_settings(void);

/// Most nodes of an element (a hexahedron).
enum { STIC_BROAD_NODES = 8 };

/// What is inserted. Two items of one group (other than 0) never form a pair if either lists no
/// nodes (parts of one rigid body, all fixed bodies), or if they share a node (topologically
/// adjacent elements of one mesh, which may still touch other elements of that mesh).
typedef struct SticBroadItem {
    SticBounds box;                 ///< closed; may be flat, a point or infinite
    int32_t group;                  ///< 0: none
    int32_t node_count;             ///< 0 … STIC_BROAD_NODES
    int32_t node[STIC_BROAD_NODES]; ///< ids of the element's nodes within the group, any order
} SticBroadItem;

/// Two overlapping boxes by their handles, low < high.
typedef struct SticBoxPair {
    int32_t low, high;
} SticBoxPair;

/// Result of an update. The arrays are sorted by (low, high) and live until the next update.
typedef struct SticBroadChanges {
    const SticBoxPair* pairs;    ///< all pairs that overlap now
    const SticBoxPair* created;  ///< those that did not at the update before
    const SticBoxPair* released; ///< those that did then and do not now; deleted handles occur here
    int64_t pair_count;          ///< length of `pairs`
    int64_t created_count;       ///< length of `created`
    int64_t released_count;      ///< length of `released`
} SticBroadChanges;

/// A box met by a ray.
typedef struct SticBroadHit {
    int32_t handle; ///< of the box
    double entry;   ///< parameter at which the ray enters the box, >= 0
} SticBroadHit;

/// A broad phase.
typedef struct SticBroad SticBroad;

/// An empty broad phase. The context is copied; its pool is used by the default method, whose
/// threads may allocate.
SticStatus stic_broad_create(const SticContext* context, const SticBroadSettings* settings,
                             SticBroad** broad, SticError* error);
/// Release everything; NULL is allowed.
void stic_broad_destroy(SticBroad* broad);
/// Add a box and get its handle, the smallest numbers first. Its pairs are reported by the next
/// update. A box that is inverted or not a number is refused.
SticStatus stic_broad_insert(SticBroad* broad, const SticBroadItem* item, int32_t* handle,
                             SticError* error);
/// Remove a box. Its pairs are reported as released by the next update; only after that is the
/// handle given out again.
SticStatus stic_broad_delete(SticBroad* broad, int32_t handle, SticError* error);
/// Set one box; takes effect at the next update.
SticStatus stic_broad_move(SticBroad* broad, int32_t handle, const SticBounds* box,
                           SticError* error);
/// Never report this pair (around a joint, say). Ends when either box is deleted.
SticStatus stic_broad_exclude(SticBroad* broad, int32_t a, int32_t b, SticError* error);
/// Undo stic_broad_exclude; a pair that is not excluded is left as it is.
SticStatus stic_broad_include(SticBroad* broad, int32_t a, int32_t b, SticError* error);
/// Find all pairs. `boxes` [stic_broad_slots] is indexed by handle, entries of free handles are not
/// read; NULL: the boxes stay what they are. On failure the boxes and pairs of the last update
/// stay.
SticStatus stic_broad_update(SticBroad* broad, const SticBounds* boxes, SticBroadChanges* changes,
                             SticError* error);
/// Number of boxes.
int32_t stic_broad_count(const SticBroad* broad);
/// One more than the largest handle given out so far.
int32_t stic_broad_slots(const SticBroad* broad);
/// Whether a handle belongs to a box.
bool stic_broad_alive(const SticBroad* broad, int32_t handle);
/// The box of a handle.
SticBounds stic_broad_bounds(const SticBroad* broad, int32_t handle);
/// Handles that form a pair with `handle` as of the last update, ascending; valid until the next
/// update. The first call after an update indexes all pairs.
SticStatus stic_broad_neighbours(SticBroad* broad, int32_t handle, const int32_t** list,
                                 int32_t* count);
/// Handles of the boxes that meet `box` as of the last update, ascending, whatever is excluded;
/// valid until the next query. Logarithmic with the default method, linear with the others.
SticStatus stic_broad_query_box(SticBroad* broad, const SticBounds* bounds, const int32_t** list,
                                int32_t* count);
/// Boxes met by origin + s direction for s in [0, reach], by entry and then handle; valid until the
/// next query. `direction` need not have unit length; `reach` may be infinite.
SticStatus stic_broad_query_ray(SticBroad* broad, SticVec3 origin, SticVec3 direction, double reach,
                                const SticBroadHit** hits, int32_t* count);

#endif
