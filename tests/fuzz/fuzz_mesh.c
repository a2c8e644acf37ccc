// SPDX-License-Identifier: Apache-2.0
// Fuzz target: mesh readers, and shapes from what they read. The first byte chooses the format: s,
// o or anything else for STL, OBJ and Gmsh.
#include "fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "file/mesh.h"
#include "shape/private.h"

static void make_shapes(const SticContext* context, const SticMeshData* mesh)
{
    SticShape* shape = NULL;
    SticError error = {0};
    SticMeshDef surface = stic_mesh_def_from(mesh);
    surface.drop_degenerate = true;
    if (stic_shape_create_mesh(context, &surface, &shape, &error) == STIC_OK)
        stic_shape_destroy(shape);
    const SticElementsDef elements = stic_elements_def_from(mesh);
    if (stic_shape_create_elements(context, &elements, &shape, &error) == STIC_OK)
        stic_shape_destroy(shape);
    SticPolyhedronDef hull = stic_polyhedron_def_from(mesh);
    if (stic_shape_create_polyhedron(context, &hull, &shape, &error) == STIC_OK)
        stic_shape_destroy(shape);
    // without faces: the hull of the vertices
    hull.face_begin = NULL;
    if (stic_shape_create_polyhedron(context, &hull, &shape, &error) == STIC_OK)
        stic_shape_destroy(shape);
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    if (size == 0)
        return 0;
    // the text must end with a 0 byte
    char* text = malloc(size);
    if (text == NULL)
        return 0;
    memcpy(text, data + 1, size - 1);
    text[size - 1] = '\0';
    const SticContext context = stic_context_default();
    const char* name = data[0] == 's' ? "a.stl" : data[0] == 'o' ? "a.obj" : "a.msh";
    const SticMeshSource source = {.bytes = text, .size = size - 1, .name = name};
    SticMeshData mesh;
    SticError error = {0};
    const SticStatus status = stic_mesh_data_parse(&context, &source, &mesh, &error);
    if (status != error.status)
        abort();
    if (status == STIC_OK)
        make_shapes(&context, &mesh);
    stic_mesh_data_release(&mesh);
    free(text);
    return 0;
}
