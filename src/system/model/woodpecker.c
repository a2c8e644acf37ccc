// SPDX-License-Identifier: Apache-2.0
// Woodpecker toy with linear kinematics (Glocker 1995; Möller 6.4).
//
//   q = (y, alpha, phi): height of the sleeve, sleeve angle, woodpecker angle
//   V = c/2 (alpha - phi)^2 + (g, 0, 0) M q
//   contacts with the pole: beak, upper and lower end of the sleeve, each with
//   planar Coulomb friction
#include "system/model/models.h"

typedef struct Woodpecker {
    double r_O, r_M, h_M, l_M, l_G, h_S, l_S;
    double m_M, m_S, J_M, J_S, stiffness, gravity, friction, restitution;
    double y, alpha, phi, v_y, v_alpha, v_phi;
} Woodpecker;

static const SticField fields[] = {
    STIC_PARAMETER(Woodpecker, r_O, 0.0025, "m", "radius of the pole"),
    STIC_PARAMETER(Woodpecker, r_M, 0.0031, "m", "inner radius of the sleeve"),
    STIC_PARAMETER(Woodpecker, h_M, 0.0058, "m", "half height of the sleeve"),
    STIC_PARAMETER(Woodpecker, l_M, 0.010, "m", "sleeve centre to the spring"),
    STIC_PARAMETER(Woodpecker, l_G, 0.015, "m", "spring to the woodpecker's centre"),
    STIC_PARAMETER(Woodpecker, h_S, 0.02, "m", "height of the beak"),
    STIC_PARAMETER(Woodpecker, l_S, 0.0201, "m", "length to the beak"),
    STIC_PARAMETER(Woodpecker, m_M, 0.0003, "kg", "mass of the sleeve"),
    STIC_PARAMETER(Woodpecker, m_S, 0.0045, "kg", "mass of the woodpecker"),
    STIC_PARAMETER(Woodpecker, J_M, 5e-9, "kg m2", "inertia of the sleeve"),
    STIC_PARAMETER(Woodpecker, J_S, 7e-7, "kg m2", "inertia of the woodpecker"),
    STIC_PARAMETER(Woodpecker, stiffness, 0.0056, "N m/rad", "spring"),
    STIC_PARAMETER(Woodpecker, gravity, 9.81, "m/s2", "gravity along -y"),
    STIC_PARAMETER(Woodpecker, friction, 0.3, "-", "friction at the pole"),
    STIC_PARAMETER(Woodpecker, restitution, 0.5, "-", "normal restitution of the beak"),
    STIC_PARAMETER(Woodpecker, y, 0.0, "m", "start height"),
    STIC_PARAMETER(Woodpecker, alpha, -0.1036, "rad", "start angle of the sleeve"),
    STIC_PARAMETER(Woodpecker, phi, -0.2788, "rad", "start angle of the woodpecker"),
    STIC_PARAMETER(Woodpecker, v_y, -0.3411, "m/s", "start velocity"),
    STIC_PARAMETER(Woodpecker, v_alpha, 0.0, "rad/s", "start rate of the sleeve"),
    STIC_PARAMETER(Woodpecker, v_phi, -7.4583, "rad/s", "start rate of the woodpecker"),
};
static const SticFieldTable table = STIC_FIELD_TABLE("woodpecker", fields, Woodpecker);

static void fill_mass(const Woodpecker* p, double m[9])
{
    m[0] = p->m_S + p->m_M;
    m[1] = m[3] = p->m_S * p->l_M;
    m[2] = m[6] = p->m_S * p->l_G;
    m[4] = p->J_M + p->m_S * p->l_M * p->l_M;
    m[5] = m[7] = p->m_S * p->l_M * p->l_G;
    m[8] = p->J_S + p->m_S * p->l_G * p->l_G;
}

static double potential(const void* self, int32_t k, const double* q, double* gradient,
                        double* hessian)
{
    const Woodpecker* p = self;
    (void)k;
    double m[9];
    fill_mass(p, m);
    const double c = p->stiffness, twist = q[1] - q[2];
    if (gradient != NULL) {
        gradient[0] = p->gravity * m[0];
        gradient[1] = p->gravity * m[1] + c * twist;
        gradient[2] = p->gravity * m[2] - c * twist;
    }
    if (hessian != NULL) {
        for (int i = 0; i < 9; ++i)
            hessian[i] = 0.0;
        hessian[4] = hessian[8] = c;
        hessian[5] = hessian[7] = -c;
    }
    return 0.5 * c * twist * twist + p->gravity * (m[0] * q[0] + m[1] * q[1] + m[2] * q[2]);
}

static void measure(const void* self, int32_t i, const SticState* state, uint32_t want,
                    const double* y, SticPointMeasures* out)
{
    const Woodpecker* p = self;
    const double* q = state->q;
    (void)want;
    (void)y;
    double normal[3] = {0}, tangent[3] = {1.0, 0.0, 0.0};
    if (i == 0) { // beak
        out->gap[0] = p->l_M + p->l_G - p->l_S - p->r_O - p->h_S * q[2];
        normal[2] = -p->h_S;
        tangent[1] = p->l_M;
        tangent[2] = p->l_G - p->l_S;
    } else { // upper and lower end of the sleeve
        const double sign = i == 1 ? 1.0 : -1.0;
        out->gap[0] = p->r_M - p->r_O + sign * p->h_M * q[1];
        normal[1] = sign * p->h_M;
        tangent[1] = p->r_M;
    }
    for (int c = 0; c < 3; ++c) {
        out->H[0][c] = out->G[0][c] = normal[c];
        out->H[0][3 + c] = tangent[c];
    }
}

static SticStatus create(const SticContext* context, const void* parameters, SticChart chart,
                         SticSystem** system, SticError* error)
{
    const Woodpecker* p = parameters;
    (void)chart;
    double mass[9];
    fill_mass(p, mass);
    SticInteraction interaction[3];
    for (int i = 0; i < 3; ++i)
        interaction[i] =
            stic_model_contact((uint64_t)i + 1, 2, p->friction, i == 0 ? p->restitution : 0.0);
    SticSmallDef def = stic_model_linear(&table, p, 1, 3, mass, potential);
    def.interactions = 3;
    def.interaction = interaction;
    def.measure = measure;
    return stic_small_create(context, &def, system, error);
}

static void start(const void* parameters, SticChart chart, SticState* state)
{
    const Woodpecker* p = parameters;
    (void)chart;
    const double q[3] = {p->y, p->alpha, p->phi}, u[3] = {p->v_y, p->v_alpha, p->v_phi};
    for (int i = 0; i < 3; ++i) {
        state->q[i] = q[i];
        state->u[i] = u[i];
    }
}

const SticModel stic_model_woodpecker = {
    "woodpecker", "woodpecker toy (Glocker; Möller 6.4)", &table, 0, create, start, NULL};
