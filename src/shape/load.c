// SPDX-License-Identifier: Apache-2.0
// Shapes from mesh files.
#include "stiction/extend/base.h"
#include "stiction/extend/mesh.h"
#include "stiction/extend/shape.h"

SticStatus stic_shape_load(const SticContext* context, const char* path, bool convex,
                           SticShape** shape, SticError* error)
{
    context = stic_context_given(context);
    STIC_GIVEN(path, error);
    STIC_GIVEN(shape, error);
    SticMeshData mesh = {0};
    STIC_TRY(stic_mesh_data_read(context, path, &mesh, error));
    const SticPolyhedronDef hull = stic_polyhedron_def_from(&mesh);
    const SticMeshDef surface = stic_mesh_def_from(&mesh);
    const SticStatus status = convex ? stic_shape_create_polyhedron(context, &hull, shape, error)
                                     : stic_shape_create_mesh(context, &surface, shape, error);
    stic_mesh_data_release(&mesh);
    return status;
}
