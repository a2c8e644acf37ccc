// SPDX-License-Identifier: Apache-2.0
// What a run notices by itself: overlaps of the start, bodies that are fast or gone, open joints.
#include <math.h>

#include "run/run.h"

// depth of an overlap that is worth a word, and gap of a joint, in the size of the smaller body
static const double overlap_part = 1e-6, joint_part = 1e-3;
// the surroundings of a scene reach this many times its extent beyond it
static const double surroundings = 10.0;

void stic_run_note(SticRun* run, SticNoticeKind kind, const SticNotice* notice)
{
    SticNotice timed = *notice;
    timed.first = run->state[0]->t;
    stic_notice_add(&run->totals.notice[kind], &timed);
}

// where a block is: its first three coordinates
static const double* place_of(const SticLayout* layout, const SticState* state, int32_t block)
{
    return layout->q_at[block + 1] - layout->q_at[block] >= 3 ? state->q + layout->q_at[block]
                                                              : NULL;
}

// box of all blocks with their sizes, wider by its largest extent times `surroundings`
static void find_box(SticRun* run)
{
    const SticSystem* system = run->def.system;
    double(*box)[3] = run->totals.box, extent = 0.0;
    for (int k = 0; k < 3; ++k) {
        box[0][k] = INFINITY;
        box[1][k] = -INFINITY;
    }
    for (int32_t i = 0; system->size != NULL && i < system->layout.blocks; ++i) {
        const double* x = place_of(&system->layout, run->state[0], i);
        for (int k = 0; x != NULL && k < 3; ++k) {
            const double low = x[k] - system->size[i], high = x[k] + system->size[i];
            box[0][k] = low < box[0][k] ? low : box[0][k];
            box[1][k] = high > box[1][k] ? high : box[1][k];
        }
    }
    for (int k = 0; k < 3; ++k)
        extent = box[1][k] - box[0][k] > extent ? box[1][k] - box[0][k] : extent;
    for (int k = 0; k < 3; ++k) {
        box[0][k] -= surroundings * extent;
        box[1][k] += surroundings * extent;
    }
}

// contacts of the start that are deeper than rounding and placing by hand make them
static SticStatus find_overlaps(SticRun* run)
{
    const SticSystem* system = run->def.system;
    SticArena* arena = run->stepper->arena;
    const SticReach reach = {.gap = 0.0};
    SticSet set;
    SticMeasures measures = {.want = STIC_WANT_GAP};
    STIC_TRY(system->ops->detect(system, run->state[0], &reach, arena, &set));
    STIC_TRY(STIC_TAKE(arena, &measures.gap, set.rows));
    STIC_TRY(system->ops->measure(system, &set, run->state[0], &measures));
    for (int32_t i = 0; i < set.count; ++i) {
        const SticInteraction* contact = &set.interaction[i];
        const double depth = -measures.gap[set.row_at[i]];
        if (contact->level != STIC_LEVEL_CONTACT || !(depth > overlap_part * contact->size))
            continue;
        SticNotice notice = stic_notice_make(depth, contact->block[0], contact->block[1]);
        notice.part[0] = contact->part[0];
        notice.part[1] = contact->part[1];
        stic_run_note(run, STIC_NOTICE_OVERLAP, &notice);
    }
    return STIC_OK;
}

SticStatus stic_watch_begin(SticRun* run)
{
    find_box(run);
    return run->def.system->size == NULL ? STIC_OK : find_overlaps(run);
}

// largest distance beyond the box along an axis, 0 inside
static double beyond(const double box[2][3], const double* x)
{
    double most = 0.0;
    for (int k = 0; k < 3; ++k) {
        const double out =
            box[0][k] - x[k] > x[k] - box[1][k] ? box[0][k] - x[k] : x[k] - box[1][k];
        most = out > most ? out : most;
    }
    return most;
}

static double distance(const double* a, const double* b)
{
    double square = 0.0;
    for (int k = 0; k < 3; ++k)
        square += (a[k] - b[k]) * (a[k] - b[k]);
    return sqrt(square);
}

// blocks of the step from `from` to `to`: those that leave the box, and those that move too far
static void watch_blocks(const SticRun* run, const SticState* from, const SticState* to,
                         SticNotice* notice)
{
    const SticSystem* system = run->def.system;
    for (int32_t i = 0; i < system->layout.blocks; ++i) {
        const double* x = place_of(&system->layout, to, i);
        const double* before = place_of(&system->layout, from, i);
        if (x == NULL || !(system->size[i] > 0.0))
            continue;
        const double out = beyond(run->totals.box, x), moved = distance(x, before);
        SticNotice one = stic_notice_make(out, i, -1);
        // a body leaves once
        if (out > 0.0 && beyond(run->totals.box, before) == 0.0)
            stic_notice_add(&notice[STIC_NOTICE_LEFT], &one);
        one.worst = moved / system->size[i];
        if (moved > system->size[i])
            stic_notice_add(&notice[STIC_NOTICE_SWEPT], &one);
    }
}

static double smallest_size(const SticSystem* system)
{
    double least = INFINITY;
    for (int32_t i = 0; i < system->layout.blocks; ++i)
        if (system->size[i] > 0.0 && system->size[i] < least)
            least = system->size[i];
    return least;
}

void stic_watch_step(SticRun* run, const SticStepInfo* info)
{
    SticNotice notice[STIC_NOTICE_COUNT];
    const SticSystem* system = run->def.system;
    for (int k = 0; k < STIC_NOTICE_COUNT; ++k)
        notice[k] = info->notice[k];
    if (info->solve.outcome != STIC_OUTCOME_SOLVED)
        notice[STIC_NOTICE_MISSED] = stic_notice_make(info->solve.ratio, -1, -1);
    else if (info->solve.islands_short > 0)
        notice[STIC_NOTICE_LOOSE] = stic_notice_make(info->solve.aim_ratio, -1, -1);
    if (system->size != NULL) {
        watch_blocks(run, run->state[0], run->state[1], notice);
        if (info->joint_gap > 0.0 && info->joint_gap > joint_part * smallest_size(system))
            notice[STIC_NOTICE_JOINT] = stic_notice_make(info->joint_gap, -1, -1);
    }
    for (int k = 0; k < STIC_NOTICE_COUNT; ++k)
        if (notice[k].count > 0)
            stic_run_note(run, (SticNoticeKind)k, &notice[k]);
}
