// SPDX-License-Identifier: Apache-2.0
// Measures of contacts: gaps, directions and biases, in runs of equal kernels.
//
//   u_rel_k = e_k . (V_A - V_B) at the contact point P,  V = v + w x (P - x)
//   H'      = e_k on v, R'((P - x) x e_k) on omega in body axes, negative for B
//   G       = dg/dq of the first row; of bonds also e_k . d(a - b)/dq of their slips, a and b the two
//             points that were one; other rows have no gap and get 0
//   chi_k   = e_k . (V_A - V_B) of prescribed sides
//   bias_k  = e_k' . (V_A - V_B) + e_k . (V_A' - V_B'), V' as in side.h
//
// Rows of drilling and rolling are u_rel_k = e_k . (w_A - w_B), about the normal or the tangents.
// The first row of H' is G F exactly, at quaternions of any length. Ids ascend by kernel, so that a
// set has at most one run per kernel; each run is one loop. Chunks of fixed size are shared among
// threads: every contact writes its own rows only.
#include <string.h>

#include "sparse/block_kernel.h"
#include "stiction/extend/base.h"
#include "stiction/extend/law.h"
#include "world/facet.h"
#include "world/measure.h"

// contacts of one piece of work: tens of microseconds
enum { CHUNK = 512 };

typedef SticMeasureTask Task;

/* ---- directions ---- */

// dg/dq of one side; q are the block's n coordinates
static void gap_gradient(const SticBlockForm* form, const double* q, const SticTouch* touch,
                         int side, double* G)
{
    const SticVec3 n = side == 0 ? touch->axis[0] : stic_vec3_neg(touch->axis[0]);
    stic_vec3_store(n, G);
    if (form->nq == 3)
        return;
    SticMat3 dyad = stic_mat3_outer(n, touch->foot[side]);
    if (side == 1)
        dyad = stic_mat3_add(dyad, stic_mat3_outer(touch->lever, touch->normal));
    double D[9];
    stic_mat3_store(dyad, D);
    stic_chart_turn_gradient(form->chart, q + 3, D, G + 3);
}

// d(slip)/dq of one side of a bond along e, which has the sign of the side. That axes turn is left
// out: where the two points are one, it changes nothing
static void slip_gradient(const SticBlockForm* form, const double* q, const double* local,
                          SticVec3 e, double* G)
{
    stic_vec3_store(e, G);
    if (form->nq == 3)
        return;
    double D[9];
    stic_mat3_store(stic_mat3_outer(e, stic_vec3_load(local)), D);
    stic_chart_turn_gradient(form->chart, q + 3, D, G + 3);
}

// u-based direction of one row of one side; e has the sign of the side
static void write_row(const SticBlockForm* form, const SticSide* side, SticVec3 point, SticVec3 e,
                      double* H)
{
    stic_vec3_store(e, H);
    if (form->chart == STIC_CHART_LINEAR) {
        if (side->affine)
            stic_mat3_store(stic_mat3_outer(e, stic_side_material(side, point)), H + 3);
        return;
    }
    const SticVec3 arm = stic_vec3_sub(point, side->x);
    const SticVec3 moment = stic_mat3_transpose_mul_vec(side->R, stic_vec3_cross(arm, e));
    const double scale = 1.0 / side->s;
    if (form->chart == STIC_CHART_SCALABLE) {
        // Scaling is not sliding: |A| is 1 at both ends of a step and less between them, and a
        // capsule that lies on two points would be braked by their approach along it. The scale is
        // part of a gap, see below
        H[3] = 0.0;
        stic_vec3_store(stic_vec3_scale(scale * scale, moment), H + 4);
    } else {
        stic_vec3_store(stic_vec3_scale(scale, moment), H + 3);
    }
}

// u-based direction of a row of drilling or rolling; a deforming body turns with its spin, a point
// does not
static void write_turn_row(const SticBlockForm* form, const SticSide* side, SticVec3 e, double* H)
{
    const SticVec3 turn = stic_mat3_transpose_mul_vec(side->R, e);
    const double scale = 1.0 / side->s;
    stic_vec3_store(stic_vec3_zero(), H);
    if (side->affine) {
        SticMat3 inverse = stic_mat3_zero();
        (void)stic_mat3_inverse(side->R, &inverse);
        const SticMat3 half = stic_mat3_scale(0.5, stic_mat3_skew(e));
        stic_mat3_store(stic_mat3_mul_transpose(half, inverse), H + 3);
    } else if (form->nu == 3) {
        return;
    } else if (form->chart == STIC_CHART_SCALABLE) {
        H[3] = 0.0;
        stic_vec3_store(stic_vec3_scale(scale * scale, turn), H + 4);
    } else {
        stic_vec3_store(stic_vec3_scale(scale, turn), H + 3);
    }
}

// which of the three axes a row belongs to, and whether it turns about it
static int axis_of(const SticInteraction* interaction, int32_t row, bool* turns)
{
    *turns = row >= 3;
    if (interaction->kernel & STIC_KERNEL_TANGENT)
        return row + 1;
    if (row < 3)
        return row;
    return interaction->law == STIC_LAW_ROLLING ? row - 2 : 0;
}

// the rows of normal and tangents of a rigid body
static void write_rigid(const SticSide* side, const SticTouch* touch, int k, int32_t rows,
                        double* H)
{
    const SticVec3 arm = stic_vec3_sub(touch->point, side->x);
    const double scale = 1.0 / side->s;
    for (int32_t row = 0; row < rows; ++row, H += 6) {
        const SticVec3 e = k == 0 ? touch->axis[row] : stic_vec3_neg(touch->axis[row]);
        const SticVec3 moment = stic_mat3_transpose_mul_vec(side->R, stic_vec3_cross(arm, e));
        stic_vec3_store(e, H);
        stic_vec3_store(stic_vec3_scale(scale, moment), H + 3);
    }
}

// rows of H' of the side k of interaction i
static void write_side(const Task* task, int32_t i, int k, const SticSide* side,
                       const SticTouch* touch, double* H)
{
    const SticInteraction* interaction = &task->set->interaction[i];
    const bool gap = (interaction->kernel & STIC_KERNEL_TANGENT) == 0;
    const SticBlockForm form = stic_view_form(task->view, interaction->block[k]);
    if (gap && interaction->rows <= 3 &&
        (form.chart == STIC_CHART_QUATERNION || form.chart == STIC_CHART_ROTATION)) {
        write_rigid(side, touch, k, interaction->rows, H);
        return;
    }
    for (int32_t row = 0; row < interaction->rows; ++row) {
        bool turns;
        const SticVec3 axis = touch->axis[axis_of(interaction, row, &turns)];
        const SticVec3 e = k == 0 ? axis : stic_vec3_neg(axis);
        if (turns)
            write_turn_row(&form, side, stic_vec3_normalize(e), H + row * form.nu);
        else
            write_row(&form, side, touch->point, e, H + row * form.nu);
    }
    // nu scales the normal of a plane and the foot, but not a sphere's radius; the normal of a
    // deforming plane turns
    if (gap && (form.chart == STIC_CHART_SCALABLE || side->affine)) {
        double G[STIC_CHART_MAX_Q];
        const double* q = task->state->q + task->view->q_at[interaction->block[k]];
        gap_gradient(&form, q, touch, k, G);
        stic_chart_pull_back(form.chart, form.nu, q, G, H);
    }
}

// rows of the nodes of a face, in order of which the blocks of the interaction are numbered; `rows`
// of them, of which those behind the first are zero where only gaps count
static void write_nodes(const SticFacet* facet, const SticInteraction* interaction,
                        const SticTouch* touch, bool gap, const int64_t at[1 + STIC_ALSO_BLOCKS],
                        double* value)
{
    double share[4];
    int node = 0;
    stic_facet_shares(facet, touch->foot[1], share);
    for (int k = 0; k < 4; ++k) {
        if (facet->block[k] < 0)
            continue;
        double* row_of = value + at[node++];
        for (int32_t row = 0; row < interaction->rows; ++row, row_of += 3) {
            bool turns;
            const SticVec3 e = touch->axis[axis_of(interaction, row, &turns)];
            const bool none = turns || (gap && row > 0);
            stic_vec3_store(stic_vec3_scale(none ? 0.0 : -share[k], e), row_of);
        }
    }
}

// where the blocks of side B begin
static void list_places(const SticPattern* pattern, int32_t i, int32_t alsos,
                        int64_t at[1 + STIC_ALSO_BLOCKS])
{
    at[0] = pattern->at[i][1];
    for (int32_t k = 0; k < alsos; ++k)
        at[1 + k] = pattern->also_at[i][k];
}

static void write_H(const Task* task, int32_t i, const SticSide side[2], const SticTouch* touch)
{
    const SticInteraction* interaction = &task->set->interaction[i];
    const SticFacet* facet = stic_facet_of(task->view, interaction);
    const SticPattern* pattern = task->out->u_pattern;
    for (int k = 0; k < (facet == NULL ? 2 : 1); ++k)
        if (interaction->block[k] >= 0)
            write_side(task, i, k, &side[k], touch, task->out->H + pattern->at[i][k]);
    if (facet == NULL || interaction->block[1] < 0)
        return;
    int64_t at[1 + STIC_ALSO_BLOCKS];
    list_places(pattern, i, interaction->alsos, at);
    write_nodes(facet, interaction, touch, false, at, task->out->H);
}

// sum [rows] += the rows H of a block times its part of u
static void add_speed(const Task* task, const double* u, int32_t block, int32_t rows,
                      const double* H, double* sum)
{
    const int32_t at = task->view->u_at[block], n = task->view->u_at[block + 1] - at;
    if (rows == 3 && n == 6)
        block_gather(3, 6, H, u + at, sum);
    else
        block_gather(rows, n, H, u + at, sum);
}

// the products of rows of H that are there with the velocities of all their blocks
static void add_speeds(const Task* task, int32_t i, double* sum, double* also)
{
    const SticMeasures* out = task->out;
    const SticBlockCsr* csr = &out->u_pattern->csr;
    const int32_t rows = task->set->interaction[i].rows;
    for (int32_t e = csr->begin[i]; e < csr->begin[i + 1]; ++e) {
        const double* H = out->H + csr->value_at[e];
        add_speed(task, task->state->u, csr->col[e], rows, H, sum);
        if (out->further != NULL)
            add_speed(task, out->further, csr->col[e], rows, H, also);
    }
}

// H' u + chi without forming H', with the same bits as the product with H': blocks in the order of
// the columns, then chi
static void write_speed(const Task* task, int32_t i, const SticSide side[2], const SticTouch* touch)
{
    const SticInteraction* interaction = &task->set->interaction[i];
    const SticMeasures* out = task->out;
    const int32_t at = task->set->row_at[i], rows = interaction->rows;
    const int first = stic_measure_order(interaction);
    double sum[STIC_SET_DIM] = {0.0}, also[STIC_SET_DIM] = {0.0};
    double H[STIC_SET_DIM * STIC_CHART_MAX_U];
    if (stic_facet_of(task->view, interaction) != NULL) {
        write_H(task, i, side, touch);
        add_speeds(task, i, sum, also);
    } else {
        for (int s = 0; s < 2; ++s) {
            const int k = s == 0 ? first : 1 - first;
            if (interaction->block[k] < 0)
                continue;
            write_side(task, i, k, &side[k], touch, H);
            add_speed(task, task->state->u, interaction->block[k], rows, H, sum);
            if (out->further != NULL)
                add_speed(task, out->further, interaction->block[k], rows, H, also);
        }
    }
    for (int32_t row = 0; row < rows; ++row)
        out->speed[at + row] = sum[row] + out->chi[at + row];
    for (int32_t row = 0; out->further != NULL && row < rows; ++row)
        out->further_speed[at + row] = also[row];
}

static void write_G(const Task* task, int32_t i, const SticTouch* touch)
{
    const SticView* view = task->view;
    const SticInteraction* interaction = &task->set->interaction[i];
    const SticFacet* facet = stic_facet_of(view, interaction);
    if (facet != NULL && interaction->block[1] >= 0) {
        int64_t at[1 + STIC_ALSO_BLOCKS];
        list_places(task->out->q_pattern, i, interaction->alsos, at);
        write_nodes(facet, interaction, touch, !interaction->bonded, at, task->out->G);
    }
    for (int k = 0; k < (facet == NULL ? 2 : 1); ++k) {
        if (interaction->block[k] < 0)
            continue;
        const SticBlockForm form = stic_view_form(view, interaction->block[k]);
        double* G = task->out->G + task->out->q_pattern->at[i][k];
        const double* q = task->state->q + view->q_at[interaction->block[k]];
        memset(G, 0, (size_t)(interaction->rows * form.nq) * sizeof *G);
        if ((interaction->kernel & STIC_KERNEL_TANGENT) != 0)
            continue;
        gap_gradient(&form, q, touch, k, G);
        for (int32_t row = 1; interaction->bonded && row < 3 && row < interaction->rows; ++row)
            slip_gradient(&form, q, task->set->local[i] + 3 * k,
                          k == 0 ? touch->axis[row] : stic_vec3_neg(touch->axis[row]),
                          G + row * form.nq);
    }
}

// velocities of prescribed bodies at the point, along the axes of the contact
static void write_chi(const Task* task, int32_t i, const SticSide side[2], const SticTouch* touch)
{
    const SticInteraction* interaction = &task->set->interaction[i];
    double* chi = task->out->chi + task->set->row_at[i];
    for (int32_t row = 0; row < interaction->rows; ++row)
        chi[row] = 0.0;
    for (int k = 0; k < 2; ++k) {
        if (interaction->block[k] >= -1)
            continue;
        const SticMoved* moved = stic_view_moved(task->view, interaction->block[k]);
        const SticVec3 centre = task->out->placed ? touch->point : side[1 - k].x;
        const SticVec3 V = stic_moved_velocity(moved, centre, touch->point);
        for (int32_t row = 0; row < interaction->rows; ++row) {
            bool turns;
            const SticVec3 axis = touch->axis[axis_of(interaction, row, &turns)];
            const double rate = turns ? stic_vec3_dot(stic_vec3_normalize(axis), moved->spin)
                                      : stic_vec3_dot(axis, V);
            chi[row] += k == 0 ? rate : -rate;
        }
    }
}

// velocity of a side at a moving place, and its rate while the block's velocities are held
static void field_at(const SticSide* side, SticVec3 place, SticVec3 place_rate, SticVec3* velocity,
                     SticVec3* change)
{
    const SticVec3 arm = stic_vec3_sub(place, side->x);
    const SticVec3 held = stic_vec3_add(side->a, stic_mat3_mul_vec(side->A, arm));
    *velocity = stic_vec3_add(side->v, stic_side_spin(side, arm));
    *change = stic_vec3_add(held, stic_side_spin(side, stic_vec3_sub(place_rate, side->v)));
}

// quantities of the two sides that the rows need: relative velocity and its change at the point,
// spin
typedef struct Rates {
    SticVec3 velocity, change;          // at the point
    SticVec3 approach, approach_change; // between the feet, which the gap sees where bodies deform
    SticVec3 spin, spin_change;
} Rates;

static Rates rates_of(const SticSide side[2], const SticTouch* touch)
{
    SticVec3 V[2], dV[2], W[2], dW[2];
    for (int k = 0; k < 2; ++k) {
        field_at(&side[k], touch->point, touch->point_rate, &V[k], &dV[k]);
        field_at(&side[k], touch->place[k], touch->place_rate[k], &W[k], &dW[k]);
    }
    return (Rates){stic_vec3_sub(V[0], V[1]),
                   stic_vec3_sub(dV[0], dV[1]),
                   stic_vec3_sub(W[0], W[1]),
                   stic_vec3_sub(dW[0], dW[1]),
                   stic_vec3_sub(stic_mat3_axial(side[0].L), stic_mat3_axial(side[1].L)),
                   stic_vec3_sub(stic_mat3_axial(side[0].A), stic_mat3_axial(side[1].A))};
}

static void write_bias(const Task* task, int32_t i, const SticSide side[2], const SticTouch* touch)
{
    const SticInteraction* interaction = &task->set->interaction[i];
    const bool deforms = side[0].affine || side[1].affine;
    const Rates rates = rates_of(side, touch);
    double* bias = task->out->bias + task->set->row_at[i];
    SticVec3 axis_rate[3] = {touch->axis_rate[0], touch->axis_rate[1], touch->axis_rate[2]};
    if (task->out->carried && interaction->rows > 1) {
        const double twist = stic_vec3_dot(axis_rate[1], touch->axis[2]);
        axis_rate[1] = stic_vec3_add_scaled(axis_rate[1], -twist, touch->axis[2]);
        axis_rate[2] = stic_vec3_add_scaled(axis_rate[2], twist, touch->axis[1]);
    }
    for (int32_t row = 0; row < interaction->rows; ++row) {
        bool turns;
        const int k = axis_of(interaction, row, &turns);
        const bool feet = deforms && k == 0 && !turns;
        const double scale = turns ? 1.0 / stic_vec3_norm(touch->axis[k]) : 1.0;
        const SticVec3 rate = turns ? rates.spin : feet ? rates.approach : rates.velocity;
        const SticVec3 change = turns  ? rates.spin_change
                                : feet ? rates.approach_change
                                       : rates.change;
        bias[row] =
            scale * (stic_vec3_dot(axis_rate[k], rate) + stic_vec3_dot(touch->axis[k], change));
    }
}

void stic_view_align(const SticView* view, const SticInteraction* interaction, const SticSide* side,
                     bool rates, SticTouch* touch)
{
    const SticPairSurface* pair = &view->surface[interaction->surface];
    const SticShapeSlot* shape = view->world->shape;
    const uint32_t slot[2] = {view->shape[stic_view_shape_of(view, interaction->part[0])].slot,
                              view->shape[stic_view_shape_of(view, interaction->part[1])].slot};
    int of = shape[slot[0]].material == pair->grain ? 0 : 1;
    if (shape[slot[0]].material == shape[slot[1]].material)
        of = slot[0] < slot[1] ? 0 : 1;
    const SticSide* frame = &side[of];
    const double length = stic_vec3_norm(touch->axis[0]);
    const SticVec3 n = stic_vec3_scale(1.0 / length, touch->axis[0]);
    const SticVec3 grain = stic_vec3_normalize(stic_mat3_mul_vec(frame->R, pair->surface.grain));
    const double along = stic_vec3_dot(n, grain);
    const SticVec3 flat = stic_vec3_add_scaled(grain, -along, n);
    const double size = stic_vec3_norm(flat);
    // a grain perpendicular to the surface has no direction within it
    if (size < 1e-6)
        return;
    touch->axis[1] = stic_vec3_scale(1.0 / size, flat);
    touch->axis[2] = stic_vec3_cross(n, touch->axis[1]);
    if (!rates)
        return;
    const SticVec3 n_rate = stic_vec3_scale(1.0 / length, touch->axis_rate[0]);
    const SticVec3 grain_rate = stic_side_spin(frame, grain);
    const double along_rate = stic_vec3_dot(n_rate, grain) + stic_vec3_dot(n, grain_rate);
    const SticVec3 flat_rate =
        stic_vec3_add_scaled(stic_vec3_add_scaled(grain_rate, -along_rate, n), -along, n_rate);
    touch->axis_rate[1] = stic_unit_rate(touch->axis[1], flat_rate, size);
    touch->axis_rate[2] = stic_vec3_add(stic_vec3_cross(n_rate, touch->axis[1]),
                                        stic_vec3_cross(n, touch->axis_rate[1]));
}

/* ---- runs ---- */

// the two sides of a contact; the contacts of a pair follow each other and share them
typedef struct Sides {
    SticSide side[2];
    int32_t block[2]; // of what is loaded, or behind NO_BLOCK the number of a facet
} Sides;

enum { NO_BLOCK = INT32_MIN };

static void load_sides(const Task* task, int32_t i, bool rates, Sides* sides)
{
    const SticFacet* facet = stic_facet_of(task->view, &task->set->interaction[i]);
    int32_t block[2] = {task->set->interaction[i].block[0], task->set->interaction[i].block[1]};
    if (facet != NULL)
        block[1] = NO_BLOCK + 1 + (int32_t)(facet - task->view->facet);
    for (int k = 0; k < 2; ++k) {
        if (block[k] == sides->block[k])
            continue;
        if (k == 1 && facet != NULL)
            sides->side[k] = stic_facet_side(task->view, task->state, facet, rates);
        else if (rates)
            sides->side[k] = stic_view_side(task->view, task->state, block[k], true);
        else
            stic_view_place(task->view, task->state, block[k], &sides->side[k]);
        sides->block[k] = block[k];
    }
}

// how far the two points of a bond are apart along the tangents
static void write_slip(const Task* task, int32_t i, const SticSide side[2], const SticTouch* touch)
{
    const double* local = task->set->local[i];
    const SticVec3 a = stic_vec3_add(side[0].x, stic_side_turn(&side[0], local));
    const SticVec3 b = stic_vec3_add(side[1].x, stic_side_turn(&side[1], local + 3));
    double* slip = task->out->gap + task->set->row_at[i];
    for (int row = 1; row < 3 && row < task->set->interaction[i].rows; ++row)
        slip[row] = stic_vec3_dot(touch->axis[row], stic_vec3_sub(a, b));
}

static void write(const Task* task, int32_t i, const SticSide side[2], const SticTouch* touch)
{
    SticMeasures* out = task->out;
    const SticInteraction* interaction = &task->set->interaction[i];
    const int32_t at = task->set->row_at[i];
    const bool gap = (interaction->kernel & STIC_KERNEL_TANGENT) == 0;
    if (out->want & STIC_WANT_GAP)
        for (int32_t row = 0; row < interaction->rows; ++row)
            out->gap[at + row] = gap && row == 0 ? touch->gap : 0.0;
    if ((out->want & STIC_WANT_GAP) && interaction->bonded && gap)
        write_slip(task, i, side, touch);
    if (out->want & STIC_WANT_CHI)
        write_chi(task, i, side, touch);
    if (out->want & STIC_WANT_BIAS)
        write_bias(task, i, side, touch);
    if (out->want & STIC_WANT_H)
        write_H(task, i, side, touch);
    if (out->want & STIC_WANT_SPEED)
        write_speed(task, i, side, touch);
    if (out->want & STIC_WANT_G)
        write_G(task, i, touch);
    if (out->want & STIC_WANT_TANGENT) {
        stic_vec3_store(touch->axis[1], out->tangent[i]);
        stic_vec3_store(touch->axis[2], out->tangent[i] + 3);
    }
}

// one loop per kernel: the kernel is a constant where it is inlined
#define MEASURE_RUN(name)                                                                          \
    static void measure_##name(const Task* task, int32_t begin, int32_t end)                       \
    {                                                                                              \
        const bool rates = (task->out->want & STIC_WANT_BIAS) != 0;                                \
        Sides sides = {.block = {NO_BLOCK, NO_BLOCK}};                                             \
        const SticSide* side = sides.side;                                                         \
        SticTouch touch;                                                                           \
        for (int32_t i = begin; i < end; ++i) {                                                    \
            load_sides(task, i, rates, &sides);                                                    \
            stic_touch_##name(&side[0], &side[1], task->set->local[i], rates, &touch);             \
            if (task->set->tangent != NULL)                                                        \
                stic_touch_continue(&touch, task->set->tangent[i], rates);                         \
            if (task->set->interaction[i].law == STIC_LAW_CONE_ELLIPSE)                            \
                stic_view_align(task->view, &task->set->interaction[i], side, rates, &touch);      \
            write(task, i, side, &touch);                                                          \
        }                                                                                          \
    }
MEASURE_RUN(plane)
MEASURE_RUN(round)
MEASURE_RUN(round_edge)
MEASURE_RUN(edge_edge)
#undef MEASURE_RUN

// joints and rigidity, which write H' to know speeds
static void measure_joints(const Task* task, int32_t begin, int32_t end)
{
    const SticSet* set = task->set;
    SticMeasures out = *task->out;
    if (out.want & STIC_WANT_SPEED)
        out.want |= STIC_WANT_H;
    for (int32_t i = begin; i < end; ++i) {
        const SticInteraction* interaction = &set->interaction[i];
        const int32_t at = set->row_at[i];
        if (interaction->kernel == STIC_KERNEL_RIGIDITY)
            stic_view_measure_rigidity(task->view, set, i, task->state, &out);
        else
            stic_view_measure_joint(task->view, set, i, task->state, &out);
        if (out.want & STIC_WANT_TANGENT)
            memset(out.tangent[i], 0, sizeof out.tangent[i]);
        if ((out.want & STIC_WANT_SPEED) == 0)
            continue;
        double sum[STIC_SET_DIM] = {0.0}, also[STIC_SET_DIM] = {0.0};
        add_speeds(task, i, sum, also);
        for (int32_t row = 0; row < interaction->rows; ++row)
            out.speed[at + row] = sum[row] + out.chi[at + row];
        for (int32_t row = 0; out.further != NULL && row < interaction->rows; ++row)
            out.further_speed[at + row] = also[row];
    }
}

static void measure_run(const Task* task, uint8_t kernel, int32_t begin, int32_t end)
{
    switch (kernel & ~STIC_KERNEL_TANGENT) {
    case STIC_CONTACT_PLANE:
        measure_plane(task, begin, end);
        break;
    case STIC_CONTACT_ROUND:
        measure_round(task, begin, end);
        break;
    case STIC_CONTACT_ROUND_EDGE:
        measure_round_edge(task, begin, end);
        break;
    case STIC_CONTACT_EDGE_EDGE:
        measure_edge_edge(task, begin, end);
        break;
    default:
        measure_joints(task, begin, end);
        break;
    }
}

/* ---- four at a time ---- */

// contacts that wait for others of their kind
typedef struct Waiting {
    int32_t contact[STIC_LANES], count;
} Waiting;

// rigid or fixed sides in one chart, and a normal alone or with two tangents
static bool fits_lanes(const Task* task, const SticInteraction* interaction, int* chart)
{
    if (stic_facet_of(task->view, interaction) != NULL)
        return false;
    if (interaction->bonded || (interaction->rows != 1 && interaction->rows != 3) ||
        (interaction->law != STIC_LAW_CONE && interaction->law != STIC_LAW_NONNEG) ||
        interaction->block[0] == interaction->block[1])
        return false;
    for (int k = 0; k < 2; ++k) {
        const int32_t block = interaction->block[k];
        const int own = block < 0 ? -1 : task->view->charts[block];
        if (block < -1 ||
            (block >= 0 && own != STIC_CHART_QUATERNION && own != STIC_CHART_ROTATION))
            return false;
        if (own >= 0 && *chart >= 0 && own != *chart)
            return false;
        *chart = own >= 0 ? own : *chart;
    }
    return true;
}

static void measure_waiting(const Task* task, uint8_t kernel, int32_t rows, Waiting* waiting)
{
    // lanes that nobody waits for repeat the first one
    for (int32_t k = waiting->count; k < STIC_LANES; ++k)
        waiting->contact[k] = waiting->contact[0];
    if (waiting->count > 0 && !task->lanes(task, (SticContactKernel)kernel, rows, waiting->contact))
        for (int32_t k = 0; k < waiting->count; ++k)
            measure_run(task, kernel, waiting->contact[k], waiting->contact[k] + 1);
    waiting->count = 0;
}

static void measure_in_lanes(const Task* task, uint8_t kernel, int32_t begin, int32_t end)
{
    Waiting waiting[2][2] = {{{.count = 0}}}; // by the number of rows and the order of blocks
    const SticInteraction* last = NULL;       // that fits
    int chart = -1;
    for (int32_t i = begin; i < end; ++i) {
        const SticInteraction* interaction = &task->set->interaction[i];
        if (task->out->aside != NULL && task->out->aside[i])
            continue;
        // contacts of a pair follow each other
        const bool again = last != NULL && interaction->block[0] == last->block[0] &&
                           interaction->block[1] == last->block[1] &&
                           interaction->part[1] == last->part[1] &&
                           interaction->rows == last->rows && interaction->law == last->law &&
                           !interaction->bonded;
        if (!again)
            last = fits_lanes(task, interaction, &chart) ? interaction : NULL;
        if (last == NULL) {
            measure_run(task, kernel, i, i + 1);
            continue;
        }
        Waiting* own = &waiting[interaction->rows == 3][stic_measure_order(interaction)];
        own->contact[own->count++] = i;
        if (own->count == STIC_LANES)
            measure_waiting(task, kernel, interaction->rows, own);
    }
    for (int order = 0; order < 2; ++order) {
        measure_waiting(task, kernel, 1, &waiting[0][order]);
        measure_waiting(task, kernel, 3, &waiting[1][order]);
    }
}

static void measure_chunk(void* self, int32_t index)
{
    const Task* task = self;
    const SticSet* set = task->set;
    const int32_t end = set->count < (index + 1) * CHUNK ? set->count : (index + 1) * CHUNK;
    int32_t next = 0;
    for (int32_t i = index * CHUNK; i < end; i = next) {
        const uint8_t kernel = set->interaction[i].kernel;
        for (next = i; next < end && set->interaction[next].kernel == kernel;)
            ++next;
        if (task->lanes != NULL && kernel < STIC_CONTACT_KERNEL_COUNT)
            measure_in_lanes(task, kernel, i, next);
        else
            measure_run(task, kernel, i, next);
    }
}

SticStatus stic_world_measure(const SticSystem* system, const SticSet* set, const SticState* state,
                              SticMeasures* measures)
{
    const SticView* view = stic_view_of(system);
    STIC_TRY(stic_view_check(view));
    STIC_TRY(stic_view_move(view, state->t, measures->lead, measures->since));
    const bool in_lanes = (measures->want & ~(uint32_t)STIC_LANES_WANT) == 0;
    Task task = {view, set, state, measures, in_lanes ? stic_measure_lanes(false) : NULL};
    stic_pool_run(view->context.pool, (set->count + CHUNK - 1) / CHUNK, measure_chunk, &task);
    return STIC_OK;
}

SticContactView stic_world_contact(const SticSystem* system, const SticSet* set, int32_t i,
                                   const SticState* state)
{
    STIC_ASSERT(system != NULL);
    STIC_ASSERT(set != NULL);
    STIC_ASSERT(state != NULL);
    const SticView* view = stic_view_of(system);
    Sides sides = {.block = {NO_BLOCK, NO_BLOCK}};
    const SticSide* side = sides.side;
    SticTouch touch;
    const SticInteraction* interaction = &set->interaction[i];
    const int kernel = interaction->kernel & ~STIC_KERNEL_TANGENT;
    STIC_ASSERT(kernel < STIC_CONTACT_KERNEL_COUNT);
    const Task task = {view, set, state, NULL, NULL};
    load_sides(&task, i, false, &sides);
    stic_touch_any((SticContactKernel)kernel, side, set->local[i], false, &touch);
    if (set->tangent != NULL)
        stic_touch_continue(&touch, set->tangent[i], false);
    if (interaction->law == STIC_LAW_CONE_ELLIPSE)
        stic_view_align(view, interaction, side, false, &touch);
    SticContactView seen = {.point = touch.point,
                            .gap = touch.gap,
                            .area = interaction->area,
                            .cohesion = interaction->cohesion};
    seen.axis[0] = stic_vec3_normalize(touch.axis[0]);
    seen.axis[1] = touch.axis[1];
    seen.axis[2] = touch.axis[2];
    for (int k = 0; k < 2; ++k) {
        const uint32_t slot = view->shape[stic_view_shape_of(view, interaction->part[k])].slot;
        const SticShapeSlot* shape = &view->world->shape[slot];
        seen.shape[k] = (SticShapeId){slot, shape->generation};
        seen.body[k] = (SticBodyId){shape->body, view->world->body[shape->body].generation};
    }
    return seen;
}

bool stic_world_surface(const SticSystem* system, int32_t surface, SticMaterialId pair[2])
{
    STIC_ASSERT(system != NULL);
    const SticView* view = stic_view_of(system);
    if (surface < 0 || surface >= view->materials * view->materials)
        return false;
    pair[0] = (SticMaterialId){(uint32_t)(surface / view->materials), 1};
    pair[1] = (SticMaterialId){(uint32_t)(surface % view->materials), 1};
    return true;
}
