// SPDX-License-Identifier: Apache-2.0
// Packs of four contacts: which contact goes where, and the kernel for the base instruction set.
#define LANES_TARGET
#include "solver/pack_template.h"
#include "stiction/extend/base.h"

// velocity at an empty lane: large and positive, so that the lane stays open
static const double never = 1e300;

SticPackKernel* stic_pack_kernel(bool plain)
{
#if defined(__x86_64__)
    if (!plain && __builtin_cpu_supports("avx2"))
        return stic_pack_kernel_avx2();
#else
    (void)plain;
#endif
    return visit_packs;
}

void stic_pack_clear(SticPack* pack, int32_t nobody)
{
    const SticLanes one = {1.0, 1.0, 1.0, 1.0};
    *pack = (SticPack){.inverse_NN = one, .inverse_det = one, .root = one};
    pack->D[0] = pack->D[3] = pack->D[5] = one;
    pack->w[0] = never * one;
    pack->idle = never * one;
    for (int32_t lane = 0; lane < STIC_LANES; ++lane)
        pack->body[0][lane] = pack->body[1][lane] = nobody + 8 * lane;
}

void stic_pack_put(SticPack* pack, int32_t lane, const SticPackItem* item)
{
    STIC_ASSERT(lane >= 0 && lane < STIC_LANES);
    pack->mu[lane] = item->mu;
    pack->inverse_NN[lane] = item->inverse_NN;
    pack->inverse_det[lane] = item->inverse_det;
    pack->root[lane] = sqrt(item->inverse_NN);
    pack->two[lane] = item->body[1] >= 0 ? 1.0 : 0.0;
    pack->idle[lane] = 0.0;
    for (int32_t k = 0; k < 6; ++k)
        pack->D[k][lane] = item->D[k];
    for (int32_t a = 0; a < 3; ++a)
        pack->w[a][lane] = item->w[a];
    for (int32_t side = 0; side < 2 && item->body[side] >= 0; ++side) {
        pack->body[side][lane] = item->body[side];
        for (int32_t k = 0; k < 18; ++k)
            pack->H[side][k][lane] = item->H[side][k];
    }
}

/* ---- the plan ---- */

SticStatus stic_pack_plan_take(SticArena* arena, int32_t contacts, int32_t velocities,
                               SticPackPlan* plan)
{
    STIC_ASSERT(contacts >= 0 && velocities >= 0);
    const int32_t places = velocities / 8 + 1;
    plan->packs = 0;
    STIC_TRY(STIC_TAKE(arena, &plan->last, places));
    STIC_TRY(STIC_TAKE(arena, &plan->open, contacts + 1));
    STIC_TRY(STIC_TAKE(arena, &plan->used, contacts + 1));
    memset(plan->last, 0, (size_t)places * sizeof *plan->last);
    return STIC_OK;
}

// first pack from `at` on with room; paths are compressed on the way
static int32_t find_open(SticPackPlan* plan, int32_t at)
{
    while (at < plan->packs && plan->open[at] != at) {
        const int32_t next = plan->open[at];
        if (next < plan->packs)
            plan->open[at] = plan->open[next];
        at = next;
    }
    return at;
}

int32_t stic_pack_plan_next(SticPackPlan* plan, const int32_t body[2], int32_t from)
{
    STIC_ASSERT(from >= 0);
    int32_t earliest = from;
    for (int side = 0; side < 2; ++side)
        if (body[side] >= 0 && plan->last[body[side] / 8] > earliest)
            earliest = plan->last[body[side] / 8];
    const int32_t pack = find_open(plan, earliest);
    if (pack == plan->packs) {
        plan->open[pack] = pack;
        plan->used[pack] = 0;
        plan->packs += 1;
    }
    const int32_t lane = plan->used[pack]++;
    if (plan->used[pack] == STIC_LANES)
        plan->open[pack] = pack + 1;
    for (int side = 0; side < 2; ++side)
        if (body[side] >= 0)
            plan->last[body[side] / 8] = pack + 1;
    return STIC_LANES * pack + lane;
}

void stic_pack_plan_drop(SticPackPlan* plan, int32_t from)
{
    STIC_ASSERT(from >= 0 && from <= plan->packs);
    plan->packs = from;
}
