// SPDX-License-Identifier: Apache-2.0
// Overbalanced wheel (Möller 6.3): a wheel with twelve levers hinged at its rim, each between two
// stops.
//
//   q = (phi, x_1, y_1, …, x_n, y_n), th_i = phi + 2 pi (i-1)/n, c = cos th_i, s = sin th_i
//   hinge      1/2 (x - a c)^2 + 1/2 (y - a s)^2 - l^2/2 = 0
//   stops      x c + y s - a >= 0 (tangential),  -x s + y c >= 0 (radial)
// The start position is not printed in the thesis: every lever rests in static equilibrium, the two
// bistable ones (30 and 60 degrees) at 90 degrees (variant 0) or at 0 (variant 1).
#include "system/model/models.h"

enum { LEVERS = 12 };

typedef struct Wheel {
    double radius, inertia, length, mass, gravity, restitution, rate, variant;
} Wheel;

static const SticField fields[] = {
    STIC_PARAMETER(Wheel, radius, 0.4, "m", "radius of the wheel"),
    STIC_PARAMETER(Wheel, inertia, 0.16, "kg m2", "inertia of the wheel"),
    STIC_PARAMETER(Wheel, length, 0.2, "m", "length of a lever"),
    STIC_PARAMETER(Wheel, mass, 0.1, "kg", "mass of a lever"),
    STIC_PARAMETER(Wheel, gravity, 9.81, "m/s2", "gravity along -y"),
    STIC_PARAMETER(Wheel, restitution, 0.0, "-", "restitution of the stops"),
    STIC_PARAMETER(Wheel, rate, -2.0, "rad/s", "start rate of rigid rotation"),
    STIC_PARAMETER(Wheel, variant, 0.0, "-", "start position of the bistable levers, 0 or 1"),
};
static const SticFieldTable table = STIC_FIELD_TABLE("wheel", fields, Wheel);

static double potential(const void* self, int32_t k, const double* q, double* gradient,
                        double* hessian)
{
    const Wheel* p = self;
    const double weight = p->mass * p->gravity;
    if (gradient != NULL) {
        gradient[0] = 0.0;
        gradient[1] = weight;
    }
    for (int i = 0; hessian != NULL && i < 4; ++i)
        hessian[i] = 0.0;
    return weight * q[2 + 2 * k];
}

static void measure_hinge(const Wheel* p, const double* at, const double trig[2],
                          SticPointMeasures* out)
{
    const double sine = trig[0], cosine = trig[1], a = p->radius;
    const double dx = at[0] - a * cosine, dy = at[1] - a * sine;
    out->gap[0] = 0.5 * (dx * dx + dy * dy - p->length * p->length);
    out->G[0][0] = dx;
    out->G[0][1] = dy;
    out->G[1][0] = a * (at[0] * sine - at[1] * cosine);
}

// d/dq (G y) of the hinge; the sign of the x-rate in d/dphi differs from the printed (6.32)
static void curve_hinge(const Wheel* p, const double* at, double w, const double* y_at,
                        const double trig[2], SticPointMeasures* out)
{
    const double a = p->radius, sine = trig[0], cosine = trig[1];
    out->C[0][0] = y_at[0] + a * w * sine;
    out->C[0][1] = y_at[1] - a * w * cosine;
    out->C[1][0] = a * (w * at[0] - y_at[1]) * cosine + a * (w * at[1] + y_at[0]) * sine;
}

static void measure_stop(const Wheel* p, int which, const double* at, const double trig[2],
                         SticPointMeasures* out)
{
    const double sine = trig[0], cosine = trig[1], radius = p->radius;
    const double along = at[0] * cosine + at[1] * sine, across = -at[0] * sine + at[1] * cosine;
    out->gap[0] = which == 0 ? along - radius : across;
    out->G[0][0] = which == 0 ? cosine : -sine;
    out->G[0][1] = which == 0 ? sine : cosine;
    out->G[1][0] = which == 0 ? across : -along;
}

// second time derivative of a measure without accelerations; v velocity of the lever's mass, w rate
// of the wheel
static double bias_of(const Wheel* p, int kind, const double* at, const double* v, double w,
                      const double trig[2])
{
    const double sine = trig[0], cosine = trig[1];
    const double along = at[0] * cosine + at[1] * sine, across = -at[0] * sine + at[1] * cosine;
    const double v_along = v[0] * cosine + v[1] * sine, v_across = -v[0] * sine + v[1] * cosine;
    if (kind == 1)
        return -w * w * along + 2.0 * w * v_across;
    if (kind == 2)
        return -w * w * across - 2.0 * w * v_along;
    const double a = p->radius, dv_across = v_across - a * w;
    return v_along * v_along + dv_across * dv_across + a * w * w * (along - a);
}

// interactions: hinges 0 … 11, tangential stops 12 … 23, radial stops 24 … 35; side 0 the lever,
// side 1 the wheel
static void measure(const void* self, int32_t i, const SticState* state, uint32_t want,
                    const double* y, SticPointMeasures* out)
{
    const Wheel* p = self;
    const int32_t lever = i % LEVERS, kind = i / LEVERS;
    const double* q = state->q;
    const double* at = q + 1 + 2 * lever;
    double trig[2];
    stic_sincos(q[0] + 2.0 * STIC_PI * lever / LEVERS, &trig[0], &trig[1]);
    if (kind == 0)
        measure_hinge(p, at, trig, out);
    else
        measure_stop(p, kind - 1, at, trig, out);
    out->H[0][0] = out->G[0][0];
    out->H[0][1] = out->G[0][1];
    out->H[1][0] = out->G[1][0];
    if (kind == 0 && (want & STIC_WANT_C))
        curve_hinge(p, at, y[0], y + 1 + 2 * lever, trig, out);
    if (want & STIC_WANT_BIAS)
        out->bias[0] = bias_of(p, kind, at, state->u + 1 + 2 * lever, state->u[0], trig);
}

static void fill_interactions(const Wheel* p, SticInteraction* interaction)
{
    for (int i = 0; i < 3 * LEVERS; ++i) {
        const bool hinge = i < LEVERS;
        interaction[i] =
            (SticInteraction){.id = (uint64_t)i + 1,
                              .law = hinge ? STIC_LAW_FREE : STIC_LAW_NONNEG,
                              .level = hinge ? STIC_LEVEL_POSITION : STIC_LEVEL_CONTACT,
                              .rows = 1,
                              .block = {1 + i % LEVERS, 0},
                              .bound_of = -1,
                              .restitution = {hinge ? 0.0 : p->restitution, 0.0}};
    }
}

static SticStatus create(const SticContext* context, const void* parameters, SticChart chart,
                         SticSystem** system, SticError* error)
{
    const Wheel* p = parameters;
    (void)chart;
    uint8_t charts[1 + LEVERS];
    int32_t size[1 + LEVERS], term_block[LEVERS][2];
    double mass[1 + 4 * LEVERS] = {p->inertia};
    SticInteraction interaction[3 * LEVERS];
    charts[0] = STIC_CHART_LINEAR;
    size[0] = 1;
    for (int i = 0; i < LEVERS; ++i) {
        charts[1 + i] = STIC_CHART_LINEAR;
        size[1 + i] = 2;
        mass[1 + 4 * i] = mass[4 + 4 * i] = p->mass;
        term_block[i][0] = 1 + i;
        term_block[i][1] = -1;
    }
    fill_interactions(p, interaction);
    const SticSmallDef def = {.name = "wheel",
                              .offers = STIC_MODEL_OFFERS,
                              .blocks = 1 + LEVERS,
                              .chart = charts,
                              .size = size,
                              .mass = mass,
                              .terms = LEVERS,
                              .term_block = (const int32_t(*)[2])term_block,
                              .potential = potential,
                              .interactions = 3 * LEVERS,
                              .interaction = interaction,
                              .measure = measure,
                              .self = p,
                              .self_size = sizeof *p};
    return stic_small_create(context, &def, system, error);
}

// angle of a lever from the outward radius in static equilibrium, degrees
static double lever_angle(int degrees, bool bistable_out)
{
    if (degrees == 0 || degrees > 270)
        return 0.0;
    if (degrees < 90)
        return bistable_out ? 90.0 : 0.0;
    return degrees < 180 ? 90.0 : 270.0 - degrees;
}

static void start(const void* parameters, SticChart chart, SticState* state)
{
    const Wheel* p = parameters;
    (void)chart;
    state->u[0] = p->rate;
    for (int i = 0; i < LEVERS; ++i) {
        const int degrees = 30 * i;
        const double angle = degrees * STIC_PI / 180.0;
        const double lever = angle + lever_angle(degrees, p->variant == 0.0) * STIC_PI / 180.0;
        double *q = state->q + 1 + 2 * i, *u = state->u + 1 + 2 * i;
        q[0] = p->radius * stic_cos(angle) + p->length * stic_cos(lever);
        q[1] = p->radius * stic_sin(angle) + p->length * stic_sin(lever);
        u[0] = -p->rate * q[1];
        u[1] = p->rate * q[0];
    }
}

const SticModel stic_model_wheel = {
    "wheel", "overbalanced wheel with twelve levers (Möller 6.3)", &table, 0, create, start, NULL};
