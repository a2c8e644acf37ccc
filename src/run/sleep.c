// SPDX-License-Identifier: Apache-2.0
// Islands at rest that a run leaves alone until something happens to them.
//
//   fall asleep  every body of an island has moved by no more than the creep that the level of
//                accuracy allows, for as many solved steps as asked for: velocities become 0, and
//                the kinetic energy that they had goes to the term `integration` of the ledger
//   sleep        the world finds no interactions between sleepers and what is fixed, and puts no
//                load on them: schemes see bodies that nothing pushes
//   wake up      a reaction of a body that is awake, or of a prescribed one, gives a sleeper a
//                velocity: the attempt at the step is made again with its island awake; its loads
//                are no longer bit for bit the same; it is moved by hand
//
// Islands are blocks joined by the interactions of a step, whether these carry something or not.
// Those with drives, bonds, or contacts with prescribed bodies stay awake, since what holds them
// may change without a load that does. Reactions stay in the memory of the state and are the first
// guess of the step that wakes their island. Where bodies stay longer than a step the result is the
// same, since what is dropped is what the level calls rest. Cost of a step: one evaluation of the
// loads if anything sleeps, and a copy of the sleepers' memory; nothing else where all sleep.
#include "run/sleep.h"

#include <math.h>
#include <string.h>

#include "base/disjoint.h"
#include "run/run.h"
#include "step/parts.h"
#include "stiction/extend/base.h"
#include "world/world.h"

SticStatus stic_sleep_check(const SticRunParts* def, SticError* error)
{
    if (def->sleep < 0)
        return stic_error_set(error, STIC_BAD_ARGUMENT,
                              "sleep is a number of steps of at least 0, not %d", def->sleep);
    if (def->sleep == 0)
        return STIC_OK;
    const SticAccuracy level = stic_run_accuracy(def);
    if (level != STIC_ACCURACY_PREVIEW && level != STIC_ACCURACY_STANDARD)
        return stic_error_set(error, STIC_UNSUPPORTED,
                              "a run with %s does not let bodies sleep: what rests is told by the "
                              "creep of accuracy preview or standard",
                              level == STIC_ACCURACY_STRICT ? "accuracy strict" : "a tolerance");
    if (!def->scheme->projects)
        return stic_error_set(error, STIC_UNSUPPORTED,
                              "scheme '%s' does not let bodies sleep; moreau, koziara and theta do",
                              def->scheme->name);
    if (stic_world_of(def->system) == NULL)
        return stic_error_set(error, STIC_UNSUPPORTED,
                              "system '%s' is no world: it has no bodies to sleep",
                              def->system->name);
    if (def->system->wide)
        return stic_error_set(error, STIC_UNSUPPORTED,
                              "elastic bodies do not sleep: leave sleep at 0");
    return STIC_OK;
}

SticStatus stic_sleep_create(SticRun* run)
{
    const SticLayout* layout = &run->def.system->layout;
    SticSleep* sleep = &run->sleep;
    if (run->def.sleep == 0)
        return STIC_OK;
    STIC_TRY(STIC_ALLOCATE(&run->context, &sleep->still, layout->blocks));
    STIC_TRY(STIC_ALLOCATE(&run->context, &sleep->asleep, layout->blocks));
    return STIC_ALLOCATE(&run->context, &sleep->force, layout->nu);
}

void stic_sleep_destroy(SticRun* run)
{
    const SticLayout* layout = &run->def.system->layout;
    SticSleep* sleep = &run->sleep;
    STIC_RELEASE(&run->context, sleep->still, layout->blocks);
    STIC_RELEASE(&run->context, sleep->asleep, layout->blocks);
    STIC_RELEASE(&run->context, sleep->force, layout->nu);
    STIC_RELEASE(&run->context, sleep->frozen, sleep->capacity);
}

void stic_sleep_mask(const SticRun* run, bool on)
{
    if (run->def.sleep > 0)
        stic_world_set_asleep(run->def.system,
                              on && run->sleep.sleepers > 0 ? run->sleep.asleep : NULL);
}

/* ---- waking ---- */

static int32_t block_of(const SticInteraction* interaction)
{
    return interaction->block[0] >= 0 ? interaction->block[0] : interaction->block[1];
}

static bool concerns(const SticInteraction* interaction, const uint8_t* marked)
{
    return (interaction->block[0] >= 0 && marked[interaction->block[0]]) ||
           (interaction->block[1] >= 0 && marked[interaction->block[1]]);
}

// forget the interactions of blocks that no longer sleep
static void thaw(SticSleep* sleep)
{
    int32_t kept = 0, contacts = 0;
    for (int32_t k = 0; k < sleep->count; ++k) {
        if (!sleep->asleep[block_of(&sleep->frozen[k].interaction)])
            continue;
        contacts += sleep->frozen[k].interaction.level == STIC_LEVEL_CONTACT ? 1 : 0;
        sleep->frozen[kept++] = sleep->frozen[k];
    }
    sleep->count = kept;
    sleep->contacts = contacts;
}

// wake the islands of all blocks that are marked
static SticStatus wake(SticRun* run, const uint8_t* marked)
{
    SticSleep* sleep = &run->sleep;
    SticArena* arena = run->stepper->arena;
    const SticArenaMark mark = stic_arena_mark(arena);
    const int32_t blocks = run->def.system->layout.blocks;
    int32_t* parent = NULL;
    STIC_TRY(STIC_TAKE(arena, &parent, blocks));
    stic_disjoint_start(parent, blocks);
    for (int32_t k = 0; k < sleep->count; ++k) {
        const int32_t* block = sleep->frozen[k].interaction.block;
        if (block[0] >= 0 && block[1] >= 0)
            stic_disjoint_join(parent, block[0], block[1]);
    }
    for (int32_t i = 0; i < blocks; ++i)
        if (marked[i] && sleep->asleep[i])
            sleep->asleep[stic_disjoint_root(parent, i)] = 2;
    for (int32_t i = 0; i < blocks; ++i)
        if (sleep->asleep[stic_disjoint_root(parent, i)] == 2)
            sleep->still[i] = 0;
    sleep->sleepers = 0;
    for (int32_t i = 0; i < blocks; ++i) {
        sleep->asleep[i] = sleep->asleep[i] && sleep->still[i] > 0;
        sleep->sleepers += sleep->asleep[i];
    }
    stic_arena_rewind(arena, mark);
    thaw(sleep);
    return STIC_OK;
}

SticStatus stic_sleep_wake(SticRun* run, int32_t block)
{
    SticArena* arena = run->stepper->arena;
    const SticArenaMark mark = stic_arena_mark(arena);
    const int32_t blocks = run->def.system->layout.blocks;
    uint8_t* marked = NULL;
    if (run->sleep.sleepers == 0 || block < 0 || !run->sleep.asleep[block])
        return STIC_OK;
    STIC_TRY(STIC_TAKE(arena, &marked, blocks));
    memset(marked, 0, (size_t)blocks);
    marked[block] = 1;
    const SticStatus status = wake(run, marked);
    stic_arena_rewind(arena, mark);
    return status;
}

// the loads of a state, those of sleepers included
static SticStatus loads_of(const SticRun* run, const SticState* state, double* f)
{
    stic_sleep_mask(run, false);
    const SticStatus status = stic_system_force(run->def.system, state, run->stepper->arena, f);
    stic_sleep_mask(run, true);
    return status;
}

SticStatus stic_sleep_look(SticRun* run, const SticState* from)
{
    const SticLayout* layout = &run->def.system->layout;
    const SticSleep* sleep = &run->sleep;
    SticArena* arena = run->stepper->arena;
    double* f = NULL;
    uint8_t* marked = NULL;
    bool any = false;
    if (sleep->sleepers == 0)
        return STIC_OK;
    // what the step before has left is in the report by now, or will not be asked for
    STIC_TRY(stic_arena_reset(arena));
    STIC_TRY(STIC_TAKE(arena, &f, layout->nu));
    STIC_TRY(STIC_TAKE(arena, &marked, layout->blocks));
    STIC_TRY(loads_of(run, from, f));
    for (int32_t i = 0; i < layout->blocks; ++i) {
        const int32_t at = layout->u_at[i], nu = layout->u_at[i + 1] - at;
        marked[i] =
            sleep->asleep[i] && memcmp(f + at, sleep->force + at, (size_t)nu * sizeof *f) != 0;
        any = any || marked[i];
    }
    if (any)
        STIC_TRY(wake(run, marked));
    stic_sleep_mask(run, true);
    return STIC_OK;
}

// sleepers that have a velocity, or a place other than before
static bool find_pushed(const SticRun* run, const SticState* from, const SticState* to,
                        uint8_t* marked)
{
    const SticLayout* layout = &run->def.system->layout;
    bool any = false;
    for (int32_t i = 0; i < layout->blocks; ++i) {
        marked[i] = 0;
        for (int32_t c = layout->u_at[i]; run->sleep.asleep[i] && c < layout->u_at[i + 1]; ++c)
            marked[i] = marked[i] || to->u[c] != 0.0;
        for (int32_t c = 0; run->sleep.asleep[i] && c < 3; ++c)
            marked[i] = marked[i] || to->q[layout->q_at[i] + c] != from->q[layout->q_at[i] + c];
        any = any || marked[i];
    }
    return any;
}

// add the records of sleepers to those of a step, both by ascending id, from the back
static SticStatus keep_memory(const SticSleep* sleep, const SticMemory* from, SticMemory* to)
{
    int32_t kept = 0, own = to->count;
    for (int32_t k = 0, n = 0; k < sleep->count; ++k) {
        while (n < from->count && from->record[n].id < sleep->frozen[k].interaction.id)
            ++n;
        kept += n < from->count && from->record[n].id == sleep->frozen[k].interaction.id ? 1 : 0;
    }
    int32_t at = own + kept, n = from->count;
    STIC_TRY(stic_memory_resize(to, at));
    for (int32_t k = sleep->count; k > 0; --k) {
        const uint64_t id = sleep->frozen[k - 1].interaction.id;
        while (n > 0 && from->record[n - 1].id > id)
            --n;
        if (n == 0 || from->record[n - 1].id != id)
            continue;
        while (own > 0 && to->record[own - 1].id > id)
            to->record[--at] = to->record[--own];
        to->record[--at] = from->record[n - 1];
    }
    STIC_ASSERT(at == own);
    return STIC_OK;
}

SticStatus stic_sleep_follow(SticRun* run, const SticState* from, SticState* to, bool* woken)
{
    const SticLayout* layout = &run->def.system->layout;
    const SticSleep* sleep = &run->sleep;
    SticArena* arena = run->stepper->arena;
    uint8_t* marked = NULL;
    *woken = false;
    if (sleep->sleepers == 0)
        return STIC_OK;
    const SticArenaMark mark = stic_arena_mark(arena);
    STIC_TRY(STIC_TAKE(arena, &marked, layout->blocks));
    *woken = find_pushed(run, from, to, marked);
    if (*woken)
        STIC_TRY(wake(run, marked));
    stic_arena_rewind(arena, mark);
    stic_sleep_mask(run, true);
    if (*woken)
        return STIC_OK;
    // rotations by nothing may round
    for (int32_t i = 0; i < layout->blocks; ++i)
        if (sleep->asleep[i])
            memcpy(to->q + layout->q_at[i], from->q + layout->q_at[i],
                   (size_t)(layout->q_at[i + 1] - layout->q_at[i]) * sizeof *to->q);
    return keep_memory(sleep, from->memory, to->memory);
}

bool stic_sleep_rests(const SticRun* run)
{
    const SticSystem* system = run->def.system;
    return run->sleep.sleepers > 0 && run->sleep.sleepers == system->layout.blocks &&
           stic_view_of(system)->prescribed == 0;
}

SticStatus stic_sleep_pass(SticRun* run, const SticState* from, double t_to, SticState* to,
                           SticStepInfo* info)
{
    const SticSystem* system = run->def.system;
    STIC_TRY(stic_state_copy(&system->layout, from, to));
    to->t = t_to;
    stic_step_info_clear(info);
    info->solve.outcome = STIC_OUTCOME_SOLVED;
    run->stepper->classes->count = run->stepper->events->count = 0;
    run->record = (SticStepRecord){.filled = true, .q = to->q, .t = t_to, .h = t_to - from->t};
    return stic_system_follow(system, to);
}

/* ---- falling asleep ---- */

// whether a block moved by less in a step than the creep of the level allows
static bool is_still(const SticRun* run, int32_t i)
{
    const SticSystem* system = run->def.system;
    const SticLayout* layout = &system->layout;
    const SticState *from = run->state[0], *to = run->state[1];
    const double creep = stic_accuracy_promise(run->stepper->accuracy)->creep * system->size[i];
    const double *u = to->u + layout->u_at[i], *x = to->q + layout->q_at[i];
    const double* before = from->q + layout->q_at[i];
    double speed = 0.0, turn = 0.0, way = 0.0;
    for (int k = 0; k < 3; ++k) {
        speed += u[k] * u[k];
        way += (x[k] - before[k]) * (x[k] - before[k]);
    }
    for (int32_t k = 3; k < layout->u_at[i + 1] - layout->u_at[i]; ++k)
        turn += u[k] * u[k];
    return sqrt(speed) + 0.5 * system->size[i] * sqrt(turn) <= creep &&
           sqrt(way) <= creep * (to->t - from->t);
}

// mark the blocks of islands that have rested long enough; false: there are none
static SticStatus find_tired(const SticRun* run, SticArena* arena, uint8_t* tired, bool* any)
{
    const SticLayout* layout = &run->def.system->layout;
    const SticSet* set = &run->record.set;
    const SticSleep* sleep = &run->sleep;
    int32_t* parent = NULL;
    uint8_t* root = NULL; // 0: no interaction, 1: may sleep, 2: may not
    STIC_TRY(STIC_TAKE(arena, &parent, layout->blocks));
    STIC_TRY(STIC_TAKE(arena, &root, layout->blocks));
    memset(root, 0, (size_t)layout->blocks);
    stic_parts_join(set, UINT32_MAX, parent, layout->blocks);
    for (int32_t k = 0; k < set->count; ++k) {
        const int32_t block = block_of(&set->interaction[k]);
        if (block < 0)
            continue;
        uint8_t* own = &root[stic_disjoint_root(parent, block)];
        if (*own == 0)
            *own = 1;
        if (stic_world_changes(&set->interaction[k]))
            *own = 2;
    }
    for (int32_t i = 0; i < layout->blocks; ++i)
        if (sleep->still[i] < run->def.sleep)
            root[stic_disjoint_root(parent, i)] = 2;
    *any = false;
    for (int32_t i = 0; i < layout->blocks; ++i) {
        tired[i] = !sleep->asleep[i] && root[stic_disjoint_root(parent, i)] == 1;
        *any = *any || tired[i];
    }
    return STIC_OK;
}

static SticFrozen frozen_of(const SticSet* set, int32_t k)
{
    SticFrozen frozen = {.interaction = set->interaction[k],
                         .exit = set->exit == NULL ? INFINITY : set->exit[k]};
    if (set->local != NULL)
        memcpy(frozen.local, set->local[k], sizeof frozen.local);
    if (set->tangent != NULL)
        memcpy(frozen.tangent, set->tangent[k], sizeof frozen.tangent);
    return frozen;
}

// add the interactions of blocks that fall asleep, by ascending id, from the back
static SticStatus freeze(SticRun* run, const uint8_t* tired)
{
    const SticSet* set = &run->record.set;
    SticSleep* sleep = &run->sleep;
    int32_t more = 0, own = sleep->count;
    for (int32_t k = 0; k < set->count; ++k)
        more += concerns(&set->interaction[k], tired) ? 1 : 0;
    STIC_TRY(STIC_RESERVE(&run->context, &sleep->frozen, &sleep->capacity,
                          (size_t)(sleep->count + more)));
    int32_t at = sleep->count += more;
    for (int32_t n = set->count; n > 0; --n) {
        const int32_t k = set->by_id == NULL ? n - 1 : set->by_id[n - 1];
        if (!concerns(&set->interaction[k], tired))
            continue;
        while (own > 0 && sleep->frozen[own - 1].interaction.id > set->interaction[k].id)
            sleep->frozen[--at] = sleep->frozen[--own];
        sleep->frozen[--at] = frozen_of(set, k);
        // a place in the set of its step says nothing in another
        sleep->frozen[at].interaction.bound_of = -1;
        sleep->contacts += set->interaction[k].level == STIC_LEVEL_CONTACT ? 1 : 0;
    }
    return STIC_OK;
}

// contacts of sleepers are not missing in the next step
static void drop_loaded(SticRun* run)
{
    SticLoadedList* list = &run->loaded[1];
    int32_t kept = 0;
    for (int32_t k = 0; k < list->count; ++k) {
        const int32_t* block = list->item[k].block;
        if (!run->sleep.asleep[block[0] >= 0 ? block[0] : block[1]])
            list->item[kept++] = list->item[k];
    }
    list->count = kept;
}

// stop the blocks that fall asleep; their energy is lost to the integration
static SticStatus stop(SticRun* run, SticArena* arena, const uint8_t* tired, SticStepInfo* info)
{
    const SticLayout* layout = &run->def.system->layout;
    SticSleep* sleep = &run->sleep;
    SticState* to = run->state[1];
    double energy[2], *f = NULL;
    STIC_TRY(stic_system_kinetic(run->def.system, to, arena, &energy[0]));
    for (int32_t i = 0; i < layout->blocks; ++i) {
        if (!tired[i])
            continue;
        memset(to->u + layout->u_at[i], 0,
               (size_t)(layout->u_at[i + 1] - layout->u_at[i]) * sizeof *to->u);
        sleep->asleep[i] = 1;
        sleep->sleepers += 1;
    }
    STIC_TRY(stic_system_kinetic(run->def.system, to, arena, &energy[1]));
    info->ledger.kinetic += energy[1] - energy[0];
    info->ledger.integration += energy[1] - energy[0];
    STIC_TRY(STIC_TAKE(arena, &f, layout->nu));
    STIC_TRY(loads_of(run, to, f));
    for (int32_t i = 0; i < layout->blocks; ++i)
        if (tired[i])
            memcpy(sleep->force + layout->u_at[i], f + layout->u_at[i],
                   (size_t)(layout->u_at[i + 1] - layout->u_at[i]) * sizeof *f);
    return STIC_OK;
}

SticStatus stic_sleep_settle(SticRun* run, SticStepInfo* info)
{
    const SticLayout* layout = &run->def.system->layout;
    SticSleep* sleep = &run->sleep;
    SticArena* arena = run->stepper->arena;
    const SticArenaMark mark = stic_arena_mark(arena);
    uint8_t* tired = NULL;
    bool any = false, ready = false;
    if (run->def.sleep == 0)
        return STIC_OK;
    STIC_TRY(STIC_TAKE(arena, &tired, layout->blocks));
    if (sleep->sleepers > 0 && find_pushed(run, run->state[0], run->state[1], tired))
        STIC_TRY(wake(run, tired));
    info->contacts += sleep->contacts;
    info->interactions += sleep->count;
    const bool solved = stic_run_solved(info) && run->record.filled;
    for (int32_t i = 0; i < layout->blocks; ++i) {
        if (sleep->asleep[i])
            continue;
        const bool still = solved && is_still(run, i);
        sleep->still[i] = !still ? 0 : sleep->still[i] + (sleep->still[i] < INT32_MAX ? 1 : 0);
        ready = ready || sleep->still[i] >= run->def.sleep;
    }
    if (ready)
        STIC_TRY(find_tired(run, arena, tired, &any));
    if (any) {
        STIC_TRY(freeze(run, tired));
        STIC_TRY(stop(run, arena, tired, info));
        drop_loaded(run);
    }
    stic_arena_rewind(arena, mark);
    return STIC_OK;
}

/* ---- reports ---- */

// a set while it is filled
typedef struct Joined {
    SticInteraction* interaction;
    int32_t *row_at, *by_id;
    double (*local)[12];
    double (*tangent)[6];
    double* exit;
} Joined;

static SticStatus take_joined(SticArena* arena, int32_t count, Joined* to)
{
    STIC_TRY(STIC_TAKE(arena, &to->interaction, count));
    STIC_TRY(STIC_TAKE(arena, &to->row_at, count + 1));
    STIC_TRY(STIC_TAKE(arena, &to->by_id, count));
    STIC_TRY(STIC_TAKE(arena, &to->local, count));
    STIC_TRY(STIC_TAKE(arena, &to->tangent, count));
    return STIC_TAKE(arena, &to->exit, count);
}

static void put(const SticFrozen* from, int32_t k, const Joined* to)
{
    to->interaction[k] = from->interaction;
    memcpy(to->local[k], from->local, sizeof to->local[k]);
    memcpy(to->tangent[k], from->tangent, sizeof to->tangent[k]);
    to->exit[k] = from->exit;
    to->row_at[k + 1] = to->row_at[k] + from->interaction.rows;
}

// Add what sleeps behind the interactions of a set; those that fell asleep in this step are in the
// set. Returns how many there are in all.
static int32_t merge(const SticSet* set, const SticSleep* sleep, const Joined* to)
{
    int32_t at = 0, k = 0, count = set->count;
    for (int32_t n = 0; n <= set->count; ++n) {
        const int32_t i = n == set->count ? -1 : set->by_id == NULL ? n : set->by_id[n];
        const uint64_t id = i < 0 ? UINT64_MAX : set->interaction[i].id;
        for (; k < sleep->count && sleep->frozen[k].interaction.id < id; ++k) {
            to->by_id[at++] = count;
            put(&sleep->frozen[k], count++, to);
        }
        if (i < 0)
            break;
        k += k < sleep->count && sleep->frozen[k].interaction.id == id ? 1 : 0;
        to->by_id[at++] = i;
    }
    return count;
}

SticStatus stic_sleep_add(const SticRun* run, SticArena* arena, SticSet* set, double** r)
{
    const SticSleep* sleep = &run->sleep;
    const SticStepRecord* record = &run->record;
    Joined to = {.interaction = NULL};
    STIC_TRY(take_joined(arena, record->set.count + sleep->count, &to));
    to.row_at[0] = 0;
    for (int32_t k = 0; k < record->set.count; ++k) {
        const SticFrozen one = frozen_of(&record->set, k);
        put(&one, k, &to);
    }
    const int32_t count = merge(&record->set, sleep, &to);
    STIC_TRY(STIC_TAKE(arena, r, to.row_at[count] + 1));
    if (record->set.rows > 0)
        memcpy(*r, record->r, (size_t)record->set.rows * sizeof **r);
    for (int32_t k = record->set.count; k < count; ++k) {
        const SticMemoryRecord* last =
            stic_memory_find(run->state[0]->memory, to.interaction[k].id);
        for (int32_t c = 0; c < to.interaction[k].rows; ++c)
            (*r)[to.row_at[k] + c] = last == NULL ? 0.0 : last->reaction[c];
    }
    *set =
        (SticSet){.count = count,
                  .rows = to.row_at[count],
                  .interaction = to.interaction,
                  .row_at = to.row_at,
                  .by_id = to.by_id,
                  .local = (const double(*)[12])to.local,
                  .exit = to.exit,
                  .tangent = record->set.tangent == NULL ? NULL : (const double(*)[6])to.tangent};
    return STIC_OK;
}
