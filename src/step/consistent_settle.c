// SPDX-License-Identifier: Apache-2.0
// The settling stage of the energy-consistent schemes: contacts that carried in the motion stage
// obey their laws at the end of the step too.
//
// The motion stage holds its laws for the mean velocity: a contact that sticks, or is suddenly
// seized by friction (Painlevé), reverses its velocity as if it were elastic. This stage replaces
// the impulses r of the motion by R = r + Lambda, with coordinates frozen:
//
//   M (u+ - uE) = H Lambda + ties       xi = gamma+ + shift obeys the laws with R
//
//   normals                 shift = -eps gammaE
//   friction that sticks    shift = -eps gammaE
//   friction that slides    shift = w - gammaE,  w the mean velocity of the motion
//
// so that friction that slides has the direction of the mean velocity, which is of second order
// (that of the end would be of first), and Lambda = 0 is the solution where normals are at rest.
// Laws are those of contacts as they are, with the bounds that belong to R: what is reported of a
// contact is in its cone.
//
// Energy. T+ - TE = Lambda'(gamma+ + gammaE)/2. If bounds did not depend on R, this would not be
// positive for one eps < 1: r would be admissible, Lambda'xi <= 0 by the normal cone. With those of
// R it may be, where normal impulses are taken back: friction that took too much in the motion then
// gives it back. What it gives back is at most what it took as a rule. Where laws would give more
// than they took in the whole step, the part s of Lambda is taken that gives no more: cones are
// convex, so that r + s Lambda is in them (docs/theory/consistent.md). A result that is not solved
// is not used.
#include "step/balance.h"
#include "step/consistent.h"

#include "stiction/extend/base.h"
#include "stiction/extend/law.h"
#include "stiction/extend/sparse.h"

#include <math.h>
#include <string.h>

// velocities along the directions of the motion
typedef struct Slips {
    double *mean, *ends; // [law rows] that the laws held for, and sum of both ends'
} Slips;

static SticStatus measure_motion(const SticMotion* m, Slips* slips)
{
    const int32_t rows = m->laws.set.rows;
    double* late = NULL;
    STIC_TRY(STIC_TAKE(m->stepper->arena, &slips->mean, rows));
    STIC_TRY(STIC_TAKE(m->stepper->arena, &slips->ends, rows));
    STIC_TRY(STIC_TAKE(m->stepper->arena, &late, rows));
    stic_block_csr_multiply(1.0, &m->laws.Ht, m->u_impact, 0.0, slips->ends);
    stic_block_csr_multiply(1.0, &m->laws.Ht, m->x, 0.0, late);
    for (int32_t row = 0; row < rows; ++row) {
        const double first = slips->ends[row] + m->chi[row], last = late[row] + m->chi[row];
        slips->mean[row] = 0.5 * (first + last);
        slips->ends[row] = fabs(first) + fabs(last);
    }
    return STIC_OK;
}

/* ---- what slides ---- */

// rows of friction that slide or stick together
typedef struct Piece {
    int32_t first, rows; // of its interaction
    SticLaw law;
    double coef[4], bound;
} Piece;

// Reactions of several points of one body are not unique, and may be at their bounds where it
// sticks: a contact that slides also moves in the mean.
static bool slides(const SticMotion* m, const Slips* slips, int32_t i, const Piece* piece)
{
    const int32_t first = m->laws.set.row_at[i] + piece->first;
    const double* r = m->r + first;
    double beyond[6], mean = 0.0, ends = 0.0;
    for (int32_t k = 0; k < piece->rows; ++k) {
        mean += fabs(slips->mean[first + k]);
        ends += slips->ends[first + k];
    }
    // far above what solvers leave and far below what matters
    if (mean <= 1e-6 * ends + 10.0 * m->noise)
        return false;
    // inside the set by more than what a solver leaves
    for (int32_t k = 0; k < piece->rows; ++k)
        beyond[k] = 1.000001 * r[k];
    const SticConvexSet set = stic_law_set(piece->law, piece->rows, piece->coef, piece->bound);
    return !stic_set_contains(&set, beyond, 0.0);
}

// rows of friction with one coefficient
static Piece friction(int32_t first, int32_t rows, double mu, double bound)
{
    return (Piece){.first = first,
                   .rows = rows,
                   .law = rows == 1 ? STIC_LAW_INTERVAL : STIC_LAW_BALL,
                   .coef = {mu, mu},
                   .bound = bound};
}

// the friction of a law whose bound in the motion was `bound`
static int32_t split(const SticInteraction* interaction, double bound, Piece piece[2])
{
    const SticLaw law = (SticLaw)interaction->law;
    const double* coef = interaction->coef;
    const int32_t rows = interaction->rows, normal = stic_law_has_normal(law) ? 1 : 0;
    switch (law) {
    case STIC_LAW_FREE:
    case STIC_LAW_NONNEG:
        return 0;
    case STIC_LAW_ROLLING:
        piece[0] = friction(1, rows / 2, coef[0], bound);
        piece[1] = friction(1 + rows / 2, rows / 2, coef[2], bound);
        return 2;
    case STIC_LAW_CONE:
        piece[0] = friction(1, rows - 1, coef[0], bound);
        return 1;
    default:
        piece[0] = (Piece){.first = normal, .rows = rows - normal, .law = law, .bound = bound};
        if (normal == 1)
            piece[0].law = law == STIC_LAW_CONE_ELLIPSE ? STIC_LAW_ELLIPSE : STIC_LAW_CONTENSOU;
        memcpy(piece[0].coef, coef, sizeof piece[0].coef);
        return 1;
    }
}

// Schemes of one stage and mixed ones hold the laws of drives, of the friction of joints and of bonds
// for the mean velocity as it is, so that what they drive does not lag behind: without settling it
// would alternate, between 0 and twice the speed from rest. Contacts do not settle there: their laws
// have a dissipation of their own, which is enough for bonds of one stage, too.
static bool takes_part(const SticMotion* m, const SticInteraction* interaction)
{
    return m->stages == STIC_STAGES_TWO || (stic_motion_is_steady(interaction) &&
                                            !(interaction->bonded && m->stages == STIC_STAGES_ONE));
}

// impulse along the normal of what a law holds, with what is left of the largest pull of a bond
static double own_of(const SticMotion* m, int32_t i)
{
    return m->r[m->laws.set.row_at[i]] + m->h * m->laws.set.interaction[i].cohesion;
}

// the bound of the friction of a law in the motion
static double bound_of(const SticMotion* m, int32_t i)
{
    const SticInteraction* interaction = &m->laws.set.interaction[i];
    if (stic_law_has_normal((SticLaw)interaction->law))
        return own_of(m, i);
    const double own = m->h * interaction->bound;
    return interaction->bound_of < 0 ? own : own + m->r[m->laws.set.row_at[interaction->bound_of]];
}

// whether a law carried in the motion
static bool carried(const SticMotion* m, int32_t i)
{
    const SticInteraction* interaction = &m->laws.set.interaction[i];
    const SticLaw law = (SticLaw)interaction->law;
    if (!takes_part(m, interaction))
        return false;
    if (law == STIC_LAW_FREE)
        return true;
    return law == STIC_LAW_NONNEG ? own_of(m, i) > 0.0 : bound_of(m, i) > 0.0;
}

/* ---- the problem ---- */

// the laws that settle, with directions of the end, and their shifts
typedef struct Settling {
    SticDirections directions;
    SticProblem problem;
    double *r, *before, *after; // [rows]
    int32_t *row_of, *law_of;   // [rows], [count] among the laws of the step
    Slips slips;
} Settling;

// restitution of every row of the laws
static SticStatus find_restitution(const SticMotion* m, double** restitution)
{
    double* ones = NULL;
    const int32_t rows = m->laws.set.rows;
    STIC_TRY(STIC_TAKE(m->stepper->arena, restitution, rows));
    STIC_TRY(STIC_TAKE(m->stepper->arena, &ones, rows));
    for (int32_t row = 0; row < rows; ++row) {
        ones[row] = 1.0;
        (*restitution)[row] = 0.0;
    }
    stic_parts_restitution(&m->laws.set, ones, *restitution);
    // bonds hold, and do not bounce
    for (int32_t i = 0; i < m->laws.set.count; ++i)
        for (int32_t row = m->laws.set.row_at[i];
             m->laws.set.interaction[i].bonded && row < m->laws.set.row_at[i + 1]; ++row)
            (*restitution)[row] = 0.0;
    return STIC_OK;
}

// what carried, traced to the end
static SticStatus fill_set(SticMotion* m, Settling* s)
{
    const SticSet* set = &m->laws.set;
    SticArena* arena = m->stepper->arena;
    uint8_t* keep = NULL;
    int32_t count = 0, rows = 0;
    SticSet traced;
    STIC_TRY(STIC_TAKE(arena, &keep, set->count));
    STIC_TRY(STIC_TAKE(arena, &s->law_of, set->count));
    STIC_TRY(STIC_TAKE(arena, &s->row_of, set->rows));
    for (int32_t i = 0; i < set->count; ++i)
        keep[i] = carried(m, i);
    for (int32_t i = 0; i < set->count; ++i) {
        const int32_t of = set->interaction[i].bound_of;
        // with a bound of its own alone it does not carry
        if (!keep[i] || (of >= 0 && !keep[of]))
            continue;
        s->law_of[count++] = i;
        for (int32_t row = set->row_at[i]; row < set->row_at[i + 1]; ++row)
            s->row_of[rows++] = row;
    }
    STIC_TRY(stic_discrete_trace(m->stepper, m->system, set, &m->end, &traced));
    STIC_TRY(stic_parts_keep(arena, &traced, keep, &s->directions.set));
    STIC_ASSERT(s->directions.set.count == count);
    return STIC_OK;
}

// Shifts of xi; what slides keeps the direction of its mean velocity
static SticStatus fill_shift(const SticMotion* m, const Settling* s, double* shift)
{
    const SticSet* set = &m->laws.set;
    double* restitution = NULL;
    STIC_TRY(find_restitution(m, &restitution));
    for (int32_t row = 0; row < s->directions.set.rows; ++row)
        shift[row] = -restitution[s->row_of[row]] * s->before[row];
    for (int32_t k = 0; k < s->directions.set.count; ++k) {
        const int32_t i = s->law_of[k], at = s->directions.set.row_at[k];
        Piece piece[2];
        const int32_t pieces = split(&set->interaction[i], bound_of(m, i), piece);
        for (int32_t p = 0; p < pieces; ++p)
            if (slides(m, &s->slips, i, &piece[p]))
                for (int32_t c = piece[p].first; c < piece[p].first + piece[p].rows; ++c)
                    shift[at + c] = s->slips.mean[set->row_at[i] + c] - s->before[at + c];
    }
    return STIC_OK;
}

static SticStatus prepare(SticMotion* m, Settling* s)
{
    SticArena* arena = m->stepper->arena;
    double *shift = NULL, *held = NULL;
    STIC_TRY(fill_set(m, s));
    const int32_t rows = s->directions.set.rows;
    if (rows == 0)
        return STIC_OK;
    STIC_TRY(stic_directions_prepare(m->stepper, m->system, &s->directions));
    STIC_TRY(stic_directions_measure(m->stepper, m->system, &m->end, STIC_WANT_CHI | STIC_WANT_H,
                                     NULL, &s->directions));
    STIC_TRY(STIC_TAKE(arena, &s->r, rows));
    STIC_TRY(STIC_TAKE(arena, &s->before, rows));
    STIC_TRY(STIC_TAKE(arena, &s->after, rows));
    STIC_TRY(STIC_TAKE(arena, &held, rows));
    STIC_TRY(stic_parts_problem(m->stepper, &s->directions, m->h, &s->problem, &shift));
    stic_directions_velocity(&s->directions, m->end.u, s->before);
    STIC_TRY(measure_motion(m, &s->slips));
    STIC_TRY(fill_shift(m, s, shift));
    for (int32_t row = 0; row < rows; ++row)
        held[row] =
            m->r[s->row_of[row]] + (s->problem.r_shift != NULL ? s->problem.r_shift[row] : 0.0);
    s->problem.r_shift = held;
    return STIC_OK;
}

/* ---- energy ---- */

// what the laws took in the motion, J; forces that hold parts together may give
static double took_of(const SticMotion* m, const double* mean)
{
    const SticSet* set = &m->laws.set;
    double took = 0.0;
    for (int32_t i = 0; i < set->count; ++i)
        for (int32_t row = set->row_at[i]; !set->interaction[i].bonded && row < set->row_at[i + 1];
             ++row)
            took -= m->r[row] * mean[row];
    return took > 0.0 ? took : 0.0;
}

// the largest s in [0, 1] for which s Lambda gives at most what the laws took in the motion
static double part_of(const SticMotion* m, const Settling* s)
{
    const double took = took_of(m, s->slips.mean);
    double a = 0.0, b = 0.0;
    for (int32_t row = 0; row < s->directions.set.rows; ++row) {
        a += 0.5 * s->r[row] * (s->after[row] - s->before[row]);
        b += s->r[row] * s->before[row];
    }
    if (a + b <= took)
        return 1.0;
    if (!(a > 0.0))
        return 0.0;
    // a s^2 + b s = took: the larger root, without cancellation
    const double root = sqrt(b * b + 4.0 * a * took);
    return b > 0.0 ? 2.0 * took / (b + root) : (root - b) / (2.0 * a);
}

// s Lambda in place of Lambda
static void scale_down(const SticMotion* m, double part, Settling* s, SticInstant* instant,
                       double* u)
{
    for (int32_t row = 0; row < s->directions.set.rows; ++row)
        s->r[row] *= part;
    for (int32_t c = 0; c < m->system->layout.nu; ++c)
        u[c] = m->end.u[c] + part * (u[c] - m->end.u[c]);
    for (int32_t k = 0; instant->tie_r != NULL && k < m->rows; ++k)
        instant->tie_r[k] *= part;
}

SticStatus stic_motion_settle(SticMotion* m, double* total, SticStepInfo* info)
{
    Settling s = {.row_of = NULL};
    double* u = NULL;
    const SticMemory nothing = {.count = 0};
    const SticSolveInfo motion = info->solve;
    const int32_t newton = info->newton;
    if (m->laws.set.rows == 0)
        return STIC_OK;
    STIC_TRY(prepare(m, &s));
    if (s.directions.set.rows == 0)
        return STIC_OK;
    STIC_TRY(STIC_TAKE(m->stepper->arena, &u, m->system->layout.nu));
    stic_motion_tell(m, &s.directions.set, s.before);
    SticInstant instant = {.laws = &s.directions,
                           .problem = &s.problem,
                           .u_before = m->end.u,
                           .end = true,
                           .kept = stic_motion_restitution(m),
                           .start = &nothing,
                           .law_of = s.law_of};
    STIC_TRY(stic_motion_instant(m, &instant, s.r, u, info));
    const bool solved = info->solve.outcome == STIC_OUTCOME_SOLVED;
    info->solve = motion;
    info->newton = newton;
    stic_directions_velocity(&s.directions, u, s.after);
    const double part = part_of(m, &s);
    if (!solved || part == 0.0)
        return STIC_OK;
    if (part < 1.0)
        scale_down(m, part, &s, &instant, u);
    STIC_TRY(stic_motion_account(m, &instant, s.r, u, info));
    memcpy(m->end.u, u, (size_t)m->system->layout.nu * sizeof *u);
    for (int32_t row = 0; row < s.directions.set.rows; ++row)
        total[s.row_of[row]] += s.r[row];
    return STIC_OK;
}
