// SPDX-License-Identifier: Apache-2.0
// Painlevé's rod (Kikuuwe and Brogliato 5.3): a uniform rod that slides with one end on the floor.
//
//   q = (x, y, th) of the centre, half length l, M = diag(m, m, m l^2/3),
//   lower end p = (x - l cos th, y - l sin th)
#include "system/model/models.h"

typedef struct Rod {
    double mass, half_length, gravity, friction, angle, rate, slide;
} Rod;

static const SticField fields[] = {
    STIC_PARAMETER(Rod, mass, 1.0, "kg", "mass"),
    STIC_PARAMETER(Rod, half_length, 1.0, "m", "half length"),
    STIC_PARAMETER(Rod, gravity, 9.81, "m/s2", "gravity along -y"),
    STIC_PARAMETER(Rod, friction, 0.5, "-", "friction coefficient"),
    STIC_PARAMETER(Rod, angle, 1.0, "rad", "start angle from the floor"),
    STIC_PARAMETER(Rod, rate, 0.0, "rad/s", "start rate"),
    STIC_PARAMETER(Rod, slide, -1.0, "m/s", "start velocity of the lower end along the floor"),
};
static const SticFieldTable table = STIC_FIELD_TABLE("painleve-rod", fields, Rod);

static double potential(const void* self, int32_t k, const double* q, double* gradient,
                        double* hessian)
{
    const Rod* p = self;
    (void)k;
    if (gradient != NULL) {
        gradient[0] = gradient[2] = 0.0;
        gradient[1] = p->mass * p->gravity;
    }
    for (int i = 0; hessian != NULL && i < 9; ++i)
        hessian[i] = 0.0;
    return p->mass * p->gravity * q[1];
}

static void measure(const void* self, int32_t i, const SticState* state, uint32_t want,
                    const double* y, SticPointMeasures* out)
{
    const Rod* p = self;
    double sine, cosine;
    (void)i;
    stic_sincos(state->q[2], &sine, &cosine);
    const double l = p->half_length, w = state->u[2];
    out->gap[0] = state->q[1] - l * sine;
    out->G[0][1] = out->H[0][1] = 1.0;
    out->G[0][2] = out->H[0][2] = -l * cosine;
    out->H[0][3] = 1.0;
    out->H[0][5] = l * sine;
    if (want & STIC_WANT_BIAS) {
        out->bias[0] = l * sine * w * w;
        out->bias[1] = l * cosine * w * w;
    }
    if (want & STIC_WANT_C)
        out->C[0][2] = l * sine * y[2];
}

static SticStatus create(const SticContext* context, const void* parameters, SticChart chart,
                         SticSystem** system, SticError* error)
{
    const Rod* p = parameters;
    (void)chart;
    const double inertia = p->mass * p->half_length * p->half_length / 3.0;
    const double mass[9] = {p->mass, 0, 0, 0, p->mass, 0, 0, 0, inertia};
    const SticInteraction contact = stic_model_contact(1, 2, p->friction, 0.0);
    SticSmallDef def = stic_model_linear(&table, p, 1, 3, mass, potential);
    def.interactions = 1;
    def.interaction = &contact;
    def.measure = measure;
    return stic_small_create(context, &def, system, error);
}

// the lower end starts on the floor at the origin and moves along it
static void start(const void* parameters, SticChart chart, SticState* state)
{
    const Rod* p = parameters;
    double sine, cosine;
    (void)chart;
    stic_sincos(p->angle, &sine, &cosine);
    state->q[0] = p->half_length * cosine;
    state->q[1] = p->half_length * sine;
    state->q[2] = p->angle;
    state->u[0] = p->slide - p->half_length * sine * p->rate;
    state->u[1] = p->half_length * cosine * p->rate;
    state->u[2] = p->rate;
}

const SticModel stic_model_painleve_rod = {"painleve-rod",
                                           "rod sliding on one end (Kikuuwe and Brogliato 5.3)",
                                           &table,
                                           0,
                                           create,
                                           start,
                                           NULL};
