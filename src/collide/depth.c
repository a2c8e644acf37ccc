// SPDX-License-Identifier: Apache-2.0
// Depth by an expanding polytope (van den Bergen 2001).
//
// A polytope of support points of A - B around the origin grows towards its nearest face until the
// support plane there, or that of a direction known from the features of the sets (refine.c), is no
// farther than the face by RELATIVE_END of the size of the difference: then the depth lies between
// the two. The number of points is limited; for round sets the error falls with its square. For
// these, Newton's method starts at every face that is nearer than the best direction so far. Cost
// O(points * faces).
#include "collide/depth.h"

#include "stiction/extend/base.h"

#include <math.h>

enum { MOST_POINTS = 192, MOST_FACES = 2 * MOST_POINTS, MOST_RIM = MOST_FACES };

#define RELATIVE_END 1e-10

typedef struct Face {
    int32_t v[3];
    SticVec3 n;
    double d;
} Face;

typedef struct Polytope {
    const SticCore *A, *B;
    SticDifference* point; // [MOST_POINTS]
    Face* face;            // [MOST_FACES]
    int32_t (*rim)[2];     // [MOST_RIM]
    int32_t points, faces;
    double size;
} Polytope;

static SticDifference support(const Polytope* p, SticVec3 n)
{
    SticDifference s = {.a = stic_core_support(p->A, n),
                        .b = stic_core_support(p->B, stic_vec3_neg(n))};
    s.w = stic_vec3_sub(s.a, s.b);
    return s;
}

static bool add_face(Polytope* p, int32_t i, int32_t j, int32_t k)
{
    const SticVec3 a = p->point[i].w;
    const SticVec3 n =
        stic_vec3_cross(stic_vec3_sub(p->point[j].w, a), stic_vec3_sub(p->point[k].w, a));
    const double norm = stic_vec3_norm(n);
    if (!(norm > 0.0) || p->faces == MOST_FACES)
        return false;
    const SticVec3 unit = stic_vec3_scale(1.0 / norm, n);
    p->face[p->faces++] = (Face){{i, j, k}, unit, stic_vec3_dot(unit, a)};
    return true;
}

// support points along the axes join the simplex until it has volume
static bool start(Polytope* p, const SticGjk* gjk)
{
    SticDifference all[10];
    int32_t count = 0;
    for (int32_t i = 0; i < gjk->count; ++i)
        all[count++] = gjk->simplex[i];
    for (int i = 0; i < 6 && gjk->count < 4; ++i) {
        double axis[3] = {0.0, 0.0, 0.0};
        axis[i / 2] = i % 2 == 0 ? 1.0 : -1.0;
        all[count++] = support(p, stic_vec3_load(axis));
    }
    for (int32_t i = 0; i < count; ++i) {
        const double r = stic_vec3_norm(all[i].w);
        p->size = r > p->size ? r : p->size;
    }
    // the four points of largest volume that hold the origin, within rounding
    double best = 0.0;
    for (int i = 0; i < count; ++i)
        for (int j = i + 1; j < count; ++j)
            for (int k = j + 1; k < count; ++k)
                for (int l = k + 1; l < count; ++l) {
                    const SticVec3 a = all[i].w, b = all[j].w, c = all[k].w, d = all[l].w;
                    const double v = stic_vec3_triple(stic_vec3_sub(b, a), stic_vec3_sub(c, a),
                                                      stic_vec3_sub(d, a));
                    const double s = v < 0.0 ? -1.0 : 1.0, e = -1e-12 * fabs(v);
                    if (fabs(v) <= best || s * stic_vec3_triple(b, c, d) < e ||
                        -s * stic_vec3_triple(a, c, d) < e || s * stic_vec3_triple(a, b, d) < e ||
                        -s * stic_vec3_triple(a, b, c) < e)
                        continue;
                    best = fabs(v);
                    p->point[0] = all[i];
                    p->point[1] = all[v > 0.0 ? k : j];
                    p->point[2] = all[v > 0.0 ? j : k];
                    p->point[3] = all[l];
                }
    p->points = 4;
    // counter-clockwise seen from outside: the fourth point is behind the first three
    return best > 1e-15 * p->size * p->size * p->size && add_face(p, 0, 1, 2) &&
           add_face(p, 0, 3, 1) && add_face(p, 1, 3, 2) && add_face(p, 2, 3, 0);
}

static int32_t nearest(const Polytope* p)
{
    int32_t best = 0;
    for (int32_t f = 1; f < p->faces; ++f)
        if (p->face[f].d < p->face[best].d)
            best = f;
    return best;
}

// an edge of a visible face: one that was met before in the other direction is inside, not on the
// rim
static int32_t toggle(int32_t (*rim)[2], int32_t count, int32_t i, int32_t j)
{
    for (int32_t k = 0; k < count; ++k)
        if (rim[k][0] == j && rim[k][1] == i) {
            rim[k][0] = rim[count - 1][0];
            rim[k][1] = rim[count - 1][1];
            return count - 1;
        }
    rim[count][0] = i;
    rim[count][1] = j;
    return count + 1;
}

// false if there is no room or the new faces are degenerate
static bool grow(Polytope* p, const SticDifference* s)
{
    const int32_t at = p->points++;
    p->point[at] = *s;
    int32_t rim = 0, kept = 0;
    for (int32_t f = 0; f < p->faces; ++f) {
        const Face face = p->face[f];
        if (stic_vec3_dot(face.n, s->w) - face.d <= 1e-14 * p->size) {
            p->face[kept++] = face;
            continue;
        }
        if (rim + 3 > MOST_RIM)
            return false;
        for (int k = 0; k < 3; ++k)
            rim = toggle(p->rim, rim, face.v[k], face.v[(k + 1) % 3]);
    }
    p->faces = kept;
    for (int32_t k = 0; k < rim; ++k)
        if (!add_face(p, p->rim[k][0], p->rim[k][1], at))
            return false;
    return rim >= 3;
}

// depth, normal and points of a face
static SticDepth read_face(const Polytope* p, const Face* face)
{
    const SticDifference *i = &p->point[face->v[0]], *j = &p->point[face->v[1]],
                         *k = &p->point[face->v[2]];
    const SticVec3 x = stic_vec3_scale(face->d, face->n);
    const SticVec3 u = stic_vec3_sub(i->w, x), v = stic_vec3_sub(j->w, x),
                   w = stic_vec3_sub(k->w, x);
    double weight[3] = {stic_vec3_triple(face->n, v, w), stic_vec3_triple(face->n, w, u),
                        stic_vec3_triple(face->n, u, v)};
    double sum = 0.0;
    for (int c = 0; c < 3; ++c) {
        weight[c] = weight[c] > 0.0 ? weight[c] : 0.0;
        sum += weight[c];
    }
    SticDepth depth = {.normal = stic_vec3_neg(face->n), .depth = face->d, .found = sum > 0.0};
    depth.a = depth.b = stic_vec3_zero();
    const SticDifference* corner[3] = {i, j, k};
    for (int c = 0; c < 3; ++c) {
        depth.a = stic_vec3_add_scaled(depth.a, weight[c] / sum, corner[c]->a);
        depth.b = stic_vec3_add_scaled(depth.b, weight[c] / sum, corner[c]->b);
    }
    return depth;
}

// what the polytope leaves open: faces that are nearer than the best direction known
static void refine_open(const Polytope* p, SticRefine* refine)
{
    for (int32_t f = 0; f < p->faces; ++f)
        if (p->face[f].d < refine->height - RELATIVE_END * p->size)
            stic_refine_from(refine, p->face[f].n);
}

SticStatus stic_depth(SticArena* arena, const SticCore* A, const SticCore* B, const SticGjk* gjk,
                      SticDepth* depth)
{
    Polytope p = {.A = A, .B = B};
    STIC_TRY(STIC_TAKE(arena, &p.point, MOST_POINTS));
    STIC_TRY(STIC_TAKE(arena, &p.face, MOST_FACES));
    STIC_TRY(STIC_TAKE(arena, &p.rim, MOST_RIM));
    *depth = (SticDepth){.found = false};
    if (!start(&p, gjk))
        return STIC_OK;
    SticRefine refine = stic_refine_start(A, B, p.size);
    double bound = (double)INFINITY;
    bool open = true;
    while (open) {
        const Face face = p.face[nearest(&p)];
        const SticDifference s = support(&p, face.n);
        const double height = stic_vec3_dot(face.n, s.w);
        // the face whose support plane is lowest is the best answer
        if (height < bound) {
            bound = height;
            *depth = read_face(&p, &face);
        }
        const double least = height < refine.height ? height : refine.height;
        open = least - face.d > RELATIVE_END * p.size;
        if (open && (p.points == MOST_POINTS || !grow(&p, &s)))
            break;
    }
    if (!depth->found)
        return STIC_OK;
    stic_refine_from(&refine, stic_vec3_neg(depth->normal));
    if (open)
        refine_open(&p, &refine);
    stic_refine_finish(&refine, depth);
    return STIC_OK;
}
