// SPDX-License-Identifier: Apache-2.0
// Sphere, box, capsule, cylinder, ellipsoid and half-space, with their moments in closed form.
//
// All are centred at the origin, so the first moment vanishes and E0 is diagonal: volume times the
// mean square of each coordinate. Ball r: r^2/5. Box of half lengths h: h^2/3. Disc r: r^2/4. A
// half ball on top of height h has the mean square height h^2 + 2 h (3 r/8) + r^2/5.
#include "math/math.h"
#include "shape/build.h"

static SticStatus check_positive(double value, const char* kind, const char* what, SticError* error)
{
    if (!isfinite(value))
        return stic_error_set(error, STIC_NOT_FINITE, "%s: the %s is not finite", kind, what);
    if (!(value > 0.0))
        return stic_error_set(error, STIC_BAD_ARGUMENT, "%s: the %s must be positive, not %g", kind,
                              what, value);
    return STIC_OK;
}

// shape about the origin with diagonal second moment volume * mean_square
static void set_centred(SticShape* shape, double volume, SticVec3 mean_square, SticVec3 half)
{
    const SticMoments moments = {.volume = volume,
                                 .centre = stic_vec3_zero(),
                                 .euler = stic_mat3_diag(stic_vec3_scale(volume, mean_square))};
    stic_shape_set_moments(shape, &moments);
    shape->bounds = (SticBounds){.low = stic_vec3_neg(half), .high = half};
}

SticStatus stic_shape_create_sphere(const SticContext* context, double radius, SticShape** shape,
                                    SticError* error)
{
    context = stic_context_given(context);
    STIC_GIVEN(shape, error);
    *shape = NULL;
    STIC_TRY(check_positive(radius, "sphere", "radius", error));
    STIC_TRY(stic_shape_allocate(context, STIC_SHAPE_SPHERE, shape, error));
    const double square = radius * radius;
    set_centred(*shape, 4.0 / 3.0 * STIC_PI * square * radius,
                stic_vec3(square / 5.0, square / 5.0, square / 5.0),
                stic_vec3(radius, radius, radius));
    (*shape)->as.sphere.radius = radius;
    (*shape)->radius = (*shape)->inner_radius = radius;
    return STIC_OK;
}

SticStatus stic_shape_create_capsule(const SticContext* context, double radius, double half_length,
                                     SticShape** shape, SticError* error)
{
    context = stic_context_given(context);
    STIC_GIVEN(shape, error);
    *shape = NULL;
    STIC_TRY(check_positive(radius, "capsule", "radius", error));
    if (!isfinite(half_length) || half_length < 0.0)
        return stic_error_set(error, STIC_BAD_ARGUMENT,
                              "the half length of a capsule must be at least 0 and finite, not %g",
                              half_length);
    STIC_TRY(stic_shape_allocate(context, STIC_SHAPE_CAPSULE, shape, error));
    const double r = radius, h = half_length;
    const double barrel = 2.0 * STIC_PI * r * r * h, caps = 4.0 / 3.0 * STIC_PI * r * r * r;
    const double volume = barrel + caps;
    const double across = (barrel * r * r / 4.0 + caps * r * r / 5.0) / volume;
    const double along =
        (barrel * h * h / 3.0 + caps * (h * h + 0.75 * h * r + r * r / 5.0)) / volume;
    set_centred(*shape, volume, stic_vec3(across, across, along), stic_vec3(r, r, r + h));
    (*shape)->as.capsule.radius = r;
    (*shape)->as.capsule.half_length = h;
    (*shape)->radius = r + h;
    (*shape)->inner_radius = r;
    return STIC_OK;
}

SticStatus stic_shape_create_cylinder(const SticContext* context, double radius, double half_height,
                                      SticShape** shape, SticError* error)
{
    context = stic_context_given(context);
    STIC_GIVEN(shape, error);
    *shape = NULL;
    STIC_TRY(check_positive(radius, "cylinder", "radius", error));
    STIC_TRY(check_positive(half_height, "cylinder", "half height", error));
    STIC_TRY(stic_shape_allocate(context, STIC_SHAPE_CYLINDER, shape, error));
    const double r = radius, h = half_height;
    set_centred(*shape, 2.0 * STIC_PI * r * r * h, stic_vec3(r * r / 4.0, r * r / 4.0, h * h / 3.0),
                stic_vec3(r, r, h));
    (*shape)->as.cylinder.radius = r;
    (*shape)->as.cylinder.half_height = h;
    (*shape)->radius = sqrt(r * r + h * h);
    (*shape)->inner_radius = r < h ? r : h;
    return STIC_OK;
}

static SticStatus check_lengths(SticVec3 length, const char* kind, const char* what,
                                SticError* error)
{
    for (int i = 0; i < 3; ++i)
        STIC_TRY(check_positive(stic_vec3_get(length, i), kind, what, error));
    return STIC_OK;
}

static double smallest(SticVec3 a)
{
    const double xy = a.x < a.y ? a.x : a.y;
    return xy < a.z ? xy : a.z;
}

SticStatus stic_shape_create_ellipsoid(const SticContext* context, SticVec3 semi_axes,
                                       SticShape** shape, SticError* error)
{
    context = stic_context_given(context);
    STIC_GIVEN(shape, error);
    *shape = NULL;
    STIC_TRY(check_lengths(semi_axes, "ellipsoid", "semi-axis", error));
    STIC_TRY(stic_shape_allocate(context, STIC_SHAPE_ELLIPSOID, shape, error));
    const SticVec3 a = semi_axes;
    set_centred(*shape, 4.0 / 3.0 * STIC_PI * a.x * a.y * a.z,
                stic_vec3_scale(0.2, stic_vec3_mul(a, a)), a);
    (*shape)->as.ellipsoid.semi_axes = a;
    (*shape)->radius = stic_vec3_norm_max(a);
    (*shape)->inner_radius = smallest(a);
    return STIC_OK;
}

// corner i has x, y, z positive where bits 0, 1, 2 are set; faces -x +x -y +y -z +z
static const int32_t box_begin[7] = {0, 4, 8, 12, 16, 20, 24};
static const int32_t box_corner[24] = {0, 4, 6, 2, 1, 3, 7, 5, 0, 1, 5, 4,
                                       2, 6, 7, 3, 0, 2, 3, 1, 4, 5, 7, 6};

static SticStatus build_box(const SticShapeWork* work, const void* from, SticShape* shape)
{
    const SticVec3 half = *(const SticVec3*)from;
    SticVec3 corner[8];
    for (int i = 0; i < 8; ++i)
        corner[i] =
            stic_vec3(i & 1 ? half.x : -half.x, i & 2 ? half.y : -half.y, i & 4 ? half.z : -half.z);
    const SticFaces faces = {
        .vertex = corner, .vertex_count = 8, .begin = box_begin, .corner = box_corner, .count = 6};
    // a box may be arbitrarily thin
    const SticPolyhedronOptions options = {.tolerance = 0.0, .owner = ""};
    SticMoments unused;
    STIC_TRY(stic_polyhedron_build(work, &faces, &options, &shape->as.box.hull, &unused));
    set_centred(shape, 8.0 * half.x * half.y * half.z,
                stic_vec3_scale(1.0 / 3.0, stic_vec3_mul(half, half)), half);
    shape->as.box.half = half;
    shape->radius = stic_vec3_norm(half);
    shape->inner_radius = smallest(half);
    return STIC_OK;
}

SticStatus stic_shape_create_box(const SticContext* context, SticVec3 half, SticShape** shape,
                                 SticError* error)
{
    context = stic_context_given(context);
    STIC_GIVEN(shape, error);
    *shape = NULL;
    STIC_TRY(check_lengths(half, "box", "half length", error));
    return stic_shape_build(context, STIC_SHAPE_BOX, build_box, &half, shape, error);
}

SticStatus stic_shape_create_half_space(const SticContext* context, SticVec3 normal, double offset,
                                        SticShape** shape, SticError* error)
{
    context = stic_context_given(context);
    STIC_GIVEN(shape, error);
    *shape = NULL;
    if (!stic_vec3_is_finite(normal) || !isfinite(offset))
        return stic_error_set(error, STIC_NOT_FINITE,
                              "normal and offset of a half-space must be finite");
    const SticVec3 unit = stic_vec3_normalize(normal);
    if (!(stic_vec3_norm2(unit) > 0.0))
        return stic_error_set(error, STIC_BAD_ARGUMENT, "the normal of a half-space is zero");
    STIC_TRY(stic_shape_allocate(context, STIC_SHAPE_HALF_SPACE, shape, error));
    const SticPose identity = stic_pose_identity();
    (*shape)->as.half_space = (SticPlane){.normal = unit, .offset = offset};
    (*shape)->centre = stic_vec3_scale(offset, unit);
    (*shape)->radius = (*shape)->inner_radius = (double)INFINITY;
    (*shape)->bounds = stic_shape_bounds(*shape, &identity, 0.0);
    return STIC_OK;
}
