// SPDX-License-Identifier: Apache-2.0
// labels: threads
// The broad phase: every method against all pairs tested here, on sets with and without trouble;
// events over many frames; exclusions; threads; refused boxes; memory.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../../bench/broad_sets.h"
#include "collide/broad.h"
#include "helpers/helpers.h"

/* ---- the oracle: plain data and a double loop ---- */

enum { MODEL_SIZE = 2048 };

typedef struct Model {
    int32_t slots;
    bool alive[MODEL_SIZE];
    SticBroadItem item[MODEL_SIZE];
    SticBounds box[MODEL_SIZE];
    int32_t excluded[64][2];
    int32_t excluded_count;
} Model;

typedef struct Pairs {
    SticBoxPair* pair;
    int64_t count, capacity;
} Pairs;

static void pairs_add(Pairs* pairs, int32_t low, int32_t high)
{
    if (pairs->count == pairs->capacity) {
        pairs->capacity = 2 * pairs->capacity + 64;
        pairs->pair = realloc(pairs->pair, (size_t)pairs->capacity * sizeof *pairs->pair);
        assert_non_null(pairs->pair);
    }
    pairs->pair[pairs->count++] = (SticBoxPair){low, high};
}

static bool along(double low, double high, double other_low, double other_high)
{
    return !(high < other_low || other_high < low);
}

static bool boxes_meet(const SticBounds* a, const SticBounds* b)
{
    return along(a->low.x, a->high.x, b->low.x, b->high.x) &&
           along(a->low.y, a->high.y, b->low.y, b->high.y) &&
           along(a->low.z, a->high.z, b->low.z, b->high.z);
}

static bool model_skips(const Model* model, int32_t a, int32_t b)
{
    for (int32_t i = 0; i < model->excluded_count; ++i)
        if ((model->excluded[i][0] == a && model->excluded[i][1] == b) ||
            (model->excluded[i][0] == b && model->excluded[i][1] == a))
            return true;
    const SticBroadItem *p = &model->item[a], *q = &model->item[b];
    if (p->group == 0 || p->group != q->group)
        return false;
    if (p->node_count == 0 || q->node_count == 0)
        return true;
    for (int32_t i = 0; i < p->node_count; ++i)
        for (int32_t j = 0; j < q->node_count; ++j)
            if (p->node[i] == q->node[j])
                return true;
    return false;
}

static void model_pairs(const Model* model, Pairs* pairs)
{
    pairs->count = 0;
    for (int32_t a = 0; a < model->slots; ++a)
        for (int32_t b = a + 1; b < model->slots; ++b)
            if (model->alive[a] && model->alive[b] && boxes_meet(&model->box[a], &model->box[b]) &&
                !model_skips(model, a, b))
                pairs_add(pairs, a, b);
}

static bool same_pairs(const SticBoxPair* a, int64_t a_count, const SticBoxPair* b, int64_t b_count)
{
    return a_count == b_count && (a_count == 0 || memcmp(a, b, (size_t)a_count * sizeof *a) == 0);
}

static int compare_pairs(const void* a, const void* b)
{
    const SticBoxPair *p = a, *q = b;
    if (p->low != q->low)
        return p->low < q->low ? -1 : 1;
    return p->high < q->high ? -1 : p->high > q->high;
}

static SticBroad* make_broad(const SticContext* context, int method)
{
    SticBroadSettings settings = stic_broad_default_settings();
    SticBroad* broad = NULL;
    settings.method = method;
    settings.refresh = 3;
    assert_int_equal(stic_broad_create(context, &settings, &broad, NULL), STIC_OK);
    return broad;
}

static void insert_boxes(SticBroad* broad, const SticBounds* boxes, int32_t count)
{
    for (int32_t i = 0; i < count; ++i) {
        int32_t handle = -1;
        const SticBroadItem item = {.box = boxes[i]};
        assert_int_equal(stic_broad_insert(broad, &item, &handle, NULL), STIC_OK);
        assert_int_equal(handle, i);
    }
}

/* ---- sets ---- */

static double pick(SticRandom* random, double low, double high)
{
    return stic_random_range(random, low, high);
}

static SticBounds make_box(SticVec3 centre, double x, double y, double z)
{
    return (SticBounds){{centre.x - x / 2, centre.y - y / 2, centre.z - z / 2},
                        {centre.x + x / 2, centre.y + y / 2, centre.z + z / 2}};
}

static SticVec3 anywhere(SticRandom* random)
{
    return (SticVec3){pick(random, -1, 1), pick(random, -1, 1), pick(random, -1, 1)};
}

static void fill_thin(SticBounds* box, int32_t count, SticRandom* random)
{
    // plates and needles, 1 : 10^4, along every axis
    for (int32_t i = 0; i < count; ++i) {
        double size[3] = {0.5, 0.5, 0.5};
        const uint64_t bits = stic_random_bits(random);
        size[bits % 3] = 5e-5;
        if (bits & 64)
            size[(bits % 3 + 1) % 3] = 5e-5;
        box[i] = make_box(anywhere(random), size[0], size[1], size[2]);
    }
}

static void fill_ratio(SticBounds* box, int32_t count, SticRandom* random)
{
    // sizes over nine powers of ten, most of them small
    for (int32_t i = 0; i < count; ++i) {
        const double u = pick(random, 0.0, 1.0);
        const double size = 2.0 * pow(10.0, -9.0 * pow(u, 0.5));
        box[i] = make_box(anywhere(random), size, size, size);
    }
}

static void fill_coincident(SticBounds* box, int32_t count, SticRandom* random)
{
    // stacks of identical boxes, some flat, some points
    for (int32_t i = 0; i < count; ++i) {
        if (i % 7 != 0) {
            box[i] = box[i - 1];
            continue;
        }
        const double flat = i % 2 ? 0.0 : 0.1;
        box[i] = make_box(anywhere(random), flat, i % 3 ? 0.0 : 0.2, flat);
    }
}

static void fill_touching(SticBounds* box, int32_t count, SticRandom* random)
{
    // a lattice of unit cubes that share faces, edges and corners exactly
    (void)random;
    for (int32_t i = 0; i < count; ++i) {
        const double x = i % 10, y = i / 10 % 10, z = i / 100;
        box[i] = (SticBounds){{x, y, z}, {x + 1, y + 1, z + 1}};
    }
}

static void fill_points(SticBounds* box, int32_t count, SticRandom* random)
{
    // points on a coarse lattice, so that many fall together
    for (int32_t i = 0; i < count; ++i) {
        const SticVec3 p = {floor(pick(random, 0, 6)), floor(pick(random, 0, 6)),
                            floor(pick(random, 0, 6))};
        box[i] = (SticBounds){p, p};
    }
}

static void fill_infinite(SticBounds* box, int32_t count, SticRandom* random)
{
    // cubes, half-spaces, slabs and a box that is everything
    for (int32_t i = 0; i < count; ++i) {
        box[i] = make_box(anywhere(random), 0.15, 0.15, 0.15);
        if (i % 97 == 3)
            box[i] = (SticBounds){{-INFINITY, -INFINITY, -INFINITY},
                                  {INFINITY, INFINITY, pick(random, -1, 1)}};
        if (i % 97 == 50)
            box[i] = (SticBounds){{-INFINITY, 0.1, -INFINITY}, {INFINITY, 0.2, INFINITY}};
        if (i == 60)
            box[i] =
                (SticBounds){{-INFINITY, -INFINITY, -INFINITY}, {INFINITY, INFINITY, INFINITY}};
    }
}

static void fill_outlier(SticBounds* box, int32_t count, SticRandom* random)
{
    // a heap, and bodies that fell out of the world; one unit is far below their spacing
    for (int32_t i = 0; i < count; ++i) {
        const SticVec3 p = anywhere(random);
        box[i] = make_box(p, 0.2, 0.2, 0.2);
        if (i % 50 == 7)
            box[i] = make_box((SticVec3){p.x * 1e9, p.y * 1e12, -1e15 * fabs(p.z)}, 1.0, 1.0, 1.0);
    }
}

static void fill_offset(SticBounds* box, int32_t count, SticRandom* random)
{
    // far from the origin, where single precision alone could not tell boxes apart
    for (int32_t i = 0; i < count; ++i) {
        const SticVec3 p = anywhere(random);
        box[i] = make_box((SticVec3){p.x + 1e8, p.y - 3e8, p.z + 1e7}, 0.2, 0.2, 0.2);
    }
}

static void fill_heaps(SticBounds* box, int32_t count, SticRandom* random)
{
    // two heaps so far apart that single precision sees one of them as a point
    for (int32_t i = 0; i < count; ++i) {
        const SticVec3 p = anywhere(random);
        const double far = i % 2 ? 1e9 : -1e9;
        box[i] = make_box((SticVec3){p.x + far, p.y, p.z}, 0.2, 0.2, 0.2);
    }
}

static void fill_line(SticBounds* box, int32_t count, SticRandom* random)
{
    // all centres on a line, extents alternating
    for (int32_t i = 0; i < count; ++i)
        box[i] = make_box((SticVec3){pick(random, -1, 1), 0.0, 0.0}, 0.01, i % 2 ? 1.0 : 0.0, 0.5);
}

static void fill_extreme(SticBounds* box, int32_t count, SticRandom* random)
{
    // near the ends of the number range
    for (int32_t i = 0; i < count; ++i) {
        const double scale = i % 2 ? 1e300 : 1e-300;
        const SticVec3 p = anywhere(random);
        box[i] = make_box((SticVec3){p.x * scale, p.y * scale, p.z * scale}, 0.2 * scale,
                          0.2 * scale, 0.2 * scale);
    }
}

static void fill_cubes(SetKind kind, SticBounds* box, int32_t count)
{
    BoxSet set = set_create(kind, count, 11);
    set_size(&set, 10.0);
    memcpy(box, set.box, (size_t)count * sizeof *box);
    set_destroy(&set);
}

static void fill_random(SticBounds* box, int32_t count, SticRandom* random)
{
    (void)random;
    fill_cubes(SET_RANDOM, box, count);
}

static void fill_adjacent(SticBounds* box, int32_t count, SticRandom* random)
{
    (void)random;
    fill_cubes(SET_ADJACENT, box, count);
}

static void fill_spherical(SticBounds* box, int32_t count, SticRandom* random)
{
    (void)random;
    fill_cubes(SET_SPHERICAL, box, count);
}

typedef struct Set {
    const char* name;
    void (*fill)(SticBounds* box, int32_t count, SticRandom* random);
} Set;

static const Set sets[] = {
    {"random", fill_random},     {"adjacent", fill_adjacent}, {"spherical", fill_spherical},
    {"thin", fill_thin},         {"size ratio", fill_ratio},  {"coincident", fill_coincident},
    {"touching", fill_touching}, {"points", fill_points},     {"infinite", fill_infinite},
    {"outlier", fill_outlier},   {"offset", fill_offset},     {"line", fill_line},
    {"extreme", fill_extreme},   {"far heaps", fill_heaps},
};

enum { SETS = sizeof sets / sizeof *sets };

static void methods_agree_on_every_set(void** state)
{
    (void)state;
    const SticContext context = stic_context_default();
    Model* model = calloc(1, sizeof *model);
    Pairs expected = {0};
    const TestTable table = test_table_begin("pairs of 1000 boxes, the same for all methods",
                                             "set          |  pairs|methods");
    for (int s = 0; s < SETS; ++s) {
        SticRandom random = stic_random_create(17);
        model->slots = 1000;
        sets[s].fill(model->box, model->slots, &random);
        for (int32_t i = 0; i < model->slots; ++i)
            model->alive[i] = true;
        model_pairs(model, &expected);
        for (int method = 0; method < STIC_BROAD_METHOD_COUNT; ++method) {
            SticBroad* broad = make_broad(&context, method);
            insert_boxes(broad, model->box, model->slots);
            SticBroadChanges changes;
            assert_int_equal(stic_broad_update(broad, NULL, &changes, NULL), STIC_OK);
            if (!same_pairs(changes.pairs, changes.pair_count, expected.pair, expected.count))
                fail_msg("%s on %s: %lld pairs instead of %lld", stic_broad_method_name(method),
                         sets[s].name, (long long)changes.pair_count, (long long)expected.count);
            assert_true(
                same_pairs(changes.created, changes.created_count, expected.pair, expected.count));
            assert_int_equal(changes.released_count, 0);
            stic_broad_destroy(broad);
        }
        test_table_row(&table, "%s|%lld|%d", sets[s].name, (long long)expected.count,
                       (int)STIC_BROAD_METHOD_COUNT);
    }
    free(expected.pair);
    free(model);
}

static void touching_boxes_overlap(void** state)
{
    (void)state;
    const SticContext context = stic_context_default();
    // a shared face, edge, corner; and a gap of one unit in the last place
    const SticBounds boxes[5] = {{{0, 0, 0}, {1, 1, 1}},
                                 {{1, 0, 0}, {2, 1, 1}},
                                 {{-1, 1, 0}, {0, 2, 1}},
                                 {{-1, -1, 1}, {0, 0, 2}},
                                 {{0, 0, 1.0 + 0x1p-52}, {1, 1, 2}}};
    for (int method = 0; method < STIC_BROAD_METHOD_COUNT; ++method) {
        SticBroad* broad = make_broad(&context, method);
        insert_boxes(broad, boxes, 5);
        SticBroadChanges changes;
        assert_int_equal(stic_broad_update(broad, NULL, &changes, NULL), STIC_OK);
        // 0-1 face, 0-2 edge, 0-3 corner; 3-4 corner; nothing across the gap
        const SticBoxPair expected[] = {{0, 1}, {0, 2}, {0, 3}, {3, 4}};
        if (!same_pairs(changes.pairs, changes.pair_count, expected, 4))
            fail_msg("%s does not see the touching boxes", stic_broad_method_name(method));
        stic_broad_destroy(broad);
    }
}

/* ---- many frames ---- */

// what a frame does to the boxes
static void disturb(Model* model, SticBroad* broad, int32_t frame, SticRandom* random)
{
    const double step[] = {0.0, 1e-4, 0.02, 0.02, 1e-3, 3.0, 0.3, 0.0};
    const double reach = step[frame / 4 % 8];
    for (int32_t i = 0; i < model->slots; ++i) {
        // in some frames only a few move
        if (frame % 3 == 1 && stic_random_bits(random) % 16 != 0)
            continue;
        const double x = pick(random, -reach, reach), y = pick(random, -reach, reach);
        SticBounds* box = &model->box[i];
        box->low.x += x, box->high.x += x;
        box->low.y += y, box->high.y += y;
        // keep them together
        if (box->low.x < -2.0 || box->high.x > 2.0 || box->low.y < -2.0 || box->high.y > 2.0)
            *box = make_box(anywhere(random), 0.2, 0.2, 0.2);
    }
    (void)broad;
}

static void delete_some(Model* model, SticBroad* broad, SticRandom* random)
{
    const int32_t count = (int32_t)(stic_random_bits(random) % 20);
    for (int32_t i = 0; i < count && model->slots > 0; ++i) {
        const int32_t slot = (int32_t)(stic_random_bits(random) % (uint64_t)model->slots);
        const SticStatus status = stic_broad_delete(broad, slot, NULL);
        assert_int_equal(status, model->alive[slot] ? STIC_OK : STIC_BAD_ARGUMENT);
        model->alive[slot] = false;
        for (int32_t k = 0; k < model->excluded_count;)
            if (model->excluded[k][0] == slot || model->excluded[k][1] == slot) {
                model->excluded_count -= 1;
                memcpy(model->excluded[k], model->excluded[model->excluded_count],
                       sizeof model->excluded[k]);
            } else {
                k += 1;
            }
    }
}

static void insert_some(Model* model, SticBroad* broad, SticRandom* random, bool used[MODEL_SIZE])
{
    const int32_t count = (int32_t)(stic_random_bits(random) % 30);
    for (int32_t i = 0; i < count; ++i) {
        SticBroadItem item = {.box = make_box(anywhere(random), pick(random, 0, 0.4), 0.2, 0.2)};
        const uint64_t bits = stic_random_bits(random);
        if (bits % 4 == 0)
            item.group = 1 + (int32_t)(bits >> 8 & 3);
        if (bits % 8 == 0) {
            item.node_count = 4;
            for (int k = 0; k < 4; ++k)
                item.node[k] = (int32_t)(stic_random_bits(random) % 12);
        }
        int32_t handle = -1;
        assert_int_equal(stic_broad_insert(broad, &item, &handle, NULL), STIC_OK);
        assert_in_range(handle, 0, MODEL_SIZE - 1);
        // a handle is free, and was not deleted since the last update
        assert_false(model->alive[handle]);
        assert_false(used[handle]);
        model->alive[handle] = true;
        model->item[handle] = item;
        model->box[handle] = item.box;
        model->slots = handle >= model->slots ? handle + 1 : model->slots;
    }
    assert_int_equal(model->slots, stic_broad_slots(broad));
}

static void change_exclusions(Model* model, SticBroad* broad, const Pairs* pairs,
                              SticRandom* random)
{
    if (pairs->count > 0 && model->excluded_count < 60) {
        const SticBoxPair pair = pairs->pair[stic_random_bits(random) % (uint64_t)pairs->count];
        if (model->alive[pair.low] && model->alive[pair.high]) {
            assert_int_equal(stic_broad_exclude(broad, pair.high, pair.low, NULL), STIC_OK);
            assert_int_equal(stic_broad_exclude(broad, pair.low, pair.high, NULL), STIC_OK);
            model->excluded[model->excluded_count][0] = pair.low;
            model->excluded[model->excluded_count++][1] = pair.high;
        }
    }
    if (model->excluded_count > 20) {
        const int32_t* last = model->excluded[--model->excluded_count];
        assert_int_equal(stic_broad_include(broad, last[0], last[1], NULL), STIC_OK);
    }
}

// pairs + created - released, as a user would keep them
static void replay(Pairs* pairs, const SticBroadChanges* changes)
{
    int64_t kept = 0;
    for (int64_t i = 0; i < pairs->count; ++i) {
        const SticBoxPair* found = NULL;
        if (changes->released_count > 0)
            found = bsearch(&pairs->pair[i], changes->released, (size_t)changes->released_count,
                            sizeof *found, compare_pairs);
        if (found == NULL)
            pairs->pair[kept++] = pairs->pair[i];
    }
    // every release was of a pair that existed
    assert_int_equal(pairs->count - kept, changes->released_count);
    pairs->count = kept;
    for (int64_t i = 0; i < changes->created_count; ++i)
        pairs_add(pairs, changes->created[i].low, changes->created[i].high);
    if (pairs->count > 1)
        qsort(pairs->pair, (size_t)pairs->count, sizeof *pairs->pair, compare_pairs);
    for (int64_t i = 1; i < pairs->count; ++i)
        test_less(compare_pairs(&pairs->pair[i - 1], &pairs->pair[i]), 0);
}

static int64_t run_frames(int method, int32_t frames, uint64_t seed)
{
    const SticContext context = stic_context_default();
    SticRandom random = stic_random_create(seed);
    Model* model = calloc(1, sizeof *model);
    SticBroad* broad = make_broad(&context, method);
    Pairs kept = {0}, expected = {0};
    int64_t events = 0;
    for (int32_t frame = 0; frame < frames; ++frame) {
        bool used[MODEL_SIZE] = {false};
        const bool busy = frame % 5 == 0 || frame < 15;
        if (busy)
            change_exclusions(model, broad, &kept, &random);
        memcpy(used, model->alive, sizeof used);
        if (busy)
            delete_some(model, broad, &random);
        for (int32_t i = 0; i < MODEL_SIZE; ++i)
            used[i] = used[i] && !model->alive[i];
        if (busy)
            insert_some(model, broad, &random, used);
        disturb(model, broad, frame, &random);
        SticBroadChanges changes;
        // boxes of free handles are not read
        for (int32_t i = 0; i < model->slots; ++i)
            if (!model->alive[i])
                model->box[i].low.x = NAN;
        assert_int_equal(stic_broad_update(broad, model->box, &changes, NULL), STIC_OK);
        model_pairs(model, &expected);
        if (!same_pairs(changes.pairs, changes.pair_count, expected.pair, expected.count))
            fail_msg("%s, frame %d: %lld pairs instead of %lld", stic_broad_method_name(method),
                     (int)frame, (long long)changes.pair_count, (long long)expected.count);
        replay(&kept, &changes);
        if (!same_pairs(kept.pair, kept.count, expected.pair, expected.count))
            fail_msg("%s, frame %d: events do not add up", stic_broad_method_name(method),
                     (int)frame);
        events += changes.created_count + changes.released_count;
    }
    free(kept.pair);
    free(expected.pair);
    stic_broad_destroy(broad);
    free(model);
    return events;
}

static void events_replay_to_the_pairs(void** state)
{
    (void)state;
    int64_t events = 0;
    for (int method = 0; method < STIC_BROAD_METHOD_COUNT; ++method) {
        const int64_t mine = run_frames(method, 150, 5);
        if (method > 0)
            assert_int_equal(mine, events);
        events = mine;
    }
    for (uint64_t seed = 6; seed < 16; ++seed)
        events += run_frames(STIC_BROAD_TREE, 150, seed);
    print_message("%lld events replayed\n", (long long)events);
}

/* ---- rules ---- */

static int64_t count_pairs(SticBroad* broad)
{
    SticBroadChanges changes;
    assert_int_equal(stic_broad_update(broad, NULL, &changes, NULL), STIC_OK);
    return changes.pair_count;
}

static void groups_and_exclusions_hide_pairs(void** state)
{
    (void)state;
    const SticContext context = stic_context_default();
    for (int method = 0; method < STIC_BROAD_METHOD_COUNT; ++method) {
        SticBroad* broad = make_broad(&context, method);
        // four elements in a row at one place: 1-2, 2-3, 3-4 share nodes; two parts of a rigid body
        int32_t handle[6];
        for (int32_t i = 0; i < 6; ++i) {
            SticBroadItem item = {.box = {{0, 0, 0}, {1, 1, 1}}, .group = i < 4 ? 1 : 2};
            if (i < 4) {
                item.node_count = 2;
                item.node[0] = i;
                item.node[1] = i + 1;
            }
            assert_int_equal(stic_broad_insert(broad, &item, &handle[i], NULL), STIC_OK);
        }
        // 15 pairs, less three that share a node, less the rigid body with itself
        assert_int_equal(count_pairs(broad), 11);
        assert_int_equal(stic_broad_exclude(broad, handle[0], handle[5], NULL), STIC_OK);
        assert_int_equal(count_pairs(broad), 10);
        assert_int_equal(stic_broad_include(broad, handle[5], handle[0], NULL), STIC_OK);
        assert_int_equal(stic_broad_include(broad, handle[1], handle[5], NULL), STIC_OK);
        assert_int_equal(count_pairs(broad), 11);
        // an exclusion ends with its box: the next user of the handle is not excluded
        assert_int_equal(stic_broad_exclude(broad, handle[0], handle[5], NULL), STIC_OK);
        assert_int_equal(stic_broad_delete(broad, handle[5], NULL), STIC_OK);
        assert_int_equal(count_pairs(broad), 7);
        const SticBroadItem free_item = {.box = {{0, 0, 0}, {1, 1, 1}}};
        int32_t again = -1;
        assert_int_equal(stic_broad_insert(broad, &free_item, &again, NULL), STIC_OK);
        assert_int_equal(again, handle[5]);
        assert_int_equal(count_pairs(broad), 12);
        // the last word counts
        assert_int_equal(stic_broad_exclude(broad, 0, 4, NULL), STIC_OK);
        assert_int_equal(stic_broad_include(broad, 0, 4, NULL), STIC_OK);
        assert_int_equal(stic_broad_include(broad, 1, 4, NULL), STIC_OK);
        assert_int_equal(stic_broad_exclude(broad, 4, 1, NULL), STIC_OK);
        assert_int_equal(count_pairs(broad), 11);
        assert_int_equal(count_pairs(broad), 11);
        // not a pair
        SticError error = {0};
        assert_int_equal(stic_broad_exclude(broad, 1, 1, &error), STIC_BAD_ARGUMENT);
        assert_int_equal(stic_broad_exclude(broad, 1, 99, &error), STIC_BAD_ARGUMENT);
        assert_non_null(strstr(error.text, "99"));
        stic_broad_destroy(broad);
    }
}

static void far_heaps_need_no_more_memory(void** state)
{
    (void)state;
    enum { COUNT = 4000 };
    TestMemory memory;
    const SticContext context = test_memory_context(&memory), plain = stic_context_default();
    SticBroad* tree = make_broad(&context, STIC_BROAD_TREE);
    SticBroad* sweep = make_broad(&plain, STIC_BROAD_SWEEP_H2D);
    SticBounds* boxes = malloc(COUNT * sizeof *boxes);
    SticRandom random = stic_random_create(12);
    fill_heaps(boxes, COUNT, &random);
    insert_boxes(tree, boxes, COUNT);
    insert_boxes(sweep, boxes, COUNT);
    for (int frame = 0; frame < 6; ++frame) {
        SticBroadChanges a, b;
        for (int32_t i = 0; i < COUNT; ++i) {
            const double step = frame == 3 ? 0.0 : pick(&random, -0.02, 0.02);
            boxes[i].low.y += step, boxes[i].high.y += step;
        }
        assert_int_equal(stic_broad_update(tree, boxes, &a, NULL), STIC_OK);
        assert_int_equal(stic_broad_update(sweep, boxes, &b, NULL), STIC_OK);
        assert_true(same_pairs(a.pairs, a.pair_count, b.pairs, b.pair_count));
        assert_true(same_pairs(a.created, a.created_count, b.created, b.created_count));
        assert_true(same_pairs(a.released, a.released_count, b.released, b.released_count));
    }
    // one heap alone seems to have two million overlaps in single precision
    print_message("%zu kB at most\n", memory.peak_bytes / 1024);
    test_less(memory.peak_bytes, 8u << 20);
    stic_broad_destroy(tree);
    stic_broad_destroy(sweep);
    free(boxes);
    test_memory_check(&memory);
}

static void many_exclusions_are_cheap(void** state)
{
    (void)state;
    enum { COUNT = 450 };
    const SticContext context = stic_context_default();
    SticBroad* broad = make_broad(&context, STIC_BROAD_TREE);
    SticBounds boxes[COUNT];
    for (int32_t i = 0; i < COUNT; ++i)
        boxes[i] = (SticBounds){{0, 0, 0}, {1, 1, 1}};
    insert_boxes(broad, boxes, COUNT);
    // all 101025 pairs but those of neighbours in number, twice
    const double start = stic_timer_seconds();
    for (int round = 0; round < 2; ++round)
        for (int32_t a = 0; a < COUNT; ++a)
            for (int32_t b = COUNT - 1; b > a + 1; --b)
                assert_int_equal(stic_broad_exclude(broad, b, a, NULL), STIC_OK);
    assert_int_equal(count_pairs(broad), COUNT - 1);
    for (int32_t i = 0; i < COUNT; i += 2)
        assert_int_equal(stic_broad_delete(broad, i, NULL), STIC_OK);
    assert_int_equal(count_pairs(broad), 0);
    for (int32_t i = 3; i < COUNT; i += 2)
        assert_int_equal(stic_broad_include(broad, 1, i, NULL), STIC_OK);
    assert_int_equal(count_pairs(broad), COUNT / 2 - 1);
    print_message("200000 exclusions in %.0f ms\n", 1e3 * (stic_timer_seconds() - start));
    stic_broad_destroy(broad);
}

static void bad_boxes_are_refused(void** state)
{
    (void)state;
    const SticContext context = stic_context_default();
    const SticBounds good = {{0, 0, 0}, {1, 1, 1}};
    const SticBounds bad[] = {{{NAN, 0, 0}, {1, 1, 1}},
                              {{0, 0, 0}, {1, 1, NAN}},
                              {{0, 2, 0}, {1, 1, 1}},
                              {{0, 0, INFINITY}, {1, 1, INFINITY}},
                              {{-INFINITY, 0, 0}, {-INFINITY, 1, 1}}};
    const SticStatus expected[] = {STIC_NOT_FINITE, STIC_NOT_FINITE, STIC_BAD_DATA, STIC_NOT_FINITE,
                                   STIC_NOT_FINITE};
    for (int method = 0; method < STIC_BROAD_METHOD_COUNT; ++method) {
        SticBroad* broad = make_broad(&context, method);
        SticBounds boxes[3] = {good, good, good};
        insert_boxes(broad, boxes, 3);
        assert_int_equal(count_pairs(broad), 3);
        for (int i = 0; i < 5; ++i) {
            SticError error = {0};
            int32_t handle = 7;
            SticBroadChanges changes;
            const SticBroadItem item = {.box = bad[i]};
            assert_int_equal(stic_broad_insert(broad, &item, &handle, &error), expected[i]);
            assert_int_equal(handle, -1);
            assert_int_equal(stic_broad_move(broad, 1, &bad[i], &error), expected[i]);
            // the other boxes of a refused update do not count either
            boxes[0] = (SticBounds){{5, 5, 5}, {6, 6, 6}};
            boxes[2] = bad[i];
            assert_int_equal(stic_broad_update(broad, boxes, &changes, &error), expected[i]);
            assert_non_null(strstr(error.text, "handle 2"));
            assert_int_equal(stic_broad_update(broad, NULL, &changes, &error), STIC_OK);
            assert_int_equal(changes.pair_count, 3);
            assert_int_equal(changes.released_count, 0);
        }
        stic_broad_destroy(broad);
    }
    SticBroadSettings settings = stic_broad_default_settings();
    SticBroad* broad = NULL;
    settings.method = 99;
    assert_int_equal(stic_broad_create(&context, &settings, &broad, NULL), STIC_BAD_ARGUMENT);
    assert_null(broad);
}

static void one_box_can_be_moved(void** state)
{
    (void)state;
    const SticContext context = stic_context_default();
    const SticBounds boxes[2] = {{{0, 0, 0}, {1, 1, 1}}, {{3, 3, 3}, {4, 4, 4}}};
    const SticBounds near = {{0.5, 0.5, 0.5}, {1.5, 1.5, 1.5}}, bad = {{0, 2, 0}, {1, 1, 1}};
    for (int method = 0; method < STIC_BROAD_METHOD_COUNT; ++method) {
        SticBroad* broad = make_broad(&context, method);
        insert_boxes(broad, boxes, 2);
        assert_int_equal(count_pairs(broad), 0);
        assert_int_equal(stic_broad_move(broad, 1, &near, NULL), STIC_OK);
        assert_int_equal(stic_broad_move(broad, 1, &bad, NULL), STIC_BAD_DATA);
        assert_int_equal(stic_broad_move(broad, 2, &near, NULL), STIC_BAD_ARGUMENT);
        assert_int_equal(count_pairs(broad), 1);
        const SticBounds found[2] = {stic_broad_bounds(broad, 0), stic_broad_bounds(broad, 1)};
        assert_memory_equal(&found[0], &boxes[0], sizeof near);
        assert_memory_equal(&found[1], &near, sizeof near);
        stic_broad_destroy(broad);
    }
}

static void an_empty_broad_phase_has_no_pairs(void** state)
{
    (void)state;
    const SticContext context = stic_context_default();
    const SticBounds box = {{0, 0, 0}, {1, 1, 1}};
    for (int method = 0; method < STIC_BROAD_METHOD_COUNT; ++method) {
        SticBroad* broad = make_broad(&context, method);
        assert_int_equal(count_pairs(broad), 0);
        insert_boxes(broad, &box, 1);
        // deleted before it was ever seen
        assert_int_equal(stic_broad_delete(broad, 0, NULL), STIC_OK);
        assert_int_equal(stic_broad_delete(broad, 0, NULL), STIC_BAD_ARGUMENT);
        assert_int_equal(count_pairs(broad), 0);
        assert_int_equal(stic_broad_count(broad), 0);
        insert_boxes(broad, &box, 1);
        assert_int_equal(count_pairs(broad), 0);
        assert_true(stic_broad_alive(broad, 0));
        stic_broad_destroy(broad);
    }
    stic_broad_destroy(NULL);
    assert_string_equal(stic_broad_method_name(STIC_BROAD_SWEEP_PST2D), "sweep-pst2d");
}

/* ---- queries ---- */

static void queries_match_a_full_search(void** state)
{
    (void)state;
    const SticContext context = stic_context_default();
    SticBounds boxes[600];
    SticRandom random = stic_random_create(2);
    fill_infinite(boxes, 600, &random);
    for (int method = 0; method < STIC_BROAD_METHOD_COUNT; method += STIC_BROAD_BRUTE) {
        SticBroad* broad = make_broad(&context, method);
        insert_boxes(broad, boxes, 500);
        SticBroadChanges changes;
        assert_int_equal(stic_broad_update(broad, NULL, &changes, NULL), STIC_OK);
        // some in the late tree, some deleted
        for (int32_t i = 500; i < 600; ++i) {
            int32_t handle = -1;
            const SticBroadItem item = {.box = boxes[i]};
            assert_int_equal(stic_broad_insert(broad, &item, &handle, NULL), STIC_OK);
        }
        for (int32_t i = 0; i < 600; i += 9)
            assert_int_equal(stic_broad_delete(broad, i, NULL), STIC_OK);
        assert_int_equal(stic_broad_update(broad, NULL, &changes, NULL), STIC_OK);
        for (int trial = 0; trial < 200; ++trial) {
            const SticBounds box = make_box(anywhere(&random), 0.3, 0.01, 0.3);
            const int32_t* list = NULL;
            int32_t count = 0, at = 0;
            assert_int_equal(stic_broad_query_box(broad, &box, &list, &count), STIC_OK);
            for (int32_t i = 0; i < 600; ++i)
                if (i % 9 != 0 && boxes_meet(&box, &boxes[i])) {
                    test_less(at, count);
                    assert_int_equal(list[at++], i);
                }
            assert_int_equal(at, count);
        }
        stic_broad_destroy(broad);
    }
}

static void rays_hit_the_same_boxes_with_every_method(void** state)
{
    (void)state;
    const SticContext context = stic_context_default();
    SticBounds boxes[600];
    SticRandom random = stic_random_create(4);
    fill_infinite(boxes, 600, &random);
    SticBroad* tree = make_broad(&context, STIC_BROAD_TREE);
    SticBroad* brute = make_broad(&context, STIC_BROAD_BRUTE);
    insert_boxes(tree, boxes, 600);
    insert_boxes(brute, boxes, 600);
    assert_int_equal(count_pairs(tree), count_pairs(brute));
    int64_t total = 0;
    for (int trial = 0; trial < 300; ++trial) {
        const SticVec3 origin = anywhere(&random);
        SticVec3 direction = random_unit(&random);
        if (trial % 10 == 0)
            direction = (SticVec3){0.0, trial % 20 ? 1.0 : -2.0, 0.0};
        const double reach = trial % 7 == 0 ? INFINITY : pick(&random, 0, 3);
        const SticBroadHit *hit = NULL, *other = NULL;
        int32_t count = 0, other_count = 0;
        assert_int_equal(stic_broad_query_ray(tree, origin, direction, reach, &hit, &count),
                         STIC_OK);
        assert_int_equal(
            stic_broad_query_ray(brute, origin, direction, reach, &other, &other_count), STIC_OK);
        assert_int_equal(count, other_count);
        for (int32_t i = 0; i < count; ++i) {
            assert_int_equal(hit[i].handle, other[i].handle);
            test_equal(hit[i].entry, other[i].entry);
            if (i != 0) {
                test_at_least(hit[i].entry, hit[i - 1].entry);
            }
            // the point of entry lies in the box, or at the origin
            const double s = hit[i].entry;
            const SticVec3 p = {origin.x + s * direction.x, origin.y + s * direction.y,
                                origin.z + s * direction.z};
            const SticBounds near = make_box(p, 1e-12, 1e-12, 1e-12);
            assert_true(boxes_meet(&near, &boxes[hit[i].handle]));
        }
        total += count;
    }
    print_message("%lld boxes hit by 300 rays\n", (long long)total);
    test_greater(total, 1000);
    // a ray that starts at a box must not miss it
    const SticBroadHit* hit = NULL;
    int32_t count = 0;
    assert_int_equal(
        stic_broad_query_ray(tree, (SticVec3){NAN, 0, 0}, (SticVec3){1, 0, 0}, 1, &hit, &count),
        STIC_BAD_ARGUMENT);
    stic_broad_destroy(tree);
    stic_broad_destroy(brute);
}

static void neighbours_list_the_pairs(void** state)
{
    (void)state;
    const SticContext context = stic_context_default();
    SticBounds boxes[1000];
    fill_cubes(SET_ADJACENT, boxes, 1000);
    SticBroad* broad = make_broad(&context, STIC_BROAD_TREE);
    insert_boxes(broad, boxes, 1000);
    SticBroadChanges changes;
    assert_int_equal(stic_broad_update(broad, NULL, &changes, NULL), STIC_OK);
    int64_t total = 0;
    for (int32_t i = 0; i < 1000; ++i) {
        const int32_t* list = NULL;
        int32_t count = 0;
        assert_int_equal(stic_broad_neighbours(broad, i, &list, &count), STIC_OK);
        for (int32_t k = 0; k < count; ++k) {
            if (k != 0) {
                test_greater(list[k], list[k - 1]);
            }
            const SticBoxPair pair = {i < list[k] ? i : list[k], i < list[k] ? list[k] : i};
            assert_non_null(bsearch(&pair, changes.pairs, (size_t)changes.pair_count, sizeof pair,
                                    compare_pairs));
        }
        total += count;
    }
    assert_int_equal(total, 2 * changes.pair_count);
    // a newcomer has no neighbours before the next update
    int32_t handle = -1;
    const int32_t* list = NULL;
    int32_t count = 1;
    const SticBroadItem item = {.box = boxes[0]};
    assert_int_equal(stic_broad_insert(broad, &item, &handle, NULL), STIC_OK);
    assert_int_equal(stic_broad_neighbours(broad, handle, &list, &count), STIC_OK);
    assert_int_equal(count, 0);
    assert_int_equal(stic_broad_neighbours(broad, -1, &list, &count), STIC_BAD_ARGUMENT);
    stic_broad_destroy(broad);
}

/* ---- threads, memory ---- */

static void threads_change_nothing(void** state)
{
    (void)state;
    enum { COUNT = 20000, THREADS = 3 };
    SticContext context[THREADS];
    SticPool* pool[THREADS] = {NULL};
    SticBroad* broad[THREADS];
    BoxSet set = set_create(SET_RANDOM, COUNT, 3);
    set_size(&set, 10.0);
    for (int t = 0; t < THREADS; ++t) {
        context[t] = stic_context_default();
        if (t > 0) {
            assert_int_equal(stic_pool_create(&context[t], t + 1, &pool[t]), STIC_OK);
            context[t].pool = pool[t];
        }
        broad[t] = make_broad(&context[t], STIC_BROAD_TREE);
        insert_boxes(broad[t], set.box, COUNT);
    }
    SticRandom random = stic_random_create(1);
    int64_t events = 0;
    for (int frame = 0; frame < 24; ++frame) {
        if (frame == 12)
            set_shuffle(&set, &random);
        set_move(&set, frame % 6 == 0 ? 0.3 : 0.01);
        SticBroadChanges changes[THREADS];
        for (int t = 0; t < THREADS; ++t) {
            if (frame == 5)
                for (int32_t i = 0; i < COUNT; i += 11)
                    assert_int_equal(stic_broad_delete(broad[t], i, NULL), STIC_OK);
            assert_int_equal(stic_broad_update(broad[t], set.box, &changes[t], NULL), STIC_OK);
            assert_true(same_pairs(changes[0].pairs, changes[0].pair_count, changes[t].pairs,
                                   changes[t].pair_count));
            assert_true(same_pairs(changes[0].created, changes[0].created_count, changes[t].created,
                                   changes[t].created_count));
            assert_true(same_pairs(changes[0].released, changes[0].released_count,
                                   changes[t].released, changes[t].released_count));
        }
        events += changes[0].created_count + changes[0].released_count;
    }
    print_message("%lld events, the same with 1, 2 and 3 threads\n", (long long)events);
    for (int t = 0; t < THREADS; ++t) {
        stic_broad_destroy(broad[t]);
        stic_pool_destroy(pool[t]);
    }
    set_destroy(&set);
}

// insert, update, delete, query with one method
static SticStatus use_broad(const SticContext* context, void* self)
{
    SticBroadSettings settings = stic_broad_default_settings();
    SticBroad* broad = NULL;
    SticBroadChanges changes;
    SticRandom random = stic_random_create(8);
    const int32_t* list = NULL;
    const SticBroadHit* hits = NULL;
    int32_t handle = 0, count = 0;
    settings.method = *(const int*)self;
    STIC_TRY(stic_broad_create(context, &settings, &broad, NULL));
    SticStatus status = STIC_OK;
    for (int round = 0; round < 3 && status == STIC_OK; ++round) {
        for (int32_t i = 0; i < 40 && status == STIC_OK; ++i) {
            const SticBroadItem item = {.box = make_box(anywhere(&random), 0.6, 0.6, 0.6),
                                        .group = i % 5,
                                        .node_count = i % 3 + 1,
                                        .node = {i % 4, i % 7, i % 3}};
            status = stic_broad_insert(broad, &item, &handle, NULL);
        }
        if (status == STIC_OK && round == 1)
            status = stic_broad_delete(broad, 3, NULL);
        if (status == STIC_OK)
            status = stic_broad_exclude(broad, 10 + round, 11, NULL) == STIC_OUT_OF_MEMORY
                         ? STIC_OUT_OF_MEMORY
                         : STIC_OK;
        if (status == STIC_OK)
            status = stic_broad_update(broad, NULL, &changes, NULL);
        if (status == STIC_OK)
            status = stic_broad_neighbours(broad, 1, &list, &count);
        if (status == STIC_OK)
            status = stic_broad_query_ray(broad, (SticVec3){-3, 0, 0}, (SticVec3){1, 0, 0}, 9,
                                          &hits, &count);
    }
    stic_broad_destroy(broad);
    return status;
}

static void failing_memory_leaks_nothing(void** state)
{
    (void)state;
    for (int method = 0; method < STIC_BROAD_METHOD_COUNT; ++method)
        test_greater(test_fail_every_allocation(use_broad, &method), 8);
}

static void a_failed_update_loses_no_event(void** state)
{
    (void)state;
    enum { COUNT = 300 };
    for (int method = 0; method < STIC_BROAD_METHOD_COUNT; ++method) {
        int64_t failures = 0;
        TestMemory memory;
        const SticContext context = test_memory_context(&memory);
        SticBroad* broad = make_broad(&context, method);
        Model* model = calloc(1, sizeof *model);
        Pairs kept = {0}, expected = {0};
        SticRandom random = stic_random_create(9);
        for (int frame = 0; frame < 12; ++frame) {
            for (int32_t i = 0; i < 25; ++i) {
                const SticBroadItem item = {.box = make_box(anywhere(&random), 0.3, 0.3, 0.3)};
                int32_t handle = -1;
                assert_int_equal(stic_broad_insert(broad, &item, &handle, NULL), STIC_OK);
                model->alive[handle] = true;
                model->box[handle] = item.box;
                model->slots = handle >= model->slots ? handle + 1 : model->slots;
            }
            if (frame % 3 == 2) {
                assert_int_equal(stic_broad_delete(broad, 2 * frame, NULL), STIC_OK);
                model->alive[2 * frame] = false;
            }
            // fail once, twice, … until it works
            SticBroadChanges changes;
            SticStatus status = STIC_OUT_OF_MEMORY;
            for (int64_t depth = 1; status != STIC_OK; ++depth) {
                memory.fail_at = memory.calls + depth;
                status = stic_broad_update(broad, model->box, &changes, NULL);
                assert_true(status == STIC_OK || status == STIC_OUT_OF_MEMORY);
                failures += status != STIC_OK;
            }
            memory.fail_at = 0;
            model_pairs(model, &expected);
            assert_true(
                same_pairs(changes.pairs, changes.pair_count, expected.pair, expected.count));
            replay(&kept, &changes);
            assert_true(same_pairs(kept.pair, kept.count, expected.pair, expected.count));
        }
        print_message("%-12s %lld updates failed on the way\n", stic_broad_method_name(method),
                      (long long)failures);
        test_greater(failures, 3);
        free(kept.pair);
        free(expected.pair);
        free(model);
        stic_broad_destroy(broad);
        test_memory_check(&memory);
    }
}

static void warm_updates_do_not_allocate(void** state)
{
    (void)state;
    enum { COUNT = 1000 };
    for (int method = 0; method < STIC_BROAD_METHOD_COUNT; ++method) {
        TestMemory memory;
        const SticContext context = test_memory_context(&memory);
        SticBroad* broad = make_broad(&context, method);
        BoxSet set = set_create(SET_RANDOM, COUNT, 3);
        set_size(&set, 10.0);
        insert_boxes(broad, set.box, COUNT);
        SticRandom random = stic_random_create(1);
        SticBroadChanges changes;
        int64_t calls = 0;
        const double side = set.side;
        for (int frame = 0; frame < 100; ++frame) {
            // warm up with boxes a little larger than later
            set.side = frame < 40 ? 1.1 * side : side;
            if (frame % 20 == 10)
                set_shuffle(&set, &random);
            set_move(&set, frame % 5 == 0 ? 0.1 : frame % 2 ? 0.003 : -0.003);
            if (frame == 40)
                calls = memory.calls;
            assert_int_equal(stic_broad_update(broad, set.box, &changes, NULL), STIC_OK);
        }
        print_message("%-12s %7zu kB held, %lld allocations, %lld of them when warm\n",
                      stic_broad_method_name(method), memory.live_bytes / 1024,
                      (long long)memory.calls, (long long)(memory.calls - calls));
        assert_int_equal(memory.calls, calls);
        stic_broad_destroy(broad);
        set_destroy(&set);
        test_memory_check(&memory);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(methods_agree_on_every_set),
        cmocka_unit_test(touching_boxes_overlap),
        cmocka_unit_test(events_replay_to_the_pairs),
        cmocka_unit_test(groups_and_exclusions_hide_pairs),
        cmocka_unit_test(far_heaps_need_no_more_memory),
        cmocka_unit_test(many_exclusions_are_cheap),
        cmocka_unit_test(bad_boxes_are_refused),
        cmocka_unit_test(one_box_can_be_moved),
        cmocka_unit_test(an_empty_broad_phase_has_no_pairs),
        cmocka_unit_test(queries_match_a_full_search),
        cmocka_unit_test(rays_hit_the_same_boxes_with_every_method),
        cmocka_unit_test(neighbours_list_the_pairs),
        cmocka_unit_test(threads_change_nothing),
        cmocka_unit_test(failing_memory_leaks_nothing),
        cmocka_unit_test(a_failed_update_loses_no_event),
        cmocka_unit_test(warm_updates_do_not_allocate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
