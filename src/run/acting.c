// SPDX-License-Identifier: Apache-2.0
// What acted in the last step of a run, in all of its parts.
//
// Schemes leave impulses with the directions they used; those that integrate forces (relaxed,
// event) leave only the forces in the memory of the state, which are then matched with the
// interactions found at the end of the step.
#include "run/acting.h"

#include "run/run.h"
#include "stiction/extend/base.h"
#include "stiction/extend/sparse.h"
#include "system/push.h"
#include "world/world.h"

#include <string.h>

static void velocity_of(const SticBlockCsr* Ht, const double* chi, int32_t rows, const double* u,
                        double* velocity)
{
    if (rows == 0)
        return;
    memcpy(velocity, chi, (size_t)rows * sizeof *velocity);
    stic_block_csr_multiply(1.0, Ht, u, 1.0, velocity);
}

// measure a set at a state: gap, directions and relative velocities of u
static SticStatus measure(SticActing* acting, const double* u, SticArena* arena)
{
    const SticLayout* layout = &acting->system->layout;
    const int32_t rows = acting->set.rows;
    SticPattern* pattern = NULL;
    double *gap = NULL, *chi = NULL, *H = NULL, *velocity = NULL;
    STIC_TRY(STIC_TAKE(arena, &pattern, 1));
    STIC_TRY(stic_pattern_create(arena, &acting->set, layout, layout->u_at, pattern));
    STIC_TRY(STIC_TAKE(arena, &gap, rows + 1));
    STIC_TRY(STIC_TAKE(arena, &chi, rows + 1));
    STIC_TRY(STIC_TAKE(arena, &velocity, rows + 1));
    STIC_TRY(STIC_TAKE(arena, &H, pattern->values + 1));
    SticMeasures measures = {.want = STIC_WANT_GAP | STIC_WANT_CHI | STIC_WANT_H,
                             .gap = gap,
                             .chi = chi,
                             .H = H,
                             .u_pattern = pattern};
    STIC_TRY(acting->system->ops->measure(acting->system, &acting->set, &acting->at, &measures));
    acting->Ht = pattern->csr;
    acting->Ht.value = H;
    velocity_of(&acting->Ht, chi, rows, u, velocity);
    acting->gap = gap;
    acting->velocity = velocity;
    return STIC_OK;
}

// interactions at the end of the step with the forces that the memory holds
static SticStatus collect_forces(const SticState* state, double h, SticArena* arena,
                                 SticActing* acting)
{
    double* r = NULL;
    acting->at = *state;
    acting->h = h;
    const SticReach touching = {.gap = 0.0};
    STIC_TRY(acting->system->ops->detect(acting->system, state, &touching, arena, &acting->set));
    STIC_TRY(STIC_TAKE(arena, &r, acting->set.rows + 1));
    for (int32_t i = 0; i < acting->set.count; ++i) {
        const SticInteraction* interaction = &acting->set.interaction[i];
        const SticMemoryRecord* record = stic_memory_find(state->memory, interaction->id);
        for (int32_t c = 0; c < interaction->rows; ++c)
            r[acting->set.row_at[i] + c] = record == NULL ? 0.0 : h * record->reaction[c];
    }
    acting->r = r;
    return measure(acting, state->u, arena);
}

// values of all rows, the first ones replaced by what is known of them
static const double* put_before(const double* known, size_t bytes, const double* from, double* to,
                                size_t all)
{
    if (all > 0)
        memcpy(to, from, all);
    if (known != NULL && bytes > 0)
        memcpy(to, known, bytes);
    return to;
}

// what the interactions of the step gave, and sleepers behind them
static SticStatus add_given(const SticStepRecord* record, SticArena* arena, SticActing* acting)
{
    double(*given)[6] = NULL;
    if (record->given == NULL)
        return STIC_OK;
    STIC_TRY(STIC_TAKE(arena, &given, acting->set.count));
    memset(given, 0, (size_t)acting->set.count * sizeof *given);
    memcpy(given, record->given, (size_t)record->set.count * sizeof *given);
    const SticPushRows rows = {acting->system, &acting->set, &acting->Ht, &acting->at};
    for (int32_t i = record->set.count; i < acting->set.count; ++i)
        stic_push_add_rows(&rows, i, acting->r + acting->set.row_at[i], given[i]);
    acting->given = (const double(*)[6])given;
    return STIC_OK;
}

// the contacts of the step and those of sleepers, measured together; velocities and gaps of the
// step are as its scheme left them
static SticStatus add_sleepers(const SticRun* run, const double* u, SticArena* arena,
                               SticActing* acting)
{
    const SticStepRecord* record = stic_run_record(run);
    const size_t bytes = (size_t)record->set.rows * sizeof(double);
    double *r = NULL, *velocity = NULL, *gap = NULL;
    STIC_TRY(stic_sleep_add(run, arena, &acting->set, &r));
    acting->r = r;
    STIC_TRY(measure(acting, u, arena));
    const size_t all = (size_t)acting->set.rows * sizeof(double);
    STIC_TRY(STIC_TAKE(arena, &velocity, acting->set.rows));
    STIC_TRY(STIC_TAKE(arena, &gap, acting->set.rows));
    acting->velocity = put_before(record->velocity, bytes, acting->velocity, velocity, all);
    acting->gap = put_before(record->gap, bytes, acting->gap, gap, all);
    return add_given(record, arena, acting);
}

// what the scheme left of a step, or a part of one, that ends with velocities u
static SticStatus take_record(const SticStepRecord* record, const double* u, SticArena* arena,
                              SticActing* acting)
{
    double* velocity = NULL;
    if (record->Ht.value == NULL || record->chi == NULL || record->gap == NULL)
        return measure(acting, u, arena);
    STIC_TRY(STIC_TAKE(arena, &velocity, record->set.rows + 1));
    velocity_of(&record->Ht, record->chi, record->set.rows, u, velocity);
    if (record->velocity != NULL && record->set.rows > 0)
        memcpy(velocity, record->velocity, (size_t)record->set.rows * sizeof *velocity);
    acting->Ht = record->Ht;
    acting->gap = record->gap;
    acting->velocity = velocity;
    return STIC_OK;
}

static SticActing acting_of(const SticRun* run, const SticState* end)
{
    const SticStepRecord* record = stic_run_record(run);
    SticActing acting = {.system = run->def.system,
                         .set = record->set,
                         .r = record->r,
                         .given = record->given,
                         .h = record->h,
                         .at = *end};
    acting.at.t = record->t;
    acting.at.q = (double*)record->q;
    return acting;
}

// Forces of an equilibrium are those of its end: there is nothing to add up where there is no
// motion. Sleepers are told of once, for the whole step.
SticStatus stic_run_keep_part(SticRun* run, const SticState* to)
{
    SticArena* arena = run->stepper->arena;
    const SticArenaMark mark = stic_arena_mark(arena);
    if (run->def.scheme->still || !run->record.filled)
        return STIC_OK;
    SticActing acting = acting_of(run, to);
    acting.h = run->t_end - run->state[0]->t;
    STIC_TRY(take_record(&run->record, to->u, arena, &acting));
    STIC_TRY(stic_acted_add(&run->earlier, &acting, stic_world_of(run->def.system), arena));
    stic_arena_rewind(arena, mark);
    return STIC_OK;
}

SticStatus stic_run_acting(const SticRun* run, SticArena* arena, SticActing* acting)
{
    const SticRunParts* def = stic_run_parts(run);
    const SticStepRecord* record = stic_run_record(run);
    const SticState* state = stic_run_now(run);
    *acting = (SticActing){.system = def->system, .at = *state};
    if (stic_run_totals(run)->steps == 0)
        return STIC_OK;
    if (!record->filled && state->memory->count > 0)
        return collect_forces(state, def->step, arena, acting);
    if (!record->filled)
        return STIC_OK;
    *acting = acting_of(run, state);
    if (run->earlier.parts > 0) {
        acting->before = &run->earlier;
        acting->h = run->earlier.h;
    }
    return run->sleep.count > 0 ? add_sleepers(run, state->u, arena, acting)
                                : take_record(record, state->u, arena, acting);
}
