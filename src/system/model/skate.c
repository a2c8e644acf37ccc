// SPDX-License-Identifier: Apache-2.0
// Skate on an inclined plane: one velocity constraint that is not the derivative of a position
// constraint.
//
//   q = (x, y, phi), the blade cannot move sideways: -sin(phi) x' + cos(phi) y' = 0, slope
//   acceleration a along x started at rest with spin w (Neimark and Fufaev 1972): x = a/(2 w^2)
//   sin^2(w t), y = a/(2 w^2) (w t - sin(2 w t)/2)
#include "system/model/models.h"

typedef struct Skate {
    double mass, inertia, slope, spin;
} Skate;

static const SticField fields[] = {
    STIC_PARAMETER(Skate, mass, 1.0, "kg", "mass"),
    STIC_PARAMETER(Skate, inertia, 0.1, "kg m2", "inertia"),
    STIC_PARAMETER(Skate, slope, 2.0, "m/s2", "acceleration down the slope, along x"),
    STIC_PARAMETER(Skate, spin, 1.5, "rad/s", "start rate of turn"),
};
static const SticFieldTable table = STIC_FIELD_TABLE("skate", fields, Skate);

static double potential(const void* self, int32_t k, const double* q, double* gradient,
                        double* hessian)
{
    const Skate* p = self;
    (void)k;
    if (gradient != NULL) {
        gradient[0] = -p->mass * p->slope;
        gradient[1] = gradient[2] = 0.0;
    }
    for (int i = 0; hessian != NULL && i < 9; ++i)
        hessian[i] = 0.0;
    return -p->mass * p->slope * q[0];
}

static void measure(const void* self, int32_t i, const SticState* state, uint32_t want,
                    const double* y, SticPointMeasures* out)
{
    const double* u = state->u;
    double sine, cosine;
    (void)self;
    (void)i;
    (void)y;
    stic_sincos(state->q[2], &sine, &cosine);
    out->H[0][0] = -sine;
    out->H[0][1] = cosine;
    if (want & STIC_WANT_BIAS)
        out->bias[0] = -u[2] * (cosine * u[0] + sine * u[1]);
}

static SticStatus create(const SticContext* context, const void* parameters, SticChart chart,
                         SticSystem** system, SticError* error)
{
    const Skate* p = parameters;
    (void)chart;
    const double mass[9] = {p->mass, 0, 0, 0, p->mass, 0, 0, 0, p->inertia};
    const SticInteraction blade = {.id = 1,
                                   .law = STIC_LAW_FREE,
                                   .level = STIC_LEVEL_RATE,
                                   .rows = 1,
                                   .block = {0, -1},
                                   .bound_of = -1};
    SticSmallDef def = stic_model_linear(&table, p, 1, 3, mass, potential);
    def.interactions = 1;
    def.interaction = &blade;
    def.measure = measure;
    return stic_small_create(context, &def, system, error);
}

static void start(const void* parameters, SticChart chart, SticState* state)
{
    const Skate* p = parameters;
    (void)chart;
    state->u[2] = p->spin;
}

const SticModel stic_model_skate = {
    "skate", "skate on a slope, a non-holonomic constraint (Neimark and Fufaev)",
    &table,  0,
    create,  start,
    NULL};
