// SPDX-License-Identifier: Apache-2.0
// What is wrong with the faces of a mesh: open edges, edges of more than two faces, flipped faces.
//
// Faces that share an edge run along it in opposite directions if both are seen counter-clockwise
// from outside. From a first face of each connected part a walk over edges of exactly two faces
// tells which of the others run like it (side 0) and which do not (side 1). In a closed part the
// faces of the side with a negative volume are the flipped ones (divergence theorem); an open part
// has no inside, and the smaller side is taken. Cost O(n) after sorting the edges, workspace about
// 60 bytes per half-edge.
#include "shape/build.h"

#include <stdio.h>
#include <string.h>

#include "stiction/extend/shape.h"

typedef struct Walk {
    const SticFaces* faces;
    const int32_t* face_of; // [half-edges]
    const int32_t* twin;    // [half-edges] the only other half-edge of the edge; -1: none, or many
    int8_t* side;           // [faces] -1: not met
    int32_t* queue;         // [faces]
} Walk;

// one connected part
typedef struct Part {
    int32_t count[2]; // faces by side
    double volume;    // of the faces, those of side 1 turned, times 6
    bool open;
} Part;

// six times the volume of the cone from the first vertex of the part to a face
static double cone(const SticFaces* faces, int32_t f, SticVec3 tip)
{
    const int32_t begin = stic_face_begin(faces, f), end = stic_face_begin(faces, f + 1);
    const SticVec3 a = stic_vec3_sub(faces->vertex[faces->corner[begin]], tip);
    double sum = 0.0;
    for (int32_t k = begin + 1; k + 1 < end; ++k) {
        const SticVec3 b = stic_vec3_sub(faces->vertex[faces->corner[k]], tip);
        const SticVec3 c = stic_vec3_sub(faces->vertex[faces->corner[k + 1]], tip);
        sum += stic_vec3_dot(a, stic_vec3_cross(b, c));
    }
    return sum;
}

static Part walk_part(Walk* w, int32_t first)
{
    const SticFaces* faces = w->faces;
    const SticVec3 tip = faces->vertex[faces->corner[stic_face_begin(faces, first)]];
    Part part = {0};
    int32_t used = 0;
    w->side[first] = 0;
    w->queue[used++] = first;
    for (int32_t i = 0; i < used; ++i) {
        const int32_t f = w->queue[i];
        part.count[w->side[f]] += 1;
        part.volume += (w->side[f] == 0 ? 1.0 : -1.0) * cone(faces, f, tip);
        for (int32_t k = stic_face_begin(faces, f); k < stic_face_begin(faces, f + 1); ++k) {
            const int32_t other = w->twin[k];
            part.open = part.open || other < 0;
            if (other < 0 || w->side[w->face_of[other]] >= 0)
                continue;
            // the same start: both run the same way along the edge
            const bool turned = faces->corner[k] == faces->corner[other];
            w->side[w->face_of[other]] = (int8_t)(turned ? 1 - w->side[f] : w->side[f]);
            w->queue[used++] = w->face_of[other];
        }
    }
    return part;
}

static int32_t flipped_of(const Part* part)
{
    const int32_t* n = part->count;
    if (part->open)
        return n[0] < n[1] ? n[0] : n[1];
    return part->volume < 0.0 ? n[0] : n[1];
}

// twins among edges of two faces, whichever way they run, and the count of the other edges
static SticStatus pair(SticArena* work, const SticFaces* faces, int32_t* twin, SticMeshFlaws* flaws)
{
    uint64_t* key;
    int32_t* half_edge;
    const int32_t sides = stic_face_begin(faces, faces->count);
    STIC_TRY(stic_faces_sort_edges(work, faces, &key, &half_edge));
    for (int32_t i = 0, end = 0; i < sides; i = end) {
        for (end = i + 1; end < sides && key[end] == key[i]; ++end) {
        }
        for (int32_t j = i; j < end; ++j)
            twin[half_edge[j]] = end - i == 2 ? half_edge[j == i ? i + 1 : i] : -1;
        flaws->open_edges += end - i == 1;
        flaws->crowded_edges += end - i > 2;
    }
    return STIC_OK;
}

static SticStatus find(SticArena* work, const SticFaces* faces, SticMeshFlaws* flaws)
{
    const int32_t sides = stic_face_begin(faces, faces->count);
    int32_t *twin, *face_of;
    Walk walk = {.faces = faces};
    STIC_TRY(STIC_TAKE(work, &twin, sides));
    STIC_TRY(STIC_TAKE(work, &face_of, sides));
    STIC_TRY(STIC_TAKE(work, &walk.side, faces->count));
    STIC_TRY(STIC_TAKE(work, &walk.queue, faces->count));
    STIC_TRY(pair(work, faces, twin, flaws));
    memset(walk.side, -1, (size_t)faces->count);
    for (int32_t f = 0; f < faces->count; ++f)
        for (int32_t k = stic_face_begin(faces, f); k < stic_face_begin(faces, f + 1); ++k)
            face_of[k] = f;
    walk.twin = twin;
    walk.face_of = face_of;
    bool alike = flaws->open_edges == 0 && flaws->crowded_edges == 0;
    double volume = 0.0;
    for (int32_t f = 0; f < faces->count; ++f) {
        if (walk.side[f] >= 0)
            continue;
        const Part part = walk_part(&walk, f);
        flaws->flipped_faces += flipped_of(&part);
        alike = alike && (part.count[0] == 0 || part.count[1] == 0);
        volume += part.volume;
    }
    // closed parts that are inside out are holes in the others
    if (alike && volume > 0.0)
        flaws->flipped_faces = 0;
    return STIC_OK;
}

SticStatus stic_mesh_flaws(const SticContext* context, const SticMeshDef* def, SticMeshFlaws* flaws)
{
    STIC_ASSERT(def != NULL);
    STIC_ASSERT(flaws != NULL);
    SticArena* work = NULL;
    *flaws = (SticMeshFlaws){.faces = def->face_count};
    STIC_TRY(stic_arena_create(context, 0, &work));
    const SticFaces faces = {.vertex = def->vertex,
                             .vertex_count = def->vertex_count,
                             .begin = def->face_begin,
                             .corner = def->face_vertex,
                             .count = def->face_count};
    const SticStatus status = find(work, &faces, flaws);
    stic_arena_destroy(work);
    return status;
}

void stic_mesh_flaws_text(const SticMeshFlaws* flaws, char* text, size_t size)
{
    STIC_ASSERT(flaws != NULL);
    STIC_ASSERT(text != NULL && size > 0);
    const int open = flaws->open_edges, crowded = flaws->crowded_edges,
              flipped = flaws->flipped_faces, all = flaws->faces;
    char first[96] = "", second[96] = "", third[128] = "";
    if (open > 0)
        snprintf(first, sizeof first, "it is open: %d %s to one face only", open,
                 open == 1 ? "edge belongs" : "edges belong");
    if (crowded > 0)
        snprintf(second, sizeof second, "%d %s to more than two faces", crowded,
                 crowded == 1 ? "edge belongs" : "edges belong");
    if (flipped > 0 && flipped == all)
        snprintf(third, sizeof third,
                 "it is inside out: all %d faces run clockwise seen from outside", all);
    else if (flipped > 0)
        snprintf(third, sizeof third, "%d of its %d faces %s flipped, %s", flipped, all,
                 flipped == 1 ? "is" : "are",
                 open + crowded > 0 ? "against most of their neighbours"
                                    : "clockwise seen from outside");
    snprintf(text, size, "%s%s%s%s%s", first, open > 0 && crowded > 0 ? "; " : "", second,
             open + crowded > 0 && flipped > 0 ? "; " : "", third);
}
