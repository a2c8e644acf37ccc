// SPDX-License-Identifier: Apache-2.0
// Koziara's dynamic scheme (thesis 5.1.1-5.2.16, algorithm 12.0.1).
//
//   half step to q(t+h/2); contacts there          leapfrog.c, rotations in rotate.c
//   u' = u + M^-1 (h f + H R)
//   second half step with u'
//
// Holonomic joints are imposed on the mean velocity of the step (U+ + U- = 0): on the end velocity,
// as the text has it, the scheme is of first order and loses energy, which contradicts the thesis'
// own examples. Drives and the velocities of prescribed bodies at contacts hold at the end of the
// step: on the mean they would ring. With the law on velocities contacts take U+ + eta min(0, U-)
// (10.1.27), tangential restitution U+ + tau U-; the law on gaps is that of gap_law.c.
#include "step/leapfrog.h"
#include "step/schemes.h"
#include "stiction/extend/base.h"

typedef struct KoziaraSettings {
    int32_t rotation;
    bool limit;
} KoziaraSettings;

static const char* const rotation_names[] = {"halves",    "new1",   "new2", "new3",
                                             "simo-wong", "liemid", NULL};
static const SticField fields[] = {
    STIC_FIELD_PICK(
        KoziaraSettings, rotation, STIC_TURN_HALVES, STIC_TURN_LIEMID, rotation_names,
        "rotation scheme; halves keeps energy and momentum of free bodies at any step, new2 "
        "dissipates at large increments, new3 keeps energy bounded; simo-wong and liemid are "
        "comparisons for bodies that nothing touches"),
    STIC_FIELD_FLAG(KoziaraSettings, limit, true,
                    "refuse steps beyond the stability limit of bodies that deform"),
};
const SticFieldTable stic_koziara_fields = {"koziara", fields, 2, sizeof(KoziaraSettings)};

static void shift_rows(const SticSet* set, const double* before, double* shift)
{
    for (int32_t i = 0; i < set->count; ++i) {
        const SticInteraction* interaction = &set->interaction[i];
        for (int32_t row = set->row_at[i]; row < set->row_at[i + 1]; ++row) {
            const bool first = row == set->row_at[i];
            if (interaction->level == STIC_LEVEL_POSITION)
                shift[row] = before[row];
            else if (interaction->level == STIC_LEVEL_CONTACT && first)
                shift[row] = interaction->restitution[0] * (before[row] < 0.0 ? before[row] : 0.0);
            else if (interaction->law != STIC_LAW_FREE &&
                     (interaction->level != STIC_LEVEL_CONTACT || row < set->row_at[i] + 3))
                shift[row] = interaction->restitution[1] * before[row];
        }
    }
}

SticStatus stic_koziara_advance(SticStepper* stepper, const SticSystem* system,
                                const SticState* from, double t_to, SticState* to,
                                SticStepInfo* info)
{
    STIC_ASSERT(from != to);
    STIC_ASSERT(t_to > from->t);
    const KoziaraSettings* settings = stepper->settings;
    SticLeap leap = {.stepper = stepper,
                     .system = system,
                     .from = from,
                     .to = to,
                     .info = info,
                     .style = {.rotation = (SticTurnScheme)settings->rotation,
                               .limit = settings->limit,
                               .velocity_law = shift_rows,
                               .ends = true}};
    return stic_leap(&leap, t_to);
}
