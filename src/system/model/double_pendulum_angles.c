// SPDX-License-Identifier: Apache-2.0
// The unilateral double pendulum of Möller 6.2 in angles from the downward vertical; M depends
// on q.
//
//   M = m l^2 [2, cos d; cos d, 1], d = a1 - a2      inertia terms  m l^2 sin d (-w2^2, w1^2)
//   V = m g l (3 - 2 cos a1 - cos a2)
//   wall: x1 = l sin a1 >= 0, x2 = x1 + l sin a2 >= 0
#include "system/model/models.h"

typedef struct DoublePendulum {
    double mass, length, gravity, restitution, angle1, angle2, rate1, rate2, wall;
} DoublePendulum;

static const SticField fields[] = {
    STIC_PARAMETER(DoublePendulum, mass, 0.2, "kg", "each mass"),
    STIC_PARAMETER(DoublePendulum, length, 0.5, "m", "each rod"),
    STIC_PARAMETER(DoublePendulum, gravity, 9.81, "m/s2", "gravity"),
    STIC_PARAMETER(DoublePendulum, restitution, 1.0, "-", "restitution of the wall"),
    STIC_PARAMETER(DoublePendulum, angle1, 0.0, "rad", "first rod from the vertical"),
    STIC_PARAMETER(DoublePendulum, angle2, 0.0, "rad", "second rod from the vertical"),
    STIC_PARAMETER(DoublePendulum, rate1, 5.0, "rad/s", "start rate of the first rod"),
    STIC_PARAMETER(DoublePendulum, rate2, 5.0, "rad/s", "start rate of the second rod"),
    STIC_PARAMETER(DoublePendulum, wall, 1.0, "-", "0: no wall"),
};
static const SticFieldTable table =
    STIC_FIELD_TABLE("double-pendulum-angles", fields, DoublePendulum);

static void mass_at(const void* self, const double* q, double* mass)
{
    const DoublePendulum* p = self;
    const double unit = p->mass * p->length * p->length;
    mass[0] = 2.0 * unit;
    mass[1] = mass[2] = unit * stic_cos(q[0] - q[1]);
    mass[3] = unit;
}

static void gyro(const void* self, const double* q, const double* u, double* f)
{
    const DoublePendulum* p = self;
    const double coupling = p->mass * p->length * p->length * stic_sin(q[0] - q[1]);
    f[0] = -coupling * u[1] * u[1];
    f[1] = coupling * u[0] * u[0];
}

// T = m l^2 (w1^2 + cos d w1 w2 + w2^2/2)
static void inertia(const void* self, const double* q, const double* u, double* slope, double* G)
{
    const DoublePendulum* p = self;
    const double coupling = p->mass * p->length * p->length * stic_sin(q[0] - q[1]);
    slope[0] = -coupling * u[0] * u[1];
    slope[1] = coupling * u[0] * u[1];
    if (G == NULL)
        return;
    G[1] = coupling * (u[0] + u[1]);
    G[2] = -G[1];
}

static double potential(const void* self, int32_t k, const double* q, double* gradient,
                        double* hessian)
{
    const DoublePendulum* p = self;
    const double moment = p->mass * p->gravity * p->length;
    double s1, c1, s2, c2;
    (void)k;
    stic_sincos(q[0], &s1, &c1);
    stic_sincos(q[1], &s2, &c2);
    if (gradient != NULL) {
        gradient[0] = 2.0 * moment * s1;
        gradient[1] = moment * s2;
    }
    if (hessian != NULL) {
        hessian[0] = 2.0 * moment * c1;
        hessian[1] = hessian[2] = 0.0;
        hessian[3] = moment * c2;
    }
    return moment * (3.0 - 2.0 * c1 - c2);
}

static void measure(const void* self, int32_t i, const SticState* state, uint32_t want,
                    const double* y, SticPointMeasures* out)
{
    const DoublePendulum* p = self;
    const double *q = state->q, *u = state->u, l = p->length;
    for (int k = 0; k <= i; ++k) {
        double sine, cosine;
        stic_sincos(q[k], &sine, &cosine);
        out->gap[0] += l * sine;
        out->H[0][k] = out->G[0][k] = l * cosine;
        if (want & STIC_WANT_BIAS)
            out->bias[0] -= l * sine * u[k] * u[k];
        if (want & STIC_WANT_C)
            out->C[0][k] = -l * sine * y[k];
    }
}

static SticStatus create(const SticContext* context, const void* parameters, SticChart chart,
                         SticSystem** system, SticError* error)
{
    const DoublePendulum* p = parameters;
    (void)chart;
    static const uint8_t charts[] = {STIC_CHART_GENERAL};
    static const int32_t size[] = {2};
    static const int32_t term_block[][2] = {{0, -1}};
    SticInteraction wall[2];
    for (int i = 0; i < 2; ++i)
        wall[i] = (SticInteraction){.id = (uint64_t)i + 1,
                                    .law = STIC_LAW_NONNEG,
                                    .level = STIC_LEVEL_CONTACT,
                                    .rows = 1,
                                    .block = {0, -1},
                                    .bound_of = -1,
                                    .restitution = {p->restitution, 0.0}};
    const SticSmallDef def = {.name = "double-pendulum-angles",
                              .offers = STIC_MODEL_OFFERS & ~STIC_OFFERS_CONSTANT_MASS,
                              .blocks = 1,
                              .chart = charts,
                              .size = size,
                              .mass_at = mass_at,
                              .gyro = gyro,
                              .inertia = inertia,
                              .terms = 1,
                              .term_block = term_block,
                              .potential = potential,
                              .interactions = p->wall != 0.0 ? 2 : 0,
                              .interaction = wall,
                              .measure = measure,
                              .self = p,
                              .self_size = sizeof *p};
    return stic_small_create(context, &def, system, error);
}

static void start(const void* parameters, SticChart chart, SticState* state)
{
    const DoublePendulum* p = parameters;
    (void)chart;
    state->q[0] = p->angle1;
    state->q[1] = p->angle2;
    state->u[0] = p->rate1;
    state->u[1] = p->rate2;
}

const SticModel stic_model_double_pendulum_angles = {
    "double-pendulum-angles",
    "double pendulum in angles against a wall (Möller 6.2)",
    &table,
    0,
    create,
    start,
    NULL};
