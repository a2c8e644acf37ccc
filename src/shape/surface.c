// SPDX-License-Identifier: Apache-2.0
// Nodes of a moving surface with the boxes of its tree, fitted once per move of the nodes.
//
// The topology of the tree stays that of the reference form; its boxes are joined anew from the
// triangles to the root, O(triangles). All pairs of a step read them.
#include <string.h>

#include "shape/shape.h"

#include "stiction/extend/base.h"

struct SticSurfaceNodes {
    SticContext context;
    const SticShape* shape;
    const SticVec3* vertex;
    SticTreeNode* node;
    SticBounds* item; // boxes of the triangles
};

SticStatus stic_surface_nodes_create(const SticContext* context, const SticShape* surface,
                                     SticSurfaceNodes** nodes)
{
    *nodes = NULL;
    STIC_ASSERT(surface->kind == STIC_SHAPE_SURFACE);
    const SticMesh* mesh = &surface->as.mesh;
    SticSurfaceNodes* made;
    STIC_TRY(STIC_ALLOCATE(context, &made, 1));
    *made = (SticSurfaceNodes){.context = *context, .shape = surface};
    SticStatus status = STIC_ALLOCATE(context, &made->node, mesh->tree.node_count);
    if (status == STIC_OK)
        status = STIC_ALLOCATE(context, &made->item, mesh->triangle_count);
    if (status != STIC_OK) {
        stic_surface_nodes_destroy(made);
        return status;
    }
    memcpy(made->node, mesh->tree.node, (size_t)mesh->tree.node_count * sizeof *made->node);
    stic_surface_nodes_update(made, mesh->vertex);
    *nodes = made;
    return STIC_OK;
}

void stic_surface_nodes_destroy(SticSurfaceNodes* nodes)
{
    if (nodes == NULL)
        return;
    const SticContext context = nodes->context;
    const SticMesh* mesh = &nodes->shape->as.mesh;
    STIC_RELEASE(&context, nodes->item, mesh->triangle_count);
    STIC_RELEASE(&context, nodes->node, mesh->tree.node_count);
    STIC_RELEASE(&context, nodes, 1);
}

void stic_surface_nodes_update(SticSurfaceNodes* nodes, const SticVec3* vertex)
{
    const SticMesh* mesh = &nodes->shape->as.mesh;
    nodes->vertex = vertex;
    for (int32_t i = 0; i < mesh->triangle_count; ++i)
        nodes->item[i] = stic_mesh_triangle_bounds(mesh, vertex, i);
    stic_tree_refit(&mesh->tree, nodes->item, nodes->node);
}

SticPose stic_surface_nodes_pose(const SticSurfaceNodes* nodes)
{
    SticPose pose = stic_pose_vertices(nodes->vertex);
    pose.nodes = nodes;
    return pose;
}

const SticTreeNode* stic_surface_nodes_tree(const SticSurfaceNodes* nodes)
{
    return nodes->node;
}
