// SPDX-License-Identifier: Apache-2.0
// Elastic bodies of a world: from a definition to blocks, terms and shapes of a view.
//
// Every node that is not held is a block of three linear coordinates, its displacement along the
// axes of space from where the body is put at the start; the mass is lumped at nodes, so that M
// stays block diagonal. The cells are terms of the potential over the blocks of their nodes
// (system/solid/). Nodes of the surface are shapes of their own: spheres without radius, which the
// narrow phase lets touch everything that spheres touch. A body is then what joints, outputs and
// users see of it: a mean pose, a mean motion, a mean stress.
#include "world/soft.h"

#include <math.h>
#include <string.h>

#include "math/math.h"
#include "stiction/extend/base.h"
#include "world/facet.h"

/* ---- definitions ---- */

static SticStatus check_nodes(const SticBodyDef* def, const char* name, SticError* error)
{
    const int32_t nodes = def->mesh->nodes;
    for (int32_t k = 0; k < def->supports; ++k) {
        const SticSolidSupport* support = &def->support[k];
        if (support->node < 0 || support->node >= nodes)
            return stic_error_set(error, STIC_BAD_ARGUMENT,
                                  "body %s: support %d is at node %d of a mesh of %d nodes", name,
                                  (int)k, (int)support->node, (int)nodes);
        if (support->axes != STIC_SOLID_XYZ || stic_vec3_norm(support->rate) > 0.0)
            return stic_error_set(
                error, STIC_UNSUPPORTED,
                "body %s: supports of bodies in a world hold nodes along all axes "
                "and do not move; press with a prescribed body",
                name);
    }
    for (int32_t k = 0; k < def->loads; ++k)
        if (def->load[k].node < 0 || def->load[k].node >= nodes ||
            !stic_vec3_is_finite(def->load[k].force))
            return stic_error_set(
                error, STIC_BAD_ARGUMENT,
                "body %s: load %d is not finite, or at a node that the mesh of %d "
                "nodes does not have",
                name, (int)k, (int)nodes);
    for (int32_t k = 0; k < nodes; ++k)
        if (!stic_vec3_is_finite(def->mesh->node[k]))
            return stic_error_set(error, STIC_BAD_ARGUMENT, "body %s: node %d is not finite", name,
                                  (int)k);
    return STIC_OK;
}

// what others have and elastic bodies do not
static const char* find_foreign(const SticBodyDef* def)
{
    if (def->shape != NULL)
        return "a shape: its surface is that of its mesh";
    if (def->mass != 0.0 || stic_mat3_norm(def->inertia) > 0.0)
        return "a mass or inertia of its own: they come from its mesh and the density";
    if (stic_vec3_norm(def->torque) > 0.0)
        return "a torque: load its nodes";
    return NULL;
}

SticStatus stic_soft_check(const SticBodyDef* def, const char* name, SticError* error)
{
    if (def->kind != STIC_BODY_ELASTIC)
        return def->mesh == NULL && def->supports == 0 && def->loads == 0
                   ? STIC_OK
                   : stic_error_set(error, STIC_BAD_ARGUMENT,
                                    "body %s: mesh, supports and loads are for elastic bodies",
                                    name);
    if (def->mesh == NULL || def->mesh->cells == 0)
        return stic_error_set(error, STIC_BAD_ARGUMENT, "body %s: an elastic body needs a mesh",
                              name);
    if (def->stored < 0 || def->stored >= STIC_SOLID_MATERIAL_COUNT)
        return stic_error_set(error, STIC_BAD_ARGUMENT,
                              "body %s: there is no kind %d of elastic material", name,
                              (int)def->stored);
    if (def->mesh->kind == STIC_SOLID_HEX20)
        return stic_error_set(error, STIC_UNSUPPORTED,
                              "body %s: contacts at the nodes of hex20 cannot carry a uniform "
                              "pressure; take hex8 or tet10",
                              name);
    const char* foreign = find_foreign(def);
    if (foreign != NULL)
        return stic_error_set(error, STIC_BAD_ARGUMENT, "body %s: an elastic body cannot have %s",
                              name, foreign);
    return check_nodes(def, name, error);
}

void stic_soft_release(const SticContext* context, SticBodySlot* slot)
{
    STIC_RELEASE(context, slot->push, slot->push == NULL ? 0 : slot->mesh.nodes);
    STIC_RELEASE(context, slot->support, slot->def.supports);
    STIC_RELEASE(context, slot->load, slot->def.loads);
    stic_solid_mesh_release(&slot->mesh);
    slot->push = NULL;
    slot->support = NULL;
    slot->load = NULL;
}

static SticStatus copy_arrays(const SticContext* context, const SticBodyDef* def,
                              SticBodySlot* slot)
{
    const SticSolidMesh* from = def->mesh;
    SticSolidMesh* mesh = &slot->mesh;
    const size_t each = (size_t)stic_solid_cell_nodes(from->kind);
    *mesh = (SticSolidMesh){.context = *context, .kind = from->kind};
    STIC_TRY(STIC_ALLOCATE(context, &mesh->node, (size_t)from->nodes));
    mesh->nodes = from->nodes;
    STIC_TRY(STIC_ALLOCATE(context, &mesh->cell, (size_t)from->cells * each));
    mesh->cells = from->cells;
    memcpy(mesh->node, from->node, (size_t)from->nodes * sizeof *mesh->node);
    memcpy(mesh->cell, from->cell, (size_t)from->cells * each * sizeof *mesh->cell);
    STIC_TRY(STIC_ALLOCATE(context, &slot->push, (size_t)from->nodes));
    STIC_TRY(STIC_ALLOCATE(context, &slot->support, def->supports));
    STIC_TRY(STIC_ALLOCATE(context, &slot->load, def->loads));
    if (def->supports > 0)
        memcpy(slot->support, def->support, (size_t)def->supports * sizeof *slot->support);
    if (def->loads > 0)
        memcpy(slot->load, def->load, (size_t)def->loads * sizeof *slot->load);
    return STIC_OK;
}

SticStatus stic_soft_copy(const SticContext* context, const SticBodyDef* def, SticBodySlot* slot,
                          SticError* error)
{
    if (def->kind != STIC_BODY_ELASTIC)
        return STIC_OK;
    const SticStatus status = copy_arrays(context, def, slot);
    slot->def.mesh = NULL;
    slot->def.support = NULL;
    slot->def.load = NULL;
    if (status == STIC_OK)
        return STIC_OK;
    stic_soft_release(context, slot);
    return stic_error_set(error, status, "no memory for the mesh of an elastic body");
}

static int32_t nearest_node(const SticSolidMesh* mesh, SticVec3 point)
{
    double least = (double)INFINITY;
    int32_t nearest = 0;
    for (int32_t i = 0; i < mesh->nodes; ++i) {
        const double square = stic_vec3_norm2(stic_vec3_sub(mesh->node[i], point));
        if (square < least) {
            least = square;
            nearest = i;
        }
    }
    return nearest;
}

void stic_soft_set_points(SticBodySlot* slot, const SticPointForce* at, int32_t count)
{
    memset(slot->push, 0, (size_t)slot->mesh.nodes * sizeof *slot->push);
    for (int32_t k = 0; k < count; ++k) {
        SticVec3* push = &slot->push[nearest_node(&slot->mesh, at[k].point)];
        *push = stic_vec3_add(*push, at[k].force);
    }
}

/* ---- the surface ---- */

// corners of the pieces that a face is drawn with: quadrilaterals are cut by whoever reads them
static int32_t pieces_of(SticSolidCell kind, int32_t (*piece)[4])
{
    static const int32_t triangle[1][4] = {{0, 1, 2, -1}}, square[1][4] = {{0, 1, 2, 3}};
    static const int32_t six[4][4] = {{0, 3, 5, -1}, {3, 1, 4, -1}, {5, 4, 2, -1}, {3, 4, 5, -1}};
    const int32_t count = kind == STIC_SOLID_TET10 ? 4 : 1;
    memcpy(piece,
           kind == STIC_SOLID_TET10  ? six[0]
           : kind == STIC_SOLID_TET4 ? triangle[0]
                                     : square[0],
           (size_t)count * sizeof *piece);
    return count;
}

typedef struct Surface {
    int32_t *face, faces;  // as stic_solid_mesh_boundary gives them
    int32_t* number;       // [nodes] among those of the surface, -1: inside
    SticVec3* vertex;      // [nodes]
    int32_t *begin, *list; // polygons
} Surface;

static SticStatus take_surface(const SticContext* context, const SticSolidMesh* mesh,
                               Surface* surface)
{
    const size_t faces = (size_t)mesh->cells * STIC_SOLID_FACES;
    STIC_TRY(stic_solid_mesh_boundary(mesh, &surface->face, &surface->faces));
    STIC_TRY(STIC_ALLOCATE(context, &surface->number, (size_t)mesh->nodes));
    STIC_TRY(STIC_ALLOCATE(context, &surface->vertex, (size_t)mesh->nodes));
    STIC_TRY(STIC_ALLOCATE(context, &surface->begin, 4 * faces + 1));
    return STIC_ALLOCATE(context, &surface->list, 16 * faces);
}

static SticMeshDef fill_surface(const SticSolidMesh* mesh, Surface* surface)
{
    SticMeshDef def = stic_mesh_default_def();
    int32_t used = 0;
    for (int32_t k = 0; k < surface->faces; ++k) {
        int32_t node[8];
        const int32_t count = stic_solid_mesh_face(mesh, surface->face[k], node);
        for (int32_t a = 0; a < count; ++a)
            surface->number[node[a]] = 1;
    }
    for (int32_t i = 0; i < mesh->nodes; ++i) {
        const bool on = surface->number[i] != 0;
        if (on)
            surface->vertex[def.vertex_count] = mesh->node[i];
        surface->number[i] = on ? def.vertex_count++ : -1;
    }
    for (int32_t k = 0; k < surface->faces; ++k) {
        int32_t node[8], piece[4][4];
        (void)stic_solid_mesh_face(mesh, surface->face[k], node);
        const int32_t pieces = pieces_of(mesh->kind, piece);
        for (int32_t p = 0; p < pieces; ++p) {
            surface->begin[def.face_count++] = used;
            for (int c = 0; c < 4 && piece[p][c] >= 0; ++c)
                surface->list[used++] = surface->number[node[piece[p][c]]];
        }
    }
    surface->begin[def.face_count] = used;
    def.vertex = surface->vertex;
    def.face_begin = surface->begin;
    def.face_vertex = surface->list;
    return def;
}

SticStatus stic_soft_surface(const SticContext* context, const SticSolidMesh* mesh,
                             SticShape** shape, SticError* error)
{
    const size_t faces = (size_t)mesh->cells * STIC_SOLID_FACES;
    Surface surface = {.faces = 0};
    SticStatus status = take_surface(context, mesh, &surface);
    if (status == STIC_OK) {
        const SticMeshDef def = fill_surface(mesh, &surface);
        status = stic_shape_create_surface(context, &def, shape, error);
    } else {
        stic_error_set(error, status, "no memory for the surface of an elastic body");
    }
    STIC_RELEASE(&mesh->context, surface.face, faces);
    STIC_RELEASE(context, surface.number, (size_t)mesh->nodes);
    STIC_RELEASE(context, surface.vertex, (size_t)mesh->nodes);
    STIC_RELEASE(context, surface.begin, 4 * faces + 1);
    STIC_RELEASE(context, surface.list, 16 * faces);
    return status;
}

/* ---- the view ---- */

const SticSoftBody* stic_soft_of(const SticView* view, uint32_t body)
{
    for (int32_t k = 0; k < view->elastics; ++k)
        if (view->elastic[k].body == body)
            return &view->elastic[k];
    return NULL;
}

// the shape that is the surface of a body
static uint32_t shape_slot(const SticWorld* world, uint32_t body)
{
    uint32_t slot = 0;
    while (slot + 1 < world->shapes &&
           !(world->shape[slot].alive && world->shape[slot].body == body))
        ++slot;
    return slot;
}

int32_t stic_world_part_slot(const SticWorld* world, int32_t part)
{
    int64_t node = (int64_t)part - world->shapes;
    if (part < 0 || (node < 0 && !world->shape[part].alive))
        return -1;
    if (node < 0)
        return part;
    for (uint32_t i = 0; i < world->bodies; ++i) {
        if (!world->body[i].alive || world->body[i].def.kind != STIC_BODY_ELASTIC)
            continue;
        if (node < world->body[i].mesh.nodes)
            return (int32_t)shape_slot(world, i);
        node -= world->body[i].mesh.nodes;
    }
    // behind the nodes of all bodies their facets
    for (uint32_t i = 0; i < world->bodies; ++i) {
        if (!world->body[i].alive || world->body[i].def.kind != STIC_BODY_ELASTIC)
            continue;
        if (node < world->body[i].facets)
            return (int32_t)shape_slot(world, i);
        node -= world->body[i].facets;
    }
    return -1;
}

// mean length of the edges of the cells
static double mean_edge(const SticSolidMesh* mesh)
{
    const SticSolidTopology* topology = stic_solid_cell_topology(mesh->kind);
    const int32_t each = stic_solid_cell_nodes(mesh->kind);
    double sum = 0.0;
    for (int32_t cell = 0; cell < mesh->cells; ++cell)
        for (int32_t e = 0; e < topology->edges; ++e) {
            const int32_t* node = mesh->cell + (int64_t)cell * each;
            sum += stic_vec3_norm(stic_vec3_sub(mesh->node[node[topology->edge[e][0]]],
                                                mesh->node[node[topology->edge[e][1]]]));
        }
    return sum / ((double)mesh->cells * topology->edges);
}

static void weigh(const SticSolid* solid, const SticPose* start, SticSoftBody* to)
{
    SticMassProperties* mass = &to->mass;
    SticMat3 spread = stic_mat3_zero();
    SticBounds box = {solid->mesh.node[0], solid->mesh.node[0]};
    *mass = (SticMassProperties){.mass = 0.0};
    to->centre = stic_vec3_zero();
    for (int32_t i = 0; i < solid->mesh.nodes; ++i) {
        mass->mass += solid->mass[i];
        to->centre = stic_vec3_add_scaled(to->centre, solid->mass[i], solid->mesh.node[i]);
        box.low = stic_vec3_min(box.low, solid->mesh.node[i]);
        box.high = stic_vec3_max(box.high, solid->mesh.node[i]);
    }
    to->centre = stic_vec3_scale(1.0 / mass->mass, to->centre);
    to->size = stic_vec3_norm(stic_vec3_sub(box.high, box.low));
    for (int32_t i = 0; i < solid->mesh.nodes; ++i) {
        const SticVec3 Y = stic_vec3_sub(solid->mesh.node[i], to->centre);
        spread = stic_mat3_add_scaled(spread, solid->mass[i], stic_mat3_outer(Y, Y));
    }
    for (int64_t p = 0; p < (int64_t)solid->mesh.cells * solid->points; ++p)
        mass->volume += solid->volume[p];
    (void)stic_mat3_inverse(spread, &to->spread);
    const SticMat3 R = start->F;
    mass->centre = stic_mat3_transpose_mul_vec(R, stic_vec3_sub(to->centre, start->origin));
    mass->euler = stic_mat3_transpose_mul(R, stic_mat3_mul(spread, R));
    mass->inertia = stic_mat3_sub(
        stic_mat3_scale(stic_mat3_trace(mass->euler), stic_mat3_identity()), mass->euler);
}

// the mesh where the body is put
static SticStatus make_solid(const SticView* view, SticSoftBody* to, SticError* error)
{
    const SticWorld* world = view->world;
    SticBodySlot* slot = &world->body[to->body];
    const SticBodyDef* def = &slot->def;
    const SticPose start = stic_body_start(def);
    const uint32_t shape = shape_slot(world, to->body);
    SticSolidMesh placed = slot->mesh;
    SticSystem* system = NULL;
    placed.node = NULL;
    STIC_TRY(STIC_ALLOCATE(&view->context, &placed.node, (size_t)placed.nodes));
    for (int32_t i = 0; i < placed.nodes; ++i)
        placed.node[i] = stic_pose_apply(&start, slot->mesh.node[i]);
    const SticSolidDef solid = {
        .name = slot->name,
        .mesh = &placed,
        .material = {.kind = (SticSolidMaterialKind)def->stored,
                     .young = def->elastic.young,
                     .poisson = def->elastic.poisson,
                     .density = world->material[world->shape[shape].material].def.density},
        .support = slot->support,
        .force = slot->load,
        .supports = def->supports,
        .forces = def->loads};
    const SticStatus status = stic_solid_create(&view->context, &solid, &system, error);
    STIC_RELEASE(&view->context, placed.node, (size_t)placed.nodes);
    STIC_TRY(status);
    to->solid = (SticSolid*)system;
    weigh(to->solid, &start, to);
    return STIC_OK;
}

static SticStatus list_surface(const SticView* view, SticSoftBody* to)
{
    const SticContext* context = &view->context;
    const size_t nodes = (size_t)to->solid->mesh.nodes;
    uint8_t* on = NULL;
    STIC_TRY(STIC_ALLOCATE(context, &on, nodes));
    SticStatus status = stic_solid_find_surface(to->solid, on);
    if (status == STIC_OK)
        status = STIC_ALLOCATE(context, &to->surface, nodes);
    for (int32_t i = 0; status == STIC_OK && i < to->solid->mesh.nodes; ++i)
        if (on[i] != 0)
            to->surface[to->surfaces++] = i;
    STIC_RELEASE(context, on, nodes);
    const double thick = 0.5 * mean_edge(&to->solid->mesh);
    to->point = (SticShape){.context = *context,
                            .kind = STIC_SHAPE_SPHERE,
                            .radius = thick,
                            .inner_radius = 0.5 * thick};
    return status;
}

SticStatus stic_soft_build(SticView* view, SticError* error)
{
    const SticWorld* world = view->world;
    int64_t part = world->shapes;
    int32_t count = 0;
    for (uint32_t i = 0; i < world->bodies; ++i)
        count += world->body[i].alive && world->body[i].def.kind == STIC_BODY_ELASTIC;
    STIC_TRY(STIC_ALLOCATE(&view->context, &view->elastic, count));
    for (uint32_t i = 0; i < world->bodies; ++i) {
        if (!world->body[i].alive || world->body[i].def.kind != STIC_BODY_ELASTIC)
            continue;
        SticSoftBody* to = &view->elastic[view->elastics++];
        to->body = i;
        to->part = (int32_t)part;
        STIC_TRY(make_solid(view, to, error));
        STIC_TRY(list_surface(view, to));
        part += to->solid->mesh.nodes;
    }
    return part <= INT32_MAX ? STIC_OK : STIC_OUT_OF_MEMORY;
}

int32_t stic_soft_number(SticView* view, uint32_t body, int32_t block)
{
    for (int32_t k = 0; k < view->elastics; ++k)
        if (view->elastic[k].body == body) {
            view->elastic[k].block = block;
            return block + view->elastic[k].solid->system.layout.blocks;
        }
    STIC_ASSERT(false);
    return block;
}

/* ---- terms ---- */

// room for the blocks of the terms: one block each, springs, cells
static SticStatus list_terms(SticView* view)
{
    int64_t cells = 0, members = (int64_t)view->blocks + 2 * (int64_t)view->springs;
    for (int32_t k = 0; k < view->elastics; ++k) {
        const SticSolid* solid = view->elastic[k].solid;
        cells += solid->terms;
        members += solid->member_at[solid->terms];
    }
    if (cells + members > INT32_MAX)
        return STIC_OUT_OF_MEMORY;
    view->terms = view->blocks + view->springs + (int32_t)cells;
    STIC_TRY(STIC_ALLOCATE(&view->context, &view->member_at, view->terms + 1));
    STIC_TRY(STIC_ALLOCATE(&view->context, &view->member, (size_t)members));
    view->members = (int32_t)members;
    return STIC_OK;
}

static void count_term(SticView* view, int32_t term, int32_t end)
{
    int64_t size = 0;
    for (int32_t k = view->member_at[term]; k < end; ++k)
        size += view->q_at[view->member[k] + 1] - view->q_at[view->member[k]];
    view->slopes += size;
    view->bends += size * size;
}

SticStatus stic_soft_terms(SticView* view)
{
    if (view->elastics == 0)
        return STIC_OK;
    STIC_TRY(list_terms(view));
    int32_t next = 0, term = 0;
    for (; term < view->blocks + view->springs; ++term) {
        view->member_at[term] = next;
        for (int k = 0; k < 2; ++k)
            if (view->term_block[term][k] >= 0)
                view->member[next++] = view->term_block[term][k];
        count_term(view, term, next);
    }
    for (int32_t k = 0; k < view->elastics; ++k) {
        const SticSoftBody* elastic = &view->elastic[k];
        const SticSolid* solid = elastic->solid;
        for (int32_t cell = 0; cell < solid->terms; ++cell, ++term) {
            view->member_at[term] = next;
            for (int32_t m = solid->member_at[cell]; m < solid->member_at[cell + 1]; ++m)
                view->member[next++] = elastic->block + solid->member[m];
            count_term(view, term, next);
        }
    }
    view->member_at[term] = next;
    return STIC_OK;
}

SticStatus stic_soft_place(SticView* view)
{
    if (view->elastics == 0)
        return STIC_OK;
    STIC_TRY(STIC_ALLOCATE(&view->context, &view->origin, view->blocks));
    STIC_TRY(STIC_ALLOCATE(&view->context, &view->elastic_of, view->blocks));
    for (int32_t i = 0; i < view->blocks; ++i)
        view->elastic_of[i] = -1;
    view->system.origin = (const double(*)[3])view->origin;
    view->system.wide = true;
    for (int32_t k = 0; k < view->elastics; ++k) {
        SticSoftBody* elastic = &view->elastic[k];
        SticSolid* solid = elastic->solid;
        const int32_t first = view->q_at[elastic->block];
        for (int32_t c = 0; c < 3 * solid->mesh.nodes; ++c)
            if (solid->coordinate[c] >= 0)
                solid->coordinate[c] += first;
        for (int32_t b = 0; b < solid->system.layout.blocks; ++b) {
            view->elastic_of[elastic->block + b] = k;
            stic_vec3_store(solid->mesh.node[solid->node_of[b]], view->origin[elastic->block + b]);
        }
        const double limit = solid->system.step_limit;
        if (view->system.step_limit == 0.0 || limit < view->system.step_limit)
            view->system.step_limit = limit;
    }
    return STIC_OK;
}

void stic_soft_drop(SticView* view)
{
    stic_facet_drop(view);
    for (int32_t k = 0; k < view->elastics; ++k) {
        SticSoftBody* elastic = &view->elastic[k];
        if (elastic->surface != NULL)
            STIC_RELEASE(&view->context, elastic->surface, (size_t)elastic->solid->mesh.nodes);
        stic_solid_destroy(elastic->solid == NULL ? NULL : &elastic->solid->system);
    }
    STIC_RELEASE(&view->context, view->elastic, view->elastics);
    STIC_RELEASE(&view->context, view->origin, view->blocks);
    STIC_RELEASE(&view->context, view->elastic_of, view->blocks);
    STIC_RELEASE(&view->context, view->member_at, view->terms + 1);
    STIC_RELEASE(&view->context, view->member, view->members);
}

int32_t stic_soft_count_shapes(const SticView* view)
{
    int32_t count = view->facets;
    for (int32_t k = 0; k < view->elastics; ++k)
        count += view->elastic[k].surfaces;
    return count;
}

// a facet as a shape: it has the size of the cells
static SticBlockShape facet_shape(const SticView* view, int32_t k)
{
    const SticFacet* facet = &view->facet[k];
    const SticSoftBody* elastic = facet->body;
    const uint32_t slot = shape_slot(view->world, elastic->body);
    SticInteraction blocks = {.block = {-1, -1}};
    stic_facet_blocks(facet, &blocks);
    return (SticBlockShape){.shape = &elastic->point,
                            .pose = stic_pose_identity(),
                            .centred = true,
                            .block = blocks.block[1],
                            .material = (int32_t)view->world->shape[slot].material,
                            .slot = slot,
                            .body = elastic->body,
                            .part = view->facet_part + k,
                            .facet = facet};
}

int32_t stic_soft_shapes(const SticView* view, SticBlockShape* shape)
{
    int32_t count = 0;
    for (int32_t k = 0; k < view->elastics; ++k) {
        const SticSoftBody* elastic = &view->elastic[k];
        const SticSolid* solid = elastic->solid;
        const uint32_t slot = shape_slot(view->world, elastic->body);
        for (int32_t s = 0; s < elastic->surfaces; ++s) {
            const int32_t node = elastic->surface[s], block = solid->block_of[node];
            SticPose pose = stic_pose_identity();
            if (block < 0)
                pose.origin = solid->mesh.node[node];
            shape[count++] =
                (SticBlockShape){.shape = &elastic->point,
                                 .pose = pose,
                                 .centred = block >= 0,
                                 .block = block < 0 ? -1 : elastic->block + block,
                                 .material = (int32_t)view->world->shape[slot].material,
                                 .slot = slot,
                                 .body = elastic->body,
                                 .part = elastic->part + node,
                                 .node = true};
        }
    }
    for (int32_t k = 0; k < view->facets; ++k)
        shape[count++] = facet_shape(view, k);
    return count;
}

/* ---- states ---- */

// place and velocity of a node
static SticVec3 place_of(const SticSoftBody* elastic, const SticState* state, int32_t node)
{
    return stic_vec3_add(elastic->solid->mesh.node[node],
                         stic_solid_displacement(&elastic->solid->system, state, node));
}

static SticVec3 velocity_of(const SticView* view, const SticSoftBody* elastic,
                            const SticState* state, int32_t node)
{
    const int32_t block = elastic->solid->block_of[node];
    return block < 0 ? stic_vec3_zero()
                     : stic_vec3_load(state->u + view->u_at[elastic->block + block]);
}

static SticVec3 centre_of(const SticSoftBody* elastic, const SticState* state)
{
    const SticSolid* solid = elastic->solid;
    SticVec3 moved = stic_vec3_zero();
    for (int32_t i = 0; i < solid->mesh.nodes; ++i)
        moved = stic_vec3_add_scaled(moved, solid->mass[i],
                                     stic_solid_displacement(&solid->system, state, i));
    return stic_vec3_add_scaled(elastic->centre, 1.0 / elastic->mass.mass, moved);
}

void stic_soft_push(const SticView* view, const SticSoftBody* elastic, const SticTwist* twist,
                    SticState* state)
{
    const SticSolid* solid = elastic->solid;
    const SticVec3 centre = centre_of(elastic, state);
    for (int32_t b = 0; b < solid->system.layout.blocks; ++b) {
        const SticVec3 arm = stic_vec3_sub(place_of(elastic, state, solid->node_of[b]), centre);
        stic_vec3_store(
            stic_vec3_add(twist->velocity, stic_vec3_cross(twist->angular_velocity, arm)),
            state->u + view->u_at[elastic->block + b]);
    }
}

void stic_soft_put(const SticView* view, const SticSoftBody* elastic, const SticPose* pose,
                   SticState* state)
{
    const SticSolid* solid = elastic->solid;
    const SticSolidMesh* mesh = &view->world->body[elastic->body].mesh;
    for (int32_t b = 0; b < solid->system.layout.blocks; ++b) {
        const int32_t node = solid->node_of[b];
        const SticVec3 to = stic_pose_apply(pose, mesh->node[node]);
        stic_vec3_store(stic_vec3_sub(to, solid->mesh.node[node]),
                        state->q + view->q_at[elastic->block + b]);
    }
}

SticPose stic_soft_pose(const SticView* view, const SticSoftBody* elastic, const SticState* state)
{
    const SticSolid* solid = elastic->solid;
    const SticPose start = stic_body_start(&view->world->body[elastic->body].def);
    const SticVec3 centre = centre_of(elastic, state);
    const SticVec3 moved = stic_vec3_sub(centre, elastic->centre);
    // sum of m d Y' with the displacements d from the mean one: small ones keep their digits
    SticMat3 sum = stic_mat3_zero();
    for (int32_t i = 0; i < solid->mesh.nodes; ++i) {
        const SticVec3 d = stic_vec3_sub(stic_solid_displacement(&solid->system, state, i), moved);
        const SticVec3 Y = stic_vec3_sub(solid->mesh.node[i], elastic->centre);
        sum = stic_mat3_add_scaled(sum, solid->mass[i], stic_mat3_outer(d, Y));
    }
    const SticMat3 F = stic_mat3_add(stic_mat3_identity(), stic_mat3_mul(sum, elastic->spread));
    const SticVec3 arm = stic_vec3_sub(start.origin, elastic->centre);
    return stic_pose_affine(stic_mat3_mul(F, start.F),
                            stic_vec3_add(centre, stic_mat3_mul_vec(F, arm)));
}

SticTwist stic_soft_twist(const SticView* view, const SticSoftBody* elastic, const SticState* state)
{
    const SticSolid* solid = elastic->solid;
    const SticVec3 centre = centre_of(elastic, state);
    SticVec3 momentum = stic_vec3_zero(), spin = stic_vec3_zero();
    SticMat3 euler = stic_mat3_zero(), inverse = stic_mat3_zero();
    for (int32_t i = 0; i < solid->mesh.nodes; ++i) {
        const SticVec3 arm = stic_vec3_sub(place_of(elastic, state, i), centre);
        const SticVec3 p = stic_vec3_scale(solid->mass[i], velocity_of(view, elastic, state, i));
        momentum = stic_vec3_add(momentum, p);
        spin = stic_vec3_add(spin, stic_vec3_cross(arm, p));
        euler = stic_mat3_add_scaled(euler, solid->mass[i], stic_mat3_outer(arm, arm));
    }
    const SticMat3 inertia =
        stic_mat3_sub(stic_mat3_scale(stic_mat3_trace(euler), stic_mat3_identity()), euler);
    (void)stic_mat3_inverse(inertia, &inverse);
    return (SticTwist){stic_vec3_scale(1.0 / elastic->mass.mass, momentum),
                       stic_mat3_mul_vec(inverse, spin)};
}

SticMat3 stic_soft_stress(const SticSoftBody* elastic, const SticState* state)
{
    const SticSolid* solid = elastic->solid;
    SticMat3 sum = stic_mat3_zero(), own;
    double all = 0.0;
    for (int32_t cell = 0; cell < solid->mesh.cells; ++cell) {
        double volume = 0.0;
        for (int32_t p = 0; p < solid->points; ++p)
            volume += solid->volume[(int64_t)cell * solid->points + p];
        if (stic_solid_stress(&solid->system, state, cell, &own) != STIC_OK)
            return stic_mat3_scale((double)NAN, stic_mat3_identity());
        sum = stic_mat3_add_scaled(sum, volume, own);
        all += volume;
    }
    return stic_mat3_scale(1.0 / all, sum);
}

void stic_soft_add_loads(const SticView* view, double* f)
{
    for (int32_t k = 0; k < view->elastics; ++k) {
        const SticSoftBody* elastic = &view->elastic[k];
        const SticSolid* solid = elastic->solid;
        const SticBodySlot* slot = &view->world->body[elastic->body];
        for (int32_t b = 0; b < solid->system.layout.blocks; ++b) {
            const int32_t node = solid->node_of[b];
            const double share = solid->mass[node] / elastic->mass.mass;
            const SticVec3 own = stic_vec3_add(solid->force[node], slot->push[node]);
            stic_vec3_store(stic_vec3_add_scaled(own, share, slot->def.force),
                            f + view->u_at[elastic->block + b]);
        }
    }
}

int32_t stic_soft_surface_places(const SticView* view, uint32_t body, const SticState* state,
                                 SticVec3* place)
{
    const SticSoftBody* elastic = stic_soft_of(view, body);
    STIC_ASSERT(elastic != NULL);
    for (int32_t s = 0; s < elastic->surfaces; ++s)
        place[s] = place_of(elastic, state, elastic->surface[s]);
    return elastic->surfaces;
}

int32_t stic_world_nodes(const SticSystem* system, const SticState* state, SticBodyId body,
                         SticVec3* place, SticVec3* velocity, int32_t room)
{
    STIC_ASSERT(system != NULL);
    STIC_ASSERT(state != NULL);
    const SticView* view = stic_view_of(system);
    const SticSoftBody* elastic =
        stic_world_block(system, body) < 0 ? NULL : stic_soft_of(view, body.index);
    if (elastic == NULL)
        return 0;
    const int32_t nodes = elastic->solid->mesh.nodes;
    for (int32_t i = 0; i < nodes && i < room; ++i) {
        if (place != NULL)
            place[i] = place_of(elastic, state, i);
        if (velocity != NULL)
            velocity[i] = velocity_of(view, elastic, state, i);
    }
    return nodes;
}

SticMat3 stic_world_cell_stress(const SticSystem* system, const SticState* state, SticBodyId body,
                                int32_t cell)
{
    STIC_ASSERT(system != NULL);
    STIC_ASSERT(state != NULL);
    const SticSoftBody* elastic =
        stic_world_block(system, body) < 0 ? NULL : stic_soft_of(stic_view_of(system), body.index);
    SticMat3 stress = stic_mat3_zero();
    if (elastic != NULL && cell >= 0 && cell < elastic->solid->mesh.cells &&
        stic_solid_stress(&elastic->solid->system, state, cell, &stress) != STIC_OK)
        stress = stic_mat3_scale((double)NAN, stic_mat3_identity());
    return stress;
}
