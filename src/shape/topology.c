// SPDX-License-Identifier: Apache-2.0
// Half-edges of polygons: who lies across an edge, and which faces form one plane.
//
// Half-edge k is one side of one face; it runs from corner[k] to the next corner of the face. Its
// twin runs the other way in the neighbouring face.
//
// Joining coplanar faces: faces are taken by falling area. From each a region grows over its
// neighbours; a neighbour joins if it faces the same way and its corners lie within half the given
// distance of the mean plane of the region so far (the area vectors of polygons that share edges
// add up to that of their union, so the plane is updated in constant time). Faces thinner than a
// quarter of the distance have no usable normal and join whatever they touch. A finished region is
// kept if all its corners lie within the distance of its final plane and its border is one simple
// loop, else it falls apart again. Corners left with two edges on one line are dropped. Cost: O(n)
// after sorting by area. Workspace: about 100 bytes per half-edge.
#include "shape/build.h"

#include <string.h>

SticStatus stic_faces_sort_edges(SticArena* work, const SticFaces* faces, uint64_t** key,
                                 int32_t** half_edge)
{
    const int32_t sides = stic_face_begin(faces, faces->count);
    uint64_t* key_scratch;
    int32_t* value_scratch;
    STIC_TRY(STIC_TAKE(work, key, sides));
    STIC_TRY(STIC_TAKE(work, &key_scratch, sides));
    STIC_TRY(STIC_TAKE(work, half_edge, sides));
    STIC_TRY(STIC_TAKE(work, &value_scratch, sides));
    // half-edges of one edge get one key: lower vertex, higher vertex
    for (int32_t f = 0; f < faces->count; ++f)
        for (int32_t k = stic_face_begin(faces, f); k < stic_face_begin(faces, f + 1); ++k) {
            const uint32_t a = (uint32_t)faces->corner[k];
            const uint32_t b = (uint32_t)faces->corner[stic_face_next(faces, f, k)];
            (*key)[k] = (uint64_t)(a < b ? a : b) << 32 | (a < b ? b : a);
            (*half_edge)[k] = k;
        }
    stic_radix_sort_values(sides, *key, *half_edge, key_scratch, value_scratch);
    return STIC_OK;
}

SticStatus stic_faces_pair(SticArena* work, const SticFaces* faces, int32_t* face_of, int32_t* twin)
{
    const int32_t sides = stic_face_begin(faces, faces->count);
    const SticArenaMark mark = stic_arena_mark(work);
    uint64_t* key;
    int32_t* value;
    STIC_TRY(stic_faces_sort_edges(work, faces, &key, &value));
    for (int32_t f = 0; f < faces->count; ++f)
        for (int32_t k = stic_face_begin(faces, f); k < stic_face_begin(faces, f + 1); ++k)
            face_of[k] = f;
    for (int32_t i = 0, end = 0; i < sides; i = end) {
        for (end = i + 1; end < sides && key[end] == key[i]; ++end) {
        }
        const int32_t a = value[i], b = value[end - 1];
        if (end - i == 2 && faces->corner[a] != faces->corner[b]) {
            twin[a] = b;
            twin[b] = a;
            continue;
        }
        for (int32_t j = i; j < end; ++j)
            twin[value[j]] = end - i == 1 ? STIC_TWIN_NONE : STIC_TWIN_MANY;
    }
    stic_arena_rewind(work, mark);
    return STIC_OK;
}

typedef struct Merger {
    const SticFaces* faces;
    const int32_t* face_of; // of half-edges
    const int32_t* twin;
    double distance;
    SticVec3* area;       // [faces] twice the area times the normal
    bool* thin;           // [faces] no usable normal
    int32_t* region;      // [faces] region, -1: none yet
    int32_t* queue;       // [faces] faces of the growing region
    int32_t* stamp;       // [vertices] last region whose border met the vertex
    int32_t *next, *prev; // [half-edges] along borders of regions; next -1: inside a region
    int32_t* sides;       // [faces] half-edges on the border, per region
} Merger;

// a plane that is the mean over faces
typedef struct MeanPlane {
    SticVec3 area;   // sum of area vectors
    SticVec3 moment; // sum of area times middle of corners
    double weight;
    SticVec3 normal;
    double offset;
} MeanPlane;

static void mean_plane_add(const Merger* m, int32_t f, MeanPlane* plane)
{
    const SticFaces* faces = m->faces;
    const int32_t begin = stic_face_begin(faces, f), end = stic_face_begin(faces, f + 1);
    SticVec3 middle = stic_vec3_zero();
    for (int32_t k = begin; k < end; ++k)
        middle = stic_vec3_add(middle, faces->vertex[faces->corner[k]]);
    const double weight = stic_vec3_norm(m->area[f]);
    plane->area = stic_vec3_add(plane->area, m->area[f]);
    plane->moment = stic_vec3_add_scaled(plane->moment, weight / (end - begin), middle);
    plane->weight += weight;
    plane->normal = stic_vec3_normalize(plane->area);
    plane->offset =
        plane->weight > 0.0 ? stic_vec3_dot(plane->normal, plane->moment) / plane->weight : 0.0;
}

static bool face_within(const Merger* m, int32_t f, const MeanPlane* plane, double distance)
{
    const SticFaces* faces = m->faces;
    for (int32_t k = stic_face_begin(faces, f); k < stic_face_begin(faces, f + 1); ++k) {
        const SticVec3 v = faces->vertex[faces->corner[k]];
        if (!(fabs(stic_vec3_dot(plane->normal, v) - plane->offset) <= distance))
            return false;
    }
    return true;
}

static int32_t grow_region(Merger* m, int32_t seed, MeanPlane* plane)
{
    int32_t count = 0;
    *plane = (MeanPlane){.weight = 0.0};
    mean_plane_add(m, seed, plane);
    m->region[seed] = seed;
    m->queue[count++] = seed;
    for (int32_t i = 0; i < count; ++i) {
        const int32_t f = m->queue[i];
        for (int32_t k = stic_face_begin(m->faces, f); k < stic_face_begin(m->faces, f + 1); ++k) {
            const int32_t g = m->face_of[m->twin[k]];
            if (m->region[g] >= 0 ||
                !(m->thin[g] || stic_vec3_dot(m->area[g], plane->normal) > 0.0) ||
                !face_within(m, g, plane, 0.5 * m->distance))
                continue;
            m->region[g] = seed;
            m->queue[count++] = g;
            mean_plane_add(m, g, plane);
        }
    }
    return count;
}

// next half-edge along the border of a region: turn about the end of k until a neighbour is outside
static int32_t border_next(const Merger* m, int32_t k)
{
    const int32_t region = m->region[m->face_of[k]];
    int32_t next = stic_face_next(m->faces, m->face_of[k], k);
    while (m->region[m->face_of[m->twin[next]]] == region) {
        const int32_t across = m->twin[next];
        next = stic_face_next(m->faces, m->face_of[across], across);
    }
    return next;
}

static bool is_border(const Merger* m, int32_t k)
{
    return m->region[m->face_of[k]] != m->region[m->face_of[m->twin[k]]];
}

// true if the border of the faces in the queue is one loop that meets no vertex twice
static bool region_is_simple(const Merger* m, int32_t count)
{
    int32_t borders = 0, start = -1;
    for (int32_t i = 0; i < count; ++i) {
        const int32_t f = m->queue[i];
        for (int32_t k = stic_face_begin(m->faces, f); k < stic_face_begin(m->faces, f + 1); ++k)
            if (is_border(m, k)) {
                borders += 1;
                start = k;
            }
    }
    if (borders < 3)
        return false;
    const int32_t region = m->region[m->queue[0]];
    int32_t met = 0, k = start;
    do {
        if (m->stamp[m->faces->corner[k]] == region)
            return false;
        m->stamp[m->faces->corner[k]] = region;
        met += 1;
        k = border_next(m, k);
    } while (k != start);
    return met == borders;
}

static void find_region(Merger* m, int32_t seed)
{
    MeanPlane plane;
    const int32_t count = grow_region(m, seed, &plane);
    if (count == 1)
        return;
    bool good = region_is_simple(m, count);
    for (int32_t i = 0; i < count && good; ++i)
        good = face_within(m, m->queue[i], &plane, m->distance);
    for (int32_t i = 1; i < count && !good; ++i)
        m->region[m->queue[i]] = -1;
}

// longest side of a face
static double face_length(const SticFaces* faces, int32_t f)
{
    double length = 0.0;
    for (int32_t k = stic_face_begin(faces, f); k < stic_face_begin(faces, f + 1); ++k) {
        const double side =
            stic_vec3_distance(faces->vertex[faces->corner[k]],
                               faces->vertex[faces->corner[stic_face_next(faces, f, k)]]);
        length = side > length ? side : length;
    }
    return length;
}

static SticStatus find_regions(SticArena* work, Merger* m)
{
    const int32_t count = m->faces->count;
    uint64_t *key, *key_scratch;
    int32_t *order, *order_scratch;
    STIC_TRY(STIC_TAKE(work, &key, count));
    STIC_TRY(STIC_TAKE(work, &key_scratch, count));
    STIC_TRY(STIC_TAKE(work, &order, count));
    STIC_TRY(STIC_TAKE(work, &order_scratch, count));
    for (int32_t f = 0; f < count; ++f) {
        m->area[f] = stic_area_vector(m->faces, f);
        m->region[f] = -1;
        order[f] = f;
        // bits of positive numbers are ordered like the numbers; complement for falling order
        const double twice_area = stic_vec3_norm(m->area[f]);
        memcpy(&key[f], &twice_area, sizeof twice_area);
        key[f] = ~key[f];
        m->thin[f] = !(twice_area > 0.25 * m->distance * face_length(m->faces, f));
    }
    stic_radix_sort_values(count, key, order, key_scratch, order_scratch);
    for (int32_t v = 0; v < m->faces->vertex_count; ++v)
        m->stamp[v] = -1;
    for (int32_t i = 0; i < count; ++i)
        if (m->region[order[i]] < 0)
            find_region(m, order[i]);
    return STIC_OK;
}

static void link_borders(Merger* m)
{
    const int32_t half_edges = stic_face_begin(m->faces, m->faces->count);
    for (int32_t k = 0; k < half_edges; ++k)
        m->next[k] = -1;
    for (int32_t f = 0; f < m->faces->count; ++f)
        m->sides[f] = 0;
    for (int32_t k = 0; k < half_edges; ++k) {
        if (!is_border(m, k))
            continue;
        m->next[k] = border_next(m, k);
        m->prev[m->next[k]] = k;
        m->sides[m->region[m->face_of[k]]] += 1;
    }
}

// distance of a point from the line through two others
static double line_distance(SticVec3 v, SticVec3 a, SticVec3 b)
{
    const SticVec3 along = stic_vec3_normalize(stic_vec3_sub(b, a));
    return stic_vec3_norm(stic_vec3_cross(along, stic_vec3_sub(v, a)));
}

// drop vertices between two collinear edges; out[v] is any border half-edge from v, degree their
// number
static void drop_straight(Merger* m, const int32_t* out, const int32_t* degree, int32_t* twin)
{
    const SticFaces* faces = m->faces;
    for (int32_t v = 0; v < faces->vertex_count; ++v) {
        if (degree[v] != 2)
            continue;
        //   face A:  a --p--> v --h--> b        face B:  b --q--> v --g--> a
        const int32_t h = out[v], p = m->prev[h], q = twin[h], g = m->next[q];
        const int32_t a = faces->corner[p], b = faces->corner[q];
        int32_t* const sides_a = &m->sides[m->region[m->face_of[h]]];
        int32_t* const sides_b = &m->sides[m->region[m->face_of[q]]];
        if (*sides_a < 4 || *sides_b < 4 ||
            line_distance(faces->vertex[v], faces->vertex[a], faces->vertex[b]) > m->distance)
            continue;
        m->next[p] = m->next[h];
        m->prev[m->next[h]] = p;
        m->next[q] = m->next[g];
        m->prev[m->next[g]] = q;
        twin[p] = q;
        twin[q] = p;
        m->next[h] = m->next[g] = -1;
        *sides_a -= 1;
        *sides_b -= 1;
    }
}

static SticStatus straighten(SticArena* work, Merger* m)
{
    const SticFaces* faces = m->faces;
    const int32_t half_edges = stic_face_begin(faces, faces->count);
    int32_t *out, *degree, *twin;
    STIC_TRY(STIC_TAKE(work, &out, faces->vertex_count));
    STIC_TRY(STIC_TAKE(work, &degree, faces->vertex_count));
    STIC_TRY(STIC_TAKE(work, &twin, half_edges));
    memset(degree, 0, (size_t)faces->vertex_count * sizeof *degree);
    // twins along borders are the same half-edges as in the faces
    for (int32_t k = 0; k < half_edges; ++k) {
        twin[k] = m->twin[k];
        if (m->next[k] < 0)
            continue;
        out[faces->corner[k]] = k;
        degree[faces->corner[k]] += 1;
    }
    drop_straight(m, out, degree, twin);
    return STIC_OK;
}

static SticStatus collect(SticArena* work, Merger* m, SticMergedFaces* merged)
{
    const int32_t half_edges = stic_face_begin(m->faces, m->faces->count);
    STIC_TRY(STIC_TAKE(work, &merged->begin, m->faces->count + 1));
    STIC_TRY(STIC_TAKE(work, &merged->corner, half_edges));
    STIC_TRY(STIC_TAKE(work, &merged->first, m->faces->count));
    merged->count = 0;
    merged->begin[0] = 0;
    for (int32_t k = 0; k < half_edges; ++k) {
        if (m->next[k] < 0)
            continue;
        const int32_t face = merged->count++;
        int32_t at = merged->begin[face];
        merged->first[face] = m->face_of[k];
        // walk the loop once, unlinking it
        for (int32_t walk = k; walk >= 0;) {
            const int32_t next = m->next[walk];
            merged->corner[at++] = m->faces->corner[walk];
            m->next[walk] = -1;
            walk = next;
            if (m->next[walk] < 0)
                break;
        }
        merged->begin[face + 1] = at;
    }
    return STIC_OK;
}

SticStatus stic_faces_merge(SticArena* work, const SticFaces* faces, const int32_t* face_of,
                            const int32_t* twin, double distance, SticMergedFaces* merged)
{
    const int32_t half_edges = stic_face_begin(faces, faces->count);
    Merger m = {.faces = faces, .face_of = face_of, .twin = twin, .distance = distance};
    STIC_TRY(STIC_TAKE(work, &m.area, faces->count));
    STIC_TRY(STIC_TAKE(work, &m.thin, faces->count));
    STIC_TRY(STIC_TAKE(work, &m.region, faces->count));
    STIC_TRY(STIC_TAKE(work, &m.queue, faces->count));
    STIC_TRY(STIC_TAKE(work, &m.sides, faces->count));
    STIC_TRY(STIC_TAKE(work, &m.stamp, faces->vertex_count));
    STIC_TRY(STIC_TAKE(work, &m.next, half_edges));
    STIC_TRY(STIC_TAKE(work, &m.prev, half_edges));
    STIC_TRY(find_regions(work, &m));
    link_borders(&m);
    STIC_TRY(straighten(work, &m));
    return collect(work, &m, merged);
}
