// SPDX-License-Identifier: Apache-2.0
// The pendulum of Koziara 13.4.1 in its angle: no constraint, V = m g l (1 - cos a).
#include "system/model/models.h"

typedef struct Pendulum {
    double mass, length, gravity, angle;
} Pendulum;

static const SticField fields[] = {
    STIC_PARAMETER(Pendulum, mass, 1.0, "kg", "mass"),
    STIC_PARAMETER(Pendulum, length, 1.0, "m", "length of the rod"),
    STIC_PARAMETER(Pendulum, gravity, STIC_PI* STIC_PI, "m/s2", "gravity"),
    STIC_PARAMETER(Pendulum, angle, 0.5 * STIC_PI, "rad", "start angle from the vertical"),
};
static const SticFieldTable table = STIC_FIELD_TABLE("pendulum-angle", fields, Pendulum);

static double potential(const void* self, int32_t k, const double* q, double* gradient,
                        double* hessian)
{
    const Pendulum* p = self;
    const double moment = p->mass * p->gravity * p->length;
    double sine, cosine;
    (void)k;
    stic_sincos(q[0], &sine, &cosine);
    if (gradient != NULL)
        gradient[0] = moment * sine;
    if (hessian != NULL)
        hessian[0] = moment * cosine;
    return moment * (1.0 - cosine);
}

static SticStatus create(const SticContext* context, const void* parameters, SticChart chart,
                         SticSystem** system, SticError* error)
{
    const Pendulum* p = parameters;
    (void)chart;
    const double mass[1] = {p->mass * p->length * p->length};
    SticSmallDef def = stic_model_linear(&table, p, 1, 1, mass, potential);
    return stic_small_create(context, &def, system, error);
}

static void start(const void* parameters, SticChart chart, SticState* state)
{
    const Pendulum* p = parameters;
    (void)chart;
    state->q[0] = p->angle;
}

const SticModel stic_model_pendulum_angle = {
    "pendulum-angle", "pendulum in its angle (Koziara 13.4.1)", &table, 0, create, start, NULL};
