// SPDX-License-Identifier: Apache-2.0
// Separation of two boxes: fifteen axes (Gottschalk, Lin & Manocha 1996).
//
// The same answer as stic_hulls_separate, from the rotation between the boxes alone: three faces
// of each and nine products of edges, the separation of each from half edges and cosines. The edges
// of a product are those farthest along its normal. Cost about 250 multiplications.
#include <math.h>

#include "collide/hull.h"

typedef struct Boxes {
    double h[2][3]; // half edges
    double C[3][3]; // column j: axis j of box 0 along the axes of box 1
    double d[2][3]; // from box 1 to box 0 along the axes of each
} Boxes;

static Boxes load(const SticVec3 half[2], const SticPose* pose)
{
    Boxes b;
    for (int k = 0; k < 2; ++k)
        stic_vec3_store(half[k], b.h[k]);
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            b.C[i][j] = pose->F.m[i][j];
    stic_vec3_store(pose->origin, b.d[1]);
    stic_vec3_store(stic_mat3_transpose_mul_vec(pose->F, pose->origin), b.d[0]);
    return b;
}

static SticVec3 column(const Boxes* b, int j)
{
    return stic_vec3(b->C[0][j], b->C[1][j], b->C[2][j]);
}

// best face of one box; true if one of its axes separates
static bool search_faces(const Boxes* b, int side, double reach, SticAxis* best)
{
    int axis = 0;
    best->separation = -(double)INFINITY;
    for (int i = 0; i < 3; ++i) {
        double here = fabs(b->d[side][i]) - b->h[side][i];
        for (int j = 0; j < 3; ++j)
            here -= b->h[1 - side][j] * fabs(side == 1 ? b->C[i][j] : b->C[j][i]);
        if (here > reach)
            return true;
        if (here > best->separation) {
            best->separation = here;
            axis = i;
        }
    }
    const bool plus = b->d[side][axis] >= 0.0;
    double unit[3] = {0.0, 0.0, 0.0};
    unit[axis] = 1.0;
    const SticVec3 e = side == 1 ? stic_vec3_load(unit) : column(b, axis);
    // the face of box 0 that looks at box 1 is the one against the normal
    best->kind = side;
    best->index[0] = 2 * axis + (side == 1 ? plus : !plus);
    best->index[1] = -1;
    best->normal = stic_vec3_scale(plus ? 1.0 : -1.0, e);
    return false;
}

// best product of edges, as axes i of box 0 and j of box 1; true if one separates
static bool search_edges(const Boxes* b, double reach, SticAxis* best)
{
    const SticVec3 d = stic_vec3_load(b->d[1]);
    best->separation = -(double)INFINITY;
    best->index[0] = -1;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            const int i1 = (i + 1) % 3, i2 = (i + 2) % 3, j1 = (j + 1) % 3, j2 = (j + 2) % 3;
            const double sine2 = b->C[j1][i] * b->C[j1][i] + b->C[j2][i] * b->C[j2][i];
            if (sine2 <= STIC_PARALLEL * STIC_PARALLEL)
                continue;
            // |e_i x e_j . e| for the other two axes of each box, and the centres
            const double extent = b->h[0][i1] * fabs(b->C[j][i2]) +
                                  b->h[0][i2] * fabs(b->C[j][i1]) +
                                  b->h[1][j1] * fabs(b->C[j2][i]) + b->h[1][j2] * fabs(b->C[j1][i]);
            const double between = b->C[j2][i] * b->d[1][j1] - b->C[j1][i] * b->d[1][j2];
            const double sine = sqrt(sine2), here = (fabs(between) - extent) / sine;
            if (here > reach)
                return true;
            if (here <= best->separation)
                continue;
            double unit[3] = {0.0, 0.0, 0.0};
            unit[j] = 1.0;
            const SticVec3 cross = stic_vec3_cross(column(b, i), stic_vec3_load(unit));
            const double sign = stic_vec3_dot(cross, d) < 0.0 ? -1.0 : 1.0;
            *best = (SticAxis){STIC_AXIS_EDGES, {i, j}, stic_vec3_scale(sign / sine, cross), here};
        }
    return false;
}

// the edge of a box along `axis` that is farthest in a direction of its own frame
static int32_t edge_along(const SticPolyhedron* p, int axis, SticVec3 direction)
{
    double d[3];
    stic_vec3_store(direction, d);
    d[axis] = -1.0;
    const int32_t v = stic_polyhedron_support(p, stic_vec3_load(d), 0);
    d[axis] = 1.0;
    const int32_t w = stic_polyhedron_support(p, stic_vec3_load(d), 0);
    for (int32_t k = p->vertex_begin[v]; k < p->vertex_begin[v + 1]; ++k)
        if (p->vertex_neighbour[k] == w)
            return p->vertex_edge[k];
    return -1;
}

bool stic_boxes_separate(const SticPolyhedron* const p[2], const SticVec3 half[2],
                         const SticPose* pose, double reach, SticAxis axis[2])
{
    const Boxes b = load(half, pose);
    SticAxis face[2], edges;
    if (search_faces(&b, 1, reach, &face[1]) || search_faces(&b, 0, reach, &face[0]) ||
        search_edges(&b, reach, &edges))
        return true;
    const double size = 2.0 * (p[0]->radius < p[1]->radius ? p[0]->radius : p[1]->radius);
    const double area[2] = {p[0]->face_area[face[0].index[0]], p[1]->face_area[face[1].index[0]]};
    stic_axis_choose(face, area, &edges, size, axis);
    if (axis[0].kind == STIC_AXIS_EDGES) {
        const SticVec3 n = axis[0].normal;
        const SticVec3 seen = stic_mat3_transpose_mul_vec(pose->F, stic_vec3_neg(n));
        axis[0].index[0] = edge_along(p[0], edges.index[0], seen);
        axis[0].index[1] = edge_along(p[1], edges.index[1], n);
    }
    return false;
}
