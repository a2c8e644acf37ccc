// SPDX-License-Identifier: Apache-2.0
// Shape functions and points of integration of tetrahedra and hexahedra, linear and quadratic.
//
//   tetrahedron   barycentric L0 = 1 - x - y - z, L1 = x, L2 = y, L3 = z; corners L (2 L - 1) and
//                 edges 4 La Lb where it is quadratic
//   hexahedron    x, y, z in [-1, 1]; corners (1 + a x)(1 + b y)(1 + c z)/8, times
//                 (a x + b y + c z - 2) where it is quadratic; edges along x (1 - x^2)(1 + b y)
//                 (1 + c z)/4
//
// Points of integration: 1 and 4 for tetrahedra (exact for polynomials of degree 1 and 2), 2^3 and
// 3^3 for hexahedra: all exact for the stiffness of cells that are images by affine maps.
#include "system/solid/solid.h"

#include <math.h>

#include "stiction/extend/base.h"

static const SticSolidTopology tetrahedron = {
    .corners = 4,
    .faces = 4,
    .face_corners = 3,
    .edges = 6,
    .face = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {0, 3, 2}},
    .edge = {{0, 1}, {1, 2}, {0, 2}, {0, 3}, {2, 3}, {1, 3}},
};

static const SticSolidTopology hexahedron = {
    .corners = 8,
    .faces = 6,
    .face_corners = 4,
    .edges = 12,
    .face = {{0, 3, 2, 1}, {4, 5, 6, 7}, {0, 1, 5, 4}, {1, 2, 6, 5}, {2, 3, 7, 6}, {3, 0, 4, 7}},
    .edge = {{0, 1},
             {0, 3},
             {0, 4},
             {1, 2},
             {1, 5},
             {2, 3},
             {2, 6},
             {3, 7},
             {4, 5},
             {4, 7},
             {5, 6},
             {6, 7}},
};

static const double corner[8][3] = {{-1, -1, -1}, {1, -1, -1}, {1, 1, -1}, {-1, 1, -1},
                                    {-1, -1, 1},  {1, -1, 1},  {1, 1, 1},  {-1, 1, 1}};

static bool is_tetrahedron(SticSolidCell kind)
{
    return kind == STIC_SOLID_TET4 || kind == STIC_SOLID_TET10;
}

bool stic_solid_cell_is_quadratic(SticSolidCell kind)
{
    return kind == STIC_SOLID_TET10 || kind == STIC_SOLID_HEX20;
}

const SticSolidTopology* stic_solid_cell_topology(SticSolidCell kind)
{
    return is_tetrahedron(kind) ? &tetrahedron : &hexahedron;
}

const char* stic_solid_cell_name(SticSolidCell kind)
{
    static const char* const names[STIC_SOLID_CELL_COUNT] = {"tet4", "tet10", "hex8", "hex20"};
    STIC_ASSERT(kind < STIC_SOLID_CELL_COUNT);
    return names[kind];
}

int32_t stic_solid_cell_nodes(SticSolidCell kind)
{
    static const int32_t nodes[STIC_SOLID_CELL_COUNT] = {4, 10, 8, 20};
    STIC_ASSERT(kind < STIC_SOLID_CELL_COUNT);
    return nodes[kind];
}

/* ---- points of integration ---- */

// Gauss-Legendre points of one dimension, to the third power
static void cube_rule(int n, SticSolidRule* rule)
{
    const double a = n == 2 ? sqrt(1.0 / 3.0) : sqrt(0.6);
    const double place[2][3] = {{-a, a, 0.0}, {-a, 0.0, a}};
    const double weight[2][3] = {{1.0, 1.0, 0.0}, {5.0 / 9.0, 8.0 / 9.0, 5.0 / 9.0}};
    rule->count = n * n * n;
    for (int k = 0; k < rule->count; ++k) {
        const int at[3] = {k % n, k / n % n, k / (n * n)};
        rule->weight[k] = 1.0;
        for (int axis = 0; axis < 3; ++axis) {
            rule->place[k][axis] = place[n - 2][at[axis]];
            rule->weight[k] *= weight[n - 2][at[axis]];
        }
    }
}

void stic_solid_cell_rule(SticSolidCell kind, SticSolidRule* rule)
{
    *rule = (SticSolidRule){.count = 1, .place = {{0.25, 0.25, 0.25}}, .weight = {1.0 / 6.0}};
    if (kind == STIC_SOLID_TET10) {
        const double near = (5.0 - sqrt(5.0)) / 20.0, far = 1.0 - 3.0 * near;
        rule->count = 4;
        for (int k = 0; k < 4; ++k) {
            rule->weight[k] = 1.0 / 24.0;
            for (int axis = 0; axis < 3; ++axis)
                rule->place[k][axis] = k == axis + 1 ? far : near;
        }
    }
    if (!is_tetrahedron(kind))
        cube_rule(kind == STIC_SOLID_HEX8 ? 2 : 3, rule);
}

/* ---- shape functions ---- */

static void tetrahedron_shape(bool quadratic, const double place[3], double* N, double (*dN)[3])
{
    static const double slope[4][3] = {{-1, -1, -1}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const double L[4] = {1.0 - place[0] - place[1] - place[2], place[0], place[1], place[2]};
    for (int a = 0; a < 4; ++a) {
        N[a] = quadratic ? L[a] * (2.0 * L[a] - 1.0) : L[a];
        for (int k = 0; k < 3; ++k)
            dN[a][k] = (quadratic ? 4.0 * L[a] - 1.0 : 1.0) * slope[a][k];
    }
    for (int e = 0; quadratic && e < tetrahedron.edges; ++e) {
        const int a = tetrahedron.edge[e][0], b = tetrahedron.edge[e][1];
        N[4 + e] = 4.0 * L[a] * L[b];
        for (int k = 0; k < 3; ++k)
            dN[4 + e][k] = 4.0 * (L[a] * slope[b][k] + L[b] * slope[a][k]);
    }
}

// product of three factors and its slopes
static void multiply(const double factor[3], const double slope[3], double scale, double* N,
                     double dN[3])
{
    *N = scale * factor[0] * factor[1] * factor[2];
    for (int k = 0; k < 3; ++k)
        dN[k] = scale * slope[k] * factor[(k + 1) % 3] * factor[(k + 2) % 3];
}

static void hexahedron_shape(bool quadratic, const double place[3], double* N, double (*dN)[3])
{
    double factor[3], slope[3];
    for (int a = 0; a < 8; ++a) {
        double sum = -2.0;
        for (int k = 0; k < 3; ++k) {
            factor[k] = 1.0 + corner[a][k] * place[k];
            slope[k] = corner[a][k];
            sum += corner[a][k] * place[k];
        }
        multiply(factor, slope, 0.125, &N[a], dN[a]);
        for (int k = 0; quadratic && k < 3; ++k)
            dN[a][k] = dN[a][k] * sum + N[a] * corner[a][k];
        N[a] *= quadratic ? sum : 1.0;
    }
    for (int e = 0; quadratic && e < hexahedron.edges; ++e) {
        const double *a = corner[hexahedron.edge[e][0]], *b = corner[hexahedron.edge[e][1]];
        for (int k = 0; k < 3; ++k) {
            const bool along = a[k] != b[k];
            factor[k] = along ? 1.0 - place[k] * place[k] : 1.0 + a[k] * place[k];
            slope[k] = along ? -2.0 * place[k] : a[k];
        }
        multiply(factor, slope, 0.25, &N[8 + e], dN[8 + e]);
    }
}

void stic_solid_cell_shape(SticSolidCell kind, const double place[3], double* N, double (*dN)[3])
{
    if (is_tetrahedron(kind))
        tetrahedron_shape(kind == STIC_SOLID_TET10, place, N, dN);
    else
        hexahedron_shape(kind == STIC_SOLID_HEX20, place, N, dN);
}
