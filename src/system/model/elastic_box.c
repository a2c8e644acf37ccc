// SPDX-License-Identifier: Apache-2.0
// An elastic box of finite elements: dropped on a floor, sliding on it, or held at its left side and
// pulled at the right one. Coordinates are displacements, node by node along x, then y, then z.
#include "stiction/extend/solid.h"
#include "system/model/models.h"

typedef struct ElasticBox {
    double length, width, height, clearance;
    int32_t cells_x, cells_y, cells_z, cell, material;
    double young, poisson, density, gravity, friction, speed, slide, pull, shear;
    bool floor, held;
} ElasticBox;

static const char* const cell_names[] = {"tet4", "tet10", "hex8", "hex20", NULL};
static const char* const material_names[] = {"linear", "kirchhoff", "neo-hooke", "corotated", NULL};

static const SticField fields[] = {
    STIC_FIELD_REAL(ElasticBox, length, 1.0, 1e-300, 1e300, "m", "along x"),
    STIC_FIELD_REAL(ElasticBox, width, 0.25, 1e-300, 1e300, "m", "along y"),
    STIC_FIELD_REAL(ElasticBox, height, 0.25, 1e-300, 1e300, "m", "along z"),
    STIC_FIELD_REAL(ElasticBox, clearance, 0.0, -1e300, 1e300, "m",
                    "of its underside above the floor z = 0"),
    STIC_FIELD_COUNT(ElasticBox, cells_x, 4, 1, 1000, "-", "parts along x"),
    STIC_FIELD_COUNT(ElasticBox, cells_y, 1, 1, 1000, "-", "parts along y"),
    STIC_FIELD_COUNT(ElasticBox, cells_z, 1, 1, 1000, "-", "parts along z"),
    STIC_FIELD_PICK(ElasticBox, cell, STIC_SOLID_TET10, STIC_SOLID_HEX20, cell_names,
                    "kind of the cells; hex20 without a floor"),
    STIC_FIELD_PICK(ElasticBox, material, STIC_SOLID_COROTATED, STIC_SOLID_COROTATED,
                    material_names, "stored energy"),
    STIC_FIELD_REAL(ElasticBox, young, 1e7, 1e-300, 1e300, "Pa", "Young's modulus"),
    STIC_FIELD_REAL(ElasticBox, poisson, 0.3, -0.999, 0.499, "-", "Poisson's number"),
    STIC_FIELD_REAL(ElasticBox, density, 1000.0, 1e-300, 1e300, "kg/m3", "without load"),
    STIC_FIELD_REAL(ElasticBox, gravity, 9.81, -1e300, 1e300, "m/s2", "along -z"),
    STIC_FIELD_REAL(ElasticBox, friction, 0.5, 0.0, 1e300, "-", "with the floor"),
    STIC_FIELD_REAL(ElasticBox, speed, 0.0, -1e300, 1e300, "m/s",
                    "along -z at the start, unless it is held"),
    STIC_FIELD_REAL(ElasticBox, slide, 0.0, -1e300, 1e300, "m/s",
                    "along x at the start, unless it is held"),
    STIC_FIELD_REAL(ElasticBox, pull, 0.0, -1e300, 1e300, "Pa",
                    "traction along x on the right side"),
    STIC_FIELD_REAL(ElasticBox, shear, 0.0, -1e300, 1e300, "Pa",
                    "traction along z on the right side"),
    STIC_FIELD_FLAG(ElasticBox, floor, true, "there is a floor"),
    STIC_FIELD_FLAG(ElasticBox, held, false, "the left side does not move"),
};
static const SticFieldTable table = STIC_FIELD_TABLE("elastic-box", fields, ElasticBox);

// supports of the left side and forces on the right one; room for all nodes in each
static SticStatus add_sides(const ElasticBox* p, const SticSolidMesh* mesh, double* area,
                            SticSolidDef* def, SticError* error)
{
    SticSolidSupport* support = (SticSolidSupport*)def->support;
    SticSolidForce* force = (SticSolidForce*)def->force;
    STIC_TRY(stic_solid_areas(mesh, stic_vec3(1.0, 0.0, 0.0), p->length, area, error));
    for (int32_t i = 0; i < mesh->nodes; ++i) {
        if (p->held && mesh->node[i].x == 0.0)
            support[def->supports++] = (SticSolidSupport){.node = i, .axes = STIC_SOLID_XYZ};
        if (area[i] != 0.0)
            force[def->forces++] =
                (SticSolidForce){i, stic_vec3(area[i] * p->pull, 0.0, area[i] * p->shear)};
    }
    return STIC_OK;
}

static SticStatus build(const SticContext* context, const ElasticBox* p, const SticSolidMesh* mesh,
                        SticSystem** system, SticError* error)
{
    const SticSolidObstacle floor = {.normal = {0.0, 0.0, 1.0}, .friction = p->friction};
    const size_t nodes = (size_t)mesh->nodes;
    SticSolidSupport* support = NULL;
    SticSolidForce* force = NULL;
    double* area = NULL;
    SticStatus status = STIC_ALLOCATE(context, &support, nodes);
    if (status == STIC_OK)
        status = STIC_ALLOCATE(context, &force, nodes);
    if (status == STIC_OK)
        status = STIC_ALLOCATE(context, &area, nodes);
    SticSolidDef def = {
        .name = table.name,
        .mesh = mesh,
        .material = {(SticSolidMaterialKind)p->material, p->young, p->poisson, p->density},
        .gravity = {0.0, 0.0, -p->gravity},
        .support = support,
        .force = force,
        .obstacle = &floor,
        .obstacles = p->floor ? 1 : 0};
    if (status == STIC_OK)
        status = add_sides(p, mesh, area, &def, error);
    if (status == STIC_OK)
        status = stic_solid_create(context, &def, system, error);
    STIC_RELEASE(context, support, nodes);
    STIC_RELEASE(context, force, nodes);
    STIC_RELEASE(context, area, nodes);
    return status;
}

static SticStatus create(const SticContext* context, const void* parameters, SticChart chart,
                         SticSystem** system, SticError* error)
{
    const ElasticBox* p = parameters;
    (void)chart;
    const SticSolidBox box = {.low = {0.0, 0.0, p->clearance},
                              .high = {p->length, p->width, p->clearance + p->height},
                              .count = {p->cells_x, p->cells_y, p->cells_z},
                              .kind = (SticSolidCell)p->cell};
    SticSolidMesh mesh;
    STIC_TRY(stic_solid_box(context, &box, &mesh, error));
    const SticStatus status = build(context, p, &mesh, system, error);
    stic_solid_mesh_release(&mesh);
    return status;
}

// nodes on corners, edges along each axis, and where tetrahedra have diagonals in all points of the
// grid of half the size
static int32_t count_nodes(const ElasticBox* p)
{
    const int32_t x = p->cells_x, y = p->cells_y, z = p->cells_z;
    const int32_t corners = (x + 1) * (y + 1) * (z + 1);
    if (p->cell == STIC_SOLID_TET10)
        return (2 * x + 1) * (2 * y + 1) * (2 * z + 1);
    if (p->cell == STIC_SOLID_HEX20)
        return corners + x * (y + 1) * (z + 1) + (x + 1) * y * (z + 1) + (x + 1) * (y + 1) * z;
    return corners;
}

static void start(const void* parameters, SticChart chart, SticState* state)
{
    const ElasticBox* p = parameters;
    (void)chart;
    if (p->held)
        return;
    const int32_t nodes = count_nodes(p);
    for (int32_t i = 0; i < nodes; ++i) {
        state->u[3 * i] = p->slide;
        state->u[3 * i + 2] = -p->speed;
    }
}

const SticModel stic_model_elastic_box = {"elastic-box",
                                          "box of finite elements on a floor or held at one side",
                                          &table,
                                          0,
                                          create,
                                          start,
                                          stic_solid_destroy};
