// SPDX-License-Identifier: Apache-2.0
// Contacts of two boxes: separating axes, then the overlap of two faces or the crossing of two
// edges.
//
// 1. Separation along the fifteen axes (three faces of each box, nine products of edges;
// Gottschalk,
//    Lin and Manocha 1996). Beyond `reach` on one of them there is no contact.
// 2. The axis of largest separation. A face is preferred to an edge, and the larger face to the
//    smaller, unless the other is better by more than rounding and small tilts make it: boxes that
//    rest on each other keep their features.
// 3. Faces: the face of the other box that looks most against the reference face is projected on
//    it. Contacts are the corners of the overlap: vertices inside the reference face, crossings of
//    edges, corners of the reference face, in this order; points that coincide are kept once, so
//    that exact alignment neither loses nor doubles one. An overlap without area, such as that of
//    diagonal neighbours in a grid of boxes, is no contact: each could pass the other. Each is a
//    point of the incident face (a, b), frozen there, against the plane of the reference face. A
//    vertex keeps its gap exactly as the boxes move; the other kinds slide along edges and keep it
//    to second order in motion and tilt.
// 4. Edges: one contact at the nearest points of the two edges.
//
// Cost: about 250 multiplications per pair, and 24 candidates at most per manifold.
#include "world/narrow.h"

/// Fraction of the size within which points of a manifold are one point.
#define SAME_POINT 1e-6
/// Fraction of the size by which a smaller reference face must be better: boxes tilted against each
/// other by less keep the reference, with a relative error of the gap of its square.
#define FACE_MARGIN 1e-4
/// The same for an edge against the best face.
#define EDGE_MARGIN 1e-3
/// Sine of the angle below which edges count as parallel; a face axis is then as good.
#define PARALLEL 1e-3

// axis codes: 0-2 faces of A, 3-5 faces of B, 6 + 3 i + j the product of edge i of A and j of B
enum { FIRST_EDGE = 6, NO_AXIS = -1 };

typedef struct Boxes {
    SticMat3 R[2];  // axes as columns
    SticMat3 C;     // R_A' R_B
    double h[2][3]; // half edges
    double d[2][3]; // from centre B to centre A along the axes of each box
    SticVec3 apart; // the same in world axes
    double size;    // smallest half edge of both
} Boxes;

static Boxes load(const SticNarrow* narrow, int32_t a, int32_t b)
{
    const SticPlaced *A = &narrow->placed[a], *B = &narrow->placed[b];
    Boxes boxes = {.R = {A->R, B->R},
                   .C = stic_mat3_transpose_mul(A->R, B->R),
                   .apart = stic_vec3_sub(A->centre, B->centre)};
    stic_vec3_store(narrow->shape[a].half, boxes.h[0]);
    stic_vec3_store(narrow->shape[b].half, boxes.h[1]);
    boxes.size = (double)INFINITY;
    for (int k = 0; k < 2; ++k) {
        stic_vec3_store(stic_mat3_transpose_mul_vec(boxes.R[k], boxes.apart), boxes.d[k]);
        for (int i = 0; i < 3; ++i)
            boxes.size = boxes.h[k][i] < boxes.size ? boxes.h[k][i] : boxes.size;
    }
    return boxes;
}

/* ---- separating axes ---- */

static double entry(const Boxes* boxes, int side, int i, int j)
{
    return side == 0 ? boxes->C.m[i][j] : boxes->C.m[j][i];
}

// separation along axis i of one box
static double face_separation(const Boxes* boxes, int side, int i)
{
    double reach = boxes->h[side][i];
    for (int j = 0; j < 3; ++j)
        reach += boxes->h[1 - side][j] * fabs(entry(boxes, side, i, j));
    return fabs(boxes->d[side][i]) - reach;
}

// unit normal of an edge axis, from B to A; false if the edges are parallel
static bool edge_normal(const Boxes* boxes, int i, int j, SticVec3* normal)
{
    const SticVec3 cross =
        stic_vec3_cross(stic_mat3_column(boxes->R[0], i), stic_mat3_column(boxes->R[1], j));
    const double sine = stic_vec3_norm(cross);
    const double sign = stic_vec3_dot(cross, boxes->apart) < 0.0 ? -1.0 : 1.0;
    if (sine < PARALLEL)
        return false;
    *normal = stic_vec3_scale(sign / sine, cross);
    return true;
}

static double edge_separation(const Boxes* boxes, SticVec3 normal)
{
    double reach = 0.0;
    for (int k = 0; k < 2; ++k)
        for (int i = 0; i < 3; ++i)
            reach += boxes->h[k][i] * fabs(stic_vec3_dot(stic_mat3_column(boxes->R[k], i), normal));
    return stic_vec3_dot(boxes->apart, normal) - reach;
}

// an edge of one box as a segment: middle, direction, half length, and its number
typedef struct Edge {
    double middle[3]; // along the axes of the box
    int axis;
    uint32_t feature;
} Edge;

// the edge of a box along `axis` that is farthest in the direction `n`
static Edge support_edge(const Boxes* boxes, int side, int axis, SticVec3 n)
{
    Edge edge = {.axis = axis, .feature = (uint32_t)axis};
    for (int k = 0; k < 3; ++k) {
        const bool low = stic_vec3_dot(stic_mat3_column(boxes->R[side], k), n) < 0.0;
        edge.middle[k] = k == axis ? 0.0 : low ? -boxes->h[side][k] : boxes->h[side][k];
        if (k != axis)
            edge.feature = 2 * edge.feature + (low ? 0u : 1u);
    }
    return edge;
}

// parameters of the nearest points of two edges, from their middles, in units of length
static void nearest_on_edges(const Boxes* boxes, const Edge edge[2], double t[2])
{
    SticVec3 e[2], x[2];
    for (int k = 0; k < 2; ++k) {
        e[k] = stic_mat3_column(boxes->R[k], edge[k].axis);
        x[k] = stic_mat3_mul_vec(boxes->R[k], stic_vec3_load(edge[k].middle));
    }
    const SticVec3 d = stic_vec3_add(boxes->apart, stic_vec3_sub(x[0], x[1]));
    const double c = stic_vec3_dot(e[0], e[1]), scale = 1.0 / (1.0 - c * c);
    const double p = stic_vec3_dot(d, e[0]), q = stic_vec3_dot(d, e[1]);
    t[0] = (c * q - p) * scale;
    t[1] = (q - c * p) * scale;
}

static void edges_of(const Boxes* boxes, int code, Edge edge[2], SticVec3* normal)
{
    const int i = (code - FIRST_EDGE) / 3, j = (code - FIRST_EDGE) % 3;
    edge_normal(boxes, i, j, normal);
    edge[0] = support_edge(boxes, 0, i, stic_vec3_neg(*normal));
    edge[1] = support_edge(boxes, 1, j, *normal);
}

static bool edges_meet(const Boxes* boxes, int code)
{
    Edge edge[2];
    SticVec3 normal;
    double t[2];
    edges_of(boxes, code, edge, &normal);
    nearest_on_edges(boxes, edge, t);
    return fabs(t[0]) <= boxes->h[0][edge[0].axis] && fabs(t[1]) <= boxes->h[1][edge[1].axis];
}

static double face_area(const Boxes* boxes, int code)
{
    const double* h = boxes->h[code / 3];
    return h[(code + 1) % 3] * h[(code + 2) % 3];
}

// the better of the best faces of the two boxes; a tie goes to the larger face
static int best_face(const Boxes* boxes, const double separation[6])
{
    int best[2] = {0, 3};
    for (int k = 0; k < 6; ++k)
        if (separation[k] > separation[best[k / 3]])
            best[k / 3] = k;
    const double lead = separation[best[1]] - separation[best[0]];
    if (fabs(lead) > FACE_MARGIN * boxes->size)
        return best[lead > 0.0];
    return best[face_area(boxes, best[1]) > face_area(boxes, best[0])];
}

SticPairLook stic_boxes_look(const SticNarrow* narrow, int32_t a, int32_t b)
{
    const SticPairLook none = {0, NO_AXIS};
    const Boxes boxes = load(narrow, a, b);
    double separation[6];
    for (int k = 0; k < 6; ++k) {
        separation[k] = face_separation(&boxes, k / 3, k % 3);
        if (separation[k] > narrow->reach)
            return none;
    }
    int code = best_face(&boxes, separation);
    double best = separation[code] + EDGE_MARGIN * boxes.size;
    for (int k = 0; k < 9; ++k) {
        SticVec3 normal;
        if (!edge_normal(&boxes, k / 3, k % 3, &normal))
            continue;
        const double apart = edge_separation(&boxes, normal);
        if (apart > narrow->reach)
            return none;
        if (apart > best && edges_meet(&boxes, FIRST_EDGE + k)) {
            best = apart;
            code = FIRST_EDGE + k;
        }
    }
    return (SticPairLook){code < FIRST_EDGE ? STIC_PAIR_CONTACTS : 1, code};
}

/* ---- faces ---- */

// the incident face over the reference face: p = c + alpha e1 + beta e2 in the coordinates (along
// the two sides of the reference face, above it)
typedef struct Overlay {
    double c[3], e[2][3];
    double side[2];   // half sides of the reference face
    double tolerance; // points nearer than this are one
    int axis, sides[2];
    bool up; // the incident face is the one with the positive sign
} Overlay;

typedef struct Corner {
    double p[3];     // in the overlay
    double place[2]; // alpha, beta
    uint32_t feature;
} Corner;

// kinds of corners, in the order of preference
enum { VERTEX, CROSSING, REFERENCE, DEEPEST };

static uint32_t corner_feature(uint32_t kind, uint32_t number)
{
    return kind << 8 | number;
}

// number of the vertex of the incident box at alpha, beta = -1 or 1
static uint32_t vertex_number(const Overlay* overlay, double alpha, double beta)
{
    return (uint32_t)overlay->up << overlay->axis | (uint32_t)(alpha > 0.0) << overlay->sides[0] |
           (uint32_t)(beta > 0.0) << overlay->sides[1];
}

static Overlay lay_over(const Boxes* boxes, int code)
{
    const int side = code / 3, other = 1 - side, axis = code % 3;
    const double sign = side == 0 ? -1.0 : 1.0; // the reference looks at the other box
    const double toward = sign * boxes->d[side][axis] < 0.0 ? -1.0 : 1.0;
    Overlay overlay = {.axis = 0};
    for (int j = 1; j < 3; ++j)
        if (fabs(entry(boxes, side, axis, j)) > fabs(entry(boxes, side, axis, overlay.axis)))
            overlay.axis = j;
    overlay.up = toward * entry(boxes, side, axis, overlay.axis) < 0.0;
    const int rows[3] = {(axis + 1) % 3, (axis + 2) % 3, axis};
    for (int k = 0; k < 2; ++k) {
        overlay.sides[k] = (overlay.axis + 1 + k) % 3;
        overlay.side[k] = boxes->h[side][rows[k]];
    }
    const double lift = overlay.up ? boxes->h[other][overlay.axis] : -boxes->h[other][overlay.axis];
    for (int r = 0; r < 3; ++r) {
        const double turn = r == 2 ? toward : 1.0;
        overlay.c[r] = turn * (sign * boxes->d[side][rows[r]] +
                               lift * entry(boxes, side, rows[r], overlay.axis));
        for (int k = 0; k < 2; ++k)
            overlay.e[k][r] = turn * boxes->h[other][overlay.sides[k]] *
                              entry(boxes, side, rows[r], overlay.sides[k]);
    }
    overlay.c[2] -= boxes->h[side][axis];
    overlay.tolerance = SAME_POINT * (overlay.side[0] + overlay.side[1]);
    return overlay;
}

static Corner corner_at(const Overlay* overlay, double alpha, double beta, uint32_t feature)
{
    Corner corner = {.place = {alpha, beta}, .feature = feature};
    for (int r = 0; r < 3; ++r)
        corner.p[r] = overlay->c[r] + alpha * overlay->e[0][r] + beta * overlay->e[1][r];
    return corner;
}

static bool over_side(const Overlay* overlay, const Corner* corner, int k)
{
    return fabs(corner->p[k]) <= overlay->side[k] + overlay->tolerance;
}

// add a corner unless it is there already
static int32_t add_corner(const Overlay* overlay, Corner* list, int32_t count, const Corner* corner)
{
    for (int32_t k = 0; k < count; ++k) {
        const double x = list[k].p[0] - corner->p[0], y = list[k].p[1] - corner->p[1];
        if (x * x + y * y <= overlay->tolerance * overlay->tolerance)
            return count;
    }
    if (count == STIC_PAIR_CONTACTS)
        return count;
    list[count] = *corner;
    return count + 1;
}

// crossings of edge `edge` of the incident face with the four sides of the reference face
static int32_t add_crossings(const Overlay* overlay, int edge, Corner* list, int32_t count)
{
    // along alpha for edges 0, 1 (beta = -1, 1), along beta for edges 2, 3 (alpha = -1, 1)
    const int along = edge / 2;
    const double other = edge % 2 == 0 ? -1.0 : 1.0;
    const Corner from =
        along == 0 ? corner_at(overlay, -1.0, other, 0) : corner_at(overlay, other, -1.0, 0);
    const Corner to =
        along == 0 ? corner_at(overlay, 1.0, other, 0) : corner_at(overlay, other, 1.0, 0);
    for (int line = 0; line < 4; ++line) {
        const int k = line / 2;
        const double sign = line % 2 == 0 ? -1.0 : 1.0;
        const double begin = sign * from.p[k] - overlay->side[k];
        const double end = sign * to.p[k] - overlay->side[k];
        const bool along_line =
            fabs(begin) <= overlay->tolerance && fabs(end) <= overlay->tolerance;
        if (along_line || (begin > 0.0) == (end > 0.0))
            continue;
        const double t = -(begin + end) / (end - begin);
        // the edge by its axis and the signs across it, so that it is the same seen from both faces
        const uint32_t name =
            (uint32_t)overlay->sides[along] << 3 |
            (vertex_number(overlay, along == 0 ? -1.0 : other, along == 0 ? other : -1.0));
        const uint32_t feature = corner_feature(CROSSING, name << 2 | (uint32_t)line);
        const Corner corner = along == 0 ? corner_at(overlay, t, other, feature)
                                         : corner_at(overlay, other, t, feature);
        if (over_side(overlay, &corner, 1 - k))
            count = add_corner(overlay, list, count, &corner);
    }
    return count;
}

// corners of the reference face under the incident face
static int32_t add_reference(const Overlay* overlay, Corner* list, int32_t count)
{
    const double(*e)[3] = overlay->e;
    const double det = e[0][0] * e[1][1] - e[1][0] * e[0][1];
    for (uint32_t k = 0; k < 4; ++k) {
        const double x = (k & 1 ? overlay->side[0] : -overlay->side[0]) - overlay->c[0];
        const double y = (k & 2 ? overlay->side[1] : -overlay->side[1]) - overlay->c[1];
        const double alpha = (x * e[1][1] - y * e[1][0]) / det;
        const double beta = (y * e[0][0] - x * e[0][1]) / det;
        if (!(fabs(alpha) <= 1.0 && fabs(beta) <= 1.0))
            continue;
        const Corner corner = corner_at(overlay, alpha, beta, corner_feature(REFERENCE, k));
        count = add_corner(overlay, list, count, &corner);
    }
    return count;
}

static int32_t overlap(const Overlay* overlay, Corner list[STIC_PAIR_CONTACTS])
{
    int32_t count = 0;
    for (int k = 0; k < 4; ++k) {
        const double alpha = k & 1 ? 1.0 : -1.0, beta = k & 2 ? 1.0 : -1.0;
        const uint32_t feature = corner_feature(VERTEX, vertex_number(overlay, alpha, beta));
        const Corner corner = corner_at(overlay, alpha, beta, feature);
        if (over_side(overlay, &corner, 0) && over_side(overlay, &corner, 1))
            count = add_corner(overlay, list, count, &corner);
    }
    for (int edge = 0; edge < 4; ++edge)
        count = add_crossings(overlay, edge, list, count);
    return add_reference(overlay, list, count);
}

// whether all corners lie on one side of the reference face: the boxes meet along an edge, and
// either may pass the other
static bool on_border(const Overlay* overlay, const Corner* list, int32_t count)
{
    for (int line = 0; line < 4 && count > 0; ++line) {
        const int k = line / 2;
        const double at = line % 2 == 0 ? -overlay->side[k] : overlay->side[k];
        int32_t on = 0;
        while (on < count && fabs(list[on].p[k] - at) <= overlay->tolerance)
            ++on;
        if (on == count)
            return true;
    }
    return false;
}

// overlapping boxes of which no corner of the overlap lies below the reference face: the deepest
// vertex
static Corner deepest(const Overlay* overlay)
{
    const double alpha = overlay->e[0][2] > 0.0 ? -1.0 : 1.0;
    const double beta = overlay->e[1][2] > 0.0 ? -1.0 : 1.0;
    return corner_at(overlay, alpha, beta,
                     corner_feature(DEEPEST, vertex_number(overlay, alpha, beta)));
}

typedef struct Reference {
    int32_t shape; // whose face it is
    int axis;
    double sign; // of the outward normal
} Reference;

static SticFound face_contact(const SticNarrow* narrow, const Overlay* overlay,
                              const Reference* reference, int32_t incident, const Corner* corner)
{
    const SticBlockShape *A = &narrow->shape[incident], *B = &narrow->shape[reference->shape];
    const uint32_t face = (uint32_t)(2 * reference->axis + (reference->sign > 0.0));
    SticFound found =
        stic_found_plane(narrow, incident, reference->shape, face << 10 | corner->feature);
    double h[3], p[3], top[3];
    stic_vec3_store(A->half, h);
    p[overlay->axis] = overlay->up ? h[overlay->axis] : -h[overlay->axis];
    for (int k = 0; k < 2; ++k)
        p[overlay->sides[k]] = corner->place[k] * h[overlay->sides[k]];
    stic_vec3_store(stic_shape_point(A, stic_vec3_load(p)), found.local);
    stic_vec3_store(B->half, top);
    const SticVec3 normal =
        stic_vec3_scale(reference->sign, stic_mat3_column(B->R, reference->axis));
    stic_vec3_store(stic_vec3_add_scaled(B->origin, top[reference->axis], normal), found.local + 3);
    stic_vec3_store(normal, found.local + 6);
    found.exit = overlay->side[0] - fabs(corner->p[0]);
    if (overlay->side[1] - fabs(corner->p[1]) < found.exit)
        found.exit = overlay->side[1] - fabs(corner->p[1]);
    if (corner->feature >> 8 != VERTEX || found.exit < 0.0)
        found.exit = 0.0;
    return found;
}

static int32_t find_faces(const SticNarrow* narrow, const Boxes* boxes, const int32_t shape[2],
                          int code, SticFound* found)
{
    const Overlay overlay = lay_over(boxes, code);
    const int side = code / 3, axis = code % 3;
    const double sign = side == 0 ? -1.0 : 1.0;
    const Reference reference = {shape[side], axis, sign * boxes->d[side][axis] < 0.0 ? -1.0 : 1.0};
    Corner list[STIC_PAIR_CONTACTS];
    int32_t count = 0;
    const int32_t corners = overlap(&overlay, list);
    if (on_border(&overlay, list, corners))
        return 0;
    for (int32_t k = 0; k < corners; ++k) {
        if (!(list[k].p[2] <= narrow->reach))
            continue;
        const SticFound one = face_contact(narrow, &overlay, &reference, shape[1 - side], &list[k]);
        stic_found_insert(found, count++, &one);
    }
    const Corner low = deepest(&overlay);
    if (count == 0 && low.p[2] <= 0.0) {
        found[0] = face_contact(narrow, &overlay, &reference, shape[1 - side], &low);
        count = 1;
    }
    return count;
}

/* ---- edges ---- */

static int32_t find_edges(const SticNarrow* narrow, const Boxes* boxes, const int32_t shape[2],
                          int code, SticFound* found)
{
    Edge edge[2];
    SticVec3 normal;
    double t[2];
    edges_of(boxes, code, edge, &normal);
    nearest_on_edges(boxes, edge, t);
    const SticBlockShape* box[2] = {&narrow->shape[shape[0]], &narrow->shape[shape[1]]};
    const SticVec3 cross = stic_vec3_cross(stic_mat3_column(boxes->R[0], edge[0].axis),
                                           stic_mat3_column(boxes->R[1], edge[1].axis));
    *found = (SticFound){.a = shape[0], .b = shape[1], .kernel = STIC_CONTACT_EDGE_EDGE};
    found->id = stic_contact_id(STIC_CONTACT_EDGE_EDGE, box[0]->slot, box[1]->slot,
                                edge[0].feature << 4 | edge[1].feature);
    found->exit = (double)INFINITY;
    for (int k = 0; k < 2; ++k) {
        // e_A x e_B points from B to A
        const double sign = k == 0 && stic_vec3_dot(cross, normal) < 0.0 ? -1.0 : 1.0;
        stic_vec3_store(stic_shape_point(box[k], stic_vec3_load(edge[k].middle)),
                        found->local + 6 * k);
        stic_vec3_store(stic_vec3_scale(sign, stic_mat3_column(box[k]->R, edge[k].axis)),
                        found->local + 6 * k + 3);
        const double left = boxes->h[k][edge[k].axis] - fabs(t[k]);
        found->exit = left < found->exit ? left : found->exit;
    }
    return 1;
}

int32_t stic_boxes_find(const SticNarrow* narrow, int32_t a, int32_t b, SticPairLook look,
                        SticFound* found)
{
    const Boxes boxes = load(narrow, a, b);
    const int32_t shape[2] = {a, b};
    return look.axis < FIRST_EDGE ? find_faces(narrow, &boxes, shape, look.axis, found)
                                  : find_edges(narrow, &boxes, shape, look.axis, found);
}
