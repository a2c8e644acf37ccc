// SPDX-License-Identifier: Apache-2.0
// Quasi-static scheme by implicit Euler with zero velocity at the start of each step (Koziara 5.3).
//
//   A u' = h f(t+h, q, v) + H R,   A = M + h^2 K(q) + h C,   q' = q moved by h u'
//   contact law on U' + (g - min(0, g_0))/h: open gaps are closed exactly, the penetration of the
//   beginning, g_0, is not pushed out (10.1.67); joints on U' + g/h, so that their drift is removed
//
// Gaps g are those at the coordinates of the iteration and the time of the end, t+h: obstacles have
// already moved, and U' is that of the bodies alone. Friction and drives have no gap: prescribed
// displacements are made in the first inner iteration, and their law holds for the slip of the
// whole step, U' + s/h with the slip s of the iterations before, a displacement of the two places
// that touched. What the masses that damp the
// iterations keep from following at once follows later (`drive = "increment"`). The thesis
// repeats the way in each iteration, so that a point driven by v moves by h v times their number;
// `drive = "iteration"` does that, with max(0, g) in the law and no memory of slip.
//
// K is the Hessian of the potential, C the slope of dampers, within each block, or as a whole where
// cells of solids couple many; dampers have the velocity v of the iterations before, displacement
// over h, which C completes. The contacts are those of the beginning. The mass acts as a numerical damping only: the
// result tends to equilibrium as steps are repeated.
//
// Without masses (`inertia = "none"`) a step is the quasi-statics of elastic bodies of Acary and
// Cadoux, times h:
//
//   (h C + h^2 K) v = h f(t+h, q) + H R        (4.21) laws on v, of contacts that are closed
//                                              (4.28) laws on h v with gaps, `level = "position"`
//
// Each iteration is then a step of Newton's method for equilibrium: they end when forces balance
// where the iteration ends, and what is left beside the forces that act is told. K + C/h must be
// regular: if it is not, the step is refused, and the message says what moves without resistance.
//
// Paths (`control = "way"` or `"arc"`): applied forces are multiplied by a factor lambda, weights
// and other potentials stay, and each iteration finds lambda so that a mean displacement of the step
// is `speed` h, w' (q' - q) = speed h. It is that of the loads along themselves (way, w = p over
// the sum of the forces: the condition is work-conjugate, so that with laws that have a potential
// the displacement grows with lambda), or that of all masses along the way of the step before
// (arc, w = M u / (|u|_M sqrt(m)): the normal plane of Riks and Wempner, which also follows
// snap-back). What lambda is found for is an equilibrium on the plane, whether it is stable under a
// given load or not. The displacement of one iteration is a piecewise smooth function of lambda:
// it is bracketed, then found by regula falsi (Illinois), one solve of the laws each.
//
// Rigid bodies have A = M and turn by the exponential map; without velocities they have no
// gyroscopic terms.
//
// Inertia may be scaled (5.3, items 2 and 3), weights stay: the Euler tensors of deforming bodies
// so that lambda_max(M^-1 K) h^2 is `damping` (the thesis has 4, with h = 1), all masses so that
// the largest resultant force moves a free body by `displacement` in a step. Inner iterations
// (algorithm 12.0.2) repeat the step with the load of its end and the same contacts, gaps and
// directions anew, at most `iterations` times: they end when the kinetic energy of the mass centres
// falls more slowly than at first, log(E_(k-1)/E_k) < drop max(log(E_1/E_2), 0). The indices
// printed in the thesis use an energy that is not known yet. Where mass centres stay and bodies turn
// or deform, the energy is that of all velocities.
#include "step/parts.h"
#include "step/schemes.h"
#include "step/tangent.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "math/math.h"
#include "problem/mass.h"
#include "stiction/extend/base.h"
#include "stiction/extend/sparse.h"
#include "stiction/extend/vec3.h"

typedef struct QuasistaticSettings {
    int32_t iterations;
    double drop;
    double damping;
    double displacement;
    double reach;
    int32_t drive;   // DRIVE_…
    int32_t inertia; // INERTIA_…
    int32_t level;   // LEVEL_…
    int32_t control; // CONTROL_…
    double speed;
} QuasistaticSettings;

enum { DRIVE_INCREMENT, DRIVE_ITERATION };
static const char* const drives[] = {"increment", "iteration", NULL};
enum { INERTIA_MASS, INERTIA_NONE };
static const char* const inertias[] = {"mass", "none", NULL};
enum { CONTROL_LOAD, CONTROL_WAY, CONTROL_ARC };
static const char* const controls[] = {"load", "way", "arc", NULL};
enum { LEVEL_POSITION, LEVEL_VELOCITY };
static const char* const levels[] = {"position", "velocity", NULL};

static const SticField fields[] = {
    STIC_FIELD_COUNT(QuasistaticSettings, iterations, 1, 1, 1000000, "-",
                     "inner iterations of a step at most, all with the load of its end"),
    STIC_FIELD_REAL(QuasistaticSettings, drop, 0.1, 0.0, 1.0, "-",
                    "inner iterations end when the energy falls by less than this part of its "
                    "first rate; 0: when nothing moves any more"),
    STIC_FIELD_REAL(
        QuasistaticSettings, damping, 0.0, 0.0, 1e300, "-",
        "scale the inertia of deformations of pseudo-rigid bodies to this lambda_max h^2; 0: not"),
    STIC_FIELD_REAL(
        QuasistaticSettings, displacement, 0.0, 0.0, 1e300, "m",
        "scale masses so that the largest force moves a body by this, or torque its rim; 0: not"),
    STIC_FIELD_REAL(QuasistaticSettings, reach, 1e300, 0.0, 1e300, "m",
                    "contacts with a gap at most this take part; by default all, with laws on "
                    "velocities those that are closed"),
    STIC_FIELD_PICK(QuasistaticSettings, drive, DRIVE_INCREMENT, DRIVE_ITERATION, drives,
                    "prescribed motion is made once per step, or in every inner iteration"),
    STIC_FIELD_PICK(QuasistaticSettings, inertia, INERTIA_MASS, INERTIA_NONE, inertias,
                    "masses damp the iterations, or stiffness alone resists (none)"),
    STIC_FIELD_PICK(QuasistaticSettings, level, LEVEL_POSITION, LEVEL_VELOCITY, levels,
                    "laws of contacts on gaps, or on velocities of those that are closed"),
    STIC_FIELD_PICK(QuasistaticSettings, control, CONTROL_LOAD, CONTROL_ARC, controls,
                    "loads as they are given, or multiplied so that they move at `speed` along "
                    "themselves (way), or all bodies along their way so far (arc)"),
    STIC_FIELD_REAL(QuasistaticSettings, speed, 1e-3, 0.0, 1e300, "m/s",
                    "mean displacement per second with control = way or arc"),
};
const SticFieldTable stic_quasistatic_fields = {"quasi-static", fields,
                                                (int32_t)(sizeof fields / sizeof fields[0]),
                                                sizeof(QuasistaticSettings)};

/// One step on its way.
typedef struct Motion {
    SticStepper* stepper;
    const SticSystem* system;
    const QuasistaticSettings* settings;
    double h;
    SticState at;  // load of the end, coordinates of the iteration, no velocity
    SticMass mass; // M
    SticDirections directions;
    SticProblem laws;
    double* shift;      // [rows]
    double* left;       // [rows] gaps of the beginning that stay: penetrations
    double* driven;     // [rows] velocities of what is prescribed
    double* slip;       // [rows] of the iterations before, m or rad; see carry_slips
    double (*along)[6]; // [count] tangents of `slip`, NULL: systems that do not tell them
    double* total;      // [nu] velocities of all iterations of the step
    double* force;      // [nu]
    double mass_of_all; // 0: masses stay
    double *K, *value, *inverse_value;
    SticBlockCsr A, inverse;
    SticMass effective;
    SticTangent tangent; // of systems whose blocks are coupled, and without masses
    uint8_t* opens;      // [count] bonds that open, if there are `bonds`
    bool bonds;
    // paths
    double *load, *weight, *rest; // [nu] applied forces, w, h times all other forces
    double factor, moved;         // lambda, and w' (q - q_0) of the iterations before
    double unbalanced, told;      // what the last iteration left, see measure_balance
    bool turns;                   // mass centres stay: the energy is that of all velocities
} Motion;

/* ---- inertia ---- */

// lambda_max of M^-1 K on the deformations of a block of 12 velocities; both 12x12 by rows
static SticStatus largest_eigenvalue(const double* M, const double* K, double* largest)
{
    double L[81], B[81], values[9];
    for (int r = 0; r < 9; ++r)
        for (int c = 0; c < 9; ++c) {
            L[9 * r + c] = M[12 * (3 + r) + 3 + c];
            B[9 * r + c] = K[12 * (3 + r) + 3 + c];
        }
    STIC_TRY(stic_dense_cholesky(9, L));
    // B := L^-1 B L^-T, columns then rows
    for (int pass = 0; pass < 2; ++pass)
        for (int c = 0; c < 9; ++c)
            for (int r = 0; r < 9; ++r) {
                const int at = pass == 0 ? 9 * r + c : 9 * c + r;
                for (int k = 0; k < r; ++k)
                    B[at] -= L[9 * r + k] * B[pass == 0 ? 9 * k + c : 9 * c + k];
                B[at] /= L[9 * r + r];
            }
    stic_dense_eigenvalues(9, B, values);
    *largest = values[8];
    return STIC_OK;
}

// scaled inertia of a block into `value`
static SticStatus scale_block(const Motion* m, int32_t block, const double* M, const double* K,
                              double* value)
{
    const SticLayout* layout = &m->system->layout;
    const int32_t n = layout->u_at[block + 1] - layout->u_at[block];
    const bool flat = layout->chart[block] == STIC_CHART_LINEAR;
    double turning = 1.0, moving = 1.0, largest = 0.0;
    // blocks of three and more velocities begin with those of their centre, of one mass
    if (m->mass_of_all > 0.0 && n >= 3 && M[0] > 0.0)
        moving = turning = m->mass_of_all / M[0];
    if (m->settings->damping > 0.0 && flat && n == 12) {
        STIC_TRY(largest_eigenvalue(M, K, &largest));
        turning = largest > 0.0 ? largest * m->h * m->h / m->settings->damping : 1.0;
    }
    for (int32_t r = 0; r < n; ++r)
        for (int32_t c = 0; c < n; ++c)
            value[r * n + c] = (r < 3 && c < 3 ? moving : turning) * M[r * n + c];
    return STIC_OK;
}

/* ---- coupled blocks ---- */

static bool is_massless(const Motion* m)
{
    return m->settings->inertia == INERTIA_NONE;
}

/// What a block is, in a sentence.
typedef struct BlockLabel {
    char text[160];
} BlockLabel;

static BlockLabel label_of(const Motion* m, int32_t block)
{
    BlockLabel label;
    if (m->system->ops->label != NULL)
        m->system->ops->label(m->system, block, label.text, sizeof label.text);
    else
        snprintf(label.text, sizeof label.text, "block %d", block);
    return label;
}

// the direction that a nearly singular matrix resists least, by inverse iteration, reported by the
// block with the largest part
static SticStatus tell_mechanism(Motion* m, SticError* error)
{
    const SticLayout* layout = &m->system->layout;
    double* x = NULL;
    STIC_TRY(STIC_TAKE(m->stepper->arena, &x, layout->nu));
    for (int32_t c = 0; c < layout->nu; ++c)
        x[c] = 1.0 + 0.1 * (c % 7);
    for (int k = 0; k < 3; ++k) {
        double largest = 0.0;
        STIC_TRY(m->effective.solve(m->effective.factor, x));
        for (int32_t c = 0; c < layout->nu; ++c)
            largest = fabs(x[c]) > largest ? fabs(x[c]) : largest;
        for (int32_t c = 0; c < layout->nu; ++c)
            x[c] /= largest;
    }
    int32_t block = 0;
    double most = 0.0;
    for (int32_t i = 0; i < layout->blocks; ++i)
        for (int32_t c = layout->u_at[i]; c < layout->u_at[i + 1]; ++c)
            if (fabs(x[c]) > most) {
                most = fabs(x[c]);
                block = i;
            }
    const int32_t at = layout->u_at[block], n = layout->u_at[block + 1] - at;
    char text[128] = "";
    size_t used = 0;
    for (int32_t c = 0; c < n && c < 6 && used < sizeof text; ++c)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%.3g", c > 0 ? ", " : "",
                                 x[at + c]);
    return stic_error_set(error, STIC_SINGULAR,
                          "scheme 'quasi-static': without masses K + C/h of system '%s' is "
                          "singular at t = %g: a motion that nothing resists moves %s most, "
                          "its velocities by (%s); support it, or take inertia = \"mass\"",
                          m->system->name, m->at.t - m->h, label_of(m, block).text, text);
}

// A = M + h^2 K + h C as a whole
static SticStatus coupled_mass(Motion* m, SticError* error)
{
    const SticBlockCsr* M = m->mass.A;
    const SticTangentWeights weights = {m->h * m->h, m->h};
    memset(m->K, 0, (size_t)M->value_at[M->begin[M->rows]] * sizeof *m->K);
    memset(m->value, 0, (size_t)M->value_at[M->begin[M->rows]] * sizeof *m->value);
    for (int32_t i = 0; !is_massless(m) && i < M->rows; ++i) {
        const int64_t at = M->value_at[M->begin[i]];
        STIC_TRY(scale_block(m, i, M->value + at, m->K + at, m->value + at));
    }
    STIC_TRY(stic_tangent_create(m->stepper, &m->A, weights, &m->tangent));
    STIC_TRY(stic_tangent_fill(m->stepper, m->system, &m->at, &m->tangent));
    m->tangent.decided = m->tangent.coupled = true;
    STIC_TRY(
        stic_tangent_finish(m->stepper, m->system, &m->at, m->directions.set.rows, &m->tangent));
    m->effective = m->tangent.mass;
    // without masses a matrix that leaves fewer than two digits is singular but for rounding
    if (!is_massless(m) || m->tangent.factor == NULL ||
        (m->tangent.replaced == 0 &&
         stic_factor_condition(m->tangent.factor, &m->tangent.J) < 0.01 / DBL_EPSILON))
        return STIC_OK;
    return tell_mechanism(m, error);
}

// A = M + h^2 K + h C with inverses
static SticStatus effective_mass(Motion* m)
{
    const SticBlockCsr* M = m->mass.A;
    STIC_TRY(stic_tangent_stiffness(m->stepper, m->system, &m->at, M, m->K));
    for (int32_t i = 0; i < M->rows; ++i) {
        const int32_t n = M->row_at[i + 1] - M->row_at[i];
        const int64_t at = M->value_at[M->begin[i]];
        STIC_TRY(scale_block(m, i, M->value + at, m->K + at, m->value + at));
        for (int32_t c = 0; c < n * n; ++c)
            m->value[at + c] += m->h * m->h * m->K[at + c];
    }
    if (m->system->ops->tangent != NULL) {
        STIC_TRY(
            stic_tangent_create(m->stepper, &m->A, (SticTangentWeights){0.0, m->h}, &m->tangent));
        STIC_TRY(stic_tangent_fill(m->stepper, m->system, &m->at, &m->tangent));
        memcpy(m->value, m->tangent.value, (size_t)M->value_at[M->begin[M->rows]] * sizeof(double));
    }
    for (int32_t i = 0; i < M->rows; ++i) {
        const int64_t at = M->value_at[M->begin[i]];
        STIC_TRY(stic_dense_spd_inverse(M->row_at[i + 1] - M->row_at[i], m->value + at,
                                        m->inverse_value + at));
    }
    return STIC_OK;
}

// The force at the centre of a rigid body that would move it as fast as its torque moves its rim:
// m s |J^-1 T|, s half of its size.
static double force_of_torque(const Motion* m, int32_t block)
{
    const int32_t at = m->system->layout.u_at[block];
    const double* M = m->mass.A->value + m->mass.A->value_at[m->mass.A->begin[block]];
    double J[9], turn[3];
    for (int r = 0; r < 3; ++r) {
        turn[r] = m->force[at + 3 + r];
        for (int c = 0; c < 3; ++c)
            J[3 * r + c] = M[6 * (3 + r) + 3 + c];
    }
    if (m->system->size == NULL || stic_dense_cholesky(3, J) != STIC_OK)
        return 0.0;
    stic_dense_cholesky_solve(3, J, turn);
    return M[0] * 0.5 * m->system->size[block] * stic_vec3_norm(stic_vec3_load(turn));
}

// m = f_max h^2 / l with the largest force on a body, reactions left out
static void find_mass(Motion* m)
{
    const SticLayout* layout = &m->system->layout;
    double largest = 0.0;
    for (int32_t i = 0; i < layout->blocks && m->settings->displacement > 0.0; ++i) {
        const int32_t n = layout->u_at[i + 1] - layout->u_at[i];
        if (n < 3)
            continue;
        const double force = stic_vec3_norm(stic_vec3_load(m->force + layout->u_at[i]));
        largest = stic_larger(largest, force);
        if (n == 6)
            largest = stic_larger(largest, force_of_torque(m, i));
    }
    if (m->settings->displacement > 0.0)
        m->mass_of_all = largest * m->h * m->h / m->settings->displacement;
}

/* ---- the step ---- */

// whether an interaction is a contact with friction that is open or slides
static bool slides(const SticInteraction* interaction)
{
    return interaction->level == STIC_LEVEL_CONTACT && !interaction->bonded &&
           interaction->rows >= 3;
}

// shifts of the law of an iteration; prescribed motions are in the gaps, or in chi
static void shift_rows(const Motion* m, bool first)
{
    const SticSet* set = &m->directions.set;
    const double* gap = m->directions.measures.gap;
    double* chi = m->directions.measures.chi;
    const bool once = m->settings->drive == DRIVE_INCREMENT;
    const bool fast = m->settings->level == LEVEL_VELOCITY;
    for (int32_t i = 0; i < set->count; ++i) {
        const SticInteraction* interaction = &set->interaction[i];
        const bool touches = interaction->level == STIC_LEVEL_CONTACT && !interaction->bonded;
        const bool holds = interaction->level == STIC_LEVEL_POSITION || interaction->bonded;
        for (int32_t row = set->row_at[i]; row < set->row_at[i + 1]; ++row) {
            const bool has_gap = holds || (!fast && touches && row == set->row_at[i]);
            if (once && (has_gap || !first))
                chi[row] = 0.0;
            if (once && !has_gap)
                m->shift[row] = m->slip[row] / m->h;
            if (holds)
                m->shift[row] = gap[row] / m->h;
            else if (has_gap)
                m->shift[row] = (once             ? gap[row] - m->left[row]
                                 : gap[row] > 0.0 ? gap[row]
                                                  : 0.0) /
                                m->h;
        }
    }
}

// penetrations of the beginning
static SticStatus measure_left(Motion* m, const SticState* from)
{
    const SticSet* set = &m->directions.set;
    SticMeasures measures = {.want = STIC_WANT_GAP};
    STIC_TRY(STIC_TAKE(m->stepper->arena, &m->left, set->rows));
    measures.gap = m->left;
    if (set->rows > 0)
        STIC_TRY(m->system->ops->measure(m->system, set, from, &measures));
    for (int32_t i = 0; i < set->count; ++i)
        if (slides(&set->interaction[i]) && m->settings->level == LEVEL_POSITION)
            m->slip[set->row_at[i]] = m->left[set->row_at[i]];
    for (int32_t row = 0; row < set->rows; ++row)
        m->left[row] = m->left[row] < 0.0 ? m->left[row] : 0.0;
    return STIC_OK;
}

// Measure where an iteration begins.
static SticStatus measure_rows(Motion* m)
{
    const uint32_t tangents = m->system->speeds ? STIC_WANT_TANGENT : 0;
    return stic_directions_measure(m->stepper, m->system, &m->at,
                                   STIC_WANT_GAP | STIC_WANT_CHI | STIC_WANT_H | tangents, NULL,
                                   &m->directions);
}

// What contacts slid is a vector in space between the two places that touched, which stays where the
// normal turns from one iteration to the next, and the tangents with it, by a formula that knows the
// axes of the world. With laws on gaps it has a part along the normal, too, the gap.
static void carry_slips(Motion* m)
{
    const SticSet* set = &m->directions.set;
    const bool whole = m->settings->level == LEVEL_POSITION;
    for (int32_t i = 0; i < set->count && m->along != NULL; ++i) {
        if (!slides(&set->interaction[i]))
            continue;
        double *slip = m->slip + set->row_at[i], *from = m->along[i];
        const double* to = m->directions.measures.tangent[i];
        const SticVec3 old[2] = {stic_vec3_load(from), stic_vec3_load(from + 3)};
        const SticVec3 new[2] = {stic_vec3_load(to), stic_vec3_load(to + 3)};
        SticVec3 way = stic_vec3_scale(whole ? slip[0] : 0.0, stic_vec3_cross(old[0], old[1]));
        for (int k = 0; k < 2; ++k)
            way = stic_vec3_add_scaled(way, slip[1 + k], old[k]);
        for (int k = 0; k < 2; ++k)
            slip[1 + k] = stic_vec3_dot(new[k], way);
        if (whole)
            slip[0] = stic_vec3_dot(stic_vec3_cross(new[0], new[1]), way);
        memcpy(from, to, sizeof m->along[i]);
    }
}

static SticStatus prepare(Motion* m, const SticState* from, SticStepInfo* info)
{
    SticArena* arena = m->stepper->arena;
    const SticLayout* layout = &m->system->layout;
    STIC_TRY(STIC_TAKE(arena, &m->force, layout->nu));
    STIC_TRY(STIC_TAKE(arena, &m->at.u, layout->nu));
    STIC_TRY(STIC_TAKE(arena, &m->at.q, layout->nq));
    memset(m->at.u, 0, (size_t)layout->nu * sizeof *m->at.u);
    STIC_TRY(STIC_TAKE(arena, &m->total, layout->nu));
    memset(m->total, 0, (size_t)layout->nu * sizeof *m->total);
    memcpy(m->at.q, from->q, (size_t)layout->nq * sizeof *m->at.q);
    STIC_TRY(m->system->ops->mass(m->system, from, arena, &m->mass));
    const SticBlockCsr* M = m->mass.A;
    const int64_t values = M->value_at[M->begin[M->rows]];
    STIC_TRY(STIC_TAKE(arena, &m->K, values));
    STIC_TRY(STIC_TAKE(arena, &m->value, values));
    STIC_TRY(STIC_TAKE(arena, &m->inverse_value, values));
    m->A = m->inverse = *M;
    m->A.value = m->value;
    m->inverse.value = m->inverse_value;
    m->effective = (SticMass){.kind = STIC_MASS_BLOCKS, .A = &m->A, .inverse = &m->inverse};
    const double all = m->settings->level == LEVEL_VELOCITY ? 0.0 : (double)INFINITY;
    const double reach = m->settings->reach < 1e300 ? m->settings->reach : all;
    STIC_TRY(stic_directions_detect(m->stepper, m->system, &m->at, reach, &m->directions));
    // Ways of drives are of second order, with the speed of the middle of the step. Surfaces go from
    // where bodies are, which is where the step begins, by their way: the chord where they turn.
    if (m->settings->drive == DRIVE_INCREMENT) {
        m->directions.measures.lead = -0.5 * m->h;
        m->directions.measures.since = m->h;
    }
    STIC_TRY(measure_rows(m));
    STIC_TRY(STIC_TAKE(arena, &m->driven, m->directions.set.rows));
    STIC_TRY(STIC_TAKE(arena, &m->slip, m->directions.set.rows));
    for (int32_t row = 0; row < m->directions.set.rows; ++row)
        m->slip[row] = 0.0;
    STIC_TRY(measure_left(m, from));
    if (m->directions.measures.tangent != NULL) {
        STIC_TRY(STIC_TAKE(arena, &m->along, m->directions.set.count));
        memcpy(m->along, m->directions.measures.tangent,
               (size_t)m->directions.set.count * sizeof *m->along);
    }
    stic_parts_count(&m->directions, info);
    return stic_parts_problem(m->stepper, &m->directions, m->h, &m->laws, &m->shift);
}

/* ---- paths ---- */

static bool has_path(const Motion* m)
{
    return m->settings->control != CONTROL_LOAD;
}

// w of loads along themselves
static SticStatus weigh_loads(Motion* m, SticError* error)
{
    const SticLayout* layout = &m->system->layout;
    double sum = 0.0;
    for (int32_t i = 0; i < layout->blocks; ++i) {
        const int32_t at = layout->u_at[i], n = layout->u_at[i + 1] - at;
        double square = 0.0;
        for (int32_t c = 0; c < (n < 3 ? n : 3); ++c)
            square += m->load[at + c] * m->load[at + c];
        sum += sqrt(square);
    }
    if (!(sum > 0.0))
        return stic_error_set(error, STIC_BAD_ARGUMENT,
                              "scheme 'quasi-static': control = \"%s\" multiplies loads, and "
                              "system '%s' has none; weights stay as they are",
                              controls[m->settings->control], m->system->name);
    for (int32_t c = 0; c < layout->nu; ++c)
        m->weight[c] = m->load[c] / sum;
    return STIC_OK;
}

// w of all masses along the displacement of the step before; false: there was none
static bool weigh_way(Motion* m, const double* u)
{
    const SticLayout* layout = &m->system->layout;
    double mass = 0.0, square = 0.0;
    stic_block_csr_multiply(1.0, m->mass.A, u, 0.0, m->weight);
    for (int32_t i = 0; i < layout->blocks; ++i)
        mass += m->mass.A->value[m->mass.A->value_at[m->mass.A->begin[i]]];
    for (int32_t c = 0; c < layout->nu; ++c)
        square += m->weight[c] * u[c];
    for (int32_t c = 0; c < layout->nu && square > 0.0; ++c)
        m->weight[c] /= sqrt(square * mass);
    return square > 0.0;
}

static SticStatus prepare_path(Motion* m, const SticState* from, SticError* error)
{
    const int32_t nu = m->system->layout.nu;
    STIC_TRY(STIC_TAKE(m->stepper->arena, &m->load, nu));
    STIC_TRY(STIC_TAKE(m->stepper->arena, &m->weight, nu));
    STIC_TRY(STIC_TAKE(m->stepper->arena, &m->rest, nu));
    STIC_TRY(m->system->ops->force(m->system, &m->at, m->load));
    if (m->settings->control == CONTROL_ARC && weigh_way(m, from->u))
        return STIC_OK;
    return weigh_loads(m, error);
}

// one solve of the laws with the factor of the loads as it is; how far it moves beyond the goal
static SticStatus move_with(Motion* m, SticStage* stage, double* r, double* u, SticStepInfo* info,
                            double* beyond)
{
    const int32_t nu = m->system->layout.nu;
    for (int32_t c = 0; c < nu; ++c)
        m->force[c] = m->rest[c] + m->h * m->factor * m->load[c];
    STIC_TRY(stic_parts_stage(m->stepper, stage, r, u, info));
    // the next one starts from these reactions
    stage->memory = NULL;
    *beyond = m->moved - m->settings->speed * m->h;
    for (int32_t c = 0; c < nu; ++c)
        *beyond += m->h * m->weight[c] * u[c];
    return STIC_OK;
}

// how far a unit of the factor moves bodies without contacts
static SticStatus free_slope(Motion* m, double* slope)
{
    const int32_t nu = m->system->layout.nu;
    double *b = NULL, *v = NULL;
    STIC_TRY(STIC_TAKE(m->stepper->arena, &b, nu));
    STIC_TRY(STIC_TAKE(m->stepper->arena, &v, nu));
    memcpy(b, m->load, (size_t)nu * sizeof *b);
    STIC_TRY(stic_mass_solve(&m->effective, b, v));
    *slope = 0.0;
    for (int32_t c = 0; c < nu; ++c)
        *slope += m->h * m->h * m->weight[c] * v[c];
    return STIC_OK;
}

static SticStatus tell_no_factor(const Motion* m, double far, SticError* error)
{
    return stic_error_set(error, STIC_SINGULAR,
                          "scheme 'quasi-static': no factor of the loads up to %.3g moves them by "
                          "%.3g m at t = %g; with control = \"%s\" something must be able to move",
                          far, m->settings->speed * m->h, m->at.t - m->h,
                          controls[m->settings->control]);
}

// the factor for which the step moves as far as it should
static SticStatus find_factor(Motion* m, SticStage* stage, double* r, double* u, SticStepInfo* info)
{
    // up to 4e9 times what moves bodies without contacts: beyond, reactions have no digits left
    enum { WIDENINGS = 16, NARROWINGS = 60, IDLE = 6, HALVINGS = 16 };
    const double goal = m->settings->speed * m->h;
    SticArena* arena = m->stepper->arena;
    double f[2], slope = 0.0;
    STIC_TRY(free_slope(m, &slope));
    const SticArenaMark mark = stic_arena_mark(arena);
    STIC_TRY(move_with(m, stage, r, u, info, &f[0]));
    // the factor of the iteration before may be more than any equilibrium has, which nothing can solve
    for (int k = 0; k < HALVINGS && info->solve.outcome != STIC_OUTCOME_SOLVED; ++k) {
        m->factor *= 0.5;
        stic_arena_rewind(arena, mark);
        STIC_TRY(move_with(m, stage, r, u, info, &f[0]));
    }
    double x[2] = {m->factor, m->factor};
    f[1] = f[0];
    const double start[2] = {x[0], f[0]};
    // the free motion is the largest: contacts hold
    double width = slope != 0.0 ? -f[0] / slope : 0.0;
    for (int k = 0; k < WIDENINGS && f[1] != 0.0 && f[0] * f[1] > 0.0; ++k, width *= 4.0) {
        x[0] = x[1];
        f[0] = f[1];
        m->factor = x[1] = x[0] + width;
        stic_arena_rewind(arena, mark);
        STIC_TRY(move_with(m, stage, r, u, info, &f[1]));
    }
    // when iterations have converged, what is left is rounding, which a factor need not turn
    if (f[0] * f[1] > 0.0 && fabs(start[1]) <= 1e-10 * goal) {
        m->factor = x[0] = x[1] = start[0];
        stic_arena_rewind(arena, mark);
        STIC_TRY(move_with(m, stage, r, u, info, &f[1]));
        f[0] = 0.0;
    }
    if (f[0] * f[1] > 0.0 || !isfinite(f[1]))
        return tell_no_factor(m, x[1], &info->error);
    // what does not get less is what the solver's tolerance leaves
    double least = fabs(f[1]);
    for (int k = 0, idle = 0; k < NARROWINGS && fabs(f[1]) > 1e-12 * goal && x[0] != x[1] &&
                              (idle < IDLE || fabs(f[1]) > 1e-4 * goal);
         ++k) {
        const double next = x[1] - f[1] * (x[1] - x[0]) / (f[1] - f[0]);
        double there = 0.0;
        stic_arena_rewind(arena, mark);
        m->factor = next;
        STIC_TRY(move_with(m, stage, r, u, info, &there));
        if (there * f[1] < 0.0) {
            x[0] = x[1];
            f[0] = f[1];
        } else {
            f[0] *= 0.5;
        }
        // rounding moves it no more
        const bool same = next == x[1];
        x[1] = next;
        f[1] = there;
        idle = fabs(there) < 0.5 * least ? 0 : idle + 1;
        least = stic_smaller(least, fabs(there));
        if (same)
            break;
    }
    // what jumps is rounding, not motion
    if (!(fabs(f[1]) <= 1e-3 * goal))
        return tell_no_factor(m, x[1], &info->error);
    info->scales_loads = true;
    info->load_factor = m->factor;
    return STIC_OK;
}

/* ---- iterations ---- */

// What the velocity so far adds to applied forces: f += f(v) - f(0), of dampers. Nothing in the
// first iteration.
static SticStatus add_damping(const Motion* m, const SticState* state, double* f)
{
    if (m->system->ops->tangent == NULL)
        return STIC_OK;
    const int32_t nu = m->system->layout.nu;
    SticArena* arena = m->stepper->arena;
    const SticArenaMark mark = stic_arena_mark(arena);
    double* part[2] = {NULL, NULL};
    for (int k = 0; k < 2; ++k) {
        const SticState at = {.t = state->t,
                              .q = state->q,
                              .u = k == 0 ? m->total : m->at.u,
                              .memory = state->memory};
        STIC_TRY(STIC_TAKE(arena, &part[k], nu));
        STIC_TRY(m->system->ops->force(m->system, &at, part[k]));
    }
    for (int32_t c = 0; c < nu; ++c)
        f[c] += part[0][c] - part[1][c];
    stic_arena_rewind(arena, mark);
    return STIC_OK;
}

// Forces at the coordinates of the iteration. Those of a path are never taken as they stand: their
// size is a unit, which must not reach the scaled masses, nor round the weights away.
static SticStatus take_forces(Motion* m)
{
    if (!has_path(m)) {
        STIC_TRY(stic_system_force(m->system, &m->at, m->stepper->arena, m->force));
        return add_damping(m, &m->at, m->force);
    }
    STIC_TRY(stic_system_potential_force(m->system, &m->at, m->stepper->arena, m->rest, NULL));
    STIC_TRY(add_damping(m, &m->at, m->rest));
    STIC_TRY(m->system->ops->force(m->system, &m->at, m->load));
    for (int32_t c = 0; c < m->system->layout.nu; ++c)
        m->force[c] = m->rest[c] + m->factor * m->load[c];
    return STIC_OK;
}

// the first block whose part of A is not positive definite; 0: none
static int32_t indefinite_block(const Motion* m)
{
    const SticBlockCsr* M = m->mass.A;
    const double* value =
        m->system->wide || is_massless(m) ? m->tangent.value : (const double*)m->value;
    for (int32_t i = 0; i < M->rows; ++i) {
        double copy[STIC_CHART_MAX_U * STIC_CHART_MAX_U];
        const int32_t n = M->row_at[i + 1] - M->row_at[i];
        memcpy(copy, value + M->value_at[M->begin[i]], (size_t)(n * n) * sizeof *copy);
        if (stic_dense_cholesky(n, copy) != STIC_OK)
            return i;
    }
    return 0;
}

// M + h^2 K, or K + C/h, could not be used: what would help
static SticStatus tell_indefinite(const Motion* m, SticError* error)
{
    const SticLayout* layout = &m->system->layout;
    const double t = m->at.t - m->h;
    const int32_t block = indefinite_block(m);
    const BlockLabel label = label_of(m, block);
    if (!is_massless(m))
        return stic_error_set(
            error, STIC_SINGULAR,
            "scheme 'quasi-static': M + h^2 K of %s in system '%s' is not positive definite "
            "at t = %g: what is compressed gives way, and too little inertia resists; %s %g, or "
            "give loads in smaller steps",
            label.text, m->system->name, t,
            m->mass_of_all > 0.0 ? "take a `displacement` smaller than" : "take steps shorter than",
            m->mass_of_all > 0.0 ? m->settings->displacement : m->h);
    if (layout->chart[block] != STIC_CHART_LINEAR)
        return stic_error_set(error, STIC_SINGULAR,
                              "scheme 'quasi-static': %s of system '%s' is rigid: without "
                              "masses nothing resists its motion; take inertia = \"mass\"",
                              label.text, m->system->name);
    return stic_error_set(error, STIC_SINGULAR,
                          "scheme 'quasi-static': without masses K + C/h of %s in system "
                          "'%s' has a direction that nothing resists at t = %g; support it, or "
                          "take inertia = \"mass\"",
                          label.text, m->system->name, t);
}

// one solve at the coordinates of the iteration, which are then moved
static SticStatus iterate(Motion* m, const SticMemory* memory, double* r, double* u,
                          SticStepInfo* info)
{
    const bool first = info->newton == 0;
    if (m->directions.set.rows > 0)
        STIC_TRY(measure_rows(m));
    carry_slips(m);
    STIC_TRY(take_forces(m));
    find_mass(m);
    const bool whole = m->system->wide || is_massless(m);
    const SticStatus status = whole ? coupled_mass(m, &info->error) : effective_mass(m);
    if (status == STIC_SINGULAR && info->error.status == STIC_OK)
        return tell_indefinite(m, &info->error);
    STIC_TRY(status);
    for (int32_t c = 0; c < m->system->layout.nu; ++c) {
        m->force[c] *= m->h;
        if (has_path(m))
            m->rest[c] *= m->h;
    }
    const size_t bytes = (size_t)m->directions.set.rows * sizeof *m->driven;
    if (bytes > 0 && (first || m->settings->drive == DRIVE_ITERATION))
        memcpy(m->driven, m->directions.measures.chi, bytes);
    else if (bytes > 0)
        memset(m->driven, 0, bytes);
    shift_rows(m, first);
    const uint8_t* opens = NULL;
    SticStage stage = {&m->directions, &m->effective, m->force, &m->laws, memory, &opens};
    STIC_TRY(has_path(m) ? find_factor(m, &stage, r, u, info)
                         : stic_parts_stage(m->stepper, &stage, r, u, info));
    // kept beyond the iteration
    if (opens != NULL)
        memcpy(m->opens, opens, (size_t)m->directions.set.count * sizeof *m->opens);
    m->bonds = opens != NULL;
    return STIC_OK;
}

// What contacts slide beyond h H'u: the arm a of a place turns with its body by an angle b = h |w|, so
// that it goes along the chord, sin(b/2)/(b/2) exp(h w/2) (h w x a), and not along h w x a, which
// three orthogonal rows of H tell.
static void add_chords(Motion* m, const double* u)
{
    const SticLayout* layout = &m->system->layout;
    const SticDirections* d = &m->directions;
    for (int32_t i = 0; i < d->set.count; ++i)
        for (int k = 0; k < 2 && slides(&d->set.interaction[i]); ++k) {
            const int32_t block = d->set.interaction[i].block[k];
            if (block < 0 || m->along == NULL || layout->chart[block] != STIC_CHART_ROTATION)
                continue;
            const double* H = d->measures.H + d->measures.u_pattern->at[i][k];
            const double* R = m->at.q + layout->q_at[block] + 3;
            const SticVec3 own = stic_vec3_scale(m->h, stic_vec3_load(u + layout->u_at[block] + 3));
            const SticVec3 turn = stic_mat3_mul_vec(stic_mat3_load(R), own);
            SticVec3 way = stic_vec3(0.0, 0.0, 0.0); // turn x arm
            for (int row = 0; row < 3; ++row)
                way = stic_vec3_add_scaled(way, stic_vec3_dot(stic_vec3_load(H + 6 * row + 3), own),
                                           stic_vec3_load(H + 6 * row));
            const double angle = stic_vec3_norm(turn);
            const SticVec3 half = stic_mat3_mul_vec(
                stic_quat_to_matrix(stic_rotation_exp_quat(stic_vec3_scale(0.5, turn))), way);
            const double part = angle > 0.0 ? stic_sin(0.5 * angle) / (0.5 * angle) : 1.0;
            const SticVec3 beyond = stic_vec3_sub(stic_vec3_scale(part, half), way);
            for (int row = m->settings->level == LEVEL_POSITION ? 0 : 1; row < 3; ++row)
                m->slip[d->set.row_at[i] + row] +=
                    stic_vec3_dot(stic_vec3_load(H + 6 * row), beyond);
        }
}

// For the law of the first iteration prescribed bodies move rigidly about the centres of what they
// touch, as that does; what places slid is by chords of their own. Leaves chi of these.
static SticStatus add_places(Motion* m)
{
    SticMeasures* measures = &m->directions.measures;
    const SticSet* set = &m->directions.set;
    const int32_t skip = m->settings->level == LEVEL_POSITION ? 0 : 1;
    if (set->rows == 0)
        return STIC_OK;
    measures->placed = true;
    STIC_TRY(stic_directions_measure(m->stepper, m->system, &m->at, STIC_WANT_CHI, NULL,
                                     &m->directions));
    measures->placed = false;
    for (int32_t i = 0; i < set->count; ++i)
        for (int32_t row = set->row_at[i] + skip; row < set->row_at[i + 1]; ++row)
            if (slides(&set->interaction[i]))
                m->slip[row] += m->h * (measures->chi[row] - m->driven[row]);
    return STIC_OK;
}

// reactions and loads of an iteration work on its displacement h u', which adds to the slip
static SticStatus add_works(Motion* m, const double* r, const double* u, SticStepInfo* info)
{
    const SticDirections* d = &m->directions;
    double *moved = NULL, *path = NULL;
    // prescribed bodies moved in this iteration, whether the law saw it in gaps or in chi
    if (d->set.rows > 0)
        memcpy(d->measures.chi, m->driven, (size_t)d->set.rows * sizeof *m->driven);
    STIC_TRY(STIC_TAKE(m->stepper->arena, &moved, d->set.rows));
    STIC_TRY(STIC_TAKE(m->stepper->arena, &path, m->system->layout.nu));
    stic_directions_velocity(d, u, moved);
    for (int32_t row = 0; row < d->set.rows; ++row)
        m->slip[row] += m->h * moved[row];
    STIC_TRY(stic_ledger_add_reactions(m->stepper, &d->set, r, moved, &info->ledger));
    stic_ledger_add_prescribed(d->set.rows, r, d->measures.chi, 1.0, &info->ledger);
    for (int32_t c = 0; c < m->system->layout.nu; ++c) {
        path[c] = m->h * u[c];
        m->total[c] += u[c];
    }
    for (int32_t c = 0; c < m->system->layout.nu && has_path(m); ++c) {
        m->moved += m->weight[c] * path[c];
        info->ledger.applied += (m->factor - 1.0) * m->load[c] * path[c];
    }
    return stic_ledger_add_applied(m->stepper, m->system, &m->at, path, &info->ledger);
}

// kinetic energy of the mass centres, twice; `all`: that of all velocities
static double centre_energy(const Motion* m, const double* u, double* all)
{
    const SticLayout* layout = &m->system->layout;
    const SticBlockCsr* M = m->mass.A;
    double sum = 0.0;
    *all = 0.0;
    for (int32_t i = 0; i < layout->blocks; ++i) {
        const int32_t n = layout->u_at[i + 1] - layout->u_at[i];
        const double *block = M->value + M->value_at[M->begin[i]], *v = u + layout->u_at[i];
        for (int32_t c = 0; c < (n < 3 ? n : 3); ++c)
            sum += block[c * n + c] * v[c] * v[c];
        for (int32_t c = 0; c < n; ++c)
            for (int32_t d = 0; d < n; ++d)
                *all += v[c] * block[c * n + d] * v[d];
    }
    return sum;
}

// What a path has left without balance: the work of the forces that the masses take in the last
// iteration, along the way of the step, beside that of loads or weights. The factor is as wrong.
static double unsettled(const Motion* m, const double* u)
{
    const SticLayout* layout = &m->system->layout;
    const SticBlockCsr* M = m->mass.A;
    const double stiff = m->system->wide || is_massless(m) ? 0.0 : m->h * m->h;
    double taken = 0.0, rest = 0.0, load = 0.0;
    for (int32_t i = 0; i < layout->blocks; ++i) {
        const int32_t at = layout->u_at[i], n = layout->u_at[i + 1] - at;
        const int64_t from = M->value_at[M->begin[i]];
        for (int32_t c = 0; c < n; ++c) {
            const double way = m->total[at + c];
            for (int32_t d = 0; d < n; ++d)
                taken +=
                    way * u[at + d] * (m->value[from + c * n + d] - stiff * m->K[from + c * n + d]);
            rest += way * m->rest[at + c];
            load += way * m->factor * m->load[at + c];
        }
    }
    const double acting = stic_larger(fabs(rest) / m->h, fabs(load));
    return acting > 0.0 ? fabs(taken) / m->h / acting : 0.0;
}

// Sums of squares of forces, the first three of a block, and of moments, the others; `arms`: of
// moments as forces at the distance of the block's size, and of forces as moments at it.
typedef struct Squares {
    double own[2], arms[2];
} Squares;

static Squares sum_squares(const SticSystem* system, const double* f)
{
    const SticLayout* layout = &system->layout;
    Squares sum = {{0.0, 0.0}, {0.0, 0.0}};
    for (int32_t i = 0; i < layout->blocks; ++i) {
        const double size = system->size != NULL ? system->size[i] : 0.0;
        for (int32_t c = layout->u_at[i]; c < layout->u_at[i + 1]; ++c) {
            const bool force = c - layout->u_at[i] < 3;
            sum.own[!force] += f[c] * f[c];
            if (force)
                sum.arms[1] += size * size * f[c] * f[c];
            else if (size > 0.0)
                sum.arms[0] += f[c] * f[c] / (size * size);
        }
    }
    return sum;
}

// Forces without balance where an iteration has ended, as a part of the largest of applied, inner
// and contact forces. Inner ones are those between blocks, and weights and springs to the ground,
// which may balance each other, the larger ones of both directions. Those of contacts are what the step solved, H R/h = A v/h - f: they are taken
// along the directions of its beginning. Forces are compared with forces, moments with moments; a
// body that is loaded in its middle has no moments but what solves leave, so that less than
// `beside` of the forces at arms of the size of bodies is nothing, and the other way round.
static SticStatus measure_balance(Motion* m, const SticState* to)
{
    static const double beside = 1e-4;
    SticArena* arena = m->stepper->arena;
    const SticLayout* layout = &m->system->layout;
    const SticState at = {.t = m->at.t, .q = to->q, .u = m->at.u, .memory = m->at.memory};
    const double factor = has_path(m) ? m->factor : 1.0;
    double *applied = NULL, *inner = NULL, *alone = NULL, *contact = NULL;
    STIC_TRY(STIC_TAKE(arena, &applied, layout->nu));
    STIC_TRY(STIC_TAKE(arena, &inner, layout->nu));
    STIC_TRY(STIC_TAKE(arena, &alone, 2 * layout->nu));
    STIC_TRY(STIC_TAKE(arena, &contact, layout->nu));
    STIC_TRY(m->system->ops->force(m->system, &at, applied));
    STIC_TRY(stic_system_potential_force(m->system, &at, arena, inner, alone));
    stic_mass_multiply(&m->effective, to->u, 0.0, contact);
    for (int32_t c = 0; c < layout->nu; ++c) {
        applied[c] *= factor;
        contact[c] = (contact[c] - m->force[c]) / m->h;
    }
    // a load that a damper alone carries acts, though nothing is left of both
    Squares acting[5] = {sum_squares(m->system, applied)};
    STIC_TRY(add_damping(m, &at, applied));
    acting[1] = sum_squares(m->system, applied);
    acting[2] = sum_squares(m->system, contact);
    for (int32_t c = 0; c < layout->nu; ++c) {
        applied[c] += inner[c] + contact[c];
        inner[c] -= alone[c] - alone[layout->nu + c];
        alone[c] = stic_larger(alone[c], alone[layout->nu + c]);
    }
    acting[3] = sum_squares(m->system, inner);
    acting[4] = sum_squares(m->system, alone);
    const Squares left = sum_squares(m->system, applied);
    m->unbalanced = m->told = 0.0;
    for (int g = 0; g < 2; ++g) {
        double own = 0.0, arms = 0.0;
        for (int k = 0; k < 5; ++k) {
            own = stic_larger(own, acting[k].own[g]);
            arms = stic_larger(arms, acting[k].arms[g]);
        }
        if (stic_larger(own, arms) > 0.0)
            m->unbalanced = stic_larger(m->unbalanced, sqrt(left.own[g] / stic_larger(own, arms)));
        if (own > 0.0 && left.own[g] > beside * beside * arms)
            m->told = stic_larger(m->told, sqrt(left.own[g] / own));
    }
    return STIC_OK;
}

// whether Newton's method has nothing left to do; `before`: what the last iteration had left
static bool is_balanced(const Motion* m, double before)
{
    return m->unbalanced <= 1e-13 || (m->unbalanced <= 1e-8 && m->unbalanced >= before);
}

// whether the energy falls too slowly for another iteration
static bool is_slow(const Motion* m, int32_t k, const double energy[2], double* first)
{
    if (!(energy[1] > 0.0))
        return true;
    if (k < 2 || m->settings->drop == 0.0)
        return false;
    const double rate = stic_ln(energy[0] / energy[1]);
    if (k == 2)
        *first = rate > 0.0 ? rate : 0.0;
    return rate < m->settings->drop * *first || rate <= 0.0;
}

SticStatus stic_quasistatic_advance(SticStepper* stepper, const SticSystem* system,
                                    const SticState* from, double t_to, SticState* to,
                                    SticStepInfo* info)
{
    STIC_ASSERT(from != to);
    STIC_ASSERT(t_to > from->t);
    Motion m = {.stepper = stepper,
                .system = system,
                .settings = stepper->settings,
                .h = t_to - from->t,
                .at = {.t = t_to, .memory = from->memory}};
    double *r = NULL, energy[2] = {0.0, 0.0}, all = 0.0, first = 0.0;
    STIC_TRY(prepare(&m, from, info));
    if (has_path(&m))
        STIC_TRY(prepare_path(&m, from, &info->error));
    STIC_TRY(STIC_TAKE(stepper->arena, &r, m.directions.set.rows));
    STIC_TRY(STIC_TAKE(stepper->arena, &m.opens, m.directions.set.count));
    const SticArenaMark mark = stic_arena_mark(stepper->arena);
    for (int32_t k = 1; k <= m.settings->iterations; ++k) {
        const double before = k > 1 ? m.unbalanced : (double)INFINITY;
        // reactions are left with the coordinates where they were found, not with the moved ones
        if (k > 1)
            memcpy(m.at.q, to->q, (size_t)system->layout.nq * sizeof *to->q);
        STIC_TRY(iterate(&m, from->memory, r, to->u, info));
        STIC_TRY(add_works(&m, r, to->u, info));
        if (m.settings->drive == DRIVE_INCREMENT) {
            add_chords(&m, to->u);
            if (k == 1)
                STIC_TRY(add_places(&m));
            // what is prescribed has made its way
            m.directions.measures.since = 0.0;
        }
        stic_parts_drift(&system->layout, m.at.q, to->u, m.h, to->q);
        STIC_TRY(measure_balance(&m, to));
        stic_arena_rewind(stepper->arena, mark);
        info->newton = k;
        energy[0] = energy[1];
        energy[1] = centre_energy(&m, to->u, &all);
        // velocities of mass centres below 1e-12 of those of turns are rounding
        m.turns = m.turns || m.settings->drop == 0.0 || (k == 1 && energy[1] <= 1e-24 * all);
        energy[1] = m.turns ? all : energy[1];
        if (info->solve.outcome != STIC_OUTCOME_SOLVED ||
            (is_massless(&m) ? is_balanced(&m, before) : is_slow(&m, k, energy, &first)))
            break;
    }
    to->t = t_to;
    info->unsettled = m.told;
    if (has_path(&m)) {
        if (!is_massless(&m))
            info->unsettled = unsettled(&m, to->u);
        // the next step goes on along the way of this one
        memcpy(to->u, m.total, (size_t)system->layout.nu * sizeof *to->u);
    }
    STIC_TRY(stic_ledger_close(stepper, system, from, to, &info->ledger));
    stic_parts_record(stepper, &m.directions, r, &m.at, m.h);
    const SticReactions reactions = {r, m.h, m.bonds ? m.opens : NULL};
    return stic_parts_remember(&m.directions.set, &reactions, to->memory);
}
