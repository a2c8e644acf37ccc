// SPDX-License-Identifier: Apache-2.0
// Results for ParaView, VTK and meshio: XDMF with data of its own.
//
// XDMF cannot move a surface by a pose, so the vertices of all surfaces are stored for every frame
// in world axes, in single precision, in NAME.xdmf.h5. NAME.xdmf holds the surfaces, with velocity
// and displacement of every vertex and body, stress and fixedness of every triangle;
// NAME.contacts.xdmf holds the contacts as points with their forces. Two files with one series
// each, because not every reader takes two series in one. A frame without contacts has one point
// without force. Half-spaces are drawn as squares around the scene. Velocities are those of the
// rigid motion; the rate of a deformation is not stored.
#include "output/reader.h"

#ifdef STIC_HAVE_HDF5

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "file/file.h"
#include "math/math.h"
#include "output/attributes.h"
#include "stiction/extend/shape.h"
#include "stiction/extend/vec3.h"

enum { PATH_MOST = 4096, LINE = 1024 };

// shapes as stored
typedef struct Shapes {
    int32_t count, vertices, faces;
    uint8_t* kind;
    int32_t *body, *vertex_begin, *vertex_count, *face_begin, *face_count;
    double (*origin)[3], (*rotation)[9], (*parameter)[4], (*vertex)[3];
    int32_t (*face)[3];
} Shapes;

// all surfaces as one mesh, vertices in the frames of their bodies
typedef struct Mesh {
    int32_t vertices, faces;
    SticVec3* vertex;
    int32_t* body;   // of each vertex
    int32_t* moving; // of each vertex: row in /motion/vertex, -1: moves with its body
    int32_t (*face)[3];
    int32_t* face_body;
    uint8_t* face_fixed;
} Mesh;

typedef struct Export {
    SticResult* result;
    SticArena *memory, *scratch;
    Shapes shapes;
    Mesh mesh;
    SticHdf5 data; // NAME.xdmf.h5
    const char* data_name;
    SticReplace *surfaces, *contacts; // the two XDMF files
    SticError* error;
    int32_t* deformation; // [bodies]
    int32_t deformable;
    int32_t* moving; // [shapes] first vertex in /motion/vertex, -1: moves with its body
    int32_t moved;   // vertices there
    float *points, *first, *velocity, *displacement;
} Export;

/* ---- reading shapes ---- */

static SticStatus read_integers(const Export* job, const char* path, int64_t rows, int64_t values,
                                int32_t** to)
{
    STIC_TRY(STIC_TAKE(job->memory, to, rows * values + 1));
    return stic_slice_int32(&job->result->file, (SticSlice){path, 0, rows, values}, *to);
}

static SticStatus read_reals(const Export* job, const char* path, int64_t rows, int64_t values,
                             double** to)
{
    STIC_TRY(STIC_TAKE(job->memory, to, rows * values + 1));
    return stic_slice_reals(&job->result->file, (SticSlice){path, 0, rows, values}, *to);
}

static SticStatus read_shapes(Export* job)
{
    Shapes* s = &job->shapes;
    const SticHdf5* file = &job->result->file;
    const int64_t n = job->result->info.shapes;
    s->count = (int32_t)n;
    const int64_t vertices = stic_slice_rows(file, "/shapes/vertex");
    const int64_t faces = stic_slice_rows(file, "/shapes/face");
    if (vertices > INT32_MAX || faces > INT32_MAX)
        return stic_hdf5_fail(file, STIC_UNSUPPORTED, "/shapes", "is too large for XDMF");
    s->vertices = (int32_t)vertices;
    s->faces = (int32_t)faces;
    STIC_TRY(STIC_TAKE(job->memory, &s->kind, n + 1));
    STIC_TRY(stic_slice_bytes(file, (SticSlice){"/shapes/kind", 0, n, 1}, s->kind));
    STIC_TRY(read_integers(job, "/shapes/body", n, 1, &s->body));
    STIC_TRY(read_integers(job, "/shapes/vertex_begin", n, 1, &s->vertex_begin));
    STIC_TRY(read_integers(job, "/shapes/vertex_count", n, 1, &s->vertex_count));
    STIC_TRY(read_integers(job, "/shapes/face_begin", n, 1, &s->face_begin));
    STIC_TRY(read_integers(job, "/shapes/face_count", n, 1, &s->face_count));
    STIC_TRY(read_reals(job, "/shapes/origin", n, 3, (double**)&s->origin));
    STIC_TRY(read_reals(job, "/shapes/rotation", n, 9, (double**)&s->rotation));
    STIC_TRY(read_reals(job, "/shapes/parameter", n, 4, (double**)&s->parameter));
    STIC_TRY(read_reals(job, "/shapes/vertex", s->vertices, 3, (double**)&s->vertex));
    STIC_TRY(read_integers(job, "/shapes/face", s->faces, 3, (int32_t**)&s->face));
    STIC_TRY(
        stic_result_deformation(job->result, job->memory, &job->deformation, &job->deformable));
    STIC_TRY(stic_result_moving(job->result, job->memory, &job->moving, &job->moved));
    // used as indices here, and by the programs that read the export
    return stic_result_check_tables(job->result, job->memory);
}

/* ---- one mesh of all shapes ---- */

static SticVec3 place(const Shapes* s, int32_t shape, SticVec3 X)
{
    const SticMat3 R = stic_mat3_load(s->rotation[shape]);
    return stic_vec3_add(stic_vec3_load(s->origin[shape]), stic_mat3_mul_vec(R, X));
}

static void add_shape(Export* job, int32_t shape)
{
    const Shapes* s = &job->shapes;
    Mesh* mesh = &job->mesh;
    const int32_t first = mesh->vertices;
    for (int32_t k = 0; k < s->vertex_count[shape]; ++k) {
        mesh->body[mesh->vertices] = s->body[shape];
        mesh->moving[mesh->vertices] = job->moving[shape] < 0 ? -1 : job->moving[shape] + k;
        mesh->vertex[mesh->vertices++] =
            place(s, shape, stic_vec3_load(s->vertex[s->vertex_begin[shape] + k]));
    }
    for (int32_t k = 0; k < s->face_count[shape]; ++k) {
        mesh->face_body[mesh->faces] = s->body[shape];
        for (int c = 0; c < 3; ++c)
            mesh->face[mesh->faces][c] = first + s->face[s->face_begin[shape] + k][c];
        mesh->faces += 1;
    }
}

// a square in the plane of a half-space, of half width `size` around `centre`, both in the frame of
// its body
static void add_square(Export* job, int32_t shape, SticVec3 centre, double size)
{
    const Shapes* s = &job->shapes;
    Mesh* mesh = &job->mesh;
    const SticMat3 R = stic_mat3_load(s->rotation[shape]);
    const SticVec3 n = stic_mat3_mul_vec(R, stic_vec3_load(s->parameter[shape]));
    const SticVec3 helper = fabs(n.x) < 0.8 ? stic_vec3(1.0, 0.0, 0.0) : stic_vec3(0.0, 1.0, 0.0);
    const SticVec3 a = stic_vec3_normalize(stic_vec3_cross(helper, n)), b = stic_vec3_cross(n, a);
    const SticVec3 arm = stic_vec3_sub(centre, stic_vec3_load(s->origin[shape]));
    const double above = stic_vec3_dot(arm, n) - s->parameter[shape][3];
    const SticVec3 middle = stic_vec3_sub(centre, stic_vec3_scale(above, n));
    const int32_t first = mesh->vertices;
    for (int k = 0; k < 4; ++k) {
        const double x = k == 0 || k == 3 ? -size : size, y = k < 2 ? -size : size;
        mesh->body[mesh->vertices] = s->body[shape];
        mesh->moving[mesh->vertices] = -1;
        mesh->vertex[mesh->vertices++] =
            stic_vec3_add(middle, stic_vec3_add(stic_vec3_scale(x, a), stic_vec3_scale(y, b)));
    }
    for (int k = 0; k < 2; ++k) {
        mesh->face_body[mesh->faces] = s->body[shape];
        mesh->face[mesh->faces][0] = first;
        mesh->face[mesh->faces][1] = first + 1 + k;
        mesh->face[mesh->faces++][2] = first + 2 + k;
    }
}

static SticStatus take_mesh(Export* job)
{
    const Shapes* s = &job->shapes;
    int64_t vertices = 1, faces = 1;
    for (int32_t i = 0; i < s->count; ++i) {
        vertices += s->vertex_count[i] + (s->kind[i] == STIC_SHAPE_HALF_SPACE ? 4 : 0);
        faces += s->face_count[i] + (s->kind[i] == STIC_SHAPE_HALF_SPACE ? 2 : 0);
    }
    if (vertices > INT32_MAX / 4 || faces > INT32_MAX / 4)
        return stic_hdf5_fail(&job->result->file, STIC_UNSUPPORTED, "", "is too large for XDMF");
    STIC_TRY(STIC_TAKE(job->memory, &job->mesh.vertex, vertices));
    STIC_TRY(STIC_TAKE(job->memory, &job->mesh.body, vertices));
    STIC_TRY(STIC_TAKE(job->memory, &job->mesh.moving, vertices));
    STIC_TRY(STIC_TAKE(job->memory, &job->mesh.face, faces));
    STIC_TRY(STIC_TAKE(job->memory, &job->mesh.face_body, faces));
    STIC_TRY(STIC_TAKE(job->memory, &job->mesh.face_fixed, faces));
    STIC_TRY(STIC_TAKE(job->memory, &job->points, 3 * vertices));
    STIC_TRY(STIC_TAKE(job->memory, &job->first, 3 * vertices));
    STIC_TRY(STIC_TAKE(job->memory, &job->velocity, 3 * vertices));
    return STIC_TAKE(job->memory, &job->displacement, 3 * vertices);
}

/* ---- motion ---- */

// how the bodies are in a frame
typedef struct Motion {
    SticResultFrame frame;
    double *F, *stress; // [deformable][9]
    double* vertex;     // [moved][3]
    const double (*centre)[3];
} Motion;

static SticMat3 map_of(const Export* job, const Motion* motion, int32_t body)
{
    if (job->deformation[body] >= 0)
        return stic_mat3_load(motion->F + 9 * (int64_t)job->deformation[body]);
    return stic_quat_to_matrix(stic_quat_load(motion->frame.orientation + 4 * (int64_t)body));
}

static void move_vertices(Export* job, const Motion* motion)
{
    const Mesh* mesh = &job->mesh;
    for (int32_t i = 0; i < mesh->vertices; ++i) {
        const int64_t body = mesh->body[i];
        const SticMat3 A = map_of(job, motion, mesh->body[i]);
        const SticVec3 arm = stic_mat3_mul_vec(A, mesh->vertex[i]);
        const SticVec3 centre = stic_mat3_mul_vec(A, stic_vec3_load(motion->centre[body]));
        const SticVec3 x =
            mesh->moving[i] >= 0
                ? stic_vec3_load(motion->vertex + 3 * (int64_t)mesh->moving[i])
                : stic_vec3_add(stic_vec3_load(motion->frame.position + 3 * body), arm);
        const SticVec3 v =
            stic_vec3_add(stic_vec3_load(motion->frame.velocity + 3 * body),
                          stic_vec3_cross(stic_vec3_load(motion->frame.spin + 3 * body),
                                          stic_vec3_sub(arm, centre)));
        const double values[2][3] = {{x.x, x.y, x.z}, {v.x, v.y, v.z}};
        for (int c = 0; c < 3; ++c) {
            job->points[3 * (int64_t)i + c] = (float)values[0][c];
            job->velocity[3 * (int64_t)i + c] = (float)values[1][c];
        }
    }
}

static SticStatus read_motion(Export* job, int64_t k, Motion* motion)
{
    const int64_t n = job->result->info.bodies;
    double* centre = NULL;
    STIC_TRY(stic_result_read(job->result, k, job->scratch, &motion->frame, job->error));
    STIC_TRY(STIC_TAKE(job->scratch, &motion->F, 9 * (int64_t)job->deformable + 1));
    STIC_TRY(STIC_TAKE(job->scratch, &motion->stress, 9 * (int64_t)job->deformable + 1));
    STIC_TRY(STIC_TAKE(job->scratch, &centre, 3 * n + 1));
    STIC_TRY(stic_slice_reals(&job->result->file, (SticSlice){"/bodies/centre", 0, n, 3}, centre));
    motion->centre = (const double(*)[3])centre;
    STIC_TRY(STIC_TAKE(job->scratch, &motion->vertex, 3 * (int64_t)job->moved + 1));
    if (job->moved > 0)
        STIC_TRY(stic_slice_reals(&job->result->file,
                                  (SticSlice){"/motion/vertex", k, 1, 3 * (int64_t)job->moved},
                                  motion->vertex));
    if (job->deformable == 0)
        return STIC_OK;
    const int64_t values = 9 * (int64_t)job->deformable;
    STIC_TRY(
        stic_slice_reals(&job->result->file, (SticSlice){"/motion/F", k, 1, values}, motion->F));
    return stic_slice_reals(&job->result->file, (SticSlice){"/motion/stress", k, 1, values},
                            motion->stress);
}

static double least(double a, double b)
{
    return a < b ? a : b;
}

static double most(double a, double b)
{
    return a > b ? a : b;
}

// squares for half-spaces, once the size of the rest is known from the first frame
static SticStatus finish_mesh(Export* job)
{
    const Shapes* s = &job->shapes;
    Motion motion;
    SticVec3 low = stic_vec3(INFINITY, INFINITY, INFINITY), high = stic_vec3_scale(-1.0, low);
    STIC_TRY(read_motion(job, 0, &motion));
    move_vertices(job, &motion);
    for (int32_t i = 0; i < job->mesh.vertices; ++i) {
        const float* x = job->points + 3 * (int64_t)i;
        low = stic_vec3(least(low.x, x[0]), least(low.y, x[1]), least(low.z, x[2]));
        high = stic_vec3(most(high.x, x[0]), most(high.y, x[1]), most(high.z, x[2]));
    }
    const bool any = job->mesh.vertices > 0;
    const SticVec3 middle =
        any ? stic_vec3_scale(0.5, stic_vec3_add(low, high)) : stic_vec3(0.0, 0.0, 0.0);
    const double size = any ? stic_vec3_norm(stic_vec3_sub(high, low)) : 1.0;
    for (int32_t i = 0; i < s->count; ++i) {
        if (s->kind[i] != STIC_SHAPE_HALF_SPACE)
            continue;
        const SticMat3 A = map_of(job, &motion, s->body[i]);
        const SticVec3 from =
            stic_vec3_sub(middle, stic_vec3_load(motion.frame.position + 3 * (int64_t)s->body[i]));
        add_square(job, i, stic_mat3_transpose_mul_vec(A, from), size);
    }
    move_vertices(job, &motion);
    memcpy(job->first, job->points, 3 * (size_t)job->mesh.vertices * sizeof *job->first);
    return STIC_OK;
}

static SticStatus build_mesh(Export* job)
{
    uint8_t* kind = NULL;
    const int64_t n = job->result->info.bodies;
    STIC_TRY(take_mesh(job));
    for (int32_t i = 0; i < job->shapes.count; ++i)
        add_shape(job, i);
    STIC_TRY(finish_mesh(job));
    STIC_TRY(STIC_TAKE(job->memory, &kind, n + 1));
    STIC_TRY(stic_slice_bytes(&job->result->file, (SticSlice){"/bodies/kind", 0, n, 1}, kind));
    for (int32_t i = 0; i < job->mesh.faces; ++i)
        job->mesh.face_fixed[i] = kind[job->mesh.face_body[i]] == STIC_BODY_FIXED ? 1 : 0;
    return STIC_OK;
}

/* ---- text ---- */

static SticStatus put(Export* job, SticReplace* to, const char* format, ...) STIC_PRINTF(3, 4);
static SticStatus put(Export* job, SticReplace* to, const char* format, ...)
{
    char text[LINE];
    va_list list;
    va_start(list, format);
    const int length = vsnprintf(text, sizeof text, format, list);
    va_end(list);
    if (length < 0 || length >= LINE)
        return stic_error_set(job->error, STIC_BAD_ARGUMENT, "the name of the result is too long");
    return stic_replace_write(to, text, (size_t)length, job->error);
}

static SticStatus put_item(Export* job, SticReplace* to, const SticFixedSet* set, const char* type)
{
    char extent[64];
    if (set->extent[0] > 0)
        snprintf(extent, sizeof extent, "%lld %d", (long long)set->rows, (int)set->extent[0]);
    else
        snprintf(extent, sizeof extent, "%lld", (long long)set->rows);
    return put(job, to, "<DataItem %s Dimensions=\"%s\" Format=\"HDF\">%s:%s</DataItem>", type,
               extent, job->data_name, set->path);
}

static const char type_float[] = "NumberType=\"Float\" Precision=\"4\"";
static const char type_integer[] = "NumberType=\"Int\" Precision=\"4\"";
static const char type_byte[] = "NumberType=\"UChar\" Precision=\"1\"";

static SticStatus put_attribute(Export* job, SticReplace* to, const char* name, const char* center,
                                const SticFixedSet* set, const char* type)
{
    const char* kind = set->extent[0] == 3 ? "Vector" : set->extent[0] == 9 ? "Tensor" : "Scalar";
    STIC_TRY(put(job, to, "<Attribute Name=\"%s\" AttributeType=\"%s\" Center=\"%s\">", name, kind,
                 center));
    STIC_TRY(put_item(job, to, set, type));
    return put(job, to, "</Attribute>\n");
}

static SticStatus put_grid(Export* job, SticReplace* to, double time, const SticFixedSet* points,
                           const SticFixedSet* topology)
{
    const bool triangles = topology->extent[0] == 3;
    char when[32];
    stic_number_format(time, when, sizeof when);
    STIC_TRY(put(job, to, "<Grid Name=\"%s\" GridType=\"Uniform\"><Time Value=\"%s\"/>\n",
                 triangles ? "surfaces" : "contacts", when));
    STIC_TRY(put(job, to, "<Topology TopologyType=\"%s\" NumberOfElements=\"%lld\"%s>",
                 triangles ? "Triangle" : "Polyvertex", (long long)topology->rows,
                 triangles ? "" : " NodesPerElement=\"1\""));
    STIC_TRY(put_item(job, to, topology, type_integer));
    STIC_TRY(put(job, to, "</Topology>\n<Geometry GeometryType=\"XYZ\">"));
    STIC_TRY(put_item(job, to, points, type_float));
    return put(job, to, "</Geometry>\n");
}

/* ---- frames ---- */

static SticStatus write_stress(Export* job, const Motion* motion, const char* path)
{
    float(*values)[9] = NULL;
    const Mesh* mesh = &job->mesh;
    STIC_TRY(STIC_TAKE(job->scratch, &values, mesh->faces + 1));
    for (int32_t i = 0; i < mesh->faces; ++i) {
        const int32_t row = job->deformation[mesh->face_body[i]];
        for (int c = 0; c < 9; ++c)
            values[i][c] = row < 0 ? 0.0F : (float)motion->stress[9 * (int64_t)row + c];
    }
    const SticFixedSet set = {path, "Pa", "mean Cauchy stress", NULL, mesh->faces, {9, 0}};
    STIC_TRY(stic_fixed_set_floats(&job->data, &set, values[0]));
    return put_attribute(job, job->surfaces, "stress", "Cell", &set, type_float);
}

static SticStatus write_surfaces(Export* job, int64_t k, const Motion* motion)
{
    const Mesh* mesh = &job->mesh;
    char path[4][64];
    static const char* const names[] = {"points", "velocity", "displacement", "stress"};
    for (int i = 0; i < 4; ++i)
        snprintf(path[i], sizeof path[i], "/frame%06lld/%s", (long long)k, names[i]);
    move_vertices(job, motion);
    for (int64_t i = 0; i < 3 * (int64_t)mesh->vertices; ++i)
        job->displacement[i] = job->points[i] - job->first[i];
    const int64_t n = mesh->vertices;
    const SticFixedSet points = {path[0], "m", "vertices", NULL, n, {3, 0}};
    const SticFixedSet velocity = {path[1], "m/s", "of the vertices", NULL, n, {3, 0}};
    const SticFixedSet displacement = {path[2], "m", "since the start", NULL, n, {3, 0}};
    const SticFixedSet faces = {"/triangles", "-", "triangles", NULL, mesh->faces, {3, 0}};
    const SticFixedSet body = {"/triangle_body", "-", "body", NULL, mesh->faces, {0, 0}};
    const SticFixedSet fixed = {"/triangle_fixed", "-", "fixed", NULL, mesh->faces, {0, 0}};
    if (k == 0) {
        STIC_TRY(stic_fixed_set_integers(&job->data, &faces, mesh->face[0]));
        STIC_TRY(stic_fixed_set_integers(&job->data, &body, mesh->face_body));
        STIC_TRY(stic_fixed_set_bytes(&job->data, &fixed, mesh->face_fixed));
    }
    STIC_TRY(stic_fixed_set_floats(&job->data, &points, job->points));
    STIC_TRY(stic_fixed_set_floats(&job->data, &velocity, job->velocity));
    STIC_TRY(stic_fixed_set_floats(&job->data, &displacement, job->displacement));
    STIC_TRY(put_grid(job, job->surfaces, motion->frame.time, &points, &faces));
    STIC_TRY(put_attribute(job, job->surfaces, "velocity", "Node", &velocity, type_float));
    STIC_TRY(put_attribute(job, job->surfaces, "displacement", "Node", &displacement, type_float));
    STIC_TRY(put_attribute(job, job->surfaces, "body", "Cell", &body, type_integer));
    STIC_TRY(put_attribute(job, job->surfaces, "fixed", "Cell", &fixed, type_byte));
    if (job->deformable > 0)
        STIC_TRY(write_stress(job, motion, path[3]));
    return put(job, job->surfaces, "</Grid>\n");
}

// columns of a frame's contacts
static SticStatus write_contact_columns(Export* job, int64_t k, const SticResultFrame* frame)
{
    const struct {
        const char *name, *unit;
        size_t offset;
        int32_t values;
    } part[] = {
        {"force", "N", offsetof(SticContactRow, force), 3},
        {"impulse", "N s", offsetof(SticContactRow, impulse), 3},
        {"normal", "-", offsetof(SticContactRow, normal), 3},
        {"slip", "m/s", offsetof(SticContactRow, slip), 3},
        {"gap", "m", offsetof(SticContactRow, gap), 0},
    };
    const int64_t n = frame->contact_count > 0 ? frame->contact_count : 1;
    float* values = NULL;
    STIC_TRY(STIC_TAKE(job->scratch, &values, 3 * n));
    for (size_t p = 0; p < sizeof part / sizeof part[0]; ++p) {
        char path[64];
        const int32_t width = part[p].values > 0 ? part[p].values : 1;
        memset(values, 0, 3 * (size_t)n * sizeof *values);
        for (int64_t i = 0; i < frame->contact_count; ++i)
            for (int32_t c = 0; c < width; ++c) {
                double value;
                memcpy(&value,
                       (const unsigned char*)&frame->contact[i] + part[p].offset +
                           (size_t)c * sizeof value,
                       sizeof value);
                values[i * width + c] = (float)value;
            }
        snprintf(path, sizeof path, "/contacts%06lld/%s", (long long)k, part[p].name);
        const SticFixedSet set = {path, part[p].unit, part[p].name, NULL, n, {part[p].values, 0}};
        STIC_TRY(stic_fixed_set_floats(&job->data, &set, values));
        STIC_TRY(put_attribute(job, job->contacts, part[p].name, "Node", &set, type_float));
    }
    return STIC_OK;
}

static SticStatus write_contacts(Export* job, int64_t k, const SticResultFrame* frame)
{
    const int64_t n = frame->contact_count > 0 ? frame->contact_count : 1;
    char path[3][64];
    static const char* const names[] = {"points", "vertices", "status"};
    float* points = NULL;
    int32_t* vertices = NULL;
    uint8_t* status = NULL;
    for (int i = 0; i < 3; ++i)
        snprintf(path[i], sizeof path[i], "/contacts%06lld/%s", (long long)k, names[i]);
    STIC_TRY(STIC_TAKE(job->scratch, &points, 3 * n));
    STIC_TRY(STIC_TAKE(job->scratch, &vertices, n));
    STIC_TRY(STIC_TAKE(job->scratch, &status, n));
    memset(points, 0, 3 * (size_t)n * sizeof *points);
    for (int64_t i = 0; i < n; ++i) {
        const bool real = i < frame->contact_count;
        vertices[i] = (int32_t)i;
        status[i] = real ? frame->contact[i].status : 0;
        for (int c = 0; real && c < 3; ++c)
            points[3 * i + c] = (float)(&frame->contact[i].point.x)[c];
    }
    const SticFixedSet set = {path[0], "m", "contact points", NULL, n, {3, 0}};
    const SticFixedSet topology = {path[1], "-", "vertices", NULL, n, {1, 0}};
    const SticFixedSet state = {path[2], "-", "status", "open stick slip", n, {0, 0}};
    STIC_TRY(stic_fixed_set_floats(&job->data, &set, points));
    STIC_TRY(stic_fixed_set_integers(&job->data, &topology, vertices));
    STIC_TRY(stic_fixed_set_bytes(&job->data, &state, status));
    STIC_TRY(put_grid(job, job->contacts, frame->time, &set, &topology));
    STIC_TRY(write_contact_columns(job, k, frame));
    STIC_TRY(put_attribute(job, job->contacts, "status", "Node", &state, type_byte));
    return put(job, job->contacts, "</Grid>\n");
}

static SticStatus write_frame(Export* job, int64_t k)
{
    Motion motion;
    char path[64];
    STIC_TRY(stic_arena_reset(job->scratch));
    STIC_TRY(read_motion(job, k, &motion));
    snprintf(path, sizeof path, "/frame%06lld", (long long)k);
    STIC_TRY(stic_hdf5_make_group(&job->data, path));
    STIC_TRY(write_surfaces(job, k, &motion));
    if (motion.frame.contact == NULL)
        return STIC_OK;
    snprintf(path, sizeof path, "/contacts%06lld", (long long)k);
    STIC_TRY(stic_hdf5_make_group(&job->data, path));
    return write_contacts(job, k, &motion.frame);
}

/* ---- the files ---- */

static SticStatus write_text(Export* job)
{
    SticReplace* const files[2] = {job->surfaces, job->contacts};
    for (int i = 0; i < 2; ++i)
        STIC_TRY(put(job, files[i],
                     "<?xml version=\"1.0\"?>\n<Xdmf Version=\"3.0\"><Domain>\n<Grid Name=\"%s\" "
                     "GridType=\"Collection\" CollectionType=\"Temporal\">\n",
                     i == 0 ? "surfaces" : "contacts"));
    for (int64_t k = 0; k < job->result->info.frames; ++k)
        STIC_TRY(write_frame(job, k));
    for (int i = 0; i < 2; ++i)
        STIC_TRY(put(job, files[i], "</Grid>\n</Domain></Xdmf>\n"));
    return STIC_OK;
}

static SticStatus write_files(Export* job, SticReplace* data)
{
    STIC_TRY(stic_hdf5_create(stic_replace_path(data), job->error, &job->data));
    STIC_TRY(read_shapes(job));
    STIC_TRY(build_mesh(job));
    STIC_TRY(write_text(job));
    return stic_hdf5_close(&job->data);
}

// commit all three files, or none if the writing failed
static SticStatus commit(Export* job, SticReplace* data, SticStatus status)
{
    SticReplace* const files[3] = {data, job->surfaces, job->contacts};
    for (int i = 0; i < 3; ++i) {
        if (files[i] == NULL)
            continue;
        if (status == STIC_OK)
            status = stic_replace_commit(files[i], job->error);
        else
            stic_replace_abort(files[i]);
    }
    return status;
}

// text between the tags of XML
static SticStatus escape(SticArena* arena, const char* text, const char** escaped)
{
    enum { LONGEST = 8 }; // "&#255;" and the end
    const size_t size = LONGEST * (strlen(text) + 1);
    size_t used = 0;
    char* to = NULL;
    STIC_TRY(STIC_TAKE(arena, &to, size));
    for (; *text != '\0'; ++text)
        used += (size_t)snprintf(to + used, size - used,
                                 strchr("<>&\"", *text) != NULL ? "&#%d;" : "%c", *text);
    to[used] = '\0';
    *escaped = to;
    return STIC_OK;
}

static SticStatus begin_files(Export* job, const char* path, SticReplace** data)
{
    static const char* const extensions[3] = {".xdmf.h5", ".xdmf", ".contacts.xdmf"};
    SticReplace** files[3] = {data, &job->surfaces, &job->contacts};
    char* name = NULL;
    for (int i = 0; i < 3; ++i) {
        STIC_TRY(STIC_TAKE(job->memory, &name, PATH_MOST));
        STIC_TRY(stic_output_beside(path, extensions[i], name, PATH_MOST, job->error));
        STIC_TRY(stic_replace_begin(&job->result->context, name, files[i], job->error));
        const char* slash = strrchr(name, '/');
        if (i == 0)
            STIC_TRY(escape(job->memory, slash == NULL ? name : slash + 1, &job->data_name));
    }
    return STIC_OK;
}

SticStatus stic_result_export_xdmf(const SticContext* context, const char* path, SticError* error)
{
    context = stic_context_given(context);
    STIC_GIVEN(path, error);
    Export job = {.data = {.file = -1}, .error = error};
    SticReplace* data = NULL;
    STIC_TRY(stic_result_open(context, path, &job.result, error));
    job.result->file.error = error;
    SticStatus status = STIC_OK;
    if (job.result->info.bodies == 0 || job.result->info.frames == 0)
        status = stic_hdf5_fail(&job.result->file, STIC_UNSUPPORTED, "", "has no bodies to show");
    if (status == STIC_OK)
        status = stic_arena_create(context, 0, &job.memory);
    if (status == STIC_OK)
        status = stic_arena_create(context, 0, &job.scratch);
    if (status == STIC_OK)
        status = begin_files(&job, path, &data);
    if (status == STIC_OK)
        status = write_files(&job, data);
    stic_hdf5_abandon(&job.data);
    status = commit(&job, data, status);
    stic_arena_destroy(job.memory);
    stic_arena_destroy(job.scratch);
    stic_result_close(job.result);
    return status;
}

#else

SticStatus stic_result_export_xdmf(const SticContext* context, const char* path, SticError* error)
{
    context = stic_context_given(context);
    STIC_GIVEN(path, error);
    (void)context, (void)path;
    return stic_error_set(error, STIC_UNSUPPORTED,
                          "this build of stiction has no HDF5: results cannot be read");
}

#endif
