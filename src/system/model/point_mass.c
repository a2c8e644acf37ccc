// SPDX-License-Identifier: Apache-2.0
// Point mass over the floor z = 0, with gravity, a force that varies like a cosine, Coulomb
// friction and restitution. It is the bouncing ball, the sliding block (Potra-Anitescu: m = 1, mu =
// 0.8, force 8 cos t) and the mass hitting a wall of Kikuuwe and Brogliato (section 5.2).
#include "system/model/models.h"

#include "math/math.h"

typedef struct PointMass {
    double mass, gravity, force, frequency, friction, restitution;
    double x, z, vx, vy, vz;
} PointMass;

static const SticField fields[] = {
    STIC_PARAMETER(PointMass, mass, 1.0, "kg", "mass"),
    STIC_PARAMETER(PointMass, gravity, 9.81, "m/s2", "gravity along -z"),
    STIC_PARAMETER(PointMass, force, 0.0, "N", "amplitude of the force along x"),
    STIC_PARAMETER(PointMass, frequency, 0.0, "rad/s", "angular frequency of that force"),
    STIC_PARAMETER(PointMass, friction, 0.5, "-", "friction coefficient of the floor"),
    STIC_PARAMETER(PointMass, restitution, 0.0, "-", "normal restitution of the floor"),
    STIC_PARAMETER(PointMass, x, 0.0, "m", "start position along x"),
    STIC_PARAMETER(PointMass, z, 0.0, "m", "start height"),
    STIC_PARAMETER(PointMass, vx, 0.0, "m/s", "start velocity along x"),
    STIC_PARAMETER(PointMass, vy, 0.0, "m/s", "start velocity along y"),
    STIC_PARAMETER(PointMass, vz, 0.0, "m/s", "start velocity along z"),
};
static const SticFieldTable table = STIC_FIELD_TABLE("point-mass", fields, PointMass);

static void force(const void* self, double t, const double* q, const double* u, double* f)
{
    const PointMass* p = self;
    (void)q;
    (void)u;
    f[0] = p->force * stic_cos(p->frequency * t);
}

static double potential(const void* self, int32_t k, const double* q, double* gradient,
                        double* hessian)
{
    const PointMass* p = self;
    (void)k;
    if (gradient != NULL) {
        gradient[0] = gradient[1] = 0.0;
        gradient[2] = p->mass * p->gravity;
    }
    for (int i = 0; hessian != NULL && i < 9; ++i)
        hessian[i] = 0.0;
    return p->mass * p->gravity * q[2];
}

static void measure(const void* self, int32_t i, const SticState* state, uint32_t want,
                    const double* y, SticPointMeasures* out)
{
    (void)self;
    (void)i;
    (void)y;
    out->gap[0] = state->q[2];
    if (want & STIC_WANT_H) {
        out->H[0][2] = 1.0; // normal z
        out->H[0][3] = 1.0; // tangents x, y
        out->H[0][7] = 1.0;
    }
    if (want & STIC_WANT_G)
        out->G[0][2] = 1.0;
}

static SticStatus create(const SticContext* context, const void* parameters, SticChart chart,
                         SticSystem** system, SticError* error)
{
    const PointMass* p = parameters;
    (void)chart;
    const double mass[9] = {p->mass, 0, 0, 0, p->mass, 0, 0, 0, p->mass};
    const SticInteraction contact = stic_model_contact(1, 3, p->friction, p->restitution);
    SticSmallDef def = stic_model_linear(&table, p, 1, 3, mass, potential);
    def.force = force;
    def.interactions = 1;
    def.interaction = &contact;
    def.measure = measure;
    return stic_small_create(context, &def, system, error);
}

static void start(const void* parameters, SticChart chart, SticState* state)
{
    const PointMass* p = parameters;
    (void)chart;
    state->q[0] = p->x;
    state->q[2] = p->z;
    state->u[0] = p->vx;
    state->u[1] = p->vy;
    state->u[2] = p->vz;
}

const SticModel stic_model_point_mass = {
    "point-mass", "point mass over a floor: bouncing ball, sliding block", &table, 0, create, start,
    NULL};
