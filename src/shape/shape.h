// SPDX-License-Identifier: Apache-2.0
// What is inside a shape; read by collide/. Plain arrays, indices only, nothing changes after
// creation.
#ifndef STIC_SHAPE_SHAPE_H
#define STIC_SHAPE_SHAPE_H

#include "shape/private.h"
#include "stiction/extend/vec3.h"

/* ---- convex polyhedra ---- */

enum {
    STIC_FACE_INTERNAL = 1 ///< shared with or covered by a neighbour: takes no part in contact
};

/// Half-space normal . x <= offset with a unit outward normal.
typedef struct SticPlane {
    SticVec3 normal;
    double offset;
} SticPlane;

/// Edge of a polyhedron or mesh: face[0] runs through it from vertex[0] to vertex[1], face[1] the
/// other way. In a mesh face[1] is -1 at the border.
typedef struct SticEdge {
    int32_t vertex[2];
    int32_t face[2];
} SticEdge;

/// Convex polyhedron. Half-edge k = face_begin[f] + j is the j-th side of face f and runs from
/// face_vertex[k] to the next vertex of the face; there are 2 edge_count of them.
typedef struct SticPolyhedron {
    int32_t vertex_count, face_count, edge_count;
    int32_t stride;                ///< vertex_count rounded up to a multiple of 8
    const SticVec3* vertex;        ///< [vertex_count]
    const double* coordinate;      ///< [3 * stride] all x, all y, all z; the rest repeats vertex 0
    const SticPlane* plane;        ///< [face_count] the polyhedron lies inside all of them
    const double* face_area;       ///< [face_count]
    const SticVec3* face_centre;   ///< [face_count] centroids
    const uint8_t* face_flag;      ///< [face_count] STIC_FACE_*
    const int32_t* face_neighbour; ///< [face_count] element across an internal face, else -1
    const int32_t* face_begin;     ///< [face_count+1]
    const int32_t* face_vertex;    ///< [2 edge_count] counter-clockwise seen from outside
    const int32_t* face_edge;      ///< [2 edge_count] edge of each half-edge
    const SticVec3* face_side;     ///< [2 edge_count] unit, in the plane of the face, outward
    const SticEdge* edge;          ///< [edge_count]
    const int32_t* vertex_begin;   ///< [vertex_count+1]
    const int32_t* vertex_neighbour; ///< [2 edge_count] counter-clockwise seen from outside
    const int32_t* vertex_edge;      ///< [2 edge_count] edge to each neighbour
    const int32_t* node;             ///< [vertex_count] index of the point given by the user
    SticVec3 centre;                 ///< centre of mass
    double radius;                   ///< all vertices lie within it around `centre`
    double inner_radius;             ///< distance from `centre` to the nearest face
    void* memory;                    ///< one block behind all arrays
    size_t bytes;
} SticPolyhedron;

/* ---- trees of boxes ---- */

/// Node of a static tree. Children of node i are i + 1 and `right`; a leaf has right == 0 and holds
/// the items order[first] … order[first + count - 1].
typedef struct SticTreeNode {
    SticBounds box;
    int32_t right;
    int32_t first, count;
} SticTreeNode;

/// Static tree of boxes in depth-first order, built once over the reference form. For a SURFACE the
/// topology is kept and the boxes are computed anew for each move of its nodes (stic_tree_refit).
typedef struct SticTree {
    int32_t node_count, item_count, depth;
    const SticTreeNode* node; ///< [node_count], node 0 is the root
    const int32_t* order;     ///< [item_count] permutation of the items
    void* memory;
    size_t bytes;
} SticTree;

/* ---- meshes ---- */

/// How two triangles meet, in the reference form.
typedef enum SticEdgeForm {
    STIC_EDGE_CONVEX,  ///< the body fills less than 180 degrees
    STIC_EDGE_FLAT,    ///< coplanar, or the diagonal of a quadrilateral: not a feature
    STIC_EDGE_CONCAVE, ///< cannot be touched by anything flat
    STIC_EDGE_BORDER   ///< one triangle only (or more than two: each gets its own border edge)
} SticEdgeForm;

/// Triangle mesh: MESH and SURFACE.
typedef struct SticMesh {
    int32_t vertex_count, triangle_count, edge_count;
    bool closed;                       ///< every edge has two triangles with opposite sense
    const SticVec3* vertex;            ///< [vertex_count] reference form
    const int32_t (*triangle)[3];      ///< [triangle_count] counter-clockwise seen from outside
    const int32_t (*triangle_edge)[3]; ///< edge j runs from vertex j to vertex j + 1
    const int32_t* triangle_face;      ///< face of the definition the triangle came from
    const SticPlane* plane;            ///< [triangle_count] reference form
    const SticEdge* edge;              ///< [edge_count]
    const uint8_t* edge_form;          ///< [edge_count] SticEdgeForm
    const int32_t* region;             ///< [triangle_count] first triangle of a flat region
    SticTree tree;                     ///< over triangles
    void* memory;
    size_t bytes;
} SticMesh;

/// Height field. Cell (i, j) has index j * (columns - 1) + i and the triangles
/// 2 cell: (i,j) (i+1,j) (i+1,j+1) and 2 cell + 1: (i,j) (i+1,j+1) (i,j+1).
typedef struct SticHeightField {
    int32_t columns, rows;
    double dx, dy;
    double low, high;     ///< extreme heights
    const double* height; ///< [rows * columns]
    /// [triangles] the first triangle of the flat region that each is part of
    const int32_t* region;
    void* memory;
    size_t bytes;
} SticHeightField;

/* ---- compounds ---- */

/// Convex element of a compound.
typedef struct SticElement {
    SticShape* shape; ///< owned; for polyhedra its face flags say which faces are internal
    SticPose pose;    ///< place in the frame of the compound
    bool surface;     ///< has a face that is not internal; false: takes no part in contact
} SticElement;

/// Union of convex elements.
typedef struct SticCompound {
    int32_t count;
    bool shared_nodes;    ///< made from finite elements: equal `node` entries are the same node
    SticElement* element; ///< [count]
    SticTree tree;        ///< over elements
} SticCompound;

/* ---- shapes ---- */

struct SticShape {
    SticContext context;
    SticShapeKind kind;
    SticVec3 centre;     ///< of mass; meshes without volume: centroid of the area
    double radius;       ///< bounding sphere about `centre`; infinite for a half-space
    double inner_radius; ///< ball about `centre` inside a convex shape; 0 if not convex
    SticBounds bounds;   ///< in the frame of the shape
    bool has_volume;
    SticMassProperties unit; ///< for density 1, if has_volume
    union {
        struct {
            double radius;
        } sphere;
        struct {
            SticVec3 half;
            SticPolyhedron hull; ///< the same as a polyhedron; faces -x +x -y +y -z +z
        } box;
        struct {
            double radius, half_length;
        } capsule;
        struct {
            double radius, half_height;
        } cylinder;
        struct {
            SticVec3 semi_axes;
        } ellipsoid;
        SticPolyhedron polyhedron;
        SticCompound compound;
        SticPlane half_space;
        SticMesh mesh; ///< MESH and SURFACE
        SticHeightField field;
    } as;
};

/// The polyhedron of a BOX or POLYHEDRON, else NULL.
const SticPolyhedron* stic_shape_polyhedron(const SticShape* shape);
/// Radius of the ball inside a shape: what moves further can pass it. A tenth of the ball around it
/// where it is not convex.
double stic_shape_thickness(const SticShape* shape);

/// Index of the vertex farthest in `direction`. Small polyhedra are searched, large ones climbed
/// from `start` (any vertex; the last answer for a similar direction is best).
int32_t stic_polyhedron_support(const SticPolyhedron* polyhedron, SticVec3 direction,
                                int32_t start);

/// True if two elements of a compound share a node or an internal face.
bool stic_compound_adjacent(const SticCompound* compound, int32_t i, int32_t j);

/// Box around a triangle, for the vertices of the mesh or of a pose.
SticBounds stic_mesh_triangle_bounds(const SticMesh* mesh, const SticVec3* vertex,
                                     int32_t triangle);

/// Corners of triangle `index` (2 cell or 2 cell + 1) of a height field.
void stic_height_field_triangle(const SticHeightField* field, int32_t index, SticVec3 corner[3]);
/// The triangle across edge j of a triangle of a height field, or -1 at the border.
int32_t stic_height_field_across(const SticHeightField* field, int32_t index, int j);
/// How two triangles with these normals meet at the edge `e` of the first, counter-clockwise.
SticEdgeForm stic_fold_form(SticVec3 normal, SticVec3 other, SticVec3 e);
/// Cells of a height field whose columns meet a box: [first, last) in i and j; empty if none.
void stic_height_field_cells(const SticHeightField* field, SticBounds box, int32_t first[2],
                             int32_t last[2]);

/// Items in leaves that meet `box` (touching counts), in the order of the tree. `nodes` is
/// tree->node or its refitted copy. `found` has room for `capacity`; the number found is returned
/// even if it is larger.
int32_t stic_tree_query(const SticTree* tree, const SticTreeNode* nodes, SticBounds box,
                        int32_t capacity, int32_t* found);
/// New boxes of all nodes for moved items; `nodes` [tree->node_count] starts as a copy of
/// tree->node.
void stic_tree_refit(const SticTree* tree, const SticBounds* item_box, SticTreeNode* nodes);
/// Nodes of the tree of a surface, fitted at the last update.
const SticTreeNode* stic_surface_nodes_tree(const SticSurfaceNodes* nodes);

/// The smallest box around two.
static inline SticBounds stic_bounds_join(SticBounds a, SticBounds b)
{
    return (SticBounds){stic_vec3_min(a.low, b.low), stic_vec3_max(a.high, b.high)};
}

/// True if two boxes share a point.
static inline bool stic_bounds_meet(SticBounds a, SticBounds b)
{
    return a.low.x <= b.high.x && b.low.x <= a.high.x && a.low.y <= b.high.y &&
           b.low.y <= a.high.y && a.low.z <= b.high.z && b.low.z <= a.high.z;
}

#endif
