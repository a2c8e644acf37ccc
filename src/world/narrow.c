// SPDX-License-Identifier: Apache-2.0
// Contacts of many pairs of shapes, shared among threads.
//
// Every thread of the pool has a lane: a workspace of the narrow phase (collide/) and a list that
// grows and is kept from call to call. Lane k takes the chunks k, k + lanes, k + 2 lanes, ... of
// the pairs; the contacts of a pair depend on the pair alone, and readers go through the pairs in
// their order, so that the result does not depend on the number of lanes.
#include "world/narrow.h"

#include <float.h>
#include <math.h>

#include "base/sort.h"
#include "collide/contact.h"
#include "collide/hull.h"
#include "shape/shape.h"
#include "world/bond.h"
#include "world/facet.h"

// consecutive pairs on a lane: neighbours in memory, few enough for an even share
enum { CHUNK = 16 };

SticStatus stic_lanes_create(SticView* view)
{
    const SticPool* pool = view->context.pool;
    const int32_t lanes = pool == NULL ? 1 : stic_pool_threads(pool);
    SticCollideSettings settings = stic_collide_default_settings();
    settings.rule =
        view->world->contact_rule == STIC_WORLD_CENTROID ? STIC_RULE_CENTROID : STIC_RULE_MANIFOLD;
    settings.intersection = view->world->intersection == STIC_WORLD_POLARITY
                                ? STIC_INTERSECTION_POLARITY
                                : STIC_INTERSECTION_CLIPPING;
    settings.reduce = view->world->contact_rule == STIC_WORLD_REDUCED;
    STIC_TRY(STIC_ALLOCATE(&view->context, &view->order, 1));
    STIC_TRY(STIC_ALLOCATE(&view->context, &view->left_out, 1));
    STIC_TRY(STIC_ALLOCATE(&view->context, &view->lane, lanes));
    view->lanes = lanes;
    for (int32_t k = 0; k < lanes; ++k)
        STIC_TRY(stic_collide_create(&view->context, &settings, &view->lane[k].collide));
    return STIC_OK;
}

void stic_lanes_destroy(SticView* view)
{
    for (int32_t k = 0; k < view->lanes; ++k) {
        stic_collide_destroy(view->lane[k].collide);
        STIC_RELEASE(&view->context, view->lane[k].found, view->lane[k].capacity);
        STIC_RELEASE(&view->context, view->lane[k].facing, view->lane[k].facing_capacity);
    }
    STIC_RELEASE(&view->context, view->lane, view->lanes);
    if (view->order != NULL)
        STIC_RELEASE(&view->context, view->order->item, view->order->capacity);
    STIC_RELEASE(&view->context, view->order, 1);
    STIC_RELEASE(&view->context, view->left_out, 1);
}

// a contact as it is found, but for what depends on the reach
static inline void find(const SticView* view, const SticContact* contact, int32_t low, int32_t high,
                        SticFound* found)
{
    const int32_t a = contact->swapped ? high : low, b = contact->swapped ? low : high;
    const SticBlockShape *A = &view->shape[a], *B = &view->shape[b];
    found->id = stic_contact_number(contact, (uint32_t)view->shape[low].part,
                                    (uint32_t)view->shape[high].part);
    found->area = contact->area;
    found->exit = contact->exit;
    found->cohesion = 0.0;
    found->a = a;
    found->b = b;
    found->kernel = contact->kernel;
    found->bonded = false;
    // the sum makes 0 of -0, as the identity would
    for (int k = 0; k < 12; ++k)
        found->local[k] = contact->local[k] + 0.0;
    if (!A->centred || !B->centred)
        stic_contact_place((SticContactKernel)contact->kernel, &A->pose, &B->pose, found->local);
}

/* ---- which of them count ----
 *
 * The narrow phase takes shapes as touching up to 1e-9 of their size. A scheme asks for gaps of at
 * most `reach`, which is taken exactly but for a quarter of that: what rests stays in touch
 * although its velocities are zero only up to the tolerance of the solver. Where a bond holds, the
 * contact is that of the bond.
 */

// a contact this near to a bond, relative to the size, is the bond itself: its corners may move
// along the faces by what the bond gives way in a step, which is of second order in the angle of a
// step
#define BOND_PART 1e-3

typedef struct Limits {
    double reach; // of contacts
    double touch; // of contacts that have Tresca's friction, or bonds if there was no step yet
    double near;  // between a contact and the bond that stands for it
    double slack; // part of `reach` beyond what was asked for
    double size;  // of the smaller shape
    double thin;  // radius of the ball inside the thinner one
} Limits;

static Limits limits_of(const SticNarrow* narrow, double reach, int32_t low, int32_t high)
{
    double size = DBL_MAX, far = 0.0, thin = DBL_MAX;
    const int32_t index[2] = {low, high};
    for (int k = 0; k < 2; ++k) {
        const SticShape* shape = narrow->view->shape[index[k]].shape;
        const double own = stic_shape_size(shape), ball = stic_shape_thickness(shape);
        thin = ball < thin ? ball : thin;
        const double away = stic_vec3_norm_max(narrow->pose[index[k]].origin);
        size = own < size ? own : size;
        far = away > far ? away : far;
    }
    const double rounding = 16.0 * DBL_EPSILON * (size + far), touch = STIC_TOUCH_PART * size,
                 slack = 0.25 * touch;
    const double beyond = slack > rounding ? slack : rounding;
    return (Limits){
        reach + beyond, touch > rounding ? touch : rounding, BOND_PART * size, beyond, size, thin};
}

static bool counts(const SticNarrow* narrow, SticBoxPair pair, const Limits* limits,
                   const SticContact* contact, const SticFound* found)
{
    if (contact->gap > limits->reach && !(narrow->first && found->touches))
        return false;
    return narrow->bonds->count == 0 ||
           !stic_bonds_hold(narrow->bonds, pair, contact, found->id, limits->near);
}

// the motion of a shape; NULL where it is not needed
static const SticSwing* swing_of(const SticNarrow* narrow, int32_t shape)
{
    return narrow->swing == NULL ? NULL : &narrow->swing[shape];
}

// largest gap at which the contacts of a pair count
static double reach_of(const SticNarrow* narrow, int32_t low, int32_t high)
{
    if (narrow->time == 0.0)
        return narrow->reach;
    const SticSwing *a = &narrow->swing[low], *b = &narrow->swing[high];
    return narrow->reach + narrow->time * (stic_swing_speed(a, b) + stic_swing_off(a, b));
}

// distance of approach in the time, in units of the thinner shape: beyond 1, the features that meet
// may be others than those that are nearest now
static double passes_of(const SticNarrow* narrow, int32_t low, int32_t high)
{
    const SticSwing *a = swing_of(narrow, low), *b = swing_of(narrow, high);
    return narrow->time > 0.0 ? stic_swing_passes(a, b, narrow->time * stic_swing_speed(a, b))
                              : 0.0;
}

static double rim_of(const SticNarrow* narrow, int32_t low, int32_t high)
{
    const double first = stic_facet_rim(narrow->view, &narrow->view->shape[low]),
                 second = stic_facet_rim(narrow->view, &narrow->view->shape[high]);
    return first > second ? first : second;
}

// Whether the balls around two shapes are further apart than contacts reach: boxes of round shapes
// overlap far more often than the shapes do
static bool are_apart(const SticNarrow* narrow, int32_t low, int32_t high, const Limits* limits)
{
    const int32_t index[2] = {low, high};
    SticVec3 centre[2];
    double radius = limits->reach + limits->touch + rim_of(narrow, low, high);
    for (int k = 0; k < 2; ++k) {
        const SticShape* shape = narrow->view->shape[index[k]].shape;
        if (!narrow->pose[index[k]].rigid || !(shape->radius < DBL_MAX))
            return false;
        centre[k] = stic_pose_apply(&narrow->pose[index[k]], shape->centre);
        radius += shape->radius;
    }
    return stic_vec3_norm2(stic_vec3_sub(centre[0], centre[1])) > radius * radius;
}

// the larger angle that two shapes turn by in the time, rad; balls look the same from everywhere
static double turn_of(const SticNarrow* narrow, const SticEncounter* encounter)
{
    double most = 0.0;
    for (int k = 0; k < 2 && narrow->time > 0.0; ++k) {
        const SticSwing* own = encounter->swing[k];
        const double turn = own->round ? 0.0 : narrow->time * own->spin;
        most = turn > most ? turn : most;
    }
    return most;
}

// whether shapes are in touch where they are now
static bool touch_now(const SticContact* contact, int32_t count, const Limits* limits)
{
    for (int32_t k = 0; k < count; ++k)
        if (fabs(contact[k].gap) <= limits->touch)
            return true;
    return false;
}

// contacts of two shapes that may pass each other: where they meet if they move on as they do now,
// or those that they have now and that another motion may close. Beyond a radian their present
// turning says nothing.
static SticStatus meet(const SticNarrow* narrow, SticLane* lane, const SticEncounter* encounter,
                       double reach, const SticContact** contact, int32_t* count)
{
    const double off = narrow->time * stic_swing_off(encounter->swing[0], encounter->swing[1]);
    const bool wild = turn_of(narrow, encounter) > 1.0;
    STIC_TRY(stic_swing_meet(lane->collide, encounter, reach, contact, count));
    if (*count > 0 || (off == 0.0 && !wild))
        return STIC_OK;
    return stic_collide_pair(lane->collide, &encounter->collider[0], &encounter->collider[1],
                             wild ? reach : off, contact, count);
}

// whether nobody asks for the contacts of two shapes
static bool is_left_out(const SticNarrow* narrow, const SticBlockShape* first,
                        const SticBlockShape* second)
{
    // half-spaces have no border: two of them never touch
    if (first->shape->kind == STIC_SHAPE_HALF_SPACE && second->shape->kind == STIC_SHAPE_HALF_SPACE)
        return true;
    // points have no extent to touch with; a node that is held is moved by no force
    if ((first->node && second->node) || (first->block < 0 && second->block < 0))
        return true;
    if (second->facet != NULL)
        return !stic_facet_meets(narrow->view, first, second->facet);
    if (narrow->among != NULL && !(first->block >= 0 && narrow->among[first->block]) &&
        !(second->block >= 0 && narrow->among[second->block]))
        return true;
    if (stic_view_sleeps(narrow->view, first->block) &&
        stic_view_sleeps(narrow->view, second->block))
        return true;
    if (narrow->known == NULL)
        return false;
    const uint64_t key = stic_narrow_key(first->part, second->part);
    const int32_t place = stic_sorted_place(narrow->known, narrow->knowns, key);
    return place < narrow->knowns && narrow->known[place] == key;
}

// share of the surface of a node that touches another shape
static double area_of_node(const SticNarrow* narrow, const SticContact* contact,
                           const SticFound* found)
{
    const SticBlockShape* A = &narrow->view->shape[found->a];
    const SticBlockShape* B = &narrow->view->shape[found->b];
    return A->node ? stic_facet_area(narrow, A, contact->normal)
                   : stic_facet_area(narrow, B, stic_vec3_neg(contact->normal));
}

// A node at the border of a face may be nearer to the face around the corner, or to the edge, by
// rounding or because the elastic body bulges: a post as wide as the beam on it would let it
// through. Where its surface does not look against what it touches, it touches what the surface
// beside it does.
static SticStatus touch_rim(const SticNarrow* narrow, SticLane* lane,
                            const SticEncounter* encounter, SticBoxPair pair,
                            const SticContact** contact, int32_t* count)
{
    const SticBlockShape *first = &narrow->view->shape[pair.low],
                         *second = &narrow->view->shape[pair.high];
    const int node = first->node ? 0 : 1;
    const SticBlockShape* shape = node == 0 ? first : second;
    const double rim = rim_of(narrow, pair.low, pair.high);
    if (*count != 1 || !(fabs((*contact)->gap) <= rim))
        return STIC_OK;
    // normals lead from B to A
    const double out = (*contact)->swapped == (node == 1) ? 1.0 : -1.0;
    if ((*contact)->kernel == STIC_CONTACT_PLANE &&
        stic_facet_opposes(narrow, shape, stic_vec3_scale(out, (*contact)->normal)))
        return STIC_OK;
    STIC_TRY(STIC_RESERVE(&narrow->view->context, &lane->facing, &lane->facing_capacity, 1));
    SticContact* best = lane->facing;
    *best = **contact;
    SticCollider at[2] = {encounter->collider[0], encounter->collider[1]};
    SticVec3 normal;
    double most = 0.0;
    for (int32_t k = 0; stic_facet_beside(narrow, shape, k, &at[node].pose.origin, &normal); ++k) {
        STIC_TRY(stic_collide_pair(lane->collide, &at[0], &at[1], rim, contact, count));
        if (*count != 1 || (*contact)->kernel != STIC_CONTACT_PLANE)
            continue;
        const double side = (*contact)->swapped == (node == 1) ? 1.0 : -1.0;
        const double cosine = side * stic_vec3_dot((*contact)->normal, normal);
        const SticVec3 n = stic_vec3_scale(side, (*contact)->normal);
        if (cosine < most && stic_facet_opposes(narrow, shape, n)) {
            most = cosine;
            *best = **contact;
        }
    }
    const SticCollider* A = &encounter->collider[best->swapped ? 1 : 0];
    const SticCollider* B = &encounter->collider[best->swapped ? 0 : 1];
    const SticContactState state =
        stic_contact_evaluate((SticContactKernel)best->kernel, best->local, &A->pose, &B->pose);
    best->gap = state.gap;
    best->normal = state.normal;
    best->point = state.point;
    *contact = best;
    *count = 1;
    return STIC_OK;
}

static SticStatus find_pair(const SticNarrow* narrow, SticLane* lane, int32_t k)
{
    const SticView* view = narrow->view;
    const int32_t low = narrow->pair[k].low, high = narrow->pair[k].high;
    SticPairFound* to = &narrow->found[k];
    *to = (SticPairFound){.count = 0, .at = lane->count};
    const SticBlockShape *first = &view->shape[low], *second = &view->shape[high];
    if (is_left_out(narrow, first, second))
        return STIC_OK;
    const double reach = reach_of(narrow, low, high);
    // speeds whose squares overflow: a step that went astray, not a state
    if (isnan(reach))
        return STIC_NOT_FINITE;
    const Limits limits = limits_of(narrow, reach, low, high);
    const bool facet = second->facet != NULL;
    const double passes = facet ? 0.0 : passes_of(narrow, low, high);
    if (!facet && passes <= 1.0 && are_apart(narrow, low, high, &limits))
        return STIC_OK;
    const SticEncounter encounter = {
        .collider = {{first->shape, narrow->pose[low], (uint32_t)first->part},
                     {second->shape, narrow->pose[high], (uint32_t)second->part}},
        .swing = {swing_of(narrow, low), swing_of(narrow, high)},
        .begin = -0.5 * narrow->time,
        .end = narrow->time};
    const SticContact* contact = NULL;
    int32_t count = 0;
    if (facet) {
        STIC_TRY(stic_facet_touch(narrow, lane, narrow->pair[k], limits.reach, &count));
        contact = lane->facing;
    } else {
        const double rim = rim_of(narrow, low, high);
        STIC_TRY(stic_collide_pair(lane->collide, &encounter.collider[0], &encounter.collider[1],
                                   rim > reach ? rim : reach, &contact, &count));
        if (rim > 0.0)
            STIC_TRY(touch_rim(narrow, lane, &encounter, narrow->pair[k], &contact, &count));
    }
    const double turn = facet ? 0.0 : turn_of(narrow, &encounter);
    const bool swept = passes > 1.0 && !touch_now(contact, count, &limits);
    if (swept)
        STIC_TRY(meet(narrow, lane, &encounter, reach, &contact, &count));
    STIC_TRY(
        STIC_RESERVE(&view->context, &lane->found, &lane->capacity, lane->count + (size_t)count));
    for (int32_t i = 0; i < count; ++i) {
        SticFound* found = &lane->found[lane->count];
        find(view, &contact[i], low, high, found);
        if (!facet && (first->node || second->node))
            found->area = area_of_node(narrow, &contact[i], found);
        found->touches = contact[i].gap <= limits.touch;
        found->slack = limits.slack;
        found->size = limits.size;
        found->thin = limits.thin;
        found->passes = swept ? passes : turn > 1.0 ? turn : 0.0;
        if (swept || counts(narrow, narrow->pair[k], &limits, &contact[i], found))
            lane->count += 1;
    }
    to->count = (int32_t)(lane->count - to->at);
    return STIC_OK;
}

static int32_t lane_of(const SticNarrow* narrow, int32_t k)
{
    return k / CHUNK % narrow->view->lanes;
}

static void find_lane(void* self, int32_t index)
{
    const SticNarrow* narrow = self;
    SticLane* lane = &narrow->view->lane[index];
    const int32_t stride = CHUNK * narrow->view->lanes;
    lane->count = 0;
    lane->status = STIC_OK;
    stic_collide_beside(lane->collide, narrow->beside);
    for (int32_t begin = index * CHUNK; begin < narrow->pairs; begin += stride)
        for (int32_t k = begin; k < begin + CHUNK && k < narrow->pairs; ++k) {
            lane->status = find_pair(narrow, lane, k);
            if (lane->status != STIC_OK)
                return;
        }
}

SticStatus stic_narrow_find(SticNarrow* narrow)
{
    const SticView* view = narrow->view;
    stic_pool_run(view->context.pool, view->lanes, find_lane, narrow);
    for (int32_t k = 0; k < view->lanes; ++k)
        STIC_TRY(view->lane[k].status);
    return STIC_OK;
}

const SticFound* stic_narrow_contacts(const SticNarrow* narrow, int32_t k)
{
    STIC_ASSERT(k >= 0);
    // a lane without contacts has no array
    const SticFound* list = narrow->view->lane[lane_of(narrow, k)].found;
    return list == NULL ? NULL : list + narrow->found[k].at;
}

SticStatus stic_narrow_again(const SticView* view, SticBoxPair pair, const SticPose pose[2],
                             const SticFound** found, int32_t* count)
{
    // after the contacts of the last detection, which are still in use
    SticLane* lane = &view->lane[0];
    const SticBlockShape *first = &view->shape[pair.low], *second = &view->shape[pair.high];
    const SticCollider A = {first->shape, pose[0], (uint32_t)first->part};
    const SticCollider B = {second->shape, pose[1], (uint32_t)second->part};
    const SticContact* contact = NULL;
    stic_collide_beside(lane->collide, false);
    STIC_TRY(stic_collide_pair(lane->collide, &A, &B, (double)INFINITY, &contact, count));
    STIC_TRY(
        STIC_RESERVE(&view->context, &lane->found, &lane->capacity, lane->count + (size_t)*count));
    for (int32_t i = 0; i < *count; ++i) {
        SticFound* to = &lane->found[lane->count + (size_t)i];
        find(view, &contact[i], pair.low, pair.high, to);
        to->slack = to->size = to->passes = 0.0;
        to->touches = false;
    }
    *found = lane->found + lane->count;
    return STIC_OK;
}

SticStatus stic_narrow_gap(const SticView* view, SticBoxPair pair, const SticPose pose[2],
                           uint64_t id, bool beside, double gap[2])
{
    const SticBlockShape *first = &view->shape[pair.low], *second = &view->shape[pair.high];
    const SticCollider A = {first->shape, pose[0], (uint32_t)first->part};
    const SticCollider B = {second->shape, pose[1], (uint32_t)second->part};
    const SticContact* contact = NULL;
    int32_t count = 0;
    gap[0] = gap[1] = (double)INFINITY;
    stic_collide_beside(view->lane[0].collide, beside);
    STIC_TRY(stic_collide_pair(view->lane[0].collide, &A, &B, (double)INFINITY, &contact, &count));
    for (int32_t i = 0; i < count; ++i) {
        if (stic_contact_number(&contact[i], (uint32_t)first->part, (uint32_t)second->part) == id)
            gap[0] = contact[i].gap;
        gap[1] = contact[i].gap < gap[1] ? contact[i].gap : gap[1];
    }
    return STIC_OK;
}
