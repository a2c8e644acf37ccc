// SPDX-License-Identifier: Apache-2.0
// Planar block with frictional contacts at its two lower corners (Studer and Glocker 5.8).
//
//   q = (x, y, phi) of the centre; corners at (-l, -h) and (l, -h) in body axes
//   at phi = 0 the directions are those of the paper: W = [0 0 1 1; 1 1 0 0; -l l h h]
#include "system/model/models.h"

typedef struct Block {
    double mass, inertia, half_width, half_height, friction, restitution;
    double force_x, force_y, moment, vx;
} Block;

static const SticField fields[] = {
    STIC_PARAMETER(Block, mass, 2.1, "kg", "mass"),
    STIC_PARAMETER(Block, inertia, 0.018, "kg m2", "inertia"),
    STIC_PARAMETER(Block, half_width, 0.15, "m", "half width l"),
    STIC_PARAMETER(Block, half_height, 0.05, "m", "half height h"),
    STIC_PARAMETER(Block, friction, 0.3, "-", "friction coefficient"),
    STIC_PARAMETER(Block, restitution, 0.0, "-", "normal restitution"),
    STIC_PARAMETER(Block, force_x, 0.0, "N", "applied force"),
    STIC_PARAMETER(Block, force_y, -20.601, "N", "applied force, weight included"),
    STIC_PARAMETER(Block, moment, 0.0, "N m", "applied moment"),
    STIC_PARAMETER(Block, vx, 0.0, "m/s", "start velocity"),
};
static const SticFieldTable table = STIC_FIELD_TABLE("planar-block", fields, Block);

// the loads are dead loads: a potential linear in q
static double potential(const void* self, int32_t k, const double* q, double* gradient,
                        double* hessian)
{
    const Block* p = self;
    const double load[3] = {p->force_x, p->force_y, p->moment};
    double value = 0.0;
    (void)k;
    for (int i = 0; i < 3; ++i) {
        value -= load[i] * q[i];
        if (gradient != NULL)
            gradient[i] = -load[i];
    }
    for (int i = 0; hessian != NULL && i < 9; ++i)
        hessian[i] = 0.0;
    return value;
}

static void measure(const void* self, int32_t i, const SticState* state, uint32_t want,
                    const double* y, SticPointMeasures* out)
{
    const Block* p = self;
    const double *q = state->q, l = i == 0 ? -p->half_width : p->half_width, h = p->half_height;
    double sine, cosine;
    stic_sincos(q[2], &sine, &cosine);
    const double across = l * cosine + h * sine; // arm of the normal
    const double along = h * cosine - l * sine;  // arm of the tangent
    out->gap[0] = q[1] + l * sine - h * cosine;
    out->G[0][1] = 1.0;
    out->G[0][2] = across;
    out->H[0][1] = 1.0;
    out->H[0][2] = across;
    out->H[0][3] = 1.0;
    out->H[0][5] = along;
    if (want & STIC_WANT_BIAS) {
        const double w = state->u[2];
        out->bias[0] = along * w * w;
        out->bias[1] = -across * w * w;
    }
    if (want & STIC_WANT_C)
        out->C[0][2] = along * y[2];
}

static SticStatus create(const SticContext* context, const void* parameters, SticChart chart,
                         SticSystem** system, SticError* error)
{
    const Block* p = parameters;
    (void)chart;
    const double mass[9] = {p->mass, 0, 0, 0, p->mass, 0, 0, 0, p->inertia};
    SticInteraction corner[2];
    for (int i = 0; i < 2; ++i)
        corner[i] = stic_model_contact((uint64_t)i + 1, 2, p->friction, p->restitution);
    SticSmallDef def = stic_model_linear(&table, p, 1, 3, mass, potential);
    def.interactions = 2;
    def.interaction = corner;
    def.measure = measure;
    return stic_small_create(context, &def, system, error);
}

static void start(const void* parameters, SticChart chart, SticState* state)
{
    const Block* p = parameters;
    (void)chart;
    state->q[1] = p->half_height;
    state->u[0] = p->vx;
}

const SticModel stic_model_planar_block = {"planar-block",
                                           "planar block on two corners (Studer and Glocker 5.8)",
                                           &table,
                                           0,
                                           create,
                                           start,
                                           NULL};
