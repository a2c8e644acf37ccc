// SPDX-License-Identifier: Apache-2.0
// Sprag clutch and contact (Möller 3.163-3.168): an impact that legally gains energy.
//
//   mass 1 may only move forward (clutch, u1 >= 0, restitution 0); closed contact x2 - x1 >= 0 with
//   restitution 1 from u = (1, -1): impulses (2, 3) m, velocities (0, 2), T grows by m
#include "system/model/models.h"

typedef struct Clutch {
    double mass, restitution, u1, u2;
} Clutch;

static const SticField fields[] = {
    STIC_PARAMETER(Clutch, mass, 1.0, "kg", "each mass"),
    STIC_PARAMETER(Clutch, restitution, 1.0, "-", "restitution of the contact"),
    STIC_PARAMETER(Clutch, u1, 1.0, "m/s", "start velocity of mass 1"),
    STIC_PARAMETER(Clutch, u2, -1.0, "m/s", "start velocity of mass 2"),
};
static const SticFieldTable table = STIC_FIELD_TABLE("sprag-clutch", fields, Clutch);

static void measure(const void* self, int32_t i, const SticState* state, uint32_t want,
                    const double* y, SticPointMeasures* out)
{
    (void)self;
    (void)want;
    (void)y;
    out->H[0][0] = out->G[0][0] = 1.0;
    if (i == 1) {
        out->gap[0] = state->q[1] - state->q[0];
        out->H[1][0] = out->G[1][0] = -1.0;
    }
}

static SticStatus create(const SticContext* context, const void* parameters, SticChart chart,
                         SticSystem** system, SticError* error)
{
    const Clutch* p = parameters;
    (void)chart;
    const double mass[2] = {p->mass, p->mass};
    const SticInteraction interaction[2] = {{.id = 1,
                                             .law = STIC_LAW_NONNEG,
                                             .level = STIC_LEVEL_RATE,
                                             .rows = 1,
                                             .block = {0, -1},
                                             .bound_of = -1},
                                            {.id = 2,
                                             .law = STIC_LAW_NONNEG,
                                             .level = STIC_LEVEL_CONTACT,
                                             .rows = 1,
                                             .block = {1, 0},
                                             .bound_of = -1,
                                             .restitution = {p->restitution, 0.0}}};
    SticSmallDef def = stic_model_linear(&table, p, 2, 1, mass, NULL);
    def.interactions = 2;
    def.interaction = interaction;
    def.measure = measure;
    return stic_small_create(context, &def, system, error);
}

static void start(const void* parameters, SticChart chart, SticState* state)
{
    const Clutch* p = parameters;
    (void)chart;
    state->u[0] = p->u1;
    state->u[1] = p->u2;
}

const SticModel stic_model_sprag_clutch = {
    "sprag-clutch",
    "sprag clutch and elastic contact that gain energy (Möller 3.163)",
    &table,
    0,
    create,
    start,
    NULL};
