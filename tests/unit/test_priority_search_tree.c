// SPDX-License-Identifier: Apache-2.0
// The priority search tree against a plain list over many random operations, its invariants,
// memory.
#include <stdlib.h>
#include <string.h>

#include "collide/reference/priority_search_tree.h"
#include "helpers/helpers.h"

enum { IDS = 600 };

/* ---- the oracle ---- */

typedef struct Points {
    bool there[IDS];
    double x[IDS], y[IDS];
    int32_t count;
} Points;

static int compare_ids(const void* a, const void* b)
{
    const int32_t p = *(const int32_t*)a, q = *(const int32_t*)b;
    return p < q ? -1 : p > q;
}

static void check_query(const SticPstPool* pool, int32_t root, const Points* points, double x0,
                        double y0, SticHandleList* out)
{
    const SticContext context = stic_context_default();
    out->count = 0;
    assert_int_equal(stic_pst_query(&context, pool, root, x0, y0, out), STIC_OK);
    if (out->count > 1)
        qsort(out->handle, out->count, sizeof *out->handle, compare_ids);
    size_t at = 0;
    for (int32_t i = 0; i < IDS; ++i)
        if (points->there[i] && points->x[i] >= x0 && points->y[i] >= y0) {
            if (at >= out->count || out->handle[at] != i)
                fail_msg("point %d is missing from the answer, or another is in it twice", (int)i);
            at += 1;
        }
    assert_int_equal(at, out->count);
}

/* ---- invariants ---- */

typedef struct Walk {
    const SticPstNode* node;
    int32_t leaves, queued;
    bool seen[IDS];
} Walk;

// black height; checks colours, order, links and the heap on the way
static int32_t check_node(Walk* walk, int32_t v, const SticPstNode* low, const SticPstNode* high,
                          double top, int32_t depth)
{
    const SticPstNode* node = &walk->node[v];
    test_less(depth, 64);
    if (node->queue != STIC_PST_NONE) {
        const SticPstNode* leaf = &walk->node[node->queue];
        assert_true(leaf->leaf);
        test_at_most(leaf->y, top);
        assert_false(walk->seen[leaf->id]);
        walk->seen[leaf->id] = true;
        walk->queued += 1;
        // the leaf lies in this subtree
        int32_t up = node->queue;
        while (up != v && up != STIC_PST_NONE)
            up = walk->node[up].parent;
        assert_int_equal(up, v);
        top = leaf->y;
    } else {
        top = -1e300;
    }
    if (node->leaf) {
        assert_false(node->red);
        test_equal(node->left, v);
        test_equal(node->right, v);
        // low < key <= high
        assert_true(low == NULL || low->x < node->x || (low->x == node->x && low->id < node->id));
        assert_true(high == NULL || node->x < high->x ||
                    (node->x == high->x && node->id <= high->id));
        walk->leaves += 1;
        return 1;
    }
    assert_int_equal(walk->node[node->left].parent, v);
    assert_int_equal(walk->node[node->right].parent, v);
    if (node->red)
        assert_false(walk->node[node->left].red || walk->node[node->right].red);
    const int32_t left = check_node(walk, node->left, low, node, top, depth + 1);
    const int32_t right = check_node(walk, node->right, node, high, top, depth + 1);
    assert_int_equal(left, right);
    return left + !node->red;
}

static void check_tree(const SticPstPool* pool, int32_t root, const Points* points)
{
    Walk walk = {.node = pool->node};
    if (root == STIC_PST_NONE) {
        assert_int_equal(points->count, 0);
        return;
    }
    assert_false(pool->node[root].red);
    assert_int_equal(pool->node[root].parent, STIC_PST_NONE);
    check_node(&walk, root, NULL, NULL, 1e300, 0);
    assert_int_equal(walk.leaves, points->count);
    assert_int_equal(walk.queued, points->count);
}

/* ---- tests ---- */

// coordinates on a grid of `values`, so that many are equal
static double coordinate(SticRandom* random, int values)
{
    return (double)(stic_random_bits(random) % (uint64_t)values) - values / 2;
}

static int64_t run_operations(int64_t operations, int values, uint64_t seed)
{
    const SticContext context = stic_context_default();
    SticRandom random = stic_random_create(seed);
    SticPstPool pool = {0};
    SticHandleList out = {0};
    Points* points = calloc(1, sizeof *points);
    int32_t root = STIC_PST_NONE;
    int64_t found = 0;
    stic_pst_clear(&pool);
    for (int64_t i = 0; i < operations; ++i) {
        const int32_t id = (int32_t)(stic_random_bits(&random) % IDS);
        // the tree fills and empties in turn
        const uint64_t grow = i / 20000 % 2 ? 3 : 6;
        const uint64_t what = stic_random_bits(&random) % 12;
        if (what < grow) {
            const double x = coordinate(&random, values), y = coordinate(&random, values);
            // a point that is there may be inserted again without effect
            const double px = points->there[id] ? points->x[id] : x;
            assert_int_equal(stic_pst_insert(&context, &pool, &root, px, y, id), STIC_OK);
            if (!points->there[id]) {
                points->there[id] = true;
                points->x[id] = x;
                points->y[id] = y;
                points->count += 1;
            }
        } else if (what < 9) {
            stic_pst_delete(&pool, &root, points->x[id] + (points->there[id] ? 0.0 : 0.5), id);
            points->count -= points->there[id];
            points->there[id] = false;
        } else {
            check_query(&pool, root, points, coordinate(&random, values),
                        coordinate(&random, values), &out);
            found += (int64_t)out.count;
        }
        if (i % 500 == 0)
            check_tree(&pool, root, points);
    }
    check_tree(&pool, root, points);
    test_at_most(pool.count, 2 * IDS);
    stic_pst_release(&context, &pool);
    STIC_RELEASE(&context, out.handle, out.capacity);
    free(points);
    return found;
}

static void random_operations_match_a_list(void** state)
{
    (void)state;
    // from nearly all coordinates equal to hardly any
    const int values[] = {4, 30, 1000, 1 << 30};
    int64_t found = 0;
    for (int i = 0; i < 4; ++i)
        found += run_operations(100000, values[i], 100 + (uint64_t)i);
    print_message("400000 operations, %lld points found, none wrong\n", (long long)found);
    test_greater(found, 1000000);
}

static void insertions_in_order_stay_balanced(void** state)
{
    (void)state;
    const SticContext context = stic_context_default();
    SticPstPool pool = {0};
    Points* points = calloc(1, sizeof *points);
    int32_t root = STIC_PST_NONE;
    stic_pst_clear(&pool);
    for (int32_t i = 0; i < IDS; ++i) {
        assert_int_equal(stic_pst_insert(&context, &pool, &root, i, i % 7, i), STIC_OK);
        points->count += 1;
    }
    check_tree(&pool, root, points);
    int32_t height = 0;
    for (int32_t v = 0; v < pool.count; ++v) {
        int32_t depth = 0;
        for (int32_t up = v; up != STIC_PST_NONE; up = pool.node[up].parent)
            depth += 1;
        height = depth > height ? depth : height;
    }
    print_message("height %d for %d points\n", (int)height, (int)IDS);
    // 2 log2(n + 1), and the level of the leaves
    test_at_most(height, 2 * 10 + 1);
    // an inner key may outlive its point: inserting it again must work
    for (int32_t i = 0; i < IDS; i += 2)
        stic_pst_delete(&pool, &root, i, i);
    SticHandleList out = {0};
    for (int32_t i = 0; i < IDS; i += 2)
        assert_int_equal(stic_pst_insert(&context, &pool, &root, i, 9.0, i), STIC_OK);
    assert_int_equal(stic_pst_query(&context, &pool, root, 0.0, 8.0, &out), STIC_OK);
    assert_int_equal(out.count, IDS / 2);
    STIC_RELEASE(&context, out.handle, out.capacity);
    stic_pst_release(&context, &pool);
    free(points);
}

static SticStatus use_tree(const SticContext* context, void* self)
{
    (void)self;
    SticPstPool pool = {0};
    SticHandleList out = {0};
    int32_t root = STIC_PST_NONE;
    SticStatus status = STIC_OK;
    stic_pst_clear(&pool);
    for (int32_t i = 0; i < 100 && status == STIC_OK; ++i)
        status = stic_pst_insert(context, &pool, &root, i % 10, i % 3, i);
    if (status == STIC_OK)
        status = stic_pst_query(context, &pool, root, 2.0, 1.0, &out);
    STIC_RELEASE(context, out.handle, out.capacity);
    stic_pst_release(context, &pool);
    return status;
}

static void failing_memory_leaks_nothing(void** state)
{
    (void)state;
    test_greater(test_fail_every_allocation(use_tree, NULL), 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_operations_match_a_list),
        cmocka_unit_test(insertions_in_order_stay_balanced),
        cmocka_unit_test(failing_memory_leaks_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
