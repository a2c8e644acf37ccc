// SPDX-License-Identifier: Apache-2.0
// Reactions as impulses in world axes: what H r gives to a body, whatever directions H are.
//
// The first three velocities of a block that has a place are those of its origin in world axes, so
// that sums of these impulses are changes of its momentum to rounding. Angular velocities of rigid
// blocks are in body axes. A linear block of twelve has the rates of its gradient F by rows: a turn
// with w is [w]x F, and P : [w]x F = (P F') : [w]x.
#include "system/push.h"

#include "math/math.h"
#include "stiction/extend/base.h"
#include "stiction/extend/vec3.h"

// moment of a force on the rows of F, P : [w]x F = (P F') : [w]x
static SticVec3 moment_of(SticMat3 F, const double* force)
{
    const SticMat3 p = stic_mat3_mul(stic_mat3_load(force), stic_mat3_transpose(F));
    return stic_vec3(p.m[2][1] - p.m[1][2], p.m[0][2] - p.m[2][0], p.m[1][0] - p.m[0][1]);
}

static void add_push(SticVec3 impulse, SticVec3 moment, double push[6])
{
    stic_vec3_store(stic_vec3_add(stic_vec3_load(push), impulse), push);
    stic_vec3_store(stic_vec3_add(stic_vec3_load(push + 3), moment), push + 3);
}

void stic_push_add(const SticLayout* layout, int32_t block, const double* coordinates,
                   const double* f, double push[6])
{
    const SticChart chart = (SticChart)layout->chart[block];
    const int32_t n = layout->u_at[block + 1] - layout->u_at[block];
    const double* q = coordinates + layout->q_at[block];
    STIC_ASSERT(n <= STIC_CHART_MAX_U);
    SticVec3 moment = stic_vec3_zero();
    if (n < 3 || chart == STIC_CHART_GENERAL)
        return;
    if (chart == STIC_CHART_ROTATION) {
        moment = stic_mat3_mul_vec(stic_mat3_load(q + 3), stic_vec3_load(f + 3));
    } else if (chart != STIC_CHART_LINEAR) {
        const SticMat3 R = stic_quat_to_matrix(stic_quat_normalize(stic_quat_load(q + 3)));
        moment = stic_mat3_mul_vec(R, stic_vec3_load(f + n - 3));
    } else if (n == 12) {
        moment = moment_of(stic_mat3_load(q + 3), f + 3);
    }
    add_push(stic_vec3_load(f), moment, push);
}

// A turn with w is half of (0, w) A for a quaternion A, of any length, and [w]x F for the rows of a
// gradient or a rotation.
void stic_push_add_covector(const SticLayout* layout, int32_t block, const double* coordinates,
                            const double* covector, double push[6])
{
    const SticChart chart = (SticChart)layout->chart[block];
    const int32_t n = layout->u_at[block + 1] - layout->u_at[block];
    const double* q = coordinates + layout->q_at[block];
    SticVec3 moment = stic_vec3_zero();
    if (n < 3 || chart == STIC_CHART_GENERAL)
        return;
    if (chart == STIC_CHART_QUATERNION || chart == STIC_CHART_SCALABLE) {
        const SticQuat turn =
            stic_quat_mul(stic_quat_load(covector + 3), stic_quat_conjugate(stic_quat_load(q + 3)));
        moment = stic_vec3_scale(0.5, stic_vec3(turn.x, turn.y, turn.z));
    } else if (chart == STIC_CHART_ROTATION || n == 12) {
        moment = moment_of(stic_mat3_load(q + 3), covector + 3);
    }
    add_push(stic_vec3_load(covector), moment, push);
}

// Impulses J with a moment M about c have M - (p - c) x J about p. Lever and impulse are of one pose:
// a body that turns takes its joint point along, and the mean of a product over a step is not the
// product of means.
void stic_push_shift(const SticSystem* system, const SticInteraction* interaction,
                     const SticState* at, double push[6])
{
    double arm[3];
    if (system->ops->lever == NULL || stic_push_block(interaction) < 0)
        return;
    system->ops->lever(system, interaction, at, arm);
    const SticVec3 moment = stic_vec3_sub(
        stic_vec3_load(push + 3), stic_vec3_cross(stic_vec3_load(arm), stic_vec3_load(push)));
    stic_vec3_store(moment, push + 3);
}

void stic_push_add_rows(const SticPushRows* rows, int32_t i, const double* r, double push[6])
{
    const SticLayout* layout = &rows->system->layout;
    double own[6] = {0.0};
    const SticInteraction* interaction = &rows->set->interaction[i];
    const SticBlockCsr* Ht = rows->Ht;
    // all blocks that forces move are of side B where A is none of them
    const bool whole = interaction->block[0] < 0;
    for (int32_t k = Ht->begin[i]; k < Ht->begin[i + 1]; ++k) {
        const double* H = Ht->value + Ht->value_at[k];
        const int32_t block = Ht->col[k], n = layout->u_at[block + 1] - layout->u_at[block];
        double f[STIC_CHART_MAX_U] = {0.0};
        if (!whole && block != interaction->block[0])
            continue;
        for (int32_t e = 0; e < interaction->rows * n; ++e)
            f[e % n] += r[e / n] * H[e];
        stic_push_add(layout, block, rows->at->q, f, own);
    }
    stic_push_shift(rows->system, interaction, rows->at, own);
    for (int k = 0; k < 6; ++k)
        push[k] += own[k];
}

void stic_push_add_all(const SticPushRows* rows, const double* r, double weight, double (*push)[6])
{
    const SticSet* set = rows->set;
    for (int32_t i = 0; i < set->count; ++i) {
        double own[6];
        for (int32_t c = 0; c < set->interaction[i].rows; ++c)
            own[c] = weight * r[set->row_at[i] + c];
        stic_push_add_rows(rows, i, own, push[i]);
    }
}
