// SPDX-License-Identifier: Apache-2.0
// Position correction: overlaps and open joints that the velocity level leaves are taken back.
//
//   min 1/2 d' M d   with   H'd + s >= 0 (contacts),  H'd + s = 0 (joints),
//   s = rate (g + allowance) where a contact is deeper than the allowance, g + allowance where it
//   is not, rate g for joints
//
// d is a displacement, not a velocity: only the coordinates move, along their charts, and their
// effect on the potential energy is the ledger's term `correction`. It is a projection of the kind
// that Möller (2011, section 5.2) and others use after a step; nothing else in a step depends on
// it. The allowance keeps contacts closed, so that the next step finds them. Friction rows take no
// part. Cost: one measure of the contacts of the step (a detection where the scheme does not look
// ahead) and one problem with normal rows, only if something is too deep, and only of the groups of
// bodies in which something is.
#include <math.h>
#include <string.h>

#include "base/disjoint.h"
#include "problem/mass.h"
#include "solver/method/chain.h"
#include "solver/task.h"
#include "step/accuracy.h"
#include "step/parts.h"
#include "stiction/extend/sparse.h"
#include "system/push.h"

// joints are closed to this part of the size of a body; contacts that must not open keep as much
#define CLOSED_PART 1e-9
enum { MOST_PROJECTIONS = 3, MOST_AGAIN = 3 };
// displacements of joints are small: an error of this part of them is negligible
#define DISPLACED 1e-6

// leave contacts their normal row alone, in a part that was made for this
static void drop_friction(SticSet* part)
{
    SticInteraction* interaction = (SticInteraction*)part->interaction;
    int32_t* row_at = (int32_t*)part->row_at;
    for (int32_t i = 0; i < part->count; ++i) {
        interaction[i].cohesion = 0.0;
        if (interaction[i].level == STIC_LEVEL_CONTACT) {
            interaction[i].law = STIC_LAW_NONNEG;
            interaction[i].rows = 1;
        }
        row_at[i + 1] = row_at[i] + interaction[i].rows;
    }
    part->rows = row_at[part->count];
}

// The law on gaps has the contacts of a step that may close before the middle of the next one:
// nothing else can be too deep at its end
static bool looked_ahead(const SticStepRecord* record, const SticCorrection* correction)
{
    return correction->by_size && record != NULL && record->filled && record->allowance != NULL;
}

// what may be too deep or open: gaps alone, since most steps correct a few groups of bodies at most
typedef struct Gaps {
    SticSet set;   // as the step has it, friction and all
    uint8_t* keep; // [count] contacts and joints
    double* gap;   // [rows]
    double* shift; // [rows]
} Gaps;

// the contacts of the step as they are at its end, searched for again where surfaces wander, or
// those that are found there
static SticStatus take_contacts(SticStepper* stepper, const SticSystem* system,
                                const SticState* state, const SticCorrection* correction,
                                Gaps* gaps)
{
    SticArena* arena = stepper->arena;
    const bool ahead = looked_ahead(stepper->record, correction);
    const SticReach near = {.gap = correction->allowance};
    if (ahead)
        gaps->set = stepper->record->set;
    else
        STIC_TRY(system->ops->detect(system, state, &near, arena, &gaps->set));
    STIC_TRY(STIC_TAKE(arena, &gaps->keep, gaps->set.count));
    memset(gaps->keep, 1, (size_t)gaps->set.count);
    if (ahead && system->ops->retrace != NULL)
        STIC_TRY(system->ops->retrace(system, &stepper->record->set, state, arena, &gaps->set,
                                      gaps->keep));
    for (int32_t i = 0; i < gaps->set.count; ++i)
        gaps->keep[i] = gaps->keep[i] && gaps->set.interaction[i].level != STIC_LEVEL_RATE;
    return STIC_OK;
}

static SticStatus find_gaps(SticStepper* stepper, const SticSystem* system, const SticState* state,
                            const SticCorrection* correction, Gaps* gaps)
{
    SticMeasures measures = {.want = STIC_WANT_GAP};
    STIC_TRY(take_contacts(stepper, system, state, correction, gaps));
    STIC_TRY(STIC_TAKE(stepper->arena, &gaps->gap, gaps->set.rows));
    STIC_TRY(STIC_TAKE(stepper->arena, &gaps->shift, gaps->set.rows));
    measures.gap = gaps->gap;
    return system->ops->measure(system, &gaps->set, state, &measures);
}

// rows of an interaction that are corrected: friction takes no part
static int32_t rows_of(const SticInteraction* interaction)
{
    return interaction->level == STIC_LEVEL_CONTACT ? 1 : interaction->rows;
}

// Schemes that find contacts where they overlap, and promise to keep the overlap, lose a contact
// that a correction opens: its body falls freely in the next step, is put back, and gains speed in
// place
static bool needs_overlap(const SticStepper* stepper)
{
    return (stepper->scheme->promises & STIC_PROMISE_BIT(STIC_PROMISE_GAP)) != 0;
}

// place of an interaction in the record; contacts of a part are in its order, so that the next one
// is mostly a few places behind the last
static int32_t find_behind(const SticSet* set, uint64_t id, int32_t last)
{
    enum { LOOKS = 8 }; // about the price of the search in a list of thousands
    for (int32_t next = last + 1; next < set->count && next <= last + LOOKS; ++next)
        if (set->interaction[next].id == id)
            return next;
    return stic_parts_find(set, id);
}

// how much of the overlap of contact i is left, also according to its last step
static double allowance_of(const SticStepper* stepper, const SticCorrection* correction,
                           const SticInteraction* interaction, int32_t i)
{
    double allowance = correction->allowance;
    if (needs_overlap(stepper) && CLOSED_PART * interaction->size > allowance)
        allowance = CLOSED_PART * interaction->size;
    if (!correction->by_size)
        return allowance;
    // a contact without a size has no measure for an overlap that is too deep
    if (interaction->size == 0.0)
        return INFINITY;
    if (STIC_OVERLAP_PART * interaction->size > allowance)
        allowance = STIC_OVERLAP_PART * interaction->size;
    if (!looked_ahead(stepper->record, correction))
        return allowance;
    return stepper->record->allowance[i] > allowance ? stepper->record->allowance[i] : allowance;
}

// whether contact i of the step, which is too deep at its end, still exists: a corner may have left
// its face since the middle
static SticStatus is_there(const SticStepper* stepper, const SticSystem* system,
                           const SticState* state, const SticInteraction* contact, int32_t i,
                           bool* there)
{
    const SticStepRecord* record = stepper->record;
    double gap[2], way = INFINITY;
    *there = true;
    if (record->set.exit == NULL || system->ops->gap == NULL || contact->bonded)
        return STIC_OK;
    if (record->velocity != NULL && record->set.interaction[i].rows >= 3) {
        const double* slip = record->velocity + record->set.row_at[i] + 1;
        way = record->h * (fabs(slip[0]) + fabs(slip[1]));
    }
    if (way < record->set.exit[i])
        return STIC_OK;
    STIC_TRY(system->ops->gap(system, state, contact->part, contact->id, false, gap));
    *there = isfinite(gap[0]);
    return STIC_OK;
}

// contacts that no longer exist get a gap that nothing closes
static SticStatus open_left(SticStepper* stepper, const SticSystem* system, const SticState* state,
                            const SticCorrection* correction, Gaps* gaps)
{
    const SticSet* set = &gaps->set;
    if (!looked_ahead(stepper->record, correction))
        return STIC_OK;
    for (int32_t i = 0; i < set->count; ++i) {
        const SticInteraction* contact = &set->interaction[i];
        double* gap = &gaps->gap[set->row_at[i]];
        bool there = true;
        if (gaps->keep[i] && contact->level == STIC_LEVEL_CONTACT &&
            *gap < -STIC_OVERLAP_PART * contact->size)
            STIC_TRY(is_there(stepper, system, state, contact, i, &there));
        if (!there)
            *gap = 1.0;
    }
    return STIC_OK;
}

// shifts of the problem; returns the largest overlap beyond the allowance, or joint gap
static double fill_shift(const SticStepper* stepper, const SticCorrection* correction, Gaps* gaps)
{
    const SticSet* set = &gaps->set;
    double worst = 0.0;
    for (int32_t i = 0; i < set->count; ++i) {
        const SticInteraction* own = &set->interaction[i];
        const bool contact = own->level == STIC_LEVEL_CONTACT;
        if (!gaps->keep[i])
            continue;
        const double allowance =
            contact ? allowance_of(stepper, correction, own, i) : correction->allowance;
        for (int32_t row = set->row_at[i]; row < set->row_at[i] + rows_of(own); ++row) {
            const double gap = gaps->gap[row] + (contact ? allowance : 0.0);
            gaps->shift[row] =
                contact && gap > 0.0 ? (gap < 1.0 ? gap : 1.0) : correction->rate * gap;
            const double excess = contact ? -gap : fabs(gap) - allowance;
            worst = excess > worst ? excess : worst;
        }
    }
    return worst;
}

// The error of displacements, as a part of them. The remainder of a correction of overlaps is taken
// back by that of the next step, so that it needs no more digits than velocities do; a tight
// projection of a wall that was hit cost twice its dynamics. Joints are different: their velocities
// rely on positions that are closed.
static double tolerance_of(const SticStepper* stepper, const SticSet* set)
{
    const double tolerance = stepper->solve.settings.tolerance;
    for (int32_t i = 0; i < set->count; ++i)
        if (set->interaction[i].level == STIC_LEVEL_POSITION)
            return tolerance > DISPLACED ? DISPLACED : tolerance;
    return stepper->accuracy != STIC_ACCURACY_TOLERANCE
               ? stic_accuracy_promise(stepper->accuracy)->motion
               : tolerance;
}

// A correction takes back a part of an overlap, STIC_CORRECTION_RATE by default: displacements that
// are off by a third take back between an eighth and a quarter of it, and the next ones the rest.
#define MOST_ERROR 0.3

// what decides how exact the displacements of a group of bodies must be, kept at its root
typedef struct Moved {
    double speed, shift; // squares of relative velocities, and of what is taken back
} Moved;

static int32_t block_of(const SticInteraction* interaction)
{
    return interaction->block[0] >= 0 ? interaction->block[0] : interaction->block[1];
}

// Displacements move bodies, and so do velocities: the displacements of a group of contacts may be
// wrong by `motion` times the relative motion of its bodies in the step, an error that the promise
// (accuracy.c) allows in any case. NULL: one tolerance for all.
static SticStatus find_tolerances(const SticStepper* stepper, const SticSet* set,
                                  const double* shift, int32_t blocks, const double** tolerance)
{
    SticArena* arena = stepper->arena;
    const SticStepRecord* record = stepper->record;
    const double motion = tolerance_of(stepper, set);
    int32_t *parent = NULL, place = -1;
    Moved* moved = NULL;
    double* made = NULL;
    *tolerance = NULL;
    if (stepper->accuracy == STIC_ACCURACY_TOLERANCE || needs_overlap(stepper) || record == NULL ||
        !record->filled || record->velocity == NULL)
        return STIC_OK;
    STIC_TRY(STIC_TAKE(arena, &made, set->count));
    STIC_TRY(STIC_TAKE(arena, &parent, blocks));
    STIC_TRY(STIC_TAKE(arena, &moved, blocks));
    memset(moved, 0, (size_t)blocks * sizeof *moved);
    stic_parts_join(set, UINT32_MAX, parent, blocks);
    for (int32_t i = 0; i < set->count; ++i) {
        if (set->interaction[i].level != STIC_LEVEL_CONTACT)
            return STIC_OK;
        Moved* own = &moved[stic_disjoint_root(parent, block_of(&set->interaction[i]))];
        const double s = shift[set->row_at[i]];
        own->shift += s < 0.0 ? s * s : 0.0;
        place = find_behind(&record->set, set->interaction[i].id, place);
        for (int32_t k = 0; place >= 0 && k < 3 && k < record->set.interaction[place].rows; ++k) {
            const double u = record->velocity[record->set.row_at[place] + k];
            own->speed += u * u;
        }
    }
    for (int32_t i = 0; i < set->count; ++i) {
        const Moved* own = &moved[stic_disjoint_root(parent, block_of(&set->interaction[i]))];
        const double way = record->h * sqrt(own->speed), off = sqrt(own->shift);
        made[i] = !(motion * way < MOST_ERROR * off) ? MOST_ERROR
                  : way > off                        ? motion * way / off
                                                     : motion;
    }
    *tolerance = made;
    return STIC_OK;
}

typedef struct LeastMotion {
    const double* tolerance; // [count] NULL: one for all
    double *d, *r;           // [nu], and the impulses that make it [rows]
} LeastMotion;

// the least d in the metric of the mass that obeys the laws on H'd + shift; in the arena
static SticStatus least_motion(SticStepper* stepper, const SticMass* mass,
                               const SticDirections* directions, const SticProblem* laws,
                               LeastMotion* motion, SticSolveInfo* info)
{
    SticArena* arena = stepper->arena;
    const int32_t nu = stic_block_csr_height(mass->A), rows = directions->set.rows;
    double *zero = NULL, *u = NULL, *scratch = NULL;
    STIC_TRY(STIC_TAKE(arena, &zero, nu + rows));
    STIC_TRY(STIC_TAKE(arena, &motion->r, rows));
    STIC_TRY(STIC_TAKE(arena, &u, rows));
    STIC_TRY(STIC_TAKE(arena, &motion->d, nu));
    STIC_TRY(STIC_TAKE(arena, &scratch, nu));
    memset(zero, 0, (size_t)(nu + rows) * sizeof *zero);
    memset(motion->r, 0, (size_t)rows * sizeof *motion->r);
    SticProblem problem = *laws;
    problem.dof = nu;
    problem.M = mass;
    problem.Ht = &directions->Ht;
    problem.f = zero;
    problem.w = zero + nu;
    SticSolveRequest request = stepper->solve;
    request.settings.warm_start = false;
    request.settings.tolerance = tolerance_of(stepper, &directions->set);
    request.tolerance = motion->tolerance;
    STIC_TRY(stic_solve(&problem, &request, motion->r, u, info));
    stic_parts_velocity(mass, &directions->Ht, zero, motion->r, motion->d, scratch);
    return STIC_OK;
}

// move coordinates by displacements d, with room for them in q
static void move(const SticLayout* layout, const double* d, double* q, SticState* state)
{
    stic_parts_drift(layout, state->q, d, 1.0, q);
    for (int32_t i = 0; i < layout->blocks; ++i)
        stic_chart_normalize((SticChart)layout->chart[i], q + layout->q_at[i]);
    memcpy(state->q, q, (size_t)layout->nq * sizeof *q);
}

static SticStatus displace(SticStepper* stepper, const SticSystem* system,
                           const SticDirections* directions, const SticProblem* laws,
                           SticState* state, SticSolveInfo* info)
{
    const SticLayout* layout = &system->layout;
    double* q = NULL;
    LeastMotion least;
    SticMass mass;
    STIC_TRY(STIC_TAKE(stepper->arena, &q, layout->nq));
    STIC_TRY(system->ops->mass(system, state, stepper->arena, &mass));
    STIC_TRY(find_tolerances(stepper, &directions->set, laws->u_shift, layout->blocks,
                             &least.tolerance));
    STIC_TRY(least_motion(stepper, &mass, directions, laws, &least, info));
    if (info->outcome == STIC_OUTCOME_SOLVED)
        move(layout, least.d, q, state);
    return STIC_OK;
}

static void join_kept(const Gaps* gaps, int32_t* parent, int32_t blocks)
{
    stic_disjoint_start(parent, blocks);
    for (int32_t i = 0; i < gaps->set.count; ++i) {
        const SticInteraction* own = &gaps->set.interaction[i];
        if (!gaps->keep[i])
            continue;
        if (own->block[0] >= 0 && own->block[1] >= 0)
            stic_disjoint_join(parent, own->block[0], own->block[1]);
        for (int k = 0; k < own->alsos; ++k)
            stic_disjoint_join(parent, own->block[1], own->also[k]);
    }
}

// the groups of bodies in which a contact is too deep or a joint open: the others would not move
static SticStatus keep_moved(SticArena* arena, int32_t blocks, Gaps* gaps)
{
    const SticSet* set = &gaps->set;
    int32_t* parent = NULL;
    uint8_t* off = NULL;
    STIC_TRY(STIC_TAKE(arena, &parent, blocks));
    STIC_TRY(STIC_TAKE(arena, &off, blocks));
    memset(off, 0, (size_t)blocks);
    join_kept(gaps, parent, blocks);
    for (int pass = 0; pass < 2; ++pass)
        for (int32_t i = 0; i < set->count; ++i) {
            const SticInteraction* one = &set->interaction[i];
            const int32_t block = block_of(one);
            const int32_t root =
                gaps->keep[i] && block >= 0 ? stic_disjoint_root(parent, block) : -1;
            bool moves = false;
            for (int32_t k = 0; root >= 0 && k < rows_of(one); ++k) {
                const double shift = gaps->shift[set->row_at[i] + k];
                moves = moves || shift < 0.0 || (shift > 0.0 && one->level != STIC_LEVEL_CONTACT);
            }
            if (moves)
                off[root] = 1;
            if (pass == 1)
                gaps->keep[i] = root >= 0 && off[root];
        }
    return STIC_OK;
}

// directions and shifts of those groups
static SticStatus narrow(SticStepper* stepper, const SticSystem* system, const SticState* state,
                         Gaps* gaps, SticDirections* directions, SticProblem* laws)
{
    double* shift = NULL;
    const SticSet *set = &gaps->set, *part = &directions->set;
    memset(directions, 0, sizeof *directions);
    STIC_TRY(keep_moved(stepper->arena, system->layout.blocks, gaps));
    STIC_TRY(stic_parts_keep(stepper->arena, set, gaps->keep, &directions->set));
    drop_friction(&directions->set);
    STIC_TRY(stic_directions_prepare(stepper, system, directions));
    STIC_TRY(stic_directions_measure(stepper, system, state, STIC_WANT_CHI | STIC_WANT_H, NULL,
                                     directions));
    STIC_TRY(stic_parts_problem(stepper, directions, 0.0, laws, &shift));
    for (int32_t i = 0, k = 0; i < set->count && k < part->count; ++i) {
        if (part->interaction[k].id != set->interaction[i].id)
            continue;
        memcpy(shift + part->row_at[k], gaps->shift + set->row_at[i],
               (size_t)part->interaction[k].rows * sizeof *shift);
        k += 1;
    }
    return STIC_OK;
}

SticStatus stic_step_correct(SticStepper* stepper, const SticSystem* system,
                             const SticCorrection* correction, SticState* state, SticStepInfo* info)
{
    SticDirections directions;
    SticProblem laws;
    SticSolveInfo solve = {.outcome = STIC_OUTCOME_SOLVED};
    SticCorrection own = *correction;
    Gaps gaps;
    double before = 0.0, after = 0.0;
    info->corrected = 0.0;
    info->correction = STIC_OUTCOME_SOLVED;
    // behind the record that the step has left in the arena
    const SticArenaMark mark = stic_arena_mark(stepper->arena);
    STIC_TRY(find_gaps(stepper, system, state, correction, &gaps));
    STIC_TRY(open_left(stepper, system, state, correction, &gaps));
    // displacements are known to a tolerance: the remainder is more than that
    const double most = 1.0 - 10.0 * tolerance_of(stepper, &gaps.set);
    if (needs_overlap(stepper) && own.rate > most)
        own.rate = most;
    const double worst = fill_shift(stepper, &own, &gaps);
    if (worst == 0.0) {
        stic_arena_rewind(stepper->arena, mark);
        return STIC_OK;
    }
    STIC_TRY(narrow(stepper, system, state, &gaps, &directions, &laws));
    STIC_TRY(stic_system_potential(system, state, stepper->arena, &before));
    const SticStatus status = displace(stepper, system, &directions, &laws, state, &solve);
    if (status != STIC_OK) {
        info->error = solve.error;
        return status;
    }
    STIC_TRY(stic_system_potential(system, state, stepper->arena, &after));
    info->corrected = solve.outcome == STIC_OUTCOME_SOLVED ? own.rate * worst : 0.0;
    info->correction = solve.outcome;
    info->ledger.potential += after - before;
    info->ledger.correction += after - before;
    stic_arena_rewind(stepper->arena, mark);
    return STIC_OK;
}

/* ---- joints ---- */

// the largest gap of a joint, and the largest in the size of its bodies
static void note_gaps(const SticSet* set, const double* gap, SticStepInfo* info)
{
    info->joint_gap = info->joint_part = 0.0;
    info->joint_block[0] = info->joint_block[1] = -1;
    for (int32_t i = 0; i < set->count; ++i)
        for (int32_t row = set->row_at[i]; row < set->row_at[i + 1]; ++row) {
            const double open = fabs(gap[row]), size = set->interaction[i].size;
            info->joint_gap = open > info->joint_gap ? open : info->joint_gap;
            if (!(open > info->joint_part * size))
                continue;
            info->joint_part = size > 0.0 ? open / size : (double)INFINITY;
            info->joint_block[0] = set->interaction[i].block[0];
            info->joint_block[1] = set->interaction[i].block[1];
        }
}

// Joints that nothing but joints holds are closed along the directions of the step, as SHAKE does
// (Ryckaert, Ciccotti and Berendsen 1977), by the elimination that has solved it: each round is a
// tenth of a projection along those of the end, and leaves of the gaps what directions turn by in
// half a step. *closed: they are.
static SticStatus close_again(SticStepper* stepper, const SticSystem* system,
                              SticDirections* directions, SticState* state, SticStepInfo* info,
                              bool* closed)
{
    const SticStepRecord* record = stepper->record;
    const SticLayout* layout = &system->layout;
    const int32_t rows = directions->set.rows;
    const double* gap = NULL;
    double *r = NULL, *zero = NULL, *d = NULL, *scratch = NULL, *q = NULL;
    SticMass mass;
    *closed = false;
    // the rows of the record are those of the joints
    if (record->set.count != directions->set.count)
        return STIC_OK;
    STIC_TRY(STIC_TAKE(stepper->arena, &r, rows));
    STIC_TRY(STIC_TAKE(stepper->arena, &zero, layout->nu));
    STIC_TRY(STIC_TAKE(stepper->arena, &d, layout->nu));
    STIC_TRY(STIC_TAKE(stepper->arena, &scratch, layout->nu));
    STIC_TRY(STIC_TAKE(stepper->arena, &q, layout->nq));
    STIC_TRY(system->ops->mass(system, state, stepper->arena, &mass));
    memset(zero, 0, (size_t)layout->nu * sizeof *zero);
    for (int k = 0; k <= MOST_AGAIN; ++k) {
        STIC_TRY(stic_directions_measure(stepper, system, state, STIC_WANT_GAP, NULL, directions));
        gap = directions->measures.gap;
        note_gaps(&directions->set, gap, info);
        *closed = info->joint_gap == 0.0 || (k > 0 && info->joint_part <= CLOSED_PART);
        if (*closed || k == MOST_AGAIN ||
            !stic_chain_again(stepper->solve.workspace, &record->Ht, gap, r))
            return STIC_OK;
        stic_parts_velocity(&mass, &record->Ht, zero, r, d, scratch);
        move(layout, d, q, state);
    }
    return STIC_OK;
}

static SticStatus project_joints(SticStepper* stepper, const SticSystem* system,
                                 SticDirections* directions, SticState* state, SticStepInfo* info)
{
    const uint32_t directed = STIC_WANT_CHI | STIC_WANT_H;
    bool closed = false;
    STIC_TRY(close_again(stepper, system, directions, state, info, &closed));
    for (int k = 0; !closed; ++k) {
        // one projection is mostly enough: directions behind it are measured if it is not
        STIC_TRY(stic_directions_measure(stepper, system, state,
                                         k == 0 ? STIC_WANT_GAP | directed : STIC_WANT_GAP, NULL,
                                         directions));
        note_gaps(&directions->set, directions->measures.gap, info);
        if (k == MOST_PROJECTIONS || info->joint_gap == 0.0 ||
            (k > 0 && info->joint_part <= CLOSED_PART))
            return STIC_OK;
        if (k > 0)
            STIC_TRY(stic_directions_measure(stepper, system, state, directed, NULL, directions));
        SticProblem laws;
        SticSolveInfo solve = {.outcome = STIC_OUTCOME_SOLVED};
        double* shift = NULL;
        STIC_TRY(stic_parts_problem(stepper, directions, 0.0, &laws, &shift));
        memcpy(shift, directions->measures.gap, (size_t)directions->set.rows * sizeof *shift);
        const SticStatus status = displace(stepper, system, directions, &laws, state, &solve);
        if (status != STIC_OK) {
            info->error = solve.error;
            return status;
        }
        info->correction = solve.outcome;
        if (solve.outcome != STIC_OUTCOME_SOLVED)
            return STIC_OK;
    }
    return STIC_OK;
}

SticStatus stic_step_joints(SticStepper* stepper, const SticSystem* system, const SticState* state,
                            SticStepInfo* info)
{
    const SticStepRecord* record = stepper->record;
    SticMeasures measures = {.want = STIC_WANT_GAP};
    SticSet joints = {0};
    note_gaps(&joints, NULL, info);
    if (record == NULL || !record->filled)
        return STIC_OK;
    // behind the record that the step has left in the arena
    const SticArenaMark mark = stic_arena_mark(stepper->arena);
    STIC_TRY(stic_parts_select(stepper->arena, &record->set, 1u << STIC_LEVEL_POSITION, &joints));
    STIC_TRY(STIC_TAKE(stepper->arena, &measures.gap, joints.rows));
    if (joints.rows > 0)
        STIC_TRY(system->ops->measure(system, &joints, state, &measures));
    note_gaps(&joints, measures.gap, info);
    stic_arena_rewind(stepper->arena, mark);
    return STIC_OK;
}

/* ---- joints after an impact ----
 *
 * Joints hold for the mean of the velocities before and after the reactions. In smooth motion what
 * turns before the middle of a step turns after it, and the velocities of the end obey the joints.
 * An impact changes how fast they turn: h/2 d(H'u)/dt of the difference is left, and the mean hands
 * it on from step to step. Left alone it lends its energy to the next impact, and a chain whose
 * links hit each other runs away. So velocities are put on the joints after an impact, by the least
 * change in the metric of the mass. No contact of these bodies may close faster for it than it does
 * or than its gap allows in a step: where bodies do not move at all obeys all of that, so that the
 * change never adds energy.
 */

// Impacts take two steps, the second with what the gap left of the approach; loads that go on
// change little from step to step.
static bool is_struck(const SticStepRecord* record, int32_t i)
{
    const int32_t row = record->set.row_at[i];
    const double r = record->r[row], last = record->last[row], most = r > last ? r : last;
    return record->set.interaction[i].level == STIC_LEVEL_CONTACT && r > 0.0 &&
           fabs(r - last) > 0.5 * most;
}

// joints and contacts of all bodies that joints connect to one with a contact that has just been
// struck
static SticStatus select_struck(SticArena* arena, const SticStepRecord* record, int32_t blocks,
                                SticSet* struck)
{
    const SticSet* set = &record->set;
    int32_t* parent = NULL;
    uint8_t *hit = NULL, *keep = NULL;
    STIC_TRY(STIC_TAKE(arena, &parent, blocks));
    STIC_TRY(STIC_TAKE(arena, &hit, blocks));
    STIC_TRY(STIC_TAKE(arena, &keep, set->count));
    memset(hit, 0, (size_t)blocks);
    stic_parts_join(set, 1u << STIC_LEVEL_POSITION, parent, blocks);
    for (int32_t i = 0; i < set->count; ++i)
        for (int k = 0; k < 2 && is_struck(record, i); ++k)
            if (set->interaction[i].block[k] >= 0)
                hit[stic_disjoint_root(parent, set->interaction[i].block[k])] = 1;
    for (int32_t i = 0; i < set->count; ++i) {
        const SticInteraction* own = &set->interaction[i];
        keep[i] = record->first && own->level == STIC_LEVEL_POSITION;
        for (int k = 0; k < 2; ++k)
            if (own->level != STIC_LEVEL_RATE && own->block[k] >= 0)
                keep[i] |= hit[stic_disjoint_root(parent, own->block[k])];
    }
    return stic_parts_keep(arena, set, keep, struck);
}

// largest velocity of approach that a contact may be left with
static void bound_approach(const SticDirections* directions, double h, double* shift)
{
    const SticSet* set = &directions->set;
    for (int32_t i = 0; i < set->count; ++i) {
        if (set->interaction[i].level != STIC_LEVEL_CONTACT)
            continue;
        const int32_t row = set->row_at[i];
        const double own = shift[row] < 0.0 ? -shift[row] : 0.0,
                     open = directions->measures.gap[row] / h;
        // the laws hold for the change of velocities
        shift[row] += own > open ? own : open;
    }
}

// add impulses of a part of a set to those of the step
static void add_impulses(const SticSet* all, const SticSet* part, const double* r, double* sum)
{
    for (int32_t i = 0; i < part->count; ++i) {
        const int32_t at = stic_parts_find(all, part->interaction[i].id);
        for (int32_t k = 0; at >= 0 && k < part->interaction[i].rows; ++k)
            sum[all->row_at[at] + k] += r[part->row_at[i] + k];
    }
}

// what a projection adds to the record of a step: impulses by its rows, and what they gave along
// directions of their own, those of the end
typedef struct Added {
    double* r;          // [rows]
    double (*given)[6]; // [count]
    bool any;
} Added;

static SticStatus take_added(SticStepper* stepper, Added* added)
{
    const SticStepRecord* record = stepper->record;
    STIC_TRY(STIC_TAKE(stepper->arena, &added->r, record->set.rows));
    STIC_TRY(STIC_TAKE(stepper->arena, &added->given, record->set.count));
    memcpy(added->r, record->r, (size_t)record->set.rows * sizeof *added->r);
    return STIC_OK;
}

static void add_given(const SticSystem* system, const SticStepRecord* record,
                      const SticDirections* directions, const double* r, const SticState* ended,
                      double (*given)[6])
{
    const SticSet *all = &record->set, *set = &directions->set;
    const SticState acted = {record->t, (double*)record->q, NULL, NULL};
    const SticPushRows step = {system, all, &record->Ht, &acted},
                       end = {system, set, &directions->Ht, ended};
    memset(given, 0, (size_t)all->count * sizeof *given);
    stic_push_add_all(&step, record->r, 1.0, given);
    for (int32_t i = 0; i < set->count; ++i) {
        const int32_t at = stic_parts_find(all, set->interaction[i].id);
        if (at >= 0)
            stic_push_add_rows(&end, i, r + set->row_at[i], given[at]);
    }
}

static SticStatus project_velocities(SticStepper* stepper, const SticSystem* system,
                                     SticState* state, Added* added, SticStepInfo* info)
{
    SticArena* arena = stepper->arena;
    const int32_t nu = system->layout.nu;
    SticDirections directions;
    SticSolveInfo solve = {.outcome = STIC_OUTCOME_SOLVED};
    SticProblem laws;
    SticMass mass;
    double* shift = NULL;
    LeastMotion least = {.tolerance = NULL};
    memset(&directions, 0, sizeof directions);
    STIC_TRY(select_struck(arena, stepper->record, system->layout.blocks, &directions.set));
    if (directions.set.rows == 0)
        return STIC_OK;
    drop_friction(&directions.set);
    STIC_TRY(stic_directions_prepare(stepper, system, &directions));
    STIC_TRY(stic_directions_measure(
        stepper, system, state, STIC_WANT_GAP | STIC_WANT_CHI | STIC_WANT_H, NULL, &directions));
    STIC_TRY(stic_parts_problem(stepper, &directions, 0.0, &laws, &shift));
    stic_directions_velocity(&directions, state->u, shift);
    bound_approach(&directions, stepper->record->h, shift);
    STIC_TRY(system->ops->mass(system, state, arena, &mass));
    const SticStatus status = least_motion(stepper, &mass, &directions, &laws, &least, &solve);
    if (status != STIC_OK)
        info->error = solve.error;
    if (status != STIC_OK || solve.outcome != STIC_OUTCOME_SOLVED)
        return status;
    const double* d = least.d;
    const double work = 0.5 * stic_mass_form(&mass, d, d) + stic_mass_form(&mass, state->u, d);
    for (int32_t c = 0; c < nu; ++c)
        state->u[c] += d[c];
    add_impulses(&stepper->record->set, &directions.set, least.r, added->r);
    add_given(system, stepper->record, &directions, least.r, state, added->given);
    added->any = true;
    info->ledger.kinetic += work;
    info->ledger.constraint += work;
    return STIC_OK;
}

static bool has_joints(const SticSet* set)
{
    for (int32_t i = 0; i < set->count; ++i)
        if (set->interaction[i].level == STIC_LEVEL_POSITION)
            return true;
    return false;
}

SticStatus stic_step_close(SticStepper* stepper, const SticSystem* system, SticState* state,
                           SticStepInfo* info)
{
    SticStepRecord* record = stepper->record;
    Added added = {.any = false};
    info->joint_gap = 0.0;
    if (record == NULL || !record->filled || !has_joints(&record->set))
        return STIC_OK;
    if (system->jointed != NULL && record->last != NULL)
        STIC_TRY(take_added(stepper, &added));
    // behind the record that the step has left in the arena
    const SticArenaMark mark = stic_arena_mark(stepper->arena);
    SticDirections directions;
    double before = 0.0, after = 0.0;
    memset(&directions, 0, sizeof directions);
    STIC_TRY(stic_parts_select(stepper->arena, &record->set, 1u << STIC_LEVEL_POSITION,
                               &directions.set));
    STIC_TRY(stic_directions_prepare(stepper, system, &directions));
    STIC_TRY(stic_system_potential(system, state, stepper->arena, &before));
    STIC_TRY(project_joints(stepper, system, &directions, state, info));
    STIC_TRY(stic_system_potential(system, state, stepper->arena, &after));
    info->ledger.potential += after - before;
    info->ledger.correction += after - before;
    if (added.r != NULL)
        STIC_TRY(project_velocities(stepper, system, state, &added, info));
    if (added.any) {
        record->r = added.r;
        record->given = (const double(*)[6])added.given;
    }
    stic_arena_rewind(stepper->arena, mark);
    return STIC_OK;
}

int32_t stic_step_halvings(const SticSystem* system, const SticState* state, double h)
{
    const SticLayout* layout = &system->layout;
    double most = 0.0;
    for (int32_t i = 0; system->jointed != NULL && i < layout->blocks; ++i) {
        if (!system->jointed[i] ||
            (layout->chart[i] != STIC_CHART_ROTATION && layout->chart[i] != STIC_CHART_QUATERNION))
            continue;
        const double* w = state->u + layout->u_at[i] + 3;
        const double square = w[0] * w[0] + w[1] * w[1] + w[2] * w[2];
        most = square > most ? square : most;
    }
    // a chain of 100 links that falls for 10 s at 5 ms gains 5.5, 5.4 and 2.2 J by its projections
    // with parts of 0.5, 0.4 and 0.3 rad
    int32_t halvings = 0;
    for (double angle = h * sqrt(most); angle > 0.3 && halvings < 10; angle *= 0.5)
        ++halvings;
    return halvings;
}
