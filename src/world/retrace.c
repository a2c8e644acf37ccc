// SPDX-License-Identifier: Apache-2.0
// Contacts of a set at another state of their bodies.
//
// Features frozen in body frames are exact at any pose for corners, edges, flat faces, spheres and
// ends of capsules. Where the surface of a cylinder or an ellipsoid rolls, or the side of a capsule
// on an edge or on another side, the point of contact wanders over it, whereas a frozen point moves
// away from the other body: its velocity is not that of the contact. Such pairs go through the
// narrow phase again, at the poses of that state.
#include <math.h>
#include <string.h>

#include "collide/hull.h"
#include "stiction/extend/base.h"
#include "world/facet.h"

// whether the surface of a shape touches with points that wander
static bool wanders(const SticView* view, const SticBlockShape* shape)
{
    switch (stic_shape_kind(shape->shape)) {
    case STIC_SHAPE_CYLINDER:
    case STIC_SHAPE_ELLIPSOID:
    case STIC_SHAPE_COMPOUND:
        return true;
    case STIC_SHAPE_SPHERE:
    case STIC_SHAPE_CAPSULE:
        // deformed spheres and capsules have curved surfaces of other kinds
        return shape->block >= 0 && view->charts[shape->block] == STIC_CHART_LINEAR &&
               view->u_at[shape->block + 1] - view->u_at[shape->block] == 12;
    default:
        return false;
    }
}

// whether contacts [begin, end) of two shapes may be those of a capsule's side with an edge or a side:
// the nearest points of two lines
static bool crosses(const SticBlockShape* a, const SticBlockShape* b, const SticSet* set,
                    int32_t begin, int32_t end)
{
    const SticShapeKind kind[2] = {stic_shape_kind(a->shape), stic_shape_kind(b->shape)};
    if ((kind[0] != STIC_SHAPE_CAPSULE && kind[1] != STIC_SHAPE_CAPSULE) ||
        kind[0] == STIC_SHAPE_SPHERE || kind[1] == STIC_SHAPE_SPHERE)
        return false;
    bool any = false;
    for (int32_t i = begin; i < end; ++i)
        any = any || set->interaction[i].kernel == STIC_CONTACT_ROUND;
    return any;
}

static SticPose pose_at(const SticView* view, const SticState* state, const SticBlockShape* shape)
{
    const SticSide side = stic_view_shape_side(view, state, shape, false);
    return stic_view_shape_pose(shape, &side);
}

static bool is_contact(const SticInteraction* interaction)
{
    return interaction->level == STIC_LEVEL_CONTACT && !interaction->bonded &&
           interaction->kernel < STIC_CONTACT_KERNEL_COUNT;
}

/// The set that is being made.
typedef struct Retrace {
    const SticView* view;
    const SticSet* set;
    const SticState* state;
    SticInteraction* interaction; // [count]
    double (*local)[12];
    uint8_t* known;
} Retrace;

// features of interaction i, which lies between the shapes low and high of the list
static void take_found(const Retrace* to, int32_t i, const SticFound* found, int32_t count)
{
    to->known[i] = 0;
    for (int32_t k = 0; k < count; ++k) {
        const SticBlockShape *A = &to->view->shape[found[k].a], *B = &to->view->shape[found[k].b];
        // seen from the other side, the rows would have opposite signs
        if (found[k].id != to->set->interaction[i].id ||
            A->part != to->set->interaction[i].part[0] ||
            B->part != to->set->interaction[i].part[1])
            continue;
        to->interaction[i].kernel = found[k].kernel;
        memcpy(to->local[i], found[k].local, sizeof to->local[i]);
        to->known[i] = 1;
    }
}

// the contacts [begin, end) of one pair
static SticStatus retrace_pair(const Retrace* to, int32_t begin, int32_t end)
{
    const SticView* view = to->view;
    const int32_t* part = to->set->interaction[begin].part;
    const int32_t a = stic_view_shape_of(view, part[0]), b = stic_view_shape_of(view, part[1]);
    if (!wanders(view, &view->shape[a]) && !wanders(view, &view->shape[b]) &&
        !crosses(&view->shape[a], &view->shape[b], to->set, begin, end))
        return STIC_OK;
    const SticBoxPair pair = {a < b ? a : b, a < b ? b : a};
    const SticPose pose[2] = {pose_at(view, to->state, &view->shape[pair.low]),
                              pose_at(view, to->state, &view->shape[pair.high])};
    const SticFound* found = NULL;
    int32_t count = 0;
    STIC_TRY(stic_narrow_again(view, pair, pose, &found, &count));
    for (int32_t i = begin; i < end; ++i)
        take_found(to, i, found, count);
    return STIC_OK;
}

SticStatus stic_world_retrace(const SticSystem* system, const SticSet* set, const SticState* state,
                              SticArena* arena, SticSet* there, uint8_t* known)
{
    const SticView* view = stic_view_of(system);
    bool any = false;
    for (int32_t k = 0; k < view->shapes && !any; ++k)
        any = wanders(view, &view->shape[k]) ||
              stic_shape_kind(view->shape[k].shape) == STIC_SHAPE_CAPSULE;
    *there = *set;
    if (!any || set->count == 0)
        return STIC_OK;
    STIC_TRY(stic_view_move(view, state->t, 0.0, 0.0));
    Retrace to = {.view = view, .set = set, .state = state, .known = known};
    STIC_TRY(STIC_TAKE(arena, &to.interaction, set->count));
    STIC_TRY(STIC_TAKE(arena, &to.local, set->count));
    memcpy(to.interaction, set->interaction, (size_t)set->count * sizeof *to.interaction);
    memcpy(to.local, set->local, (size_t)set->count * sizeof *to.local);
    for (int32_t i = 0, end = 0; i < set->count; i = end) {
        const SticInteraction* first = &set->interaction[i];
        for (end = i + 1; end < set->count && set->interaction[end].part[0] == first->part[0] &&
                          set->interaction[end].part[1] == first->part[1] &&
                          is_contact(&set->interaction[end]);)
            ++end;
        if (is_contact(first))
            STIC_TRY(retrace_pair(&to, i, end));
    }
    there->interaction = to.interaction;
    there->local = (const double(*)[12])to.local;
    return STIC_OK;
}

SticStatus stic_world_gap(const SticSystem* system, const SticState* state, const int32_t part[2],
                          uint64_t id, bool beside, double gap[2])
{
    const SticView* view = stic_view_of(system);
    const int32_t a = stic_view_shape_of(view, part[0]), b = stic_view_shape_of(view, part[1]);
    const SticBoxPair pair = {a < b ? a : b, a < b ? b : a};
    gap[0] = gap[1] = (double)INFINITY;
    // limits of joints are gaps too, but not between two parts; where a point left a face, another
    // one has it
    if (part[0] == part[1] || pair.low < 0 || view->shape[pair.high].facet != NULL)
        return STIC_OK;
    STIC_TRY(stic_view_move(view, state->t, 0.0, 0.0));
    const SticPose pose[2] = {pose_at(view, state, &view->shape[pair.low]),
                              pose_at(view, state, &view->shape[pair.high])};
    return stic_narrow_gap(view, pair, pose, id, beside, gap);
}
