// SPDX-License-Identifier: Apache-2.0
// Static tree of boxes over triangles or elements.
//
// Built top down: the items of a node are split at the median of their middles along the longest
// axis of the box around those middles, by selection with the total order (middle, index). Nodes
// lie in depth-first order, so that a query runs through memory forwards and a refit backwards.
// Cost: O(n log n) to build, O(n) to refit. Leaves hold at most LEAF items; the depth is at most
// 1 + log2 n. Reference for the layout: Ericson, Real-Time Collision Detection, 2005, chapter 6.
#include "shape/build.h"

#include <string.h>

enum {
    LEAF = 4,
    STACK = 64 // a node waits per level; 32 levels hold any int32_t count
};

typedef struct Builder {
    const SticBounds* box;
    SticVec3* middle; // twice the middle of each box
    int32_t* order;
    SticTreeNode* node;
    int32_t node_count, depth;
} Builder;

static bool before(const Builder* b, int axis, int32_t i, int32_t j)
{
    const double x = stic_vec3_get(b->middle[i], axis), y = stic_vec3_get(b->middle[j], axis);
    return x < y || (x == y && i < j);
}

static void swap(int32_t* a, int32_t* b)
{
    const int32_t c = *a;
    *a = *b;
    *b = c;
}

// order[first … last] so that the k-th is in its place (Hoare 1961), pivot: median of three
static void select_median(Builder* b, int axis, int32_t first, int32_t last, int32_t k)
{
    int32_t* order = b->order;
    while (first < last) {
        const int32_t centre = first + (last - first) / 2;
        if (before(b, axis, order[centre], order[first]))
            swap(&order[centre], &order[first]);
        if (before(b, axis, order[last], order[first]))
            swap(&order[last], &order[first]);
        if (before(b, axis, order[last], order[centre]))
            swap(&order[last], &order[centre]);
        const int32_t pivot = order[centre];
        int32_t i = first, j = last;
        while (i <= j) {
            while (before(b, axis, order[i], pivot))
                ++i;
            while (before(b, axis, pivot, order[j]))
                --j;
            if (i <= j)
                swap(&order[i++], &order[j--]);
        }
        if (k <= j)
            last = j;
        else if (k >= i)
            first = i;
        else
            return;
    }
}

static int longest_axis(const Builder* b, int32_t first, int32_t count)
{
    SticVec3 low = b->middle[b->order[first]], high = low;
    for (int32_t i = first + 1; i < first + count; ++i) {
        low = stic_vec3_min(low, b->middle[b->order[i]]);
        high = stic_vec3_max(high, b->middle[b->order[i]]);
    }
    const SticVec3 size = stic_vec3_sub(high, low);
    if (size.x >= size.y && size.x >= size.z)
        return 0;
    return size.y >= size.z ? 1 : 2;
}

static SticBounds join_items(const SticBounds* box, const int32_t* order, int32_t count)
{
    SticBounds sum = box[order[0]];
    for (int32_t i = 1; i < count; ++i)
        sum = stic_bounds_join(sum, box[order[i]]);
    return sum;
}

// returns the number of the node; at most 32 levels deep
static int32_t build_node(Builder* b, int32_t first, int32_t count, int32_t depth)
{
    const int32_t number = b->node_count++;
    SticTreeNode* node = &b->node[number];
    *node = (SticTreeNode){.box = join_items(b->box, b->order + first, count),
                           .right = 0,
                           .first = first,
                           .count = count};
    b->depth = depth > b->depth ? depth : b->depth;
    if (count <= LEAF)
        return number;
    const int32_t left = count / 2;
    select_median(b, longest_axis(b, first, count), first, first + count - 1, first + left);
    build_node(b, first, left, depth + 1);
    node->right = build_node(b, first + left, count - left, depth + 1);
    return number;
}

SticStatus stic_tree_build(const SticShapeWork* work, const SticBounds* box, int32_t count,
                           SticTree* tree)
{
    STIC_ASSERT(count >= 0);
    *tree = (SticTree){.item_count = count};
    if (count == 0)
        return STIC_OK;
    Builder b = {.box = box};
    const SticArenaMark mark = stic_arena_mark(work->arena);
    STIC_TRY(STIC_TAKE(work->arena, &b.middle, count));
    STIC_TRY(STIC_TAKE(work->arena, &b.node, 2 * (size_t)count));
    STIC_TRY(STIC_TAKE(work->arena, &b.order, count));
    for (int32_t i = 0; i < count; ++i) {
        b.middle[i] = stic_vec3_add(box[i].low, box[i].high);
        b.order[i] = i;
    }
    build_node(&b, 0, count, 1);

    // keep what was used
    SticBlockPlan plan = {.base = NULL};
    stic_block_plan_next(&plan, (size_t)b.node_count, sizeof *b.node);
    stic_block_plan_next(&plan, (size_t)count, sizeof *b.order);
    tree->bytes = plan.used;
    STIC_TRY(stic_allocate(work->context, tree->bytes, &tree->memory));
    plan = (SticBlockPlan){.base = tree->memory, .used = 0};
    SticTreeNode* node = stic_block_plan_next(&plan, (size_t)b.node_count, sizeof *node);
    int32_t* order = stic_block_plan_next(&plan, (size_t)count, sizeof *order);
    memcpy(node, b.node, (size_t)b.node_count * sizeof *node);
    memcpy(order, b.order, (size_t)count * sizeof *order);
    tree->node = node;
    tree->order = order;
    tree->node_count = b.node_count;
    tree->depth = b.depth;
    stic_arena_rewind(work->arena, mark);
    return STIC_OK;
}

void stic_tree_release(const SticContext* context, SticTree* tree)
{
    stic_release(context, tree->memory, tree->bytes);
    tree->memory = NULL;
}

int32_t stic_tree_query(const SticTree* tree, const SticTreeNode* nodes, SticBounds box,
                        int32_t capacity, int32_t* found)
{
    STIC_ASSERT(capacity >= 0);
    int32_t stack[STACK], waiting = 0, count = 0;
    if (tree->node_count == 0)
        return 0;
    stack[waiting++] = 0;
    while (waiting > 0) {
        const int32_t number = stack[--waiting];
        const SticTreeNode* node = &nodes[number];
        if (!stic_bounds_meet(node->box, box))
            continue;
        if (node->right != 0) {
            // left child first
            stack[waiting++] = node->right;
            stack[waiting++] = number + 1;
            continue;
        }
        for (int32_t i = 0; i < node->count; ++i, ++count)
            if (count < capacity)
                found[count] = tree->order[node->first + i];
    }
    return count;
}

void stic_tree_refit(const SticTree* tree, const SticBounds* item_box, SticTreeNode* nodes)
{
    // children have higher numbers than their parent
    for (int32_t i = tree->node_count - 1; i >= 0; --i)
        nodes[i].box = nodes[i].right == 0
                           ? join_items(item_box, tree->order + nodes[i].first, nodes[i].count)
                           : stic_bounds_join(nodes[i + 1].box, nodes[nodes[i].right].box);
}
