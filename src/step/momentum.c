// SPDX-License-Identifier: Apache-2.0
// Linear momentum over a step, see momentum.h.
#include "step/momentum.h"

#include <math.h>

void stic_momentum_add(const SticSystem* system, const SticMass* mass, const double* u, double sign,
                       SticMomentum* momentum)
{
    const SticLayout* layout = &system->layout;
    const SticBlockCsr* M = mass->A;
    for (int32_t i = 0; system->size != NULL && i < layout->blocks; ++i) {
        const double *block = M->value + M->value_at[M->begin[i]], *own = u + layout->u_at[i];
        const int32_t n = layout->u_at[i + 1] - layout->u_at[i];
        const double* diagonal = mass->diagonal == NULL ? NULL : mass->diagonal + layout->u_at[i];
        double energy = 0.0;
        for (int32_t k = 0; k < n; ++k) {
            double part = diagonal != NULL ? diagonal[k] * own[k] : 0.0;
            for (int32_t c = 0; diagonal == NULL && c < n; ++c)
                part += block[k * n + c] * own[c];
            energy += own[k] * part;
            if (k < 3)
                momentum->sum[k] += sign * part;
        }
        momentum->size += sqrt(block[0] * energy);
        momentum->mass += block[0];
    }
}

void stic_momentum_explain(const SticSystem* system, const double* force, double time,
                           SticMomentum* momentum)
{
    const SticLayout* layout = &system->layout;
    for (int32_t e = 0; system->size != NULL && e < 3 * layout->blocks; ++e) {
        const double part = time * force[layout->u_at[e / 3] + e % 3];
        momentum->sum[e % 3] -= part;
        momentum->size += fabs(part);
    }
}

void stic_momentum_push(int32_t axis, double impulse, SticOutside* outside)
{
    outside->sum[axis] += impulse;
    outside->size += fabs(impulse);
}

void stic_momentum_outside(const SticDirections* directions, const double* r, SticOutside* outside)
{
    const SticSet* set = &directions->set;
    const SticPattern* pattern = &directions->u_pattern;
    const SticBlockCsr* csr = &pattern->csr;
    for (int32_t i = 0; i < set->count; ++i) {
        const SticInteraction* interaction = &set->interaction[i];
        // faces may have nodes that are held
        if (interaction->block[0] >= 0 && interaction->block[1] >= 0 && interaction->alsos == 0)
            continue;
        for (int32_t e = csr->begin[i]; e < csr->begin[i + 1]; ++e) {
            const int32_t *col_at = csr->col_at + csr->col[e], n = col_at[1] - col_at[0];
            const double* H = directions->measures.H + csr->value_at[e];
            for (int32_t row = set->row_at[i]; n >= 3 && row < set->row_at[i + 1]; ++row, H += n)
                for (int k = 0; k < 3; ++k)
                    stic_momentum_push(k, r[row] * H[k], outside);
        }
    }
}

void stic_momentum_take(const SticOutside* outside, SticMomentum* momentum)
{
    for (int k = 0; k < 3; ++k)
        momentum->sum[k] -= outside->sum[k];
    momentum->size += outside->size;
}

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void clear(int32_t count, double (*basis)[3], double v[3])
{
    for (int32_t b = 0; b < count; ++b) {
        const double part = dot(basis[b], v);
        for (int k = 0; k < 3; ++k)
            v[k] -= part * basis[b][k];
    }
}

void stic_momentum_astray(const double force[3], int32_t count, const double (*along)[3],
                          double astray[3])
{
    // directions that differ by less are those of features that were found to rounding
    static const double least = 1e-8;
    double basis[3][3];
    int32_t rank = 0;
    for (int32_t s = 0; s < count; ++s) {
        double v[3] = {along[s][0], along[s][1], along[s][2]};
        const double size = sqrt(dot(v, v));
        clear(rank, basis, v);
        clear(rank, basis, v);
        const double length = sqrt(dot(v, v));
        for (int k = 0; length > least * size && k < 3; ++k)
            basis[rank][k] = v[k] / length;
        rank += length > least * size ? 1 : 0;
    }
    for (int k = 0; k < 3; ++k)
        astray[k] = force[k];
    clear(rank, basis, astray);
    clear(rank, basis, astray);
}

double stic_momentum_missed(const SticSystem* system, const SticMomentum* momentum, double passed)
{
    const double rest = sqrt(momentum->mass * STIC_REST_PART * passed),
                 size = momentum->size > rest ? momentum->size : rest;
    double missed = 0.0;
    for (int k = 0; system->size != NULL && size > 0.0 && k < 3; ++k) {
        const double part = fabs(momentum->sum[k]) / size;
        missed = part > missed ? part : missed;
    }
    return missed;
}
