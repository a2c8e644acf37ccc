// SPDX-License-Identifier: Apache-2.0
// Moreau and Jean's time stepping: explicit forces (Acary and Cadoux 4.17) and the theta method.
//
//   theta = 0          M (v' - v) = h F(t, q, v) + H r             q' = q + h v'
//   theta in [1/2, 1]  M (v' - v) = h (theta F' + (1-theta) F) + H r
//                      q' = q + h w,  w = theta v' + (1-theta) v
//
//   contacts   law on gaps (gap_law.c): the points q + (1-theta) h v move on by h v' from step to
//              step, so that contacts are looked for there, with their gaps g, and g/h + u' >= 0;
//              directions at q moved by theta h w leave (1-theta)/theta (u_theta - u_B) until the
//              end of the step. Law on velocities: u' + e u, with u = H v of the beginning; those
//              whose gap is not positive at the beginning take part (current), or half a step
//              ahead at the velocity v (predicted)
//   joints     on the velocity that moves q: theta u' + (1-theta) u = 0; with theta = 0 on u'
//   H          frozen: at the beginning, with the contacts' own places; iterated: at q moved by
//              theta h w, found with v'
//
// F holds applied and potential forces, F' = F(t', q', v'). Gyroscopic ones are those of w: with
// theta = 1/2 they do no work, however much an impact changes the velocity (the mean of both ends
// would create energy). With theta = 0 they belong to F. Implicit steps are solved by Newton on v'
// with the laws inside (SticImplicit); the Jacobian is M + theta^2 h^2 K - theta h dF/dv
// (tangent.h), with the blocks between bodies where springs or dampers couple them. Quaternions
// move by the Cayley map, rotation matrices by the exponential: theta = 1/2 with iterated H is of
// second order where motion is smooth, all others of first. Linear oscillations are stable for
// every h if theta >= 1/2, and damped if it is larger; theta = 0 needs omega h < 2. The mass is
// that of the beginning.
#include <math.h>
#include <string.h>

#include "math/math.h"
#include "problem/mass.h"
#include "step/gap_law.h"
#include "step/momentum.h"
#include "step/parts.h"
#include "step/schemes.h"
#include "step/stray.h"
#include "step/tangent.h"
#include "stiction/extend/base.h"
#include "stiction/extend/sparse.h"
#include "stiction/extend/vec3.h"

typedef enum Activation { CURRENT, PREDICTED } Activation;

typedef struct ThetaSettings {
    double theta;
    int32_t activation;
    bool iterate;
    int32_t max_newton;
    double newton_tolerance;
} ThetaSettings;

static const char* const activation_names[] = {"current", "predicted", NULL};
static const SticField fields[] = {
    STIC_FIELD_REAL(ThetaSettings, theta, 0.5, 0.0, 1.0, "-",
                    "weight of the forces of the end, at least 1/2; 0: explicit forces"),
    STIC_FIELD_PICK(ThetaSettings, activation, PREDICTED, 1, activation_names,
                    "gaps that decide which contacts take part with the law on velocities: of the "
                    "beginning, or half a step ahead"),
    STIC_FIELD_FLAG(ThetaSettings, iterate, true,
                    "directions found with the end of the step instead of those of its beginning"),
    STIC_FIELD_COUNT(ThetaSettings, max_newton, 50, 1, 1000, "-", "iterations of a step"),
    STIC_FIELD_REAL(ThetaSettings, newton_tolerance, 1e-12, 1e-15, 1.0, "-",
                    "relative change of the velocities that ends them"),
};
const SticFieldTable stic_theta_fields = {
    "theta", fields, (int32_t)(sizeof fields / sizeof fields[0]), sizeof(ThetaSettings)};

/// One step on its way.
typedef struct Motion {
    SticStepper* stepper;
    const SticSystem* system;
    const ThetaSettings* settings;
    const SticState* from;
    double h, theta;
    SticMass mass;
    SticDirections directions;
    SticProblem laws;
    double* shift;                  // [rows] of the laws
    double* open;                   // [rows] gaps where contacts were detected
    double *chi_begin, *chi_end;    // [rows] at the ends of the step; of joints: where q moves
    double *before, *relative;      // [rows]
    SticBondStart bonds;            // of the beginning
    SticGapLaw law;                 // with the law on gaps
    double* allowance;              // [count] of it
    double* force;                  // [nu] F of the beginning
    SticState end, at;              // q', and where directions are measured
    double *w, *residual, *scratch; // [nu]
    SticTangent tangent;
    double rounding; // of velocities, in the norm of the mass
    double last;     // change of the last iteration, in that norm
} Motion;

/* ---- coordinates ---- */

// q moved by the time h at the velocity w, to second order
static void move_block(SticChart chart, int32_t n, const double* q, const double* w, double h,
                       double* to)
{
    if (chart != STIC_CHART_QUATERNION) {
        stic_chart_drift(chart, n, q, w, h, to);
        return;
    }
    for (int k = 0; k < 3; ++k)
        to[k] = q[k] + h * w[k];
    stic_quat_store(stic_rotation_cayley(stic_quat_load(q + 3), stic_vec3_load(w + 3), h), to + 3);
    stic_chart_normalize(chart, to);
}

static void move(const Motion* m, const double* w, double h, double* to)
{
    const SticLayout* layout = &m->system->layout;
    for (int32_t i = 0; i < layout->blocks; ++i)
        move_block((SticChart)layout->chart[i], layout->u_at[i + 1] - layout->u_at[i],
                   m->from->q + layout->q_at[i], w + layout->u_at[i], h, to + layout->q_at[i]);
}

/* ---- directions ---- */

static bool has_gap_law(const Motion* m)
{
    return m->stepper->law == STIC_CONTACT_LAW_GAP;
}

// where contacts are looked for: q_B + (1-theta) h v moves on by h v' from step to step
static SticStatus find_look(const Motion* m, SticState* look)
{
    const SticState* from = m->from;
    *look = (SticState){from->t, from->q, from->u, from->memory};
    const double ahead = has_gap_law(m)                         ? 1.0 - m->theta
                         : m->settings->activation == PREDICTED ? 0.5
                                                                : 0.0;
    if (ahead == 0.0)
        return STIC_OK;
    STIC_TRY(STIC_TAKE(m->stepper->arena, &look->q, m->system->layout.nq));
    move(m, from->u, ahead * m->h, look->q);
    look->t += ahead * m->h;
    return STIC_OK;
}

// gaps where contacts are looked for, everything else at the beginning
static SticStatus measure_set(Motion* m, const SticState* look)
{
    SticArena* arena = m->stepper->arena;
    STIC_TRY(stic_directions_prepare(m->stepper, m->system, &m->directions));
    STIC_TRY(
        stic_directions_measure(m->stepper, m->system, look, STIC_WANT_GAP, NULL, &m->directions));
    const int32_t rows = m->directions.set.rows;
    STIC_TRY(STIC_TAKE(arena, &m->open, rows));
    memcpy(m->open, m->directions.measures.gap, (size_t)rows * sizeof *m->open);
    STIC_TRY(stic_directions_measure(m->stepper, m->system, m->from,
                                     STIC_WANT_GAP | STIC_WANT_CHI | STIC_WANT_H, NULL,
                                     &m->directions));
    STIC_TRY(STIC_TAKE(arena, &m->chi_begin, rows));
    STIC_TRY(STIC_TAKE(arena, &m->chi_end, rows));
    STIC_TRY(STIC_TAKE(arena, &m->before, rows));
    return STIC_TAKE(arena, &m->relative, rows);
}

// the law on gaps for the set at hand; `added` is what forces add to the velocities. It is chosen
// along the directions of the beginning, where it is the one of leapfrog.c up to what turns since.
static SticStatus choose_law(Motion* m, const double* added, bool* all)
{
    SticArena* arena = m->stepper->arena;
    const SticSet* set = &m->directions.set;
    double *gain = NULL, *r = NULL;
    STIC_TRY(STIC_TAKE(arena, &gain, set->rows));
    STIC_TRY(STIC_TAKE(arena, &r, set->rows));
    stic_parts_warm_start(set, m->from->memory, r);
    m->law = (SticGapLaw){.set = set,
                          .h = m->h,
                          .until = stic_gap_law_until(m->stepper, m->h, m->theta),
                          .share = m->theta > 0.0 ? (1.0 - m->theta) / m->theta : 0.0,
                          .gap = m->open,
                          .before = m->before,
                          .gain = gain,
                          .r = r};
    *all = true;
    if (set->rows == 0)
        return STIC_OK;
    stic_block_csr_multiply(1.0, &m->directions.Ht, added, 0.0, gain);
    stic_directions_velocity(&m->directions, m->from->u, m->before);
    STIC_TRY(stic_gap_law_start(m->stepper, m->system, &m->directions, m->from, &m->law));
    return stic_gap_law_choose(&m->law, m->system->layout.blocks, arena, all);
}

static SticStatus detect_closing(Motion* m, const SticState* look, SticStepInfo* info)
{
    SticArena* arena = m->stepper->arena;
    const int32_t nu = m->system->layout.nu;
    double *added = NULL, *free = NULL;
    bool all = true;
    STIC_TRY(STIC_TAKE(arena, &added, nu));
    STIC_TRY(STIC_TAKE(arena, &free, nu));
    stic_mass_divide(&m->mass, m->force, added);
    for (int32_t c = 0; c < nu; ++c) {
        added[c] *= m->h;
        free[c] = m->from->u[c] + added[c];
    }
    struct SticStray* stray = m->stepper->stray;
    const double until = stic_gap_law_until(m->stepper, m->h, m->theta);
    const SticReach reach = {.time = until, .u = free, .change = stic_stray_change(stray, added)};
    STIC_TRY(m->system->ops->detect(m->system, look, &reach, arena, &m->directions.set));
    stic_stray_note(&m->directions.set, m->h / until, info);
    STIC_TRY(measure_set(m, look));
    STIC_TRY(choose_law(m, added, &all));
    STIC_TRY(stic_gap_law_leave(m->system, look, arena, &m->law, &all));
    if (!all) {
        SticSet part;
        STIC_TRY(stic_parts_keep(arena, &m->directions.set, m->law.role, &part));
        m->directions = (SticDirections){.set = part};
        STIC_TRY(measure_set(m, look));
        STIC_TRY(choose_law(m, added, &all));
    }
    stic_stray_leave(
        stray, &(struct SticStray){m->directions.set, free, added, until - m->theta * m->h, NULL});
    return STIC_OK;
}

// which interactions take part, and where they are measured at first
static SticStatus detect(Motion* m, SticStepInfo* info)
{
    SticState look;
    STIC_TRY(find_look(m, &look));
    if (has_gap_law(m)) {
        STIC_TRY(detect_closing(m, &look, info));
    } else {
        const SticReach closed = {.gap = 0.0};
        STIC_TRY(m->system->ops->detect(m->system, &look, &closed, m->stepper->arena,
                                        &m->directions.set));
        STIC_TRY(measure_set(m, &look));
        stic_parts_count(&m->directions, info);
    }
    STIC_TRY(stic_parts_problem(m->stepper, &m->directions, m->h, &m->laws, &m->shift));
    return stic_parts_bonds(m->stepper, m->system, m->from, &m->directions.set, &m->bonds);
}

static SticStatus measure_chi(Motion* m, const SticState* at, double lead, double* chi)
{
    return stic_directions_chi(m->stepper, m->system, &m->directions, at, lead, chi);
}

// velocities of prescribed motions at the ends; a joint sees that of the time where q moves
static SticStatus find_chi(Motion* m, const SticState* at)
{
    const SticSet* set = &m->directions.set;
    const double* own = m->directions.measures.chi;
    const size_t bytes = (size_t)set->rows * sizeof *own;
    if (set->rows == 0)
        return STIC_OK;
    memcpy(m->chi_begin, own, bytes);
    memcpy(m->chi_end, own, bytes);
    // (4.17) takes the motion of the beginning
    if (m->theta == 0.0 || (m->system->offers & STIC_OFFERS_SCLERONOMIC) != 0)
        return STIC_OK;
    const double t = m->from->t, middle = t + m->theta * m->h - at->t;
    STIC_TRY(measure_chi(m, at, t - at->t, m->chi_begin));
    STIC_TRY(measure_chi(m, at, t + m->h - at->t, m->chi_end));
    STIC_TRY(measure_chi(m, at, middle, m->relative));
    for (int32_t i = 0; i < set->count; ++i)
        for (int32_t row = set->row_at[i];
             set->interaction[i].level == STIC_LEVEL_POSITION && row < set->row_at[i + 1]; ++row)
            m->chi_begin[row] = m->chi_end[row] = m->relative[row];
    return STIC_OK;
}

// H' u + chi
static void velocity_of(const Motion* m, const double* u, const double* chi, double* relative)
{
    const int32_t rows = m->directions.set.rows;
    if (rows == 0)
        return;
    memcpy(relative, chi, (size_t)rows * sizeof *relative);
    stic_block_csr_multiply(1.0, &m->directions.Ht, u, 1.0, relative);
}

// shifts of the law on velocities
static void shift_velocities(Motion* m, double share)
{
    const SticSet* set = &m->directions.set;
    stic_parts_restitution(set, m->before, m->shift);
    stic_parts_close_gaps(set, m->open, m->h, m->from->memory, m->shift);
    for (int32_t i = 0; i < set->count; ++i)
        for (int32_t row = set->row_at[i];
             set->interaction[i].level == STIC_LEVEL_POSITION && row < set->row_at[i + 1]; ++row)
            m->shift[row] = share * m->before[row];
}

// shifts of the laws for the directions at hand
static SticStatus shift_laws(Motion* m, const SticState* at)
{
    const SticSet* set = &m->directions.set;
    STIC_TRY(find_chi(m, at));
    velocity_of(m, m->from->u, m->chi_begin, m->before);
    // clear first: gaps are added to what is there, in every iteration
    if (set->rows > 0)
        memset(m->shift, 0, (size_t)set->rows * sizeof *m->shift);
    const double share = m->theta > 0.0 ? (1.0 - m->theta) / m->theta : 0.0;
    if (has_gap_law(m))
        stic_gap_law_shift(&m->law, m->shift);
    else
        shift_velocities(m, share);
    stic_parts_bond_shift(set, &m->bonds, m->before, (const double[]){share, 1.0 / m->h}, m->shift);
    return STIC_OK;
}

/* ---- implicit steps ---- */

// add theta h d(omega x J omega)/d omega to a rotating block
static void add_gyro(const double* mass, const double* omega, double factor, double* block)
{
    const SticVec3 w = stic_vec3_load(omega);
    SticMat3 J;
    for (int r = 0; r < 3; ++r)
        for (int c = 0; c < 3; ++c)
            J.m[r][c] = mass[(3 + r) * 6 + 3 + c];
    const SticMat3 slope =
        stic_mat3_sub(stic_mat3_mul(stic_mat3_skew(w), J), stic_mat3_skew(stic_mat3_mul_vec(J, w)));
    for (int r = 0; r < 3; ++r)
        for (int c = 0; c < 3; ++c)
            block[(3 + r) * 6 + 3 + c] += factor * slope.m[r][c];
}

// M + theta^2 h^2 K - theta h dF/dv, ready to solve with
static SticStatus build_jacobian(Motion* m)
{
    const SticLayout* layout = &m->system->layout;
    const SticBlockCsr* A = m->mass.A;
    STIC_TRY(stic_tangent_fill(m->stepper, m->system, &m->end, &m->tangent));
    for (int32_t i = 0; i < layout->blocks; ++i) {
        const int64_t at = A->value_at[A->begin[i]];
        if (layout->chart[i] == STIC_CHART_QUATERNION || layout->chart[i] == STIC_CHART_ROTATION)
            add_gyro(A->value + at, m->w + layout->u_at[i] + 3, m->theta * m->h,
                     m->tangent.value + at);
    }
    return stic_tangent_finish(m->stepper, m->system, &m->end, m->directions.set.rows, &m->tangent);
}

// tangent at v' = x: J dx = -residual + H r, laws on H'(x + dx) + chi
static SticStatus tangent_at(void* self, const double* x, SticArena* arena, SticProblem* tangent)
{
    Motion* m = self;
    const int32_t nu = m->system->layout.nu;
    (void)arena;
    for (int32_t c = 0; c < nu; ++c)
        m->w[c] = m->theta * x[c] + (1.0 - m->theta) * m->from->u[c];
    move(m, m->w, m->h, m->end.q);
    memcpy(m->end.u, x, (size_t)nu * sizeof *x);
    move(m, m->w, m->theta * m->h, m->at.q);
    if (m->settings->iterate && m->directions.set.rows > 0) {
        STIC_TRY(stic_directions_measure(m->stepper, m->system, &m->at,
                                         STIC_WANT_GAP | STIC_WANT_CHI | STIC_WANT_H, NULL,
                                         &m->directions));
        STIC_TRY(shift_laws(m, &m->at));
    }

    // h (theta F' + (1-theta) F + gyro(w)) - M (x - v)
    STIC_TRY(stic_system_force(m->system, &m->end, m->stepper->arena, m->residual));
    for (int32_t c = 0; c < nu; ++c) {
        m->residual[c] = m->theta * m->residual[c] + (1.0 - m->theta) * m->force[c];
        m->scratch[c] = m->from->u[c] - x[c];
    }
    const SticState middle = {m->at.t, m->at.q, m->w, m->from->memory};
    STIC_TRY(stic_system_add_gyro(m->system, &middle, &m->mass, m->stepper->arena, m->residual));
    for (int32_t c = 0; c < nu; ++c)
        m->residual[c] *= m->h;
    stic_block_csr_multiply(1.0, m->mass.A, m->scratch, 1.0, m->residual);
    STIC_TRY(build_jacobian(m));
    velocity_of(m, x, m->chi_end, m->relative);
    *tangent = m->laws;
    tangent->dof = nu;
    tangent->M = &m->tangent.mass;
    tangent->Ht = &m->directions.Ht;
    tangent->f = m->residual;
    tangent->w = m->relative;
    return STIC_OK;
}

static double mass_norm(const Motion* m, const double* x)
{
    double sum = 0.0;
    stic_block_csr_multiply(1.0, m->mass.A, x, 0.0, m->scratch);
    for (int32_t c = 0; c < m->system->layout.nu; ++c)
        sum += x[c] * m->scratch[c];
    return sqrt(sum < 0.0 ? 0.0 : sum);
}

// the velocity that the rounding of q amounts to within a step, in the norm of the mass: where
// forces are stiff, v' is not known better
static double rounding_of(const Motion* m)
{
    const SticLayout* layout = &m->system->layout;
    for (int32_t i = 0; i < layout->blocks; ++i) {
        const double* q = m->from->q + layout->q_at[i];
        const int32_t n = layout->u_at[i + 1] - layout->u_at[i];
        // angles are of the size 1
        const bool turns =
            layout->chart[i] != STIC_CHART_LINEAR && layout->chart[i] != STIC_CHART_GENERAL;
        for (int32_t c = 0; c < n; ++c)
            m->w[layout->u_at[i] + c] = STIC_ROUNDING * (turns && c >= 3 ? 1.0 : fabs(q[c])) / m->h;
    }
    return mass_norm(m, m->w);
}

static SticStatus advance_by(void* self, const double* r, double* x, SticImplicitChange* change)
{
    Motion* m = self;
    memcpy(m->scratch, m->residual, (size_t)m->system->layout.nu * sizeof *m->scratch);
    if (m->directions.set.rows > 0)
        stic_block_csr_multiply_transpose(1.0, &m->directions.Ht, r, 1.0, m->scratch);
    STIC_TRY(stic_mass_solve(&m->tangent.mass, m->scratch, m->w));
    for (int32_t c = 0; c < m->system->layout.nu; ++c)
        x[c] += m->w[c];
    const double moved = mass_norm(m, m->w), old = mass_norm(m, m->from->u), now = mass_norm(m, x);
    // reactions that hold a body at rest are as exact as the velocity that they take away
    STIC_TRY(stic_mass_solve(&m->tangent.mass, m->residual, m->w));
    const double driven = m->directions.set.rows > 0 ? mass_norm(m, m->w) : 0.0;
    double size = old > now ? old : now;
    size = size > driven ? size : driven;
    // where changes fall by a constant factor, their sum is still to come
    const double rate = m->last > moved ? moved / m->last : 0.0;
    const double left = rate > 0.5 ? moved * rate / (1.0 - rate) : moved;
    m->last = moved;
    *change = (SticImplicitChange){.size = size > 0.0    ? left / size
                                           : moved > 0.0 ? 1.0
                                                         : 0.0,
                                   .floor = size > 0.0 ? 4.0 * m->rounding / size : 0.0};
    return STIC_OK;
}

static SticStatus implicit_step(Motion* m, double* r, SticState* to, SticStepInfo* info)
{
    const SticLayout* layout = &m->system->layout;
    SticArena* arena = m->stepper->arena;
    m->end = (SticState){.t = m->from->t + m->h, .memory = m->from->memory};
    m->at = (SticState){.t = m->from->t + m->theta * m->h, .memory = m->from->memory};
    STIC_TRY(STIC_TAKE(arena, &m->end.q, layout->nq));
    STIC_TRY(STIC_TAKE(arena, &m->end.u, layout->nu));
    STIC_TRY(STIC_TAKE(arena, &m->at.q, layout->nq));
    m->at.u = m->from->u;
    const SticTangentWeights weights = {m->theta * m->theta * m->h * m->h, m->theta * m->h};
    STIC_TRY(stic_tangent_create(m->stepper, m->mass.A, weights, &m->tangent));
    m->rounding = rounding_of(m);
    stic_parts_warm_start(&m->directions.set, m->from->memory, r);
    memcpy(to->u, m->from->u, (size_t)layout->nu * sizeof *to->u);
    const SticImplicit implicit = {.self = m,
                                   .linearise = tangent_at,
                                   .advance = advance_by,
                                   .arena = arena,
                                   .max_iterations = m->settings->max_newton,
                                   .tolerance = m->settings->newton_tolerance};
    STIC_TRY(stic_parts_implicit(m->stepper, &implicit, to->u, r, info));
    for (int32_t c = 0; c < layout->nu; ++c)
        m->w[c] = m->theta * to->u[c] + (1.0 - m->theta) * m->from->u[c];
    move(m, m->w, m->h, to->q);
    return STIC_OK;
}

/* ---- explicit steps ---- */

static SticStatus explicit_step(Motion* m, double* r, SticState* to, SticStepInfo* info)
{
    // M v' = M v + h F + H r
    memcpy(m->residual, m->force, (size_t)m->system->layout.nu * sizeof *m->residual);
    stic_mass_multiply(&m->mass, m->from->u, m->h, m->residual);
    const SticStage stage = {&m->directions, &m->mass,        m->residual,
                             &m->laws,       m->from->memory, NULL};
    STIC_TRY(stic_parts_stage(m->stepper, &stage, r, to->u, info));
    move(m, to->u, m->h, to->q);
    return STIC_OK;
}

/* ---- the step ---- */

// the promise on momentum: forces of both ends and reactions of what does not move explain it
static SticStatus judge_momentum(Motion* m, const double* r, const SticState* to,
                                 SticStepInfo* info)
{
    const SticSystem* system = m->system;
    SticMomentum momentum = {.size = 0.0};
    SticOutside outside = {.size = 0.0};
    stic_momentum_outside(&m->directions, r, &outside);
    stic_momentum_take(&outside, &momentum);
    for (int side = 0; system->size != NULL && side < 2; ++side) {
        const SticState* at = side == 0 ? m->from : to;
        STIC_TRY(stic_system_force(system, at, m->stepper->arena, m->scratch));
        stic_momentum_explain(system, m->scratch, (side == 0 ? 1.0 - m->theta : m->theta) * m->h,
                              &momentum);
        stic_momentum_add(system, &m->mass, at->u, side == 0 ? -1.0 : 1.0, &momentum);
    }
    info->violation[STIC_PROMISE_MOMENTUM] =
        stic_momentum_missed(system, &momentum, m->stepper->passed);
    return STIC_OK;
}

// reactions work on the mean relative velocity, forces of both ends on the mean velocity
static SticStatus close_step(Motion* m, const double* r, SticState* to, SticStepInfo* info)
{
    const SticSet* set = &m->directions.set;
    double* moved = m->scratch;
    velocity_of(m, to->u, m->chi_end, m->relative);
    SticReactions reactions = {.r = r, .h = m->h};
    SticProblem problem = m->laws;
    problem.M = &m->mass;
    problem.Ht = &m->directions.Ht;
    STIC_TRY(stic_parts_opening(m->stepper, &problem, m->relative, &reactions.opens));
    for (int32_t row = 0; row < set->rows; ++row) {
        m->relative[row] = 0.5 * (m->relative[row] + m->before[row]);
        m->chi_end[row] = 0.5 * (m->chi_begin[row] + m->chi_end[row]);
    }
    STIC_TRY(stic_ledger_add_reactions(m->stepper, set, r, m->relative, &info->ledger));
    stic_ledger_add_prescribed(set->rows, r, m->chi_end, 1.0, &info->ledger);
    for (int side = 0; side < 2; ++side) {
        const double share = side == 0 ? 1.0 - m->theta : m->theta;
        for (int32_t c = 0; c < m->system->layout.nu; ++c)
            moved[c] = 0.5 * share * m->h * (m->from->u[c] + to->u[c]);
        if (share > 0.0)
            STIC_TRY(stic_ledger_add_applied(m->stepper, m->system, side == 0 ? m->from : to, moved,
                                             &info->ledger));
    }
    STIC_TRY(stic_ledger_close(m->stepper, m->system, m->from, to, &info->ledger));
    const bool moved_on = m->theta > 0.0 && m->settings->iterate;
    if (has_gap_law(m))
        STIC_TRY(stic_gap_law_count(&m->law, r, m->stepper->arena, &m->allowance, info));
    stic_parts_record(m->stepper, &m->directions, r, moved_on ? &m->at : m->from, m->h);
    if (m->stepper->record != NULL && m->stepper->record->filled) {
        m->stepper->record->allowance = m->allowance;
        m->stepper->record->last = m->law.r;
    }
    return stic_parts_remember(set, &reactions, to->memory);
}

SticStatus stic_theta_advance(SticStepper* stepper, const SticSystem* system, const SticState* from,
                              double t_to, SticState* to, SticStepInfo* info)
{
    STIC_ASSERT(from != to);
    STIC_ASSERT(t_to > from->t);
    const ThetaSettings* settings = stepper->settings;
    const int32_t nu = system->layout.nu;
    Motion m = {.stepper = stepper,
                .system = system,
                .settings = settings,
                .from = from,
                .h = t_to - from->t,
                .theta = settings->theta};
    if (m.theta > 0.0 && m.theta < 0.5)
        return stic_error_set(&info->error, STIC_BAD_ARGUMENT,
                              "scheme 'theta': theta is 0 (explicit forces) or in [1/2, 1], not %g",
                              m.theta);
    if (m.theta == 0.0)
        STIC_TRY(stic_parts_check_step(system, from, m.h, true, info));
    STIC_TRY(STIC_TAKE(stepper->arena, &m.force, nu));
    STIC_TRY(STIC_TAKE(stepper->arena, &m.w, nu));
    STIC_TRY(STIC_TAKE(stepper->arena, &m.residual, nu));
    STIC_TRY(STIC_TAKE(stepper->arena, &m.scratch, nu));
    STIC_TRY(system->ops->mass(system, from, stepper->arena, &m.mass));
    STIC_TRY(stic_system_force(system, from, stepper->arena, m.force));
    if (m.theta == 0.0)
        STIC_TRY(stic_system_add_gyro(system, from, &m.mass, stepper->arena, m.force));
    STIC_TRY(detect(&m, info));
    STIC_TRY(shift_laws(&m, from));
    double* r = NULL;
    STIC_TRY(STIC_TAKE(stepper->arena, &r, m.directions.set.rows));
    stic_parts_tell(stepper, system, &m.directions.set, m.before);
    if (m.theta == 0.0)
        STIC_TRY(explicit_step(&m, r, to, info));
    else
        STIC_TRY(implicit_step(&m, r, to, info));
    to->t = t_to;
    STIC_TRY(judge_momentum(&m, r, to, info));
    return close_step(&m, r, to, info);
}
