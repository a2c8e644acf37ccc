// SPDX-License-Identifier: Apache-2.0
// What a run notices by itself: overlaps of the start, contacts that were lost, bodies that are
// fast or gone, open joints, steps that missed.
//
// A contact is lost if it carried a load in one step and takes no part in the next although it is
// closed at the end of that step. Gaps are measured from the shapes of its pair, whatever reach and
// slack the detection of the step had. A contact that opens is not lost, nor is one that another
// feature replaces at the place where the step looks for contacts. Cost: one pass over the
// contacts, and one or two pairs of shapes for each that goes.
#include <math.h>
#include <string.h>

#include "base/sort.h"
#include "run/run.h"
#include "step/step.h"

// share of the work of loads on a path that has no balance and deserves a notice: factors of loads
// are as wrong
static const double unsettled_part = 0.01;

// depth of an overlap at the start that deserves a notice, in units of the smaller body: placing
// bodies by hand or by decimal numbers causes less
static const double overlap_part = 1e-6;
// gap of a joint, in the size of the smaller body: an engineer's tolerance, not one of arithmetic
static const double joint_part = 1e-3;
// depth at which a pair counts as closed: well above rounding, well below what falls in a step
static const double closed_part = 1e-12;
// bodies that move apart by more than this part of their size in a step are leaving
static const double leaving_part = 1e-6;
// the surroundings of a scene reach this many times its extent beyond it
static const double surroundings = 10.0;

void stic_run_note(SticRun* run, SticNoticeKind kind, const SticNotice* notice)
{
    STIC_ASSERT(run != NULL);
    STIC_ASSERT(notice != NULL);
    SticNotice timed = *notice;
    timed.first = run->state[0]->t;
    stic_notice_add(&run->totals.notice[kind], &timed);
}

/* ---- the start ---- */

// where a block is: its first three coordinates, from where they count; false: it has less
static bool place_of(const SticSystem* system, const SticState* state, int32_t block, double x[3])
{
    const SticLayout* layout = &system->layout;
    if (layout->q_at[block + 1] - layout->q_at[block] < 3)
        return false;
    for (int k = 0; k < 3; ++k)
        x[k] = state->q[layout->q_at[block] + k] +
               (system->origin != NULL ? system->origin[block][k] : 0.0);
    return true;
}

// box of everything at the start, wider by its largest extent times `surroundings`; where nothing
// is fixed there are no surroundings to leave
static void find_box(SticRun* run)
{
    const SticSystem* system = run->def.system;
    double(*box)[3] = run->totals.box, extent = 0.0;
    for (int k = 0; k < 3; ++k) {
        box[0][k] = system->box == NULL ? -(double)INFINITY : system->box[0][k];
        box[1][k] = system->box == NULL ? (double)INFINITY : system->box[1][k];
    }
    if (system->box == NULL)
        return;
    for (int32_t i = 0; system->size != NULL && i < system->layout.blocks; ++i) {
        double x[3];
        const bool known = place_of(system, run->state[0], i, x);
        for (int k = 0; known && k < 3; ++k) {
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

// whether two bodies touch there; limits of joints are contacts too
static bool is_touch(const SticInteraction* interaction)
{
    return interaction->level == STIC_LEVEL_CONTACT && interaction->part[0] != interaction->part[1];
}

static SticNotice notice_of(const SticInteraction* contact, double value)
{
    SticNotice notice = stic_notice_make(value, contact->block[0], contact->block[1]);
    notice.part[0] = contact->part[0];
    notice.part[1] = contact->part[1];
    return notice;
}

// limits of joints that are exceeded at the start: what they carry then does not come from the motion
static void note_limit(SticRun* run, const SticInteraction* limit, double depth)
{
    const SticNotice notice = stic_notice_make(depth, limit->block[0], limit->block[1]);
    stic_run_note(run, STIC_NOTICE_LIMIT, &notice);
}

// whether a contact is of a block that was set by hand
static bool is_placed(const SticRun* run, const SticInteraction* contact)
{
    for (int k = 0; k < 2; ++k)
        if (contact->block[k] >= 0 && run->placed[contact->block[k]] != 0)
            return true;
    return false;
}

// pairs that are deeper than rounding and placing by hand make them, and limits of joints; points
// of a pair follow each other and count once. `kind`: of the start, or of blocks that were set
static SticStatus find_overlaps(SticRun* run, SticNoticeKind kind)
{
    const SticSystem* system = run->def.system;
    SticArena* arena = run->stepper->arena;
    const bool placed = kind == STIC_NOTICE_PLACED;
    const SticReach reach = {.gap = 0.0, .among = placed ? run->placed : NULL};
    SticSet set;
    SticMeasures measures = {.want = STIC_WANT_GAP};
    STIC_TRY(system->ops->detect(system, run->state[0], &reach, arena, &set));
    STIC_TRY(STIC_TAKE(arena, &measures.gap, set.rows));
    STIC_TRY(system->ops->measure(system, &set, run->state[0], &measures));
    const SticInteraction* last = NULL;
    for (int32_t i = 0; i < set.count; ++i) {
        const SticInteraction* contact = &set.interaction[i];
        const double depth = -measures.gap[set.row_at[i]];
        if (contact->level != STIC_LEVEL_CONTACT || !(depth > overlap_part * contact->size) ||
            (placed && !is_placed(run, contact)))
            continue;
        if (!is_touch(contact)) {
            if (run->world != NULL && !placed)
                note_limit(run, contact, depth);
            continue;
        }
        SticNotice notice = notice_of(contact, depth);
        const bool again =
            last != NULL && last->part[0] == contact->part[0] && last->part[1] == contact->part[1];
        stic_run_note(run, kind, &notice);
        run->totals.notice[kind].count -= again ? 1 : 0;
        last = contact;
    }
    return STIC_OK;
}

SticStatus stic_watch_begin(SticRun* run)
{
    find_box(run);
    // schemes that are not projected hold gaps, or obey forces, in their own way
    if (run->def.law == STIC_CONTACT_LAW_VELOCITY && !run->def.scheme->projects) {
        const SticNotice notice = stic_notice_make(1.0, -1, -1);
        stic_run_note(run, STIC_NOTICE_LAW, &notice);
    }
    return run->def.system->size == NULL ? STIC_OK : find_overlaps(run, STIC_NOTICE_OVERLAP);
}

SticStatus stic_watch_placed(SticRun* run)
{
    if (!run->any_placed)
        return STIC_OK;
    STIC_TRY(stic_arena_reset(run->stepper->arena));
    return find_overlaps(run, STIC_NOTICE_PLACED);
}

void stic_watch_forget(SticRun* run)
{
    if (run->any_placed)
        memset(run->placed, 0, (size_t)run->def.system->layout.blocks);
    run->any_placed = false;
}

/* ---- lost contacts ---- */

// interaction n in the order of ids
static int32_t by_id(const SticSet* set, int32_t n)
{
    return set->by_id == NULL ? n : set->by_id[n];
}

// a contact that rebounds and leaves: if something hits its body meanwhile, that is a new impact
static bool leaves(const SticStepRecord* record, int32_t i)
{
    const SticInteraction* contact = &record->set.interaction[i];
    return contact->restitution[0] > 0.0 && record->velocity != NULL &&
           record->h * record->velocity[record->set.row_at[i]] > leaving_part * contact->size;
}

// contacts that push
static SticStatus keep_loaded(SticRun* run)
{
    const SticStepRecord* record = &run->record;
    const SticSet* set = &record->set;
    SticLoadedList* to = &run->loaded[1];
    STIC_TRY(STIC_RESERVE(&run->context, &to->item, &to->capacity, set->count));
    for (int32_t n = 0; n < set->count; ++n) {
        const int32_t i = by_id(set, n);
        const SticInteraction* contact = &set->interaction[i];
        if (is_touch(contact) && record->r[set->row_at[i]] > 0.0 && !leaves(record, i))
            to->item[to->count++] = (SticLoaded){.id = contact->id,
                                                 .part = {contact->part[0], contact->part[1]},
                                                 .block = {contact->block[0], contact->block[1]},
                                                 .size = contact->size,
                                                 .bounces = contact->restitution[0] > 0.0};
    }
    return STIC_OK;
}

static uint64_t key_of(const int32_t part[2])
{
    const uint32_t a = (uint32_t)part[0], b = (uint32_t)part[1];
    return a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a;
}

/// Contacts that had load and have no part in the step, by ascending pair.
typedef struct Missing {
    uint64_t* key; // [count] of the pair
    int32_t* at;   // [count] in the list of the step before
    bool* alone;   // [count] no other contact of the pair has a part either
    int32_t count;
} Missing;

static SticStatus find_missing(const SticRun* run, Missing* missing)
{
    const SticSet* set = &run->record.set;
    const SticLoadedList* before = &run->loaded[0];
    SticArena* arena = run->stepper->arena;
    uint64_t* key_scratch = NULL;
    int32_t *at_scratch = NULL, n = 0;
    STIC_TRY(STIC_TAKE(arena, &missing->key, before->count));
    STIC_TRY(STIC_TAKE(arena, &missing->at, before->count));
    for (int32_t i = 0; i < before->count; ++i) {
        while (n < set->count && set->interaction[by_id(set, n)].id < before->item[i].id)
            ++n;
        if (n < set->count && set->interaction[by_id(set, n)].id == before->item[i].id)
            continue;
        missing->key[missing->count] = key_of(before->item[i].part);
        missing->at[missing->count++] = i;
    }
    if (missing->count == 0)
        return STIC_OK;
    STIC_TRY(STIC_TAKE(arena, &missing->alone, missing->count));
    STIC_TRY(STIC_TAKE(arena, &key_scratch, missing->count));
    STIC_TRY(STIC_TAKE(arena, &at_scratch, missing->count));
    stic_radix_sort_values(missing->count, missing->key, missing->at, key_scratch, at_scratch);
    return STIC_OK;
}

// first of the missing contacts of a pair, or the count
static int32_t find_pair(const Missing* missing, uint64_t key)
{
    const int32_t low = stic_sorted_place(missing->key, missing->count, key);
    return low < missing->count && missing->key[low] == key ? low : missing->count;
}

static void find_alone(const SticSet* set, Missing* missing)
{
    for (int32_t k = 0; k < missing->count; ++k)
        missing->alone[k] = true;
    for (int32_t i = 0; missing->count > 0 && i < set->count; ++i) {
        if (!is_touch(&set->interaction[i]))
            continue;
        const uint64_t key = key_of(set->interaction[i].part);
        for (int32_t k = find_pair(missing, key);
             k < missing->count && missing->key[k] == key && missing->alone[k]; ++k)
            missing->alone[k] = false;
    }
}

// by how much a missing contact is closed where the step ends, 0 if it is not: it must have been
// there where the step looked for contacts, or its pair be without any
static SticStatus depth_of(const SticRun* run, const SticLoaded* contact, bool alone, double* depth)
{
    const SticSystem* system = run->def.system;
    SticState looked = *run->state[1];
    union {
        const double* read;
        double* coordinates;
    } const q = {run->record.q}; // the system only reads
    looked.q = q.coordinates;
    looked.t = run->record.t;
    double there[2], end[2];
    *depth = 0.0;
    STIC_TRY(system->ops->gap(system, &looked, contact->part, contact->id, false, there));
    if (!alone && !isfinite(there[0]))
        return STIC_OK;
    // what bounced and had opened by then is struck anew
    if (contact->bounces &&
        (isfinite(there[0]) ? there[0] : there[1]) > leaving_part * contact->size)
        return STIC_OK;
    STIC_TRY(system->ops->gap(system, run->state[1], contact->part, contact->id, false, end));
    const double gap = alone && !isfinite(end[0]) ? end[1] : end[0];
    *depth = gap < -closed_part * contact->size ? -gap : 0.0;
    return STIC_OK;
}

// contacts of the step before that have no part in this one although they are closed at its end
static SticStatus find_lost(const SticRun* run, SticNotice* notice)
{
    Missing missing = {0};
    const SticArenaMark mark = stic_arena_mark(run->stepper->arena);
    STIC_TRY(find_missing(run, &missing));
    find_alone(&run->record.set, &missing);
    for (int32_t k = 0; k < missing.count; ++k) {
        const SticLoaded* contact = &run->loaded[0].item[missing.at[k]];
        double depth = 0.0;
        STIC_TRY(depth_of(run, contact, missing.alone[k], &depth));
        if (depth == 0.0)
            continue;
        SticNotice lost = stic_notice_make(depth, contact->block[0], contact->block[1]);
        lost.part[0] = contact->part[0];
        lost.part[1] = contact->part[1];
        stic_notice_add(notice, &lost);
    }
    stic_arena_rewind(run->stepper->arena, mark);
    return STIC_OK;
}

static SticStatus watch_contacts(SticRun* run, SticNotice* lost)
{
    run->loaded[1].count = 0;
    // where the scheme is soft, what rebounds from an overlap carries nothing on its way out
    if (run->def.system->ops->gap == NULL || !run->record.filled || run->def.scheme->soft)
        return STIC_OK;
    STIC_TRY(keep_loaded(run));
    return find_lost(run, lost);
}

/* ---- bodies and joints ---- */

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
    for (int32_t i = 0; system->size != NULL && i < system->layout.blocks; ++i) {
        double x[3], before[3];
        if (!place_of(system, to, i, x) || !place_of(system, from, i, before) ||
            !(system->size[i] > 0.0))
            continue;
        const double out = beyond(run->totals.box, x), moved = distance(x, before);
        SticNotice one = stic_notice_make(out, i, -1);
        // a body leaves once
        if (out > 0.0 && beyond(run->totals.box, before) == 0.0)
            stic_notice_add(&notice[STIC_NOTICE_LEFT], &one);
        one.worst = moved / system->size[i];
        // schemes that look inside a step see what is on the way
        if (moved > system->size[i] && !run->def.scheme->instants)
            stic_notice_add(&notice[STIC_NOTICE_FAST], &one);
    }
}

static SticStatus watch_joints(SticRun* run, SticStepInfo* info, SticNotice* open)
{
    // a run that projects has measured them already
    if (!run->projects)
        STIC_TRY(stic_step_joints(run->stepper, run->def.system, run->state[1], info));
    if (info->joint_part > joint_part && isfinite(info->joint_part))
        *open = stic_notice_make(info->joint_part, info->joint_block[0], info->joint_block[1]);
    return STIC_OK;
}

SticStatus stic_watch_step(SticRun* run, SticStepInfo* info, SticNotice notice[STIC_NOTICE_COUNT])
{
    for (int k = 0; k < STIC_NOTICE_COUNT; ++k)
        notice[k] = (SticNotice){0};
    if (info->solve.outcome != STIC_OUTCOME_SOLVED)
        notice[STIC_NOTICE_MISSED] = stic_notice_make(stic_run_missed(&info->solve), -1, -1);
    else if (info->solve.islands_short > 0)
        notice[STIC_NOTICE_LOOSE] = stic_notice_make(info->solve.aim_ratio, -1, -1);
    if (info->broken_promises != 0)
        notice[STIC_NOTICE_PROMISE] = stic_notice_make(info->broken_ratio, -1, -1);
    if (info->unsettled > unsettled_part)
        notice[STIC_NOTICE_UNSETTLED] = stic_notice_make(info->unsettled, -1, -1);
    if (info->unsearched > 0.0)
        notice[STIC_NOTICE_BRANCHES] = stic_notice_make(info->unsearched, -1, -1);
    if (info->contradiction > 0.0) {
        SticNotice* one = &notice[STIC_NOTICE_CONTRADICTION];
        *one = stic_notice_make(info->contradiction, info->contradiction_block[0],
                                info->contradiction_block[1]);
        memcpy(one->part, info->contradiction_part, sizeof one->part);
    }
    watch_blocks(run, run->state[0], run->state[1], notice);
    STIC_TRY(watch_joints(run, info, &notice[STIC_NOTICE_JOINT]));
    return watch_contacts(run, &notice[STIC_NOTICE_LOST]);
}

void stic_watch_accept(SticRun* run, const SticNotice notice[STIC_NOTICE_COUNT])
{
    const SticLoadedList before = run->loaded[0];
    run->loaded[0] = run->loaded[1];
    run->loaded[1] = before;
    for (int k = 0; k < STIC_NOTICE_COUNT; ++k)
        if (notice[k].count > 0)
            stic_run_note(run, (SticNoticeKind)k, &notice[k]);
}
