// SPDX-License-Identifier: Apache-2.0
// Wavefront OBJ files: vertices and polygons; everything about looks is skipped.
//
// A statement is a line; a backslash at its end continues it. Indices count from 1, negative ones
// back from the last vertex so far. Weights and colours behind the coordinates are skipped.
#include <string.h>

#include "file/mesh_data.h"

#include "stiction/extend/base.h"
#include "stiction/extend/vec3.h"

// statements without geometry that matters here
static const char* const skipped[] = {
    "vt",        "vn",     "vp",     "g",    "o",     "s",        "mg",       "usemtl",
    "mtllib",    "usemap", "maplib", "lod",  "bevel", "c_interp", "d_interp", "shadow_obj",
    "trace_obj", "l",      "p",      "call", "csh",   NULL};
// free-form geometry: leaving it out would lose part of the body
static const char* const refused[] = {"cstype", "deg",  "bmat", "step", "curv",
                                      "curv2",  "surf", "parm", "trim", "hole",
                                      "scrv",   "sp",   "end",  "con",  NULL};

typedef struct Reader {
    SticScan scan;
    SticMeshData* mesh;
    int32_t group;
    int32_t* corner; // of the polygon being read
    size_t capacity;
} Reader;

static bool is_end(char c)
{
    return c == '\n' || c == '\0' || c == '#';
}

// to the next word of the statement; false at its end
static bool next_word(SticScan* scan)
{
    for (;;) {
        while (scan->at < scan->end && (*scan->at == ' ' || *scan->at == '\t' || *scan->at == '\r'))
            scan->at += 1;
        const char* c = scan->at;
        if (*c != '\\' || !(c[1] == '\n' || (c[1] == '\r' && c[2] == '\n')))
            return scan->at < scan->end && !is_end(*c);
        scan->at = c + (c[1] == '\n' ? 2 : 3);
        scan->line += 1;
        scan->line_start = scan->at;
    }
}

static size_t word_length(const SticScan* scan)
{
    const char* c = scan->at;
    while (c<scan->end&& * c> ' ' && !(*c == '\\' && (c[1] == '\n' || c[1] == '\r')))
        ++c;
    return (size_t)(c - scan->at);
}

static bool is_word(const SticScan* scan, size_t length, const char* word)
{
    return strlen(word) == length && memcmp(scan->at, word, length) == 0;
}

static bool is_one_of(const SticScan* scan, size_t length, const char* const* words)
{
    for (; *words != NULL; ++words)
        if (is_word(scan, length, *words))
            return true;
    return false;
}

static SticStatus parse_vertex(Reader* r)
{
    double x[3];
    for (int i = 0; i < 3; ++i) {
        if (!next_word(&r->scan))
            return stic_scan_fail(&r->scan, STIC_BAD_FILE, "a vertex has 3 coordinates");
        STIC_TRY(stic_scan_real(&r->scan, "a coordinate", &x[i]));
    }
    return stic_mesh_data_add_vertex(r->mesh, stic_vec3_load(x));
}

// one corner: vertex, optionally /texture/normal
static SticStatus parse_corner(Reader* r, int32_t* corner)
{
    SticScan* scan = &r->scan;
    const int32_t count = r->mesh->vertex_count;
    int32_t index;
    STIC_TRY(stic_scan_integer(scan, "the index of a vertex", -count, count, &index));
    if (index == 0)
        return stic_scan_fail(scan, STIC_BAD_FILE, "vertices are counted from 1 or from -1");
    if (*scan->at > ' ' && *scan->at != '/' && *scan->at != '\\')
        return stic_scan_fail(scan, STIC_BAD_FILE, "'%c' stands behind the index of a vertex",
                              *scan->at);
    scan->at += word_length(scan);
    *corner = index > 0 ? index - 1 : count + index;
    return STIC_OK;
}

static SticStatus parse_face(Reader* r)
{
    int32_t sides = 0;
    while (next_word(&r->scan)) {
        STIC_TRY(STIC_RESERVE(&r->mesh->context, &r->corner, &r->capacity, (size_t)sides + 1));
        STIC_TRY(parse_corner(r, &r->corner[sides]));
        sides += 1;
    }
    if (sides < 3)
        return stic_scan_fail(&r->scan, STIC_BAD_FILE, "a face has at least 3 vertices, not %d",
                              sides);
    return stic_mesh_data_add_face(r->mesh, sides, r->corner, r->group);
}

static SticStatus parse_statement(Reader* r)
{
    SticScan* scan = &r->scan;
    const size_t length = word_length(scan);
    if (is_word(scan, length, "v") || is_word(scan, length, "f")) {
        const bool face = *scan->at == 'f';
        scan->at += 1;
        STIC_TRY(face ? parse_face(r) : parse_vertex(r));
    } else if (is_one_of(scan, length, refused)) {
        return stic_scan_fail(scan, STIC_UNSUPPORTED,
                              "free-form curves and surfaces (%.*s) are not read", (int)length,
                              scan->at);
    } else if (!is_one_of(scan, length, skipped)) {
        return stic_scan_fail(scan, STIC_BAD_FILE, "unknown statement '%.*s'",
                              length > 24 ? 24 : (int)length, scan->at);
    } else if (length == 1 && (*scan->at == 'g' || *scan->at == 'o')) {
        r->group += 1;
    }
    // the rest of the statement
    while (next_word(scan))
        scan->at += word_length(scan) > 0 ? word_length(scan) : 1;
    return STIC_OK;
}

SticStatus stic_obj_parse(const SticMeshSource* source, SticMeshData* mesh, SticError* error)
{
    Reader r = {.scan = stic_scan_begin(source->bytes, source->size, source->name, error),
                .mesh = mesh};
    SticStatus status = STIC_OK;
    while (status == STIC_OK && !stic_scan_at_end(&r.scan)) {
        const char* rest;
        size_t length;
        if (*r.scan.at != '#')
            status = parse_statement(&r);
        if (status == STIC_OK)
            stic_scan_line(&r.scan, &rest, &length);
    }
    STIC_RELEASE(&mesh->context, r.corner, r.capacity);
    if (status == STIC_OK && mesh->face_count == 0)
        return stic_error_set_at(error, STIC_BAD_FILE, source->name, 0, 0, "the file has no face");
    return status;
}
