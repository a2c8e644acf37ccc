// SPDX-License-Identifier: Apache-2.0
// Oscillator with unilateral contact (Möller 6.1): mass 2 on a vertical spring, mass 1 above it.
//
//   V = c/2 (x2 - l)^2 + g (m1 x1 + m2 x2)     g_N = x1 - x2
#include "system/model/models.h"

typedef struct Oscillator {
    double m1, m2, stiffness, length, gravity, restitution, x1, x2;
} Oscillator;

static const SticField fields[] = {
    STIC_PARAMETER(Oscillator, m1, 10.0, "kg", "upper mass"),
    STIC_PARAMETER(Oscillator, m2, 1e-3, "kg", "mass on the spring"),
    STIC_PARAMETER(Oscillator, stiffness, 4e5, "N/m", "spring stiffness"),
    STIC_PARAMETER(Oscillator, length, 0.1, "m", "free length of the spring"),
    STIC_PARAMETER(Oscillator, gravity, 9.81, "m/s2", "gravity along -x"),
    STIC_PARAMETER(Oscillator, restitution, 0.0, "-", "restitution between the masses"),
    STIC_PARAMETER(Oscillator, x1, 0.11, "m", "start height of the upper mass"),
    STIC_PARAMETER(Oscillator, x2, 0.1, "m", "start height of the lower mass"),
};
static const SticFieldTable table = STIC_FIELD_TABLE("oscillator", fields, Oscillator);

static double potential(const void* self, int32_t k, const double* q, double* gradient,
                        double* hessian)
{
    const Oscillator* p = self;
    if (k == 0) { // weight of mass 1
        if (gradient != NULL)
            gradient[0] = p->m1 * p->gravity;
        if (hessian != NULL)
            hessian[0] = 0.0;
        return p->m1 * p->gravity * q[0];
    }
    const double stretch = q[1] - p->length;
    if (gradient != NULL)
        gradient[0] = p->stiffness * stretch + p->m2 * p->gravity;
    if (hessian != NULL)
        hessian[0] = p->stiffness;
    return 0.5 * p->stiffness * stretch * stretch + p->m2 * p->gravity * q[1];
}

static void measure(const void* self, int32_t i, const SticState* state, uint32_t want,
                    const double* y, SticPointMeasures* out)
{
    (void)self;
    (void)i;
    (void)want;
    (void)y;
    out->gap[0] = state->q[0] - state->q[1];
    out->H[0][0] = out->G[0][0] = 1.0;
    out->H[1][0] = out->G[1][0] = -1.0;
}

static SticStatus create(const SticContext* context, const void* parameters, SticChart chart,
                         SticSystem** system, SticError* error)
{
    const Oscillator* p = parameters;
    (void)chart;
    const double mass[2] = {p->m1, p->m2};
    const SticInteraction contact = {.id = 1,
                                     .law = STIC_LAW_NONNEG,
                                     .level = STIC_LEVEL_CONTACT,
                                     .rows = 1,
                                     .block = {0, 1},
                                     .bound_of = -1,
                                     .restitution = {p->restitution, 0.0}};
    SticSmallDef def = stic_model_linear(&table, p, 2, 1, mass, potential);
    def.interactions = 1;
    def.interaction = &contact;
    def.measure = measure;
    return stic_small_create(context, &def, system, error);
}

static void start(const void* parameters, SticChart chart, SticState* state)
{
    const Oscillator* p = parameters;
    (void)chart;
    state->q[0] = p->x1;
    state->q[1] = p->x2;
}

const SticModel stic_model_oscillator = {
    "oscillator", "mass bouncing on a stiff spring (Möller 6.1)", &table, 0, create, start, NULL};
