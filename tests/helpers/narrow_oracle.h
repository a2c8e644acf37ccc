// SPDX-License-Identifier: Apache-2.0
// Independent answers about two posed polyhedra: separation by enumeration and by a sweep of
// directions, distance as a quadratic program, area of the overlap of two faces.
//
// Nothing here shares code with collide/. The enumeration looks at every face normal and at every
// product of two different edge directions. The quadratic program, the least |sum of lambda_i w_i|
// over convex combinations of all differences of vertices, is solved as a non-negative
// least-squares problem (Lawson & Hanson 1974, chapter 23); its answer is checked by its own dual
// bound. The area is that of the hull of all crossings of the lines that bound the overlap, kept if
// they are inside all half-planes.
#ifndef STIC_TEST_HELPERS_NARROW_ORACLE_H
#define STIC_TEST_HELPERS_NARROW_ORACLE_H

#include "helpers/narrow.h"

enum { ORACLE_DIRECTIONS = 96, ORACLE_LINES = 64, ORACLE_POINTS = 1024 };

/* ---- bodies ---- */

/// A shape with the directions of its edges, each once.
typedef struct OracleShape {
    SticShape* shape;
    const SticPolyhedron* p;
    SticVec3 direction[ORACLE_DIRECTIONS];
    int32_t directions;
} OracleShape;

/// A posed shape.
typedef struct OracleBody {
    NarrowBody body;
    SticVec3 direction[ORACLE_DIRECTIONS];
    int32_t directions;
} OracleBody;

static inline OracleShape oracle_shape(SticShape* shape)
{
    OracleShape made = {.shape = shape, .p = stic_shape_polyhedron(shape)};
    for (int32_t i = 0; i < made.p->edge_count; ++i) {
        const int32_t* v = made.p->edge[i].vertex;
        const SticVec3 e =
            stic_vec3_normalize(stic_vec3_sub(made.p->vertex[v[1]], made.p->vertex[v[0]]));
        int32_t k = 0;
        while (k < made.directions && stic_vec3_norm(stic_vec3_cross(e, made.direction[k])) > 1e-14)
            ++k;
        test_less(k, ORACLE_DIRECTIONS);
        made.direction[k] = e;
        made.directions += k == made.directions;
    }
    return made;
}

static inline void oracle_body(const OracleShape* shape, const SticPose* pose, OracleBody* body)
{
    narrow_body(shape->shape, pose, &body->body);
    body->directions = shape->directions;
    for (int32_t i = 0; i < shape->directions; ++i)
        body->direction[i] = stic_mat3_mul_vec(pose->F, shape->direction[i]);
}

/* ---- separation ---- */

/// The largest separations: of the faces of each body, and of edges.
typedef struct OracleAxis {
    double face[2], edges;
    int32_t index[2];
    SticVec3 normal; ///< of the best of all, from B to A
    double best;
} OracleAxis;

static inline void oracle_extent(const NarrowBody* body, SticVec3 n, double* low, double* high)
{
    *low = (double)INFINITY;
    *high = -(double)INFINITY;
    for (int32_t i = 0; i < body->p->vertex_count; ++i) {
        const double h = stic_vec3_dot(n, body->vertex[i]);
        *low = h < *low ? h : *low;
        *high = h > *high ? h : *high;
    }
}

static inline void oracle_take(OracleAxis* axis, double here, SticVec3 n)
{
    if (here > axis->best) {
        axis->best = here;
        axis->normal = n;
    }
}

static inline OracleAxis oracle_axis(const OracleBody* A, const OracleBody* B)
{
    const double none = -(double)INFINITY;
    OracleAxis axis = {.face = {none, none}, .edges = none, .best = none};
    const OracleBody* side[2] = {A, B};
    for (int s = 0; s < 2; ++s)
        for (int32_t f = 0; f < side[s]->body.p->face_count; ++f) {
            const SticVec3 n = stic_vec3_scale(s == 0 ? -1.0 : 1.0, side[s]->body.normal[f]);
            const double here = narrow_along(&A->body, &B->body, n);
            if (here > axis.face[s]) {
                axis.face[s] = here;
                axis.index[s] = f;
            }
            oracle_take(&axis, here, n);
        }
    for (int32_t i = 0; i < A->directions; ++i)
        for (int32_t j = 0; j < B->directions; ++j) {
            const SticVec3 c = stic_vec3_cross(A->direction[i], B->direction[j]);
            if (stic_vec3_norm(c) < 1e-9)
                continue;
            const SticVec3 n = stic_vec3_normalize(c);
            double low[2], high[2];
            oracle_extent(&A->body, n, &low[0], &high[0]);
            oracle_extent(&B->body, n, &low[1], &high[1]);
            axis.edges = fmax(axis.edges, fmax(low[0] - high[1], low[1] - high[0]));
            oracle_take(&axis, low[0] - high[1], n);
            oracle_take(&axis, low[1] - high[0], stic_vec3_neg(n));
        }
    return axis;
}

/// The largest separation over `count` directions spread over the sphere.
static inline double oracle_sweep(const OracleBody* A, const OracleBody* B, int32_t count)
{
    double top = -(double)INFINITY;
    for (int32_t i = 0; i < count; ++i) {
        const double z = 1.0 - (2.0 * i + 1.0) / count, r = sqrt(1.0 - z * z);
        const double angle = 2.399963229728653 * i;
        top = fmax(top,
                   narrow_along(&A->body, &B->body, stic_vec3(r * cos(angle), r * sin(angle), z)));
    }
    return top;
}

/* ---- distance as a quadratic program ---- */

typedef struct OracleColumns {
    double a[4][4]; // the columns in use: a difference of vertices, and 1
    double lambda[4];
    int count;
} OracleColumns;

// the least squares of the columns in use against (0, 0, 0, 1): a square or tall system by QR
static inline bool oracle_least_squares(const OracleColumns* in, double x[4])
{
    double Q[4][4], R[4][4];
    for (int k = 0; k < in->count; ++k) {
        for (int i = 0; i < 4; ++i)
            Q[k][i] = in->a[k][i];
        // twice, for columns that are nearly dependent
        for (int j = 0; j < k; ++j)
            R[j][k] = 0.0;
        for (int again = 0; again < 2; ++again)
            for (int j = 0; j < k; ++j) {
                double dot = 0.0;
                for (int i = 0; i < 4; ++i)
                    dot += Q[j][i] * Q[k][i];
                R[j][k] += dot;
                for (int i = 0; i < 4; ++i)
                    Q[k][i] -= dot * Q[j][i];
            }
        double norm = 0.0;
        for (int i = 0; i < 4; ++i)
            norm += Q[k][i] * Q[k][i];
        R[k][k] = sqrt(norm);
        if (R[k][k] < 1e-14)
            return false;
        for (int i = 0; i < 4; ++i)
            Q[k][i] /= R[k][k];
    }
    for (int k = in->count - 1; k >= 0; --k) {
        x[k] = Q[k][3];
        for (int j = k + 1; j < in->count; ++j)
            x[k] -= R[k][j] * x[j];
        x[k] /= R[k][k];
    }
    return true;
}

// lambda moves to the least squares of its columns; those that would turn negative leave
static inline void oracle_inner(OracleColumns* in)
{
    double x[4];
    while (in->count > 0) {
        if (!oracle_least_squares(in, x)) {
            in->count -= 1;
            continue;
        }
        double step = 1.0;
        int leave = -1;
        for (int k = 0; k < in->count; ++k)
            if (x[k] <= 0.0 && in->lambda[k] / (in->lambda[k] - x[k]) <= step) {
                step = in->lambda[k] / (in->lambda[k] - x[k]);
                leave = k;
            }
        for (int k = 0; k < in->count; ++k)
            in->lambda[k] += step * (x[k] - in->lambda[k]);
        if (leave < 0)
            return;
        in->count -= 1;
        for (int i = 0; i < 4; ++i)
            in->a[leave][i] = in->a[in->count][i];
        in->lambda[leave] = in->lambda[in->count];
    }
}

/// Least distance of two bodies of about unit size and its lower bound; both 0 if they overlap.
static inline double oracle_distance(const OracleBody* A, const OracleBody* B, double* bound)
{
    OracleColumns in = {.count = 0};
    double least = (double)INFINITY;
    *bound = 0.0;
    for (int round = 0; round < 400; ++round) {
        double r[4] = {0.0, 0.0, 0.0, 1.0}, sum = 0.0;
        for (int k = 0; k < in.count; ++k) {
            sum += in.lambda[k];
            for (int i = 0; i < 4; ++i)
                r[i] -= in.lambda[k] * in.a[k][i];
        }
        // the point of least norm is minus the residual over the sum of the weights
        const SticVec3 p = sum > 0.0 ? stic_vec3(-r[0] / sum, -r[1] / sum, -r[2] / sum)
                                     : stic_vec3_sub(A->body.vertex[0], B->body.vertex[0]);
        const double d = stic_vec3_norm(p);
        if (sum > 0.0)
            least = fmin(least, d);
        if (d > 0.0)
            *bound = fmax(*bound, narrow_along(&A->body, &B->body, stic_vec3_scale(1.0 / d, p)));
        // the column with the largest gain
        double gain = 0.0;
        OracleColumns next = in;
        for (int32_t i = 0; i < A->body.p->vertex_count && in.count < 4; ++i)
            for (int32_t j = 0; j < B->body.p->vertex_count; ++j) {
                const SticVec3 w = stic_vec3_sub(A->body.vertex[i], B->body.vertex[j]);
                const double here = r[0] * w.x + r[1] * w.y + r[2] * w.z + r[3];
                if (here <= gain)
                    continue;
                gain = here;
                next.a[in.count][0] = w.x;
                next.a[in.count][1] = w.y;
                next.a[in.count][2] = w.z;
                next.a[in.count][3] = 1.0;
            }
        if (gain <= 0.0 || least - *bound <= 1e-14)
            break;
        next.lambda[in.count] = 0.0;
        next.count = in.count + 1;
        oracle_inner(&next);
        in = next;
    }
    return least;
}

/* ---- overlap of two faces ---- */

typedef struct OraclePoint {
    double x, y;
} OraclePoint;

/// a x + b y <= c, (a, b) of unit length.
typedef struct OracleLine {
    double a, b, c;
} OracleLine;

static inline int oracle_by_place(const void* p, const void* q)
{
    const OraclePoint *a = p, *b = q;
    return a->x != b->x ? (a->x > b->x) - (a->x < b->x) : (a->y > b->y) - (a->y < b->y);
}

static inline double oracle_turn(OraclePoint o, OraclePoint p, OraclePoint q)
{
    return (p.x - o.x) * (q.y - o.y) - (p.y - o.y) * (q.x - o.x);
}

// hull of points sorted by place (Andrew's monotone chain)
static inline int32_t oracle_hull(const OraclePoint* point, int32_t count, OraclePoint* hull)
{
    int32_t top = 0;
    for (int pass = 0; pass < 2; ++pass) {
        const int32_t base = top;
        for (int32_t i = 0; i < count; ++i) {
            const OraclePoint p = point[pass == 0 ? i : count - 1 - i];
            while (top >= base + 2 && oracle_turn(hull[top - 2], hull[top - 1], p) <= 0.0)
                --top;
            hull[top++] = p;
        }
        --top;
    }
    return top;
}

/// Area of what is inside all half-planes (a bounded set); `same` is the rounding of the data.
static inline double oracle_area(const OracleLine* line, int32_t count, double same)
{
    static OraclePoint point[ORACLE_POINTS], hull[2 * ORACLE_POINTS];
    int32_t points = 0;
    for (int32_t i = 0; i < count; ++i)
        for (int32_t j = 0; j < count; ++j) {
            // along line i: rounding of the place does not leave it
            const double px = line[i].c * line[i].a, py = line[i].c * line[i].b;
            const double det = line[j].b * line[i].a - line[j].a * line[i].b;
            const double t = (line[j].c - line[j].a * px - line[j].b * py) / det;
            const OraclePoint p = {px - t * line[i].b, py + t * line[i].a};
            bool inside = i != j && isfinite(p.x) && isfinite(p.y);
            for (int32_t k = 0; k < count && inside; ++k)
                inside = line[k].a * p.x + line[k].b * p.y <= line[k].c + same;
            test_less(points, ORACLE_POINTS);
            // a corner found twice must be one: rounding of the turns would undo the hull
            if (inside)
                point[points++] =
                    (OraclePoint){0x1p-42 * rint(0x1p42 * p.x), 0x1p-42 * rint(0x1p42 * p.y)};
        }
    qsort(point, (size_t)points, sizeof point[0], oracle_by_place);
    const int32_t corners = points < 3 ? 0 : oracle_hull(point, points, hull);
    double twice = 0.0;
    for (int32_t i = 1; i + 1 < corners; ++i)
        twice += oracle_turn(hull[0], hull[i], hull[i + 1]);
    return 0.5 * fabs(twice);
}

/// Plane coordinates on a face.
typedef struct OracleFace {
    SticVec3 origin, e[2], n;
} OracleFace;

static inline OracleFace oracle_face(const NarrowBody* body, int32_t face)
{
    const int32_t* v = &body->p->face_vertex[body->p->face_begin[face]];
    OracleFace plane = {.origin = body->vertex[v[0]], .n = body->normal[face]};
    plane.e[0] = stic_vec3_normalize(stic_vec3_sub(body->vertex[v[1]], plane.origin));
    plane.e[1] = stic_vec3_cross(plane.n, plane.e[0]);
    return plane;
}

// lines through the sides of a face, seen on the plane; the inside is where the centroid is
static inline int32_t oracle_sides(const OracleFace* plane, const NarrowBody* body, int32_t face,
                                   OracleLine* line)
{
    const int32_t from = body->p->face_begin[face], to = body->p->face_begin[face + 1];
    double x[64], y[64], mx = 0.0, my = 0.0;
    const int32_t n = to - from;
    for (int32_t k = 0; k < n; ++k) {
        const SticVec3 d =
            stic_vec3_sub(body->vertex[body->p->face_vertex[from + k]], plane->origin);
        x[k] = stic_vec3_dot(plane->e[0], d);
        y[k] = stic_vec3_dot(plane->e[1], d);
        mx += x[k] / n;
        my += y[k] / n;
    }
    for (int32_t k = 0; k < n; ++k) {
        const int32_t j = k + 1 < n ? k + 1 : 0;
        const double length = hypot(x[j] - x[k], y[j] - y[k]);
        double a = (y[j] - y[k]) / length, b = -(x[j] - x[k]) / length;
        double c = a * x[k] + b * y[k];
        if (a * mx + b * my > c) {
            a = -a;
            b = -b;
            c = -c;
        }
        line[k] = (OracleLine){a, b, c};
    }
    return n;
}

/// True if face `other` of I looks most against `n` among those at its lowest vertices, up to
/// noise in heights and an angle.
static inline bool oracle_is_incident(const NarrowBody* I, int32_t other, SticVec3 n, double noise,
                                      double angle)
{
    double low, high, most = (double)INFINITY, here = (double)INFINITY;
    oracle_extent(I, n, &low, &high);
    for (int32_t f = 0; f < I->p->face_count; ++f)
        for (int32_t k = I->p->face_begin[f]; k < I->p->face_begin[f + 1]; ++k) {
            if (stic_vec3_dot(n, I->vertex[I->p->face_vertex[k]]) > low + noise)
                continue;
            const double against = stic_vec3_dot(I->normal[f], n);
            most = fmin(most, against);
            here = f == other ? against : here;
        }
    return here <= most + noise + angle * sqrt(fmax(0.0, 1.0 - most * most)) && here < 0.0;
}

/// The overlap of a face of R and a face of I, seen along the normal of R, where the gap is at most
/// `reach`: its half-planes.
static inline int32_t oracle_overlap(const NarrowBody* R, int32_t face, const NarrowBody* I,
                                     int32_t other, double reach, OracleLine* line)
{
    const OracleFace plane = oracle_face(R, face);
    int32_t count = oracle_sides(&plane, R, face, line);
    count += oracle_sides(&plane, I, other, line + count);
    // n_I . (p + h n_R) = offset: the height over the plane of R is linear in x and y
    const SticVec3 m = I->normal[other];
    const double down = stic_vec3_dot(m, plane.n);
    const SticVec3 o = I->vertex[I->p->face_vertex[I->p->face_begin[other]]];
    const double at = stic_vec3_dot(m, stic_vec3_sub(o, plane.origin)) / down;
    const double a = -stic_vec3_dot(m, plane.e[0]) / down, b = -stic_vec3_dot(m, plane.e[1]) / down;
    const double slope = hypot(a, b);
    if (slope > 1e-15)
        line[count++] = (OracleLine){a / slope, b / slope, (reach - at) / slope};
    return slope > 1e-15 || at <= reach ? count : 0;
}

#endif
