// SPDX-License-Identifier: Apache-2.0
// Priority search tree (McCreight), after Koziara's thesis, section 9.1.7.
//
// A red-black tree whose points are in its leaves, ordered by (x, id), carries a heap on y: every
// node refers to the leaf with the largest y of its subtree that no node above refers to. A query
// walks the path of x0; right of it all x are large enough, and the heap is read down to y0.
// Insertion and deletion O(log n) (at most two and three rotations, each with a repair of the heap
// in O(log n)), query O(log n + found), height at most 2 log2(n + 1).
//
// Departures from the thesis: algorithm 9.1.15 (push) lacks its final assignment; 9.1.19 (insert)
// returns when an inner key equals the new one, but inner keys outlive their points, so that this
// loses insertions; its new leaves need their parents set; queries are closed, not strict. Nodes
// are numbers in a pool, and answers go to a list instead of a callback.
#include "collide/reference/priority_search_tree.h"

enum { NONE = STIC_PST_NONE };

void stic_pst_clear(SticPstPool* pool)
{
    pool->count = 0;
    pool->free = NONE;
}

void stic_pst_release(const SticContext* context, SticPstPool* pool)
{
    STIC_RELEASE(context, pool->node, pool->capacity);
}

// key of a point against the key of a node
static bool at_most(double x, int32_t id, const SticPstNode* node)
{
    return x < node->x || (x == node->x && id <= node->id);
}

static bool equal(double x, int32_t id, const SticPstNode* node)
{
    return x == node->x && id == node->id;
}

// the room for a new node was reserved
static int32_t new_leaf(SticPstPool* pool, double x, double y, int32_t id)
{
    int32_t at = pool->free;
    if (at != NONE)
        pool->free = pool->node[at].parent;
    else
        at = pool->count++;
    pool->node[at] = (SticPstNode){.x = x,
                                   .y = y,
                                   .id = id,
                                   .parent = NONE,
                                   .left = at,
                                   .right = at,
                                   .queue = NONE,
                                   .leaf = true};
    return at;
}

static void free_node(SticPstPool* pool, int32_t at)
{
    pool->node[at].parent = pool->free;
    pool->free = at;
}

// put a leaf into the heap below v (algorithm 9.1.15)
static void push(SticPstNode* node, int32_t v, int32_t leaf)
{
    while (node[v].queue != NONE) {
        if (node[node[v].queue].y < node[leaf].y) {
            const int32_t lower = node[v].queue;
            node[v].queue = leaf;
            leaf = lower;
        }
        v = at_most(node[leaf].x, node[leaf].id, &node[v]) ? node[v].left : node[v].right;
    }
    node[v].queue = leaf;
}

// take the leaf of v out of the heap and fill up from below (9.1.16)
static void pull(SticPstNode* node, int32_t v)
{
    do {
        if (node[v].leaf) {
            node[v].queue = NONE;
            return;
        }
        int32_t from = node[v].left;
        const int32_t right = node[v].right;
        if (node[from].queue == NONE ||
            (node[right].queue != NONE && node[node[right].queue].y > node[node[from].queue].y))
            from = right;
        node[v].queue = node[from].queue;
        v = from;
    } while (node[v].queue != NONE);
}

// y takes the place of x under the parent of x
static void replace_child(SticPstNode* node, int32_t* root, int32_t x, int32_t y)
{
    const int32_t parent = node[x].parent;
    node[y].parent = parent;
    if (parent == NONE)
        *root = y;
    else if (node[parent].left == x)
        node[parent].left = y;
    else
        node[parent].right = y;
}

// rotate x down to the left or to the right (9.1.17 and 9.1.18)
static void rotate(SticPstNode* node, int32_t* root, int32_t x, bool left)
{
    const int32_t y = left ? node[x].right : node[x].left;
    const int32_t inner = left ? node[y].left : node[y].right;
    *(left ? &node[x].right : &node[x].left) = inner;
    node[inner].parent = x;
    replace_child(node, root, x, y);
    *(left ? &node[y].left : &node[y].right) = x;
    node[x].parent = y;
    // y now has the subtree of x and so its leaf; the one that y had goes down again from y
    const int32_t lower = node[y].queue;
    node[y].queue = node[x].queue;
    node[x].queue = lower;
    pull(node, x);
    if (lower != NONE)
        push(node, y, lower);
}

static int32_t child(const SticPstNode* node, int32_t v, bool left)
{
    return left ? node[v].left : node[v].right;
}

// Cormen et al., RB-INSERT-FIXUP, both sides at once (9.1.20)
static void fix_insertion(SticPstNode* node, int32_t* root, int32_t x)
{
    while (x != *root && node[node[x].parent].red) {
        const int32_t grand = node[node[x].parent].parent;
        const bool left = node[x].parent == node[grand].left;
        const int32_t uncle = child(node, grand, !left);
        if (node[uncle].red) {
            node[node[x].parent].red = false;
            node[uncle].red = false;
            node[grand].red = true;
            x = grand;
            continue;
        }
        if (x == child(node, node[x].parent, !left)) {
            x = node[x].parent;
            rotate(node, root, x, left);
        }
        node[node[x].parent].red = false;
        node[grand].red = true;
        rotate(node, root, grand, !left);
    }
    node[*root].red = false;
}

// Cormen et al., RB-DELETE-FIXUP, both sides at once (9.1.22)
static void fix_deletion(SticPstNode* node, int32_t* root, int32_t x)
{
    while (x != *root && !node[x].red) {
        const int32_t parent = node[x].parent;
        const bool left = x == node[parent].left;
        int32_t sibling = child(node, parent, !left);
        if (node[sibling].red) {
            node[sibling].red = false;
            node[parent].red = true;
            rotate(node, root, parent, left);
            sibling = child(node, parent, !left);
        }
        if (!node[node[sibling].left].red && !node[node[sibling].right].red) {
            node[sibling].red = true;
            x = parent;
            continue;
        }
        if (!node[child(node, sibling, !left)].red) {
            node[child(node, sibling, left)].red = false;
            node[sibling].red = true;
            rotate(node, root, sibling, !left);
            sibling = child(node, parent, !left);
        }
        node[sibling].red = node[parent].red;
        node[parent].red = false;
        node[child(node, sibling, !left)].red = false;
        rotate(node, root, parent, left);
        x = *root;
    }
    node[x].red = false;
}

// leaf `at` becomes a red node above its own point and the new one
static void split_leaf(SticPstPool* pool, int32_t root, int32_t at, int32_t fresh)
{
    SticPstNode* node = pool->node;
    const int32_t moved = new_leaf(pool, node[at].x, node[at].y, node[at].id);
    const bool before = at_most(node[fresh].x, node[fresh].id, &node[at]);
    node[moved].parent = at;
    node[fresh].parent = at;
    node[at].leaf = false;
    node[at].red = true;
    node[at].left = before ? fresh : moved;
    node[at].right = before ? moved : fresh;
    node[at].x = node[node[at].left].x;
    node[at].id = node[node[at].left].id;
    // whoever referred to the leaf refers to its new place
    int32_t holder = at;
    while (node[holder].queue != at)
        holder = node[holder].parent;
    node[holder].queue = moved;
    push(node, root, fresh);
}

SticStatus stic_pst_insert(const SticContext* context, SticPstPool* pool, int32_t* root, double x,
                           double y, int32_t id)
{
    STIC_ASSERT(!isnan(x) && !isnan(y));
    STIC_TRY(STIC_RESERVE(context, &pool->node, &pool->capacity, pool->count + 2));
    SticPstNode* node = pool->node;
    if (*root == NONE) {
        *root = new_leaf(pool, x, y, id);
        node[*root].queue = *root;
        return STIC_OK;
    }
    int32_t at = *root;
    while (!node[at].leaf)
        at = at_most(x, id, &node[at]) ? node[at].left : node[at].right;
    if (equal(x, id, &node[at]))
        return STIC_OK;
    split_leaf(pool, *root, at, new_leaf(pool, x, y, id));
    fix_insertion(node, root, at);
    return STIC_OK;
}

void stic_pst_delete(SticPstPool* pool, int32_t* root, double x, int32_t id)
{
    STIC_ASSERT(root != NULL);
    SticPstNode* node = pool->node;
    int32_t at = *root, holder = NONE;
    if (at == NONE)
        return;
    // the leaf, and the node above it that refers to it
    while (!node[at].leaf) {
        if (node[at].queue != NONE && equal(x, id, &node[node[at].queue]))
            holder = at;
        at = at_most(x, id, &node[at]) ? node[at].left : node[at].right;
    }
    if (!equal(x, id, &node[at]))
        return;
    if (holder != NONE)
        pull(node, holder);
    const int32_t above = node[at].parent;
    if (above == NONE) {
        *root = NONE;
    } else {
        // the sibling takes the place of the node above, and the leaf that node refers to
        const int32_t sibling = at == node[above].left ? node[above].right : node[above].left;
        replace_child(node, root, above, sibling);
        if (node[above].queue != NONE)
            push(node, sibling, node[above].queue);
        if (!node[above].red)
            fix_deletion(node, root, sibling);
        free_node(pool, above);
    }
    free_node(pool, at);
}

static SticStatus report(const SticContext* context, SticHandleList* out, int32_t id)
{
    if (out->count == out->capacity)
        STIC_TRY(STIC_RESERVE(context, &out->handle, &out->capacity, out->count + 1));
    out->handle[out->count++] = id;
    return STIC_OK;
}

// everything below v with y >= y0 (9.1.24); as deep as the tree is high
static SticStatus report_down(const SticContext* context, const SticPstNode* node, int32_t v,
                              double y0, SticHandleList* out)
{
    if (node[v].queue == NONE || node[node[v].queue].y < y0)
        return STIC_OK;
    STIC_TRY(report(context, out, node[node[v].queue].id));
    if (node[v].leaf)
        return STIC_OK;
    STIC_TRY(report_down(context, node, node[v].left, y0, out));
    return report_down(context, node, node[v].right, y0, out);
}

SticStatus stic_pst_query(const SticContext* context, const SticPstPool* pool, int32_t root,
                          double x0, double y0, SticHandleList* out)
{
    const SticPstNode* node = pool->node;
    for (int32_t v = root; v != NONE && node[v].queue != NONE;) {
        const SticPstNode* top = &node[node[v].queue];
        // nothing below is higher
        if (top->y < y0)
            return STIC_OK;
        if (top->x >= x0)
            STIC_TRY(report(context, out, top->id));
        if (node[v].leaf)
            return STIC_OK;
        // the right subtree lies at or beyond this node's key
        if (x0 <= node[v].x) {
            STIC_TRY(report_down(context, node, node[v].right, y0, out));
            v = node[v].left;
        } else {
            v = node[v].right;
        }
    }
    return STIC_OK;
}
