// SPDX-License-Identifier: Apache-2.0
// What acted in the last step of a run.
//
// Schemes leave impulses with the directions they used; those that integrate forces (relaxed,
// event) leave only the forces in the memory of the state, which are then matched with the
// interactions found at the end of the step.
#include "run/acting.h"

#include "run/run.h"
#include "stiction/extend/base.h"
#include "stiction/extend/sparse.h"

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
    acting->set = record->set;
    acting->r = record->r;
    acting->h = record->h;
    acting->at.t = record->t;
    acting->at.q = (double*)record->q;
    if (run->sleep.count > 0)
        return add_sleepers(run, state->u, arena, acting);
    if (record->Ht.value == NULL || record->chi == NULL || record->gap == NULL) {
        STIC_TRY(measure(acting, state->u, arena));
    } else {
        double* velocity = NULL;
        STIC_TRY(STIC_TAKE(arena, &velocity, record->set.rows + 1));
        velocity_of(&record->Ht, record->chi, record->set.rows, state->u, velocity);
        if (record->velocity != NULL)
            memcpy(velocity, record->velocity, (size_t)record->set.rows * sizeof *velocity);
        acting->Ht = record->Ht;
        acting->gap = record->gap;
        acting->velocity = velocity;
    }
    return STIC_OK;
}
