// SPDX-License-Identifier: Apache-2.0
// Convex hull of points by qhull (reentrant library; Barber, Dobkin & Huhdanpaa 1996).
//
// Points are moved to the middle of their box and scaled to unit size first, so that qhull's
// tolerances, which follow the largest coordinate, follow the size of the set. Only the topology is
// taken from qhull: planes are computed anew from the original points. If qhull gives up on a
// nearly degenerate set it is asked again with joggled points; its triangles are joined later up to
// our own tolerance.
#include "shape/build.h"

#include <libqhull_r/qhull_ra.h>
#include <stdio.h>

// Corners of one facet, counter-clockwise seen from outside; false if its ridges form no single
// loop. qhull has a function for this (qh_facet3vertex), but that reports errors by leaving the
// program.
static bool read_facet(const facetT* facet, int32_t sides, vertexT** loop)
{
    if (facet->simplicial) {
        vertexT** const vertex = SETaddr_(facet->vertices, vertexT);
        const bool turned = facet->toporient ^ qh_ORIENTclock;
        loop[0] = vertex[turned ? 2 : 0];
        loop[1] = vertex[1];
        loop[2] = vertex[turned ? 0 : 2];
        return sides == 3;
    }
    ridgeT** const ridges = SETaddr_(facet->ridges, ridgeT);
    vertexT* end = NULL;
    for (int32_t j = 0; j < sides; ++j) {
        // the ridge that starts where the last one ended; qhull runs clockwise
        int32_t i = 0;
        vertexT *from = NULL, *to = NULL;
        for (; i < sides; ++i) {
            vertexT** const pair = SETaddr_(ridges[i]->vertices, vertexT);
            const bool forward = (ridges[i]->top == facet) ^ qh_ORIENTclock;
            from = pair[forward ? 1 : 0];
            to = pair[forward ? 0 : 1];
            if (j == 0 || from == end)
                break;
        }
        if (i == sides)
            return false;
        loop[j] = from;
        end = to;
    }
    return end == loop[0];
}

static int32_t facet_sides(const facetT* facet)
{
    const setT* set = facet->simplicial ? facet->vertices : facet->ridges;
    int32_t count = 0;
    for (void* const* element = (void* const*)&set->e[0].p; *element != NULL; ++element)
        ++count;
    return count;
}

static SticStatus take_facets(SticArena* arena, qhT* qh, SticFaces* faces, int* code)
{
    const facetT* facet;
    int32_t count = 0, sides = 0, *begin, *corner;
    vertexT** loop;
    FORALLfacets
    {
        count += 1;
        sides += facet_sides(facet);
    }
    STIC_TRY(STIC_TAKE(arena, &begin, count + 1));
    STIC_TRY(STIC_TAKE(arena, &corner, sides));
    STIC_TRY(STIC_TAKE(arena, &loop, sides));
    begin[0] = 0;
    count = 0;
    FORALLfacets
    {
        const int32_t here = facet_sides(facet), at = begin[count];
        if (!read_facet(facet, here, loop))
            *code = qh_ERRtopology;
        for (int32_t j = 0; j < here && *code == qh_ERRnone; ++j)
            corner[at + j] = (int32_t)((loop[j]->point - qh->first_point) / 3);
        begin[++count] = at + here;
    }
    faces->begin = begin;
    faces->corner = corner;
    faces->count = count;
    return STIC_OK;
}

// one run; `code` is qhull's
static SticStatus run_qhull(const SticShapeWork* work, double* coordinate, const char* command,
                            SticFaces* faces, int* code)
{
    // qhull insists on a stream for its messages: give it one that leads nowhere
    char nowhere[64];
    FILE* messages = fmemopen(nowhere, sizeof nowhere, "w");
    qhT* qh = NULL;
    SticStatus status = messages == NULL ? STIC_OUT_OF_MEMORY : STIC_OK;
    if (status == STIC_OK)
        status = STIC_ALLOCATE(work->context, &qh, 1);
    if (status == STIC_OK) {
        char text[32];
        int longs, bytes;
        snprintf(text, sizeof text, "qhull %s", command);
        qh_zero(qh, messages);
        *code = qh_new_qhull(qh, 3, faces->vertex_count, coordinate, False, text, NULL, messages);
        if (*code == qh_ERRnone)
            status = take_facets(work->arena, qh, faces, code);
        qh_freeqhull(qh, !qh_ALL);
        qh_memfreeshort(qh, &longs, &bytes);
    }
    STIC_RELEASE(work->context, qh, 1);
    if (messages != NULL)
        fclose(messages);
    return status;
}

static SticStatus no_volume(const SticShapeWork* work, int32_t count)
{
    return stic_error_set(work->error, STIC_BAD_DATA,
                          "the %d points lie in a plane, on a line or at one place: their hull has "
                          "no volume",
                          count);
}

// coordinates in [-1, 1] about the middle of the box
static SticStatus unit_coordinates(const SticShapeWork* work, const SticVec3* point, int32_t count,
                                   double** coordinate)
{
    SticVec3 low = point[0], high = point[0];
    for (int32_t i = 1; i < count; ++i) {
        low = stic_vec3_min(low, point[i]);
        high = stic_vec3_max(high, point[i]);
    }
    const SticVec3 middle = stic_vec3_add(stic_vec3_scale(0.5, low), stic_vec3_scale(0.5, high));
    const double half = stic_vec3_norm_max(stic_vec3_sub(high, middle));
    if (half == 0.0)
        return no_volume(work, count);
    STIC_TRY(STIC_TAKE(work->arena, coordinate, 3 * (size_t)count));
    for (int32_t i = 0; i < count; ++i) {
        const SticVec3 x = stic_vec3_sub(point[i], middle);
        (*coordinate)[3 * i] = x.x / half;
        (*coordinate)[3 * i + 1] = x.y / half;
        (*coordinate)[3 * i + 2] = x.z / half;
    }
    return STIC_OK;
}

SticStatus stic_qhull_faces(const SticShapeWork* work, const SticVec3* point, int32_t count,
                            SticFaces* faces)
{
    STIC_ASSERT(count >= 0);
    if (count < 4)
        return stic_error_set(work->error, STIC_BAD_DATA,
                              "a polyhedron needs at least 4 points, not %d", count);
    double* coordinate = NULL;
    int code = qh_ERRnone;
    *faces = (SticFaces){.vertex = point, .vertex_count = count};
    STIC_TRY(unit_coordinates(work, point, count, &coordinate));
    STIC_TRY(run_qhull(work, coordinate, "Pp", faces, &code));
    if (code != qh_ERRnone && code != qh_ERRsingular && code != qh_ERRmem)
        STIC_TRY(run_qhull(work, coordinate, "QJ Pp", faces, &code));
    switch (code) {
    case qh_ERRnone:
        return STIC_OK;
    case qh_ERRmem:
        return STIC_OUT_OF_MEMORY;
    case qh_ERRsingular:
        return no_volume(work, count);
    default:
        return stic_error_set(work->error, STIC_BAD_DATA,
                              "no convex hull of the %d points could be computed (qhull error %d)",
                              count, code);
    }
}
