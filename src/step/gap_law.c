// SPDX-License-Identifier: Apache-2.0
// The law of contacts that knows the gap and the motion of the contact.
//
// Reactions act in the middle of a step on directions H of q_M, and change the velocities u- to u+:
// midpoints follow each other by q_M + h u+. The law of the papers, H_M' u+ >= 0 where g_M <= 0,
// joins directions of the middle with velocities of the end. On a contact that keeps touching while
// it moves, H_M' u+ = -s with
//
//   s = h/2 dH'/dt u = U- - U0,     U- = H_M' u-,  U0 = H_B' u_B
//
// with the contact of U0 where it was at q_B.
//
// Without s every step is a small inelastic impact: rolling bodies sink by h s in each step and
// lose energy, both of first order in h; the tangential rows do the same. So the law holds for U+
// and a shift, decided for normal, tangential and turning rows apart:
//
//   reflect   U-           |U0| <= |s|/2 and loaded: the contact only rolls; U+ = -U- does no work
//   follow    s            otherwise; an error in U0 ends within the step
//
//   normal row also        max(g_M, 0)/h: g at the next middle is g_M + h (U+ + s) >= 0; h is the
//                          time until then if the next step has another length
//   impact                 e U-, neither s nor gap
//   joints                 U-: the mean of the velocities before and after the reactions is 0
//
// Which contacts take part never depends on a tolerance: all contacts that may close within the
// step do, with their gap. Where something bounces (e > 0), a gap in the law would eat the speed of
// the approach; there only contacts that are loaded, touch or close by themselves take part, an
// approach faster than forces could cause in two steps is an impact, and that belongs to the
// nearest middle:
//
//   tau = g_M / (h |U-|) in [-1/2, 1/2)
//
// What leaves its feature before it closes takes no part (border.c): a corner of a body that tips
// over an edge comes to the level of the face as it passes the edge, with an approach.
//
// Impacts of two bodies that nothing else touches are timed. They happen at t_M + tau h, with the
// directions of the place that u- leads to, and with the velocity U- + (1/2 + tau) h a, after which
// (1/2 - tau) h are left:
//
//   U+ + e (U- + (1/2 + tau) h a) - (1/2 - tau) h a >= 0
//   q_E = q_M + tau h u- + (1/2 - tau) h u+ + tau h^2 a
//
// Law and place together conserve energy exactly for e = 1; each alone does not. Overlaps never
// push velocities, which would gain energy at any rate. They are removed by the correction of
// positions. Derivations and comparisons: docs/theory/contacts.md.
#include "step/gap_law.h"

#include "step/border.h"
#include "stiction/extend/base.h"
#include "stiction/extend/law.h"

#include <float.h>
#include <math.h>
#include <string.h>

/// Time in which what is examined for leaving closes, in times to the next look.
#define HORIZON 2.0

static bool is_loaded(const SticGapLaw* law, int32_t i)
{
    return law->r[law->set->row_at[i]] > 0.0;
}

// whether s is known and not 0
static bool turns(const SticGapLaw* law, int32_t i)
{
    return law->known[i] && !law->still[i];
}

// a prescribed motion cannot be reflected
static bool is_prescribed(const SticInteraction* interaction)
{
    return interaction->block[0] < -1 || interaction->block[1] < -1;
}

/* ---- who takes part ---- */

// what a block meets in a step: nothing, impacts with one other block (or the surroundings), or
// more
enum { MEETS_NOTHING = INT32_MIN, MEETS_MORE };

typedef struct Meeting {
    int32_t partner; // the other block, or one of the above
    double first;    // delay of the first impact
} Meeting;

static void find_meetings(const SticGapLaw* law, Meeting* meeting)
{
    const SticSet* set = law->set;
    for (int32_t i = 0; i < set->count; ++i) {
        const SticInteraction* interaction = &set->interaction[i];
        for (int k = 0; k < 2; ++k) {
            const int32_t block = interaction->block[k], other = interaction->block[1 - k];
            if (block < 0 || interaction->level == STIC_LEVEL_RATE || law->role[i] == STIC_GAP_OUT)
                continue;
            Meeting* own = &meeting[block];
            if (law->role[i] != STIC_GAP_IMPACT || law->delay[i] < -0.5 ||
                (own->partner != MEETS_NOTHING && own->partner != other))
                own->partner = MEETS_MORE;
            else
                own->partner = other;
            own->first = law->delay[i] < own->first ? law->delay[i] : own->first;
        }
        // the nodes of a face move each other
        for (int k = 0; k < 1 + interaction->alsos && interaction->alsos > 0; ++k)
            meeting[k == 0 ? interaction->block[1] : interaction->also[k - 1]].partner = MEETS_MORE;
    }
}

// delay of the impacts of two bodies that nothing else touches: that of the first one; NAN for
// others
static double delay_of(const SticGapLaw* law, int32_t i, const Meeting* meeting)
{
    double delay = NAN;
    for (int k = 0; k < 2; ++k) {
        const int32_t block = law->set->interaction[i].block[k];
        if (block < 0)
            continue;
        if (meeting[block].partner == MEETS_MORE)
            return NAN;
        delay = meeting[block].first;
    }
    return law->role[i] == STIC_GAP_IMPACT ? delay : NAN;
}

static SticGapRole role_of(const SticGapLaw* law, int32_t i, double* tau)
{
    const SticInteraction* interaction = &law->set->interaction[i];
    const int32_t row = law->set->row_at[i];
    const double gap = law->gap[row], speed = law->before[row], gain = law->gain[row];
    const bool bounces = interaction->restitution[0] > 0.0 || interaction->restitution[1] > 0.0;
    const bool loaded = is_loaded(law, i);
    const bool touches = gap <= interaction->slack;
    *tau = 0.0;
    if (interaction->level != STIC_LEVEL_CONTACT || interaction->bonded)
        return STIC_GAP_CLOSE;
    if (speed < -2.0 * fabs(gain)) {
        *tau = gap / (law->h * -speed);
        if (bounces && *tau < 0.5)
            return STIC_GAP_IMPACT;
        // passed since the beginning although nothing touched before: the first step of a run
        if (!bounces && !loaded && gap < -interaction->slack && *tau >= -0.5)
            return STIC_GAP_IMPACT;
        if (bounces && !loaded)
            return STIC_GAP_OUT;
    }
    // a contact that bounces and parts by itself gets its own velocity back at most: if its gap
    // held it, an impact elsewhere on the body would gain energy from nowhere. A contact that was
    // loaded a step ago takes part: that impact may press it again.
    if (bounces && speed > 2.0 * fabs(gain)) {
        *tau = 0.5;
        return touches || loaded ? STIC_GAP_IMPACT : STIC_GAP_OUT;
    }
    const double turned = turns(law, i) ? law->share * (speed - law->start[row]) : 0.0;
    const bool closes = gap + law->until * (speed + gain + turned) < 0.0;
    return !bounces || loaded || touches || closes ? STIC_GAP_CLOSE : STIC_GAP_OUT;
}

SticStatus stic_gap_law_choose(SticGapLaw* law, int32_t blocks, SticArena* arena, bool* all)
{
    STIC_ASSERT(blocks >= 0);
    const SticSet* set = law->set;
    Meeting* meeting = NULL;
    bool impacts = false;
    *all = true;
    STIC_TRY(STIC_TAKE(arena, &law->role, set->count));
    STIC_TRY(STIC_TAKE(arena, &law->delay, set->count));
    for (int32_t i = 0; i < set->count; ++i) {
        law->role[i] = (uint8_t)role_of(law, i, &law->delay[i]);
        *all = *all && law->role[i] != STIC_GAP_OUT;
        impacts = impacts || law->role[i] == STIC_GAP_IMPACT;
    }
    if (!impacts || !law->may_time) {
        for (int32_t i = 0; i < set->count; ++i)
            law->delay[i] = NAN;
        return STIC_OK;
    }
    STIC_TRY(STIC_TAKE(arena, &meeting, blocks));
    for (int32_t i = 0; i < blocks; ++i)
        meeting[i] = (Meeting){MEETS_NOTHING, 0.5};
    find_meetings(law, meeting);
    for (int32_t i = 0; i < set->count; ++i)
        law->delay[i] = delay_of(law, i, meeting);
    return STIC_OK;
}

/* ---- who leaves ---- */

// Whether contact i is to be examined: what carried nothing yet and closes soon, or closed a moment
// ago with the speed of an impact. Of bodies at rest nothing is.
static bool may_leave(const SticGapLaw* law, int32_t i)
{
    const SticSet* set = law->set;
    const SticInteraction* interaction = &set->interaction[i];
    const double gap = law->gap[set->row_at[i]], speed = -law->before[set->row_at[i]];
    if (interaction->level != STIC_LEVEL_CONTACT || law->role[i] == STIC_GAP_OUT ||
        is_loaded(law, i) || !(gap < speed * HORIZON * law->until))
        return false;
    return gap > interaction->slack || law->role[i] == STIC_GAP_IMPACT;
}

SticStatus stic_gap_law_leave(const SticSystem* system, const SticState* look, SticArena* arena,
                              SticGapLaw* law, bool* all)
{
    const SticSet* set = law->set;
    const SticArenaMark mark = stic_arena_mark(arena);
    uint8_t *asked = NULL, *leaves = NULL;
    bool any = false;
    if (set->exit == NULL)
        return STIC_OK;
    STIC_TRY(STIC_TAKE(arena, &asked, set->count));
    STIC_TRY(STIC_TAKE(arena, &leaves, set->count));
    for (int32_t i = 0; i < set->count; ++i)
        any = (asked[i] = may_leave(law, i)) || any;
    const SticBorderMotion motion = {.arena = arena,
                                     .system = system,
                                     .state = look,
                                     .gap = law->gap,
                                     .rate = law->before,
                                     .asked = asked,
                                     .horizon = HORIZON * law->until,
                                     .after = 0.5 * law->until};
    if (any)
        STIC_TRY(stic_border_leave(&motion, set, leaves, &any));
    for (int32_t i = 0; any && i < set->count; ++i)
        if (leaves[i])
            law->role[i] = STIC_GAP_OUT;
    *all = *all && !any;
    stic_arena_rewind(arena, mark);
    return STIC_OK;
}

/* ---- shifts ---- */

static inline double norm_of(const double* x, int32_t count)
{
    double sum = 0.0;
    for (int32_t k = 0; k < count; ++k)
        sum += x[k] * x[k];
    return sqrt(sum);
}

// rows [row, row + count) of a contact: reflect or follow
static inline void shift_rows(const SticGapLaw* law, bool may_reflect, int32_t row, int32_t count,
                              double* shift)
{
    double turned[STIC_SET_DIM];
    for (int32_t k = 0; k < count; ++k)
        turned[k] = law->before[row + k] - law->start[row + k];
    const bool reflect =
        may_reflect && norm_of(law->start + row, count) <= 0.5 * norm_of(turned, count);
    for (int32_t k = 0; k < count; ++k)
        shift[row + k] = reflect ? law->before[row + k] : law->share * turned[k];
}

// gap of a contact that a step closes, except one that rounding and tolerance of the last steps
// gave to a contact at rest: conditions that agree up to that would agree no longer. The contact
// takes part all the same.
static double open_gap(const SticGapLaw* law, int32_t i)
{
    const double gap = law->gap[law->set->row_at[i]],
                 beyond = gap - 0.5 * law->set->interaction[i].slack;
    if (!(beyond > 0.0))
        return 0.0;
    return is_loaded(law, i) ? beyond : gap;
}

// velocity that closes the gap of a contact by the next middle. Gaps within the slack of points of
// one pair differ by their rounding: they get the largest of them.
static double closing_speed(const SticGapLaw* law, int32_t i)
{
    const SticInteraction *list = law->set->interaction, *own = &list[i];
    double most = open_gap(law, i);
    if (most == 0.0 || most > own->slack)
        return most / law->until;
    for (int step = -1; step <= 1; step += 2)
        for (int32_t k = i + step; k >= 0 && k < law->set->count; k += step) {
            if (list[k].part[0] != own->part[0] || list[k].part[1] != own->part[1] ||
                list[k].level != STIC_LEVEL_CONTACT)
                break;
            const double other = open_gap(law, k);
            most = other <= own->slack && other > most ? other : most;
        }
    return most / law->until;
}

static void shift_impact(const SticGapLaw* law, int32_t i, double* shift)
{
    const SticInteraction* interaction = &law->set->interaction[i];
    const double* e = interaction->restitution;
    const int32_t row = law->set->row_at[i];
    const double tau = law->delay[i], gain = law->gain[row];
    shift[row] = e[0] * law->before[row];
    if (!isnan(tau))
        shift[row] = e[0] * (law->before[row] + (0.5 + tau) * gain) - (0.5 - tau) * gain;
    // drilling and rolling do not bounce
    for (int32_t k = 1; k < interaction->rows; ++k)
        shift[row + k] = k < 3 ? e[1] * law->before[row + k] : 0.0;
}

static void shift_contact(const SticGapLaw* law, int32_t i, double* shift)
{
    const SticInteraction* interaction = &law->set->interaction[i];
    const int32_t row = law->set->row_at[i], rows = interaction->rows;
    const bool may_reflect = is_loaded(law, i) && law->share == 1.0 && !is_prescribed(interaction);
    if (turns(law, i) && rows == 3) {
        // with constant numbers of rows
        shift_rows(law, may_reflect, row, 1, shift);
        shift_rows(law, may_reflect, row + 1, 2, shift);
    } else if (turns(law, i)) {
        shift_rows(law, may_reflect, row, 1, shift);
        if (rows > 1)
            shift_rows(law, may_reflect, row + 1, rows < 3 ? rows - 1 : 2, shift);
        if (rows > 3)
            shift_rows(law, may_reflect, row + 3, rows - 3, shift);
    }
    const double close = closing_speed(law, i);
    shift[row] += close;
    // An edge that a body rolls towards is touched with a velocity of 0 as it is passed, and its
    // gap is convex in time. To find it closed by an error of third order would let it take the
    // load of the next step, at the speed that it still approaches with: (h/2)^2 of its curvature
    // is left.
    if (turns(law, i) && close > 0.0 && !is_loaded(law, i))
        shift[row] += 0.5 * fabs(law->share * (law->before[row] - law->start[row]));
}

// friction of a system that keeps it apart from its contact
static void shift_friction(const SticGapLaw* law, int32_t i, double* shift)
{
    const SticInteraction* interaction = &law->set->interaction[i];
    const int32_t row = law->set->row_at[i], of = interaction->bound_of;
    if (law->role[of] == STIC_GAP_IMPACT)
        for (int32_t k = 0; k < interaction->rows; ++k)
            shift[row + k] = interaction->restitution[1] * law->before[row + k];
    else if (turns(law, i))
        shift_rows(law, is_loaded(law, of) && law->share == 1.0 && !is_prescribed(interaction), row,
                   interaction->rows, shift);
}

void stic_gap_law_shift(const SticGapLaw* law, double* shift)
{
    const SticSet* set = law->set;
    for (int32_t i = 0; i < set->count; ++i) {
        const SticInteraction* interaction = &set->interaction[i];
        const int32_t row = set->row_at[i];
        if (interaction->bonded)
            continue;
        if (interaction->level == STIC_LEVEL_POSITION) {
            for (int32_t k = 0; k < interaction->rows; ++k)
                shift[row + k] = law->share * law->before[row + k];
        } else if (interaction->level == STIC_LEVEL_RATE) {
            if (interaction->bound_of >= 0)
                shift_friction(law, i, shift);
            for (int32_t k = 0; interaction->bound_of < 0 && k < interaction->rows; ++k)
                shift[row + k] = interaction->law == STIC_LAW_FREE
                                     ? 0.0
                                     : interaction->restitution[1] * law->before[row + k];
        } else if (law->role[i] == STIC_GAP_IMPACT) {
            shift_impact(law, i, shift);
        } else {
            shift_contact(law, i, shift);
        }
    }
}

/* ---- before and after ---- */

// Joints take the mean of the velocities around the reactions: how their directions have turned
// matters to contacts and their friction alone.
static bool looks_back(const SticSet* set)
{
    for (int32_t i = 0; i < set->count; ++i)
        if (set->interaction[i].level != STIC_LEVEL_POSITION)
            return true;
    return false;
}

// In half a step of bodies that move by V directions turn by h V/L, and s is of the size h V^2/L: below
// this part of what loads add to V it is less than the rounding of the sum that it is added to. A
// hundredth of a unit in the last place, since edges that are nearly parallel and surfaces that are
// strongly curved turn further.
static const double still_part = 1e-2 * DBL_EPSILON;

// how fast a block moves, and by how much loads change that; infinitely fast if it is no rigid body
typedef struct Pace {
    double speed, gain;
} Pace;

static double pace_of(const double* u, double size)
{
    return fabs(u[0]) + fabs(u[1]) + fabs(u[2]) + (fabs(u[3]) + fabs(u[4]) + fabs(u[5])) * size;
}

static void find_paces(const SticSystem* system, const double* u, const double* gain, Pace* pace)
{
    const SticLayout* layout = &system->layout;
    for (int32_t k = 0; k < layout->blocks; ++k) {
        const int32_t at = layout->u_at[k];
        const bool rigid =
            layout->chart[k] == STIC_CHART_ROTATION || layout->chart[k] == STIC_CHART_QUATERNION;
        pace[k].speed = rigid ? pace_of(u + at, system->size[k]) : (double)INFINITY;
        pace[k].gain = rigid ? pace_of(gain + at, system->size[k]) : 0.0;
    }
}

// whether directions between two blocks hardly turn, for bodies of a size
static bool are_still(const int32_t block[2], double size, const Pace* pace, double h)
{
    double speed = 0.0, gain = 0.0;
    for (int k = 0; k < 2; ++k) {
        if (block[k] < -1)
            return false;
        speed += block[k] < 0 ? 0.0 : pace[block[k]].speed;
        gain = block[k] >= 0 && pace[block[k]].gain > gain ? pace[block[k]].gain : gain;
    }
    return h * speed * speed <= still_part * size * gain;
}

// mark contacts that hardly turn: U0 is U-, and the gap changes evenly. gain [nu] NULL: not known
static SticStatus find_still(SticArena* arena, const SticSystem* system, const double* u,
                             const double* gain, const SticGapLaw* law, uint8_t* still)
{
    Pace* pace = NULL;
    if (gain == NULL || system->size == NULL)
        return STIC_OK;
    STIC_TRY(STIC_TAKE(arena, &pace, system->layout.blocks));
    find_paces(system, u, gain, pace);
    const SticInteraction* last = NULL;
    bool slow = false;
    for (int32_t i = 0; i < law->set->count; ++i) {
        const SticInteraction* own = &law->set->interaction[i];
        // the contacts of a pair follow each other
        if (last == NULL || own->block[0] != last->block[0] || own->block[1] != last->block[1] ||
            own->size != last->size)
            slow = are_still(own->block, own->size, pace, law->h);
        still[i] = slow && own->level == STIC_LEVEL_CONTACT && !own->bonded && own->alsos == 0;
        last = own;
    }
    return STIC_OK;
}

// velocities and gaps of the beginning, along the tangents of the set, but for those of still ones
static SticStatus measure_start(SticStepper* stepper, const SticSystem* system,
                                const SticState* from, const SticGapLaw* law, uint8_t* known,
                                SticDirections* begin)
{
    const SticSet* set = law->set;
    const uint32_t want =
        STIC_WANT_GAP | STIC_WANT_CHI | STIC_WANT_SPEED | (set->tangent ? STIC_WANT_TANGENT : 0);
    if (system->ops->retrace != NULL)
        STIC_TRY(system->ops->retrace(system, set, from, stepper->arena, &begin->set, known));
    begin->measures.aside = law->still;
    STIC_TRY(stic_directions_measure(stepper, system, from, want, NULL, begin));
    for (int32_t i = 0; set->tangent != NULL && i < set->count; ++i)
        if (set->interaction[i].level == STIC_LEVEL_CONTACT && !law->still[i])
            stic_parts_turn(&set->interaction[i], set->tangent[i], begin->measures.tangent[i],
                            begin->measures.speed + set->row_at[i]);
    return STIC_OK;
}

SticStatus stic_gap_law_start(SticStepper* stepper, const SticSystem* system,
                              const SticDirections* directions, const SticState* from,
                              SticGapLaw* law)
{
    SticArena* arena = stepper->arena;
    SticDirections begin = *directions;
    const SticSet* set = &directions->set;
    uint8_t *known = NULL, *still = NULL;
    STIC_TRY(STIC_TAKE(arena, &known, set->count));
    STIC_TRY(STIC_TAKE(arena, &still, set->count));
    law->known = known;
    law->still = still;
    memset(known, 0, (size_t)set->count);
    memset(still, 0, (size_t)set->count);
    if (!looks_back(set))
        return STIC_OK;
    memset(known, 1, (size_t)set->count);
    memset(&begin.measures, 0, sizeof begin.measures);
    STIC_TRY(STIC_TAKE(arena, &begin.measures.speed, set->rows));
    STIC_TRY(STIC_TAKE(arena, &begin.measures.gap, set->rows));
    // all but speeds and gaps, directions above all, is given back
    const SticArenaMark mark = stic_arena_mark(arena);
    STIC_TRY(find_still(arena, system, from->u, directions->measures.further, law, still));
    if (memchr(still, 0, (size_t)set->count) != NULL)
        STIC_TRY(measure_start(stepper, system, from, law, known, &begin));
    stic_arena_rewind(arena, mark);
    for (int32_t i = 0; i < set->count; ++i)
        if (still[i])
            begin.measures.gap[set->row_at[i]] =
                law->gap[set->row_at[i]] - 0.5 * law->h * law->before[set->row_at[i]];
    law->start = begin.measures.speed;
    law->start_gap = begin.measures.gap;
    return STIC_OK;
}

// overlap that the turning of the directions leaves; where something bounces also the distance that
// a body that was hit in the last step moves until its own impact, and until it parts again
static double allowance_of(const SticGapLaw* law, int32_t i)
{
    const SticInteraction* interaction = &law->set->interaction[i];
    const int32_t row = law->set->row_at[i];
    const double speed = interaction->restitution[0] > 0.0 ? 2.0 * fabs(law->before[row]) : 0.0,
                 turned = turns(law, i) ? fabs(law->before[row] - law->start[row]) : 0.0;
    return law->h * (speed > turned ? speed : turned);
}

SticStatus stic_gap_law_count(const SticGapLaw* law, const double* r, SticArena* arena,
                              double** allowance, SticStepInfo* info)
{
    const SticSet* set = law->set;
    STIC_TRY(STIC_TAKE(arena, allowance, set->count));
    info->interactions = set->count;
    for (int32_t i = 0; i < set->count; ++i) {
        const SticInteraction* interaction = &set->interaction[i];
        const int32_t row = set->row_at[i];
        (*allowance)[i] = 0.0;
        if (interaction->level != STIC_LEVEL_CONTACT)
            continue;
        (*allowance)[i] = allowance_of(law, i);
        if (r[row] != 0.0 || law->gap[row] <= interaction->slack)
            info->contacts += 1;
        // overlaps are those of the state that the step begins with: middles lie on the tangents of
        // a curved path, and overlap where the path itself does not
        const double depth = law->known[i] ? -law->start_gap[row] : 0.0;
        stic_parts_count_depth(interaction, depth, (*allowance)[i], info);
    }
    return STIC_OK;
}
