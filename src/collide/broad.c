// SPDX-License-Identifier: Apache-2.0
// The broad phase: slots, insertion and deletion, exclusions, updates.
//
// Insertions and deletions take effect at the next update, which reports every event (Koziara's
// thesis, section 9.2). A deleted slot is given out again only after that, so that a released pair
// names what it named when it was created. Two departures from the thesis: events are sorted arrays
// instead of callbacks, and all present pairs are listed too, so that there is no need for its
// third answer, "ask me again next time".
//
// Methods other than the tree find all pairs from scratch; their pairs are then filtered, sorted
// and compared with those of the last update.
#include "collide/broad_internal.h"

static const SticBroadOps methods[STIC_BROAD_METHOD_COUNT] = {
    [STIC_BROAD_TREE] = {"tree", stic_tree_method_create, stic_tree_method_destroy, NULL},
    [STIC_BROAD_HASH3D] = {"hash3d", stic_hash3d_create, stic_hash3d_destroy, stic_hash3d_find},
    [STIC_BROAD_SWEEP_H2D] = {"sweep-h2d", stic_sweep3d_create, stic_sweep3d_destroy,
                              stic_sweep3d_find},
    [STIC_BROAD_SWEEP_H2DPST] = {"sweep-h2dpst", stic_sweep3d_create, stic_sweep3d_destroy,
                                 stic_sweep3d_find},
    [STIC_BROAD_SWEEP_H1DPST] = {"sweep-h1dpst", stic_sweep3d_create, stic_sweep3d_destroy,
                                 stic_sweep3d_find},
    [STIC_BROAD_SWEEP_PST2D] = {"sweep-pst2d", stic_sweep3d_create, stic_sweep3d_destroy,
                                stic_sweep3d_find},
    [STIC_BROAD_HYBRID] = {"hybrid", stic_hybrid_create, stic_hybrid_destroy, stic_hybrid_find},
    [STIC_BROAD_BRUTE] = {"brute", NULL, NULL, stic_brute_find},
};

const char* stic_broad_method_name(int32_t method)
{
    const bool known = method >= 0 && method < STIC_BROAD_METHOD_COUNT;
    return known ? methods[method].name : "unknown";
}

static const char* const method_names[] = {"tree",         "hash3d",       "sweep-h2d",
                                           "sweep-h2dpst", "sweep-h1dpst", "sweep-pst2d",
                                           "hybrid",       "brute",        NULL};

static const SticField fields[] = {
    STIC_FIELD_PICK(SticBroadSettings, method, STIC_BROAD_TREE, STIC_BROAD_METHOD_COUNT - 1,
                    method_names, "how overlapping boxes are found"),
    STIC_FIELD_COUNT(SticBroadSettings, refresh, 16, 1, 1e9, "updates",
                     "hash and sweep: mean number of updates between choices of voxel and axis"),
};

const SticFieldTable stic_broad_fields = {.name = "broad",
                                          .fields = fields,
                                          .count = sizeof fields / sizeof *fields,
                                          .size = sizeof(SticBroadSettings)};

SticBroadSettings stic_broad_default_settings(void)
{
    SticBroadSettings settings;
    stic_fields_default(&stic_broad_fields, &settings);
    return settings;
}

/* ---- life ---- */

SticStatus stic_broad_create(const SticContext* context, const SticBroadSettings* settings,
                             SticBroad** broad, SticError* error)
{
    *broad = NULL;
    STIC_TRY(stic_fields_check(&stic_broad_fields, settings, error));
    SticBroad* made = NULL;
    SticStatus status = STIC_ALLOCATE(context, &made, 1);
    if (status != STIC_OK)
        return stic_error_set(error, status, "no memory for a broad phase");
    made->context = *context;
    made->settings = *settings;
    made->random = stic_random_create(context->seed);
    if (methods[settings->method].create != NULL)
        status = methods[settings->method].create(made);
    if (status != STIC_OK) {
        stic_broad_destroy(made);
        return stic_error_set(error, status, "no memory for a broad phase");
    }
    *broad = made;
    return STIC_OK;
}

void stic_broad_destroy(SticBroad* broad)
{
    if (broad == NULL)
        return;
    const SticContext context = broad->context;
    if (methods[broad->settings.method].destroy != NULL)
        methods[broad->settings.method].destroy(broad);
    STIC_RELEASE(&context, broad->box, broad->box_capacity);
    STIC_RELEASE(&context, broad->staged, broad->staged_capacity);
    STIC_RELEASE(&context, broad->state, broad->state_capacity);
    STIC_RELEASE(&context, broad->free.handle, broad->free.capacity);
    STIC_RELEASE(&context, broad->gone.handle, broad->gone.capacity);
    stic_filter_release(&context, &broad->filter);
    STIC_RELEASE(&context, broad->pairs.pair, broad->pairs.capacity);
    STIC_RELEASE(&context, broad->created.pair, broad->created.capacity);
    STIC_RELEASE(&context, broad->released.pair, broad->released.capacity);
    STIC_RELEASE(&context, broad->next.pair, broad->next.capacity);
    STIC_RELEASE(&context, broad->found.key, broad->found.capacity);
    stic_pairs_sort_release(&context, &broad->sort);
    stic_segments_release(&context, &broad->sorted);
    STIC_RELEASE(&context, broad->adjacent_begin, broad->adjacent_begin_capacity);
    STIC_RELEASE(&context, broad->adjacent.handle, broad->adjacent.capacity);
    STIC_RELEASE(&context, broad->query.handle, broad->query.capacity);
    STIC_RELEASE(&context, broad->hits.hit, broad->hits.capacity);
    STIC_RELEASE(&context, broad->record, broad->record_capacity);
    STIC_RELEASE(&context, broad->record_scratch, broad->record_scratch_capacity);
    STIC_RELEASE(&context, broad, 1);
}

/* ---- boxes ---- */

SticStatus stic_box_check(const SticBounds* bounds, int32_t handle, SticError* error)
{
    SticBox box;
    memcpy(&box, bounds, sizeof box);
    if (stic_box_valid(&box))
        return STIC_OK;
    for (int k = 0; k < 3; ++k) {
        if (isnan(box.low[k]) || isnan(box.high[k]))
            return stic_error_set(error, STIC_NOT_FINITE,
                                  "the box of handle %d is not a number along %c", (int)handle,
                                  "xyz"[k]);
        if (box.low[k] > box.high[k])
            return stic_error_set(
                error, STIC_BAD_DATA,
                "the box of handle %d is inverted along %c: low %.17g, high %.17g", (int)handle,
                "xyz"[k], box.low[k], box.high[k]);
    }
    return stic_error_set(error, STIC_NOT_FINITE, "the box of handle %d lies at infinity",
                          (int)handle);
}

// the free slots are a heap with the smallest at the front
static void push_free(SticHandleList* heap, int32_t slot)
{
    size_t at = heap->count++;
    for (; at > 0 && heap->handle[(at - 1) / 2] > slot; at = (at - 1) / 2)
        heap->handle[at] = heap->handle[(at - 1) / 2];
    heap->handle[at] = slot;
}

static void pop_free(SticHandleList* heap)
{
    const int32_t last = heap->handle[--heap->count];
    size_t at = 0;
    for (size_t child = 1; child < heap->count; child = 2 * at + 1) {
        if (child + 1 < heap->count && heap->handle[child + 1] < heap->handle[child])
            child += 1;
        if (heap->handle[child] >= last)
            break;
        heap->handle[at] = heap->handle[child];
        at = child;
    }
    heap->handle[at] = last;
}

// room for one more slot in every array
static SticStatus reserve_slots(SticBroad* broad, int32_t slots)
{
    const SticContext* context = &broad->context;
    STIC_TRY(STIC_RESERVE(context, &broad->box, &broad->box_capacity, slots));
    STIC_TRY(STIC_RESERVE(context, &broad->staged, &broad->staged_capacity, slots));
    STIC_TRY(STIC_RESERVE(context, &broad->state, &broad->state_capacity, slots));
    // reserved here, so that a deletion never needs memory
    STIC_TRY(STIC_RESERVE(context, &broad->free.handle, &broad->free.capacity, slots));
    STIC_TRY(STIC_RESERVE(context, &broad->gone.handle, &broad->gone.capacity, slots));
    STIC_TRY(stic_filter_reserve(context, &broad->filter, slots));
    return broad->tree != NULL ? stic_tree_method_reserve(broad, slots) : STIC_OK;
}

SticStatus stic_broad_insert(SticBroad* broad, const SticBroadItem* item, int32_t* handle,
                             SticError* error)
{
    STIC_ASSERT(broad != NULL && item != NULL);
    STIC_ASSERT(handle != NULL);
    *handle = -1;
    const bool fresh = broad->free.count == 0;
    const int32_t slot = fresh ? broad->slots : broad->free.handle[0];
    STIC_TRY(stic_box_check(&item->box, slot, error));
    if (item->node_count < 0 || item->node_count > STIC_BROAD_NODES)
        return stic_error_set(error, STIC_BAD_ARGUMENT,
                              "an item has %d nodes; 0 to %d are possible", (int)item->node_count,
                              (int)STIC_BROAD_NODES);
    if (slot >= 1 << STIC_HANDLE_BITS)
        return stic_error_set(error, STIC_UNSUPPORTED, "there are too many boxes");
    SticStatus status = reserve_slots(broad, slot + 1);
    if (status == STIC_OK)
        status = stic_filter_insert(&broad->context, &broad->filter, slot, item);
    if (status != STIC_OK)
        return stic_error_set(error, status, "no memory for %d boxes", (int)slot + 1);

    memcpy(&broad->box[slot], &item->box, sizeof broad->box[slot]);
    broad->state[slot] = STIC_SLOT_LIVE | STIC_SLOT_FRESH;
    if (broad->tree != NULL)
        stic_tree_method_insert(broad, slot);
    broad->live += 1;
    if (fresh)
        broad->slots += 1;
    else
        pop_free(&broad->free);
    *handle = slot;
    return STIC_OK;
}

bool stic_broad_alive(const SticBroad* broad, int32_t handle)
{
    return handle >= 0 && handle < broad->slots && (broad->state[handle] & STIC_SLOT_LIVE);
}

static SticStatus check_handle(const SticBroad* broad, int32_t handle, SticError* error)
{
    if (stic_broad_alive(broad, handle))
        return STIC_OK;
    return stic_error_set(error, STIC_BAD_ARGUMENT, "there is no box with handle %d", (int)handle);
}

SticStatus stic_broad_delete(SticBroad* broad, int32_t handle, SticError* error)
{
    STIC_ASSERT(broad != NULL);
    STIC_TRY(check_handle(broad, handle, error));
    stic_filter_delete(&broad->filter, handle);
    broad->state[handle] &= (uint8_t)~STIC_SLOT_LIVE;
    broad->gone.handle[broad->gone.count++] = handle;
    broad->live -= 1;
    return STIC_OK;
}

SticStatus stic_broad_move(SticBroad* broad, int32_t handle, const SticBounds* box,
                           SticError* error)
{
    STIC_ASSERT(broad != NULL && box != NULL);
    STIC_TRY(check_handle(broad, handle, error));
    STIC_TRY(stic_box_check(box, handle, error));
    memcpy(&broad->box[handle], box, sizeof *box);
    return STIC_OK;
}

int32_t stic_broad_count(const SticBroad* broad)
{
    return broad->live;
}

int32_t stic_broad_slots(const SticBroad* broad)
{
    return broad->slots;
}

SticBounds stic_broad_bounds(const SticBroad* broad, int32_t handle)
{
    STIC_ASSERT(stic_broad_alive(broad, handle));
    SticBounds bounds;
    memcpy(&bounds, &broad->box[handle], sizeof bounds);
    return bounds;
}

/* ---- exclusions ---- */

static SticStatus check_pair(const SticBroad* broad, int32_t a, int32_t b, SticError* error)
{
    STIC_TRY(check_handle(broad, a, error));
    STIC_TRY(check_handle(broad, b, error));
    if (a == b)
        return stic_error_set(error, STIC_BAD_ARGUMENT, "a pair needs two boxes, not %d twice",
                              (int)a);
    return STIC_OK;
}

static SticStatus edit_pair(SticBroad* broad, uint64_t key, bool exclude, SticError* error)
{
    const SticStatus status = stic_filter_edit(&broad->context, &broad->filter, key, exclude);
    if (status != STIC_OK)
        return stic_error_set(error, status, "no memory for an excluded pair");
    // the tree keeps candidates: it must look at this one again
    broad->state[stic_pair_low(key)] |= STIC_SLOT_TOUCHED;
    return STIC_OK;
}

SticStatus stic_broad_exclude(SticBroad* broad, int32_t a, int32_t b, SticError* error)
{
    STIC_TRY(check_pair(broad, a, b, error));
    return edit_pair(broad, stic_pair_key(a, b), true, error);
}

SticStatus stic_broad_include(SticBroad* broad, int32_t a, int32_t b, SticError* error)
{
    STIC_TRY(check_pair(broad, a, b, error));
    return edit_pair(broad, stic_pair_key(a, b), false, error);
}

/* ---- updates of the methods without memory ---- */

static SticStatus take_boxes(SticBroad* broad, const SticBounds* boxes, SticError* error)
{
    if (boxes == NULL)
        return STIC_OK;
    for (int32_t i = 0; i < broad->slots; ++i)
        if (broad->state[i] & STIC_SLOT_LIVE)
            STIC_TRY(stic_box_check(&boxes[i], i, error));
    for (int32_t i = 0; i < broad->slots; ++i)
        if (broad->state[i] & STIC_SLOT_LIVE)
            memcpy(&broad->box[i], &boxes[i], sizeof broad->box[i]);
    return STIC_OK;
}

static void filter_found(SticBroad* broad)
{
    if (!stic_filter_active(&broad->filter))
        return;
    size_t kept = 0;
    for (size_t i = 0; i < broad->found.count; ++i) {
        const uint64_t key = broad->found.key[i];
        if (!stic_filter_skips(&broad->filter, stic_pair_low(key), stic_pair_high(key)))
            broad->found.key[kept++] = key;
    }
    broad->found.count = kept;
}

// sorted keys to pairs without repetition
static void list_pairs(const SticKeyList* keys, SticPairArray* to)
{
    to->count = 0;
    for (size_t i = 0; i < keys->count; ++i)
        if (i == 0 || keys->key[i] != keys->key[i - 1])
            to->pair[to->count++] =
                (SticBoxPair){stic_pair_low(keys->key[i]), stic_pair_high(keys->key[i])};
}

static bool pair_less(SticBoxPair a, SticBoxPair b)
{
    return a.low < b.low || (a.low == b.low && a.high < b.high);
}

// what is in `a` and not in `b`; NULL `out` only counts
static size_t subtract(const SticPairArray* a, const SticPairArray* b, SticBoxPair* out)
{
    size_t count = 0;
    for (size_t i = 0, j = 0; i < a->count; ++i) {
        while (j < b->count && pair_less(b->pair[j], a->pair[i]))
            j += 1;
        if (j < b->count && !pair_less(a->pair[i], b->pair[j]))
            continue;
        if (out != NULL)
            out[count] = a->pair[i];
        count += 1;
    }
    return count;
}

static SticStatus find_from_scratch(SticBroad* broad)
{
    const SticContext* context = &broad->context;
    broad->found.count = 0;
    broad->resumed = broad->complete;
    broad->complete = false;
    STIC_TRY(methods[broad->settings.method].find(broad));
    filter_found(broad);
    STIC_TRY(
        stic_pairs_sort(context, &broad->sort, &broad->found, 1, broad->slots, &broad->sorted));
    SticPairArray* next = &broad->next;
    STIC_TRY(STIC_RESERVE(context, &next->pair, &next->capacity, broad->found.count));
    list_pairs(&broad->sorted.keys, next);

    const size_t created = subtract(next, &broad->pairs, NULL);
    const size_t released = subtract(&broad->pairs, next, NULL);
    STIC_TRY(STIC_RESERVE(context, &broad->created.pair, &broad->created.capacity, created));
    STIC_TRY(STIC_RESERVE(context, &broad->released.pair, &broad->released.capacity, released));
    broad->created.count = subtract(next, &broad->pairs, broad->created.pair);
    broad->released.count = subtract(&broad->pairs, next, broad->released.pair);
    const SticPairArray swapped = broad->pairs;
    broad->pairs = *next;
    *next = swapped;
    for (int32_t i = 0; i < broad->slots; ++i)
        broad->state[i] &= STIC_SLOT_LIVE;
    broad->complete = true;
    return STIC_OK;
}

/* ---- update ---- */

// deleted slots may be given out again
static void free_gone(SticBroad* broad)
{
    for (size_t i = 0; i < broad->gone.count; ++i)
        push_free(&broad->free, broad->gone.handle[i]);
    broad->gone.count = 0;
}

SticStatus stic_broad_update(SticBroad* broad, const SticBounds* boxes, SticBroadChanges* changes,
                             SticError* error)
{
    STIC_ASSERT(broad != NULL && changes != NULL);
    *changes = (SticBroadChanges){0};
    SticStatus status = STIC_OK;
    stic_filter_settle(&broad->filter, &broad->gone);
    if (broad->tree != NULL) {
        status = stic_tree_method_update(broad, boxes, error);
    } else {
        status = take_boxes(broad, boxes, error);
        if (status == STIC_OK)
            status = find_from_scratch(broad);
    }
    if (status == STIC_OUT_OF_MEMORY)
        return stic_error_set(error, status, "no memory for the pairs of %d boxes",
                              (int)broad->live);
    STIC_TRY(status);
    free_gone(broad);
    broad->adjacency_valid = false;
    *changes = (SticBroadChanges){.pairs = broad->pairs.pair,
                                  .created = broad->created.pair,
                                  .released = broad->released.pair,
                                  .pair_count = (int64_t)broad->pairs.count,
                                  .created_count = (int64_t)broad->created.count,
                                  .released_count = (int64_t)broad->released.count};
    return STIC_OK;
}
