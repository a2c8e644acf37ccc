// SPDX-License-Identifier: Apache-2.0
// Files of a scene: meshes and tables, found only in the scene's own folder and below it.
//
// A path is taken apart and opened folder by folder without following links, so that neither "..",
// nor an absolute path, nor a symbolic link leads outside.
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "file/mesh.h"
#include "file/system.h"
#include "scene/scene.h"

enum { LONGEST_PART = 255, PIECE = 1 << 16 };
#define LARGEST_FILE ((size_t)1 << 30)

// one part of a path; false if it cannot be one that stays inside
static bool next_part(const char** path, char part[LONGEST_PART + 1])
{
    const size_t length = strcspn(*path, "/");
    if (length == 0 || length > LONGEST_PART)
        return false;
    memcpy(part, *path, length);
    part[length] = '\0';
    *path += length;
    return strcmp(part, "..") != 0 && strcmp(part, ".") != 0;
}

static SticStatus open_inside(int folder, const char* path, int* file, SticError* error)
{
    char part[LONGEST_PART + 1];
    const char* rest = path;
    int at = folder;
    *file = -1;
    for (;;) {
        const bool good = next_part(&rest, part);
        const bool last = *rest == '\0';
        if (good && (last || *rest == '/')) {
            const int flags =
                O_RDONLY | O_NOFOLLOW | O_CLOEXEC | (last ? O_NONBLOCK | O_NOCTTY : O_DIRECTORY);
            const int next = openat(at, part, flags);
            const int reason = errno;
            if (at != folder)
                close(at);
            if (next < 0)
                return reason == ELOOP || reason == ENOTDIR
                           ? stic_error_set_at(error, STIC_IO_FAILED, path, 0, 0,
                                               "is a link or lies behind one; scenes read plain "
                                               "files of their own folder")
                           : stic_file_system_fail(error, path, reason, "cannot be opened");
            at = next;
            if (last) {
                *file = at;
                return STIC_OK;
            }
            ++rest;
            continue;
        }
        if (at != folder)
            close(at);
        return stic_error_set_at(error, STIC_IO_FAILED, path, 0, 0,
                                 "leads out of the scene's folder; scenes read files of their own "
                                 "folder, by names without '..'");
    }
}

static SticStatus read_all(int file, const char* path, SticText* text, SticError* error)
{
    struct stat entry;
    if (fstat(file, &entry) != 0 || !S_ISREG(entry.st_mode))
        return stic_error_set_at(error, STIC_IO_FAILED, path, 0, 0, "is not a plain file");
    for (;;) {
        STIC_TRY(
            STIC_RESERVE(&text->context, &text->bytes, &text->capacity, text->size + PIECE + 1));
        const ssize_t got = read(file, text->bytes + text->size, PIECE);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return stic_file_system_fail(error, path, errno, "cannot be read");
        text->size += (size_t)got;
        if (text->size > LARGEST_FILE)
            return stic_error_set_at(error, STIC_BAD_FILE, path, 0, 0, "is larger than %zu bytes",
                                     LARGEST_FILE);
        if (got == 0)
            break;
    }
    text->bytes[text->size] = '\0';
    return STIC_OK;
}

SticStatus stic_folder_load(const SticContext* context, int folder, const char* path,
                            SticText* text, SticError* error)
{
    int file = -1;
    *text = (SticText){.context = *context};
    if (folder < 0)
        return stic_error_set_at(error, STIC_IO_FAILED, path, 0, 0,
                                 "a scene without a folder reads no files");
    STIC_TRY(open_inside(folder, path, &file, error));
    const SticStatus status = read_all(file, path, text, error);
    close(file);
    if (status != STIC_OK)
        stic_text_unload(text);
    return status;
}

/* ---- meshes ---- */

// a copy in the scene's memory
static SticStatus keep(SticScene* scene, const void* from, size_t bytes, const void** kept)
{
    void* memory = NULL;
    *kept = NULL;
    if (bytes == 0)
        return STIC_OK;
    STIC_TRY(stic_arena_take(scene->arena, bytes, &memory));
    memcpy(memory, from, bytes);
    *kept = memory;
    return STIC_OK;
}

#define KEEP(scene, from, count, to)                                                               \
    keep((scene), (from), (size_t)(count) * sizeof *(from), (const void**)(to))

static SticStatus take_mesh(SticBuilder* builder, const SticMeshData* mesh, SticSceneShape* shape)
{
    SticScene* scene = builder->scene;
    STIC_TRY(KEEP(scene, mesh->vertex, mesh->vertex_count, &shape->vertex));
    shape->vertex_count = mesh->vertex_count;
    // the hull of a polyhedron needs the points only
    if (shape->kind == STIC_SHAPE_MESH && mesh->face_count > 0) {
        STIC_TRY(KEEP(scene, mesh->face_begin, mesh->face_count + 1, &shape->face_begin));
        STIC_TRY(KEEP(scene, mesh->face_vertex, mesh->face_begin[mesh->face_count],
                      &shape->face_vertex));
        shape->face_count = mesh->face_count;
    }
    if (shape->kind == STIC_SHAPE_COMPOUND && mesh->element_count > 0) {
        STIC_TRY(KEEP(scene, mesh->element_begin, mesh->element_count + 1, &shape->element_begin));
        STIC_TRY(KEEP(scene, mesh->element_node, mesh->element_begin[mesh->element_count],
                      &shape->element_node));
        STIC_TRY(KEEP(scene, mesh->element_kind, mesh->element_count, &shape->element_kind));
        shape->element_count = mesh->element_count;
    }
    return STIC_OK;
}

static SticStatus read_mesh(SticBuilder* builder, const SticText* text, const char* path,
                            SticSceneShape* shape, SticError* error)
{
    const SticMeshSource source = {.bytes = text->bytes, .size = text->size, .name = path};
    SticMeshData mesh;
    STIC_TRY(stic_mesh_data_parse(&builder->scene->context, &source, &mesh, error));
    const SticStatus status = take_mesh(builder, &mesh, shape);
    stic_mesh_data_release(&mesh);
    return status;
}

static int32_t column(const SticValue* all, const char* name, int32_t standard)
{
    const SticValue* value = stic_value_get(all, name);
    if (value == NULL)
        return standard;
    return value->type == STIC_VALUE_NUMBER && value->number >= 1.0 && value->number <= 1000.0
               ? (int32_t)value->number
               : -1;
}

SticStatus stic_builder_file(SticBuilder* builder, const SticValue* path, const SticValue* all,
                             void* target, bool is_signal)
{
    if (path->type != STIC_VALUE_STRING)
        return stic_builder_fail(builder, path, "file must be the name of a file");
    SticText text;
    SticError error = {0};
    SticStatus status =
        stic_folder_load(&builder->scene->context, builder->folder, path->string, &text, &error);
    if (status == STIC_OK && is_signal) {
        const SticSignalColumns columns = {column(all, "time_column", 1),
                                           column(all, "value_column", 2)};
        if (columns.time < 0 || columns.value < 0)
            status = stic_error_set(&error, STIC_BAD_DATA, "columns count from 1");
        else
            status = stic_signal_read(builder->scene->arena, &text, columns, target, &error);
    } else if (status == STIC_OK) {
        SticSceneShape* shape = target;
        status = read_mesh(builder, &text, path->string, shape, &error);
        if (status == STIC_OK)
            status = stic_scene_keep(builder->scene, path->string, &shape->file);
    }
    stic_text_unload(&text);
    if (status == STIC_OK || status == STIC_OUT_OF_MEMORY)
        return status;
    if (error.line > 0)
        return stic_builder_fail(builder, path, "%.100s, line %d: %s", path->string, error.line,
                                 error.text);
    return stic_builder_fail(builder, path, "%.100s: %s", path->string, error.text);
}
