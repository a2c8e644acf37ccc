// SPDX-License-Identifier: Apache-2.0
// Detection: from the coordinates of a state to the set of its contacts.
//
//   poses   rotation and origin of every block, then of every shape, and boxes around them
//   broad   pairs of shapes whose boxes, widened by half of `reach`, overlap (collide/)
//   narrow  the contacts of each pair (narrow.c)
//   order   kernels one after the other, pairs as they come, joints last; a list of them by id
//   gather  laws by the pair of surfaces, tangents at the pose of detection
//
// Poses are those of unit quaternions. Work is shared in pieces that do not depend on threads, each
// writing its own part; results do not depend on earlier calls either (broad and narrow phase keep
// memory between calls, which affects only time). Cost O(n log n + contacts log contacts); memory
// from the step's arena.
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/sort.h"
#include "collide/hull.h"
#include "collide/sort.h"
#include "math/math.h"
#include "world/bond.h"
#include "world/facet.h"

// large enough that waking a thread for one is worthwhile: tens of microseconds each
enum { POSE_CHUNK = 512, GATHER_CHUNK = 512 };

typedef struct Detection {
    const SticView* view;
    const SticState* state;
    double reach, time; // see SticReach, also for the next two
    const uint8_t* among;
    const SticSet* known;
    bool bare, beside;
    SticState moving; // the state with the velocities of the reach
    SticState off;    // and with the velocities by which they may differ; u is NULL if they do not
    SticSide* side;   // [blocks] unit rotations
    SticPose* pose;   // [shapes]
    SticBounds* box;  // [shapes]
    SticSwing* swing; // [shapes] if `time` is not 0
    bool first;       // no step was made: contacts that touch and have cohesion become bonds
    SticBondList bonds;
    SticNarrow narrow;
    // the result
    int32_t count;
    const SticFound** found; // [count]
    SticInteraction* interaction;
    double (*local)[12];
    double (*tangent)[6];
    double* exit;
} Detection;

static int32_t chunks_of(int32_t count, int32_t size)
{
    return (count + size - 1) / size;
}

static int32_t least(int32_t a, int32_t b)
{
    return a < b ? a : b;
}

/* ---- poses and boxes ---- */

static void pose_chunk(void* self, int32_t index)
{
    Detection* d = self;
    const SticView* view = d->view;
    const int32_t end = least(view->blocks, (index + 1) * POSE_CHUNK);
    for (int32_t i = index * POSE_CHUNK; i < end; ++i) {
        SticSide* side = &d->side[i];
        *side = stic_view_side(view, &d->moving, i, d->time > 0.0);
        side->R = stic_mat3_scale(1.0 / side->s, side->R);
        side->s = 1.0;
    }
}

static SticSide side_of(const Detection* d, int32_t block)
{
    return block < 0 ? stic_view_side(d->view, &d->moving, block, d->time > 0.0) : d->side[block];
}

static SticSide shape_side_of(const Detection* d, const SticBlockShape* shape)
{
    return shape->facet != NULL ? stic_facet_side(d->view, &d->moving, shape->facet, d->time > 0.0)
                                : side_of(d, shape->block);
}

// the velocities by which those of a block may differ; nothing else of the side that is read later
static void find_off(const Detection* d, int32_t block, SticSide* off)
{
    off->R = d->side[block].R;
    off->s = d->side[block].s;
    off->affine = d->side[block].affine;
    stic_side_move(stic_view_form(d->view, block).chart, d->off.u + d->view->u_at[block], off);
}

SticPose stic_view_shape_pose(const SticBlockShape* shape, const SticSide* side)
{
    const SticMat3 unit = stic_mat3_scale(1.0 / side->s, side->R);
    const SticMat3 R = side->affine ? stic_rotation_clean(unit) : unit;
    const SticPose block =
        side->deforms ? stic_pose_affine(side->R, side->x) : stic_pose_rigid(R, side->x);
    return shape->centred ? block : stic_pose_compose(&block, &shape->pose);
}

// a facet: its own side, which no block has
static void place_facet(Detection* d, int32_t k, double margin)
{
    const SticView* view = d->view;
    const SticFacet* facet = view->shape[k].facet;
    const bool moves = d->time > 0.0;
    const SticSide side = stic_facet_side(view, &d->moving, facet, moves);
    SticSide off;
    d->pose[k] = stic_pose_affine(side.R, side.x);
    d->box[k] =
        stic_facet_bounds(facet, &side, margin + 16.0 * DBL_EPSILON * stic_vec3_norm_max(side.x));
    if (!moves)
        return;
    if (d->off.u != NULL)
        off = stic_facet_side(view, &d->off, facet, true);
    d->swing[k] = stic_facet_swing(facet, &side, d->off.u != NULL ? &off : NULL);
    stic_swing_widen(&d->swing[k], d->time, &d->box[k]);
}

static void place_chunk(void* self, int32_t index)
{
    Detection* d = self;
    const SticView* view = d->view;
    const int32_t end = least(view->shapes, (index + 1) * POSE_CHUNK);
    for (int32_t k = index * POSE_CHUNK; k < end; ++k) {
        const SticBlockShape* shape = &view->shape[k];
        if (shape->facet != NULL) {
            place_facet(d, k, 0.5 * d->reach + STIC_TOUCH_PART * stic_shape_size(shape->shape));
            continue;
        }
        SticSide own_side;
        const SticSide* side = shape->block >= 0 ? &d->side[shape->block] : &own_side;
        if (shape->block < 0)
            own_side = side_of(d, shape->block);
        d->pose[k] = stic_view_shape_pose(shape, side);
        // boxes of touching shapes must overlap whatever the rounding: the slack of the narrow
        // phase and a few units of the coordinates
        const double size = stic_shape_size(shape->shape), own = size < DBL_MAX ? size : 0.0;
        const double far = stic_vec3_norm_max(d->pose[k].origin) + own;
        const double margin = 0.5 * d->reach + STIC_TOUCH_PART * own + 16.0 * DBL_EPSILON * far +
                              stic_facet_rim(view, shape);
        d->box[k] = stic_shape_bounds(shape->shape, &d->pose[k], margin);
        if (d->time > 0.0) {
            const bool may_differ = d->off.u != NULL && shape->block >= 0;
            SticSide off;
            if (may_differ)
                find_off(d, shape->block, &off);
            d->swing[k] = stic_swing_of(shape->shape, &d->pose[k], side, may_differ ? &off : NULL);
            stic_swing_widen(&d->swing[k], d->time, &d->box[k]);
        }
    }
}

/* ---- pairs ---- */

// pairs that have a contact in a known set
static SticStatus list_known(const SticSet* set, SticArena* arena, SticNarrow* narrow)
{
    uint64_t *key = NULL, *scratch = NULL;
    if (set == NULL)
        return STIC_OK;
    STIC_TRY(STIC_TAKE(arena, &key, set->count));
    STIC_TRY(STIC_TAKE(arena, &scratch, set->count));
    for (int32_t i = 0; i < set->count; ++i) {
        const SticInteraction* contact = &set->interaction[i];
        const uint64_t own = stic_narrow_key(contact->part[0], contact->part[1]);
        // the contacts of a pair follow each other
        if (contact->level == STIC_LEVEL_CONTACT &&
            (narrow->knowns == 0 || key[narrow->knowns - 1] != own))
            key[narrow->knowns++] = own;
    }
    stic_radix_sort(key, scratch, (size_t)narrow->knowns, 0, 64);
    narrow->known = key;
    return STIC_OK;
}

static SticStatus find_pairs(Detection* d, SticArena* arena)
{
    SticBroadChanges changes;
    STIC_TRY(stic_broad_update(d->view->broad, d->box, &changes, NULL));
    if (changes.pair_count > INT32_MAX / 64)
        return STIC_OUT_OF_MEMORY;
    d->narrow = (SticNarrow){.view = d->view,
                             .bonds = &d->bonds,
                             .first = d->first,
                             .pose = d->pose,
                             .reach = d->reach,
                             .time = d->time,
                             .swing = d->swing,
                             .among = d->among,
                             .beside = d->beside,
                             .pair = changes.pairs,
                             .pairs = (int32_t)changes.pair_count};
    STIC_TRY(list_known(d->known, arena, &d->narrow));
    STIC_TRY(STIC_TAKE(arena, &d->narrow.found, d->narrow.pairs));
    return stic_narrow_find(&d->narrow);
}

/* ---- the set ---- */

// bonds, then contacts by kernel and, within a kernel, in the order of the pairs: neighbours of a
// body are near each other in memory
static SticStatus order_found(Detection* d, SticArena* arena)
{
    int32_t first[STIC_CONTACT_KERNEL_COUNT + 1] = {0};
    for (int32_t k = 0; k < d->narrow.pairs; ++k) {
        const SticFound* found = stic_narrow_contacts(&d->narrow, k);
        for (int32_t c = 0; c < d->narrow.found[k].count; ++c)
            first[found[c].kernel + 1] += 1;
    }
    first[STIC_CONTACT_PLANE + 1] += d->bonds.count;
    for (int k = 0; k < STIC_CONTACT_KERNEL_COUNT; ++k)
        first[k + 1] += first[k];
    d->count = first[STIC_CONTACT_KERNEL_COUNT];
    STIC_TRY(STIC_TAKE(arena, &d->found, d->count));
    for (int32_t k = 0; k < d->bonds.count; ++k)
        d->found[first[STIC_CONTACT_PLANE]++] = &d->bonds.found[k];
    for (int32_t k = 0; k < d->narrow.pairs; ++k) {
        const SticFound* found = stic_narrow_contacts(&d->narrow, k);
        for (int32_t c = 0; c < d->narrow.found[k].count; ++c)
            d->found[first[found[c].kernel]++] = &found[c];
    }
    return STIC_OK;
}

// the pair of surfaces of a contact, the same in either order
static int32_t pair_of(const SticView* view, const SticFound* found)
{
    const int32_t a = view->shape[found->a].material, b = view->shape[found->b].material;
    return a < b ? a * view->materials + b : b * view->materials + a;
}

// number of interactions of a contact: Tresca's friction acts where bodies touch, not across a gap
static int32_t interactions_of(const SticView* view, const SticFound* found)
{
    const int32_t pair = pair_of(view, found);
    return found->touches && view->surface[pair].surface.law == STIC_FRICTION_TRESCA ? 2 : 1;
}

// whether any contact may have two
static bool has_tresca(const SticView* view)
{
    for (int32_t k = 0; k < view->materials * view->materials; ++k)
        if (view->surface[k].surface.law == STIC_FRICTION_TRESCA)
            return true;
    return false;
}

SticLaw stic_surface_law(const SticSurface* surface)
{
    if (surface->friction == 0.0)
        return STIC_LAW_NONNEG;
    switch ((SticFriction)surface->law) {
    case STIC_FRICTION_COULOMB:
        return STIC_LAW_CONE;
    case STIC_FRICTION_ANISOTROPIC:
        return STIC_LAW_CONE_ELLIPSE;
    case STIC_FRICTION_ROLLING:
        return STIC_LAW_ROLLING;
    case STIC_FRICTION_CONTENSOU:
        return STIC_LAW_CONE_CONTENSOU;
    default:
        return STIC_LAW_NONNEG;
    }
}

// law, rows and coefficients of a contact, which is NONNEG with one row on entry
static void set_law(const SticSurface* surface, SticInteraction* contact)
{
    static const uint8_t rows[STIC_FRICTION_COUNT] = {3, 3, 5, 4, 1, 1};
    if (stic_surface_law(surface) == STIC_LAW_NONNEG)
        return;
    contact->law = (uint8_t)stic_surface_law(surface);
    contact->rows = rows[surface->law];
    contact->coef[0] = surface->friction;
    contact->coef[1] = surface->law == STIC_FRICTION_ANISOTROPIC ? surface->across : 0.0;
    contact->coef[2] = surface->law == STIC_FRICTION_ROLLING ? surface->rolling : 0.0;
    contact->coef[3] = surface->law == STIC_FRICTION_CONTENSOU ? surface->patch : 0.0;
}

// force of the bond: strength times the share of the patch at the start, then what memory holds
static double bond_of(const Detection* d, const SticFound* found, double strength)
{
    if (found->bonded)
        return found->cohesion;
    return d->first && found->touches ? strength * found->area : 0.0;
}

// what the contacts of two shapes share
static SticInteraction pair_interaction(const SticView* view, const SticFound* found)
{
    const SticBlockShape *A = &view->shape[found->a], *B = &view->shape[found->b];
    const int32_t pair = pair_of(view, found);
    const SticSurface* surface = &view->surface[pair].surface;
    SticInteraction contact = {.law = STIC_LAW_NONNEG,
                               .level = STIC_LEVEL_CONTACT,
                               .rows = 1,
                               .block = {A->block, B->block},
                               .bound_of = -1,
                               .surface = pair,
                               .part = {A->part, B->part},
                               .restitution = {surface->restitution[0], surface->restitution[1]}};
    if (B->facet != NULL)
        stic_facet_blocks(B->facet, &contact);
    set_law(surface, &contact);
    return contact;
}

// and what is its own; `contact` is that of the pair on entry
static void set_contact(const Detection* d, const SticFound* found, SticInteraction* contact)
{
    contact->id = found->id;
    contact->kernel = found->kernel;
    contact->area = found->area;
    contact->slack = found->slack;
    contact->size = found->size;
    contact->thin = found->thin;
    contact->passes = found->passes;
    contact->cohesion = bond_of(d, found, d->view->surface[contact->surface].surface.cohesion);
    contact->bonded = contact->cohesion > 0.0;
}

// Tresca's friction has a bound of its own: it is an interaction next to the contact
static SticInteraction tangents_of(const SticView* view, const SticInteraction* contact)
{
    const SticSurface* surface = &view->surface[contact->surface].surface;
    SticInteraction tangents = *contact;
    tangents.id |= (uint64_t)STIC_KERNEL_TANGENT << STIC_KERNEL_SHIFT;
    tangents.law = STIC_LAW_BALL;
    tangents.level = STIC_LEVEL_RATE;
    tangents.rows = 2;
    tangents.kernel |= STIC_KERNEL_TANGENT;
    tangents.coef[0] = 1.0;
    tangents.bound = surface->shear * contact->area;
    tangents.cohesion = 0.0;
    return tangents;
}

static void gather_chunk(void* self, int32_t index)
{
    Detection* d = self;
    const int32_t end = least(d->count, (index + 1) * GATHER_CHUNK);
    SticSide side[2];
    int32_t of[2] = {-1, -1}; // shapes whose sides these are: contacts of a pair share them
    SticInteraction shared;
    const SticFound* last = NULL;
    for (int32_t i = index * GATHER_CHUNK; i < end; ++i) {
        const SticFound* found = d->found[i];
        if (last == NULL || found->a != last->a || found->b != last->b)
            shared = pair_interaction(d->view, found);
        last = found;
        d->interaction[i] = shared;
        set_contact(d, found, &d->interaction[i]);
        memcpy(d->local[i], found->local, sizeof d->local[i]);
        d->exit[i] = found->exit;
        if (d->bare && (found->bonded || !d->interaction[i].bonded))
            continue;
        const int32_t shape[2] = {found->a, found->b};
        for (int k = 0; k < 2; ++k)
            if (shape[k] != of[k]) {
                side[k] = shape_side_of(d, &d->view->shape[shape[k]]);
                of[k] = shape[k];
            }
        SticTouch touch;
        stic_touch_any((SticContactKernel)found->kernel, side, found->local, false, &touch);
        if (d->interaction[i].bonded && !found->bonded) {
            stic_bond_freeze(side, &touch, d->local[i]);
            d->interaction[i].kernel = STIC_CONTACT_PLANE;
            stic_touch_plane(&side[0], &side[1], d->local[i], false, &touch);
        }
        if (d->interaction[i].law == STIC_LAW_CONE_ELLIPSE)
            stic_view_align(d->view, &d->interaction[i], side, false, &touch);
        if (d->bare)
            continue;
        stic_vec3_store(touch.axis[1], d->tangent[i]);
        stic_vec3_store(touch.axis[2], d->tangent[i] + 3);
    }
}

// whether the order of the last detection is still that of the ids
static bool has_order(const Detection* d, const SticKeptOrder* order)
{
    bool rises = order->count == d->count;
    for (int32_t k = 1; rises && k < d->count; ++k)
        rises = d->interaction[order->item[k - 1]].id < d->interaction[order->item[k]].id;
    return rises;
}

// the interactions in the order of their ids, in which memory is kept
static SticStatus sort_ids(const Detection* d, SticArena* arena, int32_t* by_id)
{
    SticKeptOrder* order = d->view->order;
    const size_t bytes = (size_t)d->count * sizeof *by_id;
    if (d->count > 0 && has_order(d, order)) {
        memcpy(by_id, order->item, bytes);
        return STIC_OK;
    }
    const SticArenaMark mark = stic_arena_mark(arena);
    SticSortRecord *record = NULL, *scratch = NULL;
    STIC_TRY(STIC_TAKE(arena, &record, d->count));
    STIC_TRY(STIC_TAKE(arena, &scratch, d->count));
    for (int32_t i = 0; i < d->count; ++i)
        record[i] = (SticSortRecord){.key = d->interaction[i].id, .tag = (uint32_t)i};
    stic_sort_records(record, scratch, (size_t)d->count);
    for (int32_t i = 0; i < d->count; ++i)
        by_id[i] = (int32_t)record[i].tag;
    stic_arena_rewind(arena, mark);
    // detections other than those of a step would only disturb it
    if (d->count == 0 || d->time == 0.0)
        return STIC_OK;
    STIC_TRY(STIC_RESERVE(&d->view->context, &order->item, &order->capacity, (size_t)d->count));
    memcpy(order->item, by_id, bytes);
    order->count = d->count;
    return STIC_OK;
}

// interactions next to contacts, in the order of these
static void append_tangents(Detection* d)
{
    const int32_t contacts = d->count;
    for (int32_t i = 0; i < contacts; ++i) {
        if (interactions_of(d->view, d->found[i]) == 1)
            continue;
        const int32_t to = d->count++;
        d->interaction[to] = tangents_of(d->view, &d->interaction[i]);
        memcpy(d->local[to], d->local[i], sizeof d->local[to]);
        if (!d->bare)
            memcpy(d->tangent[to], d->tangent[i], sizeof d->tangent[to]);
        d->exit[to] = d->exit[i];
    }
}

// joints of blocks that sleep go; returns how many are left
static int32_t drop_sleeping(const SticView* view, int32_t count, SticInteraction* joint)
{
    int32_t kept = 0;
    for (int32_t i = 0; i < count; ++i)
        if (!stic_view_sleeps(view, joint[i].block[0]) ||
            !stic_view_sleeps(view, joint[i].block[1]))
            joint[kept++] = joint[i];
    return kept;
}

static void append_joints(Detection* d)
{
    // how fast the coordinates of joints change is not considered: all limits take part
    const double reach = d->time > 0.0 ? INFINITY : d->reach;
    int32_t joints = stic_view_find_joints(d->view, d->state, reach, d->interaction + d->count);
    joints += stic_view_find_rigidity(d->view, d->interaction + d->count + joints);
    if (d->view->left_out->asleep != NULL)
        joints = drop_sleeping(d->view, joints, d->interaction + d->count);
    for (int32_t i = d->count; i < d->count + joints; ++i) {
        memset(d->local[i], 0, sizeof d->local[i]);
        if (!d->bare)
            memset(d->tangent[i], 0, sizeof d->tangent[i]);
        d->exit[i] = DBL_MAX;
    }
    d->count += joints;
}

static SticStatus gather(Detection* d, SticArena* arena, SticSet* set)
{
    int32_t *row_at = NULL, *by_id = NULL;
    STIC_TRY(order_found(d, arena));
    const bool tresca = has_tresca(d->view);
    int32_t room = STIC_PART_COUNT * d->view->joints + d->view->stiff + d->count;
    for (int32_t i = 0; tresca && i < d->count; ++i)
        room += interactions_of(d->view, d->found[i]) - 1;
    STIC_TRY(STIC_TAKE(arena, &d->interaction, room));
    STIC_TRY(STIC_TAKE(arena, &d->local, room));
    if (!d->bare)
        STIC_TRY(STIC_TAKE(arena, &d->tangent, room));
    STIC_TRY(STIC_TAKE(arena, &d->exit, room));
    STIC_TRY(STIC_TAKE(arena, &row_at, room + 1));
    STIC_TRY(STIC_TAKE(arena, &by_id, room));
    stic_pool_run(d->view->context.pool, chunks_of(d->count, GATHER_CHUNK), gather_chunk, d);
    if (tresca)
        append_tangents(d);
    append_joints(d);
    STIC_TRY(sort_ids(d, arena, by_id));
    row_at[0] = 0;
    for (int32_t i = 0; i < d->count; ++i)
        row_at[i + 1] = row_at[i] + d->interaction[i].rows;
    *set = (SticSet){.count = d->count,
                     .rows = row_at[d->count],
                     .interaction = d->interaction,
                     .row_at = row_at,
                     .by_id = by_id,
                     .local = (const double(*)[12])d->local,
                     .exit = d->exit,
                     .tangent = (const double(*)[6])d->tangent};
    return STIC_OK;
}

// an array of a set to the end of the arena, where that is at or before its place
static SticStatus move_down(SticArena* arena, size_t bytes, const void** array)
{
    void* to = NULL;
    if (*array == NULL)
        return STIC_OK;
    STIC_TRY(stic_arena_take(arena, bytes, &to));
    memmove(to, *array, bytes);
    *array = to;
    return STIC_OK;
}

// The set alone stays: poses, boxes and pairs, which were taken since `mark`, are as large as it is.
// Its arrays move in the order in which they were taken, so that none covers one that has not moved.
static SticStatus keep_set(SticArena* arena, SticArenaMark mark, SticSet* set)
{
    const size_t count = (size_t)set->count;
    stic_arena_rewind(arena, mark);
    STIC_TRY(move_down(arena, count * sizeof *set->interaction, (const void**)&set->interaction));
    STIC_TRY(move_down(arena, count * sizeof *set->local, (const void**)&set->local));
    STIC_TRY(move_down(arena, count * sizeof *set->tangent, (const void**)&set->tangent));
    STIC_TRY(move_down(arena, count * sizeof *set->exit, (const void**)&set->exit));
    STIC_TRY(move_down(arena, (count + 1) * sizeof *set->row_at, (const void**)&set->row_at));
    return move_down(arena, count * sizeof *set->by_id, (const void**)&set->by_id);
}

SticStatus stic_world_detect(const SticSystem* system, const SticState* state,
                             const SticReach* reach, SticArena* arena, SticSet* set)
{
    const SticView* view = stic_view_of(system);
    STIC_TRY(stic_view_check(view));
    STIC_TRY(stic_view_move(view, state->t, 0.0, 0.0));
    const SticMemory* memory = state->memory;
    const bool begun = memory != NULL && memory->begun;
    Detection d = {.view = view,
                   .state = state,
                   .reach = reach->gap,
                   .time = reach->time,
                   .among = reach->among,
                   .known = reach->known,
                   .bare = reach->bare,
                   .beside = reach->beside,
                   .moving = *state,
                   .off = *state,
                   .first = system->bonds && !begun};
    if (reach->time > 0.0)
        d.moving.u = (double*)reach->u;
    d.off.u = (double*)reach->change;
    const SticArenaMark mark = stic_arena_mark(arena);
    if (begun && memory->bonds > 0)
        STIC_TRY(stic_bonds_place(view, state, arena, &d.bonds));
    STIC_TRY(STIC_TAKE(arena, &d.side, view->blocks));
    STIC_TRY(STIC_TAKE(arena, &d.pose, view->shapes));
    STIC_TRY(STIC_TAKE(arena, &d.box, view->shapes));
    if (reach->time > 0.0)
        STIC_TRY(STIC_TAKE(arena, &d.swing, view->shapes));
    stic_pool_run(view->context.pool, chunks_of(view->blocks, POSE_CHUNK), pose_chunk, &d);
    stic_pool_run(view->context.pool, chunks_of(view->shapes, POSE_CHUNK), place_chunk, &d);
    STIC_TRY(find_pairs(&d, arena));
    STIC_TRY(gather(&d, arena, set));
    return keep_set(arena, mark, set);
}
