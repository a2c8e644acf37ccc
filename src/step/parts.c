// SPDX-License-Identifier: Apache-2.0
// Parts that the schemes share.
#include "step/parts.h"

#include <math.h>
#include <string.h>

#include "base/disjoint.h"
#include "problem/mass.h"
#include "step/accuracy.h"
#include "step/branch.h"
#include "stiction/extend/law.h"
#include "stiction/extend/sparse.h"

SticStatus stic_directions_detect(SticStepper* stepper, const SticSystem* system,
                                  const SticState* state, double reach, SticDirections* directions)
{
    memset(directions, 0, sizeof *directions);
    const SticReach within = {.gap = reach};
    STIC_TRY(system->ops->detect(system, state, &within, stepper->arena, &directions->set));
    return stic_directions_prepare(stepper, system, directions);
}

SticStatus stic_directions_prepare(SticStepper* stepper, const SticSystem* system,
                                   SticDirections* directions)
{
    directions->pool = stic_arena_context(stepper->arena)->pool;
    return stic_pattern_create(stepper->arena, &directions->set, &system->layout,
                               system->layout.u_at, &directions->u_pattern);
}

// memory for one array, taken once
static SticStatus ensure(SticArena* arena, bool wanted, int64_t count, double** array)
{
    return wanted && *array == NULL ? STIC_TAKE(arena, array, count) : STIC_OK;
}

SticStatus stic_directions_measure(SticStepper* stepper, const SticSystem* system,
                                   const SticState* state, uint32_t want, const double* y,
                                   SticDirections* directions)
{
    SticMeasures* m = &directions->measures;
    SticArena* arena = stepper->arena;
    const int64_t rows = directions->set.rows;
    if ((want & (STIC_WANT_G | STIC_WANT_C)) && directions->q_pattern.at == NULL)
        STIC_TRY(stic_pattern_create(arena, &directions->set, &system->layout, system->layout.q_at,
                                     &directions->q_pattern));
    STIC_TRY(ensure(arena, want & STIC_WANT_GAP, rows, &m->gap));
    STIC_TRY(ensure(arena, want & STIC_WANT_CHI, rows, &m->chi));
    STIC_TRY(ensure(arena, want & STIC_WANT_BIAS, rows, &m->bias));
    STIC_TRY(
        ensure(arena, want & (STIC_WANT_H | STIC_WANT_SPEED), directions->u_pattern.values, &m->H));
    STIC_TRY(ensure(arena, want & STIC_WANT_SPEED, rows, &m->speed));
    STIC_TRY(ensure(arena, want & STIC_WANT_G, directions->q_pattern.values, &m->G));
    STIC_TRY(ensure(arena, want & STIC_WANT_C, directions->q_pattern.values, &m->C));
    if ((want & STIC_WANT_TANGENT) && m->tangent == NULL)
        STIC_TRY(STIC_TAKE(arena, &m->tangent, directions->set.count));
    const bool speeds = (want & STIC_WANT_SPEED) != 0;
    m->want = speeds && !system->speeds ? (want & ~(uint32_t)STIC_WANT_SPEED) | STIC_WANT_H : want;
    m->y = y;
    m->u_pattern = &directions->u_pattern;
    m->q_pattern = &directions->q_pattern;
    STIC_TRY(system->ops->measure(system, &directions->set, state, m));
    directions->Ht = directions->u_pattern.csr;
    directions->Ht.value = m->H;
    directions->Gt = directions->q_pattern.csr;
    directions->Gt.value = m->G;
    if (speeds && !system->speeds) {
        stic_directions_velocity(directions, state->u, m->speed);
        if (m->further != NULL)
            stic_block_csr_multiply_on(directions->pool, 1.0, &directions->Ht, m->further, 0.0,
                                       m->further_speed);
    }
    return STIC_OK;
}

SticStatus stic_directions_chi(SticStepper* stepper, const SticSystem* system,
                               const SticDirections* directions, const SticState* state,
                               double lead, double* chi)
{
    SticDirections copy = *directions;
    copy.measures.chi = chi;
    copy.measures.lead = lead;
    return stic_directions_measure(stepper, system, state, STIC_WANT_CHI, NULL, &copy);
}

void stic_directions_velocity(const SticDirections* directions, const double* u, double* relative)
{
    if (directions->set.rows == 0)
        return;
    memcpy(relative, directions->measures.chi, (size_t)directions->set.rows * sizeof *relative);
    stic_block_csr_multiply_on(directions->pool, 1.0, &directions->Ht, u, 1.0, relative);
}

SticStatus stic_parts_select(SticArena* arena, const SticSet* set, uint32_t levels, SticSet* part)
{
    uint8_t* keep = NULL;
    STIC_TRY(STIC_TAKE(arena, &keep, set->count));
    for (int32_t i = 0; i < set->count; ++i)
        keep[i] = (levels & (1u << set->interaction[i].level)) != 0;
    return stic_parts_keep(arena, set, keep, part);
}

// the arrays of a part of a set, with what the whole has
typedef struct Part {
    SticInteraction* interaction;
    int32_t *row_at, *by_id;
    double (*local)[12];
    double (*tangent)[6];
    double* exit;
} Part;

static SticStatus take_part(SticArena* arena, const SticSet* set, Part* part)
{
    memset(part, 0, sizeof *part);
    STIC_TRY(STIC_TAKE(arena, &part->interaction, set->count));
    STIC_TRY(STIC_TAKE(arena, &part->row_at, set->count + 1));
    if (set->local != NULL)
        STIC_TRY(STIC_TAKE(arena, &part->local, set->count));
    if (set->tangent != NULL)
        STIC_TRY(STIC_TAKE(arena, &part->tangent, set->count));
    if (set->exit != NULL)
        STIC_TRY(STIC_TAKE(arena, &part->exit, set->count));
    return set->by_id == NULL ? STIC_OK : STIC_TAKE(arena, &part->by_id, set->count);
}

// interaction i of a set as number k of a part
static void copy_into(const SticSet* set, int32_t i, const Part* part, int32_t k)
{
    part->interaction[k] = set->interaction[i];
    if (part->local != NULL)
        memcpy(part->local[k], set->local[i], sizeof part->local[k]);
    if (part->tangent != NULL)
        memcpy(part->tangent[k], set->tangent[i], sizeof part->tangent[k]);
    if (part->exit != NULL)
        part->exit[k] = set->exit[i];
}

SticStatus stic_parts_keep(SticArena* arena, const SticSet* set, const uint8_t* keep, SticSet* part)
{
    Part to;
    int32_t *place = NULL, count = 0, rows = 0, kept = 0;
    STIC_TRY(STIC_TAKE(arena, &place, set->count));
    STIC_TRY(take_part(arena, set, &to));
    for (int32_t i = 0; i < set->count; ++i) {
        const int32_t of = set->interaction[i].bound_of;
        place[i] = -1;
        if (!keep[i] || (of >= 0 && !keep[of]))
            continue;
        place[i] = count;
        copy_into(set, i, &to, count);
        to.row_at[count++] = rows;
        rows += set->interaction[i].rows;
    }
    to.row_at[count] = rows;
    for (int32_t i = 0; i < count; ++i)
        if (to.interaction[i].bound_of >= 0)
            to.interaction[i].bound_of = place[to.interaction[i].bound_of];
    for (int32_t k = 0; to.by_id != NULL && k < set->count; ++k)
        if (place[set->by_id[k]] >= 0)
            to.by_id[kept++] = place[set->by_id[k]];
    *part = (SticSet){.count = count,
                      .rows = rows,
                      .interaction = to.interaction,
                      .row_at = to.row_at,
                      .by_id = to.by_id,
                      .local = (const double(*)[12])to.local,
                      .exit = to.exit,
                      .tangent = (const double(*)[6])to.tangent};
    return STIC_OK;
}

SticStatus stic_parts_problem(SticStepper* stepper, const SticDirections* directions, double h,
                              SticProblem* problem, double** shift)
{
    STIC_ASSERT(h >= 0.0);
    const SticSet* set = &directions->set;
    SticArena* arena = stepper->arena;
    uint8_t* law = NULL;
    double(*coef)[4] = NULL;
    double *bound = NULL, *u_shift = NULL, *r_shift = NULL;
    int32_t* bound_row = NULL;
    bool bonds = false;
    STIC_TRY(STIC_TAKE(arena, &law, set->count));
    STIC_TRY(STIC_TAKE(arena, &coef, set->count));
    STIC_TRY(STIC_TAKE(arena, &bound, set->count));
    STIC_TRY(STIC_TAKE(arena, &bound_row, set->count));
    STIC_TRY(STIC_TAKE(arena, &u_shift, set->rows));
    for (int32_t i = 0; i < set->count; ++i) {
        const SticInteraction* interaction = &set->interaction[i];
        law[i] = interaction->law;
        memcpy(coef[i], interaction->coef, sizeof coef[i]);
        bound[i] = h * interaction->bound;
        bound_row[i] = interaction->bound_of < 0 ? -1 : set->row_at[interaction->bound_of];
        bonds = bonds || interaction->cohesion > 0.0;
    }
    // cohesion: the law holds for the reaction and the largest pull together (Koziara 10.4)
    if (bonds) {
        STIC_TRY(STIC_TAKE(arena, &r_shift, set->rows));
        memset(r_shift, 0, (size_t)set->rows * sizeof *r_shift);
        for (int32_t i = 0; i < set->count; ++i)
            r_shift[set->row_at[i]] = h * set->interaction[i].cohesion;
    }
    memset(u_shift, 0, (size_t)set->rows * sizeof *u_shift);
    memset(problem, 0, sizeof *problem);
    problem->count = set->count;
    problem->rows = set->rows;
    problem->row_at = set->row_at;
    problem->law = law;
    problem->coef = (const double(*)[4])coef;
    problem->bound = bound;
    problem->bound_row = bound_row;
    problem->u_shift = u_shift;
    problem->r_shift = r_shift;
    *shift = u_shift;
    return STIC_OK;
}

void stic_parts_restitution(const SticSet* set, const double* before, double* shift)
{
    for (int32_t i = 0; i < set->count; ++i) {
        const SticInteraction* interaction = &set->interaction[i];
        // the shift is 0 as it is where nothing bounces
        if (interaction->law == STIC_LAW_FREE ||
            (interaction->restitution[0] == 0.0 && interaction->restitution[1] == 0.0))
            continue;
        const bool normal = interaction->level == STIC_LEVEL_CONTACT;
        for (int32_t row = set->row_at[i]; row < set->row_at[i + 1]; ++row) {
            const bool first = normal && row == set->row_at[i];
            // drilling and rolling do not bounce
            if (!normal || row < set->row_at[i] + 3)
                shift[row] = interaction->restitution[first ? 0 : 1] * before[row];
        }
    }
}

// how far a contact is open beyond half of its slack; 0 where there is nothing to close
static double open_beyond(const SticInteraction* interaction, double gap, const SticMemory* memory)
{
    const double open = gap - 0.5 * interaction->slack;
    if (interaction->level != STIC_LEVEL_CONTACT || interaction->slack == 0.0 ||
        interaction->cohesion > 0.0 || !(open > 0.0))
        return 0.0;
    const SticMemoryRecord* record = stic_memory_find(memory, interaction->id);
    return record != NULL && record->reaction[0] > 0.0 ? open : 0.0;
}

static bool same_pair(const SticInteraction* a, const SticInteraction* b)
{
    return a->block[0] == b->block[0] && a->block[1] == b->block[1] && a->part[0] == b->part[0] &&
           a->part[1] == b->part[1];
}

void stic_parts_close_gaps(const SticSet* set, const double* gap, double h,
                           const SticMemory* memory, double* shift)
{
    STIC_ASSERT(h > 0.0);
    const SticInteraction* list = set->interaction;
    for (int32_t i = 0, end = 0; i < set->count; i = end) {
        double most = 0.0;
        for (end = i; end < set->count && same_pair(&list[i], &list[end]); ++end) {
            const double open = open_beyond(&list[end], gap[set->row_at[end]], memory);
            most = open > most ? open : most;
        }
        // the same for all points of a pair: gaps of redundant points differ by rounding, and
        // conditions that agree would no longer do so
        for (int32_t k = i; most > 0.0 && k < end; ++k)
            if (open_beyond(&list[k], gap[set->row_at[k]], memory) > 0.0)
                shift[set->row_at[k]] += most / h;
    }
}

// two components along earlier tangents, in the present ones: turned by the angle between the first
// tangents, seen in the present tangent plane
static void turn_pair(const double tangent[6], const double earlier[3], double* r)
{
    double cosine = 0.0, sine = 0.0;
    for (int k = 0; k < 3; ++k) {
        cosine += earlier[k] * tangent[k];
        sine += earlier[k] * tangent[3 + k];
    }
    const double size = sqrt(cosine * cosine + sine * sine);
    if (size == 0.0)
        return;
    const double first = r[0], second = r[1];
    r[0] = (cosine * first - sine * second) / size;
    r[1] = (sine * first + cosine * second) / size;
}

void stic_parts_turn(const SticInteraction* interaction, const double tangent[6],
                     const double earlier[3], double* r)
{
    if (interaction->law == STIC_LAW_BALL && interaction->rows == 2)
        turn_pair(tangent, earlier, r);
    if (!stic_law_has_normal((SticLaw)interaction->law) || interaction->rows < 3)
        return;
    turn_pair(tangent, earlier, r + 1);
    // rolling about the two tangents
    if (interaction->rows == 5)
        turn_pair(tangent, earlier, r + 3);
}

// interaction k of a set by ascending id
static int32_t by_id(const SticSet* set, int32_t k)
{
    return set->by_id == NULL ? k : set->by_id[k];
}

void stic_parts_join(const SticSet* set, uint32_t levels, int32_t* parent, int32_t blocks)
{
    STIC_ASSERT(blocks >= 0);
    stic_disjoint_start(parent, blocks);
    const int32_t* last = NULL; // blocks that were joined
    for (int32_t i = 0; i < set->count; ++i) {
        const int32_t* block = set->interaction[i].block;
        if ((levels >> set->interaction[i].level & 1u) == 0)
            continue;
        // the contacts of a pair follow each other
        const bool again = last != NULL && block[0] == last[0] && block[1] == last[1];
        if (!again && block[0] >= 0 && block[1] >= 0)
            stic_disjoint_join(parent, block[0], block[1]);
        last = block;
        for (int k = 0; k < set->interaction[i].alsos; ++k)
            stic_disjoint_join(parent, block[1], set->interaction[i].also[k]);
    }
}

int32_t stic_parts_find(const SticSet* set, uint64_t id)
{
    int32_t low = 0, high = set->count;
    while (low < high) {
        const int32_t middle = low + (high - low) / 2;
        if (set->interaction[by_id(set, middle)].id < id)
            low = middle + 1;
        else
            high = middle;
    }
    const int32_t i = low < set->count ? by_id(set, low) : -1;
    return i >= 0 && set->interaction[i].id == id ? i : -1;
}

// a set and its memory, both by ascending id: pieces of RECALL interactions run on the pool
typedef struct Recall {
    const SticSet* set;
    const SticMemory* memory;
    const double* from;
    double* r;
} Recall;

// some ten microseconds
enum { RECALL = 1024 };

static void recall(SticChunkWork work, Recall* all)
{
    stic_pool_run(all->memory->context.pool, (all->set->count + RECALL - 1) / RECALL, work, all);
}

static int32_t last_of(const Recall* all, int32_t chunk)
{
    return (chunk + 1) * RECALL < all->set->count ? (chunk + 1) * RECALL : all->set->count;
}

static void recall_chunk(void* self, int32_t chunk)
{
    const Recall* all = self;
    const SticSet* set = all->set;
    const SticMemory* memory = all->memory;
    int32_t k = stic_memory_first(memory, set->interaction[by_id(set, chunk * RECALL)].id);
    for (int32_t n = chunk * RECALL; n < last_of(all, chunk); ++n) {
        const int32_t i = by_id(set, n);
        const SticInteraction* interaction = &set->interaction[i];
        double* r = all->r + set->row_at[i];
        while (k < memory->count && memory->record[k].id < interaction->id)
            ++k;
        const bool known = k < memory->count && memory->record[k].id == interaction->id;
        if (known && interaction->rows == 3)
            memcpy(r, memory->record[k].reaction, 3 * sizeof *r);
        else
            for (int32_t c = 0; c < interaction->rows; ++c)
                r[c] = known ? memory->record[k].reaction[c] : 0.0;
        if (known && set->tangent != NULL)
            stic_parts_turn(interaction, set->tangent[i], memory->record[k].tangent, r);
    }
}

void stic_parts_warm_start(const SticSet* set, const SticMemory* memory, double* r)
{
    recall(recall_chunk, &(Recall){.set = set, .memory = memory, .r = r});
}

static void remember_chunk(void* self, int32_t chunk)
{
    const Recall* all = self;
    const SticSet* set = all->set;
    for (int32_t n = chunk * RECALL; n < last_of(all, chunk); ++n) {
        const int32_t i = by_id(set, n), at = set->row_at[i];
        const SticInteraction* interaction = &set->interaction[i];
        SticMemoryRecord record = {.id = interaction->id};
        for (int32_t c = 0; c < interaction->rows; ++c)
            record.reaction[c] = all->from[at + c];
        if (set->tangent != NULL)
            memcpy(record.tangent, set->tangent[i], sizeof record.tangent);
        all->memory->record[n] = record;
    }
}

SticStatus stic_parts_remember(const SticSet* set, const SticReactions* reactions,
                               SticMemory* memory)
{
    STIC_TRY(stic_memory_resize(memory, set->count));
    memory->begun = true;
    recall(remember_chunk, &(Recall){.set = set, .memory = memory, .from = reactions->r});
    return stic_parts_keep_bonds(set, reactions, memory);
}

void stic_parts_velocity(const SticMass* mass, const SticBlockCsr* Ht, const double* f,
                         const double* r, double* v, double* scratch)
{
    memcpy(scratch, f, (size_t)mass->A->row_at[mass->A->rows] * sizeof *v);
    if (Ht->rows > 0)
        stic_block_csr_multiply_transpose(1.0, Ht, r, 1.0, scratch);
    stic_mass_divide(mass, scratch, v);
}

// the tolerances of the stepper's level for a problem, if the scheme told what it is about
static SticStatus set_tolerances(const SticStepper* stepper, const SticStepRows* rows,
                                 const SticProblem* problem, SticSolveRequest* request)
{
    const SticAccuracyPromise* promise = stic_accuracy_promise(stepper->accuracy);
    if (stepper->accuracy == STIC_ACCURACY_TOLERANCE || rows->set == NULL || problem->rows == 0)
        return STIC_OK;
    request->settings.tolerance = promise->motion;
    return stic_accuracy_tolerances(promise, rows, problem, stepper->arena, &request->tolerance);
}

// A step may take thousands of solves where it is hard: a request to stop does not wait for them
static SticStatus obey(const SticStepper* stepper, SticError* error)
{
    return !stic_stepper_interrupted(stepper)
               ? STIC_OK
               : stic_error_set(error, STIC_INTERRUPTED, "stopped on request, inside a step");
}

SticStatus stic_parts_solve(SticStepper* stepper, const SticProblem* problem, double* r, double* u,
                            SticStepInfo* info)
{
    SticSolveRequest request = stepper->solve;
    const SticStepRows rows = stepper->rows;
    stepper->rows.set = NULL;
    STIC_TRY(obey(stepper, &info->error));
    STIC_TRY(set_tolerances(stepper, &rows, problem, &request));
    SticStatus status = STIC_OK;
    bool taken = false;
    if (stepper->branch.rule != STIC_BRANCH_SOLVER)
        STIC_TRY(stic_choice_make(stepper, problem, r, u, info, &taken));
    if (!taken)
        status = stic_solve(problem, &request, r, u, &info->solve);
    const SticObserver* observer = &stepper->observer;
    if (status != STIC_OK)
        info->error = info->solve.error;
    else if (observer->see != NULL)
        return observer->see(observer->self, problem, r, &info->solve);
    return status;
}

// a nonlinear problem whose tangents are shown to the observer, and get their tolerances
typedef struct Watched {
    const SticImplicit* inner;
    const SticStepper* stepper;
    SticStepRows rows;
    SticSolveRequest request;
    SticError* error;
} Watched;

static SticStatus watched_linearise(void* self, const double* x, SticArena* arena,
                                    SticProblem* tangent)
{
    Watched* watched = self;
    const SticObserver* observer = &watched->stepper->observer;
    STIC_TRY(obey(watched->stepper, watched->error));
    STIC_TRY(watched->inner->linearise(watched->inner->self, x, arena, tangent));
    STIC_TRY(set_tolerances(watched->stepper, &watched->rows, tangent, &watched->request));
    SticSolveInfo nothing = {.outcome = STIC_OUTCOME_SOLVED};
    return observer->see == NULL ? STIC_OK : observer->see(observer->self, tangent, NULL, &nothing);
}

static SticStatus watched_advance(void* self, const double* r, double* x,
                                  SticImplicitChange* change)
{
    const Watched* watched = self;
    return watched->inner->advance(watched->inner->self, r, x, change);
}

SticStatus stic_parts_implicit(SticStepper* stepper, const SticImplicit* implicit, double* x,
                               double* r, SticStepInfo* info)
{
    Watched watched = {implicit, stepper, stepper->rows, stepper->solve, &info->error};
    SticImplicit shown = *implicit;
    shown.self = &watched;
    shown.linearise = watched_linearise;
    shown.advance = watched_advance;
    stepper->rows.set = NULL;
    const SticStatus status = stic_implicit_solve(&shown, &watched.request, x, r, &info->solve);
    info->newton = info->solve.newton;
    if (status != STIC_OK && info->solve.error.status != STIC_OK)
        info->error = info->solve.error;
    return status;
}

static bool is_normal(const SticSet* set, int32_t i, int32_t row)
{
    const SticLaw law = (SticLaw)set->interaction[i].law;
    return row == set->row_at[i] && (stic_law_has_normal(law) || law == STIC_LAW_NONNEG);
}

// where works of reactions go
typedef enum Works {
    WORKS_BY_ROWS, // along normals and across
    WORKS_IMPACT,  // all as one impact
    WORKS_FRICTION // all as friction
} Works;

// works of reactions by law and row
static SticStatus add_works(SticStepper* stepper, const SticSet* set, const double* r,
                            const double* mean, Works works, SticLedger* ledger)
{
    SticClassLedger part = {.surface = -1};
    for (int32_t i = 0; i < set->count; ++i) {
        const SticInteraction* interaction = &set->interaction[i];
        // neighbours mostly have one pair of surfaces
        if (interaction->surface != part.surface) {
            if (part.surface >= 0)
                STIC_TRY(stic_classes_add(stepper->classes, &part));
            part = (SticClassLedger){.surface = interaction->surface};
        }
        const int32_t begin = set->row_at[i], end = set->row_at[i + 1];
        if (interaction->law == STIC_LAW_FREE) {
            for (int32_t row = begin; row < end; ++row)
                ledger->constraint += r[row] * mean[row];
            continue;
        }
        const int32_t other = works == WORKS_IMPACT     ? end
                              : works == WORKS_FRICTION ? begin
                                                        : begin + is_normal(set, i, begin);
        for (int32_t row = begin; row < other; ++row) {
            ledger->impact += r[row] * mean[row];
            part.impact += r[row] * mean[row];
        }
        for (int32_t row = other; row < end; ++row) {
            ledger->friction += r[row] * mean[row];
            part.friction += r[row] * mean[row];
        }
    }
    return part.surface >= 0 ? stic_classes_add(stepper->classes, &part) : STIC_OK;
}

SticStatus stic_ledger_add_reactions(SticStepper* stepper, const SticSet* set, const double* r,
                                     const double* mean, SticLedger* ledger)
{
    return add_works(stepper, set, r, mean, WORKS_BY_ROWS, ledger);
}

// works along normals and across
static void sum_works(const SticSet* set, const double* r, const double* mean, double sum[2])
{
    sum[0] = sum[1] = 0.0;
    for (int32_t i = 0; i < set->count; ++i)
        for (int32_t row = set->row_at[i]; row < set->row_at[i + 1]; ++row)
            if (set->interaction[i].law != STIC_LAW_FREE)
                sum[is_normal(set, i, row) ? 0 : 1] += r[row] * mean[row];
}

SticStatus stic_ledger_add_impact(SticStepper* stepper, const SticSet* set, const double* r,
                                  const double* mean, SticLedger* ledger)
{
    double sum[2];
    sum_works(set, r, mean, sum);
    const Works works = sum[0] > 0.0 || sum[1] > 0.0 ? WORKS_IMPACT : WORKS_BY_ROWS;
    return add_works(stepper, set, r, mean, works, ledger);
}

SticStatus stic_ledger_add_settling(SticStepper* stepper, const SticSet* set, const double* r,
                                    const double* mean, SticLedger* ledger)
{
    double sum[2];
    sum_works(set, r, mean, sum);
    if (sum[0] + sum[1] <= 0.0)
        return stic_ledger_add_impact(stepper, set, r, mean, ledger);
    return add_works(stepper, set, r, mean, WORKS_FRICTION, ledger);
}

void stic_ledger_add_prescribed(int32_t rows, const double* r, const double* chi, double weight,
                                SticLedger* ledger)
{
    STIC_ASSERT(rows >= 0);
    for (int32_t row = 0; row < rows; ++row)
        ledger->prescribed -= weight * (r[row] * chi[row]);
}

void stic_parts_tell(SticStepper* stepper, const SticSystem* system, const SticSet* set,
                     const double* before)
{
    stepper->rows = (SticStepRows){
        .set = set, .before = before, .size = system->size, .blocks = system->layout.blocks};
}

SticStatus stic_parts_stage(SticStepper* stepper, const SticStage* stage, double* r, double* v,
                            SticStepInfo* info)
{
    double* relative = NULL;
    return stic_parts_stage_relative(stepper, stage, r, v, &relative, info);
}

SticStatus stic_parts_stage_relative(SticStepper* stepper, const SticStage* stage, double* r,
                                     double* v, double** relative, SticStepInfo* info)
{
    const SticDirections* directions = stage->directions;
    const SticSet* set = &directions->set;
    SticArena* arena = stepper->arena;
    double* scratch = NULL;
    STIC_TRY(STIC_TAKE(arena, relative, set->rows));
    STIC_TRY(STIC_TAKE(arena, &scratch, stage->mass->A->row_at[stage->mass->A->rows]));
    SticProblem problem = *stage->laws;
    problem.dof = stage->mass->A->row_at[stage->mass->A->rows];
    problem.M = stage->mass;
    problem.Ht = &directions->Ht;
    problem.f = stage->momentum;
    problem.w = directions->measures.chi;
    if (stage->memory != NULL)
        stic_parts_warm_start(set, stage->memory, r);
    STIC_TRY(stic_parts_solve(stepper, &problem, r, *relative, info));
    if (v != NULL) {
        memcpy(scratch, stage->momentum, (size_t)problem.dof * sizeof *v);
        if (set->rows > 0)
            stic_block_csr_multiply_transpose(1.0, &directions->Ht, r, 1.0, scratch);
        STIC_TRY(stic_mass_solve(stage->mass, scratch, v));
    }
    return stage->opens == NULL ? STIC_OK
                                : stic_parts_opening(stepper, &problem, *relative, stage->opens);
}

// effect of time alone on V between two states, of springs on prescribed bodies: the mean over the
// coordinates of both, or half a step at each end
static SticStatus add_time(SticStepper* stepper, const SticSystem* system,
                           const SticState* const ends[2], bool middle, SticLedger* ledger)
{
    const double half = 0.5 * (ends[0]->t + ends[1]->t), *q[2] = {ends[0]->q, ends[1]->q};
    double change = 0.0;
    for (int side = 0; side < 2; ++side)
        for (int late = 0; late < 2; ++late) {
            double value = 0.0;
            const bool inner = side != late;
            const SticState at = {middle && inner ? half : ends[late]->t, (double*)q[side],
                                  ends[side]->u, ends[side]->memory};
            STIC_TRY(stic_system_potential(system, &at, stepper->arena, &value));
            change += (late == 1 ? 1.0 : -1.0) * (middle ? 1.0 : 0.5) * value;
        }
    ledger->prescribed += change;
    return STIC_OK;
}

SticStatus stic_ledger_close(SticStepper* stepper, const SticSystem* system, const SticState* from,
                             const SticState* to, SticLedger* ledger)
{
    return stic_ledger_close_at(stepper, system, (const SticState* const[]){from, to}, false,
                                ledger);
}

static bool sums_potential(const SticStepper* stepper)
{
    return stepper->loads.potential && stepper->scheme->instants;
}

SticStatus stic_ledger_close_at(SticStepper* stepper, const SticSystem* system,
                                const SticState* const ends[2], bool middle, SticLedger* ledger)
{
    double potential[2];
    STIC_TRY(
        stic_system_kinetic_change(system, ends[0], ends[1], stepper->arena, &ledger->kinetic));
    for (int side = 0; side < 2; ++side)
        STIC_TRY(stic_system_potential(system, ends[side], stepper->arena, &potential[side]));
    // a potential that changes inside the step: schemes that look there have summed its power
    if (!sums_potential(stepper))
        ledger->potential = potential[1] - potential[0];
    if ((system->offers & STIC_OFFERS_SCLERONOMIC) == 0)
        STIC_TRY(add_time(stepper, system, ends, middle, ledger));
    ledger->integration = ledger->kinetic + ledger->potential - ledger->applied - ledger->impact -
                          ledger->friction - ledger->damping - ledger->constraint -
                          ledger->prescribed - ledger->correction;
    return STIC_OK;
}

void stic_parts_drift(const SticLayout* layout, const double* q, const double* u, double h,
                      double* q_new)
{
    for (int32_t i = 0; i < layout->blocks; ++i)
        stic_chart_drift((SticChart)layout->chart[i], layout->u_at[i + 1] - layout->u_at[i],
                         q + layout->q_at[i], u + layout->u_at[i], h, q_new + layout->q_at[i]);
}

static double work_of(const double* force, const double* displacement, int32_t nu)
{
    double work = 0.0;
    for (int32_t c = 0; c < nu; ++c)
        work += force[c] * displacement[c];
    return work;
}

// `known`: applied forces there, NULL: they are asked for
static SticStatus add_applied(SticStepper* stepper, const SticSystem* system, const SticState* at,
                              const double* known, const double* displacement, SticLedger* ledger)
{
    const int32_t nu = system->layout.nu;
    double* force = NULL;
    STIC_TRY(STIC_TAKE(stepper->arena, &force, nu));
    if (sums_potential(stepper)) {
        STIC_TRY(stic_system_force(system, at, stepper->arena, force));
        ledger->potential -= work_of(force, displacement, nu);
    }
    if (known == NULL) {
        STIC_TRY(system->ops->force(system, at, force));
        known = force;
    }
    const double applied = work_of(known, displacement, nu);
    ledger->applied += applied;
    ledger->potential += sums_potential(stepper) ? applied : 0.0;
    if (system->ops->damping == NULL)
        return STIC_OK;
    STIC_TRY(system->ops->damping(system, at, force));
    const double damping = work_of(force, displacement, nu);
    ledger->applied -= damping;
    ledger->damping += damping;
    return STIC_OK;
}

SticStatus stic_ledger_add_applied(SticStepper* stepper, const SticSystem* system,
                                   const SticState* at, const double* displacement,
                                   SticLedger* ledger)
{
    return add_applied(stepper, system, at, NULL, displacement, ledger);
}

SticStatus stic_parts_close(SticStepper* stepper, const SticSystem* system,
                            const SticClosing* closing, const SticState* from, SticState* to,
                            SticStepInfo* info)
{
    const SticSet* set = &closing->directions->set;
    double *mean = NULL, *moved = NULL;
    STIC_TRY(STIC_TAKE(stepper->arena, &mean, set->rows));
    STIC_TRY(STIC_TAKE(stepper->arena, &moved, system->layout.nu));
    const double* after = closing->after == NULL ? mean : closing->after;
    const double *first = closing->u[0] == NULL ? from->u : closing->u[0],
                 *last = closing->u[1] == NULL ? to->u : closing->u[1];
    for (int32_t c = 0; c < system->layout.nu; ++c)
        moved[c] = 0.5 * (to->t - from->t) * (first[c] + last[c]);
    if (closing->after == NULL)
        stic_directions_velocity(closing->directions, last, mean);
    const double *own = closing->directions->measures.chi,
                 *chi = closing->chi == NULL ? own : closing->chi;
    for (int32_t row = 0; row < set->rows; ++row)
        mean[row] = 0.5 * (after[row] + closing->before[row]) + (chi[row] - own[row]);
    STIC_TRY(stic_ledger_add_reactions(stepper, set, closing->r, mean, &info->ledger));
    stic_ledger_add_prescribed(set->rows, closing->r, chi, 1.0, &info->ledger);
    STIC_TRY(add_applied(stepper, system, closing->at, closing->force, moved, &info->ledger));
    STIC_TRY(stic_ledger_close(stepper, system, from, to, &info->ledger));
    stic_parts_record(stepper, closing->directions, closing->r, closing->at, to->t - from->t);
    if (stepper->record != NULL && stepper->record->filled) {
        stepper->record->allowance = closing->allowance;
        if (stepper->record != NULL && stepper->record->filled)
            stepper->record->last = closing->last;
        stepper->record->velocity = closing->velocity;
    }
    const SticReactions reactions = {closing->r, to->t - from->t, closing->opens};
    return stic_parts_remember(set, &reactions, to->memory);
}

// add the impulses that an earlier stage of the same step left for interactions of the same id
static bool add_earlier(SticArena* arena, const SticStepRecord* earlier, SticStepRecord* record)
{
    const SticSet *old = &earlier->set, *set = &record->set;
    double* r = stic_arena_get(arena, (size_t)set->rows + 1, sizeof *r);
    if (r == NULL)
        return false;
    memcpy(r, record->r, (size_t)set->rows * sizeof *r);
    int32_t k = 0;
    for (int32_t n = 0; n < set->count; ++n) {
        const int32_t i = by_id(set, n);
        while (k < old->count && old->interaction[by_id(old, k)].id < set->interaction[i].id)
            ++k;
        const int32_t j = k < old->count ? by_id(old, k) : 0;
        if (k >= old->count || old->interaction[j].id != set->interaction[i].id ||
            old->interaction[j].rows != set->interaction[i].rows)
            continue;
        for (int32_t c = 0; c < set->interaction[i].rows; ++c)
            r[set->row_at[i] + c] += earlier->r[old->row_at[j] + c];
    }
    record->r = r;
    return true;
}

void stic_parts_record(SticStepper* stepper, const SticDirections* directions, const double* r,
                       const SticState* at, double h)
{
    STIC_ASSERT(h >= 0.0);
    SticStepRecord* kept = stepper->record;
    if (kept == NULL)
        return;
    SticStepRecord record = {.filled = true,
                             .set = directions->set,
                             .Ht = directions->Ht,
                             .chi = directions->measures.chi,
                             .gap = directions->measures.gap,
                             .r = r,
                             .q = at->q,
                             .t = at->t,
                             .h = h};
    if (kept->filled && kept->set.rows > 0)
        record.filled = add_earlier(stepper->arena, kept, &record);
    *kept = record;
}

void stic_parts_count_depth(const SticInteraction* interaction, double depth, double allowance,
                            SticStepInfo* info)
{
    const double own = STIC_OVERLAP_PART * interaction->size,
                 excess = depth - (allowance > own ? allowance : own);
    info->penetration = depth > info->penetration ? depth : info->penetration;
    if (interaction->size > 0.0 && depth > info->penetration_part * interaction->size)
        info->penetration_part = depth / interaction->size;
    // without a size there is no measure for an overlap that is too deep
    if (interaction->size > 0.0 && excess > info->excess)
        info->excess = excess;
}

void stic_parts_count(const SticDirections* directions, SticStepInfo* info)
{
    const SticSet* set = &directions->set;
    info->interactions = set->count;
    for (int32_t i = 0; i < set->count; ++i) {
        if (set->interaction[i].level != STIC_LEVEL_CONTACT)
            continue;
        info->contacts += 1;
        stic_parts_count_depth(&set->interaction[i], -directions->measures.gap[set->row_at[i]], 0.0,
                               info);
    }
}

SticStatus stic_parts_check_step(const SticSystem* system, const SticState* state, double h,
                                 bool refuse, SticStepInfo* info)
{
    STIC_ASSERT(h > 0.0);
    info->step_limit = system->step_limit;
    if (system->step_limit <= 0.0)
        return STIC_OK;
    if (system->ops->limit != NULL)
        STIC_TRY(system->ops->limit(system, state, h, &info->step_limit));
    if (!refuse || h <= info->step_limit)
        return STIC_OK;
    return stic_error_set(
        &info->error, STIC_BAD_ARGUMENT,
        "the step %.6g s at t = %.6g is beyond the stability limit %.6g s of a body of system "
        "'%s' that deforms (%.6g s undeformed); take a shorter one or an implicit scheme",
        h, state->t, info->step_limit, system->name, system->step_limit);
}
