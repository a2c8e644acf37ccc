// SPDX-License-Identifier: Apache-2.0
// Mass, centre, Euler tensor and inertia of volumes.
//
// A closed surface is split into tetrahedra (a, b, c, d) with one corner a in common and the other
// three on its faces; parts outside count negative and cancel (divergence theorem). With s =
// a+b+c+d
//
//     V  = det[b-a, c-a, d-a] / 6                       evaluated as area times height / 3
//     S  = sum V s / 4                                  centre = S / sum V
//     E0 = sum V / 20 (sum over p in abcd of p p' + s s')   about the centre
//     J  = tr(E0) I - E0                                (Koziara 2008, sections 4.1 and 4.2)
//
// Two passes: the first finds the centre from a corner near the body, the second takes the centre
// as corner a, so that nothing is lost when the body lies far from the origin of its frame. Cost:
// one determinant and one symmetric update per triangle.
#include "math/math.h"
#include "shape/build.h"

static SticMat3 inertia_of(SticMat3 euler)
{
    SticMat3 inertia = stic_mat3_scale(-1.0, euler);
    // the other two diagonal entries, not trace minus one of them: no cancellation in thin bodies
    inertia.m[0][0] = euler.m[1][1] + euler.m[2][2];
    inertia.m[1][1] = euler.m[0][0] + euler.m[2][2];
    inertia.m[2][2] = euler.m[0][0] + euler.m[1][1];
    return inertia;
}

SticMassProperties stic_inertia_from_moments(const SticMoments* moments, double density)
{
    STIC_ASSERT(density > 0.0);
    return (SticMassProperties){
        .volume = moments->volume,
        .mass = density * moments->volume,
        .centre = moments->centre,
        .euler = stic_mat3_scale(density, moments->euler),
        .inertia = inertia_of(stic_mat3_scale(density, moments->euler)),
    };
}

SticVec3 stic_area_vector(const SticFaces* faces, int32_t face)
{
    STIC_ASSERT(face >= 0 && face < faces->count);
    const int32_t* corner = faces->corner + stic_face_begin(faces, face);
    const int32_t sides = stic_face_begin(faces, face + 1) - stic_face_begin(faces, face);
    const SticVec3 from = faces->vertex[corner[0]];
    SticVec3 sum = stic_vec3_zero();
    SticVec3 before = stic_vec3_sub(faces->vertex[corner[1]], from);
    for (int32_t j = 2; j < sides; ++j) {
        const SticVec3 next = stic_vec3_sub(faces->vertex[corner[j]], from);
        sum = stic_vec3_add(sum, stic_vec3_cross(before, next));
        before = next;
    }
    return sum;
}

// In a long thin face the area vector is a small difference of large products: its direction is
// rounded by 1e-16 length / width, and over the length of the face that is far. Made perpendicular
// to a chord at least half as long as the face, the normal is as good as the corners are.
SticVec3 stic_face_normal(const SticFaces* faces, int32_t face)
{
    STIC_ASSERT(face >= 0 && face < faces->count);
    const int32_t begin = stic_face_begin(faces, face), end = stic_face_begin(faces, face + 1);
    const SticVec3 normal = stic_vec3_normalize(stic_area_vector(faces, face));
    SticVec3 chord = stic_vec3_zero();
    double square = 0.0;
    for (int32_t k = begin + 1; k < end; ++k) {
        const SticVec3 other =
            stic_vec3_sub(faces->vertex[faces->corner[k]], faces->vertex[faces->corner[begin]]);
        if (stic_vec3_norm2(other) > square) {
            square = stic_vec3_norm2(other);
            chord = other;
        }
    }
    if (!(square > 0.0))
        return normal;
    return stic_vec3_normalize(
        stic_vec3_add_scaled(normal, -stic_vec3_dot(chord, normal) / square, chord));
}

// corners b, c, d of one triangle of a fan seen from a, and six times the volume of abcd: twice the
// area of the triangle times the height of its middle, both along the normal of the face. The
// determinant of b, c, d would lose all digits in a needle, where they are nearly parallel.
typedef struct Tetra {
    SticVec3 b, c, d;
    double det;
} Tetra;

static Tetra make_tetra(const SticFaces* faces, const int32_t* corner, int32_t j, SticVec3 from,
                        SticVec3 normal)
{
    const SticVec3 b = faces->vertex[corner[0]], c = faces->vertex[corner[j]],
                   d = faces->vertex[corner[j + 1]];
    Tetra t = {
        .b = stic_vec3_sub(b, from), .c = stic_vec3_sub(c, from), .d = stic_vec3_sub(d, from)};
    const double twice_area = stic_vec3_triple(normal, stic_vec3_sub(c, b), stic_vec3_sub(d, b));
    const SticVec3 sum = stic_vec3_add(stic_vec3_add(t.b, t.c), t.d);
    t.det = twice_area * stic_vec3_dot(normal, sum) / 3.0;
    return t;
}

// six times volume and 24 times the first moment of the tetrahedra over one face
static void add_first(const SticFaces* faces, int32_t f, SticVec3 from, double* volume,
                      SticVec3* first)
{
    const int32_t* corner = faces->corner + stic_face_begin(faces, f);
    const int32_t sides = stic_face_begin(faces, f + 1) - stic_face_begin(faces, f);
    const SticVec3 normal = stic_face_normal(faces, f);
    for (int32_t j = 1; j + 1 < sides; ++j) {
        const Tetra t = make_tetra(faces, corner, j, from, normal);
        *volume += t.det;
        *first = stic_vec3_add_scaled(*first, t.det, stic_vec3_add(stic_vec3_add(t.b, t.c), t.d));
    }
}

static void add_square(SticMat3* sum, double weight, SticVec3 p)
{
    const double x[3] = {p.x, p.y, p.z};
    for (int i = 0; i < 3; ++i)
        for (int j = i; j < 3; ++j)
            sum->m[i][j] += weight * x[i] * x[j];
}

// 120 times the second moment
static void add_second(const SticFaces* faces, int32_t f, SticVec3 from, SticMat3* second)
{
    const int32_t* corner = faces->corner + stic_face_begin(faces, f);
    const int32_t sides = stic_face_begin(faces, f + 1) - stic_face_begin(faces, f);
    const SticVec3 normal = stic_face_normal(faces, f);
    for (int32_t j = 1; j + 1 < sides; ++j) {
        const Tetra t = make_tetra(faces, corner, j, from, normal);
        add_square(second, t.det, t.b);
        add_square(second, t.det, t.c);
        add_square(second, t.det, t.d);
        add_square(second, t.det, stic_vec3_add(stic_vec3_add(t.b, t.c), t.d));
    }
}

SticMoments stic_moments_of_faces(const SticFaces* faces)
{
    SticMoments moments = {.volume = 0.0, .centre = stic_vec3_zero(), .euler = stic_mat3_zero()};
    if (faces->count == 0)
        return moments;

    // centre, seen from the first corner
    const SticVec3 near = faces->vertex[faces->corner[0]];
    double volume = 0.0;
    SticVec3 first = stic_vec3_zero();
    for (int32_t f = 0; f < faces->count; ++f)
        add_first(faces, f, near, &volume, &first);
    moments.volume = volume / 6.0;
    if (volume == 0.0) {
        moments.centre = near;
        return moments;
    }
    moments.centre = stic_vec3_add_scaled(near, 0.25 / volume, first);

    // second moments, seen from the centre
    for (int32_t f = 0; f < faces->count; ++f)
        add_second(faces, f, moments.centre, &moments.euler);
    for (int i = 0; i < 3; ++i)
        for (int j = i; j < 3; ++j) {
            moments.euler.m[i][j] /= 120.0;
            moments.euler.m[j][i] = moments.euler.m[i][j];
        }
    return moments;
}

SticStatus stic_shape_mass(const SticShape* shape, double density, SticMassProperties* mass,
                           SticError* error)
{
    STIC_ASSERT(shape != NULL);
    STIC_ASSERT(mass != NULL);
    if (!(density > 0.0) || !isfinite(density))
        return stic_error_set(error, STIC_BAD_ARGUMENT,
                              "the density must be positive and finite, not %g", density);
    const bool open = shape->kind == STIC_SHAPE_MESH || shape->kind == STIC_SHAPE_SURFACE;
    if (!shape->has_volume)
        return stic_error_set(error, STIC_BAD_DATA,
                              "the %s encloses no volume%s, so it has no mass properties",
                              stic_shape_kind_name(shape->kind), open ? " (open or inverted)" : "");
    mass->volume = shape->unit.volume;
    mass->mass = density * shape->unit.mass;
    mass->centre = shape->unit.centre;
    mass->euler = stic_mat3_scale(density, shape->unit.euler);
    mass->inertia = inertia_of(mass->euler);
    return STIC_OK;
}

SticMassProperties stic_inertia_transform(const SticMassProperties* mass, const SticPose* pose)
{
    SticMassProperties moved = *mass;
    moved.volume = mass->volume * (pose->rigid ? 1.0 : stic_mat3_det(pose->F));
    moved.centre = stic_pose_apply(pose, mass->centre);
    moved.euler =
        stic_mat3_symmetric(stic_mat3_mul_transpose(stic_mat3_mul(pose->F, mass->euler), pose->F));
    moved.inertia = inertia_of(moved.euler);
    return moved;
}

SticMassProperties stic_inertia_add(const SticMassProperties* a, const SticMassProperties* b)
{
    SticMassProperties sum = {.volume = a->volume + b->volume, .mass = a->mass + b->mass};
    if (sum.mass == 0.0)
        return sum;
    // parallel axes: the reduced mass times the square of the distance
    const SticVec3 apart = stic_vec3_sub(b->centre, a->centre);
    sum.centre = stic_vec3_add_scaled(a->centre, b->mass / sum.mass, apart);
    sum.euler = stic_mat3_add_scaled(stic_mat3_add(a->euler, b->euler),
                                     a->mass * (b->mass / sum.mass), stic_mat3_outer(apart, apart));
    sum.inertia = inertia_of(sum.euler);
    return sum;
}

void stic_inertia_principal(const SticMassProperties* mass, SticVec3* moments, SticMat3* axes)
{
    stic_eigen3_symmetric(mass->inertia, moments, axes);
}
