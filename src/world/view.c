// SPDX-License-Identifier: Apache-2.0
// The system of a world: layout, mass, start, and reading bodies back.
//
// Every body that moves by forces is one block with its centre of mass as origin and the axes of
// the body's own frame, so that the mass is constant and block diagonal:
//
//   rigid          x and a rotation in the chart of the scheme: m I and J (and tr J / 2 for nu of
//                  the scalable chart, Möller 4.88); in the linear chart as a pseudo-rigid body
//                  with six constraints (rigidity.c)
//   point          x: m I
//   pseudo-rigid   x and F by rows: m I and three times the Euler tensor (Koziara 4.3)
//   elastic        a block of displacements for each node that moves: m I (soft.c)
//
// Fixed bodies have no block; their shapes lie in world axes. Prescribed bodies have none either,
// their shapes lie in their own frames; interactions name them by block -2 - k.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "math/math.h"
#include "shape/shape.h"
#include "stiction/extend/base.h"
#include "stiction/extend/law.h"
#include "world/contact.h"
#include "world/facet.h"

SticStatus stic_view_check(const SticView* view)
{
    return view->edition == view->world->edition ? STIC_OK : STIC_BAD_DATA;
}

SticStatus stic_world_check(const SticSystem* system, SticError* error)
{
    if (stic_world_of(system) != NULL && stic_view_check(stic_view_of(system)) != STIC_OK)
        return stic_error_set(error, STIC_BAD_DATA,
                              "bodies, shapes, joints or materials of the world have changed since "
                              "the run was made: make a new run");
    return STIC_OK;
}

bool stic_world_chart(uint32_t charts, SticChart* chart)
{
    STIC_ASSERT(chart != NULL);
    static const SticChart order[] = {STIC_CHART_QUATERNION, STIC_CHART_ROTATION,
                                      STIC_CHART_SCALABLE, STIC_CHART_LINEAR};
    for (size_t k = 0; k < sizeof order / sizeof order[0]; ++k)
        if (charts & STIC_CHART_BIT(order[k])) {
            *chart = order[k];
            return true;
        }
    return false;
}

/* ---- what a scheme calls ---- */

static SticStatus view_mass(const SticSystem* system, const SticState* state, SticArena* arena,
                            SticMass* mass)
{
    const SticView* view = stic_view_of(system);
    (void)state;
    (void)arena;
    *mass = (SticMass){.kind = STIC_MASS_BLOCKS, .A = &view->mass, .inverse = &view->inverse};
    if (view->diagonal != NULL) {
        mass->diagonal = view->diagonal;
        mass->inverse_diagonal = view->diagonal + system->layout.nu;
    }
    return STIC_OK;
}

static double view_kink(const SticSystem* system, double t)
{
    const SticView* view = stic_view_of(system);
    double first = INFINITY;
    for (int32_t k = 0; k < view->prescribed; ++k) {
        const SticBodyDef* def = &view->world->body[view->moved[k].body].def;
        const double kink =
            def->motion_kink != NULL ? def->motion_kink(def->motion_self, t) : INFINITY;
        first = kink < first ? kink : first;
    }
    for (int32_t k = 0; k < view->joints; ++k) {
        const SticJointDef* def = &view->world->joint[view->joint[k].slot].def;
        const double kink = def->driven && def->drive.velocity_kink != NULL
                                ? def->drive.velocity_kink(def->drive.velocity_self, t)
                                : INFINITY;
        first = kink < first ? kink : first;
    }
    return first;
}

static double view_smooth(const SticSystem* system, double t, double end)
{
    const SticView* view = stic_view_of(system);
    for (int32_t k = 0; k < view->prescribed; ++k) {
        const SticBodyDef* def = &view->world->body[view->moved[k].body].def;
        if (def->motion_smooth != NULL)
            end = def->motion_smooth(def->motion_self, t, end);
    }
    for (int32_t k = 0; k < view->joints; ++k) {
        const SticJointDef* def = &view->world->joint[view->joint[k].slot].def;
        if (def->driven && def->drive.velocity_smooth != NULL)
            end = def->drive.velocity_smooth(def->drive.velocity_self, t, end);
    }
    return end;
}

static void view_label(const SticSystem* system, int32_t block, char* text, size_t size)
{
    const SticView* view = stic_view_of(system);
    uint32_t body = 0;
    const bool node = stic_view_is_node(view, block);
    if (node)
        body = view->elastic[view->elastic_of[block]].body;
    while (!node && body + 1 < (uint32_t)view->bodies && view->block_of[body] != block)
        ++body;
    const SticLabel label = stic_label(view->world->body[body].name, body);
    if (node)
        snprintf(text, size, "the node at (%.4g, %.4g, %.4g) of body %s", view->origin[block][0],
                 view->origin[block][1], view->origin[block][2], label.text);
    else
        snprintf(text, size, "body %s", label.text);
}

static const SticSystemOps view_ops = {
    .mass = view_mass,
    .force = stic_view_force,
    .damping = stic_view_damping,
    .gyro = NULL,
    .potential = stic_view_potential,
    .tangent = stic_view_tangent,
    .limit = stic_view_limit,
    .detect = stic_world_detect,
    .measure = stic_world_measure,
    .retrace = stic_world_retrace,
    .gap = stic_world_gap,
    .kink = view_kink,
    .smooth = view_smooth,
    .follow = stic_view_follow,
    .winding = stic_view_winding,
    .lever = stic_view_lever,
    .sweep = stic_view_sweep,
    .label = view_label,
};

/* ---- building ---- */

// blocks of a body that moves by forces: one, or one for each node
static int32_t take_blocks(SticView* view, uint32_t body)
{
    const int32_t first = view->blocks;
    view->blocks = view->world->body[body].def.kind == STIC_BODY_ELASTIC
                       ? stic_soft_number(view, body, first)
                       : first + 1;
    return first;
}

// which bodies have a block, and where fixed ones are
static SticStatus build_bodies(SticView* view, SticError* error)
{
    STIC_TRY(stic_soft_build(view, error));
    const SticWorld* world = view->world;
    const SticContext* context = &view->context;
    view->bodies = (int32_t)world->bodies;
    STIC_TRY(STIC_ALLOCATE(context, &view->block_of, view->bodies));
    STIC_TRY(STIC_ALLOCATE(context, &view->generation, view->bodies));
    STIC_TRY(STIC_ALLOCATE(context, &view->fixed, view->bodies));
    for (int32_t i = 0; i < view->bodies; ++i) {
        const SticBodySlot* slot = &world->body[i];
        view->block_of[i] = -1;
        if (slot->alive && stic_body_moves((SticBodyKind)slot->def.kind))
            view->block_of[i] = take_blocks(view, (uint32_t)i);
        else if (slot->alive && slot->def.kind == STIC_BODY_PRESCRIBED)
            view->block_of[i] = -2 - view->prescribed++;
        view->generation[i] = slot->alive ? slot->generation : 0;
        view->fixed[i] =
            stic_pose_rigid(stic_quat_to_matrix(slot->def.orientation), slot->def.position);
    }
    STIC_TRY(STIC_ALLOCATE(context, &view->body_of, view->blocks));
    STIC_TRY(STIC_ALLOCATE(context, &view->moved, view->prescribed));
    for (int32_t i = 0; i < view->bodies; ++i) {
        const SticSoftBody* elastic = stic_soft_of(view, (uint32_t)i);
        const int32_t count = elastic == NULL ? 1 : elastic->solid->system.layout.blocks;
        for (int32_t b = 0; view->block_of[i] >= 0 && b < count; ++b)
            view->body_of[view->block_of[i] + b] = (uint32_t)i;
        if (view->block_of[i] < -1)
            view->moved[-2 - view->block_of[i]].body = (uint32_t)i;
    }
    if (view->prescribed > 0)
        view->system.offers &= ~(uint32_t)STIC_OFFERS_SCLERONOMIC;
    return STIC_OK;
}

// chart and sizes of the block of a body
static SticBlockForm form_of(const SticView* view, uint32_t body)
{
    const int32_t kind = view->world->body[body].def.kind;
    const int32_t n = kind == STIC_BODY_POINT || kind == STIC_BODY_ELASTIC ? 3 : 12;
    const SticChart chart = kind == STIC_BODY_RIGID ? view->chart : STIC_CHART_LINEAR;
    return (SticBlockForm){chart, stic_chart_q_size(chart, n), stic_chart_u_size(chart, n)};
}

static SticStatus build_layout(SticView* view)
{
    const SticContext* context = &view->context;
    const int32_t n = view->blocks;
    STIC_TRY(STIC_ALLOCATE(context, &view->charts, n));
    STIC_TRY(STIC_ALLOCATE(context, &view->jointed, n));
    view->system.jointed = view->jointed;
    STIC_TRY(STIC_ALLOCATE(context, &view->q_at, n + 1));
    STIC_TRY(STIC_ALLOCATE(context, &view->u_at, n + 1));
    view->springs = stic_view_count_springs(view->world);
    STIC_TRY(STIC_ALLOCATE(context, &view->term_block, n + view->springs));
    STIC_TRY(STIC_ALLOCATE(context, &view->begin, n + 1));
    STIC_TRY(STIC_ALLOCATE(context, &view->col, n));
    STIC_TRY(STIC_ALLOCATE(context, &view->value_at, n + 1));
    view->q_at[0] = view->u_at[0] = view->begin[0] = 0;
    view->value_at[0] = 0;
    for (int32_t i = 0; i < n; ++i) {
        const SticBlockForm form = form_of(view, view->body_of[i]);
        view->charts[i] = (uint8_t)form.chart;
        view->stiff += stic_view_is_stiff(view, i) ? 1 : 0;
        view->q_at[i + 1] = view->q_at[i] + form.nq;
        view->u_at[i + 1] = view->u_at[i] + form.nu;
        view->begin[i + 1] = i + 1;
        view->value_at[i + 1] = view->value_at[i] + (int64_t)form.nu * form.nu;
        view->term_block[i][0] = view->col[i] = i;
        view->term_block[i][1] = -1;
    }
    view->system.layout = (SticLayout){.blocks = n,
                                       .nq = view->q_at[n],
                                       .nu = view->u_at[n],
                                       .chart = view->charts,
                                       .q_at = view->q_at,
                                       .u_at = view->u_at};
    return stic_soft_place(view);
}

static void fill_mass(const SticBlockForm* form, const SticMassProperties* mass, double* block)
{
    const int n = form->nu;
    for (int r = 0; r < 3; ++r)
        block[r * n + r] = mass->mass;
    if (n == 3)
        return;
    const bool affine = form->chart == STIC_CHART_LINEAR;
    const SticMat3 part = stic_mat3_symmetric(affine ? mass->euler : mass->inertia);
    for (int at = affine ? 3 : n - 3; at < n; at += 3)
        for (int r = 0; r < 3; ++r)
            for (int c = 0; c < 3; ++c)
                block[(at + r) * n + at + c] = part.m[r][c];
    if (form->chart == STIC_CHART_SCALABLE)
        block[3 * n + 3] = 0.5 * stic_mat3_trace(mass->inertia);
}

// stability limit of explicit schemes at the undeformed body
static void limit_step(SticView* view, int32_t block)
{
    const SticBodyDef* def = &view->world->body[view->body_of[block]].def;
    const SticMassProperties* mass = &view->mass_of[block];
    if (def->kind != STIC_BODY_PSEUDO_RIGID)
        return;
    const double limit =
        stic_elastic_step(&def->elastic, mass->volume, mass->euler, stic_mat3_identity());
    if (view->system.step_limit == 0.0 || limit < view->system.step_limit)
        view->system.step_limit = limit;
}

// a flat body has no inertia against leaving its plane
static SticStatus check_linear(const SticView* view, int32_t block, SticError* error)
{
    SticVec3 values;
    SticMat3 axes;
    if (!stic_view_is_stiff(view, block))
        return STIC_OK;
    stic_eigen3_symmetric(view->mass_of[block].euler, &values, &axes);
    // well above the rounding of a difference of moments
    if (values.x > 1e-10 * values.z)
        return STIC_OK;
    return stic_error_set(
        error, STIC_UNSUPPORTED, "rigid body %s is flat: it has no coordinates of the linear chart",
        stic_label(view->world->body[view->body_of[block]].name, (uint32_t)view->body_of[block])
            .text);
}

// mass properties of the body or node of a block
static SticStatus find_mass(SticView* view, int32_t block, SticMassProperties* of_body,
                            SticError* error)
{
    const uint32_t body = view->body_of[block];
    const SticSoftBody* elastic = stic_soft_of(view, body);
    if (elastic != NULL) {
        const SticSolid* solid = elastic->solid;
        view->mass_of[block].mass = solid->mass[solid->node_of[block - elastic->block]];
        return STIC_OK;
    }
    STIC_TRY(stic_body_mass(view->world, body, &of_body[body], error));
    view->mass_of[block] = of_body[body];
    return STIC_OK;
}

// the diagonal of block i; false if it has other entries
static bool copy_diagonal(const SticView* view, int32_t i, const double* value, double* diagonal)
{
    const int32_t at = view->u_at[i], n = view->u_at[i + 1] - at;
    const double* block = value + view->value_at[i];
    bool alone = true;
    for (int32_t e = 0; e < n * n; ++e)
        alone = alone && (e % (n + 1) == 0 || block[e] == 0.0);
    for (int32_t k = 0; k < n; ++k)
        diagonal[at + k] = block[k * (n + 1)];
    return alone;
}

// bodies in their principal axes, as most are: six products instead of 36
static SticStatus build_diagonal(SticView* view)
{
    const int32_t nu = view->u_at[view->blocks];
    bool alone = true;
    STIC_TRY(STIC_ALLOCATE(&view->context, &view->diagonal, 2 * nu));
    for (int32_t i = 0; i < view->blocks; ++i)
        alone = copy_diagonal(view, i, view->mass_value, view->diagonal) &&
                copy_diagonal(view, i, view->inverse_value, view->diagonal + nu) && alone;
    if (alone)
        return STIC_OK;
    STIC_RELEASE(&view->context, view->diagonal, 2 * nu);
    view->diagonal = NULL;
    return STIC_OK;
}

static SticStatus build_mass(SticView* view, SticMassProperties* of_body, SticError* error)
{
    const SticContext* context = &view->context;
    const int64_t values = view->value_at[view->blocks];
    STIC_TRY(STIC_ALLOCATE(context, &view->mass_of, view->blocks));
    STIC_TRY(STIC_ALLOCATE(context, &view->mass_value, values));
    STIC_TRY(STIC_ALLOCATE(context, &view->inverse_value, values));
    STIC_TRY(stic_body_add_shapes(view->world, of_body, error));
    for (int32_t i = 0; i < view->blocks; ++i) {
        const uint32_t body = view->body_of[i];
        STIC_TRY(find_mass(view, i, of_body, error));
        double* block = view->mass_value + view->value_at[i];
        const SticBlockForm form = stic_view_form(view, i);
        fill_mass(&form, &view->mass_of[i], block);
        limit_step(view, i);
        STIC_TRY(check_linear(view, i, error));
        if (stic_dense_spd_inverse(form.nu, block, view->inverse_value + view->value_at[i]) !=
            STIC_OK)
            return stic_error_set(error, STIC_SINGULAR,
                                  "body %s: mass or inertia cannot be inverted",
                                  stic_label(view->world->body[body].name, (uint32_t)body).text);
    }
    view->mass = (SticBlockCsr){.rows = view->blocks,
                                .cols = view->blocks,
                                .row_at = view->u_at,
                                .col_at = view->u_at,
                                .begin = view->begin,
                                .col = view->col,
                                .value_at = view->value_at,
                                .value = view->mass_value};
    view->inverse = view->mass;
    view->inverse.value = view->inverse_value;
    return build_diagonal(view);
}

static bool is_identity(const SticPose* pose)
{
    const SticMat3 one = stic_mat3_identity();
    bool same = pose->rigid && stic_vec3_is_equal(pose->origin, stic_vec3_zero());
    for (int i = 0; i < 9; ++i)
        same = same && pose->F.m[i / 3][i % 3] == one.m[i / 3][i % 3];
    return same;
}

// a shape in the frame of its block
static SticBlockShape place_shape(const SticView* view, uint32_t index)
{
    const SticShapeSlot* slot = &view->world->shape[index];
    const int32_t block = view->block_of[slot->body];
    SticPose pose = slot->pose;
    if (block == -1)
        pose = stic_pose_compose(&view->fixed[slot->body], &slot->pose);
    else if (block >= 0)
        pose.origin = stic_vec3_sub(pose.origin, view->mass_of[block].centre);
    return (SticBlockShape){.shape = slot->shape,
                            .pose = pose,
                            .centred = is_identity(&pose),
                            .block = block,
                            .material = (int32_t)slot->material,
                            .slot = index,
                            .body = slot->body,
                            .part = (int32_t)index};
}

// whether a shape takes part in detection by itself; those of elastic bodies do it by their nodes
static bool is_whole(const SticWorld* world, uint32_t shape)
{
    const SticShapeSlot* slot = &world->shape[shape];
    return slot->alive && world->body[slot->body].def.kind != STIC_BODY_ELASTIC;
}

// parts of one body never meet, nor do fixed and prescribed ones: group 1
static int32_t group_of(const SticView* view, const SticBlockShape* shape)
{
    const bool elastic = shape->node || shape->facet != NULL;
    const int32_t block = elastic ? stic_soft_of(view, shape->body)->block : shape->block;
    return block < 0 ? 1 : block + 2;
}

int32_t stic_view_shape_of(const SticView* view, int32_t part)
{
    int32_t low = 0, high = view->shapes;
    while (low < high) {
        const int32_t middle = low + (high - low) / 2;
        if (view->shape[middle].part < part)
            low = middle + 1;
        else
            high = middle;
    }
    return low < view->shapes && view->shape[low].part == part ? low : -1;
}

static bool is_mesh(const SticBlockShape* shape)
{
    return shape->shape->kind == STIC_SHAPE_MESH || shape->shape->kind == STIC_SHAPE_HEIGHT_FIELD;
}

static SticLabel body_label(const SticView* view, const SticBlockShape* shape)
{
    return stic_label(view->world->body[shape->body].name, shape->body);
}

// the narrow phase knows no inside meshes: two of them have no contacts
static SticStatus check_meshes(const SticView* view, SticError* error)
{
    const SticBlockShape* moving = NULL;
    for (int32_t k = 0; k < view->shapes && moving == NULL; ++k)
        if (is_mesh(&view->shape[k]) && view->shape[k].block >= 0)
            moving = &view->shape[k];
    for (int32_t k = 0; k < view->shapes && moving != NULL; ++k)
        if (is_mesh(&view->shape[k]) && view->shape[k].block != moving->block)
            return stic_error_set(error, STIC_UNSUPPORTED,
                                  "bodies %s and %s both have meshes or height fields, whose "
                                  "contacts are not known; make one of them of convex parts",
                                  body_label(view, moving).text,
                                  body_label(view, &view->shape[k]).text);
    return STIC_OK;
}

// shapes with curved sides touch the nodes of elastic bodies alone, and could pass between them
static SticStatus check_elastic(const SticView* view, SticError* error)
{
    double edge = 0.0;
    const SticSoftBody* coarse = NULL;
    for (int32_t k = 0; k < view->elastics; ++k)
        if (2.0 * view->elastic[k].point.radius > edge) {
            // a cell's edge is twice the radius of the ball around a node
            edge = 2.0 * view->elastic[k].point.radius;
            coarse = &view->elastic[k];
        }
    for (int32_t k = 0; coarse != NULL && k < view->shapes; ++k) {
        const SticBlockShape* shape = &view->shape[k];
        if (shape->node || shape->facet != NULL || !(stic_shape_size(shape->shape) < edge) ||
            stic_facet_has_points(shape->shape))
            continue;
        return stic_error_set(
            error, STIC_UNSUPPORTED,
            "body %s is smaller than the cells of the elastic body %s, %g m, and would pass "
            "between their nodes; take smaller cells, or a sphere, a capsule or a polyhedron",
            body_label(view, shape).text,
            stic_label(view->world->body[coarse->body].name, coarse->body).text, edge);
    }
    return STIC_OK;
}

static SticStatus build_shapes(SticView* view, SticError* error)
{
    const SticWorld* world = view->world;
    int32_t count = 0;
    for (uint32_t k = 0; k < world->shapes; ++k)
        count += is_whole(world, k) ? 1 : 0;
    STIC_TRY(stic_facet_build(view));
    count += stic_soft_count_shapes(view);
    STIC_TRY(STIC_ALLOCATE(&view->context, &view->shape, count));
    view->shapes = count;
    count = 0;
    for (uint32_t k = 0; k < world->shapes; ++k)
        if (is_whole(world, k))
            view->shape[count++] = place_shape(view, k);
    count += stic_soft_shapes(view, view->shape + count);
    STIC_ASSERT(count == view->shapes);
    view->facet_shape = count - view->facets;
    STIC_TRY(check_meshes(view, error));
    STIC_TRY(check_elastic(view, error));
    STIC_TRY(STIC_ALLOCATE(&view->context, &view->size, view->blocks));
    view->system.size = view->size;
    for (int32_t k = 0; k < view->shapes; ++k) {
        const double size = stic_shape_size(view->shape[k].shape),
                     thin = stic_shape_thickness(view->shape[k].shape);
        if (k == 0 || thin < view->system.thin)
            view->system.thin = thin;
        double* most = view->shape[k].block >= 0 ? &view->size[view->shape[k].block] : NULL;
        if (most != NULL && size > *most)
            *most = size;
    }
    for (int32_t k = 0; k < view->elastics; ++k)
        for (int32_t b = 0; b < view->elastic[k].solid->system.layout.blocks; ++b)
            view->size[view->elastic[k].block + b] = view->elastic[k].size;

    stic_view_measure_extent(view);

    SticBroadSettings settings = stic_broad_default_settings();
    _Static_assert((int)STIC_SEARCH_COUNT == (int)STIC_BROAD_METHOD_COUNT,
                   "searches of worlds are the methods of the broad phase, in their order");
    settings.method = (int32_t)world->search;
    STIC_TRY(stic_broad_create(&view->context, &settings, &view->broad, error));
    for (int32_t k = 0; k < view->shapes; ++k) {
        const SticBroadItem item = {.group = group_of(view, &view->shape[k])};
        int32_t handle = -1;
        STIC_TRY(stic_broad_insert(view->broad, &item, &handle, error));
        STIC_ASSERT(handle == k);
    }
    return stic_lanes_create(view);
}

static SticStatus build_surfaces(SticView* view)
{
    const SticWorld* world = view->world;
    const uint32_t n = world->materials;
    view->materials = (int32_t)n;
    STIC_TRY(STIC_ALLOCATE(&view->context, &view->surface, (size_t)n * n));
    for (uint32_t a = 0; a < n; ++a)
        for (uint32_t b = 0; b < n; ++b)
            view->surface[a * n + b] = stic_surface_of(world, a, b);
    for (uint32_t k = 0; k < n * n; ++k) {
        const SticSurface* surface = &view->surface[k].surface;
        view->system.bonds = view->system.bonds || surface->cohesion > 0.0;
        view->system.laws |= STIC_LAW_BIT(stic_surface_law(surface));
        if (surface->restitution[0] > 0.0)
            view->system.bounces |= STIC_REBOUND_NORMAL;
        if (surface->restitution[1] > 0.0 && (surface->friction > 0.0 || surface->shear > 0.0))
            view->system.bounces |= STIC_REBOUND_TANGENTIAL;
    }
    return STIC_OK;
}

static SticStatus build(SticView* view, SticError* error)
{
    STIC_TRY(build_bodies(view, error));
    STIC_TRY(build_layout(view));
    if (view->elastics > 0)
        view->ops.discrete = stic_view_discrete; // cells know their discrete derivatives

    SticMassProperties* of_body = NULL;
    STIC_TRY(STIC_ALLOCATE(&view->context, &of_body, view->bodies));
    const SticStatus status = build_mass(view, of_body, error);
    STIC_RELEASE(&view->context, of_body, view->bodies);
    STIC_TRY(status);
    STIC_TRY(build_surfaces(view));
    STIC_TRY(build_shapes(view, error));
    STIC_TRY(stic_view_build_joints(view, error));
    return stic_soft_terms(view);
}

SticStatus stic_world_system(const SticWorld* world, SticChart chart, SticSystem** system,
                             SticError* error)
{
    STIC_ASSERT(world != NULL);
    STIC_ASSERT(system != NULL);
    *system = NULL;
    SticChart wanted;
    if (!stic_world_chart(STIC_CHART_BIT(chart), &wanted))
        return stic_error_set(error, STIC_UNSUPPORTED,
                              "rigid bodies of a world have no coordinates of the %s chart",
                              stic_chart_name(chart));
    SticView* view = NULL;
    SticStatus status = STIC_ALLOCATE(&world->context, &view, 1);
    if (status != STIC_OK)
        return stic_error_set(error, status, "no memory for the system of a world");
    view->context = world->context;
    view->world = world;
    view->edition = world->edition;
    view->chart = chart;
    view->system.name = "world";
    view->ops = view_ops;
    view->system.ops = &view->ops;
    view->system.self = view;
    view->system.speeds = true;
    view->system.offers = STIC_OFFERS_CONSTANT_MASS | STIC_OFFERS_POTENTIAL | STIC_OFFERS_HESSIAN |
                          STIC_OFFERS_DIRECTIONS_Q | STIC_OFFERS_SCLERONOMIC |
                          STIC_OFFERS_OPEN_GAPS;
    if (chart != STIC_CHART_SCALABLE)
        view->system.offers |= STIC_OFFERS_BIAS;
    status = build(view, error);
    if (status != STIC_OK) {
        stic_world_system_destroy(&view->system);
        return status == STIC_OUT_OF_MEMORY
                   ? stic_error_set(error, status, "no memory for the system of a world")
                   : status;
    }
    *system = &view->system;
    return STIC_OK;
}

void stic_world_system_destroy(SticSystem* system)
{
    if (system == NULL)
        return;
    SticView* view = (SticView*)system; // the handle is its first member
    const SticContext context = view->context;
    const int64_t values = view->mass_of == NULL ? 0 : view->value_at[view->blocks];
    if (view->diagonal != NULL)
        STIC_RELEASE(&context, view->diagonal, 2 * view->u_at[view->blocks]);
    STIC_RELEASE(&context, view->block_of, view->bodies);
    STIC_RELEASE(&context, view->size, view->blocks);
    STIC_RELEASE(&context, view->generation, view->bodies);
    STIC_RELEASE(&context, view->fixed, view->bodies);
    STIC_RELEASE(&context, view->body_of, view->blocks);
    STIC_RELEASE(&context, view->moved, view->prescribed);
    STIC_RELEASE(&context, view->mass_of, view->blocks);
    STIC_RELEASE(&context, view->charts, view->blocks);
    STIC_RELEASE(&context, view->jointed, view->blocks);
    STIC_RELEASE(&context, view->q_at, view->blocks + 1);
    STIC_RELEASE(&context, view->u_at, view->blocks + 1);
    STIC_RELEASE(&context, view->term_block, view->blocks + view->springs);
    STIC_RELEASE(&context, view->begin, view->blocks + 1);
    STIC_RELEASE(&context, view->col, view->blocks);
    STIC_RELEASE(&context, view->value_at, view->blocks + 1);
    STIC_RELEASE(&context, view->mass_value, values);
    STIC_RELEASE(&context, view->inverse_value, values);
    STIC_RELEASE(&context, view->shape, view->shapes);
    STIC_RELEASE(&context, view->surface, view->materials * view->materials);
    stic_broad_destroy(view->broad);
    stic_lanes_destroy(view);
    STIC_RELEASE(&context, view->joint_of, view->joint_slots);
    STIC_RELEASE(&context, view->joint, view->joints);
    STIC_RELEASE(&context, view->spring, view->springs);
    stic_soft_drop(view);
    STIC_RELEASE(&context, view, 1);
}

/* ---- states ---- */

const SticWorld* stic_world_of(const SticSystem* system)
{
    const bool of_world = system->ops->detect == stic_world_detect;
    return of_world ? stic_view_of(system)->world : NULL;
}

// write the place of a body by its first block, with a unit quaternion
static void place(const SticView* view, int32_t block, SticVec3 position, SticQuat orientation,
                  SticState* state)
{
    const SticMat3 R = stic_quat_to_matrix(orientation);
    const SticSoftBody* elastic = stic_soft_of(view, view->body_of[block]);
    if (elastic != NULL) {
        const SticPose pose = stic_pose_rigid(R, position);
        stic_soft_put(view, elastic, &pose, state);
        return;
    }
    const SticVec3 arm = stic_mat3_mul_vec(R, view->mass_of[block].centre);
    const SticBlockForm form = stic_view_form(view, block);
    double* q = state->q + view->q_at[block];
    stic_vec3_store(stic_vec3_add(position, arm), q);
    if (form.nu == 3)
        return;
    if (form.chart == STIC_CHART_ROTATION || form.chart == STIC_CHART_LINEAR)
        stic_mat3_store(R, q + 3);
    else
        stic_quat_store(orientation, q + 3);
}

// write the velocities of a body by its first block, for the orientation that the state has
static void push(const SticView* view, int32_t block, const SticTwist* twist, SticState* state)
{
    const SticSoftBody* elastic = stic_soft_of(view, view->body_of[block]);
    if (elastic != NULL) {
        stic_soft_push(view, elastic, twist, state);
        return;
    }
    const SticBlockForm form = stic_view_form(view, block);
    const double* q = state->q + view->q_at[block];
    double* u = state->u + view->u_at[block];
    for (int32_t k = 0; k < form.nu; ++k)
        u[k] = 0.0;
    stic_vec3_store(twist->velocity, u);
    if (form.nu == 3)
        return;
    const bool matrix = form.chart == STIC_CHART_ROTATION || form.chart == STIC_CHART_LINEAR;
    const SticMat3 R = matrix ? stic_mat3_load(q + 3) : stic_quat_to_matrix(stic_quat_load(q + 3));
    if (form.chart == STIC_CHART_LINEAR)
        stic_mat3_store(stic_mat3_mul(stic_mat3_skew(twist->angular_velocity), R), u + 3);
    else
        stic_vec3_store(stic_mat3_transpose_mul_vec(R, twist->angular_velocity), u + form.nu - 3);
}

void stic_world_start(const SticWorld* world, const SticSystem* system, SticState* state)
{
    STIC_ASSERT(world != NULL);
    STIC_ASSERT(system != NULL);
    STIC_ASSERT(state != NULL);
    const SticView* view = stic_view_of(system);
    STIC_ASSERT(stic_view_check(view) == STIC_OK);
    state->t = 0.0;
    state->memory->count = state->memory->bonds = 0;
    state->memory->begun = false;
    for (int32_t i = 0; i < view->blocks; ++i) {
        const SticBodyDef* def = &world->body[view->body_of[i]].def;
        const SticTwist twist = {def->velocity, def->angular_velocity};
        // once for all blocks of a body
        if (view->block_of[view->body_of[i]] != i)
            continue;
        place(view, i, def->position, def->orientation, state);
        push(view, i, &twist, state);
    }
    stic_view_begin_turns(view, -1, true, state);
}

// slot of a body of the system, -1 if it is not one
static int32_t slot_of(const SticView* view, SticBodyId body)
{
    const bool known = body.generation > 0 && body.index < (uint32_t)view->bodies &&
                       view->generation[body.index] == body.generation;
    return known ? (int32_t)body.index : -1;
}

int32_t stic_world_block(const SticSystem* system, SticBodyId body)
{
    STIC_ASSERT(system != NULL);
    const SticView* view = stic_view_of(system);
    const int32_t slot = slot_of(view, body);
    return slot < 0 || view->block_of[slot] < 0 ? -1 : view->block_of[slot];
}

const char* stic_world_block_name(const SticSystem* system, int32_t block)
{
    STIC_ASSERT(system != NULL);
    const SticView* view = stic_view_of(system);
    return block >= 0 && block < view->blocks ? view->world->body[view->body_of[block]].name : "";
}

double stic_world_mass(const SticSystem* system, SticBodyId body)
{
    STIC_ASSERT(system != NULL);
    const int32_t block = stic_world_block(system, body);
    return block < 0 ? 0.0 : stic_view_mass(stic_view_of(system), body.index).mass;
}

SticMassProperties stic_view_mass(const SticView* view, uint32_t body)
{
    const SticSoftBody* elastic = stic_soft_of(view, body);
    const SticMassProperties none = {.mass = 0.0};
    if (elastic != NULL)
        return elastic->mass;
    return view->block_of[body] < 0 ? none : view->mass_of[view->block_of[body]];
}

// axes and centre of a side without the factor s
static SticSide unit_side(const SticView* view, const SticState* state, int32_t block)
{
    SticSide side = stic_view_side(view, state, block, false);
    side.R = stic_mat3_scale(1.0 / side.s, side.R);
    return side;
}

SticPose stic_world_pose(const SticSystem* system, const SticState* state, SticBodyId body)
{
    STIC_ASSERT(system != NULL);
    STIC_ASSERT(state != NULL);
    const SticView* view = stic_view_of(system);
    const int32_t slot = slot_of(view, body);
    if (slot < 0)
        return stic_pose_identity();
    const int32_t block = view->block_of[slot];
    if (block < -1) {
        const SticBodyMotion at = stic_body_motion_at(&view->world->body[slot].def, state->t);
        return stic_pose_rigid(stic_quat_to_matrix(at.orientation), at.position);
    }
    if (block < 0)
        return view->fixed[slot];
    const SticSoftBody* elastic = stic_soft_of(view, (uint32_t)slot);
    if (elastic != NULL)
        return stic_soft_pose(view, elastic, state);
    const SticSide side = unit_side(view, state, block);
    const SticVec3 arm = stic_mat3_mul_vec(side.R, view->mass_of[block].centre);
    const SticVec3 origin = stic_vec3_sub(side.x, arm);
    if (side.affine && !side.deforms)
        return stic_pose_rigid(stic_rotation_clean(side.R), origin);
    return side.affine ? stic_pose_affine(side.R, origin) : stic_pose_rigid(side.R, origin);
}

SticTwist stic_world_twist(const SticSystem* system, const SticState* state, SticBodyId body)
{
    STIC_ASSERT(system != NULL);
    STIC_ASSERT(state != NULL);
    const SticView* view = stic_view_of(system);
    const int32_t slot = slot_of(view, body), block = slot < 0 ? -1 : view->block_of[slot];
    if (block == -1)
        return (SticTwist){{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
    if (block < -1) {
        const SticBodyMotion at = stic_body_motion_at(&view->world->body[slot].def, state->t);
        return (SticTwist){at.velocity, at.angular_velocity};
    }
    const SticSoftBody* elastic = stic_soft_of(view, (uint32_t)slot);
    if (elastic != NULL)
        return stic_soft_twist(view, elastic, state);
    const SticBlockForm form = stic_view_form(view, block);
    const double* u = state->u + view->u_at[block];
    if (form.nu == 3)
        return (SticTwist){stic_vec3_load(u), stic_vec3_zero()};
    if (form.chart == STIC_CHART_LINEAR) {
        const SticSide side = stic_view_side(view, state, block, true);
        return (SticTwist){side.v, stic_mat3_axial(side.L)};
    }
    const SticSide side = stic_view_side(view, state, block, false);
    const double scale = form.chart == STIC_CHART_SCALABLE ? side.s * side.s : side.s;
    const SticVec3 spin = stic_mat3_mul_vec(side.R, stic_vec3_load(u + form.nu - 3));
    return (SticTwist){stic_vec3_load(u), stic_vec3_scale(1.0 / scale, spin)};
}

// block of a body whose state can be written
static SticStatus find_block(const SticView* view, SticBodyId body, int32_t* block,
                             SticError* error)
{
    const int32_t slot = slot_of(view, body);
    if (slot < 0)
        return stic_error_set(error, STIC_BAD_ARGUMENT, "there is no body %u (generation %u)",
                              body.index, body.generation);
    *block = view->block_of[slot];
    if (*block < 0)
        return stic_error_set(error, STIC_BAD_ARGUMENT,
                              "body %s is fixed or prescribed: its state cannot be set",
                              stic_label(view->world->body[slot].name, (uint32_t)slot).text);
    return STIC_OK;
}

SticStatus stic_world_set_pose(const SticSystem* system, SticBodyId body, SticVec3 position,
                               SticQuat orientation, SticState* state, SticError* error)
{
    STIC_ASSERT(system != NULL);
    STIC_ASSERT(state != NULL);
    const SticView* view = stic_view_of(system);
    int32_t block = -1;
    STIC_TRY(find_block(view, body, &block, error));
    const SticTwist twist = stic_world_twist(system, state, body);
    const double norm = stic_quat_norm(orientation);
    if (!stic_vec3_is_finite(position) || !(norm > 0.0) || !(norm < INFINITY))
        return stic_error_set(
            error, STIC_BAD_ARGUMENT,
            "body %s: the position must be finite and the orientation not 0",
            stic_label(view->world->body[body.index].name, (uint32_t)body.index).text);
    place(view, block, position, stic_quat_normalize(orientation), state);
    push(view, block, &twist, state);
    stic_view_begin_turns(view, block, true, state);
    return STIC_OK;
}

SticStatus stic_world_set_twist(const SticSystem* system, SticBodyId body, const SticTwist* twist,
                                SticState* state, SticError* error)
{
    STIC_ASSERT(system != NULL);
    STIC_ASSERT(twist != NULL);
    STIC_ASSERT(state != NULL);
    const SticView* view = stic_view_of(system);
    int32_t block = -1;
    STIC_TRY(find_block(view, body, &block, error));
    if (!stic_vec3_is_finite(twist->velocity) || !stic_vec3_is_finite(twist->angular_velocity))
        return stic_error_set(
            error, STIC_BAD_ARGUMENT, "body %s: velocities must be finite",
            stic_label(view->world->body[body.index].name, (uint32_t)body.index).text);
    SticTwist scaled = *twist;
    // omega of the scalable chart is s times the angular velocity
    if (view->charts[block] == STIC_CHART_SCALABLE) {
        const SticQuat A = stic_quat_load(state->q + view->q_at[block] + 3);
        scaled.angular_velocity = stic_vec3_scale(stic_quat_dot(A, A), twist->angular_velocity);
    }
    push(view, block, &scaled, state);
    stic_view_begin_turns(view, block, false, state);
    return STIC_OK;
}

SticMat3 stic_world_stress(const SticSystem* system, const SticState* state, SticBodyId body)
{
    STIC_ASSERT(system != NULL);
    STIC_ASSERT(state != NULL);
    const SticView* view = stic_view_of(system);
    const int32_t block = stic_world_block(system, body);
    const SticSoftBody* elastic = block < 0 ? NULL : stic_soft_of(view, body.index);
    if (elastic != NULL)
        return stic_soft_stress(elastic, state);
    if (block < 0 || view->world->body[body.index].def.kind != STIC_BODY_PSEUDO_RIGID)
        return stic_mat3_zero();
    return stic_elastic_cauchy(&view->world->body[body.index].def.elastic,
                               stic_mat3_load(state->q + view->q_at[block] + 3));
}
