// SPDX-License-Identifier: Apache-2.0
// Gauss-Seidel sweep: set-up.
//
// Orders the interactions, chooses a kernel for each, and copies what the visits read into records
// and packs in that order. Everything but the order and the plan of the packs is made on the pool.
#include "solver/sweep_data.h"

#include <math.h>
#include <string.h>

#include "law/law_kernel.h"
#include "math/math.h"

static bool fits_record(const SticOperator* op, int32_t i)
{
    const int32_t blocks = op->begin[i + 1] - op->begin[i];
    if (op->pull != op->push || blocks < 1 || blocks > 2)
        return false;
    for (int32_t e = op->begin[i]; e < op->begin[i + 1]; ++e)
        if (op->block[e].dof != 6)
            return false;
    return true;
}

static SticSweepKernel choose_kernel(const SticSweep* sweep, int32_t i)
{
    const int32_t rows = sweep->op->row_at[i + 1] - sweep->op->row_at[i];
    if (sweep->options.local == STIC_LOCAL_PROJECTION)
        return KERNEL_GENERAL;
    switch ((SticLaw)sweep->problem->law[i]) {
    case STIC_LAW_FREE:
        return KERNEL_FREE;
    case STIC_LAW_NONNEG:
        return KERNEL_NONNEG;
    case STIC_LAW_INTERVAL:
        return KERNEL_INTERVAL;
    case STIC_LAW_BALL:
        return rows == 2 ? KERNEL_DISC : KERNEL_GENERAL;
    case STIC_LAW_CONE:
        if (rows == 2)
            return KERNEL_PLANAR;
        return sweep->op->form == STIC_FORM_FACTORED && fits_record(sweep->op, i) ? KERNEL_RECORD
                                                                                  : KERNEL_CONTACT;
    default:
        return KERNEL_GENERAL;
    }
}

// the data of contact i
static SticPackItem item_of(const SticSweep* sweep, int32_t i)
{
    const SticOperator* op = sweep->op;
    const double *D = stic_sweep_block_of(sweep, i), *w = op->w + op->row_at[i];
    const SticContactBlock block = stic_local_contact(D, sweep->problem->coef[i][0]);
    SticPackItem item = {.body = {-1, -1},
                         .mu = block.mu,
                         .inverse_NN = block.inverse_NN,
                         .inverse_det = block.inverse_det,
                         .D = {D[0], D[1], D[2], D[4], D[5], D[8]},
                         .w = {w[0], w[1], w[2]}};
    for (int32_t e = op->begin[i], side = 0; e < op->begin[i + 1]; ++e, ++side) {
        item.body[side] = op->block[e].at;
        item.H[side] = op->pull + op->block[e].value_at;
    }
    return item;
}

static void fill_record(const SticPackItem* item, SticSweepRecord* record)
{
    *record = (SticSweepRecord){.body = {item->body[0], item->body[1]},
                                .mu = item->mu,
                                .inverse_NN = item->inverse_NN,
                                .inverse_det = item->inverse_det};
    memcpy(record->D, item->D, sizeof record->D);
    memcpy(record->w, item->w, sizeof record->w);
    for (int side = 0; side < 2 && item->body[side] >= 0; ++side)
        memcpy(record->H[side], item->H[side], sizeof record->H[side]);
}

// Chunks of contacts that fill at least half of the lanes are visited four at a time: a pack takes
// less time than two visits of single contacts.
static SticStatus plan_packs(SticArena* arena, SticSweep* sweep, uint8_t* kernel)
{
    enum { FEWEST = 16 };
    const SticOrder* order = &sweep->order;
    const SticOperator* op = sweep->op;
    SticPackPlan plan;
    STIC_TRY(STIC_TAKE(arena, &sweep->lane_at, order->count));
    STIC_TRY(STIC_TAKE(arena, &sweep->chunk_pack, order->chunks + 1));
    for (int32_t p = 0; p < order->count; ++p)
        sweep->lane_at[p] = -1;
    const bool possible = op->form == STIC_FORM_FACTORED && !sweep->share &&
                          sweep->options.local == STIC_LOCAL_NEWTON;
    STIC_TRY(stic_pack_plan_take(arena, possible ? order->count : 0, possible ? op->velocities : 0,
                                 &plan));
    for (int32_t c = 0; c < order->chunks; ++c) {
        SticOrderChunk* chunk = &order->chunk[c];
        const int32_t first = plan.packs, count = chunk->end - chunk->first;
        sweep->chunk_pack[c] = first;
        if (!possible || chunk->kernel != KERNEL_RECORD || count < FEWEST)
            continue;
        for (int32_t p = chunk->first; p < chunk->end; ++p) {
            const int32_t e = op->begin[order->item[p]];
            const bool two = op->begin[order->item[p] + 1] - e == 2;
            const int32_t body[2] = {op->block[e].at, two ? op->block[e + 1].at : -1};
            sweep->lane_at[p] = stic_pack_plan_next(&plan, body, first);
        }
        const bool pays = 2 * (plan.packs - first) <= count;
        if (!pays)
            stic_pack_plan_drop(&plan, first);
        else
            chunk->kernel = KERNEL_PACK;
        for (int32_t p = chunk->first; p < chunk->end; ++p) {
            sweep->lane_at[p] = pays ? sweep->lane_at[p] : -1;
            kernel[order->item[p]] = pays ? KERNEL_PACK : KERNEL_RECORD;
        }
    }
    sweep->packs = sweep->chunk_pack[order->chunks] = plan.packs;
    return STIC_OK;
}

// interactions, positions or packs of one piece of the set-up
enum { FILL = 256 };

static int32_t fill_count(int32_t count)
{
    return (count + FILL - 1) / FILL;
}

static int32_t fill_end(int32_t index, int32_t count)
{
    return (index + 1) * FILL < count ? (index + 1) * FILL : count;
}

static void fill_normal(const SticSweep* sweep, int32_t i, SticSweepNormal* normal)
{
    const SticOperator* op = sweep->op;
    const double D = *stic_sweep_block_of(sweep, i);
    *normal = (SticSweepNormal){
        .body = {-1, -1}, .D = D, .root = sqrt(1.0 / D), .w = op->w[op->row_at[i]]};
    for (int32_t e = op->begin[i], side = 0; e < op->begin[i + 1]; ++e, ++side) {
        normal->body[side] = op->block[e].at;
        memcpy(normal->H[side], op->pull + op->block[e].value_at, sizeof normal->H[side]);
    }
}

// records of the positions of one piece
static void fill_record_chunk(void* self, int32_t index)
{
    const SticSweep* sweep = self;
    const int32_t end = fill_end(index, sweep->order.count);
    for (int32_t p = index * FILL; p < end; ++p) {
        if (sweep->normals > 0 && sweep->normal_at[p] >= 0)
            fill_normal(sweep, sweep->order.item[p], &sweep->normal[sweep->normal_at[p]]);
        if (sweep->record_at[p] < 0)
            continue;
        const SticPackItem item = item_of(sweep, sweep->order.item[p]);
        fill_record(&item, &sweep->record[sweep->record_at[p]]);
    }
}

typedef struct PackFill {
    const SticSweep* sweep;
    int32_t* item; // [4 packs] interaction in each lane, -1: none
} PackFill;

static void fill_pack_chunk(void* self, int32_t index)
{
    const PackFill* fill = self;
    const SticSweep* sweep = fill->sweep;
    const int32_t end = fill_end(index, sweep->packs);
    for (int32_t k = index * FILL; k < end; ++k)
        for (int32_t lane = 0; lane < STIC_LANES; ++lane) {
            const int32_t i = fill->item[STIC_LANES * k + lane];
            if (i < 0)
                continue;
            const SticPackItem item = item_of(sweep, i);
            stic_pack_put(&sweep->pack[k], lane, &item);
        }
}

static SticStatus fill_packs(SticArena* arena, SticSweep* sweep)
{
    const SticArenaMark mark = stic_arena_mark(arena);
    PackFill fill = {.sweep = sweep};
    STIC_TRY(STIC_TAKE(arena, &fill.item, STIC_LANES * (size_t)sweep->packs));
    for (int32_t l = 0; l < STIC_LANES * sweep->packs; ++l)
        fill.item[l] = -1;
    for (int32_t p = 0; p < sweep->order.count; ++p)
        if (sweep->lane_at[p] >= 0)
            fill.item[sweep->lane_at[p]] = sweep->order.item[p];
    stic_pool_run(sweep->op->pool, fill_count(sweep->packs), fill_pack_chunk, &fill);
    stic_arena_rewind(arena, mark);
    return STIC_OK;
}

// numbers of the positions with a kernel, in the order of the sweep, -1: another one
static SticStatus number_positions(SticArena* arena, const SticSweep* sweep, SticSweepKernel kernel,
                                   int32_t** at, int32_t* count)
{
    STIC_TRY(STIC_TAKE(arena, at, sweep->order.count));
    for (int32_t p = 0; p < sweep->order.count; ++p)
        (*at)[p] = sweep->kernel[sweep->order.item[p]] == kernel ? (*count)++ : -1;
    return STIC_OK;
}

static SticStatus fill_records(SticArena* arena, SticSweep* sweep)
{
    const int32_t count = sweep->order.count;
    STIC_TRY(number_positions(arena, sweep, KERNEL_RECORD, &sweep->record_at, &sweep->records));
    STIC_TRY(number_positions(arena, sweep, KERNEL_NORMAL, &sweep->normal_at, &sweep->normals));
    STIC_TRY(STIC_TAKE(arena, &sweep->record, sweep->records));
    STIC_TRY(STIC_TAKE(arena, &sweep->normal, sweep->normals));
    STIC_TRY(STIC_TAKE(arena, &sweep->pack, sweep->packs));
    sweep->visit_packs = stic_pack_kernel(false);
    STIC_TRY(STIC_TAKE(arena, &sweep->chunk_nobody, sweep->order.chunks + 1));
    sweep->chunk_nobody[0] = 0;
    for (int32_t c = 0; c < sweep->order.chunks; ++c) {
        const int32_t own = sweep->chunk_nobody[c];
        sweep->chunk_nobody[c + 1] = own + (sweep->chunk_pack[c] < sweep->chunk_pack[c + 1]);
        for (int32_t k = sweep->chunk_pack[c]; k < sweep->chunk_pack[c + 1]; ++k)
            stic_pack_clear(&sweep->pack[k], stic_sweep_nobody(sweep->op) + own * STIC_PACK_NOBODY);
    }
    stic_pool_run(sweep->op->pool, fill_count(count), fill_record_chunk, sweep);
    return fill_packs(arena, sweep);
}

static bool is_inverted(SticSweepKernel kernel)
{
    return kernel == KERNEL_FREE || kernel == KERNEL_JOINTS || kernel == KERNEL_DISC;
}

// local block of interaction i, false: it cannot be solved with
static bool fill_block(const SticSweep* sweep, int32_t i)
{
    const SticOperator* op = sweep->op;
    const int32_t rows = op->row_at[i + 1] - op->row_at[i];
    double* D = sweep->D + op->diagonal_at[i];
    const SticSweepKernel kernel = (SticSweepKernel)sweep->kernel[i];
    bool regular = stic_local_block(op->diagonal + op->diagonal_at[i], rows, D);
    if (is_inverted(kernel))
        regular =
            regular && stic_dense_inverse(rows, D, sweep->inverse + op->diagonal_at[i]) == STIC_OK;
    if (regular && kernel == KERNEL_CONTACT)
        sweep->contact[i] = stic_local_contact(D, sweep->problem->coef[i][0]);
    if (regular && kernel == KERNEL_GENERAL)
        stic_law_rho((SticLaw)sweep->problem->law[i], rows, D, sweep->rho[i]);
    return regular;
}

typedef struct BlockFill {
    const SticSweep* sweep;
    int32_t* bad; // [pieces] first interaction of each that cannot be solved with, -1
} BlockFill;

static void fill_block_chunk(void* self, int32_t index)
{
    const BlockFill* fill = self;
    const int32_t end = fill_end(index, fill->sweep->op->count);
    fill->bad[index] = -1;
    for (int32_t i = index * FILL; i < end; ++i)
        if (!fill_block(fill->sweep, i) && fill->bad[index] < 0)
            fill->bad[index] = i;
}

// local blocks of all interactions
static SticStatus fill_blocks(SticArena* arena, SticSweep* sweep, SticError* error)
{
    const SticOperator* op = sweep->op;
    const int32_t pieces = fill_count(op->count);
    BlockFill fill = {.sweep = sweep};
    // contacts in records, nearly all of them, need their block alone
    bool inverted = false, single = false, general = false;
    for (int32_t i = 0; i < op->count; ++i) {
        const SticSweepKernel kernel = (SticSweepKernel)sweep->kernel[i];
        inverted = inverted || is_inverted(kernel);
        single = single || kernel == KERNEL_CONTACT;
        general = general || kernel == KERNEL_GENERAL;
    }
    STIC_TRY(STIC_TAKE(arena, &sweep->D, op->diagonal_at[op->count]));
    STIC_TRY(STIC_TAKE(arena, &sweep->inverse, inverted ? op->diagonal_at[op->count] : 0));
    STIC_TRY(STIC_TAKE(arena, &sweep->contact, single ? op->count : 0));
    STIC_TRY(STIC_TAKE(arena, &sweep->rho, general ? op->count : 0));
    STIC_TRY(STIC_TAKE(arena, &fill.bad, pieces));
    stic_pool_run(op->pool, pieces, fill_block_chunk, &fill);
    for (int32_t k = 0; k < pieces; ++k)
        if (fill.bad[k] >= 0)
            return stic_error_set(error, STIC_UNSUPPORTED,
                                  "Gauss-Seidel needs a positive first diagonal entry in every "
                                  "block of W; that of interaction %d (%s) is %g",
                                  fill.bad[k],
                                  stic_law_name((SticLaw)sweep->problem->law[fill.bad[k]]),
                                  op->diagonal[op->diagonal_at[fill.bad[k]]]);
    return STIC_OK;
}

static SticStatus take_arrays(SticArena* arena, SticSweep* sweep)
{
    STIC_TRY(STIC_TAKE(arena, &sweep->r, sweep->problem->rows));
    const int32_t places =
        stic_sweep_nobody(sweep->op) + sweep->chunk_nobody[sweep->order.chunks] * STIC_PACK_NOBODY;
    STIC_TRY(STIC_TAKE(arena, &sweep->v, places));
    // places between the bodies are never written, but read when velocities are combined
    memset(sweep->v, 0, (size_t)places * sizeof *sweep->v);
    STIC_TRY(STIC_TAKE(arena, &sweep->change, sweep->order.chunks));
    STIC_TRY(STIC_TAKE(arena, &sweep->sum, sweep->order.count / 4096 + 1));
    STIC_TRY(STIC_TAKE(arena, &sweep->before, sweep->problem->rows));
    STIC_TRY(STIC_TAKE(arena, &sweep->v_before, sweep->op->velocities));
    STIC_TRY(STIC_TAKE(arena, &sweep->block, sweep->order.count));
    return STIC_TAKE(arena, &sweep->fallback, sweep->order.chunks);
}

// the constant part of u gets a copy that corrections may change; others use the operator as it was
static SticStatus own_offset(SticArena* arena, SticSweep* sweep)
{
    SticOperator* op = NULL;
    STIC_TRY(STIC_TAKE(arena, &op, 1));
    *op = *sweep->given;
    sweep->op = op;
    const bool factored = op->form == STIC_FORM_FACTORED;
    STIC_TRY(STIC_TAKE(arena, &sweep->offset, op->rows));
    if (op->rows > 0)
        memcpy(sweep->offset, factored ? op->w : op->b, (size_t)op->rows * sizeof(double));
    if (factored)
        op->w = sweep->offset;
    else
        op->b = sweep->offset;
    return STIC_OK;
}

// interactions stretch by stretch, bilateral ones of a group last
static void list_items(const SticSweep* sweep, const SticIslands* islands, const int32_t* begin,
                       int32_t stretches, int32_t* item)
{
    for (int32_t k = 0; k < stretches; ++k) {
        int32_t at = begin[k];
        for (int turn = 0; turn < 2; ++turn)
            for (int32_t p = begin[k]; p < begin[k + 1]; ++p) {
                const int32_t i = islands != NULL ? islands->member[p] : p;
                if ((sweep->problem->law[i] == STIC_LAW_FREE) == (turn == 1))
                    item[at++] = i;
            }
    }
}

// groups of bilateral interactions, one per stretch; those that are factored get their own kernel
static SticStatus make_groups(SticArena* arena, SticSweep* sweep, const int32_t* begin,
                              int32_t stretches, uint8_t* kernel)
{
    const int32_t* item = sweep->order.item;
    STIC_TRY(STIC_TAKE(arena, &sweep->joints, stretches));
    STIC_TRY(STIC_TAKE(arena, &sweep->joint_group, begin[stretches]));
    for (int32_t p = 0; p < begin[stretches]; ++p)
        sweep->joint_group[p] = -1;
    SticPatternCache* patterns = sweep->options.patterns;
    for (int32_t k = 0; k < stretches; ++k) {
        int32_t first = begin[k + 1];
        while (first > begin[k] && sweep->problem->law[item[first - 1]] == STIC_LAW_FREE)
            first -= 1;
        STIC_TRY(stic_joints_create(arena, sweep->op, item + first, begin[k + 1] - first, patterns,
                                    &sweep->joints[k]));
        if (sweep->joints[k].count == 0)
            continue;
        patterns = NULL; // one analysis is kept: that of the first group
        sweep->joint_group[first] = k;
        for (int32_t p = first; p < begin[k + 1]; ++p)
            kernel[item[p]] = KERNEL_JOINTS;
    }
    return STIC_OK;
}

// the natural order, by islands where they are given
static SticStatus order_naturally(SticArena* arena, SticSweep* sweep, uint8_t* kernel)
{
    const SticIslands* islands = sweep->options.islands;
    const int32_t all[2] = {0, sweep->problem->count};
    const int32_t* begin = islands != NULL ? islands->begin : all;
    const int32_t stretches = islands != NULL ? islands->count : 1;
    int32_t* item = NULL;
    STIC_TRY(STIC_TAKE(arena, &item, sweep->problem->count));
    SticOrderList list = {.item = item, .begin = begin, .stretches = stretches, .kernel = kernel};
    bool joined = false;
    for (int32_t i = 0; i < sweep->problem->count && !joined; ++i)
        joined = kernel[i] == KERNEL_FREE;
    if (joined && sweep->op->form == STIC_FORM_FACTORED) {
        list_items(sweep, islands, begin, stretches, item);
        sweep->order.item = item;
        STIC_TRY(make_groups(arena, sweep, begin, stretches, kernel));
        return stic_order_listed(arena, &list, &sweep->order);
    }
    for (int32_t p = 0; p < sweep->problem->count; ++p)
        item[p] = islands != NULL ? islands->member[p] : p;
    // a bound that is read from another row must not change meanwhile
    list.op = sweep->share ? NULL : sweep->op;
    return stic_order_listed(arena, &list, &sweep->order);
}

SticStatus stic_sweep_create(SticArena* arena, const SticProblem* problem,
                             const SticSweepOptions* options, SticSweep** made, SticError* error)
{
    *made = NULL;
    SticSweep* sweep = NULL;
    uint8_t* kernel = NULL;
    STIC_TRY(STIC_TAKE(arena, &sweep, 1));
    *sweep = (SticSweep){.problem = problem, .options = *options};
    if (options->local == STIC_LOCAL_PROJECTION)
        sweep->options.limits.iterations = 1;
    sweep->given = options->op;
    if (sweep->given == NULL)
        STIC_TRY(stic_operator_create(arena, problem, options->form, &sweep->given, error));
    STIC_TRY(own_offset(arena, sweep));
    STIC_TRY(STIC_TAKE(arena, &kernel, problem->count));
    for (int32_t i = 0; i < problem->count; ++i) {
        kernel[i] = (uint8_t)choose_kernel(sweep, i);
        sweep->share = sweep->share || (problem->bound_row != NULL && problem->bound_row[i] >= 0);
    }
    // a row whose reaction bounds another one is read where everybody looks
    for (int32_t i = 0; i < problem->count && !sweep->share; ++i)
        if (kernel[i] == KERNEL_NONNEG && sweep->op->form == STIC_FORM_FACTORED &&
            fits_record(sweep->op, i))
            kernel[i] = KERNEL_NORMAL;
    sweep->kernel = kernel;
    if (options->coloured)
        STIC_TRY(stic_order_coloured(arena, sweep->op, problem, kernel, &sweep->order));
    else
        STIC_TRY(order_naturally(arena, sweep, kernel));
    STIC_TRY(plan_packs(arena, sweep, kernel));
    STIC_TRY(fill_blocks(arena, sweep, error));
    STIC_TRY(fill_records(arena, sweep));
    STIC_TRY(take_arrays(arena, sweep));
    // a local solve weighs about as much as forty products
    sweep->work = stic_operator_apply_work(sweep->op) + 40.0 * problem->count;
    *made = sweep;
    return STIC_OK;
}

SticStatus stic_sweep_twins(SticArena* arena, const SticSweep* sweep, int32_t count,
                            SticSweep** made)
{
    STIC_TRY(STIC_TAKE(arena, made, count));
    for (int32_t k = 0; k < count; ++k)
        (*made)[k] = *sweep;
    return STIC_OK;
}

SticSweep* stic_sweep_twin(SticSweep* twins, int32_t k)
{
    return twins + k;
}
