// SPDX-License-Identifier: Apache-2.0
// Bar of Acary and Cadoux (4.26-4.33): one degree of freedom against a belt that moves with the
// speed u0.
//
//   q = th, M = m l^2, weight moment -m g l sin th, contact velocity l th' (sin th, cos th) + (0,
//   u0), normal first the belt closes the gap at the start angle: g = l (cos th0 - cos th)
// With m = l = 1, g = -1, v0 = 0 a step has a solution iff u0 <= 0, or u0 > 0 and tan th > mu.
#include "system/model/models.h"

typedef struct Bar {
    double mass, length, gravity, friction, angle, belt;
} Bar;

static const SticField fields[] = {
    STIC_PARAMETER(Bar, mass, 1.0, "kg", "mass at the end of the bar"),
    STIC_PARAMETER(Bar, length, 1.0, "m", "length"),
    STIC_PARAMETER(Bar, gravity, 1.0, "m/s2", "gravity; positive presses the bar onto the belt"),
    STIC_PARAMETER(Bar, friction, 0.5, "-", "friction coefficient"),
    STIC_PARAMETER(Bar, angle, 0.6, "rad", "start angle"),
    STIC_PARAMETER(Bar, belt, -1.0, "m/s", "speed of the belt u0"),
};
static const SticFieldTable table = STIC_FIELD_TABLE("bar", fields, Bar);

static double potential(const void* self, int32_t k, const double* q, double* gradient,
                        double* hessian)
{
    const Bar* p = self;
    const double moment = p->mass * p->gravity * p->length;
    double sine, cosine;
    (void)k;
    stic_sincos(q[0], &sine, &cosine);
    if (gradient != NULL)
        gradient[0] = moment * sine;
    if (hessian != NULL)
        hessian[0] = moment * cosine;
    return -moment * cosine;
}

static void measure(const void* self, int32_t i, const SticState* state, uint32_t want,
                    const double* y, SticPointMeasures* out)
{
    const Bar* p = self;
    double sine, cosine;
    (void)i;
    stic_sincos(state->q[0], &sine, &cosine);
    const double l = p->length, w = state->u[0];
    out->gap[0] = l * (stic_cos(p->angle) - cosine);
    out->chi[1] = p->belt;
    out->H[0][0] = out->G[0][0] = l * sine;
    out->H[0][1] = l * cosine;
    if (want & STIC_WANT_BIAS) {
        out->bias[0] = l * cosine * w * w;
        out->bias[1] = -l * sine * w * w;
    }
    if (want & STIC_WANT_C)
        out->C[0][0] = l * cosine * y[0];
}

static SticStatus create(const SticContext* context, const void* parameters, SticChart chart,
                         SticSystem** system, SticError* error)
{
    const Bar* p = parameters;
    (void)chart;
    const double mass[1] = {p->mass * p->length * p->length};
    const SticInteraction contact = stic_model_contact(1, 2, p->friction, 0.0);
    SticSmallDef def = stic_model_linear(&table, p, 1, 1, mass, potential);
    def.offers = STIC_MODEL_OFFERS & ~STIC_OFFERS_SCLERONOMIC;
    def.interactions = 1;
    def.interaction = &contact;
    def.measure = measure;
    return stic_small_create(context, &def, system, error);
}

static void start(const void* parameters, SticChart chart, SticState* state)
{
    const Bar* p = parameters;
    (void)chart;
    state->q[0] = p->angle;
}

const SticModel stic_model_bar = {
    "bar", "bar against a moving belt (Acary and Cadoux 4.3)", &table, 0, create, start, NULL};
