// SPDX-License-Identifier: Apache-2.0
// Coulomb-Contensou body: friction forces and drilling moments of a circular contact patch.
//
// Pointwise Coulomb friction under Hertz' pressure sqrt(1 - (rho/R)^2), integrated over the patch,
// gives a convex body of revolution around the moment axis (Möller 2011, eqs. 3.116-3.120, where
// the pressure is called parabolic: his formulas and 3 pi/16 are those of the root). With the force
// in units of F = mu r_N and the moment in units of F * lever, lever = 3 pi R / 16, its boundary is
//
//     v <= 1:  force  = (3 pi/32) (4 v - v^3)           moment = (3 v^4 - 8 v^2 + 8) / 8
//     v >  1:  force  = (3/16) [ (4 v - v^3) asin(1/v) + (v + 2/v) sqrt(v^2 - 1) ]
//              moment = 1/(4 pi) [ (3 v^4 - 8 v^2 + 8) asin(1/v) + (6 - 3 v^2) sqrt(v^2 - 1) ]
//
// with v = |u_T| / (R |u_tau|). Its outward normal is (c v, 1), c = R / lever = 16 / (3 pi), hence
// moment' = -c v force'. Under v > 1 we use w = 1/v; the closed form cancels like w^-3 there, so
// for w <= 1/2 we sum the hypergeometric series that we found it equal to
//
//     force = F(-1/2, 1/2; 5/2; w^2)        moment = 16 w / (15 pi) F(1/2, 1/2; 7/2; w^2)
//
// whose first terms are the asymptotics 1 - w^2/10 and 16 w / (15 pi).
//
// Force and lever are positive here; stic_set_prox treats the flat cases as a cylinder.
//
// Projection of a point (x, z), x = |x_T| and z = |x_tau|: the boundary point (X, Z) with (x - X, z
// - Z) parallel to the normal, by Newton's method kept inside a bracket, in v on [0, 1] or in w on
// [0, 1]. A root with a negative distance means that the point was inside: the body is closed
// downwards in the quadrant, and inward normals point down and left there. Three to six
// evaluations; no workspace.
#include <math.h>

#include "law/set_parts.h"
#include "math/math.h"

static const double pi = 3.14159265358979323846;
static const double normal_slope = 16.0 / (3.0 * 3.14159265358979323846); // c = R / lever

// force and moment of unit size at one parameter, and the derivative of the force by it
typedef struct Boundary {
    double force, moment, slope;
} Boundary;

// F(a, b; c; z) for 0 <= z <= 1/4 and z times its derivative
static double hypergeometric(double a, double b, double c, double z, double* z_derivative)
{
    double term = 1.0, sum = 1.0, derived = 0.0;
    for (int n = 0; n < 64; ++n) {
        term *= (a + n) * (b + n) / ((c + n) * (1 + n)) * z;
        sum += term;
        derived += (n + 1) * term;
        if (fabs(term) * (n + 2) < 1e-18)
            break;
    }
    *z_derivative = derived;
    return sum;
}

// v in [0, 1]; slope by v
static Boundary boundary_low(double v)
{
    const double v2 = v * v;
    return (Boundary){.force = 3.0 * pi / 32.0 * v * (4.0 - v2),
                      .moment = 0.125 * ((3.0 * v2 - 8.0) * v2 + 8.0),
                      .slope = 3.0 * pi / 32.0 * (4.0 - 3.0 * v2)};
}

// w = 1/v in [0, 1]; slope by w
static Boundary boundary_high(double w)
{
    const double w2 = w * w;
    if (w <= 0.5) {
        double derived, unused;
        const double force = hypergeometric(-0.5, 0.5, 2.5, w2, &derived);
        const double moment = hypergeometric(0.5, 0.5, 3.5, w2, &unused);
        return (Boundary){.force = force,
                          .moment = 16.0 / (15.0 * pi) * w * moment,
                          .slope = w > 0.0 ? 2.0 * derived / w : 0.0};
    }
    const double angle = stic_asin(w), root = sqrt((1.0 - w) * (1.0 + w));
    const double v = 1.0 / w, v2 = v * v;
    const double by_v =
        3.0 / 16.0 * ((4.0 - 3.0 * v2) * angle + (3.0 - 2.0 * w2) * v * root); // d force / dv
    return (Boundary){
        .force = 3.0 / 16.0 * ((4.0 - v2) * v * angle + (1.0 + 2.0 * w2) * v2 * root),
        .moment = 0.25 / pi * (((3.0 * v2 - 8.0) * v2 + 8.0) * angle + (6.0 - 3.0 * v2) * v * root),
        .slope = -v2 * by_v};
}

double stic_contensou_lever(double patch_radius)
{
    return 3.0 * pi / 16.0 * patch_radius;
}

void stic_contensou_boundary(double v, double* force, double* moment)
{
    const Boundary at = v <= 1.0 ? boundary_low(v) : boundary_high(1.0 / v);
    *force = at.force;
    *moment = at.moment;
}

// the meridian: a point (x, z) of the quadrant and where its normal meets the boundary
typedef struct Meridian {
    double force, cs; // size of the body; c times the lever
    double lever;
    double x, z;
    double X, Z;   // boundary point
    double nx, nz; // outward unit normal there
    double speed;  // arc length per radian of the normal: radius of curvature
} Meridian;

// defect of the normal condition at parameter s (v if `low`, else w) and its derivative
static double defect(Meridian* m, bool low, double s, double* derivative)
{
    const Boundary at = low ? boundary_low(s) : boundary_high(s);
    m->X = m->force * at.force;
    m->Z = m->force * m->lever * at.moment;
    const double slope = m->force * at.slope, dx = m->x - m->X, dz = m->z - m->Z, cs = m->cs;
    // slope / w is finite at w = 0: force'(w)/w -> -1/5
    const double slope_over = low ? 0.0 : s > 0.0 ? slope / s : -0.2 * m->force;
    *derivative =
        low ? -slope * (1.0 + cs * s * cs * s) - dz * cs : dx - slope * s - slope_over * cs * cs;
    // unit normal and radius of curvature, wanted by the derivative of the prox
    const double nx = low ? cs * s : cs, nz = low ? 1.0 : s, length = sqrt(nx * nx + nz * nz);
    m->nx = nx / length;
    m->nz = nz / length;
    const double along = low ? slope : -slope_over; // |d force| over the change of the normal
    m->speed = along * length * length * length / cs;
    return low ? dx - dz * cs * s : dx * s - dz * cs;
}

// Newton in a bracket on [0, 1]; the defect falls with v and grows with w
static void find_normal(Meridian* m)
{
    double derivative;
    const bool low = defect(m, true, 1.0, &derivative) <= 0.0;
    const double sign = low ? -1.0 : 1.0;
    double left = 0.0, right = 1.0;
    // start where the ellipsoid through the point has its normal
    const double top = m->x * m->lever * m->lever, bottom = m->z * m->cs;
    double s = low ? (top < bottom ? top / bottom : 0.5) : (bottom < top ? bottom / top : 0.5);
    for (int step = 0; step < 100; ++step) {
        const double value = sign * defect(m, low, s, &derivative);
        if (value == 0.0)
            return;
        if (value > 0.0)
            right = s;
        else
            left = s;
        double next = s - sign * value / derivative;
        if (!(next > left && next < right))
            next = 0.5 * (left + right);
        // stop: the bracket is a few rounding errors wide, or Newton's method no longer moves
        if (fabs(next - s) <= 2e-16 * (s + next) || right - left <= 1e-300)
            return;
        s = next;
    }
}

static Meridian meridian_at(double force, double lever, const double* x)
{
    Meridian m = {.force = force, .lever = lever, .cs = normal_slope * lever};
    m.x = stic_norm(2, x);
    m.z = fabs(x[2]);
    return m;
}

// true if x is known to be inside without finding a root: in the cylinder below v = 1
static bool clearly_inside(const Meridian* m)
{
    const Boundary one = boundary_low(1.0);
    return m->x <= m->force * one.force && m->z <= m->force * m->lever * one.moment;
}

bool stic_contensou_prox(double force, double lever, const double* x, double* p)
{
    Meridian m = meridian_at(force, lever, x);
    bool inside = clearly_inside(&m);
    if (!inside) {
        find_normal(&m);
        inside = (m.x - m.X) * m.nx + (m.z - m.Z) * m.nz <= 0.0;
    }
    const double factor = inside || m.x == 0.0 ? 1.0 : m.X / m.x;
    p[0] = factor * x[0];
    p[1] = factor * x[1];
    p[2] = inside ? x[2] : copysign(m.Z, x[2]);
    return inside;
}

// In the meridian the prox moves along the boundary, slower by radius/(radius + distance); around
// the axis it shrinks by X/x.
void stic_contensou_derivative(double force, double lever, const double* x, double* J)
{
    Meridian m = meridian_at(force, lever, x);
    double distance = -1.0;
    if (!clearly_inside(&m)) {
        find_normal(&m);
        distance = (m.x - m.X) * m.nx + (m.z - m.Z) * m.nz;
    }
    for (int k = 0; k < 9; ++k)
        J[k] = k % 4 == 0 ? 1.0 : 0.0;
    if (distance <= 0.0)
        return;
    const double along = m.speed / (m.speed + distance), round = m.x > 0.0 ? m.X / m.x : along;
    const double e[2] = {m.x > 0.0 ? x[0] / m.x : 1.0, m.x > 0.0 ? x[1] / m.x : 0.0};
    const double turn = copysign(1.0, x[2]);
    // tangent of the meridian is (nz, -nx)
    for (int i = 0; i < 2; ++i) {
        for (int j = 0; j < 2; ++j)
            J[3 * i + j] = round * ((i == j) - e[i] * e[j]) + along * m.nz * m.nz * e[i] * e[j];
        J[3 * i + 2] = J[6 + i] = -along * m.nx * m.nz * turn * e[i];
    }
    J[8] = along * m.nx * m.nx;
}
