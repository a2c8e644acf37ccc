// SPDX-License-Identifier: Apache-2.0
// How fast bodies swing under the tension of their joints, or the load of their contacts.
//
// A joint that pulls with the force F at the lever a of a body, along it, turns it back by F a per
// radian: a link of a chain swings with
//
//     omega^2 = |F| |a| / J    summed over its joints, J about axes across the lever
//
// which for a rod of the length l and the mass m is 12 F / (m l). Leapfrog steps take the
// directions of joints from the middle of the step, and are stable for h omega < 2 only: a load of
// 100 kg on links of 0.1 kg would make them diverge. Levers are read from the directions: the row
// of a force along n has the turning part a x n, and the squares of three such rows sum up to 2
// |a|^2.
#include "step/tension.h"

#include "stiction/extend/base.h"

#include <math.h>

// force along the rows of a joint, and the turning parts of these rows
typedef struct Pull {
    double force[3];
    double lever2;  // sum of squares of the turning parts
    double inverse; // largest inverse inertia about one of them
    int rows;       // that have a force
} Pull;

// x' J^-1 x for a block of n velocities, the last three of which turn
static double form(const SticMass* mass, int32_t block, int32_t n, const double* x)
{
    const SticBlockCsr* inverse = mass->inverse;
    const double* value = inverse->value + inverse->value_at[inverse->begin[block]];
    double sum = 0.0;
    for (int r = 0; r < 3 && mass->inverse_diagonal != NULL; ++r)
        sum += x[r] * mass->inverse_diagonal[inverse->row_at[block] + n - 3 + r] * x[r];
    for (int r = 0; r < 3 && mass->inverse_diagonal == NULL; ++r)
        for (int c = 0; c < 3; ++c)
            sum += x[r] * value[(n - 3 + r) * n + n - 3 + c] * x[c];
    return sum;
}

static double square(const double* x)
{
    return x[0] * x[0] + x[1] * x[1] + x[2] * x[2];
}

// effect of an interaction on a block; H is its part of H', r are its impulses
static Pull pull_of(const SticInteraction* interaction, const double* H, const double* r,
                    const SticMass* mass, int32_t block)
{
    const int32_t n = mass->inverse->row_at[block + 1] - mass->inverse->row_at[block];
    Pull pull = {.rows = 0};
    for (int32_t k = 0; k < interaction->rows; ++k) {
        const double *along = H + (size_t)(k * n), *turn = along + n - 3, own = square(turn);
        if (!(square(along) > 0.0))
            continue;
        pull.rows += 1;
        pull.lever2 += own;
        for (int c = 0; c < 3; ++c)
            pull.force[c] += r[k] * along[c];
        const double about = own > 0.0 ? form(mass, block, n, turn) / own : 0.0;
        pull.inverse = about > pull.inverse ? about : pull.inverse;
    }
    return pull;
}

static bool turns(SticChart chart)
{
    return chart == STIC_CHART_ROTATION || chart == STIC_CHART_QUATERNION ||
           chart == STIC_CHART_SCALABLE;
}

SticStatus stic_tension(const SticPulls* pulls, SticArena* arena, double* most)
{
    const SticSet* set = &pulls->directions->set;
    const SticLayout* layout = pulls->layout;
    const SticBlockCsr* Ht = &pulls->directions->Ht;
    double* swing = NULL;
    *most = 0.0;
    STIC_TRY(STIC_TAKE(arena, &swing, layout->blocks));
    for (int32_t i = 0; i < layout->blocks; ++i)
        swing[i] = 0.0;
    for (int32_t i = 0; i < set->count; ++i) {
        if ((pulls->levels & (1u << set->interaction[i].level)) == 0)
            continue;
        for (int32_t e = Ht->begin[i]; e < Ht->begin[i + 1]; ++e) {
            const int32_t block = Ht->col[e];
            if (!turns((SticChart)layout->chart[block]))
                continue;
            const Pull pull = pull_of(&set->interaction[i], Ht->value + Ht->value_at[e],
                                      pulls->r + set->row_at[i], pulls->mass, block);
            if (pull.rows == 0)
                continue;
            const double lever = sqrt(1.5 * pull.lever2 / pull.rows);
            swing[block] += sqrt(square(pull.force)) * lever * pull.inverse;
            *most = swing[block] > *most ? swing[block] : *most;
        }
    }
    return STIC_OK;
}
