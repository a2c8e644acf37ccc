// SPDX-License-Identifier: Apache-2.0
// Where Newton starts in the motion stage: with the velocities after the impacts, x = uC. For a
// rigid body more is known: the forces of the beginning, including gyroscopic ones, and the
// reactions of the step before determine its velocity up to the square of the step,
//
//   x = uC + M^-1 (h f + H r)
//
// This saves one iteration of five on a top that slides, and is done where nothing ties bodies to
// each other, since forces of ties are not known. Where it would change much of the velocity, as
// with stiff springs, the estimate is useless and is not used.
#include <string.h>

#include "problem/mass.h"
#include "step/consistent.h"
#include "stiction/extend/base.h"
#include "stiction/extend/sparse.h"

// part of the velocity that may change in a start
static const double most_part = 0.1;

// u'M u of one body
static double square_of(const SticMotion* m, int32_t i, const double* u)
{
    const SticBlockCsr* M = m->mass.A;
    const double* block = M->value + M->value_at[M->begin[i]];
    const int32_t at = m->system->layout.u_at[i], n = m->system->layout.u_at[i + 1] - at;
    double sum = 0.0;
    for (int32_t e = 0; e < n * n; ++e)
        sum += u[at + e / n] * block[e] * u[at + e % n];
    return sum;
}

// h f, with gyroscopic forces
static void impulse_of(const SticMotion* m, double* impulse)
{
    const SticLayout* layout = &m->system->layout;
    const SticBlockCsr* M = m->mass.A;
    double slope[STIC_CHART_MAX_U * STIC_CHART_MAX_U] = {0.0};
    memcpy(impulse, m->pull, (size_t)layout->nu * sizeof *impulse);
    for (int32_t i = 0; i < layout->blocks; ++i) {
        const SticKinematics block = stic_motion_block(m, i);
        const double* u = m->u_impact + layout->u_at[i];
        double* own = impulse + layout->u_at[i];
        stic_kinematics_gyro(&block, M->value + M->value_at[M->begin[i]], u, u, own, slope);
        for (int32_t c = 0; c < block.n; ++c)
            own[c] *= m->h;
    }
}

SticStatus stic_motion_start(SticMotion* m)
{
    const SticLayout* layout = &m->system->layout;
    SticArena* arena = m->stepper->arena;
    double *impulse = NULL, *change = NULL;
    memcpy(m->x, m->u_impact, (size_t)layout->nu * sizeof *m->x);
    if (m->ties > 0 || m->settings->linearised)
        return STIC_OK;
    const SticArenaMark mark = stic_arena_mark(arena);
    STIC_TRY(STIC_TAKE(arena, &impulse, layout->nu));
    STIC_TRY(STIC_TAKE(arena, &change, layout->nu));
    impulse_of(m, impulse);
    if (m->laws.set.rows > 0)
        stic_block_csr_multiply_transpose(1.0, &m->laws.Ht, m->r, 1.0, impulse);
    stic_mass_divide(&m->mass, impulse, change);
    for (int32_t i = 0; i < layout->blocks; ++i)
        if (layout->chart[i] == STIC_CHART_QUATERNION &&
            square_of(m, i, change) < most_part * most_part * square_of(m, i, m->u_impact))
            for (int32_t c = layout->u_at[i]; c < layout->u_at[i + 1]; ++c)
                m->x[c] += change[c];
    stic_arena_rewind(arena, mark);
    return STIC_OK;
}
