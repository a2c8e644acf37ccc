// SPDX-License-Identifier: Apache-2.0
// Separation of two boxes: fifteen axes (Gottschalk, Lin & Manocha 1996).
//
// The same answer as stic_hulls_separate, from the rotation between the boxes alone: three faces
// of each and nine products of edges, the separation of each from half edges and cosines. The edges
// of a product are those farthest along its normal. Cost about 250 multiplications.
#include <math.h>

#include "collide/hull.h"

typedef struct Boxes {
    double h[2][3];       // half edges
    const double (*C)[3]; // column j: axis j of box 0 along the axes of box 1
    double S[3][3];       // |C|
    double d[2][3];       // from box 1 to box 0 along the axes of each
} Boxes;

static void load(const SticVec3 half[2], const SticPose* pose, Boxes* b)
{
    for (int k = 0; k < 2; ++k)
        stic_vec3_store(half[k], b->h[k]);
    b->C = pose->F.m;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            b->S[i][j] = fabs(pose->F.m[i][j]);
    stic_vec3_store(pose->origin, b->d[1]);
    stic_vec3_store(stic_mat3_transpose_mul_vec(pose->F, pose->origin), b->d[0]);
}

static const int next_axis[3] = {1, 2, 0};

// best face of one box; true if one of its axes separates. Which one is best cannot be predicted:
// there are no branches.
static bool search_faces(const Boxes* b, int side, double reach, SticAxis* best)
{
    double here[3];
    for (int i = 0; i < 3; ++i) {
        here[i] = fabs(b->d[side][i]) - b->h[side][i];
        for (int j = 0; j < 3; ++j)
            here[i] -= b->h[1 - side][j] * (side == 1 ? b->S[i][j] : b->S[j][i]);
    }
    const int second = here[1] > here[0];
    const double low = here[second];
    const int axis = here[2] > low ? 2 : second;
    best->separation = here[2] > low ? here[2] : low;
    // -0 counts as 0
    const double sign = copysign(1.0, b->d[side][axis] + 0.0);
    double normal[3] = {0.0, 0.0, 0.0};
    normal[axis] = sign;
    if (side == 0)
        for (int i = 0; i < 3; ++i)
            normal[i] = sign * b->C[i][axis];
    // the face of box 0 that looks at box 1 is the one against the normal
    best->kind = side;
    best->index[0] = 2 * axis + ((sign > 0.0) == (side == 1));
    best->index[1] = -1;
    best->normal = stic_vec3_load(normal);
    return best->separation > reach;
}

// whether a product with this numerator and sine^2 separates better than `least`, without a root;
// all parts are evaluated, so that there is one branch, rarely taken
static bool is_better(double top, double sine2, double least)
{
    const double top2 = top * top, least2 = least * least * sine2;
    if (least < 0.0)
        return (top >= 0.0) | ((top > least) & (top2 < least2));
    return (top > 0.0) & (top2 > least2);
}

// best product of edges, as axes i of box 0 and j of box 1; only those that separate better than
// `least` are of use; true if one is beyond reach
static bool search_edges(const Boxes* b, double reach, double least, SticAxis* best)
{
    best->separation = least;
    best->index[0] = -1;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            const int i1 = next_axis[i], i2 = next_axis[i1], j1 = next_axis[j], j2 = next_axis[j1];
            const double u = b->C[j1][i], v = b->C[j2][i];
            // |e_i x e_j . e| for the other two axes of each box, and the centres
            const double extent = b->h[0][i1] * b->S[j][i2] + b->h[0][i2] * b->S[j][i1] +
                                  b->h[1][j1] * b->S[j2][i] + b->h[1][j2] * b->S[j1][i];
            const double between = v * b->d[1][j1] - u * b->d[1][j2];
            const double top = fabs(between) - extent, sine2 = u * u + v * v;
            if (!is_better(top, sine2, best->separation) || sine2 <= STIC_PARALLEL * STIC_PARALLEL)
                continue;
            const double sine = sqrt(sine2), here = top / sine;
            if (here > reach)
                return true;
            double cross[3] = {0.0, 0.0, 0.0};
            const double sign = between < 0.0 ? -1.0 : 1.0;
            // e_i x e_j along the axes of box 1, towards box 0
            cross[j1] = sign * v / sine;
            cross[j2] = -sign * u / sine;
            *best = (SticAxis){STIC_AXIS_EDGES, {i, j}, stic_vec3_load(cross), here};
        }
    return false;
}

// the edge of a box along `axis` that is farthest in a direction of its own frame; bit j of the
// number of a vertex says on which side of axis j it lies
static int32_t edge_along(const SticPolyhedron* p, int axis, SticVec3 d)
{
    const int32_t v = ((d.x > 0.0) | (d.y > 0.0) << 1 | (d.z > 0.0) << 2) & ~(1 << axis);
    const int32_t w = v | 1 << axis;
    const int32_t* neighbour = p->vertex_neighbour + p->vertex_begin[v];
    const int which = neighbour[1] == w ? 1 : neighbour[2] == w ? 2 : 0;
    return p->vertex_edge[p->vertex_begin[v] + which];
}

bool stic_boxes_separate(const SticPolyhedron* const p[2], const SticVec3 half[2],
                         const SticPose* pose, double reach, SticAxis axis[3])
{
    Boxes b;
    SticAxis face[2], edges;
    load(half, pose, &b);
    if (search_faces(&b, 1, reach, &face[1]) || search_faces(&b, 0, reach, &face[0]))
        return true;
    const double size = 2.0 * (p[0]->radius < p[1]->radius ? p[0]->radius : p[1]->radius);
    const double least =
        face[0].separation > face[1].separation ? face[0].separation : face[1].separation;
    if (search_edges(&b, reach, least, &edges))
        return true;
    const double area[2] = {p[0]->face_area[face[0].index[0]], p[1]->face_area[face[1].index[0]]};
    stic_axis_choose(face, area, &edges, size, axis);
    if (axis[2].kind == STIC_AXIS_EDGES) {
        const SticVec3 n = axis[2].normal;
        const SticVec3 seen = stic_mat3_transpose_mul_vec(pose->F, stic_vec3_neg(n));
        axis[2].index[0] = edge_along(p[0], edges.index[0], seen);
        axis[2].index[1] = edge_along(p[1], edges.index[1], n);
        axis[0] = axis[0].kind == STIC_AXIS_EDGES ? axis[2] : axis[0];
    }
    return false;
}
