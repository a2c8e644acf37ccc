// SPDX-License-Identifier: Apache-2.0
// The default method: a packed tree of enlarged boxes and the list of their overlaps.
//
// Each box lies in an enlarged one; pairs of overlapping enlarged boxes are the candidates, and
// every update tests just those (a Verlet list with a margin per box). Only a box that left its
// enlarged box is given a new one and searched for. Boxes that left since the last full search, and
// new ones, are in a second, late tree that is built again when it changes; once it holds a quarter
// of all boxes, everything is ordered, enlarged and searched for anew.
//
// Margins. With extent s, motion d per update and margin m along each axis, testing the candidates
// costs about c1 (1 + 2 m/s)^3 per box and update, searching c2 d/m. The sum is least where
// (m/s)^2 (1 + 2 m/s)^2 = c2/(6 c1) d/s, a quadratic equation for m/s; GAIN stands for c2/(6 c1)
// and was measured. d is the mean motion since the box was enlarged last. A box that would leave
// within two updates gets no margin at all.
//
// Steps of an update: 1. take the new boxes over, find those that left; 2. search for them, or for
// all; 3. merge what was found into the candidates, test them, write pairs and events
// (tree_candidates.c). O(n + k) while boxes move little, O(n log n + k) in any case with k
// candidates. No result depends on the margins, the trees or the number of threads.
#include "collide/tree_method.h"

enum {
    SLOTS_A_CHUNK = 4096,
    LATE_SHARE = 4, // full search once 1/LATE_SHARE of the boxes are late
    SAMPLE = 127    // boxes looked at for origin and typical size
};

static const float GAIN = 2.0f;
static const float FASTEST = 0.174f;         // motion, in extents, for which m = 2 d with that GAIN
static const float SLOWEST = 1.0f / 4096.0f; // motion of a box at rest, in extents
static const float UNKNOWN = 1.0f / 1024.0f; // motion of a new box, in extents

// a box that meets nothing
static void empty_box(SticFloatBox* box)
{
    for (int k = 0; k < 3; ++k) {
        box->low[k] = INFINITY;
        box->high[k] = -INFINITY;
    }
    box->low[3] = 0.0f;
    box->high[3] = 1.0f;
}

SticStatus stic_tree_method_create(SticBroad* broad)
{
    STIC_TRY(STIC_ALLOCATE(&broad->context, &broad->tree, 1));
    broad->tree->written_shift = -1;
    broad->tree->candidates.shift = stic_segments_shift(0);
    return STIC_OK;
}

void stic_tree_method_destroy(SticBroad* broad)
{
    const SticContext* context = &broad->context;
    SticTreeMethod* tree = broad->tree;
    if (tree == NULL)
        return;
    STIC_RELEASE(context, tree->tight, tree->tight_capacity);
    STIC_RELEASE(context, tree->fat, tree->fat_capacity);
    STIC_RELEASE(context, tree->position, tree->position_capacity);
    STIC_RELEASE(context, tree->renewed, tree->renewed_capacity);
    stic_packed_release(context, &tree->main);
    stic_packed_release(context, &tree->late);
    STIC_RELEASE(context, tree->late_items.handle, tree->late_items.capacity);
    STIC_RELEASE(context, tree->touched.handle, tree->touched.capacity);
    STIC_RELEASE(context, tree->items.handle, tree->items.capacity);
    stic_packed_order_release(context, &tree->order);
    STIC_RELEASE(context, tree->chunk_touched, tree->chunk_touched_capacity);
    STIC_RELEASE(context, tree->chunk_bad, tree->chunk_bad_capacity);
    for (size_t i = 0; i < tree->lists_capacity; ++i)
        STIC_RELEASE(context, tree->lists[i].key, tree->lists[i].capacity);
    STIC_RELEASE(context, tree->lists, tree->lists_capacity);
    STIC_RELEASE(context, tree->list_status, tree->list_status_capacity);
    stic_pairs_sort_release(context, &tree->sort);
    stic_segments_release(context, &tree->found);
    stic_segments_release(context, &tree->candidates);
    stic_segments_release(context, &tree->merged);
    STIC_RELEASE(context, tree->count, tree->count_capacity);
    STIC_RELEASE(context, tree, 1);
    broad->tree = NULL;
}

SticStatus stic_tree_method_reserve(SticBroad* broad, int32_t slots)
{
    STIC_ASSERT(slots >= 0);
    SticTreeMethod* tree = broad->tree;
    const SticContext* context = &broad->context;
    STIC_TRY(STIC_RESERVE(context, &tree->tight, &tree->tight_capacity, slots));
    STIC_TRY(STIC_RESERVE(context, &tree->fat, &tree->fat_capacity, slots));
    STIC_TRY(STIC_RESERVE(context, &tree->position, &tree->position_capacity, slots));
    STIC_TRY(STIC_RESERVE(context, &tree->renewed, &tree->renewed_capacity, slots));
    const int32_t chunks = stic_chunk_count(slots, SLOTS_A_CHUNK);
    STIC_TRY(STIC_RESERVE(context, &tree->chunk_touched, &tree->chunk_touched_capacity, chunks));
    STIC_TRY(STIC_RESERVE(context, &tree->chunk_bad, &tree->chunk_bad_capacity, chunks));
    STIC_TRY(STIC_RESERVE(context, &tree->touched.handle, &tree->touched.capacity, slots));
    STIC_TRY(STIC_RESERVE(context, &tree->items.handle, &tree->items.capacity, slots));
    return STIC_RESERVE(context, &tree->late_items.handle, &tree->late_items.capacity, slots);
}

void stic_tree_method_insert(SticBroad* broad, int32_t slot)
{
    STIC_ASSERT(slot >= 0);
    SticTreeMethod* tree = broad->tree;
    tree->position[slot] = -1;
    tree->renewed[slot] = 0;
    empty_box(&tree->tight[slot]);
    broad->state[slot] |= STIC_SLOT_TOUCHED;
}

/* ---- 1. the new boxes ---- */

typedef struct Stage {
    SticBroad* broad;
    const unsigned char* from; // boxes, by slot
    SticBox* to;               // NULL: they are those already stored
} Stage;

static bool inside(const SticFloatBox* box, const SticFloatBox* around)
{
#if defined(__SSE2__)
    const __m128 out = _mm_or_ps(_mm_cmplt_ps(_mm_load_ps(box->low), _mm_load_ps(around->low)),
                                 _mm_cmpgt_ps(_mm_load_ps(box->high), _mm_load_ps(around->high)));
    return _mm_movemask_ps(out) == 0;
#else
    bool in = true;
    for (int k = 0; k < 3; ++k)
        in &= (box->low[k] >= around->low[k]) & (box->high[k] <= around->high[k]);
    return in;
#endif
}

static void stage_chunk(void* self, int32_t index)
{
    const Stage* stage = self;
    SticBroad* broad = stage->broad;
    SticTreeMethod* tree = broad->tree;
    const int32_t first = index * SLOTS_A_CHUNK;
    const int32_t last =
        broad->slots - first < SLOTS_A_CHUNK ? broad->slots : first + SLOTS_A_CHUNK;
    int32_t touched = 0, bad = -1;
    for (int32_t i = first; i < last; ++i) {
        if (!(broad->state[i] & STIC_SLOT_LIVE))
            continue;
        SticBox box;
        memcpy(&box, stage->from + (size_t)i * sizeof box, sizeof box);
        if (!stic_box_valid(&box)) {
            bad = i;
            break;
        }
        if (stage->to != NULL)
            stage->to[i] = box;
        tree->tight[i] = stic_packed_map_box(&box, tree->origin);
        if (!inside(&tree->tight[i], &tree->fat[i]) || (broad->state[i] & STIC_SLOT_COARSE))
            broad->state[i] |= STIC_SLOT_TOUCHED;
        touched += (broad->state[i] & STIC_SLOT_TOUCHED) != 0;
    }
    tree->chunk_touched[index] = touched;
    tree->chunk_bad[index] = bad;
}

// map all boxes, mark those that left; a bad box leaves everything as it was
static SticStatus stage_boxes(SticBroad* broad, const SticBounds* boxes, SticError* error)
{
    SticTreeMethod* tree = broad->tree;
    const int32_t chunks = stic_chunk_count(broad->slots, SLOTS_A_CHUNK);
    Stage stage = {.broad = broad,
                   .from = boxes != NULL ? (const unsigned char*)boxes
                                         : (const unsigned char*)broad->box,
                   .to = boxes != NULL ? broad->staged : NULL};
    stic_pool_run(broad->context.pool, chunks, stage_chunk, &stage);
    for (int32_t c = 0; c < chunks; ++c) {
        const int32_t bad = tree->chunk_bad[c];
        if (bad < 0)
            continue;
        const SticStatus status = stic_box_check(&boxes[bad], bad, error);
        // marks may stay, they only cost a search
        stage.from = (const unsigned char*)broad->box;
        stage.to = NULL;
        stic_pool_run(broad->context.pool, chunks, stage_chunk, &stage);
        return status;
    }
    if (boxes != NULL) {
        SticBox* swapped = broad->box;
        broad->box = broad->staged;
        broad->staged = swapped;
        const size_t capacity = broad->box_capacity;
        broad->box_capacity = broad->staged_capacity;
        broad->staged_capacity = capacity;
    }
    return STIC_OK;
}

static int32_t count_touched(const SticBroad* broad)
{
    int32_t total = 0;
    for (int32_t c = 0; c < stic_chunk_count(broad->slots, SLOTS_A_CHUNK); ++c)
        total += broad->tree->chunk_touched[c];
    return total;
}

static void list_touched(SticBroad* broad)
{
    SticHandleList* list = &broad->tree->touched;
    list->count = 0;
    for (int32_t c = 0; c < stic_chunk_count(broad->slots, SLOTS_A_CHUNK); ++c) {
        if (broad->tree->chunk_touched[c] == 0)
            continue;
        for (int32_t i = c * SLOTS_A_CHUNK; i < (c + 1) * SLOTS_A_CHUNK && i < broad->slots; ++i)
            if ((broad->state[i] & STIC_SLOT_LIVE) && (broad->state[i] & STIC_SLOT_TOUCHED))
                list->handle[list->count++] = i;
    }
}

/* ---- 2. enlarged boxes ---- */

static float middle(const SticFloatBox* box, int axis)
{
    return 0.5f * box->low[axis] + 0.5f * box->high[axis];
}

// margins along the axes; see the top of the file
static void choose_margin(const SticTreeMethod* tree, int32_t slot, float margin[3])
{
    const SticFloatBox *tight = &tree->tight[slot], *fat = &tree->fat[slot];
    const uint32_t made = tree->renewed[slot];
    for (int k = 0; k < 3; ++k) {
        const float length = tight->high[k] - tight->low[k];
        const float size = length > tree->typical ? length : tree->typical;
        // an unbounded side has no size to measure a margin by, nor has a point
        if (!(size < 0.25f * FLT_MAX) || !(size > 0.0f)) {
            margin[k] = 0.0f;
            continue;
        }
        float motion = UNKNOWN * size;
        if (made != 0 && tree->update > made)
            motion = fabsf(middle(tight, k) - middle(fat, k)) / (float)(tree->update - made);
        motion = motion > SLOWEST * size ? motion : SLOWEST * size;
        if (motion > FASTEST * size) {
            margin[0] = margin[1] = margin[2] = 0.0f;
            return;
        }
        const float root = sqrtf(GAIN * (motion / size));
        margin[k] = 0.25f * (sqrtf(1.0f + 8.0f * root) - 1.0f) * size;
    }
}

// Whether single precision has less than eight steps along a side. Many such boxes at one place
// would all seem to overlap; they are searched for at every update and compared exactly.
static bool is_coarse(const SticFloatBox* tight, const SticBox* box)
{
    for (int k = 0; k < 3; ++k) {
        const double length = box->high[k] - box->low[k];
        const double far = fabs((double)tight->low[k]) + fabs((double)tight->high[k]);
        if (length > 0.0 && length < 4.0 * (double)FLT_EPSILON * far)
            return true;
    }
    return false;
}

static void enlarge(SticBroad* broad, int32_t slot, const float margin[3])
{
    SticTreeMethod* tree = broad->tree;
    const SticFloatBox* tight = &tree->tight[slot];
    SticFloatBox* fat = &tree->fat[slot];
    *fat = *tight;
    tree->renewed[slot] = tree->update;
    broad->state[slot] &= (uint8_t)~STIC_SLOT_COARSE;
    if (is_coarse(tight, &broad->box[slot])) {
        broad->state[slot] |= STIC_SLOT_COARSE;
        return;
    }
    for (int k = 0; k < 3; ++k) {
        const float low = tight->low[k] - margin[k], high = tight->high[k] + margin[k];
        fat->low[k] = low > -FLT_MAX ? low : -FLT_MAX;
        fat->high[k] = high < FLT_MAX ? high : FLT_MAX;
    }
}

static double median(double* values, int count)
{
    for (int i = 1; i < count; ++i) {
        const double value = values[i];
        int at = i;
        for (; at > 0 && values[at - 1] > value; --at)
            values[at] = values[at - 1];
        values[at] = value;
    }
    return count > 0 ? values[count / 2] : 0.0;
}

// Middle and typical size of a sample. The origin moves only if the boxes lie far from it for their
// spread, where single precision would be wasted; true if it moved. The spread is that of the
// denser half, so that of two far heaps at least one is seen sharply.
static bool choose_origin(SticBroad* broad)
{
    SticTreeMethod* tree = broad->tree;
    double sample[3][SAMPLE], size[SAMPLE];
    int count[3] = {0, 0, 0}, sizes = 0;
    const int32_t stride = broad->slots / SAMPLE + 1;
    for (int32_t i = 0; i < broad->slots; i += stride) {
        if (!(broad->state[i] & STIC_SLOT_LIVE))
            continue;
        const SticBox* box = &broad->box[i];
        double smallest = DBL_MAX;
        for (int k = 0; k < 3; ++k) {
            const double centre = 0.5 * box->low[k] + 0.5 * box->high[k];
            const double length = box->high[k] - box->low[k];
            smallest = length < smallest ? length : smallest;
            if (isfinite(centre))
                sample[k][count[k]++] = centre;
        }
        size[sizes++] = smallest;
    }
    tree->typical = stic_packed_map(median(size, sizes), 0.0);
    bool moved = false;
    for (int k = 0; k < 3; ++k) {
        const double centre = median(sample[k], count[k]);
        const double left = count[k] > 0 ? centre - sample[k][count[k] / 4] : 0.0;
        const double right = count[k] > 0 ? sample[k][count[k] * 3 / 4] - centre : 0.0;
        const double spread = left < right ? left : right;
        const double far = fabs(centre - tree->origin[k]);
        if (far > 4.0 * (spread + (double)tree->typical)) {
            tree->origin[k] = centre;
            moved = true;
        }
    }
    return moved;
}

typedef struct Renewal {
    SticBroad* broad;
    bool moved; // the origin
} Renewal;

static void renew_chunk(void* self, int32_t index)
{
    const Renewal* renewal = self;
    SticBroad* broad = renewal->broad;
    SticTreeMethod* tree = broad->tree;
    const int32_t first = index * SLOTS_A_CHUNK;
    const int32_t last =
        broad->slots - first < SLOTS_A_CHUNK ? broad->slots : first + SLOTS_A_CHUNK;
    for (int32_t i = first; i < last; ++i) {
        if (!(broad->state[i] & STIC_SLOT_LIVE))
            continue;
        float margin[3];
        choose_margin(tree, i, margin);
        if (renewal->moved)
            tree->tight[i] = stic_packed_map_box(&broad->box[i], tree->origin);
        enlarge(broad, i, margin);
    }
}

/* ---- 3. searches ---- */

static SticStatus reserve_lists(SticBroad* broad, int32_t count)
{
    SticTreeMethod* tree = broad->tree;
    STIC_TRY(STIC_RESERVE(&broad->context, &tree->lists, &tree->lists_capacity, count));
    STIC_TRY(STIC_RESERVE(&broad->context, &tree->list_status, &tree->list_status_capacity, count));
    for (int32_t i = 0; i < count; ++i)
        tree->lists[i].count = 0;
    return STIC_OK;
}

static SticPackedSearch make_search(const SticBroad* broad, const SticPackedTree* a,
                                    const SticPackedTree* b)
{
    const SticPackedSearch search = {.context = &broad->context,
                                     .a = a,
                                     .b = b,
                                     .filter =
                                         stic_filter_active(&broad->filter) ? &broad->filter : NULL,
                                     .exact = broad->tree->coarse ? broad : NULL};
    return search;
}

static SticStatus run_search(SticPackedSearch* search)
{
    const int32_t chunks = stic_packed_search_chunks(search);
    stic_pool_run(search->context->pool, chunks, stic_packed_search_chunk, search);
    for (int32_t i = 0; i < chunks; ++i)
        STIC_TRY(search->status[i]);
    return STIC_OK;
}

// everything anew: margins, order, tree, pairs
static SticStatus search_all(SticBroad* broad)
{
    SticTreeMethod* tree = broad->tree;
    const SticContext* context = &broad->context;
    Renewal renewal = {.broad = broad, .moved = choose_origin(broad)};
    stic_pool_run(context->pool, stic_chunk_count(broad->slots, SLOTS_A_CHUNK), renew_chunk,
                  &renewal);
    SticHandleList* items = &tree->items;
    items->count = 0;
    tree->coarse = false;
    for (int32_t i = 0; i < broad->slots; ++i)
        if (broad->state[i] & STIC_SLOT_LIVE) {
            items->handle[items->count++] = i;
            tree->coarse |= (broad->state[i] & STIC_SLOT_COARSE) != 0;
        }
    const int32_t count = (int32_t)items->count;
    STIC_TRY(stic_packed_order(context, &tree->order, tree->fat, items->handle, count));
    STIC_TRY(stic_packed_build(context, &tree->main, tree->fat, items->handle, count));
    for (int32_t i = 0; i < count; ++i)
        tree->position[items->handle[i]] = i;
    tree->late_items.count = 0;
    STIC_TRY(stic_packed_build(context, &tree->late, tree->fat, NULL, 0));

    SticPackedSearch search = make_search(broad, &tree->main, &tree->main);
    search.a_blocks = tree->main.blocks[1];
    search.same = true;
    const int32_t lists = stic_packed_search_chunks(&search);
    STIC_TRY(reserve_lists(broad, lists));
    search.lists = tree->lists;
    search.status = tree->list_status;
    STIC_TRY(run_search(&search));
    return stic_pairs_sort(context, &tree->sort, tree->lists, lists, broad->slots, &tree->found);
}

// touched boxes leave the main tree and head the late one
static SticStatus build_late(SticBroad* broad)
{
    SticTreeMethod* tree = broad->tree;
    const SticContext* context = &broad->context;
    SticHandleList *items = &tree->items, *late = &tree->late_items;
    items->count = 0;
    for (size_t i = 0; i < tree->touched.count; ++i) {
        const int32_t slot = tree->touched.handle[i];
        if (tree->position[slot] >= 0)
            stic_packed_remove(&tree->main, tree->position[slot]);
        tree->position[slot] = -1;
        float margin[3];
        choose_margin(tree, slot, margin);
        enlarge(broad, slot, margin);
        tree->coarse |= (broad->state[slot] & STIC_SLOT_COARSE) != 0;
        items->handle[items->count++] = slot;
    }
    for (size_t i = 0; i < late->count; ++i)
        if (!(broad->state[late->handle[i]] & STIC_SLOT_TOUCHED))
            items->handle[items->count++] = late->handle[i];
    const int32_t first = (int32_t)tree->touched.count, count = (int32_t)items->count;
    STIC_TRY(stic_packed_order(context, &tree->order, tree->fat, items->handle, first));
    STIC_TRY(
        stic_packed_order(context, &tree->order, tree->fat, items->handle + first, count - first));
    STIC_TRY(stic_packed_build(context, &tree->late, tree->fat, items->handle, count));
    memcpy(late->handle, items->handle, items->count * sizeof *late->handle);
    late->count = items->count;
    return STIC_OK;
}

// the touched boxes against both trees
static SticStatus search_touched(SticBroad* broad)
{
    SticTreeMethod* tree = broad->tree;
    const SticContext* context = &broad->context;
    STIC_TRY(build_late(broad));
    const int32_t boxes_a_node = STIC_LANES * STIC_LANES;
    SticPackedSearch search = make_search(broad, &tree->late, &tree->main);
    search.a_blocks = ((int32_t)tree->touched.count + boxes_a_node - 1) / boxes_a_node;
    const int32_t lists = stic_packed_search_chunks(&search);
    STIC_TRY(reserve_lists(broad, 2 * lists));
    search.lists = tree->lists;
    search.status = tree->list_status;
    STIC_TRY(run_search(&search));
    search.b = &tree->late;
    search.same = true;
    search.lists = tree->lists + lists;
    search.status = tree->list_status + lists;
    STIC_TRY(run_search(&search));
    return stic_pairs_sort(context, &tree->sort, tree->lists, 2 * lists, broad->slots,
                           &tree->found);
}

// deleted boxes: out of the trees, never to meet anything again
static void drop_gone(SticBroad* broad)
{
    SticTreeMethod* tree = broad->tree;
    for (size_t i = 0; i < broad->gone.count; ++i) {
        const int32_t slot = broad->gone.handle[i];
        if (tree->ready && tree->position[slot] >= 0)
            stic_packed_remove(&tree->main, tree->position[slot]);
        tree->position[slot] = -1;
        tree->renewed[slot] = 0;
        empty_box(&tree->tight[slot]);
        broad->state[slot] |= STIC_SLOT_TOUCHED;
    }
    if (broad->gone.count == 0)
        return;
    size_t kept = 0;
    for (size_t i = 0; i < tree->late_items.count; ++i)
        if (broad->state[tree->late_items.handle[i]] & STIC_SLOT_LIVE)
            tree->late_items.handle[kept++] = tree->late_items.handle[i];
    tree->late_items.count = kept;
}

static void clear_marks(SticBroad* broad)
{
    const uint8_t marks = STIC_SLOT_TOUCHED | STIC_SLOT_FRESH;
    const SticTreeMethod* tree = broad->tree;
    for (size_t i = 0; i < tree->touched.count; ++i)
        broad->state[tree->touched.handle[i]] &= (uint8_t)~marks;
    for (size_t i = 0; i < broad->gone.count; ++i)
        broad->state[broad->gone.handle[i]] &= (uint8_t)~marks;
}

SticStatus stic_tree_method_update(SticBroad* broad, const SticBounds* boxes, SticError* error)
{
    SticTreeMethod* tree = broad->tree;
    STIC_TRY(stage_boxes(broad, boxes, error));
    tree->update += 1;
    drop_gone(broad);
    list_touched(broad);
    const int64_t touched = count_touched(broad);
    const int64_t late = touched + (int64_t)tree->late_items.count;
    const bool full = !tree->ready || late * LATE_SHARE > broad->live;
    const bool changed = full || touched > 0 || broad->gone.count > 0;

    // on failure the trees are rebuilt next time; the candidates still record what was reported
    tree->ready = false;
    if (full)
        STIC_TRY(search_all(broad));
    else if (changed)
        STIC_TRY(search_touched(broad));
    STIC_TRY(stic_candidates_update(broad, changed, full));
    tree->ready = true;
    clear_marks(broad);
    return STIC_OK;
}

/* ---- queries ---- */

bool stic_tree_method_ready(const SticBroad* broad)
{
    return broad->tree != NULL && broad->tree->ready;
}

SticStatus stic_tree_method_query(SticBroad* broad, const SticBox* box)
{
    const SticFloatBox mapped = stic_packed_map_box(box, broad->tree->origin);
    STIC_TRY(stic_packed_query(&broad->context, &broad->tree->main, &mapped, &broad->query));
    return stic_packed_query(&broad->context, &broad->tree->late, &mapped, &broad->query);
}

SticStatus stic_tree_method_ray(SticBroad* broad, const SticRay* ray)
{
    const SticTreeMethod* tree = broad->tree;
    STIC_TRY(stic_packed_ray(&broad->context, &tree->main, ray, tree->origin, &broad->query));
    return stic_packed_ray(&broad->context, &tree->late, ray, tree->origin, &broad->query);
}
