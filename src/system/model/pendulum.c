// SPDX-License-Identifier: Apache-2.0
// Planar pendulum in Cartesian coordinates (Koziara 13.4.1): point mass on a rigid massless rod.
//
//   q = (x, z), pivot at (0, l), V = m g z, rod 1/2 (x^2 + (z-l)^2 - l^2) = 0
#include "system/model/models.h"

#include "math/math.h"

typedef struct Pendulum {
    double mass, length, gravity, angle;
} Pendulum;

static const SticField fields[] = {
    STIC_PARAMETER(Pendulum, mass, 1.0, "kg", "mass"),
    STIC_PARAMETER(Pendulum, length, 1.0, "m", "length of the rod"),
    STIC_PARAMETER(Pendulum, gravity, STIC_PI* STIC_PI, "m/s2", "gravity along -z"),
    STIC_PARAMETER(Pendulum, angle, 0.5 * STIC_PI, "rad", "start angle from the vertical"),
};
static const SticFieldTable table = STIC_FIELD_TABLE("pendulum", fields, Pendulum);

static double potential(const void* self, int32_t k, const double* q, double* gradient,
                        double* hessian)
{
    const Pendulum* p = self;
    (void)k;
    if (gradient != NULL) {
        gradient[0] = 0.0;
        gradient[1] = p->mass * p->gravity;
    }
    for (int i = 0; hessian != NULL && i < 4; ++i)
        hessian[i] = 0.0;
    return p->mass * p->gravity * q[1];
}

static void measure(const void* self, int32_t i, const SticState* state, uint32_t want,
                    const double* y, SticPointMeasures* out)
{
    const Pendulum* p = self;
    const double *q = state->q, *u = state->u, dx = q[0], dz = q[1] - p->length;
    (void)i;
    out->gap[0] = 0.5 * (dx * dx + dz * dz - p->length * p->length);
    out->H[0][0] = out->G[0][0] = dx;
    out->H[0][1] = out->G[0][1] = dz;
    if (want & STIC_WANT_BIAS)
        out->bias[0] = u[0] * u[0] + u[1] * u[1];
    for (int c = 0; (want & STIC_WANT_C) && c < 2; ++c)
        out->C[0][c] = y[c];
}

static SticStatus create(const SticContext* context, const void* parameters, SticChart chart,
                         SticSystem** system, SticError* error)
{
    const Pendulum* p = parameters;
    (void)chart;
    const double mass[4] = {p->mass, 0, 0, p->mass};
    const SticInteraction rod = {.id = 1,
                                 .law = STIC_LAW_FREE,
                                 .level = STIC_LEVEL_POSITION,
                                 .rows = 1,
                                 .block = {0, -1},
                                 .bound_of = -1};
    SticSmallDef def = stic_model_linear(&table, p, 1, 2, mass, potential);
    def.interactions = 1;
    def.interaction = &rod;
    def.measure = measure;
    return stic_small_create(context, &def, system, error);
}

static void start(const void* parameters, SticChart chart, SticState* state)
{
    const Pendulum* p = parameters;
    (void)chart;
    state->q[0] = p->length * stic_sin(p->angle);
    state->q[1] = p->length * (1.0 - stic_cos(p->angle));
}

const SticModel stic_model_pendulum = {
    "pendulum", "pendulum with a rod as a constraint (Koziara 13.4.1)", &table, 0, create, start,
    NULL};
