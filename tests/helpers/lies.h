// SPDX-License-Identifier: Apache-2.0
// Every kind of shape lying on every other: the pairs at rest that tests of the narrow phase share.
//
// A lie is a shape in a rotation in which it has a lowest and a highest feature along z: a point, a
// segment along x, or a flat. One lie is put upon another, the upper one turned about z, so that
// the gap is exact and the number of contacts known from the two features.
#ifndef STIC_TEST_HELPERS_LIES_H
#define STIC_TEST_HELPERS_LIES_H

#include "helpers/narrow.h"

/// What touches: a point, a segment along x, a polygon, a disc, ground without an end.
typedef enum LieFeature { LIE_POINT, LIE_SEGMENT, LIE_POLYGON, LIE_DISC, LIE_PLANE } LieFeature;

/// A shape that lies, stands or leans.
typedef struct Lie {
    const char* name;
    SticShape* shape;
    SticMat3 R;
    LieFeature feature; ///< lowest, and highest
    bool rolls;         ///< about x, and the feature stays
    bool top_only;      ///< the ground: only the lower of two
    bool has_seam;      ///< contacts of its parts may meet on seams
    double height;      ///< from the origin to the lowest and to the highest point
} Lie;

enum { LIES_MOST = 32 };

/// All of them, with the shapes they share.
typedef struct Lies {
    Lie list[LIES_MOST];
    int count;
    SticShape* made[LIES_MOST];
    int shapes;
} Lies;

static inline SticShape* lies_keep(Lies* lies, SticShape* shape)
{
    lies->made[lies->shapes++] = shape;
    return shape;
}

static inline void lies_add(Lies* lies, Lie lie)
{
    test_less(lies->count, LIES_MOST);
    lies->list[lies->count++] = lie;
}

static inline SticShape* lies_prism(double r, double h, int sides)
{
    SticVec3 point[64];
    for (int k = 0; k < sides; ++k) {
        double s, c;
        // a side face looks down
        stic_sincos(2.0 * STIC_PI * k / sides, &s, &c);
        point[2 * k] = stic_vec3(-h, r * c, r * s);
        point[2 * k + 1] = stic_vec3(h, r * c, r * s);
    }
    return narrow_hull_of(point, 2 * sides);
}

static inline SticShape* lies_plate(void)
{
    // a flat mesh of 4 x 4 cells, 0.5 wide, with a vertex at the origin
    static SticVec3 vertex[25];
    static int32_t triangle[96];
    const SticContext context = stic_context_default();
    int32_t n = 0;
    for (int i = 0; i < 25; ++i)
        vertex[i] = stic_vec3(0.7 * (i % 5 - 2), 0.7 * (i / 5 - 2), 0.0);
    for (int j = 0; j < 4; ++j)
        for (int i = 0; i < 4; ++i) {
            const int32_t o = 5 * j + i, corner[6] = {o, o + 1, o + 6, o, o + 6, o + 5};
            for (int k = 0; k < 6; ++k)
                triangle[n++] = corner[k];
        }
    SticMeshDef def = stic_mesh_default_def();
    def.vertex = vertex;
    def.vertex_count = 25;
    def.face_vertex = triangle;
    def.face_count = 32;
    SticShape* shape = NULL;
    assert_int_equal(stic_shape_create_mesh(&context, &def, &shape, NULL), STIC_OK);
    return shape;
}

static inline SticShape* lies_beam(void)
{
    const SticContext context = stic_context_default();
    SticShape *half = narrow_box(0.7, 1.2, 0.5), *beam = NULL;
    const SticShape* const part[2] = {half, half};
    const SticPose place[2] = {stic_pose_rigid(stic_mat3_identity(), stic_vec3(-0.7, 0, 0)),
                               stic_pose_rigid(stic_mat3_identity(), stic_vec3(0.7, 0, 0))};
    SticCompoundDef def = stic_compound_default_def();
    def.shape = part;
    def.pose = place;
    def.count = 2;
    assert_int_equal(stic_shape_create_compound(&context, &def, &beam, NULL), STIC_OK);
    stic_shape_destroy(half);
    return beam;
}

static inline void lies_make_round(Lies* lies)
{
    const SticContext context = stic_context_default();
    const SticMat3 I = stic_mat3_identity();
    const SticMat3 lying = stic_rotation_exp(stic_vec3(0.0, STIC_PI / 2, 0.0));
    SticShape *sphere, *capsule, *cylinder, *ellipsoid;
    assert_int_equal(stic_shape_create_sphere(&context, 0.4, &sphere, NULL), STIC_OK);
    assert_int_equal(stic_shape_create_capsule(&context, 0.2, 0.5, &capsule, NULL), STIC_OK);
    assert_int_equal(stic_shape_create_cylinder(&context, 0.3, 0.45, &cylinder, NULL), STIC_OK);
    assert_int_equal(
        stic_shape_create_ellipsoid(&context, stic_vec3(0.6, 0.4, 0.3), &ellipsoid, NULL), STIC_OK);
    lies_keep(lies, sphere);
    lies_keep(lies, capsule);
    lies_keep(lies, cylinder);
    lies_keep(lies, ellipsoid);
    lies_add(lies, (Lie){.name = "sphere",
                         .shape = sphere,
                         .R = I,
                         .feature = LIE_POINT,
                         .rolls = true,
                         .height = 0.4});
    lies_add(lies, (Lie){.name = "capsule lying",
                         .shape = capsule,
                         .R = lying,
                         .feature = LIE_SEGMENT,
                         .rolls = true,
                         .height = 0.2});
    lies_add(lies, (Lie){.name = "capsule standing",
                         .shape = capsule,
                         .R = I,
                         .feature = LIE_POINT,
                         .height = 0.7});
    lies_add(lies, (Lie){.name = "cylinder lying",
                         .shape = cylinder,
                         .R = lying,
                         .feature = LIE_SEGMENT,
                         .rolls = true,
                         .height = 0.3});
    lies_add(lies, (Lie){.name = "cylinder standing",
                         .shape = cylinder,
                         .R = I,
                         .feature = LIE_DISC,
                         .height = 0.45});
    lies_add(lies, (Lie){.name = "ellipsoid flat",
                         .shape = ellipsoid,
                         .R = I,
                         .feature = LIE_POINT,
                         .height = 0.3});
    lies_add(lies, (Lie){.name = "ellipsoid upright",
                         .shape = ellipsoid,
                         .R = lying,
                         .feature = LIE_POINT,
                         .height = 0.6});
}

static inline void lies_make_polyhedra(Lies* lies)
{
    const SticMat3 I = stic_mat3_identity();
    SticShape *box = lies_keep(lies, narrow_box(0.5, 0.4, 0.3)),
              *prism = lies_keep(lies, lies_prism(0.4, 0.5, 6));
    const double y = 0.4, z = 0.3, long_edge = sqrt(y * y + z * z),
                 corner = sqrt(0.5 * 0.5 + y * y + z * z);
    // the edge (., +y, -z) straight down, and the corner (-x, +y, -z)
    const SticMat3 edge = stic_rotation_exp(stic_vec3(-stic_atan2(y, z), 0.0, 0.0));
    const SticVec3 down = stic_mat3_mul_vec(edge, stic_vec3(-0.5, y, -z));
    const SticMat3 tip =
        stic_mat3_mul(stic_rotation_exp(stic_vec3(0.0, -stic_atan2(-down.x, -down.z), 0.0)), edge);
    lies_add(
        lies,
        (Lie){.name = "box on face", .shape = box, .R = I, .feature = LIE_POLYGON, .height = 0.3});
    lies_add(lies, (Lie){.name = "box on edge",
                         .shape = box,
                         .R = edge,
                         .feature = LIE_SEGMENT,
                         .height = long_edge});
    lies_add(lies, (Lie){.name = "box on corner",
                         .shape = box,
                         .R = tip,
                         .feature = LIE_POINT,
                         .height = corner});
    lies_add(lies, (Lie){.name = "prism on face",
                         .shape = prism,
                         .R = I,
                         .feature = LIE_POLYGON,
                         .height = 0.4 * cos(STIC_PI / 6)});
    lies_add(lies, (Lie){.name = "column on edge",
                         .shape = lies_keep(lies, lies_prism(0.4, 0.5, 24)),
                         .R = I,
                         .feature = LIE_SEGMENT,
                         .height = 0.4});
    const SticVec3 rhomb[8] = {{-0.4, 0.2, 0.0},  {-0.4, -0.2, 0.0}, {-0.4, 0.0, 0.4},
                               {-0.4, 0.0, -0.4}, {0.4, 0.2, 0.0},   {0.4, -0.2, 0.0},
                               {0.4, 0.0, 0.4},   {0.4, 0.0, -0.4}};
    lies_add(lies, (Lie){.name = "rhomb on edge",
                         .shape = lies_keep(lies, narrow_hull_of(rhomb, 8)),
                         .R = I,
                         .feature = LIE_SEGMENT,
                         .height = 0.4});
}

static inline void lies_make_ground(Lies* lies)
{
    const SticContext context = stic_context_default();
    const SticMat3 I = stic_mat3_identity();
    SticShape *plane, *slab = lies_keep(lies, narrow_box(2.0, 2.0, 0.5));
    assert_int_equal(stic_shape_create_half_space(&context, stic_vec3(0, 0, 1), 0.0, &plane, NULL),
                     STIC_OK);
    lies_keep(lies, plane);
    lies_add(
        lies,
        (Lie){
            .name = "half-space", .shape = plane, .R = I, .feature = LIE_PLANE, .top_only = true});
    lies_add(lies, (Lie){.name = "slab",
                         .shape = slab,
                         .R = I,
                         .feature = LIE_PLANE,
                         .height = 0.5,
                         .top_only = true});
    lies_add(lies, (Lie){.name = "mesh",
                         .shape = lies_keep(lies, lies_plate()),
                         .R = I,
                         .feature = LIE_PLANE,
                         .top_only = true});
    lies_add(lies, (Lie){.name = "compound",
                         .shape = lies_keep(lies, lies_beam()),
                         .R = I,
                         .feature = LIE_PLANE,
                         .height = 0.5,
                         .top_only = true,
                         .has_seam = true});
}

static inline void lies_make(Lies* lies)
{
    *lies = (Lies){.count = 0};
    lies_make_round(lies);
    lies_make_polyhedra(lies);
    lies_make_ground(lies);
}

static inline void lies_destroy(Lies* lies)
{
    for (int k = 0; k < lies->shapes; ++k)
        stic_shape_destroy(lies->made[k]);
}

/// Edges or corners on each other, whose normal is a matter of the cones of both.
static inline bool lies_are_sharp(const Lie* upper, const Lie* lower, double yaw)
{
    if (stic_shape_polyhedron(upper->shape) == NULL || stic_shape_polyhedron(lower->shape) == NULL)
        return false;
    const LieFeature a = upper->feature, b = lower->feature;
    return a <= LIE_SEGMENT && b <= LIE_SEGMENT && (a == LIE_POINT || b == LIE_POINT || yaw == 0.0);
}

/// The upper lie turned by `yaw`, shifted, and higher by `gap`.
static inline SticPose lies_pose(const Lie* upper, const Lie* lower, double yaw, SticVec3 shift,
                                 double gap)
{
    const SticMat3 turn = stic_rotation_exp(stic_vec3(0.0, 0.0, yaw));
    const double z = upper->height + lower->height + gap;
    return stic_pose_rigid(stic_mat3_mul(turn, upper->R),
                           stic_vec3_add(shift, stic_vec3(0.0, 0.0, z)));
}

#endif
