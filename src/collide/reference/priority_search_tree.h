// SPDX-License-Identifier: Apache-2.0
// Priority search tree: points (x, y) with ids, asked for all with x >= x0 and y >= y0.
#ifndef STIC_COLLIDE_REFERENCE_PRIORITY_SEARCH_TREE_H
#define STIC_COLLIDE_REFERENCE_PRIORITY_SEARCH_TREE_H

#include "collide/broad_internal.h"

enum { STIC_PST_NONE = -1 };

/// Inner node or leaf. Points live in leaves; an inner node has the largest key of its left subtree
/// (or a former one, as deletions leave it alone).
typedef struct SticPstNode {
    double x, y;
    int32_t id;
    int32_t parent, left, right; ///< of a leaf: left and right are the leaf itself
    int32_t queue; ///< leaf with the largest y below that no node above has; STIC_PST_NONE if none
    bool leaf, red;
} SticPstNode;

/// Nodes of any number of trees. A tree is the number of its root, STIC_PST_NONE if empty.
typedef struct SticPstPool {
    SticPstNode* node;
    size_t capacity;
    int32_t count; ///< nodes ever used
    int32_t free;  ///< list of free nodes, linked by `parent`
} SticPstPool;

/// Forget all trees, keep the memory.
void stic_pst_clear(SticPstPool* pool);
void stic_pst_release(const SticContext* context, SticPstPool* pool);
/// Add a point; (x, id) that is already there is left as it is. O(log n).
SticStatus stic_pst_insert(const SticContext* context, SticPstPool* pool, int32_t* root, double x,
                           double y, int32_t id);
/// Remove the point (x, id) if it is there. O(log n).
void stic_pst_delete(SticPstPool* pool, int32_t* root, double x, int32_t id);
/// Append the ids of all points with x >= x0 and y >= y0 to `out`, each once. O(log n + found).
SticStatus stic_pst_query(const SticContext* context, const SticPstPool* pool, int32_t root,
                          double x0, double y0, SticHandleList* out);

#endif
