// SPDX-License-Identifier: Apache-2.0
// Error of a step of an integrator, block by block in the metric of its mass.
//
// Errors of velocities, and errors of coordinates over the length of the call, are compared with
// the velocities of the block and with what the applied forces would make of them in that time: no
// unit of length or of mass enters. Where nothing moves and nothing pushes, velocities are
// rounding, and so are their errors: coordinates that are known to a rounding of their own size
// give velocities no better than that over the shortest time of the motion.
#include <float.h>
#include <math.h>
#include <string.h>

#include "problem/mass.h"
#include "step/runge_kutta.h"
#include "stiction/extend/base.h"

// size of the velocities of block i in the metric of its mass; `x` [nu] of all blocks
static double block_size(const SticMass* mass, int32_t i, const double* x)
{
    const SticBlockCsr* A = mass->A;
    const int32_t at = A->row_at[i], n = A->row_at[i + 1] - at;
    const double* value = A->value + A->value_at[A->begin[i]];
    double sum = 0.0;
    for (int32_t r = 0; r < n; ++r)
        for (int32_t c = 0; c < n; ++c)
            sum += x[at + r] * *value++ * x[at + c];
    // what is not a number stays so: it is no error of nothing
    return sum <= 0.0 ? 0.0 : sqrt(sum);
}

// an error of the coordinates as a velocity of the block times a time
static void as_velocity(const SticLayout* layout, int32_t i, const double* q, const double* error,
                        double* u)
{
    const int32_t at = layout->q_at[i], to = layout->u_at[i];
    if ((SticChart)layout->chart[i] != STIC_CHART_QUATERNION) {
        memcpy(u + to, error + at, (size_t)(layout->u_at[i + 1] - to) * sizeof *u);
        return;
    }
    memcpy(u + to, error + at, 3 * sizeof *u);
    // twice the vector part of conj(A) dA
    const double *A = q + at + 3, *d = error + at + 3;
    u[to + 3] = 2.0 * (A[0] * d[1] - A[1] * d[0] - A[2] * d[3] + A[3] * d[2]);
    u[to + 4] = 2.0 * (A[0] * d[2] - A[2] * d[0] - A[3] * d[1] + A[1] * d[3]);
    u[to + 5] = 2.0 * (A[0] * d[3] - A[3] * d[0] - A[1] * d[2] + A[2] * d[1]);
}

// how large coordinates are: places, and radii of gyration of what turns
static double extent_of(const SticLayout* layout, const SticMass* mass, const double* q)
{
    double most = 0.0;
    for (int32_t i = 0; i < layout->blocks; ++i) {
        const SticBlockCsr* A = mass->A;
        const int32_t n = A->row_at[i + 1] - A->row_at[i], at = layout->q_at[i];
        const double* value = A->value + A->value_at[A->begin[i]];
        const bool turns = (SticChart)layout->chart[i] == STIC_CHART_QUATERNION;
        const int32_t places = turns ? 3 : layout->q_at[i + 1] - at;
        for (int32_t c = 0; c < places; ++c)
            most = fabs(q[at + c]) > most ? fabs(q[at + c]) : most;
        for (int32_t c = 3; turns && c < n; ++c) {
            const double radius = sqrt(value[c * n + c] / value[0]);
            most = radius > most ? radius : most;
        }
    }
    return most;
}

// sizes [blocks] that errors of blocks are compared with: velocities, and what the applied forces
// alone would do in the call, a scale for what is held at rest, too
static SticStatus block_sizes(const SticSystem* system, SticArena* arena, const SticState* at,
                              SticErrorScale* scale, SticMass* mass, double** size)
{
    const SticLayout* layout = &system->layout;
    double *force = NULL, *rate = NULL;
    STIC_TRY(STIC_TAKE(arena, size, layout->blocks));
    STIC_TRY(STIC_TAKE(arena, &force, layout->nu));
    STIC_TRY(STIC_TAKE(arena, &rate, layout->nu));
    STIC_TRY(system->ops->mass(system, at, arena, mass));
    STIC_TRY(stic_system_force(system, at, arena, force));
    stic_mass_divide(mass, force, rate);
    for (int32_t i = 0; i < layout->blocks; ++i) {
        (*size)[i] = block_size(mass, i, at->u) + scale->length * block_size(mass, i, rate);
        scale->speed = (*size)[i] > scale->speed ? (*size)[i] : scale->speed;
    }
    // a block that hardly moves is measured by the others
    const double none =
        DBL_EPSILON * extent_of(layout, mass, at->q) * scale->per / scale->tolerance;
    for (int32_t i = 0; i < layout->blocks; ++i) {
        const double* value = mass->A->value + mass->A->value_at[mass->A->begin[i]];
        (*size)[i] += 1e-3 * scale->speed + none * sqrt(value[0]);
    }
    return STIC_OK;
}

SticStatus stic_step_allowed(const SticSystem* system, SticArena* arena, const SticState* at,
                             SticErrorScale* scale, double* allowed)
{
    const SticArenaMark mark = stic_arena_mark(arena);
    const SticLayout* layout = &system->layout;
    SticMass mass;
    double* size = NULL;
    STIC_TRY(block_sizes(system, arena, at, scale, &mass, &size));
    for (int32_t i = 0; i < layout->blocks; ++i) {
        const SticBlockCsr* A = mass.A;
        const int32_t n = layout->u_at[i + 1] - layout->u_at[i];
        const double* value = A->value + A->value_at[A->begin[i]];
        double *u = allowed + layout->nq + layout->u_at[i], *q = allowed + layout->q_at[i];
        // where nothing moves and nothing pushes any error will do
        const double whole = scale->tolerance * (size[i] > 0.0 ? size[i] : 1.0);
        double least = 0.0;
        for (int32_t c = 0; c < n; ++c)
            u[c] = whole / sqrt(value[c * n + c]);
        for (int32_t c = 3; c < n; ++c)
            least = least == 0.0 || u[c] < least ? u[c] : least;
        const bool turns = (SticChart)layout->chart[i] == STIC_CHART_QUATERNION;
        for (int32_t c = 0; c < layout->q_at[i + 1] - layout->q_at[i]; ++c)
            q[c] = scale->length * (turns && c >= 3 ? 0.5 * least : u[c]);
    }
    stic_arena_rewind(arena, mark);
    return STIC_OK;
}

SticStatus stic_step_error(const SticRungeKutta* step, const SticSystem* system, SticArena* arena,
                           SticErrorScale* scale, double* error)
{
    const SticArenaMark mark = stic_arena_mark(arena);
    const SticLayout* layout = &system->layout;
    const SticState at = {step->t, step->begin, step->begin + layout->nq, scale->memory};
    SticMass mass;
    double *moved = NULL, *sizes = NULL;
    STIC_TRY(STIC_TAKE(arena, &moved, layout->nu));
    STIC_TRY(block_sizes(system, arena, &at, scale, &mass, &sizes));
    *error = 0.0;
    for (int32_t i = 0; i < layout->blocks; ++i) {
        double part[2];
        for (int k = 0; k < 2; ++k) {
            as_velocity(layout, i, step->begin, step->error[k], moved);
            part[k] = block_size(&mass, i, step->error[k] + layout->nq) +
                      block_size(&mass, i, moved) / scale->length;
        }
        const double allowed = scale->tolerance * sizes[i];
        const double size = stic_runge_kutta_combine(part[0], part[1]);
        // an error that is not a number stays, whatever the other blocks are
        if (!isnan(*error) && !(size <= *error * allowed))
            *error = size / allowed;
    }
    stic_arena_rewind(arena, mark);
    return STIC_OK;
}

// part of the loads up to which their integrals must be known: instants of events follow from the
// loads themselves, and only have to be seen
#define LOADS 1e-6

SticStatus stic_step_load_error(const SticRungeKutta* step, const SticSystem* system,
                                SticArena* arena, SticErrorScale* scale, const double* load,
                                double* error)
{
    const SticArenaMark mark = stic_arena_mark(arena);
    const SticLayout* layout = &system->layout;
    const size_t nu = (size_t)layout->nu;
    const SticState at = {step->t, step->begin, step->begin + layout->nq, scale->memory};
    bool constant = true;
    for (size_t c = nu; c < STIC_RK_STAGES * nu && constant; ++c)
        constant = load[c] == load[c % nu];
    if (constant)
        return STIC_OK;
    SticMass mass;
    double *sizes = NULL, *estimate[2];
    for (int k = 0; k < 2; ++k) {
        STIC_TRY(STIC_TAKE(arena, &estimate[k], layout->nu));
        stic_runge_kutta_estimate(step, k, layout->nu, load, estimate[k]);
    }
    STIC_TRY(block_sizes(system, arena, &at, scale, &mass, &sizes));
    for (int32_t i = 0; i < layout->blocks; ++i) {
        double most = sizes[i];
        for (int s = 0; s < STIC_RK_STAGES; ++s) {
            const double size = step->h * block_size(&mass, i, load + (size_t)s * nu);
            most = size > most ? size : most;
        }
        const double size = stic_runge_kutta_combine(block_size(&mass, i, estimate[0]),
                                                     block_size(&mass, i, estimate[1]));
        if (!isnan(*error) && !(size <= *error * LOADS * most))
            *error = size / (LOADS * most);
    }
    stic_arena_rewind(arena, mark);
    return STIC_OK;
}
