// SPDX-License-Identifier: Apache-2.0
// Gauss-Seidel sweep: the kernels that visit the interactions, over all of them or over an island.
// Their data are made in sweep_create.c.
//
// Visit of interaction i (Koziara's thesis, alg. 11.3.1):
//     u = (W r + b)_i from the newest values;  q = u - D r_i;  r_i := solution of the law for D, q
// D is W_ii, with a small multiple of the identity where that is singular (local.h).
//
// Explicit form: u is a row of W times r. Factored form: u is pulled from the velocities of the
// bodies and the change of r_i is pushed back into them. Spatial contacts between bodies of six
// velocities, the bulk of most problems, have all their data in one record of 416 bytes in the
// order of the sweep, four of them side by side where enough of them share no body (pack.h); the
// other laws read the arrays of the operator.
//
// Chunks of one colour touch disjoint data and run on the pool; their changes are added up in the
// order of the chunks, so that the result is the same for any number of threads.
#include "solver/sweep_data.h"

#include <string.h>

#include "law/law_kernel.h"
#include "math/math.h"

// positions first, first + step, … of one kernel
typedef struct Span {
    int32_t first, count;
    int32_t step; // 1 or -1
} Span;

/* ---- visits ---- */

static inline void read_u(const SticSweep* sweep, int32_t i, int32_t rows, double* u)
{
    if (sweep->op->form == STIC_FORM_EXPLICIT)
        stic_operator_row(sweep->op, i, rows, sweep->r, u);
    else
        stic_operator_pull(sweep->op, i, rows, sweep->v, u);
}

// q = u - D r
static inline void read_q(const SticSweep* sweep, int32_t i, int32_t rows, const double* D,
                          double* q)
{
    const double* r = sweep->r + sweep->op->row_at[i];
    read_u(sweep, i, rows, q);
    for (int32_t a = 0; a < rows; ++a)
        for (int32_t k = 0; k < rows; ++k)
            q[a] -= D[a * rows + k] * r[k];
}

// momentum of interaction i: r = x + beta (x - before)
static inline void carry(const SticSweep* sweep, int32_t i, int32_t rows)
{
    double *r = sweep->r + sweep->op->row_at[i], *before = sweep->before + sweep->op->row_at[i];
    for (int32_t a = 0; a < rows; ++a) {
        const double x = r[a];
        r[a] = x + sweep->beta * (x - before[a]);
        before[a] = x;
    }
}

// take over the result of a local solve with relaxation
static inline void write_r(const SticSweep* sweep, int32_t i, int32_t rows, const double* found,
                           SticSweepChange* change)
{
    const double* D = stic_sweep_block_of(sweep, i);
    double* r = sweep->r + sweep->op->row_at[i];
    double dr[STIC_MAX_ROWS], square = 0.0, energy = 0.0;
    for (int32_t a = 0; a < rows; ++a) {
        dr[a] = sweep->options.omega * (found[a] - r[a]);
        square += dr[a] * dr[a];
        r[a] += dr[a];
    }
    for (int32_t a = 0; a < rows; ++a)
        for (int32_t k = 0; k < rows; ++k)
            energy += D[a * rows + k] * dr[a] * dr[k];
    change->square += D[0] * D[0] * square;
    change->energy += energy;
    if (sweep->op->form == STIC_FORM_FACTORED)
        stic_operator_push(sweep->op, i, rows, dr, sweep->v);
}

// interaction of a visit, with its momentum; in the explicit form every visit reads the r of all
// others, and all have been moved before
static inline int32_t next_visit(const SticSweep* sweep, Span span, int32_t visit)
{
    const int32_t i = sweep->order.item[span.first + visit * span.step];
    if (sweep->beta != 0.0 && sweep->op->form == STIC_FORM_FACTORED)
        carry(sweep, i, sweep->op->row_at[i + 1] - sweep->op->row_at[i]);
    return i;
}

// Places behind the six velocities of a body: TRAVEL holds a bound on how far they have moved.
enum { TRAVEL = 6 };

// Open contacts. In scaled velocities |du_N| <= sqrt(W_NN) (|dv_a| + |dv_b|), and a visit moves
// each of its bodies by sqrt(<W_ii dr, dr>) at most: an open contact has nothing to do before its
// bodies have travelled u_N/sqrt(W_NN), and is skipped until then, which changes no bit of the
// result. A hundredth is kept for the rounding of the sums.
static inline void add_travel(double energy, double* va, double* vb)
{
    if (!(energy > 0.0))
        return;
    const double way = sqrt(energy);
    va[TRAVEL] += way;
    if (vb != NULL)
        vb[TRAVEL] += way;
}

static inline void note_travel(SticSweepRecord* record, double energy, double u_N, double travel,
                               double* va, double* vb)
{
    const double* r = record->r;
    add_travel(energy, va, vb);
    const bool open = r[0] == 0.0 && r[1] == 0.0 && r[2] == 0.0 && record->before[0] == 0.0 &&
                      record->before[1] == 0.0 && record->before[2] == 0.0;
    record->idle = open && energy == 0.0 ? travel + 0.99 * u_N * sqrt(record->inverse_NN) : 0.0;
}

// contacts in records
static void visit_records(SticSweep* sweep, Span span, SticSweepChange* change, int64_t* fallback)
{
    const bool quartic = sweep->options.local == STIC_LOCAL_QUARTIC;
    const double omega = sweep->options.omega, beta = sweep->beta, accuracy = sweep->accuracy;
    double* v = sweep->v;
    double square = 0.0, energy = 0.0;
    SticSweepRecord* record = sweep->record + sweep->record_at[span.first];
    for (int32_t k = 0; k < span.count; ++k, record += span.step) {
        double* va = v + record->body[0];
        double* vb = record->body[1] >= 0 ? v + record->body[1] : NULL;
        double travel = va[TRAVEL] + (vb != NULL ? vb[TRAVEL] : 0.0);
        if (travel < record->idle)
            continue;
        double u[3] = {record->w[0], record->w[1], record->w[2]}, r[3];
        for (int32_t a = 0; a < 3; ++a) {
            r[a] = record->r[a] + beta * (record->r[a] - record->before[a]);
            record->before[a] = record->r[a];
        }
        stic_tile_add_36(record->H[0], va, u);
        if (vb != NULL)
            stic_tile_add_36(record->H[1], vb, u);
        const double* d = record->D;
        const SticContactBlock block = {
            .mu = record->mu,
            .accuracy = accuracy,
            .inverse_NN = record->inverse_NN,
            .inverse_det = record->inverse_det,
            .D = {d[0], d[1], d[2], d[1], d[3], d[4], d[2], d[4], d[5]}};
        const double q[3] = {u[0] - (d[0] * r[0] + d[1] * r[1] + d[2] * r[2]),
                             u[1] - (d[1] * r[0] + d[3] * r[1] + d[4] * r[2]),
                             u[2] - (d[2] * r[0] + d[4] * r[1] + d[5] * r[2])};
        double found[3];
        *fallback += stic_local_contact_solve(&block, q, quartic, found);
        const double dr[3] = {omega * (found[0] - r[0]), omega * (found[1] - r[1]),
                              omega * (found[2] - r[2])};
        for (int32_t a = 0; a < 3; ++a)
            record->r[a] = r[a] + dr[a];
        stic_tile_add_transposed_36(record->H[0], dr, va);
        if (vb != NULL)
            stic_tile_add_transposed_36(record->H[1], dr, vb);
        const double change_energy =
            d[0] * dr[0] * dr[0] + d[3] * dr[1] * dr[1] + d[5] * dr[2] * dr[2] +
            2.0 * (dr[0] * (d[1] * dr[1] + d[2] * dr[2]) + d[4] * dr[1] * dr[2]);
        square += d[0] * d[0] * (dr[0] * dr[0] + dr[1] * dr[1] + dr[2] * dr[2]);
        energy += change_energy;
        if (sweep->idles)
            note_travel(record, change_energy, q[0], travel, va, vb);
        if (sweep->share)
            sweep->r[sweep->op->row_at[sweep->order.item[span.first + k * span.step]]] =
                record->r[0];
    }
    change->square += square;
    change->energy += energy;
}

// normal rows in records: the sums of visit_nonneg, in its order
static void visit_normals(SticSweep* sweep, Span span, SticSweepChange* change)
{
    const double omega = sweep->options.omega, beta = sweep->beta;
    double *v = sweep->v, square = change->square, energy = change->energy;
    SticSweepNormal* normal = sweep->normal + sweep->normal_at[span.first];
    for (int32_t k = 0; k < span.count; ++k, normal += span.step) {
        double* va = v + normal->body[0];
        double* vb = normal->body[1] >= 0 ? v + normal->body[1] : NULL;
        const double travel = va[TRAVEL] + (vb != NULL ? vb[TRAVEL] : 0.0);
        if (travel < normal->idle)
            continue;
        const double D = normal->D, r = normal->r + beta * (normal->r - normal->before);
        double q = normal->w;
        stic_tile_add(normal->H[0], 1, 6, va, &q);
        if (vb != NULL)
            stic_tile_add(normal->H[1], 1, 6, vb, &q);
        q -= D * r;
        const double found = q < 0.0 ? -q / D : 0.0, dr = omega * (found - r);
        normal->before = normal->r;
        normal->r = r + dr;
        square += D * D * (dr * dr);
        energy += D * dr * dr;
        if (dr != 0.0) {
            stic_tile_add_transposed(normal->H[0], 1, 6, &dr, va);
            if (vb != NULL)
                stic_tile_add_transposed(normal->H[1], 1, 6, &dr, vb);
        }
        if (!sweep->idles)
            continue;
        add_travel(D * dr * dr, va, vb);
        const bool open = normal->r == 0.0 && normal->before == 0.0 && dr == 0.0;
        normal->idle = open ? travel + 0.99 * q * normal->root : 0.0;
    }
    change->square = square;
    change->energy = energy;
}

// packs from `first` on
static void visit_lanes(SticSweep* sweep, Span span, SticSweepChange* change, int64_t* fallback)
{
    const SticPackVisit how = {.beta = sweep->beta,
                               .accuracy = sweep->accuracy,
                               .omega = sweep->options.omega,
                               .idles = sweep->idles,
                               .v = sweep->v};
    SticPackChange sum = {0.0, 0.0, 0};
    sweep->visit_packs(sweep->pack + span.first, span.count, span.step, &how, &sum);
    change->square += sum.square;
    change->energy += sum.energy;
    *fallback += sum.fallbacks;
}

static void visit_contacts(SticSweep* sweep, Span span, SticSweepChange* change, int64_t* fallback)
{
    const bool quartic = sweep->options.local == STIC_LOCAL_QUARTIC;
    for (int32_t visit = 0; visit < span.count; ++visit) {
        const int32_t i = next_visit(sweep, span, visit);
        const SticContactBlock* block = &sweep->contact[i];
        double q[3], found[3];
        read_q(sweep, i, 3, block->D, q);
        *fallback += stic_local_contact_solve(block, q, quartic, found);
        write_r(sweep, i, 3, found, change);
    }
}

static void visit_planar(SticSweep* sweep, Span span, SticSweepChange* change)
{
    for (int32_t visit = 0; visit < span.count; ++visit) {
        const int32_t i = next_visit(sweep, span, visit);
        const double* D = stic_sweep_block_of(sweep, i);
        double q[2], found[2];
        read_q(sweep, i, 2, D, q);
        stic_local_contact_solve_planar(sweep->problem->coef[i][0], 1.0 / D[0], D, q, found);
        write_r(sweep, i, 2, found, change);
    }
}

static void visit_nonneg(SticSweep* sweep, Span span, SticSweepChange* change)
{
    for (int32_t visit = 0; visit < span.count; ++visit) {
        const int32_t i = next_visit(sweep, span, visit);
        const double* D = stic_sweep_block_of(sweep, i);
        double q[1];
        read_q(sweep, i, 1, D, q);
        const double found = q[0] < 0.0 ? -q[0] / D[0] : 0.0;
        write_r(sweep, i, 1, &found, change);
    }
}

// u = 0: dr = -D^-1 u
static void visit_free(SticSweep* sweep, Span span, SticSweepChange* change)
{
    for (int32_t visit = 0; visit < span.count; ++visit) {
        const int32_t i = next_visit(sweep, span, visit);
        const int32_t rows = sweep->op->row_at[i + 1] - sweep->op->row_at[i];
        const double* inverse = sweep->inverse + sweep->op->diagonal_at[i];
        const double* r = sweep->r + sweep->op->row_at[i];
        double u[STIC_MAX_ROWS], found[STIC_MAX_ROWS];
        read_u(sweep, i, rows, u);
        for (int32_t a = 0; a < rows; ++a) {
            found[a] = r[a];
            for (int32_t k = 0; k < rows; ++k)
                found[a] -= inverse[a * rows + k] * u[k];
        }
        write_r(sweep, i, rows, found, change);
    }
}

// all bilateral interactions of an island at once; the estimate is what they were off before
static void visit_joints(SticSweep* sweep, const SticJoints* joints, SticSweepChange* change)
{
    const SticOperator* op = sweep->op;
    double *u = joints->u, *x = joints->x;
    for (int32_t k = 0, at = 0; k < joints->count; ++k) {
        const int32_t i = joints->item[k], rows = op->row_at[i + 1] - op->row_at[i];
        const double* inverse = sweep->inverse + op->diagonal_at[i];
        if (sweep->beta != 0.0)
            carry(sweep, i, rows);
        read_u(sweep, i, rows, u + at);
        for (int32_t a = 0; a < rows; ++a)
            for (int32_t c = 0; c < rows; ++c)
                change->energy += inverse[a * rows + c] * u[at + a] * u[at + c];
        for (int32_t a = 0; a < rows; ++a, ++at) {
            change->square += u[at] * u[at];
            x[at] = u[at];
        }
    }
    stic_joints_solve(joints);
    for (int32_t k = 0, at = 0; k < joints->count; ++k) {
        const int32_t i = joints->item[k], rows = op->row_at[i + 1] - op->row_at[i];
        double *r = sweep->r + op->row_at[i], dr[STIC_MAX_ROWS];
        for (int32_t a = 0; a < rows; ++a, ++at) {
            dr[a] = -sweep->options.omega * x[at];
            r[a] += dr[a];
        }
        stic_operator_push(op, i, rows, dr, sweep->v);
    }
}

static void visit_interval(SticSweep* sweep, Span span, SticSweepChange* change)
{
    for (int32_t visit = 0; visit < span.count; ++visit) {
        const int32_t i = next_visit(sweep, span, visit);
        const double* D = stic_sweep_block_of(sweep, i);
        const double* coef = sweep->problem->coef[i];
        const double B = stic_problem_bound(sweep->problem, i, sweep->r);
        double q[1];
        read_q(sweep, i, 1, D, q);
        double found = -q[0] / D[0];
        found = found < -coef[0] * B ? -coef[0] * B : found;
        found = found > coef[1] * B ? coef[1] * B : found;
        write_r(sweep, i, 1, &found, change);
    }
}

// |t| <= R: the slip equation with n = R fixed
static void visit_discs(SticSweep* sweep, Span span, SticSweepChange* change, int64_t* fallback)
{
    for (int32_t visit = 0; visit < span.count; ++visit) {
        const int32_t i = next_visit(sweep, span, visit);
        const double* D = stic_sweep_block_of(sweep, i);
        const double* inverse = sweep->inverse + sweep->op->diagonal_at[i];
        const double radius =
            sweep->problem->coef[i][0] * stic_problem_bound(sweep->problem, i, sweep->r);
        double q[2], found[2], n = 0.0;
        read_q(sweep, i, 2, D, q);
        found[0] = -(inverse[0] * q[0] + inverse[1] * q[1]);
        found[1] = -(inverse[2] * q[0] + inverse[3] * q[1]);
        if (radius <= 0.0) {
            found[0] = found[1] = 0.0;
        } else if (found[0] * found[0] + found[1] * found[1] > radius * radius) {
            const SticSlip slip = {.S = {D[0], D[1], D[2], D[3]},
                                   .c = {q[0], q[1]},
                                   .beta = radius,
                                   .mu = 1.0,
                                   .accuracy = sweep->accuracy};
            if (!stic_slip_newton(&slip, &n, found)) {
                stic_slip_bisect(&slip, &n, found);
                *fallback += 1;
            }
        }
        write_r(sweep, i, 2, found, change);
    }
}

static void visit_general(SticSweep* sweep, Span span, SticSweepChange* change)
{
    const SticProblem* problem = sweep->problem;
    for (int32_t visit = 0; visit < span.count; ++visit) {
        const int32_t i = next_visit(sweep, span, visit);
        const int32_t at = problem->row_at[i], rows = problem->row_at[i + 1] - at;
        const double* D = stic_sweep_block_of(sweep, i);
        const SticLawBlock block = {.law = (SticLaw)problem->law[i],
                                    .rows = rows,
                                    .coef = problem->coef[i],
                                    .B = stic_problem_bound(problem, i, sweep->r)};
        double q[STIC_MAX_ROWS], found[STIC_MAX_ROWS];
        read_q(sweep, i, rows, D, q);
        memcpy(found, sweep->r + at, (size_t)rows * sizeof *found);
        stic_local_iterate(&block, sweep->rho[i], D, q, sweep->options.limits, found);
        write_r(sweep, i, rows, found, change);
    }
}

typedef struct PhaseWork {
    SticSweep* sweep;
    int32_t first, end;
} PhaseWork;

// group that begins at a position, NULL: none
static const SticJoints* joints_at(const SticSweep* sweep, int32_t position)
{
    const int32_t group = sweep->joint_group != NULL ? sweep->joint_group[position] : -1;
    return group < 0 ? NULL : &sweep->joints[group];
}

static void visit_span(SticSweep* sweep, SticSweepKernel kernel, Span span, SticSweepChange* change,
                       int64_t* fallback)
{
    switch (kernel) {
    case KERNEL_JOINTS: {
        // a block of a shuffled sweep may begin inside a group, which has then been visited already
        const int32_t last = span.first + (span.count - 1) * span.step;
        const SticJoints* joints = joints_at(sweep, last < span.first ? last : span.first);
        if (joints != NULL)
            visit_joints(sweep, joints, change);
        break;
    }
    case KERNEL_RECORD:
        visit_records(sweep, span, change, fallback);
        break;
    case KERNEL_PACK:
        visit_lanes(sweep, span, change, fallback);
        break;
    case KERNEL_CONTACT:
        visit_contacts(sweep, span, change, fallback);
        break;
    case KERNEL_PLANAR:
        visit_planar(sweep, span, change);
        break;
    case KERNEL_NORMAL:
        visit_normals(sweep, span, change);
        break;
    case KERNEL_NONNEG:
        visit_nonneg(sweep, span, change);
        break;
    case KERNEL_FREE:
        visit_free(sweep, span, change);
        break;
    case KERNEL_INTERVAL:
        visit_interval(sweep, span, change);
        break;
    case KERNEL_DISC:
        visit_discs(sweep, span, change, fallback);
        break;
    case KERNEL_GENERAL:
        visit_general(sweep, span, change);
        break;
    }
}

// all of a chunk: positions, or packs
static Span chunk_span(const SticSweep* sweep, int32_t c)
{
    const SticOrderChunk* chunk = &sweep->order.chunk[c];
    const bool packed = chunk->kernel == KERNEL_PACK;
    const int32_t first = packed ? sweep->chunk_pack[c] : chunk->first;
    const int32_t end = packed ? sweep->chunk_pack[c + 1] : chunk->end;
    return (Span){
        .first = sweep->back ? end - 1 : first, .count = end - first, .step = sweep->back ? -1 : 1};
}

static void run_chunk(void* self, int32_t index)
{
    const PhaseWork* work = self;
    SticSweep* sweep = work->sweep;
    const int32_t number = sweep->back ? work->end - 1 - index : work->first + index;
    SticSweepChange change = {0.0, 0.0};
    int64_t fallback = 0;
    visit_span(sweep, (SticSweepKernel)sweep->order.chunk[number].kernel, chunk_span(sweep, number),
               &change, &fallback);
    sweep->change[number] = change;
    sweep->fallback[number] = fallback;
}

static double run_phases(SticSweep* sweep)
{
    double sum = 0.0;
    sweep->beta = 0.0;
    sweep->accuracy = stic_slip_exact;
    for (int32_t p = 0; p < sweep->order.phases; ++p) {
        const SticOrderPhase phase =
            sweep->order.phase[sweep->back ? sweep->order.phases - 1 - p : p];
        PhaseWork work = {.sweep = sweep, .first = phase.first, .end = phase.end};
        stic_pool_run(phase.parallel ? sweep->op->pool : NULL, phase.end - phase.first, run_chunk,
                      &work);
    }
    for (int32_t c = 0; c < sweep->order.chunks; ++c) {
        sum += sweep->change[c].square;
        sweep->fallbacks += sweep->fallback[c];
    }
    return sqrt(sum);
}

double stic_sweep_run(SticSweep* sweep)
{
    sweep->back = false;
    return run_phases(sweep);
}

double stic_sweep_run_back(SticSweep* sweep)
{
    sweep->back = true;
    return run_phases(sweep);
}

// a diverging sweep may have left NaN in the dummy places (of nobody) of chunks [first, end)
static void clear_nobody(const SticSweep* sweep, int32_t first, int32_t end)
{
    const int32_t from = sweep->chunk_nobody[first], places = sweep->chunk_nobody[end] - from;
    memset(sweep->v + stic_sweep_nobody(sweep->op) + (size_t)from * STIC_PACK_NOBODY, 0,
           (size_t)places * STIC_PACK_NOBODY * sizeof *sweep->v);
}

// what a record or a lane of a pack holds of the contact at a position; r is NULL for others
typedef struct Held {
    double *r, *before, *w, *idle;
    int32_t step; // from one row to the next
    int32_t rows;
} Held;

static Held held_at(const SticSweep* sweep, int32_t position)
{
    if (sweep->record_at[position] >= 0) {
        SticSweepRecord* record = &sweep->record[sweep->record_at[position]];
        return (Held){record->r, record->before, record->w, &record->idle, 1, 3};
    }
    if (sweep->normals > 0 && sweep->normal_at[position] >= 0) {
        SticSweepNormal* normal = &sweep->normal[sweep->normal_at[position]];
        return (Held){&normal->r, &normal->before, &normal->w, &normal->idle, 1, 1};
    }
    if (sweep->lane_at[position] < 0)
        return (Held){.r = NULL};
    SticPack* pack = &sweep->pack[sweep->lane_at[position] / STIC_LANES];
    const int32_t lane = sweep->lane_at[position] % STIC_LANES;
    return (Held){(double*)pack->r + lane,
                  (double*)pack->before + lane,
                  (double*)pack->w + lane,
                  (double*)&pack->idle + lane,
                  STIC_LANES,
                  3};
}

static void put_rows(const Held* held, const double* from, double* to)
{
    for (int32_t a = 0; a < held->rows; ++a)
        to[a * held->step] = from[a];
}

static void get_rows(const Held* held, const double* from, double* to)
{
    for (int32_t a = 0; a < held->rows; ++a)
        to[a] = from[a * held->step];
}

// reactions of a contact, at rest
static void put_held(const Held* held, const double* r)
{
    put_rows(held, r, held->r);
    put_rows(held, r, held->before);
    *held->idle = 0.0;
}

void stic_sweep_put(SticSweep* sweep, const double* r)
{
    memcpy(sweep->r, r, (size_t)sweep->problem->rows * sizeof *r);
    for (int32_t p = 0; p < sweep->order.count; ++p) {
        const Held held = held_at(sweep, p);
        if (held.r != NULL)
            put_held(&held, r + sweep->op->row_at[sweep->order.item[p]]);
    }
}

// one interaction of stic_sweep_extrapolate: r becomes y; <y - x, x - before> without its weight
static inline double extrapolate_rows(int32_t rows, double beta, double* r, double* y,
                                      double* before)
{
    double sum = 0.0;
    for (int32_t a = 0; a < rows; ++a) {
        const double x = r[a], step = x - before[a];
        sum += (y[a] - x) * step;
        y[a] = r[a] = x + beta * step;
        before[a] = x;
    }
    return sum;
}

static double extrapolate_held(const Held* held, double beta, double* y, double* before)
{
    double r[3];
    get_rows(held, held->r, r);
    const double sum = extrapolate_rows(held->rows, beta, r, y, before);
    put_rows(held, r, held->r);
    return sum;
}

// positions of one piece of work of the loops over all interactions: tens of microseconds
enum { STRETCH = 4096 };

static int32_t stretch_count(const SticSweep* sweep)
{
    return (sweep->order.count + STRETCH - 1) / STRETCH;
}

typedef struct Extrapolation {
    SticSweep* sweep;
    double beta, *y, *before;
} Extrapolation;

static void extrapolate_chunk(void* self, int32_t chunk)
{
    const Extrapolation* work = self;
    SticSweep* sweep = work->sweep;
    double *y = work->y, *before = work->before, sum = 0.0;
    const int32_t first = chunk * STRETCH;
    for (int32_t p = first; p < sweep->order.count && p < first + STRETCH; ++p) {
        const int32_t i = sweep->order.item[p], at = sweep->op->row_at[i];
        const int32_t rows = sweep->op->row_at[i + 1] - at;
        const Held held = held_at(sweep, p);
        if (held.r != NULL) {
            sum += *stic_sweep_block_of(sweep, i) *
                   extrapolate_held(&held, work->beta, y + at, before + at);
            if (sweep->share)
                sweep->r[at] = held.r[0];
        } else {
            sum += *stic_sweep_block_of(sweep, i) *
                   extrapolate_rows(rows, work->beta, sweep->r + at, y + at, before + at);
        }
    }
    sweep->sum[chunk] = sum;
}

double stic_sweep_extrapolate(SticSweep* sweep, double beta, double* y, double* before)
{
    Extrapolation work = {.sweep = sweep, .beta = beta, .y = y, .before = before};
    stic_pool_run(sweep->op->pool, stretch_count(sweep), extrapolate_chunk, &work);
    double sum = 0.0;
    for (int32_t k = 0; k < stretch_count(sweep); ++k)
        sum += sweep->sum[k];
    return sum;
}

double* stic_sweep_velocities(SticSweep* sweep, int32_t* count)
{
    *count = sweep->op->form == STIC_FORM_FACTORED ? sweep->op->velocities : 0;
    return sweep->v;
}

void stic_sweep_start(SticSweep* sweep, const double* r)
{
    stic_sweep_put(sweep, r);
    clear_nobody(sweep, 0, sweep->order.chunks);
    if (sweep->op->form == STIC_FORM_FACTORED)
        stic_operator_start(sweep->op, r, sweep->v);
}

void stic_sweep_correct(SticSweep* sweep, const double* u)
{
    for (int32_t i = 0; i < sweep->problem->count; ++i) {
        const int32_t at = sweep->op->row_at[i], rows = sweep->op->row_at[i + 1] - at;
        double seen[STIC_MAX_ROWS];
        read_u(sweep, i, rows, seen);
        for (int32_t a = 0; a < rows; ++a)
            sweep->offset[at + a] += u[at + a] - seen[a];
    }
    for (int32_t p = 0; p < sweep->order.count; ++p) {
        const Held held = held_at(sweep, p);
        if (held.r != NULL)
            put_rows(&held, sweep->offset + sweep->op->row_at[sweep->order.item[p]], held.w);
    }
}

void stic_sweep_relax(SticSweep* sweep, double omega)
{
    STIC_ASSERT(omega > 0.0);
    sweep->options.omega = omega;
}

void stic_sweep_get(SticSweep* sweep, double* r)
{
    memcpy(r, sweep->r, (size_t)sweep->problem->rows * sizeof *r);
    for (int32_t p = 0; p < sweep->order.count; ++p) {
        const Held held = held_at(sweep, p);
        if (held.r != NULL)
            get_rows(&held, held.r, r + sweep->op->row_at[sweep->order.item[p]]);
    }
}

/* ---- islands ---- */

// blocks of a shuffled sweep: long enough to run, short enough to break cycles of the momentum
enum { BLOCK = 16 };

// chunk c, cut into blocks of as many contacts, into `block`; returns how many
static int32_t cut_blocks(const SticSweep* sweep, int32_t c, SticSweepBlock* block)
{
    const Span all = chunk_span(sweep, c);
    const int32_t most = sweep->order.chunk[c].kernel == KERNEL_PACK ? BLOCK / STIC_LANES : BLOCK;
    int32_t blocks = 0;
    for (int32_t at = 0; at < all.count; at += most) {
        const int32_t left = all.count - at;
        block[blocks++] = (SticSweepBlock){c, all.first + at, left < most ? left : most};
    }
    return blocks;
}

// visits blocks in a random order
static void run_blocks(SticSweep* sweep, SticSweepBlock* block, int32_t blocks, SticRandom* random,
                       SticSweepChange* change, int64_t* fallback)
{
    // Fisher and Yates
    for (int32_t b = blocks - 1; b > 0; --b) {
        const int32_t other = (int32_t)(stic_random_bits(random) % (uint64_t)(b + 1));
        const SticSweepBlock held = block[b];
        block[b] = block[other];
        block[other] = held;
    }
    for (int32_t b = 0; b < blocks; ++b)
        visit_span(sweep, (SticSweepKernel)sweep->order.chunk[block[b].chunk].kernel,
                   (Span){block[b].first, block[b].count, 1}, change, fallback);
}

// the blocks of island k in a random order
static void run_shuffled(SticSweep* sweep, int32_t k, SticRandom* random, SticSweepChange* change)
{
    const SticOrder* order = &sweep->order;
    SticSweepBlock* block = sweep->block + sweep->options.islands->begin[k];
    int32_t blocks = 0;
    for (int32_t c = order->stretch_chunk[k]; c < order->stretch_chunk[k + 1]; ++c)
        blocks += cut_blocks(sweep, c, block + blocks);
    run_blocks(sweep, block, blocks, random, change, &sweep->fallbacks);
}

/* ---- islands that are swept in pieces ---- */

static bool has_parallel_phase(const SticSweep* sweep, int32_t k)
{
    const SticOrder* order = &sweep->order;
    return order->stretch_phase[k] < order->stretch_phase[k + 1] &&
           order->phase[order->stretch_phase[k]].parallel;
}

typedef struct PieceWork {
    SticSweep* sweep;
    int32_t first;
    uint64_t seed; // of the orders of blocks in each piece
} PieceWork;

static void run_shuffled_piece(void* self, int32_t index)
{
    const PieceWork* work = self;
    SticSweep* sweep = work->sweep;
    const int32_t c = work->first + index;
    // a chunk has no more blocks than positions
    SticSweepBlock* block = sweep->block + sweep->order.chunk[c].first;
    SticRandom random = stic_random_create(work->seed + (uint64_t)c);
    SticSweepChange change = {0.0, 0.0};
    sweep->fallback[c] = 0;
    run_blocks(sweep, block, cut_blocks(sweep, c, block), &random, &change, &sweep->fallback[c]);
    sweep->change[c] = change;
}

// The colours of island k one after the other, each on the pool. Shuffled: blocks in a random order
// within each piece, the pieces as they are.
static void run_pieces(SticSweep* sweep, int32_t k, SticRandom* random, SticSweepChange* change)
{
    const SticOrder* order = &sweep->order;
    const uint64_t seed = random != NULL ? stic_random_bits(random) : 0;
    for (int32_t p = order->stretch_phase[k]; p < order->stretch_phase[k + 1]; ++p) {
        const SticOrderPhase phase = order->phase[p];
        SticPool* pool = phase.parallel ? sweep->op->pool : NULL;
        PhaseWork plain = {.sweep = sweep, .first = phase.first, .end = phase.end};
        PieceWork shuffled = {.sweep = sweep, .first = phase.first, .seed = seed};
        if (random != NULL)
            stic_pool_run(pool, phase.end - phase.first, run_shuffled_piece, &shuffled);
        else
            stic_pool_run(pool, phase.end - phase.first, run_chunk, &plain);
    }
    for (int32_t c = order->stretch_chunk[k]; c < order->stretch_chunk[k + 1]; ++c) {
        change->square += sweep->change[c].square;
        change->energy += sweep->change[c].energy;
        sweep->fallbacks += sweep->fallback[c];
    }
}

typedef struct CarryWork {
    SticSweep* sweep;
    int32_t first, end; // bodies
    double beta;
} CarryWork;

// bodies of one piece of work: about 10 microseconds
enum { CARRY = 1024 };

// v + step and v_before = v of some velocities; returns |step|^2. A constant number of them is
// computed side by side.
static inline double carry_body(double beta, int32_t count, double* v, double* before)
{
    double step[TRAVEL], square = 0.0;
    for (int32_t c = 0; c < count; ++c) {
        step[c] = beta * (v[c] - before[c]);
        before[c] = v[c];
    }
    for (int32_t c = 0; c < count; ++c)
        v[c] += step[c];
    for (int32_t c = 0; c < count; ++c)
        square += step[c] * step[c];
    return square;
}

static void carry_chunk(void* self, int32_t chunk)
{
    const CarryWork* work = self;
    SticSweep* sweep = work->sweep;
    const SticIslands* islands = sweep->options.islands;
    const SticBlockCsr* Ht = sweep->problem->Ht;
    const int32_t first = work->first + chunk * CARRY;
    for (int32_t m = first; m < work->end && m < first + CARRY; ++m) {
        const int32_t body = islands->body[m], n = Ht->col_at[body + 1] - Ht->col_at[body];
        double* v = sweep->v + sweep->op->column_v[body];
        double* before = sweep->v_before + sweep->op->column_v[body];
        // only contacts in records, between bodies of six velocities, ask for their travel
        if (n == TRAVEL)
            v[TRAVEL] += sqrt(carry_body(work->beta, TRAVEL, v, before));
        for (int32_t c = 0; n != TRAVEL && c < n; ++c)
            carry_body(work->beta, 1, v + c, before + c);
    }
}

// velocities of the bodies of island k: v + beta (v - v_before)
static void carry_velocities(SticSweep* sweep, int32_t k, double beta)
{
    const SticIslands* islands = sweep->options.islands;
    CarryWork work = {.sweep = sweep,
                      .first = islands->body_begin[k],
                      .end = islands->body_begin[k + 1],
                      .beta = beta};
    stic_pool_run(sweep->op->pool, (work.end - work.first + CARRY - 1) / CARRY, carry_chunk, &work);
}

// other kernels move bodies without counting the travel
static bool has_records_only(const SticSweep* sweep, int32_t k)
{
    const SticOrder* order = &sweep->order;
    for (int32_t c = order->stretch_chunk[k]; c < order->stretch_chunk[k + 1]; ++c)
        if (order->chunk[c].kernel != KERNEL_RECORD && order->chunk[c].kernel != KERNEL_PACK &&
            order->chunk[c].kernel != KERNEL_NORMAL)
            return false;
    return true;
}

SticSweepChange stic_sweep_run_island(SticSweep* sweep, int32_t k, const SticSweepStep* step)
{
    STIC_ASSERT(k >= 0);
    const SticOrder* order = &sweep->order;
    SticSweepChange change = {0.0, 0.0};
    sweep->back = false;
    sweep->idles = has_records_only(sweep, k);
    sweep->beta = step->beta;
    sweep->accuracy = step->accuracy;
    if (sweep->op->form == STIC_FORM_FACTORED)
        carry_velocities(sweep, k, step->beta);
    else
        for (int32_t p = sweep->options.islands->begin[k]; p < sweep->options.islands->begin[k + 1];
             ++p)
            carry(sweep, order->item[p],
                  sweep->op->row_at[order->item[p] + 1] - sweep->op->row_at[order->item[p]]);
    if (has_parallel_phase(sweep, k))
        run_pieces(sweep, k, step->shuffle, &change);
    else if (step->shuffle != NULL)
        run_shuffled(sweep, k, step->shuffle, &change);
    else
        for (int32_t c = order->stretch_chunk[k]; c < order->stretch_chunk[k + 1]; ++c)
            visit_span(sweep, (SticSweepKernel)order->chunk[c].kernel, chunk_span(sweep, c),
                       &change, &sweep->fallbacks);
    sweep->beta = 0.0;
    sweep->idles = false;
    return change;
}

// loops over the interactions and bodies of an island
typedef struct IslandWork {
    const SticSweep* sweep;
    int32_t first, end; // positions or bodies
    const double* r;    // [rows] to start from
    double* to;         // [rows] where reactions go, or velocities of the bodies
} IslandWork;

// `work` on the interactions of island k, in pieces on the pool
static void run_positions(const SticSweep* sweep, int32_t k, SticChunkWork run, IslandWork work)
{
    work.sweep = sweep;
    work.first = sweep->options.islands->begin[k];
    work.end = sweep->options.islands->begin[k + 1];
    stic_pool_run(sweep->op->pool, (work.end - work.first + STRETCH - 1) / STRETCH, run, &work);
}

// v = v_free + Q r of bodies of an island
static void gather_bodies(void* self, int32_t chunk)
{
    const IslandWork* work = self;
    const SticOperator* op = work->sweep->op;
    const int32_t first = work->first + chunk * CARRY;
    for (int32_t m = first; m < work->end && m < first + CARRY; ++m) {
        const int32_t k = op->column_body[work->sweep->options.islands->body[m]];
        double* v = work->to + op->body_v[k];
        stic_operator_gather(op, k, work->r, v);
        if (op->body_dof[k] == TRAVEL)
            v[TRAVEL] = 0.0;
    }
}

static void gather_island(const SticSweep* sweep, int32_t k, const double* r, double* v)
{
    const SticIslands* islands = sweep->options.islands;
    IslandWork work = {sweep, islands->body_begin[k], islands->body_begin[k + 1], r, v};
    stic_pool_run(sweep->op->pool, (work.end - work.first + CARRY - 1) / CARRY, gather_bodies,
                  &work);
}

// v_before = v of the bodies of island k
static void copy_velocities(SticSweep* sweep, int32_t k)
{
    const SticIslands* islands = sweep->options.islands;
    const SticOperator* op = sweep->op;
    for (int32_t m = islands->body_begin[k]; m < islands->body_begin[k + 1]; ++m) {
        const int32_t body = op->column_body[islands->body[m]], at = op->body_v[body];
        memcpy(sweep->v_before + at, sweep->v + at, op->body_dof[body] * sizeof(double));
    }
}

// reactions that records hold, the last ones and those before, into the arrays of all; the travel
// of velocities that jump was not counted, so that nothing may idle
static void release_chunk(void* self, int32_t chunk)
{
    const IslandWork* work = self;
    const SticSweep* sweep = work->sweep;
    const int32_t first = work->first + chunk * STRETCH;
    for (int32_t p = first; p < work->end && p < first + STRETCH; ++p) {
        const Held held = held_at(sweep, p);
        const int32_t at = sweep->op->row_at[sweep->order.item[p]];
        if (held.r == NULL)
            continue;
        get_rows(&held, held.r, sweep->r + at);
        get_rows(&held, held.before, sweep->before + at);
        *held.idle = 0.0;
    }
}

void stic_sweep_renew_island(SticSweep* sweep, int32_t k)
{
    if (sweep->op->form != STIC_FORM_FACTORED)
        return;
    run_positions(sweep, k, release_chunk, (IslandWork){0});
    gather_island(sweep, k, sweep->r, sweep->v);
    gather_island(sweep, k, sweep->before, sweep->v_before);
}

static void start_chunk(void* self, int32_t chunk)
{
    const IslandWork* work = self;
    const SticSweep* sweep = work->sweep;
    const int32_t first = work->first + chunk * STRETCH;
    for (int32_t p = first; p < work->end && p < first + STRETCH; ++p) {
        const int32_t i = sweep->order.item[p], at = sweep->op->row_at[i];
        const size_t bytes = (size_t)(sweep->op->row_at[i + 1] - at) * sizeof *work->r;
        memcpy(sweep->r + at, work->r + at, bytes);
        memcpy(sweep->before + at, work->r + at, bytes);
        const Held held = held_at(sweep, p);
        if (held.r != NULL)
            put_held(&held, work->r + at);
    }
}

void stic_sweep_start_island(SticSweep* sweep, int32_t k, const double* r)
{
    STIC_ASSERT(k >= 0);
    clear_nobody(sweep, sweep->order.stretch_chunk[k], sweep->order.stretch_chunk[k + 1]);
    run_positions(sweep, k, start_chunk, (IslandWork){.r = r});
    if (sweep->op->form != STIC_FORM_FACTORED)
        return;
    gather_island(sweep, k, r, sweep->v);
    copy_velocities(sweep, k);
}

static void get_chunk(void* self, int32_t chunk)
{
    const IslandWork* work = self;
    const SticSweep* sweep = work->sweep;
    const int32_t first = work->first + chunk * STRETCH;
    for (int32_t p = first; p < work->end && p < first + STRETCH; ++p) {
        const int32_t i = sweep->order.item[p], at = sweep->op->row_at[i];
        const Held held = held_at(sweep, p);
        if (held.r != NULL)
            get_rows(&held, held.r, work->to + at);
        else
            memcpy(work->to + at, sweep->r + at,
                   (size_t)(sweep->op->row_at[i + 1] - at) * sizeof *work->to);
    }
}

void stic_sweep_get_island(const SticSweep* sweep, int32_t k, double* r)
{
    run_positions(sweep, k, get_chunk, (IslandWork){.to = r});
}

/* ---- figures ---- */

const double* stic_sweep_block(const SticSweep* sweep, int32_t i)
{
    return stic_sweep_block_of(sweep, i);
}

double stic_sweep_work(const SticSweep* sweep)
{
    return sweep->work;
}

double stic_sweep_island_work(const SticSweep* sweep, int32_t k)
{
    const SticIslands* islands = sweep->options.islands;
    const double share = (double)(islands->begin[k + 1] - islands->begin[k]);
    return share * stic_sweep_work(sweep) / (double)sweep->problem->count;
}

size_t stic_sweep_bytes(const SticSweep* sweep)
{
    const int32_t contacts = sweep->problem->count;
    if (sweep->records + sweep->normals < contacts && sweep->packs == 0)
        return stic_operator_sweep_bytes(sweep->op) + (size_t)contacts * sizeof(SticContactBlock);
    return (size_t)sweep->records * (sizeof(SticSweepRecord) + sizeof(double[3])) +
           (size_t)sweep->normals * sizeof(SticSweepNormal) +
           (size_t)sweep->packs * (sizeof(SticPack) + sizeof(SticLanes[3])) +
           2 * (size_t)sweep->op->velocities * sizeof(double);
}

int64_t stic_sweep_fallbacks(const SticSweep* sweep)
{
    return sweep->fallbacks;
}

const SticOperator* stic_sweep_operator(const SticSweep* sweep)
{
    return sweep->op;
}

SticOperator* stic_sweep_given(const SticSweep* sweep)
{
    return sweep->given;
}

bool stic_sweep_serves(const SticSweep* sweep, const SticSweepOptions* options)
{
    const SticSweepOptions* own = &sweep->options;
    return own->form == options->form && own->local == options->local &&
           own->coloured == options->coloured && own->islands == options->islands &&
           own->limits.iterations == options->limits.iterations &&
           own->limits.tolerance == options->limits.tolerance;
}
