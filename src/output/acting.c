// SPDX-License-Identifier: Apache-2.0
// What acted in the last step: contacts, resultants and joint forces in world axes.
//
// Schemes leave impulses with the directions they used; those that integrate forces (relaxed,
// event) leave only the forces in the memory of the state, which are then matched with the
// interactions found at the end of the step.
#include <math.h>
#include <string.h>

#include "output/least_norm.h"
#include "output/writer.h"
#include "stiction/math.h"
#include "world/world.h"

/* ---- collecting ---- */

// slip below this part of the scale of speeds is rounding and the solver's tolerance
#define SLIP 1e-6

// largest relative speed, and what gravity gives in a step: the scale that slip is compared with
static double speed_scale(const SticActing* acting, const SticWorld* world)
{
    double scale = world == NULL ? 0.0 : acting->h * stic_vec3_norm(world->gravity);
    for (int32_t i = 0; i < acting->set.rows; ++i)
        if (fabs(acting->velocity[i]) > scale)
            scale = fabs(acting->velocity[i]);
    return scale;
}

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

static SticStatus collect(const SticRun* run, SticArena* arena, SticActing* acting)
{
    const SticRunDef* def = stic_run_get_def(run);
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

SticStatus stic_acting_collect(const SticRun* run, const SticWorld* world, bool least_norm,
                               SticArena* arena, SticActing* acting)
{
    SticLeastNorm how;
    STIC_TRY(collect(run, arena, acting));
    if (!least_norm)
        return STIC_OK;
    return stic_least_norm(acting, SLIP * speed_scale(acting, world), arena, &how);
}

/* ---- contacts ---- */

// reaction and relative velocity of a contact in its axes: normal, tangents, further rows
typedef struct Rows {
    double r[6], u[6];
    int32_t count;
} Rows;

// rows of interaction i; where the tangents are an interaction of their own, its rows follow
static Rows rows_of(const SticActing* acting, int32_t i, int32_t tangents)
{
    Rows rows = {.count = 0};
    for (int32_t k = acting->set.row_at[i]; k < acting->set.row_at[i + 1]; ++k) {
        rows.r[rows.count] = acting->r[k];
        rows.u[rows.count++] = acting->velocity[k];
    }
    for (int32_t k = 0; tangents >= 0 && k < 2; ++k) {
        rows.r[rows.count] = acting->r[acting->set.row_at[tangents] + k];
        rows.u[rows.count++] = acting->velocity[acting->set.row_at[tangents] + k];
    }
    return rows;
}

// 0 open, 1 stick, 2 slip: a reaction inside its cone sticks whatever the rounding of the slip
static uint8_t status_of(const SticInteraction* interaction, const Rows* rows, double slip,
                         double scale)
{
    if (!(rows->r[0] > 0.0))
        return 0;
    const double friction = sqrt(rows->r[1] * rows->r[1] + rows->r[2] * rows->r[2]);
    const bool cone = interaction->law == STIC_LAW_CONE || interaction->law == STIC_LAW_ROLLING;
    if (cone && friction < (1.0 - 1e-6) * interaction->coef[0] * rows->r[0])
        return 1;
    return slip <= SLIP * scale ? 1 : 2;
}

static SticContactRow contact_row(const SticActing* acting, const SticRows* table, int32_t i,
                                  int32_t tangents, double scale)
{
    const SticInteraction* interaction = &acting->set.interaction[i];
    const SticContactView seen = stic_world_contact(acting->system, &acting->set, i, &acting->at);
    const Rows rows = rows_of(acting, i, tangents);
    SticContactRow row = {.id = interaction->id,
                          .point = seen.point,
                          .normal = seen.axis[0],
                          .gap = acting->gap[acting->set.row_at[i]],
                          .impulse = stic_vec3_scale(rows.r[0], seen.axis[0])};
    for (int k = 0; k < 2; ++k) {
        row.body[k] = table->body_of[seen.body[k].index];
        row.shape[k] = table->shape_of[seen.shape[k].index];
    }
    for (int32_t k = 1; k < 3 && k < rows.count; ++k) {
        row.impulse = stic_vec3_add(row.impulse, stic_vec3_scale(rows.r[k], seen.axis[k]));
        row.slip = stic_vec3_add(row.slip, stic_vec3_scale(rows.u[k], seen.axis[k]));
    }
    // a fourth row alone is drilling, about the normal; two rows are rolling, about the tangents
    if (rows.count == 4)
        row.moment = stic_vec3_scale(rows.r[3] / acting->h, seen.axis[0]);
    for (int32_t k = 3; rows.count == 5 && k < 5; ++k)
        row.moment =
            stic_vec3_add(row.moment, stic_vec3_scale(rows.r[k] / acting->h, seen.axis[k - 2]));
    row.force = stic_vec3_scale(1.0 / acting->h, row.impulse);
    row.status = status_of(interaction, &rows, stic_vec3_norm(row.slip), scale);
    return row;
}

// interaction number n in the order of ids
static int32_t by_id(const SticSet* set, int32_t n)
{
    return set->by_id == NULL ? n : set->by_id[n];
}

SticStatus stic_acting_contacts(const SticActing* acting, const SticWorld* world,
                                const SticRows* rows, SticArena* arena, SticContactRow** contact,
                                int32_t* count)
{
    const SticInteraction* interaction = acting->set.interaction;
    const uint64_t flag = (uint64_t)STIC_KERNEL_TANGENT << STIC_KERNEL_SHIFT;
    const double scale = speed_scale(acting, world);
    // tangents on their own have the id of their contact and a flag in its upper bits: both lists
    // ascend together
    int32_t tangents = 0;
    *count = 0;
    STIC_TRY(STIC_TAKE(arena, contact, acting->set.count + 1));
    for (int32_t n = 0; n < acting->set.count; ++n) {
        const int32_t i = by_id(&acting->set, n);
        if (interaction[i].level != STIC_LEVEL_CONTACT ||
            interaction[i].kernel >= STIC_KERNEL_JOINT)
            continue;
        const uint64_t wanted = interaction[i].id | flag;
        while (tangents < acting->set.count &&
               interaction[by_id(&acting->set, tangents)].id < wanted)
            ++tangents;
        int32_t apart = -1;
        if (tangents < acting->set.count && interaction[i].rows == 1 &&
            interaction[by_id(&acting->set, tangents)].id == wanted)
            apart = by_id(&acting->set, tangents);
        (*contact)[(*count)++] = contact_row(acting, rows, i, apart, scale);
    }
    return STIC_OK;
}

/* ---- joints ---- */

// impulse and its moment about the centre of mass, world axes, that interaction i gives a block
static void block_impulse(const SticActing* acting, int32_t i, int32_t block, SticVec3* impulse,
                          SticVec3* moment)
{
    const SticView* view = stic_view_of(acting->system);
    const SticLayout* layout = &acting->system->layout;
    const int32_t nu = layout->u_at[block + 1] - layout->u_at[block];
    const SticBodyId id = {view->body_of[block], view->generation[view->body_of[block]]};
    const SticPose pose = stic_world_pose(acting->system, &acting->at, id);
    const double* r = acting->r + acting->set.row_at[i];
    double sum[STIC_CHART_MAX_U] = {0.0};
    for (int32_t k = acting->Ht.begin[i]; k < acting->Ht.begin[i + 1]; ++k) {
        const double* H = acting->Ht.value + acting->Ht.value_at[k];
        if (acting->Ht.col[k] != block)
            continue;
        for (int32_t row = 0; row < acting->set.interaction[i].rows; ++row)
            for (int32_t c = 0; c < nu; ++c)
                sum[c] += r[row] * H[row * nu + c];
    }
    *impulse = stic_vec3_load(sum);
    *moment = stic_vec3(0.0, 0.0, 0.0);
    if (layout->chart[block] != STIC_CHART_LINEAR) {
        *moment = stic_mat3_mul_vec(pose.F, stic_vec3_load(sum + nu - 3));
    } else if (nu == 12) {
        // P : F' = (P F') : [w]x for a rotation with the velocity w
        const SticMat3 P = stic_mat3_load(sum + 3);
        const SticMat3 power = stic_mat3_mul(P, stic_mat3_transpose(pose.F));
        double p[9];
        stic_mat3_store(power, p);
        *moment = stic_vec3(p[7] - p[5], p[2] - p[6], p[3] - p[1]);
    }
}

static void add_joint(const SticActing* acting, const SticWorld* world, int32_t i, uint32_t slot,
                      double* force, double* torque)
{
    const SticInteraction* interaction = &acting->set.interaction[i];
    const SticJointDef* def = &world->joint[slot].def;
    // a joint whose A is the ground is seen from B, with the opposite sign
    const int side = interaction->block[0] >= 0 ? 0 : 1;
    const int32_t block = interaction->block[side];
    if (block < 0)
        return;
    SticVec3 impulse, moment;
    block_impulse(acting, i, block, &impulse, &moment);
    const SticPose pose = stic_world_pose(acting->system, &acting->at, def->body[0]);
    const SticVec3 point = stic_pose_apply(&pose, def->frame[0].point);
    const double* centre = acting->at.q + acting->system->layout.q_at[block];
    const SticVec3 arm = stic_vec3_sub(stic_vec3_load(centre), point);
    moment = stic_vec3_add(moment, stic_vec3_cross(arm, impulse));
    const double scale = (side == 0 ? 1.0 : -1.0) / acting->h;
    stic_vec3_store(stic_vec3_add(stic_vec3_load(force), stic_vec3_scale(scale, impulse)), force);
    stic_vec3_store(stic_vec3_add(stic_vec3_load(torque), stic_vec3_scale(scale, moment)), torque);
}

void stic_acting_joints(const SticActing* acting, const SticWorld* world, const SticRows* rows,
                        double* force, double* torque)
{
    memset(force, 0, 3 * (size_t)rows->joints * sizeof *force);
    memset(torque, 0, 3 * (size_t)rows->joints * sizeof *torque);
    for (int32_t i = 0; i < acting->set.count; ++i) {
        const SticInteraction* interaction = &acting->set.interaction[i];
        if (interaction->kernel != STIC_KERNEL_JOINT)
            continue;
        const uint32_t slot =
            (uint32_t)(interaction->id >> (STIC_JOINT_GENERATION_BITS + STIC_PART_BITS));
        const int32_t row = rows->joint_of[slot];
        if (row >= 0)
            add_joint(acting, world, i, slot, force + 3 * row, torque + 3 * row);
    }
}
