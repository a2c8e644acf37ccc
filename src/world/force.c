// SPDX-License-Identifier: Apache-2.0
// Forces of the system of a world: constant forces and torques, weight, elasticity, springs.
//
//   rigid          f = (force, R' torque)             V = -m g . x
//   point          f = force                          V = -m g . x
//   pseudo-rigid   f = (force, hat(torque) F^-T / 2)  V = -m g . x + volume psi(F)
//   node           f = load and share of the force    V = -m g . d, and psi of the cells
//
// A torque on a pseudo-rigid body works on its spin, the skew part of Fdot F^-1. Weight has no
// moment about the centre of mass.
//
// Forces p at points Y keep their direction. Their power is the sum of p . (v + Rdot Y), so that
// they enter only through one tensor A, the sum of p (x) Y about the centre of mass: it acts on
// Fdot as it is, and on the spin as the moment of A R', whose entries are p (x) R Y.
#include <math.h>
#include <string.h>

#include "math/math.h"
#include "stiction/extend/base.h"
#include "world/soft.h"

static void turn_force(const SticBlockForm* form, const SticSide* side, SticVec3 torque, double* f)
{
    if (form->nu == 3)
        return;
    if (side->affine) {
        SticMat3 inverse = stic_mat3_zero();
        (void)stic_mat3_inverse(side->R, &inverse);
        const SticMat3 moment = stic_mat3_scale(0.5, stic_mat3_skew(torque));
        stic_mat3_store(stic_mat3_mul_transpose(moment, inverse), f + 3);
        return;
    }
    // omega of the scalable chart is s times the angular velocity
    const double scale = form->chart == STIC_CHART_SCALABLE ? side->s * side->s : side->s;
    const SticVec3 moment = stic_mat3_transpose_mul_vec(side->R, torque);
    stic_vec3_store(stic_vec3_scale(1.0 / scale, moment), f + form->nu - 3);
}

// forces at points: their sum, and their tensor about the centre of mass
static void add_points(const SticBlockForm* form, const SticSide* side, const SticBodySlot* slot,
                       SticVec3 centre, double* f)
{
    for (int k = 0; k < 3; ++k)
        f[k] += stic_vec3_get(slot->pushed, k);
    if (form->nu == 3)
        return;
    const SticMat3 A = stic_mat3_sub(slot->lever, stic_mat3_outer(slot->pushed, centre));
    double turned[12] = {0.0};
    if (side->affine) {
        stic_mat3_store(A, turned);
        for (int k = 0; k < 9; ++k)
            f[3 + k] += turned[k];
        return;
    }
    double B[9];
    stic_mat3_store(stic_mat3_scale(1.0 / side->s, stic_mat3_mul_transpose(A, side->R)), B);
    turn_force(form, side, stic_vec3(B[7] - B[5], B[2] - B[6], B[3] - B[1]), turned);
    for (int k = form->nu - 3; k < form->nu; ++k)
        f[k] += turned[k];
}

SticStatus stic_view_force(const SticSystem* system, const SticState* state, double* f)
{
    const SticView* view = stic_view_of(system);
    STIC_TRY(stic_view_check(view));
    STIC_TRY(stic_view_move(view, state->t, 0.0, 0.0));
    memset(f, 0, (size_t)system->layout.nu * sizeof *f);
    stic_soft_add_loads(view, f);
    for (int32_t i = 0; i < view->blocks; ++i) {
        if (stic_view_is_node(view, i))
            continue;
        const SticBodySlot* slot = &view->world->body[view->body_of[i]];
        stic_vec3_store(slot->def.force, f + view->u_at[i]);
        const bool pushed = stic_mat3_norm(slot->lever) > 0.0 || stic_vec3_norm(slot->pushed) > 0.0;
        // most bodies have nothing but their weight, which is a potential
        if (!pushed && stic_vec3_is_equal(slot->def.torque, stic_vec3_zero()))
            continue;
        const SticBlockForm form = stic_view_form(view, i);
        const SticSide side = stic_view_side(view, state, i, false);
        turn_force(&form, &side, slot->def.torque, f + view->u_at[i]);
        if (pushed)
            add_points(&form, &side, slot, view->mass_of[i].centre, f + view->u_at[i]);
    }
    stic_view_add_actuators(view, state, f);
    stic_view_add_dampers(view, state, f);
    for (int32_t i = 0; view->left_out->asleep != NULL && i < view->blocks; ++i)
        if (stic_view_sleeps(view, i))
            memset(f + view->u_at[i], 0, (size_t)(view->u_at[i + 1] - view->u_at[i]) * sizeof *f);
    return STIC_OK;
}

SticStatus stic_view_damping(const SticSystem* system, const SticState* state, double* f)
{
    const SticView* view = stic_view_of(system);
    STIC_TRY(stic_view_check(view));
    STIC_TRY(stic_view_move(view, state->t, 0.0, 0.0));
    memset(f, 0, (size_t)system->layout.nu * sizeof *f);
    stic_view_add_dampers(view, state, f);
    return STIC_OK;
}

SticStatus stic_view_tangent(const SticSystem* system, const SticState* state, SticArena* arena,
                             SticTerms* terms)
{
    const SticView* view = stic_view_of(system);
    STIC_TRY(stic_view_check(view));
    STIC_TRY(stic_view_move(view, state->t, 0.0, 0.0));
    return stic_view_damper_slopes(view, state, arena, terms);
}

/* ---- potential ---- */

static int32_t term_size(const SticView* view, int32_t term)
{
    int32_t size = 0;
    for (int k = 0; k < 2; ++k) {
        const int32_t block = view->term_block[term][k];
        size += block < 0 ? 0 : stic_view_form(view, block).nq;
    }
    return size;
}

// V of one block; `gradient` [nq] and `hessian` [nq^2] are zero on entry, or NULL
static double block_term(const SticView* view, int32_t block, const double* q, double* gradient,
                         double* hessian)
{
    const SticMassProperties* mass = &view->mass_of[block];
    const SticVec3 slope = stic_vec3_scale(-mass->mass, view->world->gravity);
    double value = stic_vec3_dot(slope, stic_vec3_load(q));
    if (gradient != NULL)
        stic_vec3_store(slope, gradient);
    const SticBodyDef* def = &view->world->body[view->body_of[block]].def;
    if (def->kind != STIC_BODY_PSEUDO_RIGID)
        return value;
    const SticMat3 F = stic_mat3_load(q + 3);
    value += mass->volume * stic_elastic_energy(&def->elastic, F);
    if (gradient != NULL)
        stic_mat3_store(stic_mat3_scale(mass->volume, stic_elastic_stress(&def->elastic, F)),
                        gradient + 3);
    if (hessian != NULL) {
        double K[81];
        stic_elastic_tangent(&def->elastic, F, K);
        for (int r = 0; r < 9; ++r)
            for (int c = 0; c < 9; ++c)
                hessian[12 * (3 + r) + 3 + c] = mass->volume * K[9 * r + c];
    }
    return value;
}

// slopes of the potential do not act on blocks that sleep
static void leave_out(const SticView* view, const SticTerms* terms)
{
    double* slope = terms->gradient;
    for (int32_t k = 0; k < terms->count; ++k)
        for (int side = 0; side < 2; ++side) {
            const int32_t block = terms->block[k][side];
            const int32_t size = block < 0 ? 0 : stic_view_form(view, block).nq;
            if (block >= 0 && stic_view_sleeps(view, block))
                memset(slope, 0, (size_t)size * sizeof *slope);
            slope += size;
        }
}

// room for the terms; gradients and Hessians are zero
static SticStatus take_terms(const SticView* view, int order, SticArena* arena, SticTerms* terms)
{
    *terms = (SticTerms){.count = view->blocks + view->springs,
                         .block = (const int32_t(*)[2])view->term_block};
    size_t slopes = 0, bends = 0;
    for (int32_t k = 0; view->elastics == 0 && k < terms->count; ++k) {
        const size_t size = (size_t)term_size(view, k);
        slopes += size;
        bends += size * size;
    }
    if (view->elastics > 0) {
        *terms =
            (SticTerms){.count = view->terms, .member_at = view->member_at, .member = view->member};
        slopes = (size_t)view->slopes;
        bends = (size_t)view->bends;
    }
    STIC_TRY(STIC_TAKE(arena, &terms->value, terms->count));
    STIC_TRY(STIC_TAKE(arena, &terms->products, terms->count));
    memset(terms->products, 0, (size_t)terms->count * sizeof *terms->products);
    if (order >= 1) {
        STIC_TRY(STIC_TAKE(arena, &terms->gradient, slopes));
        memset(terms->gradient, 0, slopes * sizeof *terms->gradient);
    }
    if (order >= 2) {
        STIC_TRY(STIC_TAKE(arena, &terms->hessian, bends));
        memset(terms->hessian, 0, bends * sizeof *terms->hessian);
    }
    return STIC_OK;
}

// one term per block, then the springs, then the cells of elastic bodies
SticStatus stic_view_potential(const SticSystem* system, const SticState* state, int order,
                               SticArena* arena, SticTerms* terms)
{
    const SticView* view = stic_view_of(system);
    STIC_TRY(stic_view_check(view));
    STIC_TRY(stic_view_move(view, state->t, 0.0, 0.0));
    STIC_TRY(take_terms(view, order, arena, terms));
    double *gradient = terms->gradient, *hessian = terms->hessian;
    for (int32_t i = 0; i < view->blocks; ++i) {
        const int32_t size = term_size(view, i);
        terms->value[i] = block_term(view, i, state->q + view->q_at[i], gradient, hessian);
        gradient = gradient == NULL ? NULL : gradient + size;
        hessian = hessian == NULL ? NULL : hessian + size * size;
    }
    stic_view_add_springs(view, state, terms, gradient, hessian);
    for (int32_t k = 0; k < view->springs; ++k) {
        const int32_t size = term_size(view, view->blocks + k);
        gradient = gradient == NULL ? NULL : gradient + size;
        hessian = hessian == NULL ? NULL : hessian + size * size;
    }
    SticTerms at = {.value = terms->value + view->blocks + view->springs,
                    .gradient = gradient,
                    .hessian = hessian};
    for (int32_t k = 0; k < view->elastics; ++k)
        STIC_TRY(stic_solid_add_cells(view->elastic[k].solid, state, arena, &at));
    if (order >= 1 && view->left_out->asleep != NULL)
        leave_out(view, terms);
    return STIC_OK;
}

/* ---- discrete derivative ---- */

// terms that schemes derive themselves: springs and bodies with one gradient; weight is linear
static SticStatus mark_open(const SticView* view, SticArena* arena, SticTerms* terms)
{
    uint8_t* open = NULL;
    bool any = view->springs > 0;
    STIC_TRY(STIC_TAKE(arena, &open, terms->count));
    for (int32_t k = 0; k < terms->count; ++k) {
        const bool spring = k >= view->blocks && k < view->blocks + view->springs;
        open[k] = spring || (k < view->blocks && view->world->body[view->body_of[k]].def.kind ==
                                                     STIC_BODY_PSEUDO_RIGID);
        any = any || open[k] != 0;
    }
    terms->open = any ? open : NULL;
    return STIC_OK;
}

SticStatus stic_view_discrete(const SticSystem* system, const SticState* begin,
                              const SticState* end, SticArena* arena, SticTerms* terms)
{
    const SticView* view = stic_view_of(system);
    const SticState* const ends[2] = {begin, end};
    const int32_t first = view->blocks + view->springs;
    SticState middle = {.t = begin->t, .u = begin->u, .memory = begin->memory};
    STIC_TRY(STIC_TAKE(arena, &middle.q, system->layout.nq));
    for (int32_t c = 0; c < system->layout.nq; ++c)
        middle.q[c] = 0.5 * (begin->q[c] + end->q[c]);
    STIC_TRY(stic_view_potential(system, &middle, 2, arena, terms));
    double *gradient = terms->gradient, *value = terms->value + first;
    for (int32_t k = 0; k < first; ++k) {
        terms->value[k] = fabs(terms->value[k]);
        for (int32_t m = view->member_at[k]; m < view->member_at[k + 1]; ++m)
            gradient += view->q_at[view->member[m] + 1] - view->q_at[view->member[m]];
    }
    for (int32_t k = 0; k < view->elastics; ++k) {
        const SticSolid* solid = view->elastic[k].solid;
        STIC_TRY(stic_solid_put_between(solid, ends, arena, value, &gradient));
        value += solid->mesh.cells;
    }
    for (int64_t k = 0; k < view->bends; ++k)
        terms->hessian[k] *= 0.5;
    return mark_open(view, arena, terms);
}

/* ---- stability ---- */

SticStatus stic_view_limit(const SticSystem* system, const SticState* state, double h, double* step)
{
    const SticView* view = stic_view_of(system);
    STIC_TRY(stic_view_check(view));
    *step = INFINITY;
    for (int32_t k = 0; k < view->elastics; ++k)
        if (view->elastic[k].solid->system.step_limit < *step)
            *step = view->elastic[k].solid->system.step_limit;
    for (int32_t i = 0; i < view->blocks; ++i) {
        const SticBodyDef* def = &view->world->body[view->body_of[i]].def;
        const SticMassProperties* mass = &view->mass_of[i];
        if (def->kind != STIC_BODY_PSEUDO_RIGID)
            continue;
        const SticMat3 F = stic_mat3_load(state->q + view->q_at[i] + 3);
        double limit = stic_elastic_step_bound(&def->elastic, mass->volume, mass->euler,
                                               system->step_limit, F);
        if (limit < h)
            limit = stic_elastic_step(&def->elastic, mass->volume, mass->euler, F);
        *step = limit < *step ? limit : *step;
    }
    return STIC_OK;
}
