// SPDX-License-Identifier: Apache-2.0
// The settling stage of the energy-consistent schemes: contacts that carried in the motion stage
// obey their laws at the end of the step too.
//
// The motion stage holds its laws for the mean velocity: a contact that sticks, or is suddenly
// seized by friction (Painlevé), reverses its velocity as if it were elastic. This stage replaces
// the impulses r of the motion by R = r + Lambda, with coordinates frozen:
//
//   M (u+ - uE) = H Lambda + ties       gamma+ - eps gammaE obeys the laws with R
//
// Sets do not depend on R: normal impulses are >= 0, friction is bounded by the normal impulse r_N
// of the motion. So r is admissible, and with xi = gamma+ - eps gammaE, gamma+ = gammaE + W Lambda
//
//   T+ - TE = Lambda'(gamma+ + gammaE)/2
//           = Lambda'xi/(1 - eps) - (1/(1 - eps) - 1/2) Lambda'W Lambda
//
// is not positive for one eps < 1: the first term by the normal cone, the second as W is positive.
// With eps = 1 Lambda = 0. Directions are those of the end, so that velocities of closed contacts
// are consistent there; ties take part, friction that slides does not. A result that is not solved,
// or that would gain energy (different eps), is not used.
#include "step/consistent.h"
#include "step/schemes.h"

#include "stiction/extend/base.h"
#include "stiction/extend/law.h"
#include "stiction/extend/sparse.h"

#include <math.h>
#include <string.h>

// one piece of a contact's law when its bound is known
typedef struct Piece {
    int32_t interaction, first, rows; // rows of the interaction
    SticLaw law;
    double coef[4], bound;
} Piece;

typedef struct Pieces {
    Piece* piece;
    int32_t count, rows;
    double *mean, *ends; // [law rows] velocities that the laws held for, and sum of both ends'
} Pieces;

// velocities along the directions of the motion
static SticStatus measure_motion(const SticMotion* m, Pieces* pieces)
{
    const int32_t rows = m->laws.set.rows;
    double* late = NULL;
    STIC_TRY(STIC_TAKE(m->stepper->arena, &pieces->mean, rows));
    STIC_TRY(STIC_TAKE(m->stepper->arena, &pieces->ends, rows));
    STIC_TRY(STIC_TAKE(m->stepper->arena, &late, rows));
    stic_block_csr_multiply(1.0, &m->laws.Ht, m->u_impact, 0.0, pieces->ends);
    stic_block_csr_multiply(1.0, &m->laws.Ht, m->x, 0.0, late);
    for (int32_t row = 0; row < rows; ++row) {
        const double first = pieces->ends[row] + m->chi[row], last = late[row] + m->chi[row];
        pieces->mean[row] = 0.5 * (first + last);
        pieces->ends[row] = fabs(first) + fabs(last);
    }
    return STIC_OK;
}

// Friction that slides stays as it is: its direction is that of the mean velocity, which is of
// second order; that of the end would be of first. Reactions of several points of one body are not
// unique, and may be at their bounds where it sticks: a contact that slides also moves in the mean.
static bool slides(const Pieces* pieces, const SticMotion* m, const Piece* piece)
{
    const SticLaw law = piece->law;
    const int32_t first = m->laws.set.row_at[piece->interaction] + piece->first;
    const double* r = m->r + first;
    double beyond[6], mean = 0.0, ends = 0.0;
    if (law == STIC_LAW_FREE || law == STIC_LAW_NONNEG)
        return false;
    for (int32_t k = 0; k < piece->rows; ++k) {
        mean += fabs(pieces->mean[first + k]);
        ends += pieces->ends[first + k];
    }
    // far above what solvers leave and far below what matters
    if (mean <= 1e-6 * ends + 10.0 * m->noise)
        return false;
    // inside the set by more than what a solver leaves
    for (int32_t k = 0; k < piece->rows; ++k)
        beyond[k] = 1.000001 * r[k];
    const SticConvexSet set = stic_law_set(law, piece->rows, piece->coef, piece->bound);
    return !stic_set_contains(&set, beyond, 0.0);
}

static void add_piece(Pieces* pieces, const SticMotion* m, Piece piece)
{
    if (slides(pieces, m, &piece))
        return;
    pieces->rows += piece.rows;
    pieces->piece[pieces->count++] = piece;
}

// rows of friction with one coefficient
static Piece friction(int32_t i, int32_t first, int32_t rows, double mu, double bound)
{
    return (Piece){.interaction = i,
                   .first = first,
                   .rows = rows,
                   .law = rows == 1 ? STIC_LAW_INTERVAL : STIC_LAW_BALL,
                   .coef = {mu, mu},
                   .bound = bound};
}

// a law with a normal row: the normal, and friction bounded by the impulse there is
static void split_cone(Pieces* pieces, const SticMotion* m, int32_t i, double normal)
{
    const SticInteraction* interaction = &m->laws.set.interaction[i];
    const double* coef = interaction->coef;
    const int32_t rows = interaction->rows;
    add_piece(pieces, m, (Piece){.interaction = i, .rows = 1, .law = STIC_LAW_NONNEG});
    switch ((SticLaw)interaction->law) {
    case STIC_LAW_ROLLING:
        add_piece(pieces, m, friction(i, 1, rows / 2, coef[0], normal));
        add_piece(pieces, m, friction(i, 1 + rows / 2, rows / 2, coef[2], normal));
        break;
    case STIC_LAW_CONE:
        add_piece(pieces, m, friction(i, 1, rows - 1, coef[0], normal));
        break;
    default: {
        Piece piece = {.interaction = i,
                       .first = 1,
                       .rows = rows - 1,
                       .law = interaction->law == STIC_LAW_CONE_ELLIPSE ? STIC_LAW_ELLIPSE
                                                                        : STIC_LAW_CONTENSOU,
                       .bound = normal};
        memcpy(piece.coef, coef, sizeof piece.coef);
        add_piece(pieces, m, piece);
    }
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

// laws of all that carried; at most three pieces each
static void split(const SticMotion* m, Pieces* pieces)
{
    const SticSet* set = &m->laws.set;
    for (int32_t i = 0; i < set->count; ++i) {
        const SticInteraction* interaction = &set->interaction[i];
        const SticLaw law = (SticLaw)interaction->law;
        if (!takes_part(m, interaction))
            continue;
        // of a bond: what is left of its largest pull as well
        const double own = m->r[set->row_at[i]] + m->h * interaction->cohesion;
        if (stic_law_has_normal(law)) {
            if (own > 0.0)
                split_cone(pieces, m, i, own);
            continue;
        }
        Piece piece = {.interaction = i, .rows = interaction->rows, .law = law};
        memcpy(piece.coef, interaction->coef, sizeof piece.coef);
        piece.bound = m->h * interaction->bound;
        if (interaction->bound_of >= 0)
            piece.bound += m->r[set->row_at[interaction->bound_of]];
        const bool idle =
            law == STIC_LAW_NONNEG ? !(own > 0.0) : law != STIC_LAW_FREE && !(piece.bound > 0.0);
        if (!idle)
            add_piece(pieces, m, piece);
    }
}

/* ---- the problem ---- */

// the pieces as a set with directions of the end, and as laws with their shifts
typedef struct Settling {
    SticDirections directions;
    SticProblem problem;
    double *r, *before, *after; // [rows]
    const int32_t* row_of;      // [rows] row of the motion's laws
    const int32_t* law_of;      // [count] which of them a piece belongs to
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

static SticStatus fill_set(const SticMotion* m, const Pieces* pieces, Settling* s)
{
    const SticSet* set = &m->laws.set;
    SticArena* arena = m->stepper->arena;
    SticInteraction* interaction = NULL;
    int32_t *row_at = NULL, *row_of = NULL, *law_of = NULL, rows = 0;
    STIC_TRY(STIC_TAKE(arena, &law_of, pieces->count));
    STIC_TRY(STIC_TAKE(arena, &interaction, pieces->count));
    STIC_TRY(STIC_TAKE(arena, &row_at, pieces->count + 1));
    STIC_TRY(STIC_TAKE(arena, &row_of, pieces->rows));
    for (int32_t k = 0; k < pieces->count; ++k) {
        const Piece* piece = &pieces->piece[k];
        interaction[k] = set->interaction[piece->interaction];
        interaction[k].law = (uint8_t)piece->law;
        interaction[k].rows = (uint8_t)piece->rows;
        interaction[k].bound = piece->bound;
        interaction[k].bound_of = -1;
        memcpy(interaction[k].coef, piece->coef, sizeof piece->coef);
        row_at[k] = rows;
        law_of[k] = piece->interaction;
        for (int32_t c = 0; c < piece->rows; ++c)
            row_of[rows++] = set->row_at[piece->interaction] + piece->first + c;
    }
    row_at[pieces->count] = rows;
    s->row_of = row_of;
    s->law_of = law_of;
    s->directions.set = (SticSet){
        .count = pieces->count, .rows = rows, .interaction = interaction, .row_at = row_at};
    return STIC_OK;
}

// rows of H' and chi at the end, picked from those of whole interactions
static SticStatus fill_directions(const SticMotion* m, const Pieces* pieces, Settling* s)
{
    SticArena* arena = m->stepper->arena;
    SticDirections whole = {.set = m->laws.set}, *to = &s->directions;
    STIC_TRY(stic_discrete_trace(m->stepper, m->system, &m->laws.set, &m->end, &whole.set));
    STIC_TRY(stic_directions_prepare(m->stepper, m->system, &whole));
    STIC_TRY(stic_directions_measure(m->stepper, m->system, &m->end, STIC_WANT_CHI | STIC_WANT_H,
                                     NULL, &whole));
    STIC_TRY(stic_directions_prepare(m->stepper, m->system, to));
    STIC_TRY(STIC_TAKE(arena, &to->measures.H, to->u_pattern.values));
    STIC_TRY(STIC_TAKE(arena, &to->measures.chi, to->set.rows));
    for (int32_t k = 0; k < pieces->count; ++k) {
        const Piece* piece = &pieces->piece[k];
        const SticBlockCsr *from = &whole.u_pattern.csr, *csr = &to->u_pattern.csr;
        for (int32_t e = csr->begin[k], f = from->begin[piece->interaction]; e < csr->begin[k + 1];
             ++e, ++f) {
            const int32_t* u_at = m->system->layout.u_at + csr->col[e];
            const int32_t n = u_at[1] - u_at[0];
            memcpy(to->measures.H + csr->value_at[e],
                   whole.measures.H + from->value_at[f] + (int64_t)piece->first * n,
                   (size_t)(piece->rows * n) * sizeof(double));
        }
    }
    for (int32_t row = 0; row < to->set.rows; ++row)
        to->measures.chi[row] = whole.measures.chi[s->row_of[row]];
    to->Ht = to->u_pattern.csr;
    to->Ht.value = to->measures.H;
    return STIC_OK;
}

static SticStatus prepare(SticMotion* m, const Pieces* pieces, Settling* s)
{
    SticArena* arena = m->stepper->arena;
    double *shift = NULL, *held = NULL, *restitution = NULL;
    memset(s, 0, sizeof *s);
    STIC_TRY(fill_set(m, pieces, s));
    STIC_TRY(fill_directions(m, pieces, s));
    const int32_t rows = s->directions.set.rows;
    STIC_TRY(STIC_TAKE(arena, &s->r, rows));
    STIC_TRY(STIC_TAKE(arena, &s->before, rows));
    STIC_TRY(STIC_TAKE(arena, &s->after, rows));
    STIC_TRY(STIC_TAKE(arena, &held, rows));
    STIC_TRY(find_restitution(m, &restitution));
    // bounds are impulses already
    STIC_TRY(stic_parts_problem(m->stepper, &s->directions, 1.0, &s->problem, &shift));
    stic_directions_velocity(&s->directions, m->end.u, s->before);
    for (int32_t row = 0; row < rows; ++row) {
        shift[row] = -restitution[s->row_of[row]] * s->before[row];
        held[row] = m->r[s->row_of[row]];
    }
    for (int32_t k = 0; k < pieces->count; ++k)
        if (pieces->piece[k].first == 0)
            held[s->directions.set.row_at[k]] +=
                m->h * m->laws.set.interaction[pieces->piece[k].interaction].cohesion;
    s->problem.r_shift = held;
    return STIC_OK;
}

SticStatus stic_motion_settle(SticMotion* m, double* total, SticStepInfo* info)
{
    Pieces pieces = {.count = 0};
    Settling s;
    double *u = NULL, work = 0.0;
    const SticMemory nothing = {.count = 0};
    const SticSolveInfo motion = info->solve;
    const int32_t newton = info->newton;
    if (m->laws.set.rows == 0)
        return STIC_OK;
    STIC_TRY(STIC_TAKE(m->stepper->arena, &pieces.piece, 3 * (int64_t)m->laws.set.count));
    STIC_TRY(STIC_TAKE(m->stepper->arena, &u, m->system->layout.nu));
    STIC_TRY(measure_motion(m, &pieces));
    split(m, &pieces);
    if (pieces.count == 0)
        return STIC_OK;
    STIC_TRY(prepare(m, &pieces, &s));
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
    for (int32_t row = 0; row < s.directions.set.rows; ++row)
        work += 0.5 * s.r[row] * (s.after[row] + s.before[row]);
    if (!solved || work > 0.0)
        return STIC_OK;
    STIC_TRY(stic_motion_account(m, &instant, s.r, u, info));
    memcpy(m->end.u, u, (size_t)m->system->layout.nu * sizeof *u);
    for (int32_t row = 0; row < s.directions.set.rows; ++row)
        total[s.row_of[row]] += s.r[row];
    return STIC_OK;
}

uint32_t stic_consistent_poses(const void* settings, uint32_t laws)
{
    const SticConsistentSettings* given = settings;
    const uint32_t cones = STIC_LAW_BIT(STIC_LAW_CONE) | STIC_LAW_BIT(STIC_LAW_ROLLING);
    uint32_t pieces = 0;
    if (given != NULL && (!given->settle || given->stages == STIC_STAGES_ONE))
        return laws;
    if ((laws & cones) != 0)
        pieces |= STIC_LAW_BIT(STIC_LAW_BALL);
    if ((laws & STIC_LAW_BIT(STIC_LAW_CONE_ELLIPSE)) != 0)
        pieces |= STIC_LAW_BIT(STIC_LAW_ELLIPSE);
    if ((laws & STIC_LAW_BIT(STIC_LAW_CONE_CONTENSOU)) != 0)
        pieces |= STIC_LAW_BIT(STIC_LAW_CONTENSOU);
    return laws | pieces;
}
