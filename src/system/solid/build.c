// SPDX-License-Identifier: Apache-2.0
// Solids: what is prepared once from a definition, and the callbacks of the system.
//
// Mass: lumped by the diagonal of the consistent mass, scaled to the mass of the cell (Hinton, Rock
// and Zienkiewicz 1976): positive for quadratic cells too, where sums of rows are negative at
// corners. For tetrahedra the shares are 1/4, and 1/36 (corners) with 4/27 (edges).
//
// The stable step of explicit schemes is 2/omega with the largest eigenvalue omega^2 of M^-1 K, which
// is bounded by the largest sum of a row, sum of |k_ij|/m_i over all cells: never too large a step.
#include <math.h>
#include <string.h>

#include "math/math.h"
#include "stiction/extend/base.h"
#include "stiction/extend/vec3.h"
#include "system/solid/solid.h"

static SticStatus solid_mass(const SticSystem* system, const SticState* state, SticArena* arena,
                             SticMass* mass)
{
    const SticSolid* solid = stic_solid_of(system);
    (void)state;
    (void)arena;
    *mass = (SticMass){.kind = STIC_MASS_BLOCKS,
                       .A = &solid->mass_csr,
                       .inverse = &solid->inverse_csr,
                       .diagonal = solid->mass_diagonal,
                       .inverse_diagonal = solid->inverse_diagonal};
    return STIC_OK;
}

static SticStatus solid_force(const SticSystem* system, const SticState* state, double* f)
{
    const SticSolid* solid = stic_solid_of(system);
    (void)state;
    for (int32_t k = 0; k < 3 * solid->mesh.nodes; ++k)
        if (solid->coordinate[k] >= 0)
            f[solid->coordinate[k]] = stic_vec3_get(solid->force[k / 3], k % 3);
    return STIC_OK;
}

static const SticSystemOps solid_ops = {
    .mass = solid_mass,
    .force = solid_force,
    .potential = stic_solid_potential,
    .discrete = stic_solid_discrete,
    .detect = stic_solid_detect,
    .measure = stic_solid_measure,
};

/* ---- checks ---- */

static bool is_node(const SticSolidDef* def, int32_t node)
{
    return node >= 0 && node < def->mesh->nodes;
}

static SticStatus check_nodes(const SticSolidDef* def, SticError* error)
{
    const char* what = NULL;
    int32_t wrong = 0;
    for (int32_t k = 0; what == NULL && k < def->supports; ++k)
        if (!is_node(def, def->support[wrong = k].node))
            what = "support";
    for (int32_t k = 0; what == NULL && k < def->forces; ++k)
        if (!is_node(def, def->force[wrong = k].node))
            what = "force";
    for (int32_t k = 0; what == NULL && k < def->pairs; ++k)
        if (!is_node(def, def->pair[wrong = k].node[0]) || !is_node(def, def->pair[k].node[1]))
            what = "pair";
    if (what == NULL)
        return STIC_OK;
    return stic_error_set(error, STIC_BAD_ARGUMENT,
                          "solid '%s': %s %d is at a node that the mesh of %d nodes does not have",
                          def->name, what, wrong, def->mesh->nodes);
}

static SticStatus check_def(const SticSolidDef* def, SticError* error)
{
    const SticSolidMaterial* m = &def->material;
    if (!(m->young > 0.0) || !(m->poisson > -1.0 && m->poisson < 0.5) || !(m->density > 0.0) ||
        !isfinite(m->young) || !isfinite(m->density))
        return stic_error_set(error, STIC_BAD_ARGUMENT,
                              "solid '%s': Young's modulus %g and density %g must be positive, "
                              "Poisson's number %g between -1 and 1/2",
                              def->name, m->young, m->density, m->poisson);
    // forces of a uniform pressure on a face with nodes on edges only are -1/12 of it at corners,
    // which a contact cannot carry: a pressed block would be 4 % off
    if (def->mesh->kind == STIC_SOLID_HEX20 && def->obstacles + def->pairs > 0)
        return stic_error_set(error, STIC_UNSUPPORTED,
                              "solid '%s': contacts at the nodes of hex20 cannot carry a uniform "
                              "pressure; take hex8 or tet10",
                              def->name);
    for (int32_t k = 0; k < def->obstacles; ++k)
        if (!(def->obstacle[k].radius >= 0.0) || !(def->obstacle[k].friction >= 0.0) ||
            (def->obstacle[k].radius == 0.0 && !(stic_vec3_norm(def->obstacle[k].normal) > 0.0)))
            return stic_error_set(error, STIC_BAD_ARGUMENT,
                                  "solid '%s': obstacle %d needs a normal or a radius, and a "
                                  "friction that is not negative",
                                  def->name, k);
    for (int32_t k = 0; k < def->pairs; ++k)
        if (!(stic_vec3_norm(def->pair[k].normal) > 0.0) || !(def->pair[k].friction >= 0.0))
            return stic_error_set(error, STIC_BAD_ARGUMENT,
                                  "solid '%s': pair %d needs a normal and a friction that is not "
                                  "negative",
                                  def->name, k);
    return check_nodes(def, error);
}

/* ---- cells ---- */

// slopes of the shape functions along the axes of space, and volumes, at the points of a cell
static SticStatus build_cell(SticSolid* solid, const SticSolidRule* rule, int32_t cell)
{
    const int32_t nodes = stic_solid_cell_nodes(solid->mesh.kind);
    const int32_t* node = solid->mesh.cell + (int64_t)cell * nodes;
    double N[STIC_SOLID_CELL_NODES], dN[STIC_SOLID_CELL_NODES][3],
        share[STIC_SOLID_CELL_NODES] = {0.0}, shares = 0.0, volume = 0.0;
    for (int32_t p = 0; p < rule->count; ++p) {
        const int64_t point = (int64_t)cell * rule->count + p;
        SticMat3 J = stic_mat3_zero(), inverse;
        stic_solid_cell_shape(solid->mesh.kind, rule->place[p], N, dN);
        for (int32_t a = 0; a < nodes; ++a)
            J = stic_mat3_add(J, stic_mat3_outer(solid->mesh.node[node[a]], stic_vec3_load(dN[a])));
        const double det = stic_mat3_det(J);
        if (!(det > 0.0) || !stic_mat3_inverse(J, &inverse))
            return STIC_BAD_DATA;
        solid->volume[point] = det * rule->weight[p];
        volume += solid->volume[point];
        for (int32_t a = 0; a < nodes; ++a) {
            stic_vec3_store(stic_mat3_transpose_mul_vec(inverse, stic_vec3_load(dN[a])),
                            solid->slope + (point * nodes + a) * 3);
            share[a] += solid->volume[point] * N[a] * N[a];
        }
    }
    // four points do not integrate the squares of quadratic functions
    for (int32_t a = 0; solid->mesh.kind == STIC_SOLID_TET10 && a < nodes; ++a)
        share[a] = a < 4 ? 6.0 : 32.0;
    for (int32_t a = 0; a < nodes; ++a)
        shares += share[a];
    for (int32_t a = 0; a < nodes; ++a)
        solid->mass[node[a]] += solid->material.density * volume * share[a] / shares;
    return STIC_OK;
}

static SticStatus build_cells(SticSolid* solid, const SticSolidDef* def, SticError* error)
{
    SticSolidMesh* mesh = &solid->mesh;
    const size_t each = (size_t)stic_solid_cell_nodes(def->mesh->kind);
    SticSolidRule rule;
    stic_solid_cell_rule(def->mesh->kind, &rule);
    *mesh = (SticSolidMesh){.context = solid->context, .kind = def->mesh->kind};
    STIC_TRY(STIC_ALLOCATE(&solid->context, &mesh->node, (size_t)def->mesh->nodes));
    mesh->nodes = def->mesh->nodes;
    STIC_TRY(STIC_ALLOCATE(&solid->context, &mesh->cell, (size_t)def->mesh->cells * each));
    mesh->cells = def->mesh->cells;
    memcpy(mesh->node, def->mesh->node, (size_t)mesh->nodes * sizeof *mesh->node);
    memcpy(mesh->cell, def->mesh->cell, (size_t)mesh->cells * each * sizeof *mesh->cell);
    solid->points = rule.count;
    const size_t points = (size_t)mesh->cells * (size_t)rule.count;
    STIC_TRY(STIC_ALLOCATE(&solid->context, &solid->slope, points * each * 3));
    STIC_TRY(STIC_ALLOCATE(&solid->context, &solid->volume, points));
    STIC_TRY(STIC_ALLOCATE(&solid->context, &solid->mass, (size_t)mesh->nodes));
    for (int32_t cell = 0; cell < mesh->cells; ++cell)
        if (build_cell(solid, &rule, cell) != STIC_OK)
            return stic_error_set(error, STIC_BAD_DATA,
                                  "solid '%s': cell %d is flat or turned inside out", def->name,
                                  cell);
    return STIC_OK;
}

/* ---- coordinates ---- */

// free axes of all nodes, and the loads
static SticStatus build_nodes(SticSolid* solid, const SticSolidDef* def)
{
    const size_t nodes = (size_t)solid->mesh.nodes;
    STIC_TRY(STIC_ALLOCATE(&solid->context, &solid->force, nodes));
    STIC_TRY(STIC_ALLOCATE(&solid->context, &solid->rate, nodes));
    STIC_TRY(STIC_ALLOCATE(&solid->context, &solid->coordinate, 3 * nodes));
    STIC_TRY(STIC_ALLOCATE(&solid->context, &solid->block_of, nodes));
    for (int32_t k = 0; k < def->forces; ++k) {
        SticVec3* force = &solid->force[def->force[k].node];
        *force = stic_vec3_add(*force, def->force[k].force);
    }
    for (int32_t k = 0; k < def->supports; ++k) {
        const SticSolidSupport* support = &def->support[k];
        double rate[3];
        stic_vec3_store(solid->rate[support->node], rate);
        for (int axis = 0; axis < 3; ++axis)
            if ((support->axes & (1 << axis)) != 0) {
                solid->coordinate[3 * support->node + axis] = -1;
                rate[axis] = stic_vec3_get(support->rate, axis);
            }
        solid->rate[support->node] = stic_vec3_load(rate);
    }
    return STIC_OK;
}

// numbers of blocks and coordinates in the order of the nodes
static int32_t number_nodes(SticSolid* solid)
{
    int32_t blocks = 0, next = 0;
    for (int32_t i = 0; i < solid->mesh.nodes; ++i) {
        const int32_t before = next;
        for (int axis = 0; axis < 3; ++axis)
            if (solid->coordinate[3 * i + axis] == 0)
                solid->coordinate[3 * i + axis] = next++;
        solid->block_of[i] = next > before ? blocks++ : -1;
    }
    return blocks;
}

static void fill_layout(SticSolid* solid, int32_t blocks)
{
    int32_t next = 0;
    int64_t value = 0;
    for (int32_t i = 0; i < solid->mesh.nodes; ++i) {
        const int32_t block = solid->block_of[i];
        if (block < 0)
            continue;
        const double inverse = 1.0 / solid->mass[i];
        int32_t size = 0;
        for (int axis = 0; axis < 3; ++axis)
            size += solid->coordinate[3 * i + axis] >= 0 ? 1 : 0;
        solid->chart[block] = STIC_CHART_LINEAR;
        solid->node_of[block] = i;
        solid->col[block] = block;
        solid->at[block] = next;
        solid->begin[block] = block;
        solid->value_at[block] = value;
        for (int32_t c = 0; c < size; ++c) {
            solid->mass_diagonal[next + c] = solid->mass_value[value + c * (size + 1)] =
                solid->mass[i];
            solid->inverse_diagonal[next + c] = solid->inverse_value[value + c * (size + 1)] =
                inverse;
        }
        next += size;
        value += size * size;
    }
    solid->at[blocks] = next;
    solid->begin[blocks] = blocks;
    solid->value_at[blocks] = value;
    solid->system.layout = (SticLayout){.blocks = blocks,
                                        .nq = next,
                                        .nu = next,
                                        .chart = solid->chart,
                                        .q_at = solid->at,
                                        .u_at = solid->at};
    solid->mass_csr = (SticBlockCsr){.rows = blocks,
                                     .cols = blocks,
                                     .row_at = solid->at,
                                     .col_at = solid->at,
                                     .begin = solid->begin,
                                     .col = solid->col,
                                     .value_at = solid->value_at,
                                     .value = solid->mass_value};
    solid->inverse_csr = solid->mass_csr;
    solid->inverse_csr.value = solid->inverse_value;
}

static SticStatus build_layout(SticSolid* solid)
{
    const SticContext* context = &solid->context;
    const size_t blocks = (size_t)number_nodes(solid);
    // known to those who give the memory back, whatever fails
    solid->system.layout.blocks = (int32_t)blocks;
    STIC_TRY(STIC_ALLOCATE(context, &solid->node_of, blocks));
    STIC_TRY(STIC_ALLOCATE(context, &solid->chart, blocks));
    STIC_TRY(STIC_ALLOCATE(context, &solid->at, blocks + 1));
    STIC_TRY(STIC_ALLOCATE(context, &solid->begin, blocks + 1));
    STIC_TRY(STIC_ALLOCATE(context, &solid->col, blocks));
    STIC_TRY(STIC_ALLOCATE(context, &solid->value_at, blocks + 1));
    STIC_TRY(STIC_ALLOCATE(context, &solid->mass_value, 9 * blocks));
    STIC_TRY(STIC_ALLOCATE(context, &solid->inverse_value, 9 * blocks));
    STIC_TRY(STIC_ALLOCATE(context, &solid->mass_diagonal, 3 * blocks));
    STIC_TRY(STIC_ALLOCATE(context, &solid->inverse_diagonal, 3 * blocks));
    fill_layout(solid, (int32_t)blocks);
    return STIC_OK;
}

/* ---- terms ---- */

static size_t member_room(const SticSolid* solid)
{
    return (size_t)solid->mesh.cells * (size_t)stic_solid_cell_nodes(solid->mesh.kind) +
           (size_t)solid->system.layout.blocks;
}

static SticStatus build_terms(SticSolid* solid)
{
    const SticLayout* layout = &solid->system.layout;
    const int32_t cells = solid->mesh.cells, each = stic_solid_cell_nodes(solid->mesh.kind);
    const bool heavy = stic_vec3_norm(solid->gravity) > 0.0;
    solid->terms = cells + (heavy ? layout->blocks : 0);
    STIC_TRY(STIC_ALLOCATE(&solid->context, &solid->member_at,
                           (size_t)cells + (size_t)layout->blocks + 1));
    STIC_TRY(STIC_ALLOCATE(&solid->context, &solid->member, member_room(solid)));
    STIC_TRY(STIC_ALLOCATE(&solid->context, &solid->slope_at, (size_t)cells + 1));
    STIC_TRY(STIC_ALLOCATE(&solid->context, &solid->bend_at, (size_t)cells + 1));
    int32_t next = 0;
    for (int32_t k = 0; k < solid->terms; ++k) {
        int64_t size = 0;
        solid->member_at[k] = next;
        for (int32_t a = 0; a < (k < cells ? each : 1); ++a) {
            const int32_t block =
                k < cells ? solid->block_of[solid->mesh.cell[(int64_t)k * each + a]] : k - cells;
            if (block < 0)
                continue;
            solid->member[next++] = block;
            size += solid->at[block + 1] - solid->at[block];
        }
        solid->gradients += size;
        solid->hessians += size * size;
        if (k < cells) {
            solid->slope_at[k + 1] = solid->gradients;
            solid->bend_at[k + 1] = solid->hessians;
        }
    }
    solid->member_at[solid->terms] = next;
    return STIC_OK;
}

/* ---- contacts ---- */

SticStatus stic_solid_find_surface(const SticSolid* solid, uint8_t* on)
{
    int32_t *face = NULL, faces = 0;
    STIC_TRY(stic_solid_mesh_boundary(&solid->mesh, &face, &faces));
    for (int32_t k = 0; k < faces; ++k) {
        int32_t node[8];
        const int32_t count = stic_solid_mesh_face(&solid->mesh, face[k], node);
        for (int32_t a = 0; a < count; ++a)
            on[node[a]] = 1;
    }
    STIC_RELEASE(&solid->context, face, (size_t)solid->mesh.cells * STIC_SOLID_FACES);
    return STIC_OK;
}

static bool is_near(const SticSolidObstacle* obstacle, SticVec3 x)
{
    const SticVec3 from = stic_vec3_sub(x, obstacle->place);
    const double gap = obstacle->radius > 0.0 ? stic_vec3_norm(from) - obstacle->radius
                                              : stic_vec3_dot(obstacle->normal, from);
    return obstacle->reach == 0.0 || gap <= obstacle->reach;
}

// nodes that could touch; `touch` NULL: only their number
static int32_t list_touches(const SticSolid* solid, const SticSolidDef* def, const uint8_t* on,
                            SticSolidTouch* touch)
{
    int32_t count = 0;
    for (int32_t k = 0; k < solid->obstacles; ++k)
        for (int32_t i = 0; i < solid->mesh.nodes; ++i) {
            if (on[i] == 0 || solid->block_of[i] < 0 ||
                !is_near(&solid->obstacle[k], solid->mesh.node[i]))
                continue;
            if (touch != NULL)
                touch[count] = (SticSolidTouch){
                    .node = {i, -1}, .obstacle = k, .friction = solid->obstacle[k].friction};
            count += 1;
        }
    for (int32_t k = 0; k < def->pairs; ++k) {
        const SticSolidPair* pair = &def->pair[k];
        if (solid->block_of[pair->node[0]] < 0 && solid->block_of[pair->node[1]] < 0)
            continue;
        if (touch != NULL)
            touch[count] = (SticSolidTouch){.node = {pair->node[0], pair->node[1]},
                                            .obstacle = -1,
                                            .normal = stic_vec3_normalize(pair->normal),
                                            .friction = pair->friction};
        count += 1;
    }
    return count;
}

static SticStatus build_touches(SticSolid* solid, const SticSolidDef* def)
{
    uint8_t* on = NULL;
    STIC_TRY(STIC_ALLOCATE(&solid->context, &solid->obstacle, (size_t)def->obstacles));
    solid->obstacles = def->obstacles;
    for (int32_t k = 0; k < def->obstacles; ++k) {
        solid->obstacle[k] = def->obstacle[k];
        if (def->obstacle[k].radius == 0.0)
            solid->obstacle[k].normal = stic_vec3_normalize(def->obstacle[k].normal);
    }
    if (def->obstacles + def->pairs == 0)
        return STIC_OK;
    STIC_TRY(STIC_ALLOCATE(&solid->context, &on, (size_t)solid->mesh.nodes));
    SticStatus status = def->obstacles > 0 ? stic_solid_find_surface(solid, on) : STIC_OK;
    const int32_t count = list_touches(solid, def, on, NULL);
    if (status == STIC_OK)
        status = STIC_ALLOCATE(&solid->context, &solid->touch, (size_t)count);
    if (status == STIC_OK)
        solid->touches = list_touches(solid, def, on, solid->touch);
    STIC_RELEASE(&solid->context, on, (size_t)solid->mesh.nodes);
    return status;
}

/* ---- the system ---- */

static bool stands_still(const SticSolid* solid)
{
    for (int32_t i = 0; i < solid->mesh.nodes; ++i)
        if (stic_vec3_norm(solid->rate[i]) > 0.0)
            return false;
    for (int32_t k = 0; k < solid->obstacles; ++k)
        if (stic_vec3_norm(solid->obstacle[k].velocity) > 0.0)
            return false;
    return true;
}

static bool has_balls(const SticSolid* solid)
{
    for (int32_t k = 0; k < solid->obstacles; ++k)
        if (solid->obstacle[k].radius > 0.0)
            return true;
    return false;
}

// sums of the rows of |K| of all cells without load; hessian has room for one cell, or for all with
// `stride` between them
static SticStatus add_rows(const SticSolid* solid, const SticState* rest, double* hessian,
                           int64_t stride, double* sum)
{
    const int32_t each = stic_solid_cell_nodes(solid->mesh.kind), n = 3 * each;
    double energy, gradient[3 * STIC_SOLID_CELL_NODES];
    for (int32_t cell = 0; cell < solid->mesh.cells; ++cell, hessian += stride) {
        STIC_TRY(stic_solid_cell_energy(solid, rest, cell, &energy, gradient, hessian));
        for (int32_t r = 0; r < n; ++r) {
            const int32_t node = solid->mesh.cell[(int64_t)cell * each + r / 3];
            for (int32_t c = 0; c < n; ++c)
                sum[3 * node + r % 3] += fabs(hessian[r * n + c]);
        }
    }
    return STIC_OK;
}

static SticStatus find_limit(SticSolid* solid)
{
    const size_t square = 9 * (size_t)STIC_SOLID_CELL_NODES * STIC_SOLID_CELL_NODES;
    const size_t nq = (size_t)solid->system.layout.nq, all = 3 * (size_t)solid->mesh.nodes;
    const int64_t each = 9 * (int64_t)stic_solid_cell_nodes(solid->mesh.kind) *
                         stic_solid_cell_nodes(solid->mesh.kind);
    double *work = NULL, *kept = NULL, largest = 0.0;
    STIC_TRY(STIC_ALLOCATE(&solid->context, &work, square + all + nq));
    const SticState rest = {.q = work + square + all};
    double* sum = work + square;
    SticStatus status = STIC_OK;
    if (solid->material.kind == STIC_SOLID_LINEAR)
        status = STIC_ALLOCATE(&solid->context, &kept, (size_t)(each * solid->mesh.cells));
    if (status == STIC_OK)
        status = add_rows(solid, &rest, kept == NULL ? work : kept, kept == NULL ? 0 : each, sum);
    solid->stiffness = kept;
    for (size_t k = 0; k < all; ++k)
        if (solid->coordinate[k] >= 0 && sum[k] > largest * solid->mass[k / 3])
            largest = sum[k] / solid->mass[k / 3];
    STIC_RELEASE(&solid->context, work, square + all + nq);
    solid->system.step_limit = largest > 0.0 ? 2.0 / sqrt(largest) : 0.0;
    return status;
}

static SticStatus build(SticSolid* solid, const SticSolidDef* def, SticError* error)
{
    STIC_TRY(build_cells(solid, def, error));
    STIC_TRY(build_nodes(solid, def));
    STIC_TRY(build_layout(solid));
    STIC_TRY(build_terms(solid));
    STIC_TRY(build_touches(solid, def));
    if (solid->system.layout.blocks == 0)
        return stic_error_set(error, STIC_BAD_ARGUMENT, "solid '%s': no node can move", def->name);
    solid->system.offers = STIC_OFFERS_CONSTANT_MASS | STIC_OFFERS_POTENTIAL | STIC_OFFERS_HESSIAN |
                           STIC_OFFERS_DIRECTIONS_Q | STIC_OFFERS_CURVATURE | STIC_OFFERS_OPEN_GAPS;
    if (stands_still(solid))
        solid->system.offers |= STIC_OFFERS_SCLERONOMIC;
    // the axes at a ball turn with the point, at a rate that is not given
    if (!has_balls(solid))
        solid->system.offers |= STIC_OFFERS_BIAS;
    return find_limit(solid);
}

SticStatus stic_solid_create(const SticContext* context, const SticSolidDef* def,
                             SticSystem** system, SticError* error)
{
    context = stic_context_given(context);
    STIC_ASSERT(def != NULL);
    STIC_ASSERT(system != NULL);
    *system = NULL;
    STIC_TRY(check_def(def, error));
    SticSolid* solid = NULL;
    STIC_TRY(STIC_ALLOCATE(context, &solid, 1));
    solid->context = *context;
    solid->material = def->material;
    solid->gravity = def->gravity;
    solid->system = (SticSystem){.name = def->name, .ops = &solid_ops, .self = solid, .wide = true};
    SticError own = {.status = STIC_OK};
    const SticStatus status = build(solid, def, &own);
    if (status != STIC_OK) {
        stic_solid_destroy(&solid->system);
        return stic_error_set(error, status, "%s",
                              own.status != STIC_OK ? own.text : stic_status_text(status));
    }
    *system = &solid->system;
    return STIC_OK;
}

void stic_solid_destroy(SticSystem* system)
{
    if (system == NULL)
        return;
    SticSolid* solid = (SticSolid*)system;
    const SticContext context = solid->context;
    const size_t nodes = (size_t)solid->mesh.nodes, blocks = (size_t)system->layout.blocks;
    const size_t points = (size_t)solid->mesh.cells * (size_t)solid->points;
    const size_t each = (size_t)stic_solid_cell_nodes(solid->mesh.kind);
    STIC_RELEASE(&context, solid->slope, points * each * 3);
    STIC_RELEASE(&context, solid->volume, points);
    STIC_RELEASE(&context, solid->mass, nodes);
    if (solid->stiffness != NULL)
        STIC_RELEASE(&context, solid->stiffness, (size_t)solid->mesh.cells * 9 * each * each);
    STIC_RELEASE(&context, solid->force, nodes);
    STIC_RELEASE(&context, solid->rate, nodes);
    STIC_RELEASE(&context, solid->coordinate, 3 * nodes);
    STIC_RELEASE(&context, solid->block_of, nodes);
    STIC_RELEASE(&context, solid->node_of, blocks);
    STIC_RELEASE(&context, solid->chart, blocks);
    STIC_RELEASE(&context, solid->at, blocks + 1);
    STIC_RELEASE(&context, solid->begin, blocks + 1);
    STIC_RELEASE(&context, solid->col, blocks);
    STIC_RELEASE(&context, solid->value_at, blocks + 1);
    STIC_RELEASE(&context, solid->mass_value, 9 * blocks);
    STIC_RELEASE(&context, solid->inverse_value, 9 * blocks);
    STIC_RELEASE(&context, solid->mass_diagonal, 3 * blocks);
    STIC_RELEASE(&context, solid->inverse_diagonal, 3 * blocks);
    STIC_RELEASE(&context, solid->member_at, (size_t)solid->mesh.cells + blocks + 1);
    STIC_RELEASE(&context, solid->member, member_room(solid));
    STIC_RELEASE(&context, solid->slope_at, (size_t)solid->mesh.cells + 1);
    STIC_RELEASE(&context, solid->bend_at, (size_t)solid->mesh.cells + 1);
    STIC_RELEASE(&context, solid->obstacle, solid->obstacles);
    STIC_RELEASE(&context, solid->touch, solid->touches);
    stic_solid_mesh_release(&solid->mesh);
    STIC_RELEASE(&context, solid, 1);
}

int32_t stic_solid_coordinate(const SticSystem* system, int32_t node, int axis)
{
    STIC_ASSERT(system != NULL);
    STIC_ASSERT(node >= 0 && node < stic_solid_of(system)->mesh.nodes);
    STIC_ASSERT(axis >= 0 && axis < 3);
    return stic_solid_of(system)->coordinate[3 * node + axis];
}

double stic_solid_mass(const SticSystem* system, int32_t node)
{
    STIC_ASSERT(system != NULL);
    STIC_ASSERT(node >= 0 && node < stic_solid_of(system)->mesh.nodes);
    return stic_solid_of(system)->mass[node];
}
