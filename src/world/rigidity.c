// SPDX-License-Identifier: Apache-2.0
// Rigid bodies in linear coordinates: x and F by rows with six constraints.
//
//   g = (f_i . f_j - delta_ij) / 2,  (i, j) = 11 22 33 12 13 23,  f_i the columns of F
//   G y = (f_i . y_j + y_i . f_j) / 2        C y' = the same with y in place of F
//   bias = f_i' . f_j'
//
// The mass is that of a pseudo-rigid body, m I and three times the Euler tensor: constant, without
// gyroscopic terms. The constraints are quadratic, so that midpoint rules keep them exactly.
#include <string.h>

#include "stiction/extend/base.h"
#include "world/world.h"

static const int pairs[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}};

bool stic_view_is_stiff(const SticView* view, int32_t block)
{
    STIC_ASSERT(block >= 0);
    return view->charts[block] == STIC_CHART_LINEAR &&
           view->world->body[view->body_of[block]].def.kind == STIC_BODY_RIGID;
}

int32_t stic_view_find_rigidity(const SticView* view, SticInteraction* list)
{
    int32_t count = 0;
    for (int32_t i = 0; i < view->blocks; ++i) {
        if (!stic_view_is_stiff(view, i))
            continue;
        const uint64_t slot = view->body_of[i];
        list[count++] =
            (SticInteraction){.id = (uint64_t)STIC_KERNEL_RIGIDITY << STIC_KERNEL_SHIFT |
                                    slot << 16 | (view->generation[slot] & 0xffffu),
                              .law = STIC_LAW_FREE,
                              .level = STIC_LEVEL_POSITION,
                              .rows = 6,
                              .kernel = STIC_KERNEL_RIGIDITY,
                              .block = {i, -1},
                              .bound_of = -1,
                              .surface = -1};
    }
    return count;
}

static double column_dot(const double* F, int i, const double* Y, int j)
{
    return F[i] * Y[j] + F[3 + i] * Y[3 + j] + F[6 + i] * Y[6 + j];
}

// rows of G at F, or of C along F; `to` has 12 columns
static void write_rows(const double* F, double* to)
{
    memset(to, 0, 72 * sizeof *to);
    for (int k = 0; k < 6; ++k)
        for (int r = 0; r < 3; ++r) {
            to[12 * k + 3 + 3 * r + pairs[k][0]] += 0.5 * F[3 * r + pairs[k][1]];
            to[12 * k + 3 + 3 * r + pairs[k][1]] += 0.5 * F[3 * r + pairs[k][0]];
        }
}

void stic_view_measure_rigidity(const SticView* view, const SticSet* set, int32_t i,
                                const SticState* state, const SticMeasures* out)
{
    STIC_ASSERT(i >= 0 && i < set->count);
    const int32_t block = set->interaction[i].block[0], at = set->row_at[i];
    const double* F = state->q + view->q_at[block] + 3;
    for (int k = 0; k < 6; ++k) {
        const int a = pairs[k][0], b = pairs[k][1];
        if (out->want & STIC_WANT_GAP)
            out->gap[at + k] = 0.5 * (column_dot(F, a, F, b) - (a == b ? 1.0 : 0.0));
        if (out->want & STIC_WANT_CHI)
            out->chi[at + k] = 0.0;
        if (out->want & STIC_WANT_BIAS) {
            const double* rate = state->u + view->u_at[block] + 3;
            out->bias[at + k] = column_dot(rate, a, rate, b);
        }
    }
    if (out->want & STIC_WANT_H)
        write_rows(F, out->H + out->u_pattern->at[i][0]);
    if (out->want & STIC_WANT_G)
        write_rows(F, out->G + out->q_pattern->at[i][0]);
    if (out->want & STIC_WANT_C)
        write_rows(out->y + view->q_at[block] + 3, out->C + out->q_pattern->at[i][0]);
}
