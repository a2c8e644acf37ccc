// SPDX-License-Identifier: Apache-2.0
// Tippe top (Leine and Glocker 2003; Möller 6.5): one rigid body that touches the floor with two
// spheres.
//
//   axis = R e3, sphere centres at c_i axis, contact points at -r_i e3 below them
//   g_i  = e3 . x + c_i (sR)_33 - r_i              quadratic in the quaternion: s R e3 . e3
//   friction at the contact point: two sliding rows and drilling (Coulomb-Contensou),
//   bound mu lambda_N
#include "system/model/models.h"

#include <string.h>

#include "math/math.h"

typedef struct TippeTop {
    double mass, J1, J3, c1, c2, r1, r2, friction, patch_radius, gravity;
    double height, tilt, spin, restitution;
    double exact_set;
    // filled at creation
    int32_t chart;
} TippeTop;

static const SticField fields[] = {
    STIC_PARAMETER(TippeTop, mass, 6e-3, "kg", "mass"),
    STIC_PARAMETER(TippeTop, J1, 8e-7, "kg m2", "inertia across the axis"),
    STIC_PARAMETER(TippeTop, J3, 7e-7, "kg m2", "inertia about the axis"),
    STIC_PARAMETER(TippeTop, c1, 0.003, "m", "centre of the main sphere on the axis"),
    STIC_PARAMETER(TippeTop, c2, 0.016, "m", "centre of the handle's tip on the axis"),
    STIC_PARAMETER(TippeTop, r1, 0.015, "m", "radius of the main sphere"),
    STIC_PARAMETER(TippeTop, r2, 0.005, "m", "radius of the handle's tip"),
    STIC_PARAMETER(TippeTop, friction, 0.3, "-", "friction coefficient"),
    STIC_PARAMETER(TippeTop, patch_radius, 5e-4, "m", "radius of the contact patch"),
    STIC_PARAMETER(TippeTop, gravity, 9.81, "m/s2", "gravity along -z"),
    STIC_PARAMETER(TippeTop, height, 1.2015e-2, "m", "start height of the centre of mass"),
    STIC_PARAMETER(TippeTop, tilt, 0.1, "rad", "start inclination, about x"),
    STIC_PARAMETER(TippeTop, spin, 180.0, "rad/s", "start spin about the axis"),
    STIC_PARAMETER(TippeTop, restitution, 0.0, "-", "restitution, normal and tangential"),
    STIC_PARAMETER(TippeTop, exact_set, 0.0, "-", "1: exact Contensou body, 0: its ellipsoid"),
};
static const SticFieldTable table = STIC_FIELD_TABLE("tippe-top", fields, TippeTop);

static double potential(const void* self, int32_t k, const double* q, double* gradient,
                        double* hessian)
{
    const TippeTop* p = self;
    const int32_t nq = stic_chart_q_size((SticChart)p->chart, 6);
    (void)k;
    if (gradient != NULL) {
        memset(gradient, 0, (size_t)nq * sizeof *gradient);
        gradient[2] = p->mass * p->gravity;
    }
    if (hessian != NULL)
        memset(hessian, 0, (size_t)(nq * nq) * sizeof *hessian);
    return p->mass * p->gravity * q[2];
}

// normal row of sphere `which`: value, q-based and u-based direction
static void measure_normal(const TippeTop* p, int which, const double* q, uint32_t want,
                           SticPointMeasures* out)
{
    const SticChart chart = (SticChart)p->chart;
    const double c = which == 0 ? p->c1 : p->c2, r = which == 0 ? p->r1 : p->r2;
    const SticMat3 sR = stic_model_scaled_rotation(chart, q);
    out->gap[0] = q[2] + c * sR.m[2][2] - r;
    if ((want & (STIC_WANT_G | STIC_WANT_H)) == 0)
        return;
    double G[12] = {[2] = 1.0};
    if (chart == STIC_CHART_ROTATION) {
        G[3 + 8] = c;
    } else {
        G[3] = 2.0 * c * q[3];
        G[4] = -2.0 * c * q[4];
        G[5] = -2.0 * c * q[5];
        G[6] = 2.0 * c * q[6];
    }
    if (want & STIC_WANT_G)
        memcpy(out->G[0], G, sizeof G);
    stic_chart_pull_back(chart, 0, q, G, out->H[0]);
}

// sliding along x and y of the contact point, and drilling about z
static void measure_friction(const TippeTop* p, int which, const double* q, SticPointMeasures* out)
{
    const SticChart chart = (SticChart)p->chart;
    const double c = which == 0 ? p->c1 : p->c2, r = which == 0 ? p->r1 : p->r2;
    const SticMat3 R = stic_model_scaled_rotation(chart, q);
    const SticVec3 axis = stic_mat3_column(R, 2);
    const SticVec3 arm = stic_vec3_sub(stic_vec3_scale(c, axis), stic_vec3(0, 0, r));
    const int n = chart == STIC_CHART_SCALABLE ? 7 : 6, at = n - 3;
    const SticVec3 tangent[2] = {stic_vec3(1, 0, 0), stic_vec3(0, 1, 0)};
    for (int k = 0; k < 2; ++k) {
        stic_vec3_store(tangent[k], out->H[0] + k * n);
        const SticVec3 moment = stic_mat3_transpose_mul_vec(R, stic_vec3_cross(arm, tangent[k]));
        // the rate of scaling takes no part in sliding: v_S = v_C - r_CS x R omega in all charts
        stic_vec3_store(moment, out->H[0] + k * n + at);
    }
    stic_vec3_store(stic_mat3_row(R, 2), out->H[0] + 2 * n + at);
}

// interactions: normal 1, friction 1, normal 2, friction 2
static void measure(const void* self, int32_t i, const SticState* state, uint32_t want,
                    const double* y, SticPointMeasures* out)
{
    (void)y;
    if (i % 2 == 0)
        measure_normal(self, i / 2, state->q, want, out);
    else if (want & STIC_WANT_H)
        measure_friction(self, i / 2, state->q, out);
}

static void fill_interactions(const TippeTop* p, SticInteraction interaction[4])
{
    const double drilling_radius = STIC_PI * 3.0 / 16.0 * p->patch_radius; // Möller (3.117)
    const bool exact = p->exact_set != 0.0;
    for (int i = 0; i < 4; i += 2) {
        interaction[i] = (SticInteraction){.id = (uint64_t)i + 1,
                                           .law = STIC_LAW_NONNEG,
                                           .level = STIC_LEVEL_CONTACT,
                                           .rows = 1,
                                           .block = {0, -1},
                                           .bound_of = -1,
                                           .restitution = {p->restitution, p->restitution}};
        interaction[i + 1] = (SticInteraction){
            .id = (uint64_t)i + 2,
            .law = exact ? STIC_LAW_CONTENSOU : STIC_LAW_ELLIPSOID,
            .level = STIC_LEVEL_RATE,
            .rows = 3,
            .block = {0, -1},
            .bound_of = i,
            .coef = {p->friction, p->friction, p->friction * drilling_radius, p->patch_radius},
            .restitution = {p->restitution, p->restitution}};
    }
}

static SticStatus create(const SticContext* context, const void* parameters, SticChart chart,
                         SticSystem** system, SticError* error)
{
    TippeTop p = *(const TippeTop*)parameters;
    p.chart = (int32_t)chart;
    const uint8_t charts[] = {(uint8_t)chart};
    static const int32_t term_block[][2] = {{0, -1}};
    double mass[49];
    SticInteraction interaction[4];
    stic_model_rigid_mass(chart, p.mass, stic_vec3(p.J1, p.J1, p.J3), mass);
    fill_interactions(&p, interaction);
    const SticSmallDef def = {.name = "tippe-top",
                              .offers = STIC_OFFERS_CONSTANT_MASS | STIC_OFFERS_POTENTIAL |
                                        STIC_OFFERS_HESSIAN | STIC_OFFERS_DIRECTIONS_Q |
                                        STIC_OFFERS_SCLERONOMIC | STIC_OFFERS_OPEN_GAPS,
                              .blocks = 1,
                              .chart = charts,
                              .mass = mass,
                              .terms = 1,
                              .term_block = term_block,
                              .potential = potential,
                              .interactions = 4,
                              .interaction = interaction,
                              .measure = measure,
                              .self = &p,
                              .self_size = sizeof p};
    return stic_small_create(context, &def, system, error);
}

static void start(const void* parameters, SticChart chart, SticState* state)
{
    const TippeTop* p = parameters;
    const SticVec3 tilt = stic_vec3(p->tilt, 0.0, 0.0);
    state->q[2] = p->height;
    if (chart == STIC_CHART_ROTATION)
        stic_mat3_store(stic_rotation_exp(tilt), state->q + 3);
    else
        stic_quat_store(stic_rotation_exp_quat(tilt), state->q + 3);
    state->u[chart == STIC_CHART_SCALABLE ? 6 : 5] = p->spin;
}

const SticModel stic_model_tippe_top = {"tippe-top",
                                        "tippe top with Coulomb-Contensou friction (Möller 6.5)",
                                        &table,
                                        STIC_CHART_BIT(STIC_CHART_ROTATION) |
                                            STIC_CHART_BIT(STIC_CHART_QUATERNION) |
                                            STIC_CHART_BIT(STIC_CHART_SCALABLE),
                                        create,
                                        start,
                                        NULL};
