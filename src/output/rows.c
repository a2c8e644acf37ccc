// SPDX-License-Identifier: Apache-2.0
// Bodies, materials, shapes and joints of a world as tables.
#include "output/rows.h"

#ifdef STIC_HAVE_HDF5

#include <string.h>

#include "math/math.h"
#include "output/attributes.h"
#include "output/surface.h"
#include "shape/shape.h"
#include "stiction/extend/run.h"
#include "world/world.h"

_Static_assert(STIC_BODY_KIND_COUNT == 6, "the names of /bodies/kind are complete");

SticBodyId stic_table_rows_body(const SticTableRows* rows, const SticWorld* world, int32_t row)
{
    const uint32_t slot = rows->body_slot[row];
    return (SticBodyId){slot, world->body[slot].generation};
}

static SticStatus take_rows(const SticWorld* world, SticArena* arena, SticTableRows* rows)
{
    STIC_TRY(STIC_TAKE(arena, &rows->body_of, world->bodies + 1));
    STIC_TRY(STIC_TAKE(arena, &rows->body_slot, world->bodies + 1));
    STIC_TRY(STIC_TAKE(arena, &rows->shape_of, world->shapes + 1));
    STIC_TRY(STIC_TAKE(arena, &rows->shape_slot, world->shapes + 1));
    STIC_TRY(STIC_TAKE(arena, &rows->joint_of, world->joints + 1));
    STIC_TRY(STIC_TAKE(arena, &rows->joint_slot, world->joints + 1));
    STIC_TRY(STIC_TAKE(arena, &rows->deformation, world->bodies + 1));
    STIC_TRY(STIC_TAKE(arena, &rows->moving, world->shapes + 1));
    return STIC_TAKE(arena, &rows->shape_begin, world->bodies + 2);
}

static bool has_moments(const SticSurface* surface)
{
    return surface->law == STIC_FRICTION_ROLLING || surface->law == STIC_FRICTION_CONTENSOU;
}

SticStatus stic_table_rows_create(const SticWorld* world, SticArena* arena, SticTableRows* rows)
{
    *rows = (SticTableRows){0};
    STIC_TRY(take_rows(world, arena, rows));
    for (uint32_t i = 0; i < world->bodies; ++i) {
        rows->body_of[i] = world->body[i].alive ? rows->bodies : -1;
        if (!world->body[i].alive)
            continue;
        const bool deforms = world->body[i].def.kind == STIC_BODY_PSEUDO_RIGID ||
                             world->body[i].def.kind == STIC_BODY_ELASTIC;
        rows->deformation[rows->bodies] = deforms ? rows->deformable++ : -1;
        rows->body_slot[rows->bodies++] = i;
    }
    // shapes by body: count, sum, place
    memset(rows->shape_begin, 0, ((size_t)rows->bodies + 2) * sizeof *rows->shape_begin);
    for (uint32_t i = 0; i < world->shapes; ++i)
        if (world->shape[i].alive)
            rows->shape_begin[rows->body_of[world->shape[i].body] + 2] += 1;
    for (int32_t i = 0; i <= rows->bodies; ++i)
        rows->shape_begin[i + 1] += rows->shape_begin[i];
    for (uint32_t i = 0; i < world->shapes; ++i) {
        rows->shape_of[i] = -1;
        if (!world->shape[i].alive)
            continue;
        int32_t* next = &rows->shape_begin[rows->body_of[world->shape[i].body] + 1];
        rows->shape_slot[*next] = i;
        rows->shape_of[i] = (*next)++;
        rows->shapes += 1;
    }
    for (int32_t i = 0; i < rows->shapes; ++i) {
        const SticShape* shape = world->shape[rows->shape_slot[i]].shape;
        const bool moves = stic_shape_kind(shape) == STIC_SHAPE_SURFACE;
        rows->moving[i] = moves ? rows->vertices : -1;
        rows->vertices += moves ? shape->as.mesh.vertex_count : 0;
    }
    for (uint32_t i = 0; i < world->joints; ++i) {
        rows->joint_of[i] = world->joint[i].alive ? rows->joints : -1;
        if (world->joint[i].alive)
            rows->joint_slot[rows->joints++] = i;
    }
    for (uint32_t i = 0; i < world->materials; ++i)
        rows->moments = rows->moments || has_moments(&world->material[i].def.surface);
    for (uint32_t i = 0; i < world->pairs; ++i)
        rows->moments = rows->moments || has_moments(&world->pair[i].surface);
    return STIC_OK;
}

/* ---- names ---- */

// names of an enumeration, separated by blanks
typedef const char* (*NameOf)(int32_t value);

static void join(NameOf name_of, int32_t count, char* text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (int32_t i = 0; i < count && used + 1 < size; ++i) {
        const char* name = name_of(i);
        const size_t length = strlen(name);
        if (used + length + 2 > size)
            return;
        if (i > 0)
            text[used++] = ' ';
        memcpy(text + used, name, length + 1);
        used += length;
    }
}

static const char* shape_name(int32_t kind)
{
    return stic_shape_kind_name((SticShapeKind)kind);
}

static const char* joint_name(int32_t kind)
{
    return stic_joint_kind_name((SticJointKind)kind);
}

/* ---- bodies ---- */

static void colour_bytes(const SticColour* colour, uint32_t slot, uint8_t* bytes)
{
    const SticColour none = {0, 0, 0, 0};
    const SticColour value = colour == NULL ? none : colour[slot];
    bytes[0] = value.red;
    bytes[1] = value.green;
    bytes[2] = value.blue;
    bytes[3] = value.opacity;
}

// arrays of the table of bodies
typedef struct BodyTable {
    char (*name)[STIC_NAME_SIZE];
    uint8_t *kind, (*colour)[4], (*look)[2];
    double *mass, (*centre)[3], (*inertia)[9];
    int32_t *begin, *count, *deformation;
} BodyTable;

static SticStatus take_bodies(SticArena* arena, int32_t n, BodyTable* table)
{
    STIC_TRY(STIC_TAKE(arena, &table->name, n + 1));
    STIC_TRY(STIC_TAKE(arena, &table->kind, n + 1));
    STIC_TRY(STIC_TAKE(arena, &table->colour, n + 1));
    STIC_TRY(STIC_TAKE(arena, &table->look, n + 1));
    STIC_TRY(STIC_TAKE(arena, &table->mass, n + 1));
    STIC_TRY(STIC_TAKE(arena, &table->centre, n + 1));
    STIC_TRY(STIC_TAKE(arena, &table->inertia, n + 1));
    STIC_TRY(STIC_TAKE(arena, &table->begin, n + 1));
    STIC_TRY(STIC_TAKE(arena, &table->count, n + 1));
    return STIC_TAKE(arena, &table->deformation, n + 1);
}

static void fill_body(const SticOutputDef* def, const SticTableRows* rows, int32_t row,
                      BodyTable* table)
{
    const SticWorld* world = def->world;
    const uint32_t slot = rows->body_slot[row];
    const SticView* view = stic_view_of(stic_run_parts(def->run)->system);
    const SticMassProperties own = stic_view_mass(view, slot), *mass = &own;
    memset(table->name[row], 0, STIC_NAME_SIZE);
    memcpy(table->name[row], world->body[slot].name, strlen(world->body[slot].name));
    table->kind[row] = (uint8_t)world->body[slot].def.kind;
    colour_bytes(def->body_colour, slot, table->colour[row]);
    table->look[row][0] = def->body_look == NULL ? 255 : def->body_look[slot].opacity;
    table->look[row][1] = def->body_look == NULL ? 1 : def->body_look[slot].visible;
    table->mass[row] = mass->mass;
    stic_vec3_store(mass->centre, table->centre[row]);
    stic_mat3_store(mass->inertia, table->inertia[row]);
    table->begin[row] = rows->shape_begin[row];
    table->count[row] = rows->shape_begin[row + 1] - rows->shape_begin[row];
    table->deformation[row] = rows->deformation[row];
}

static SticStatus write_bodies(const SticHdf5* file, const SticOutputDef* def,
                               const SticTableRows* rows, SticArena* arena)
{
    const int32_t n = rows->bodies;
    BodyTable t;
    STIC_TRY(take_bodies(arena, n, &t));
    for (int32_t i = 0; i < n; ++i)
        fill_body(def, rows, i, &t);
    STIC_TRY(stic_hdf5_make_group(file, "/bodies"));
    STIC_TRY(stic_fixed_set_texts(file,
                                  &(SticFixedSet){"/bodies/name", "-", "name", NULL, n, {0, 0}},
                                  t.name[0], STIC_NAME_SIZE));
    STIC_TRY(
        stic_fixed_set_bytes(file,
                             &(SticFixedSet){"/bodies/kind",
                                             "-",
                                             "what moves it",
                                             "rigid fixed prescribed point pseudo-rigid elastic",
                                             n,
                                             {0, 0}},
                             t.kind));
    STIC_TRY(stic_fixed_set_reals(
        file, &(SticFixedSet){"/bodies/mass", "kg", "mass; 0: fixed", NULL, n, {0, 0}}, t.mass));
    STIC_TRY(stic_fixed_set_reals(
        file,
        &(SticFixedSet){
            "/bodies/centre", "m", "centre of mass in the body's frame", NULL, n, {3, 0}},
        t.centre[0]));
    STIC_TRY(stic_fixed_set_reals(
        file,
        &(SticFixedSet){
            "/bodies/inertia", "kg m2", "about the centre of mass in body axes", NULL, n, {3, 3}},
        t.inertia[0]));
    STIC_TRY(stic_fixed_set_bytes(
        file,
        &(SticFixedSet){
            "/bodies/colour", "-", "red, green, blue, opacity; all 0: not given", NULL, n, {4, 0}},
        t.colour[0]));
    STIC_TRY(stic_fixed_set_bytes(
        file,
        &(SticFixedSet){
            "/bodies/look", "-", "opacity of 255, and 0: hidden or 1: visible", NULL, n, {2, 0}},
        t.look[0]));
    STIC_TRY(stic_fixed_set_integers(
        file, &(SticFixedSet){"/bodies/shape_begin", "-", "first row in /shapes", NULL, n, {0, 0}},
        t.begin));
    STIC_TRY(stic_fixed_set_integers(
        file, &(SticFixedSet){"/bodies/shape_count", "-", "rows in /shapes", NULL, n, {0, 0}},
        t.count));
    return stic_fixed_set_integers(
        file,
        &(SticFixedSet){
            "/bodies/deformation", "-", "row in /motion/F; -1: the body is rigid", NULL, n, {0, 0}},
        t.deformation);
}

/* ---- materials ---- */

static SticStatus write_materials(const SticHdf5* file, const SticOutputDef* def, SticArena* arena)
{
    const SticWorld* world = def->world;
    const int32_t n = (int32_t)world->materials;
    char(*name)[STIC_NAME_SIZE] = NULL;
    double *density = NULL, *friction = NULL, (*restitution)[2] = NULL;
    uint8_t(*colour)[4] = NULL;
    STIC_TRY(STIC_TAKE(arena, &name, n));
    STIC_TRY(STIC_TAKE(arena, &density, n));
    STIC_TRY(STIC_TAKE(arena, &friction, n));
    STIC_TRY(STIC_TAKE(arena, &restitution, n));
    STIC_TRY(STIC_TAKE(arena, &colour, n));
    for (int32_t i = 0; i < n; ++i) {
        const SticMaterialSlot* slot = &world->material[i];
        memset(name[i], 0, sizeof name[i]);
        memcpy(name[i], slot->name, strlen(slot->name));
        density[i] = slot->def.density;
        friction[i] = slot->def.surface.friction;
        memcpy(restitution[i], slot->def.surface.restitution, sizeof restitution[i]);
        colour_bytes(def->material_colour, (uint32_t)i, colour[i]);
    }
    STIC_TRY(stic_hdf5_make_group(file, "/materials"));
    STIC_TRY(stic_fixed_set_texts(file,
                                  &(SticFixedSet){"/materials/name", "-", "name", NULL, n, {0, 0}},
                                  name[0], STIC_NAME_SIZE));
    STIC_TRY(stic_fixed_set_reals(
        file, &(SticFixedSet){"/materials/density", "kg/m3", "density", NULL, n, {0, 0}}, density));
    STIC_TRY(stic_fixed_set_reals(
        file, &(SticFixedSet){"/materials/friction", "-", "Coulomb's coefficient", NULL, n, {0, 0}},
        friction));
    STIC_TRY(stic_fixed_set_reals(
        file,
        &(SticFixedSet){"/materials/restitution", "-", "normal and tangential", NULL, n, {2, 0}},
        restitution[0]));
    return stic_fixed_set_bytes(file,
                                &(SticFixedSet){"/materials/colour",
                                                "-",
                                                "red, green, blue, opacity; all 0: not given",
                                                NULL,
                                                n,
                                                {4, 0}},
                                colour[0]);
}

/* ---- shapes ---- */

// where the surface of a shape is
typedef struct Place {
    int32_t vertex[2], face[2], edge[2]; // begin and count
} Place;

// arrays of the table of shapes
typedef struct ShapeTable {
    uint8_t* kind;
    int32_t *body, *material, *moving;
    double (*origin)[3], (*rotation)[9], (*parameter)[4];
    Place* place;
    int32_t* cell; // hash table of surfaces: row + 1 of the first shape with it
    int32_t cells; // a power of two
} ShapeTable;

static SticStatus take_shapes(SticArena* arena, int32_t n, ShapeTable* t)
{
    for (t->cells = 16; t->cells < 2 * n;)
        t->cells *= 2;
    STIC_TRY(STIC_TAKE(arena, &t->kind, n + 1));
    STIC_TRY(STIC_TAKE(arena, &t->body, n + 1));
    STIC_TRY(STIC_TAKE(arena, &t->material, n + 1));
    STIC_TRY(STIC_TAKE(arena, &t->moving, n + 1));
    STIC_TRY(STIC_TAKE(arena, &t->origin, n + 1));
    STIC_TRY(STIC_TAKE(arena, &t->rotation, n + 1));
    STIC_TRY(STIC_TAKE(arena, &t->parameter, n + 1));
    STIC_TRY(STIC_TAKE(arena, &t->place, n + 1));
    STIC_TRY(STIC_TAKE(arena, &t->cell, t->cells));
    memset(t->cell, 0, (size_t)t->cells * sizeof *t->cell);
    return STIC_OK;
}

// whether two shapes have the same surface: one shape, or equal simple ones
static bool same_surface(const SticWorld* world, const SticTableRows* rows, const ShapeTable* t,
                         int32_t a, int32_t b)
{
    if (world->shape[rows->shape_slot[a]].shape == world->shape[rows->shape_slot[b]].shape)
        return true;
    bool same = t->kind[a] == t->kind[b] && t->parameter[a][0] != 0.0;
    for (int k = 0; k < 4; ++k)
        same = same && t->parameter[a][k] == t->parameter[b][k];
    return same;
}

// the first row with the same surface, which is `row` itself if it is new; the table is only
// searched by key, so addresses do not order anything
static int32_t first_with_surface(const SticWorld* world, const SticTableRows* rows, ShapeTable* t,
                                  int32_t row)
{
    const SticShape* shape = world->shape[rows->shape_slot[row]].shape;
    uint64_t key = stic_hash_bytes(0, &t->kind[row], 1);
    if (t->parameter[row][0] != 0.0)
        key = stic_hash_bytes(key, t->parameter[row], sizeof t->parameter[row]);
    else
        key = stic_hash_bytes(key, &shape, sizeof shape);
    const uint64_t mask = (uint64_t)t->cells - 1;
    uint64_t at = key & mask;
    for (; t->cell[at] > 0; at = (at + 1) & mask)
        if (same_surface(world, rows, t, t->cell[at] - 1, row))
            return t->cell[at] - 1;
    t->cell[at] = row + 1;
    return row;
}

static SticStatus fill_shape(const SticWorld* world, const SticTableRows* rows, int32_t row,
                             ShapeTable* t, SticSurfaceFaces* faces)
{
    const SticShapeSlot* slot = &world->shape[rows->shape_slot[row]];
    t->kind[row] = (uint8_t)stic_shape_kind(slot->shape);
    t->body[row] = rows->body_of[slot->body];
    t->material[row] = (int32_t)slot->material;
    t->moving[row] = rows->moving[row];
    stic_vec3_store(slot->pose.origin, t->origin[row]);
    stic_mat3_store(slot->pose.F, t->rotation[row]);
    stic_primitive_parameters(slot->shape, t->parameter[row]);
    const int32_t first = first_with_surface(world, rows, t, row);
    if (first < row) {
        t->place[row] = t->place[first];
        return STIC_OK;
    }
    Place* place = &t->place[row];
    *place = (Place){{faces->vertices, 0}, {faces->faces, 0}, {faces->edges, 0}};
    STIC_TRY(stic_surface_faces_add(faces, slot->shape));
    place->vertex[1] = faces->vertices - place->vertex[0];
    place->face[1] = faces->faces - place->face[0];
    place->edge[1] = faces->edges - place->edge[0];
    return STIC_OK;
}

static SticStatus write_surfaces(const SticHdf5* file, const SticSurfaceFaces* faces,
                                 SticArena* arena)
{
    double(*vertex)[3] = NULL;
    STIC_TRY(STIC_TAKE(arena, &vertex, faces->vertices + 1));
    for (int32_t i = 0; i < faces->vertices; ++i)
        stic_vec3_store(faces->vertex[i], vertex[i]);
    STIC_TRY(stic_fixed_set_reals(file,
                                  &(SticFixedSet){"/shapes/vertex",
                                                  "m",
                                                  "vertices of surfaces in the shape's frame",
                                                  NULL,
                                                  faces->vertices,
                                                  {3, 0}},
                                  vertex[0]));
    STIC_TRY(
        stic_fixed_set_integers(file,
                                &(SticFixedSet){"/shapes/face",
                                                "-",
                                                "triangles, counted from the shape's first vertex",
                                                NULL,
                                                faces->faces,
                                                {3, 0}},
                                faces->faces > 0 ? faces->face[0] : NULL));
    return stic_fixed_set_integers(
        file,
        &(SticFixedSet){"/shapes/feature",
                        "-",
                        "sharp edges, counted from the shape's first vertex",
                        NULL,
                        faces->edges,
                        {2, 0}},
        faces->edges > 0 ? faces->edge[0] : NULL);
}

// begins and counts of vertices, faces and edges
static SticStatus write_places(const SticHdf5* file, const Place* place, int32_t n,
                               SticArena* arena)
{
    static const char* const paths[3][2] = {{"/shapes/vertex_begin", "/shapes/vertex_count"},
                                            {"/shapes/face_begin", "/shapes/face_count"},
                                            {"/shapes/feature_begin", "/shapes/feature_count"}};
    int32_t* values = NULL;
    STIC_TRY(STIC_TAKE(arena, &values, n + 1));
    for (int what = 0; what < 3; ++what)
        for (int side = 0; side < 2; ++side) {
            for (int32_t i = 0; i < n; ++i)
                values[i] = what == 0   ? place[i].vertex[side]
                            : what == 1 ? place[i].face[side]
                                        : place[i].edge[side];
            STIC_TRY(stic_fixed_set_integers(
                file,
                &(SticFixedSet){paths[what][side],
                                "-",
                                side == 0 ? "first row of the surface" : "rows of the surface",
                                NULL,
                                n,
                                {0, 0}},
                values));
        }
    return STIC_OK;
}

static SticStatus write_shape_table(const SticHdf5* file, const ShapeTable* t, int32_t n)
{
    char names[256];
    join(shape_name, STIC_SHAPE_KIND_COUNT, names, sizeof names);
    STIC_TRY(stic_fixed_set_bytes(
        file, &(SticFixedSet){"/shapes/kind", "-", "kind of shape", names, n, {0, 0}}, t->kind));
    STIC_TRY(stic_fixed_set_integers(
        file, &(SticFixedSet){"/shapes/body", "-", "row in /bodies", NULL, n, {0, 0}}, t->body));
    STIC_TRY(stic_fixed_set_integers(
        file, &(SticFixedSet){"/shapes/material", "-", "row in /materials", NULL, n, {0, 0}},
        t->material));
    STIC_TRY(
        stic_fixed_set_integers(file,
                                &(SticFixedSet){"/shapes/moving",
                                                "-",
                                                "row in /motion/vertex; -1: moves with its body",
                                                NULL,
                                                n,
                                                {0, 0}},
                                t->moving));
    STIC_TRY(stic_fixed_set_reals(
        file, &(SticFixedSet){"/shapes/origin", "m", "origin in the body's frame", NULL, n, {3, 0}},
        t->origin[0]));
    STIC_TRY(stic_fixed_set_reals(
        file, &(SticFixedSet){"/shapes/rotation", "-", "from shape to body axes", NULL, n, {3, 3}},
        t->rotation[0]));
    return stic_fixed_set_reals(
        file,
        &(SticFixedSet){
            "/shapes/parameter", "m", "radius, half lengths or semi-axes by kind", NULL, n, {4, 0}},
        t->parameter[0]);
}

static SticStatus write_shapes(const SticHdf5* file, const SticOutputDef* def,
                               const SticTableRows* rows, SticArena* arena)
{
    const int32_t n = rows->shapes;
    ShapeTable t;
    SticSurfaceFaces faces = {.context = *stic_arena_context(arena)};
    STIC_TRY(take_shapes(arena, n, &t));
    SticStatus status = STIC_OK;
    for (int32_t i = 0; status == STIC_OK && i < n; ++i)
        status = fill_shape(def->world, rows, i, &t, &faces);
    if (status == STIC_OK)
        status = stic_hdf5_make_group(file, "/shapes");
    if (status == STIC_OK)
        status = write_shape_table(file, &t, n);
    if (status == STIC_OK)
        status = write_places(file, t.place, n, arena);
    if (status == STIC_OK)
        status = write_surfaces(file, &faces, arena);
    stic_surface_faces_clear(&faces);
    return status;
}

/* ---- joints ---- */

static SticStatus write_joints(const SticHdf5* file, const SticOutputDef* def,
                               const SticTableRows* rows, SticArena* arena)
{
    const int32_t n = rows->joints;
    char(*name)[STIC_NAME_SIZE] = NULL, names[256];
    uint8_t* kind = NULL;
    int32_t(*body)[2] = NULL;
    double(*point)[6] = NULL, (*axis)[6] = NULL;
    STIC_TRY(STIC_TAKE(arena, &name, n + 1));
    STIC_TRY(STIC_TAKE(arena, &kind, n + 1));
    STIC_TRY(STIC_TAKE(arena, &body, n + 1));
    STIC_TRY(STIC_TAKE(arena, &point, n + 1));
    STIC_TRY(STIC_TAKE(arena, &axis, n + 1));
    for (int32_t i = 0; i < n; ++i) {
        const SticJointSlot* slot = &def->world->joint[rows->joint_slot[i]];
        memset(name[i], 0, sizeof name[i]);
        memcpy(name[i], slot->name, strlen(slot->name));
        kind[i] = (uint8_t)slot->def.kind;
        for (int k = 0; k < 2; ++k) {
            const SticBodyId id = slot->def.body[k];
            const SticMat3 axes = slot->def.frame[k].axes;
            body[i][k] = id.generation == 0 ? -1 : rows->body_of[id.index];
            stic_vec3_store(slot->def.frame[k].point, point[i] + 3 * k);
            stic_vec3_store(stic_mat3_mul_vec(axes, stic_vec3(1.0, 0.0, 0.0)), axis[i] + 3 * k);
        }
    }
    join(joint_name, STIC_JOINT_KIND_COUNT, names, sizeof names);
    STIC_TRY(stic_hdf5_make_group(file, "/joints"));
    STIC_TRY(stic_fixed_set_texts(file,
                                  &(SticFixedSet){"/joints/name", "-", "name", NULL, n, {0, 0}},
                                  name[0], STIC_NAME_SIZE));
    STIC_TRY(stic_fixed_set_bytes(
        file, &(SticFixedSet){"/joints/kind", "-", "kind of joint", names, n, {0, 0}}, kind));
    STIC_TRY(stic_fixed_set_integers(
        file,
        &(SticFixedSet){"/joints/body", "-", "rows of A and B; -1: the ground", NULL, n, {2, 0}},
        body[0]));
    STIC_TRY(stic_fixed_set_reals(
        file, &(SticFixedSet){"/joints/point", "m", "joint point in A and in B", NULL, n, {2, 3}},
        point[0]));
    return stic_fixed_set_reals(
        file, &(SticFixedSet){"/joints/axis", "-", "axis in A and in B", NULL, n, {2, 3}}, axis[0]);
}

SticStatus stic_table_rows_describe(const SticHdf5* file, const SticOutputDef* def,
                                    const SticTableRows* rows, SticArena* arena)
{
    STIC_TRY(write_bodies(file, def, rows, arena));
    STIC_TRY(write_materials(file, def, arena));
    STIC_TRY(write_shapes(file, def, rows, arena));
    return write_joints(file, def, rows, arena);
}

#else

/// Keeps the file from being empty where HDF5 is left out.
typedef int SticRowsAbsent;

#endif
