// SPDX-License-Identifier: Apache-2.0
// Elastic bodies of a scene: meshes from boxes and from elements, nodes that are held, faces that
// are loaded.
#include <math.h>

#include "scene/simulation.h"
#include "stiction/extend/base.h"
#include "stiction/extend/solid.h"
#include "stiction/extend/vec3.h"

// corners that a scene states mean nodes up to this part of their distance
#define NEAR 1e-9

static const char* name_of(const SticSceneBody* body)
{
    return body->name != NULL ? body->name : "";
}

static SticStatus fill_box(const SticContext* context, const SticSceneBody* body,
                           const SticSceneShape* shape, SticSolidMesh* mesh, SticError* error)
{
    const SticVec3 half = stic_vec3_scale(0.5, shape->size);
    SticSolidBox box = {
        .low = stic_vec3_neg(half), .high = half, .kind = (SticSolidCell)body->cell};
    for (int k = 0; k < 3; ++k) {
        const double count = stic_vec3_get(body->cells, k);
        if (!(count >= 1.0) || count != floor(count))
            return stic_error_set(error, STIC_BAD_DATA,
                                  "body '%s': an elastic box needs cells = {nx, ny, nz}, whole "
                                  "numbers from 1 on",
                                  name_of(body));
        box.count[k] = (int32_t)count;
    }
    return stic_solid_box(context, &box, mesh, error);
}

// elements of one kind: tetrahedra may get nodes on their edges
static SticStatus take_elements(const SticContext* context, const SticSceneBody* body,
                                const SticSceneShape* shape, SticSolidMesh* mesh, SticError* error)
{
    const SticMeshData data = {.context = *context,
                               .vertex = (SticVec3*)shape->vertex,
                               .element_begin = (int32_t*)shape->element_begin,
                               .element_node = (int32_t*)shape->element_node,
                               .element_kind = (uint8_t*)shape->element_kind,
                               .vertex_count = shape->vertex_count,
                               .element_count = shape->element_count};
    if (stic_vec3_norm(body->cells) > 0.0)
        return stic_error_set(error, STIC_BAD_DATA,
                              "body '%s': cells is for boxes, and its shape has elements",
                              name_of(body));
    return stic_solid_mesh_from(context, &data, body->cell == STIC_SOLID_TET10, mesh, error);
}

SticStatus stic_simulation_solid(const SticSimulation* simulation, const SticSceneBody* body,
                                 SticSolidMesh* mesh, SticError* error)
{
    const SticContext* context = &simulation->context;
    const SticSceneShape* shape =
        body->part_count == 1 ? &simulation->def->shape[body->part[0].shape] : NULL;
    const SticShapeKind kind = shape == NULL ? STIC_SHAPE_KIND_COUNT : (SticShapeKind)shape->kind;
    if (kind == STIC_SHAPE_BOX)
        STIC_TRY(fill_box(context, body, shape, mesh, error));
    else if (kind == STIC_SHAPE_COMPOUND && shape->element_count > 0)
        STIC_TRY(take_elements(context, body, shape, mesh, error));
    else
        return stic_error_set(
            error, STIC_BAD_DATA,
            "body '%s': an elastic body is one box with cells = {nx, ny, nz}, or "
            "one compound of elements, such as shape.compound{file = \"part.msh\"}",
            name_of(body));
    const SticPose pose =
        stic_pose_rigid(stic_quat_to_matrix(stic_quat_normalize(body->part[0].orientation)),
                        body->part[0].position);
    for (int32_t i = 0; i < mesh->nodes; ++i)
        mesh->node[i] = stic_pose_apply(&pose, mesh->node[i]);
    return STIC_OK;
}

static bool is_within(SticVec3 x, SticVec3 low, SticVec3 high, double near)
{
    return x.x >= low.x - near && x.x <= high.x + near && x.y >= low.y - near &&
           x.y <= high.y + near && x.z >= low.z - near && x.z <= high.z + near;
}

SticStatus stic_simulation_hold(const SticSimulation* simulation, const SticSceneBody* body,
                                const SticSolidMesh* mesh, SticSolidSupport** support,
                                int32_t* count, SticError* error)
{
    *count = 0;
    STIC_TRY(STIC_ALLOCATE(&simulation->context, support, (size_t)mesh->nodes));
    for (int32_t k = 0; k + 1 < body->hold_count; k += 2) {
        const SticVec3 low = stic_vec3_min(body->hold[k], body->hold[k + 1]);
        const SticVec3 high = stic_vec3_max(body->hold[k], body->hold[k + 1]);
        const double near = NEAR * stic_vec3_norm(stic_vec3_sub(high, low));
        const int32_t before = *count;
        for (int32_t i = 0; i < mesh->nodes && *count < mesh->nodes; ++i)
            if (is_within(mesh->node[i], low, high, near))
                (*support)[(*count)++] = (SticSolidSupport){.node = i, .axes = STIC_SOLID_XYZ};
        if (*count == before && *count < mesh->nodes)
            return stic_error_set(error, STIC_BAD_DATA, "body '%s': no node lies in box %d of hold",
                                  name_of(body), (int)(k / 2 + 1));
    }
    return STIC_OK;
}
