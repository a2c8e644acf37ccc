// SPDX-License-Identifier: Apache-2.0
// Splitting of polygons into triangles.
//
// A quadrilateral is cut along the diagonal that leaves both halves facing the same way, the
// shorter one if both do. Larger polygons lose ears, one corner after the other around the polygon:
// an ear is a convex corner whose triangle holds no other corner (Meisters 1975: there are always
// two). All tests are made along the mean normal of the polygon, so it need not be plane. Cost:
// O(n^2) for convex polygons, O(n^3) at worst.
#include "shape/build.h"

static SticVec3 area_of(const SticVec3* v, int32_t i, int32_t j, int32_t k)
{
    return stic_vec3_cross(stic_vec3_sub(v[j], v[i]), stic_vec3_sub(v[k], v[i]));
}

// true if the diagonal from corner 0 to corner 2 is the better one
static bool cut_first_diagonal(const SticVec3* v, const int32_t* q)
{
    const double first = stic_vec3_dot(area_of(v, q[0], q[1], q[2]), area_of(v, q[0], q[2], q[3]));
    const double second = stic_vec3_dot(area_of(v, q[0], q[1], q[3]), area_of(v, q[1], q[2], q[3]));
    if ((first > 0.0) != (second > 0.0))
        return first > 0.0;
    return stic_vec3_distance(v[q[0]], v[q[2]]) <= stic_vec3_distance(v[q[1]], v[q[3]]);
}

static void set(int32_t triangle[3], int32_t i, int32_t j, int32_t k)
{
    triangle[0] = i;
    triangle[1] = j;
    triangle[2] = k;
}

static bool is_ear(const SticVec3* v, const int32_t* left, int32_t count, int32_t j, SticVec3 n)
{
    const int32_t i = left[(j + count - 1) % count], m = left[j], k = left[(j + 1) % count];
    if (!(stic_vec3_dot(n, area_of(v, i, m, k)) > 0.0))
        return false;
    for (int32_t c = 0; c < count; ++c) {
        const int32_t p = left[c];
        if (p == i || p == m || p == k)
            continue;
        if (stic_vec3_dot(n, area_of(v, i, m, p)) >= 0.0 &&
            stic_vec3_dot(n, area_of(v, m, k, p)) >= 0.0 &&
            stic_vec3_dot(n, area_of(v, k, i, p)) >= 0.0)
            return false;
    }
    return true;
}

bool stic_polygon_split(const SticVec3* vertex, const int32_t* corner, int32_t sides,
                        int32_t* scratch, int32_t (*triangle)[3])
{
    STIC_ASSERT(sides >= 3);
    if (sides == 3) {
        set(triangle[0], corner[0], corner[1], corner[2]);
        return true;
    }
    if (sides == 4) {
        const int first = cut_first_diagonal(vertex, corner) ? 0 : 1;
        set(triangle[0], corner[first], corner[first + 1], corner[first + 2]);
        set(triangle[1], corner[first], corner[first + 2], corner[(first + 3) % 4]);
        return true;
    }
    const SticFaces face = {
        .vertex = vertex, .begin = (const int32_t[2]){0, sides}, .corner = corner, .count = 1};
    const SticVec3 normal = stic_area_vector(&face, 0);
    int32_t count = sides, made = 0, at = 0, failed = 0;
    for (int32_t i = 0; i < sides; ++i)
        scratch[i] = corner[i];
    while (count > 3) {
        if (failed == count)
            return false;
        if (!is_ear(vertex, scratch, count, at, normal)) {
            at = (at + 1) % count;
            failed += 1;
            continue;
        }
        set(triangle[made++], scratch[(at + count - 1) % count], scratch[at],
            scratch[(at + 1) % count]);
        for (int32_t i = at; i + 1 < count; ++i)
            scratch[i] = scratch[i + 1];
        count -= 1;
        // look for the next ear one corner further on, to avoid a fan of slivers
        at = (at + 1) % count;
        failed = 0;
    }
    set(triangle[made], scratch[0], scratch[1], scratch[2]);
    return true;
}
