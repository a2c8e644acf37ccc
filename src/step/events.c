// SPDX-License-Identifier: Apache-2.0
// Events of a step: a list that schemes fill and outputs read.
#include "step/step.h"

#include "stiction/extend/base.h"

static const char* const names[STIC_EVENT_COUNT] = {"impact", "touch", "take-off", "slip",
                                                    "stick",  "leap",  "branch",   "impact-branch"};

// solutions of one instant stay apart, and tell their own points
static bool is_branch(const SticEvent* event)
{
    return event->kind == STIC_EVENT_BRANCH || event->kind == STIC_EVENT_IMPACT_BRANCH;
}

const char* stic_event_name(SticEventKind kind)
{
    return (unsigned)kind < STIC_EVENT_COUNT ? names[kind] : "?";
}

SticStatus stic_events_add(SticEvents* events, const SticEvent* event)
{
    STIC_ASSERT(events != NULL);
    STIC_ASSERT(event != NULL);
    // the points of a patch share their events
    for (int32_t k = events->count - 1; k >= 0 && events->item[k].t == event->t; --k) {
        SticEvent* known = &events->item[k];
        if (is_branch(event) || known->kind != event->kind || known->part[0] != event->part[0] ||
            known->part[1] != event->part[1] || known->block[0] != event->block[0] ||
            known->block[1] != event->block[1])
            continue;
        known->points += 1;
        known->value = event->value > known->value ? event->value : known->value;
        return STIC_OK;
    }
    STIC_TRY(STIC_RESERVE(&events->context, &events->item, &events->capacity,
                          (size_t)events->count + 1));
    events->item[events->count] = *event;
    if (!is_branch(event))
        events->item[events->count].points = 1;
    events->count += 1;
    return STIC_OK;
}

void stic_events_release(SticEvents* events)
{
    STIC_ASSERT(events != NULL);
    STIC_RELEASE(&events->context, events->item, events->capacity);
    *events = (SticEvents){.context = events->context};
}
