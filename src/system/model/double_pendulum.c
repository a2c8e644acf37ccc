// SPDX-License-Identifier: Apache-2.0
// Unilateral double pendulum in Cartesian coordinates (Möller 6.2).
//
//   q = (x1, y1, x2, y2), x away from the wall x = 0, y DOWNWARD; V = 3 m g l - m g (y1 + y2)
//   rods   1/2 (x1^2 + y1^2 - l^2) = 0,  1/2 ((x2-x1)^2 + (y2-y1)^2 - l^2) = 0
//   wall   x1 >= 0, x2 >= 0
#include "system/model/models.h"

#include "math/math.h"

typedef struct DoublePendulum {
    double mass, length, gravity, restitution, angle1, angle2, rate1, rate2;
} DoublePendulum;

static const SticField fields[] = {
    STIC_PARAMETER(DoublePendulum, mass, 0.2, "kg", "each mass"),
    STIC_PARAMETER(DoublePendulum, length, 0.5, "m", "each rod"),
    STIC_PARAMETER(DoublePendulum, gravity, 9.81, "m/s2", "gravity along +y"),
    STIC_PARAMETER(DoublePendulum, restitution, 1.0, "-", "restitution of the wall"),
    STIC_PARAMETER(DoublePendulum, angle1, 0.0, "rad", "first rod from the vertical"),
    STIC_PARAMETER(DoublePendulum, angle2, 0.0, "rad", "second rod from the vertical"),
    STIC_PARAMETER(DoublePendulum, rate1, 5.0, "rad/s", "start rate of the first rod"),
    STIC_PARAMETER(DoublePendulum, rate2, 5.0, "rad/s", "start rate of the second rod"),
};
static const SticFieldTable table = STIC_FIELD_TABLE("double-pendulum", fields, DoublePendulum);

static double potential(const void* self, int32_t k, const double* q, double* gradient,
                        double* hessian)
{
    const DoublePendulum* p = self;
    const double weight = p->mass * p->gravity;
    if (gradient != NULL) {
        gradient[0] = 0.0;
        gradient[1] = -weight;
    }
    for (int i = 0; hessian != NULL && i < 4; ++i)
        hessian[i] = 0.0;
    return weight * ((k == 0 ? 1.0 : 2.0) * p->length - q[2 * k + 1]);
}

// interactions 0, 1: rods; 2, 3: wall
static void measure(const void* self, int32_t i, const SticState* state, uint32_t want,
                    const double* y, SticPointMeasures* out)
{
    const DoublePendulum* p = self;
    const double *q = state->q, *u = state->u;
    if (i >= 2) {
        out->gap[0] = q[2 * (i - 2)];
        out->H[0][0] = out->G[0][0] = 1.0;
        return;
    }
    // rod from (0, 0) or mass 1 to mass 1 or 2; side 0 is the outer mass
    const int outer = 2 * i;
    const double dx = i == 0 ? q[0] : q[2] - q[0], dy = i == 0 ? q[1] : q[3] - q[1];
    out->gap[0] = 0.5 * (dx * dx + dy * dy - p->length * p->length);
    const double direction[2] = {dx, dy};
    for (int c = 0; c < 2; ++c) {
        out->H[0][c] = out->G[0][c] = direction[c];
        out->H[1][c] = out->G[1][c] = -direction[c];
    }
    if (want & STIC_WANT_BIAS) {
        const double vx = i == 0 ? u[0] : u[2] - u[0], vy = i == 0 ? u[1] : u[3] - u[1];
        out->bias[0] = vx * vx + vy * vy;
    }
    for (int c = 0; (want & STIC_WANT_C) && c < 2; ++c) {
        out->C[0][c] = y[outer + c] - (i == 0 ? 0.0 : y[c]);
        out->C[1][c] = -out->C[0][c];
    }
}

static SticStatus create(const SticContext* context, const void* parameters, SticChart chart,
                         SticSystem** system, SticError* error)
{
    const DoublePendulum* p = parameters;
    (void)chart;
    const double m = p->mass, mass[8] = {m, 0, 0, m, m, 0, 0, m};
    SticInteraction interaction[4] = {{0}};
    for (int i = 0; i < 4; ++i) {
        const bool rod = i < 2;
        interaction[i] = (SticInteraction){.id = (uint64_t)i + 1,
                                           .law = rod ? STIC_LAW_FREE : STIC_LAW_NONNEG,
                                           .level = rod ? STIC_LEVEL_POSITION : STIC_LEVEL_CONTACT,
                                           .rows = 1,
                                           .block = {rod ? i : i - 2, i == 1 ? 0 : -1},
                                           .bound_of = -1,
                                           .restitution = {rod ? 0.0 : p->restitution, 0.0}};
    }
    SticSmallDef def = stic_model_linear(&table, p, 2, 2, mass, potential);
    def.interactions = 4;
    def.interaction = interaction;
    def.measure = measure;
    return stic_small_create(context, &def, system, error);
}

static void start(const void* parameters, SticChart chart, SticState* state)
{
    const DoublePendulum* p = parameters;
    (void)chart;
    const double l = p->length, angle[2] = {p->angle1, p->angle2}, rate[2] = {p->rate1, p->rate2};
    for (int i = 0; i < 2; ++i) {
        double s, c;
        stic_sincos(angle[i], &s, &c);
        state->q[2 * i] = (i == 0 ? 0.0 : state->q[0]) + l * s;
        state->q[2 * i + 1] = (i == 0 ? 0.0 : state->q[1]) + l * c;
        state->u[2 * i] = (i == 0 ? 0.0 : state->u[0]) + l * c * rate[i];
        state->u[2 * i + 1] = (i == 0 ? 0.0 : state->u[1]) - l * s * rate[i];
    }
}

const SticModel stic_model_double_pendulum = {"double-pendulum",
                                              "double pendulum of rods against a wall (Möller 6.2)",
                                              &table,
                                              0,
                                              create,
                                              start,
                                              NULL};
