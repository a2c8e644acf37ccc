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

void stic_push_add(SticChart chart, int32_t n, const double* q, const double* f, double push[6])
{
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
        const SticMat3 F = stic_mat3_load(q + 3),
                       p = stic_mat3_mul(stic_mat3_load(f + 3), stic_mat3_transpose(F));
        moment = stic_vec3(p.m[2][1] - p.m[1][2], p.m[0][2] - p.m[2][0], p.m[1][0] - p.m[0][1]);
    }
    const double m[3] = {moment.x, moment.y, moment.z};
    for (int k = 0; k < 3; ++k) {
        push[k] += f[k];
        push[3 + k] += m[k];
    }
}

void stic_push_add_rows(const SticPushRows* rows, int32_t i, const double* r, double push[6])
{
    const SticLayout* layout = rows->layout;
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
        stic_push_add((SticChart)layout->chart[block], n, rows->q + layout->q_at[block], f, push);
    }
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
