// SPDX-License-Identifier: Apache-2.0
// Moreau's midpoint rule (Möller 5.3-5.8).
//
//   qM = qB + h/2 F(qB) uB
//   M (uE - uB) = h f(qM, uB, tM) + H r
//   qE = qM + h/2 F(qM) uE
//
// The step is that of leapfrog.c. With the law on velocities, contacts with a gap <= 0 at qM take
// part, gammaE + eps gammaB obeys the law with H and chi of (qM, tM), and joints hold on gammaE;
// the law on gaps is that of gap_law.c, with joints on the mean velocity.
//
// Forces are explicit: a linear oscillator is stable for omega h < 2. Energy is conserved exactly
// for constant mass, constant potential forces and elastic frictionless contacts; otherwise it may
// rise or fall.
#include "step/leapfrog.h"
#include "step/schemes.h"
#include "stiction/extend/base.h"

typedef struct MoreauSettings {
    int32_t rotation;
} MoreauSettings;

static const char* const rotation_names[] = {"halves", "explicit", NULL};
static const SticField fields[] = {
    STIC_FIELD_PICK(MoreauSettings, rotation, 0, 1, rotation_names,
                    "rotation scheme; halves keeps energy and momentum of free bodies at any step, "
                    "explicit is Möller's, whose energy grows with the spin"),
};
const SticFieldTable stic_moreau_fields = {"moreau", fields, 1, sizeof(MoreauSettings)};

SticStatus stic_moreau_advance(SticStepper* stepper, const SticSystem* system,
                               const SticState* from, double t_to, SticState* to,
                               SticStepInfo* info)
{
    STIC_ASSERT(from != to);
    STIC_ASSERT(t_to > from->t);
    const MoreauSettings* settings = stepper->settings;
    SticLeap leap = {
        .stepper = stepper,
        .system = system,
        .from = from,
        .to = to,
        .info = info,
        .style = {.rotation = settings->rotation == 0 ? STIC_TURN_HALVES : STIC_TURN_EXPLICIT,
                  .limit = true,
                  .velocity_law = stic_parts_restitution}};
    return stic_leap(&leap, t_to);
}
