// SPDX-License-Identifier: Apache-2.0
// Quasi-static scheme by implicit Euler with zero velocity at the start of each step (Koziara 5.3).
//
//   A u' = h f(t+h, q) + H R,   A = M + h^2 K(q),   q' = q + h u'
//   contact law on U' + max(0, g)/h: open gaps are closed exactly, penetration is not pushed out
//   (10.1.67); joints on U' (+ g/h, so that their drift is removed)
//
// K is the Hessian of the potential within each block; H and the contacts are those of the
// beginning. The mass acts as a numerical damping only: the result tends to equilibrium as steps
// are repeated.
#include "step/parts.h"
#include "step/schemes.h"

#include <math.h>
#include <string.h>

#include "stiction/math.h"

// A = M + h^2 K on the blocks of the mass, with inverses
static SticStatus effective_mass(SticStepper* stepper, const SticSystem* system,
                                 const SticState* from, double h, SticMass* mass)
{
    const SticLayout* layout = &system->layout;
    SticArena* arena = stepper->arena;
    SticTerms terms;
    SticBlockCsr *A = NULL, *inverse = NULL;
    double *value = NULL, *inverse_value = NULL;
    STIC_TRY(system->ops->mass(system, from, arena, mass));
    const SticBlockCsr* M = mass->A;
    const int64_t values = M->value_at[M->begin[M->rows]];
    STIC_TRY(STIC_TAKE(arena, &A, 1));
    STIC_TRY(STIC_TAKE(arena, &inverse, 1));
    STIC_TRY(STIC_TAKE(arena, &value, values));
    STIC_TRY(STIC_TAKE(arena, &inverse_value, values));
    memcpy(value, M->value, (size_t)values * sizeof *value);
    STIC_TRY(system->ops->potential(system, from, 2, arena, &terms));
    const double* hessian = terms.hessian;
    for (int32_t k = 0; k < terms.count; ++k) {
        const int32_t a = terms.block[k][0], b = terms.block[k][1];
        const int32_t n = layout->q_at[a + 1] - layout->q_at[a];
        const int32_t size = n + (b < 0 ? 0 : layout->q_at[b + 1] - layout->q_at[b]);
        double* block = value + M->value_at[M->begin[a]];
        for (int32_t r = 0; r < n; ++r)
            for (int32_t c = 0; c < n; ++c)
                block[r * n + c] += h * h * hessian[r * size + c];
        hessian += size * size;
    }
    *A = *inverse = *M;
    A->value = value;
    inverse->value = inverse_value;
    for (int32_t i = 0; i < M->rows; ++i)
        STIC_TRY(stic_dense_spd_inverse(M->row_at[i + 1] - M->row_at[i],
                                        value + M->value_at[M->begin[i]],
                                        inverse_value + M->value_at[M->begin[i]]));
    *mass = (SticMass){.kind = STIC_MASS_BLOCKS, .A = A, .inverse = inverse};
    return STIC_OK;
}

static void shift_rows(const SticSet* set, const double* gap, double h, double* shift)
{
    for (int32_t i = 0; i < set->count; ++i) {
        const SticInteraction* interaction = &set->interaction[i];
        const int32_t at = set->row_at[i];
        if (interaction->level == STIC_LEVEL_CONTACT)
            shift[at] = gap[at] > 0.0 ? gap[at] / h : 0.0;
        for (int32_t k = 0; interaction->level == STIC_LEVEL_POSITION && k < interaction->rows; ++k)
            shift[at + k] = gap[at + k] / h;
    }
}

SticStatus stic_quasistatic_advance(SticStepper* stepper, const SticSystem* system,
                                    const SticState* from, double t_to, SticState* to,
                                    SticStepInfo* info)
{
    SticArena* arena = stepper->arena;
    const SticLayout* layout = &system->layout;
    const double h = t_to - from->t;
    double *force = NULL, *rest = NULL;
    STIC_TRY(STIC_TAKE(arena, &force, layout->nu));
    STIC_TRY(STIC_TAKE(arena, &rest, layout->nu));
    memset(rest, 0, (size_t)layout->nu * sizeof *rest);

    // forces at the end of the step, geometry of its beginning, no velocity
    const SticState at = {t_to, from->q, rest, from->memory};
    SticMass mass;
    SticDirections d;
    const SticStatus status = effective_mass(stepper, system, from, h, &mass);
    if (status == STIC_SINGULAR)
        return stic_error_set(&info->error, status,
                              "scheme 'quasi-static': M + h^2 K of a block of system '%s' is not "
                              "positive definite at t = %g; take steps shorter than %g",
                              system->name, from->t, h);
    STIC_TRY(status);
    STIC_TRY(stic_system_force(system, &at, arena, force));
    STIC_TRY(stic_directions_detect(stepper, system, &at, INFINITY, &d));
    STIC_TRY(stic_directions_measure(stepper, system, &at,
                                     STIC_WANT_GAP | STIC_WANT_CHI | STIC_WANT_H, NULL, &d));
    stic_parts_count(&d, info);
    for (int32_t c = 0; c < layout->nu; ++c)
        force[c] *= h;

    SticProblem laws;
    double *shift = NULL, *r = NULL, *moved = NULL;
    STIC_TRY(stic_parts_problem(stepper, &d, h, &laws, &shift));
    STIC_TRY(STIC_TAKE(arena, &r, d.set.rows));
    STIC_TRY(STIC_TAKE(arena, &moved, d.set.rows));
    shift_rows(&d.set, d.measures.gap, h, shift);
    const SticStage stage = {&d, &mass, force, &laws, from->memory};
    STIC_TRY(stic_parts_stage(stepper, &stage, r, to->u, info));
    stic_parts_drift(layout, from->q, to->u, h, to->q);
    to->t = t_to;

    // the ledger of a quasi-static step: reactions and loads work on the displacement h u'
    stic_directions_velocity(&d, to->u, moved);
    stic_ledger_add_reactions(&d.set, r, moved, &info->ledger);
    stic_ledger_add_prescribed(d.set.rows, r, d.measures.chi, 1.0, &info->ledger);
    for (int32_t c = 0; c < layout->nu; ++c)
        rest[c] = h * to->u[c];
    STIC_TRY(stic_ledger_add_applied(stepper, system, &at, rest, &info->ledger));
    STIC_TRY(stic_ledger_close(stepper, system, from, to, &info->ledger));
    stic_parts_record(stepper, &d, r, &at, h);
    return stic_parts_remember(&d.set, h, r, to->memory);
}
