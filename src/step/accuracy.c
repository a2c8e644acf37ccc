// SPDX-License-Identifier: Apache-2.0
// Levels of accuracy, and the only place where they become tolerances of solvers.
//
// The unit-free error of a problem is, in the norm of energies, a velocity over the velocity b that
// contacts would have at the end of the step without reactions (problem/errors.c). An error that is
// worth a velocity v is therefore a tolerance of v/V, with V the root of the sum of squares of b:
//
//     tolerance = max(motion U, creep L) / V,  at most `motion`
//
// U, L and V are those of a whole group (bodies joined by interactions), since reactions pass
// errors on. All of the error of a group may sit in one contact: since V is a sum over the group
// and L is not, even that contact creeps no more than promised. A group that collides, slides or
// rolls at U >= V gets `motion`. One that comes to rest gets a tolerance that falls with its speed,
// down to the creep that is allowed; there the reactions of the last step already solve the next
// problem, and the tight tolerance costs nothing. Friction that depends on the direction turns while
// a body slides straight on: reactions of the last step lag behind, always to the same side, and
// errors of a velocity along a surface add up. There U is at most the change of b in the step, what
// loads give and friction takes. Everything is a ratio of velocities: units,
// gravity and the step do not matter, and a tighter level asks for smaller errors everywhere.
// Bodies of unknown size have the size 0: they are held as still as rounding permits.
#include "step/accuracy.h"

#include <math.h>

#include "base/disjoint.h"
#include "problem/mass.h"
#include "step/parts.h"
#include "stiction/extend/law.h"
#include "stiction/extend/sparse.h"

static const SticAccuracyPromise promises[STIC_ACCURACY_COUNT] = {
    {"tolerance", "the tolerance of the solver", 0.0, 0.0, 0.0},
    {"preview", "to look at", 1e-2, 1e-7, 1e-6},
    {"standard", "for work", 1e-3, 1e-9, 1e-8},
    {"strict", "to compare with", 1e-8, 1e-12, 1e-10},
};

// Contacts forget an error of their velocity in the next step. Joints hold for the mean of the
// velocities before and after the reactions, and pass the error on with the opposite sign: a grip
// that closes on a can would keep drifting by the error of its first step.
#define JOINT_PART 1e-2

// relative errors of velocities that rounding leaves in a sum of a few products
static const double finest = 1e-14;

const SticAccuracyPromise* stic_accuracy_promise(SticAccuracy level)
{
    return &promises[(uint32_t)level < STIC_ACCURACY_COUNT ? level : STIC_ACCURACY_TOLERANCE];
}

static double larger(double a, double b)
{
    return a > b ? a : b;
}

static double smaller(double a, double b)
{
    return a < b ? a : b;
}

// a group of blocks, kept at its root
typedef struct Group {
    double speed; // U^2
    double free;  // V^2
    double given; // square of what loads change
    double size;  // L
    bool jointed; // it has joints
    bool askew;   // its friction depends on the direction
    double tolerance;
} Group;

// one block of an interaction that moves, -1: none does
static int32_t block_of(const SticInteraction* interaction)
{
    return interaction->block[0] >= 0 ? interaction->block[0] : interaction->block[1];
}

// squares of the rows of an interaction that are a velocity of a point: b, what loads change in
// them, and before the reactions
typedef struct Squares {
    double free, given, speed;
} Squares;

static inline Squares add_squares(const SticStepRows* rows, const double* b, int32_t at,
                                  int32_t count)
{
    const double times = rows->both ? 2.0 : 1.0;
    Squares sum = {0.0, 0.0, 0.0};
    for (int32_t row = at; row < at + count; ++row) {
        const double change = b[row] - times * rows->before[row];
        sum.free += b[row] * b[row];
        sum.given += change * change;
        sum.speed += rows->before[row] * rows->before[row];
    }
    return sum;
}

static Squares squares_of(const SticStepRows* rows, const double* b, int32_t i)
{
    const int32_t at = rows->set->row_at[i], count = rows->set->row_at[i + 1] - at;
    // with a constant number of rows
    return count >= 3 ? add_squares(rows, b, at, 3) : add_squares(rows, b, at, count);
}

// whether the relative velocity of an interaction shows that something moves: never for joints
static bool tells_motion(const SticInteraction* interaction)
{
    return interaction->level == STIC_LEVEL_CONTACT || interaction->bound_of >= 0;
}

// P' M^-1 f + w + u_shift, or b + u_shift where the problem has no masses
static SticStatus free_velocity(const SticStepRows* rows, const SticProblem* problem,
                                SticArena* arena, double* b)
{
    for (int32_t row = 0; rows->gain != NULL && row < problem->rows; ++row)
        b[row] = rows->before[row] + rows->gain[row] + problem->u_shift[row];
    if (rows->gain != NULL)
        return STIC_OK;
    const SticBlockCsr* Pt = problem->Pt != NULL ? problem->Pt : problem->Ht;
    const double* known = problem->M != NULL ? problem->w : problem->b;
    double* v = NULL;
    for (int32_t row = 0; row < problem->rows; ++row)
        b[row] = known[row] + (problem->u_shift != NULL ? problem->u_shift[row] : 0.0);
    if (problem->M == NULL)
        return STIC_OK;
    STIC_TRY(STIC_TAKE(arena, &v, problem->dof));
    STIC_TRY(stic_mass_solve(problem->M, problem->f, v));
    stic_block_csr_multiply(1.0, Pt, v, 1.0, b);
    return STIC_OK;
}

static void measure_groups(const SticStepRows* rows, const double* b, int32_t* parent, Group* group)
{
    const SticSet* set = rows->set;
    const int32_t* last = NULL; // blocks of the interaction before
    Group* own = NULL;
    for (int32_t i = 0; i < set->count; ++i) {
        const SticInteraction* interaction = &set->interaction[i];
        const int32_t block = block_of(interaction);
        if (block < 0)
            continue;
        // the contacts of a pair follow each other
        const bool again =
            last != NULL && interaction->block[0] == last[0] && interaction->block[1] == last[1];
        last = interaction->block;
        own = again ? own : &group[stic_disjoint_root(parent, block)];
        const Squares squares = squares_of(rows, b, i);
        own->free += squares.free;
        own->given += squares.given;
        if (tells_motion(interaction))
            own->speed += squares.speed;
        own->askew = own->askew || interaction->law == STIC_LAW_CONE_ELLIPSE;
        own->jointed = own->jointed || interaction->level == STIC_LEVEL_POSITION;
        for (int side = 0; side < 2 && !again; ++side)
            if (interaction->block[side] >= 0)
                own->size = smaller(
                    own->size, rows->size != NULL ? rows->size[interaction->block[side]] : 0.0);
    }
}

// `least` are velocities that the equations leave undetermined: an error worth less than that does
// not count
static double tolerance_of(const SticAccuracyPromise* promise, const Group* group, double least)
{
    const double free = sqrt(group->free),
                 motion = promise->motion * (group->jointed ? JOINT_PART : 1.0);
    // errors accumulate over the layers of a stack
    const double creep = 0.5 * promise->creep * group->size;
    const double speed = group->askew ? smaller(group->speed, group->given) : group->speed,
                 allowed = larger(motion * sqrt(speed), creep);
    // nothing moves and nothing pushes: every tolerance is met
    if (!(free > least))
        return least > 0.0 ? 1.0 : motion;
    return larger(larger(smaller(allowed / free, motion), least / free), finest);
}

SticStatus stic_accuracy_tolerances(const SticAccuracyPromise* promise, const SticStepRows* rows,
                                    const SticProblem* problem, SticArena* arena,
                                    const double** tolerance)
{
    const SticSet* set = rows->set;
    int32_t* parent = NULL;
    Group* group = NULL;
    double *b = NULL, *made = NULL;
    STIC_TRY(STIC_TAKE(arena, &made, set->count));
    const SticArenaMark mark = stic_arena_mark(arena);
    STIC_TRY(STIC_TAKE(arena, &parent, rows->blocks));
    STIC_TRY(STIC_TAKE(arena, &group, rows->blocks));
    STIC_TRY(STIC_TAKE(arena, &b, set->rows));
    for (int32_t k = 0; k < rows->blocks; ++k)
        group[k] = (Group){.size = INFINITY};
    STIC_TRY(free_velocity(rows, problem, arena, b));
    stic_parts_join(set, UINT32_MAX, parent, rows->blocks);
    measure_groups(rows, b, parent, group);
    for (int32_t k = 0; k < rows->blocks; ++k)
        if (parent[k] == k)
            group[k].tolerance = tolerance_of(promise, &group[k], rows->least);
    double own = promise->motion;
    for (int32_t i = 0, last = -1; i < set->count; ++i) {
        const int32_t block = block_of(&set->interaction[i]);
        if (block != last)
            own = block < 0 ? promise->motion : group[stic_disjoint_root(parent, block)].tolerance;
        last = block;
        made[i] = own;
    }
    stic_arena_rewind(arena, mark);
    *tolerance = made;
    return STIC_OK;
}
