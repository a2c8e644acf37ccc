// SPDX-License-Identifier: Apache-2.0
// Faces of elastic bodies in contact: flat triangles over the nodes of the surface.
//
// The nodes of elastic bodies touch rigid shapes as points do. What they leave open is closed here:
// points of others against the faces between the nodes. Such a point is a node of another elastic
// body, a corner of a rigid or pseudo-rigid polyhedron, a ball, or the end of a capsule. With X for
// the place of the point and shares N of its foot on the triangle, sum N = 1,
//
//   g = n . (X - sum N_a x_a) - radius,   dg = n . (dX - sum N_a dx_a)
//
// exactly, since the foot is where X - sum N_a x_a is along n. The reaction is shared by N, so that
// neither force nor moment is lost. A triangle is a side like a body with an affine map, and the
// kernels of contact.h serve as they are.
//
// Of two elastic bodies the finer one gives its nodes and the coarser one its faces: both ways
// would ask an interface to follow each of two meshes, which only a plane can. Of the coarser one,
// nodes on ridges of its surface are points as well: the mesh of the other does not see them.
//
// Of a point in touch with several triangles of a plane part one counts: over an edge, or a corner,
// the one with the lowest number. Triangles count only for points whose own surface looks the other
// way there: a node on the rim of a block stands on a floor as wide as the block, and does not lean
// against the floor's side.
#include "world/facet.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/sort.h"
#include "stiction/extend/base.h"

/// Cosine of the angle between faces beyond which the surface has a ridge: 45 degrees.
#define RIDGE 0.70710678118654752
/// Faces meet if the cosine between their normals is below this: square ones do not, though they
/// may have turned a little.
#define OPPOSED (-0.1)
/// Shares of corners: on a border, and so far outside that a neighbour may have missed the point
/// for rounding.
#define BORDER  1e-9
#define OUTSIDE 1e-6

static int32_t following(int32_t k, int32_t n)
{
    return k + 1 < n ? k + 1 : 0;
}

/* ---- triangles ---- */

// nodes of the triangles of a face; their number
static int32_t split(SticSolidCell kind, const int32_t node[8], int32_t (*part)[4])
{
    static const int32_t quarter[4][3] = {{0, 3, 5}, {3, 1, 4}, {5, 4, 2}, {3, 4, 5}};
    const int32_t count = kind == STIC_SOLID_TET4 ? 1 : 4;
    for (int32_t k = 0; k < count; ++k)
        for (int32_t c = 0; c < 4; ++c)
            part[k][c] = kind == STIC_SOLID_HEX8   ? node[(k + c) % 4]
                         : c == 3                  ? -1
                         : kind == STIC_SOLID_TET4 ? node[c]
                                                   : node[quarter[k][c]];
    return count;
}

void stic_facet_shares(const SticFacet* facet, SticVec3 material, double share[4])
{
    const double a = material.x, b = material.y;
    const double mean = facet->node[3] >= 0 ? 0.25 * b : 0.0;
    share[0] = 1.0 - a - b + mean;
    share[1] = a + mean;
    share[2] = facet->node[3] >= 0 ? mean : b;
    share[3] = mean;
}

void stic_facet_blocks(const SticFacet* facet, SticInteraction* contact)
{
    contact->block[1] = -1;
    contact->alsos = 0;
    for (int k = 0; k < 4; ++k) {
        if (facet->block[k] < 0)
            continue;
        if (contact->block[1] < 0)
            contact->block[1] = facet->block[k];
        else
            contact->also[contact->alsos++] = facet->block[k];
    }
}

// corners from vectors of the nodes
static void corners_of(const SticFacet* facet, const SticVec3 node[4], SticVec3 corner[3])
{
    for (int k = 0; k < 3; ++k)
        corner[k] = node[k];
    if (facet->node[3] < 0)
        return;
    corner[2] = stic_vec3_zero();
    for (int k = 0; k < 4; ++k)
        corner[2] = stic_vec3_add_scaled(corner[2], 0.25, node[k]);
}

// three columns
static SticMat3 frame_of(const SticVec3 corner[3], SticVec3 third)
{
    return stic_mat3_from_columns(stic_vec3_sub(corner[1], corner[0]),
                                  stic_vec3_sub(corner[2], corner[0]), third);
}

SticSide stic_facet_side(const SticView* view, const SticState* state, const SticFacet* facet,
                         bool rates)
{
    const SticSolidMesh* mesh = &facet->body->solid->mesh;
    SticSide side = {.s = 1.0, .affine = true, .deforms = true};
    SticVec3 place[4], velocity[4], corner[3];
    for (int k = 0; k < 4 && facet->node[k] >= 0; ++k) {
        const int32_t block = facet->block[k];
        place[k] = mesh->node[facet->node[k]];
        velocity[k] = stic_vec3_zero();
        if (block < 0)
            continue;
        place[k] = stic_vec3_add(place[k], stic_vec3_load(state->q + view->q_at[block]));
        if (rates)
            velocity[k] = stic_vec3_load(state->u + view->u_at[block]);
    }
    corners_of(facet, place, corner);
    const SticVec3 e = stic_vec3_sub(corner[1], corner[0]);
    const SticVec3 n = stic_vec3_cross(e, stic_vec3_sub(corner[2], corner[0]));
    side.x = corner[0];
    side.R = frame_of(corner, stic_vec3_scale(1.0 / stic_vec3_norm(e), n));
    if (!rates)
        return side;
    SticMat3 inverse = stic_mat3_zero();
    (void)stic_mat3_inverse(side.R, &inverse);
    corners_of(facet, velocity, corner);
    side.v = corner[0];
    side.L = stic_mat3_mul(frame_of(corner, stic_vec3_zero()), inverse);
    side.A = stic_mat3_scale(-1.0, stic_mat3_mul(side.L, side.L));
    return side;
}

SticSide stic_view_shape_side(const SticView* view, const SticState* state,
                              const SticBlockShape* shape, bool rates)
{
    return shape->facet != NULL ? stic_facet_side(view, state, shape->facet, rates)
                                : stic_view_side(view, state, shape->block, rates);
}

static void corners_at(const SticMat3* F, SticVec3 origin, SticVec3 corner[3])
{
    corner[0] = origin;
    corner[1] = stic_vec3_add(origin, stic_mat3_column(*F, 0));
    corner[2] = stic_vec3_add(origin, stic_mat3_column(*F, 1));
}

SticBounds stic_facet_bounds(const SticFacet* facet, const SticSide* side, double margin)
{
    SticVec3 corner[3];
    const SticVec3 wide = stic_vec3(margin, margin, margin);
    corners_at(&side->R, side->x, corner);
    const SticVec3 inwards =
        stic_vec3_scale(-facet->depth, stic_vec3_normalize(stic_mat3_column(side->R, 2)));
    SticBounds box = {corner[0], corner[0]};
    for (int k = 0; k < 6; ++k) {
        const SticVec3 at = k < 3 ? corner[k] : stic_vec3_add(corner[k - 3], inwards);
        box.low = stic_vec3_min(box.low, at);
        box.high = stic_vec3_max(box.high, at);
    }
    return (SticBounds){stic_vec3_sub(box.low, wide), stic_vec3_add(box.high, wide)};
}

SticSwing stic_facet_swing(const SticFacet* facet, const SticSide* side, const SticSide* off)
{
    SticVec3 corner[3];
    corners_at(&side->R, side->x, corner);
    const SticVec3 centre =
        stic_vec3_scale(1.0 / 3.0, stic_vec3_add(corner[0], stic_vec3_add(corner[1], corner[2])));
    SticSwing swing = {.origin = side->x,
                       .velocity = side->v,
                       .gradient = side->L,
                       .spin = stic_mat3_norm(side->L),
                       .centre = centre,
                       .thin = facet->depth};
    for (int k = 0; k < 3; ++k) {
        const double r = stic_vec3_distance(centre, corner[k]);
        swing.radius = r > swing.radius ? r : swing.radius;
    }
    if (off != NULL) {
        swing.off = off->v;
        swing.off_gradient = off->L;
        swing.off_spin = stic_mat3_norm(off->L);
    }
    return swing;
}

/* ---- building ---- */

bool stic_facet_needed(const SticWorld* world)
{
    int32_t elastics = 0, others = 0;
    bool area = false;
    for (uint32_t k = 0; k < world->shapes; ++k) {
        const SticShapeSlot* slot = &world->shape[k];
        if (!slot->alive)
            continue;
        if (world->body[slot->body].def.kind == STIC_BODY_ELASTIC)
            ++elastics;
        else
            others += slot->shape->kind != STIC_SHAPE_HALF_SPACE;
    }
    // bonds and Tresca's friction need the areas of nodes
    for (uint32_t a = 0; a < world->materials; ++a)
        for (uint32_t b = 0; b < world->materials; ++b) {
            const SticSurface surface = stic_surface_of(world, a, b).surface;
            area = area || surface.cohesion > 0.0 || surface.law == STIC_FRICTION_TRESCA;
        }
    return elastics > 1 || (elastics == 1 && (others > 0 || area));
}

// normal without load; its length is twice the area
static SticVec3 area_vector(const SticFacet* facet)
{
    const SticSolidMesh* mesh = &facet->body->solid->mesh;
    SticVec3 place[4], corner[3];
    for (int k = 0; k < 4 && facet->node[k] >= 0; ++k)
        place[k] = mesh->node[facet->node[k]];
    corners_of(facet, place, corner);
    return stic_vec3_cross(stic_vec3_sub(corner[1], corner[0]),
                           stic_vec3_sub(corner[2], corner[0]));
}

static double volume_of(const SticSolid* solid, int32_t cell)
{
    double sum = 0.0;
    for (int32_t p = 0; p < solid->points; ++p)
        sum += solid->volume[(int64_t)cell * solid->points + p];
    return sum;
}

// the triangles of one face of a cell
static int32_t add_face(const SticSoftBody* body, int32_t face, SticFacet* to)
{
    const SticSolid* solid = body->solid;
    int32_t node[8], part[4][4];
    double area = 0.0;
    (void)stic_solid_mesh_face(&solid->mesh, face, node);
    const int32_t count = split(solid->mesh.kind, node, part);
    for (int32_t k = 0; k < count; ++k) {
        SticFacet* facet = &to[k];
        *facet = (SticFacet){.body = body, .beside = {-1, -1, -1}};
        for (int c = 0; c < 4; ++c) {
            const int32_t block = part[k][c] < 0 ? -1 : solid->block_of[part[k][c]];
            facet->node[c] = part[k][c];
            facet->block[c] = block < 0 ? -1 : body->block + block;
        }
        area += 0.5 * stic_vec3_norm(area_vector(facet));
    }
    for (int32_t k = 0; k < count; ++k)
        to[k].depth = 0.5 * volume_of(solid, face / STIC_SOLID_FACES) / area;
    return count;
}

static bool bends(const SticFacet* a, const SticFacet* b)
{
    return stic_vec3_dot(stic_vec3_normalize(area_vector(a)), stic_vec3_normalize(area_vector(b))) <
           RIDGE;
}

static void join(SticFacet* facet, int32_t a, int32_t b)
{
    const bool ridge = bends(&facet[a / 3], &facet[b / 3]);
    facet[a / 3].beside[a % 3] = b / 3;
    facet[b / 3].beside[b % 3] = a / 3;
    facet[a / 3].ridge[a % 3] = facet[b / 3].ridge[b % 3] = ridge;
}

// Triangles over each other's edges: those between nodes by sorted keys, and of hex8 the spokes to
// the mean of the nodes
static SticStatus find_beside(const SticContext* context, SticFacet* facet, int32_t first,
                              int32_t count)
{
    uint64_t* key = NULL;
    int32_t* edge = NULL;
    int32_t edges = 0;
    const size_t room = 6 * (size_t)count;
    STIC_TRY(STIC_ALLOCATE(context, &key, room));
    const SticStatus status = STIC_ALLOCATE(context, &edge, room);
    for (int32_t k = first; status == STIC_OK && k < first + count; ++k) {
        const bool quarter = facet[k].node[3] >= 0;
        for (int32_t e = 0; e < (quarter ? 1 : 3); ++e) {
            const uint32_t a = (uint32_t)facet[k].node[e],
                           b = (uint32_t)facet[k].node[following(e, quarter ? 4 : 3)];
            key[edges] = (uint64_t)(a < b ? a : b) << 32 | (a < b ? b : a);
            edge[edges++] = 3 * k + e;
        }
        if (quarter)
            join(facet, 3 * k + 1, 3 * (k - (k - first) % 4 + ((k - first) % 4 + 1) % 4) + 2);
    }
    if (status == STIC_OK)
        stic_radix_sort_values(edges, key, edge, key + room / 2, edge + room / 2);
    for (int32_t k = 0; status == STIC_OK && k + 1 < edges; ++k)
        if (key[k] == key[k + 1] && edge[k] / 3 != edge[k + 1] / 3)
            join(facet, edge[k], edge[k + 1]);
    STIC_RELEASE(context, key, room);
    if (edge != NULL)
        STIC_RELEASE(context, edge, room);
    return status;
}

// facets around each node of a body
static SticStatus list_around(const SticContext* context, SticView* view, int32_t count,
                              SticSoftBody* body)
{
    const int32_t nodes = body->solid->mesh.nodes;
    const SticFacet* facet = view->facet + body->facet;
    body->arounds = 4 * count;
    STIC_TRY(STIC_ALLOCATE(context, &body->around_at, (size_t)nodes + 2));
    STIC_TRY(STIC_ALLOCATE(context, &body->around, (size_t)body->arounds));
    STIC_TRY(STIC_ALLOCATE(context, &body->sharp, (size_t)nodes));
    int32_t* at = body->around_at;
    for (int32_t k = 0; k < 4 * count; ++k)
        if (facet[k / 4].node[k % 4] >= 0)
            at[facet[k / 4].node[k % 4] + 2] += 1;
    for (int32_t i = 0; i < nodes; ++i)
        at[i + 2] += at[i + 1];
    for (int32_t k = 0; k < 4 * count; ++k)
        if (facet[k / 4].node[k % 4] >= 0)
            body->around[at[facet[k / 4].node[k % 4] + 1]++] = body->facet + k / 4;
    for (int32_t i = 0; i < nodes; ++i)
        for (int32_t a = at[i]; a < at[i + 1]; ++a)
            for (int32_t b = at[i]; b < a; ++b)
                if (bends(&view->facet[body->around[a]], &view->facet[body->around[b]]))
                    body->sharp[i] = 1;
    return STIC_OK;
}

// the least facet around each corner that does not lie over a ridge
static void find_lowest(SticView* view, const SticSoftBody* body, int32_t k)
{
    SticFacet* facet = &view->facet[k];
    const bool quarter = facet->node[3] >= 0;
    for (int c = 0; c < 3; ++c) {
        facet->lowest[c] = k;
        if (quarter && c == 2) {
            for (int s = 1; s < 3; ++s)
                facet->lowest[c] =
                    facet->beside[s] < facet->lowest[c] ? facet->beside[s] : facet->lowest[c];
            continue;
        }
        const int32_t node = facet->node[c];
        for (int32_t a = body->around_at[node]; a < body->around_at[node + 1]; ++a) {
            const int32_t other = body->around[a];
            const SticFacet* its = &view->facet[other];
            // the two far nodes of a quarter are no corners of it
            const bool corner = its->node[3] < 0 || its->node[0] == node || its->node[1] == node;
            if (corner && other < facet->lowest[c] && !bends(its, facet))
                facet->lowest[c] = other;
        }
    }
}

static SticStatus build_body(SticView* view, SticSoftBody* body)
{
    const SticSolidMesh* mesh = &body->solid->mesh;
    int32_t *face = NULL, faces = 0, count = 0;
    STIC_TRY(stic_solid_mesh_boundary(mesh, &face, &faces));
    body->facet = view->facets;
    for (int32_t k = 0; k < faces; ++k)
        count += add_face(body, face[k], view->facet + body->facet + count);
    STIC_RELEASE(&mesh->context, face, (size_t)mesh->cells * STIC_SOLID_FACES);
    view->facets += count;
    STIC_ASSERT(count == view->world->body[body->body].facets);
    STIC_TRY(find_beside(&view->context, view->facet, body->facet, count));
    STIC_TRY(list_around(&view->context, view, count, body));
    for (int32_t k = body->facet; k < view->facets; ++k)
        find_lowest(view, body, k);
    return STIC_OK;
}

SticStatus stic_facet_build(SticView* view)
{
    int64_t room = 0;
    view->facet_part = INT32_MAX;
    if (!stic_facet_needed(view->world))
        return STIC_OK;
    for (int32_t k = 0; k < view->elastics; ++k) {
        const SticSolidMesh* mesh = &view->elastic[k].solid->mesh;
        room += 4 * STIC_SOLID_FACES * (int64_t)mesh->cells;
    }
    const SticSoftBody* last = &view->elastic[view->elastics - 1];
    const int64_t part = (int64_t)last->part + last->solid->mesh.nodes;
    if (part + room > INT32_MAX)
        return STIC_OUT_OF_MEMORY;
    view->facet_room = (size_t)room;
    STIC_TRY(STIC_ALLOCATE(&view->context, &view->facet, view->facet_room));
    for (int32_t k = 0; k < view->elastics; ++k)
        STIC_TRY(build_body(view, &view->elastic[k]));
    view->facet_part = (int32_t)part;
    view->system.spread = true;
    return STIC_OK;
}

void stic_facet_drop(SticView* view)
{
    for (int32_t k = 0; k < view->elastics; ++k) {
        SticSoftBody* body = &view->elastic[k];
        const size_t nodes = body->solid == NULL ? 0 : (size_t)body->solid->mesh.nodes;
        if (body->around_at != NULL)
            STIC_RELEASE(&view->context, body->around_at, nodes + 2);
        if (body->around != NULL)
            STIC_RELEASE(&view->context, body->around, (size_t)body->arounds);
        if (body->sharp != NULL)
            STIC_RELEASE(&view->context, body->sharp, nodes);
    }
    STIC_RELEASE(&view->context, view->facet, view->facet_room);
}

/* ---- who meets whom ---- */

// whether all nodes of one elastic body touch the faces of another, and not the other way round
static bool is_finer(const SticSoftBody* a, const SticSoftBody* b)
{
    return a->point.radius < b->point.radius ||
           (a->point.radius == b->point.radius && a->body > b->body);
}

bool stic_facet_has_points(const SticShape* shape)
{
    switch (stic_shape_kind(shape)) {
    case STIC_SHAPE_BOX:
    case STIC_SHAPE_POLYHEDRON:
    case STIC_SHAPE_CAPSULE:
    case STIC_SHAPE_SPHERE:
    case STIC_SHAPE_COMPOUND:
        return true;
    default:
        return false;
    }
}

bool stic_facet_meets(const SticView* view, const SticBlockShape* shape, const SticFacet* facet)
{
    if (shape->facet != NULL || !stic_facet_has_points(shape->shape))
        return false;
    if (!shape->node)
        return true;
    const SticSoftBody* own = stic_soft_of(view, shape->body);
    return own != facet->body &&
           (is_finer(own, facet->body) || own->sharp[shape->part - own->part] != 0);
}

/* ---- contacts ---- */

typedef struct Search {
    const SticNarrow* narrow;
    SticLane* lane;
    SticBoxPair pair;
    const SticFacet* facet;
    SticVec3 corner[3], normal;
    double reach;
    int32_t count;
    uint64_t number; // of the next point
} Search;

static SticVec3 normal_of(const SticNarrow* narrow, int32_t facet)
{
    const SticView* view = narrow->view;
    const SticMat3* F = &narrow->pose[view->facet_shape + facet].F;
    return stic_vec3_normalize(stic_vec3_cross(stic_mat3_column(*F, 0), stic_mat3_column(*F, 1)));
}

// whether the surface around a node looks against a normal, and its share of the area there
static bool node_opposes(const SticNarrow* narrow, const SticBlockShape* shape, SticVec3 n,
                         double* area)
{
    const SticSoftBody* body = stic_soft_of(narrow->view, shape->body);
    const int32_t node = shape->part - body->part;
    bool opposes = false;
    *area = 0.0;
    for (int32_t a = body->around_at[node]; a < body->around_at[node + 1]; ++a) {
        const SticFacet* facet = &narrow->view->facet[body->around[a]];
        const double cosine = stic_vec3_dot(normal_of(narrow, body->around[a]), n);
        double share = 1.0 / 3.0;
        if (facet->node[3] >= 0)
            share = facet->node[0] == node || facet->node[1] == node ? 5.0 / 12.0 : 1.0 / 12.0;
        opposes = opposes || cosine < OPPOSED;
        *area += cosine < 0.0 ? -cosine * share * 0.5 * stic_vec3_norm(area_vector(facet)) : 0.0;
    }
    return opposes;
}

double stic_facet_area(const SticNarrow* narrow, const SticBlockShape* shape, SticVec3 n)
{
    double area = 0.0;
    if (shape->node && narrow->view->facets > 0)
        (void)node_opposes(narrow, shape, n, &area);
    return area;
}

// Part of the thickness of a cell up to which a node beside the border of a face stands on it: what
// presses there is the border, on the face of the elastic body beside the node.
#define RIM 0.1

double stic_facet_rim(const SticView* view, const SticBlockShape* shape)
{
    return shape->node && view->facets > 0 ? RIM * shape->shape->radius : 0.0;
}

bool stic_facet_opposes(const SticNarrow* narrow, const SticBlockShape* shape, SticVec3 n)
{
    double area;
    return narrow->view->facets == 0 || node_opposes(narrow, shape, n, &area);
}

bool stic_facet_beside(const SticNarrow* narrow, const SticBlockShape* shape, int32_t k,
                       SticVec3* point, SticVec3* normal)
{
    const SticView* view = narrow->view;
    const SticSoftBody* body = stic_soft_of(view, shape->body);
    const int32_t node = shape->part - body->part, at = body->around_at[node] + k;
    if (at >= body->around_at[node + 1])
        return false;
    const SticPose* pose = &narrow->pose[view->facet_shape + body->around[at]];
    const SticVec3 place = narrow->pose[shape - view->shape].origin;
    SticVec3 corner[3], middle = stic_vec3_zero();
    corners_at(&pose->F, pose->origin, corner);
    for (int c = 0; c < 3; ++c)
        middle = stic_vec3_add_scaled(middle, 1.0 / 3.0, corner[c]);
    *point = stic_vec3_lerp(place, middle, 0.1);
    *normal = normal_of(narrow, body->around[at]);
    return true;
}

// Whether a facet beside this one takes a point with these shares of the corners, or a node does: a
// ball touches nodes themselves, along the line to its centre and not along the normal of one of
// the facets around them, which would push it sideways
static bool is_taken(const Search* s, const double share[3], bool ball)
{
    const int32_t own = (int32_t)(s->facet - s->narrow->view->facet);
    int on = 0, corner = 0;
    for (int k = 0; k < 3; ++k) {
        if (share[k] > BORDER)
            corner = k;
        else
            ++on;
    }
    if (on == 2)
        return s->facet->lowest[corner] < own || (ball && (corner < 2 || s->facet->node[3] < 0));
    for (int k = 0; k < 3; ++k) {
        // corner k is across from the edge behind it
        const int edge = following(k, 3), beside = s->facet->beside[edge];
        if (share[k] <= BORDER && beside >= 0 && beside < own && !s->facet->ridge[edge])
            return true;
    }
    return false;
}

// shares of the corners at the foot of a point; false if it lies outside
static bool find_foot(const Search* s, SticVec3 d, double share[3])
{
    const SticVec3 a = stic_vec3_sub(s->corner[1], s->corner[0]),
                   b = stic_vec3_sub(s->corner[2], s->corner[0]);
    const double twice = stic_vec3_dot(stic_vec3_cross(a, b), s->normal);
    share[1] = stic_vec3_dot(stic_vec3_cross(d, b), s->normal) / twice;
    share[2] = stic_vec3_dot(stic_vec3_cross(a, d), s->normal) / twice;
    share[0] = 1.0 - share[1] - share[2];
    return share[0] >= -OUTSIDE && share[1] >= -OUTSIDE && share[2] >= -OUTSIDE;
}

// a point, or the centre of a ball, in the frame of the shape that it belongs to
static SticStatus touch_point(Search* s, SticVec3 local, double radius, double area)
{
    const SticVec3 place = stic_pose_apply(&s->narrow->pose[s->pair.low], local);
    const SticVec3 d = stic_vec3_sub(place, s->corner[0]);
    const double height = stic_vec3_dot(d, s->normal), gap = height - radius;
    const uint64_t number = s->number++;
    double share[3];
    if (gap > s->reach || height < -s->facet->depth || !find_foot(s, d, share) ||
        is_taken(s, share, radius > 0.0))
        return STIC_OK;
    SticLane* lane = s->lane;
    STIC_TRY(STIC_RESERVE(&s->narrow->view->context, &lane->facing, &lane->facing_capacity,
                          (size_t)s->count + 1));
    SticContact* contact = &lane->facing[s->count++];
    *contact = (SticContact){.feature = (uint64_t)STIC_CONTACT_PLANE << 60 | number,
                             .gap = gap,
                             .normal = s->normal,
                             .point = stic_vec3_add_scaled(place, -radius, s->normal),
                             .area = area,
                             .exit = DBL_MAX,
                             .kernel = STIC_CONTACT_PLANE};
    stic_vec3_store(local, contact->local);
    stic_vec3_store(stic_vec3(share[1], share[2], 0.0), contact->local + 3);
    stic_vec3_store(stic_vec3(0.0, 0.0, 1.0), contact->local + 6);
    contact->local[9] = radius;
    return STIC_OK;
}

// whether a corner of a polyhedron has a face that looks against the facet
static bool corner_opposes(const Search* s, const SticPolyhedron* p, const SticPose* inside,
                           int32_t vertex)
{
    const SticPose pose = stic_pose_compose(&s->narrow->pose[s->pair.low], inside);
    const SticMat3 turn = stic_mat3_cofactor(pose.F);
    for (int32_t f = 0; f < p->face_count; ++f) {
        bool has = false;
        for (int32_t c = p->face_begin[f]; c < p->face_begin[f + 1]; ++c)
            has = has || p->face_vertex[c] == vertex;
        const SticVec3 n = stic_vec3_normalize(stic_mat3_mul_vec(turn, p->plane[f].normal));
        if (has && stic_vec3_dot(n, s->normal) < OPPOSED)
            return true;
    }
    return false;
}

// the points of a convex shape at a place in the frame of the whole
static SticStatus touch_convex(Search* s, const SticShape* shape, const SticPose* inside)
{
    const SticPolyhedron* p = stic_shape_polyhedron(shape);
    for (int32_t v = 0; p != NULL && v < p->vertex_count; ++v) {
        if (corner_opposes(s, p, inside, v))
            STIC_TRY(touch_point(s, stic_pose_apply(inside, p->vertex[v]), 0.0, 0.0));
        else
            ++s->number;
    }
    if (shape->kind == STIC_SHAPE_SPHERE)
        return touch_point(s, inside->origin, shape->as.sphere.radius, 0.0);
    for (int end = 0; shape->kind == STIC_SHAPE_CAPSULE && end < 2; ++end) {
        const double z = end == 0 ? -shape->as.capsule.half_length : shape->as.capsule.half_length;
        STIC_TRY(touch_point(s, stic_pose_apply(inside, stic_vec3(0.0, 0.0, z)),
                             shape->as.capsule.radius, 0.0));
    }
    return STIC_OK;
}

// a node of another elastic body; the coarser one leaves to the finer one where both have a node
static SticStatus touch_node(Search* s, const SticBlockShape* shape)
{
    double area, share[3];
    if (!node_opposes(s->narrow, shape, s->normal, &area))
        return STIC_OK;
    const SticVec3 place = s->narrow->pose[s->pair.low].origin;
    const SticSoftBody* own = stic_soft_of(s->narrow->view, shape->body);
    if (!is_finer(own, s->facet->body) && find_foot(s, stic_vec3_sub(place, s->corner[0]), share)) {
        for (int k = 0; k < (s->facet->node[3] >= 0 ? 2 : 3); ++k)
            if (share[k] >= 1.0 - BORDER)
                return STIC_OK;
    }
    return touch_point(s, stic_vec3_zero(), 0.0, area);
}

SticStatus stic_facet_touch(const SticNarrow* narrow, SticLane* lane, SticBoxPair pair,
                            double reach, int32_t* count)
{
    const SticBlockShape *first = &narrow->view->shape[pair.low],
                         *second = &narrow->view->shape[pair.high];
    const SticPose none = stic_pose_identity();
    Search s = {.narrow = narrow,
                .lane = lane,
                .pair = pair,
                .facet = second->facet,
                .reach = reach,
                .normal = normal_of(narrow, (int32_t)(second->facet - narrow->view->facet))};
    corners_at(&narrow->pose[pair.high].F, narrow->pose[pair.high].origin, s.corner);
    SticStatus status = STIC_OK;
    if (first->node) {
        status = touch_node(&s, first);
    } else if (first->shape->kind == STIC_SHAPE_COMPOUND) {
        const SticCompound* compound = &first->shape->as.compound;
        for (int32_t e = 0; status == STIC_OK && e < compound->count; ++e)
            status = touch_convex(&s, compound->element[e].shape, &compound->element[e].pose);
    } else {
        status = touch_convex(&s, first->shape, &none);
    }
    *count = s.count;
    return status;
}
