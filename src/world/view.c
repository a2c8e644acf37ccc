// SPDX-License-Identifier: Apache-2.0
// The system of a world: layout, mass, forces, potential, start, and reading bodies back.
//
// Every rigid body is one block with its centre of mass as origin and the axes of the body's own
// frame, so that the mass is constant and block diagonal: m I and J (and tr J / 2 for nu of the
// scalable chart, Möller 4.88). Fixed bodies have no block; their shapes lie in world axes.
#include <string.h>

#include "shape/shape.h"
#include "stiction/math.h"
#include "world/contact.h"
#include "world/world.h"

SticStatus stic_view_check(const SticView* view)
{
    return view->edition == view->world->edition ? STIC_OK : STIC_BAD_DATA;
}

bool stic_world_chart(uint32_t charts, SticChart* chart)
{
    static const SticChart order[] = {STIC_CHART_QUATERNION, STIC_CHART_ROTATION,
                                      STIC_CHART_SCALABLE};
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
    return STIC_OK;
}

static SticStatus view_force(const SticSystem* system, const SticState* state, double* f)
{
    const SticView* view = stic_view_of(system);
    STIC_TRY(stic_view_check(view));
    memset(f, 0, (size_t)system->layout.nu * sizeof *f);
    const int turn = view->nu - 3;
    for (int32_t i = 0; i < view->blocks; ++i) {
        const SticBodyDef* def = &view->world->body[view->body_of[i]].def;
        const SticSide side = stic_side_load(view->chart, state->q + view->q_at[i]);
        // omega of the scalable chart is s times the angular velocity
        const double scale = view->chart == STIC_CHART_SCALABLE ? side.s * side.s : side.s;
        const SticVec3 torque = stic_mat3_transpose_mul_vec(side.R, def->torque);
        stic_vec3_store(def->force, f + view->u_at[i]);
        stic_vec3_store(stic_vec3_scale(1.0 / scale, torque), f + view->u_at[i] + turn);
    }
    stic_view_add_dampers(view, state, f);
    return STIC_OK;
}

// doubles of the terms' gradients (power 1) or Hessians (power 2) before and behind the springs
static size_t term_values(const SticView* view, int power)
{
    size_t sum = 0;
    for (int32_t k = 0; k < view->blocks + view->springs; ++k) {
        const size_t size = (size_t)view->nq * (view->term_block[k][1] < 0 ? 1u : 2u);
        sum += power == 1 ? size : size * size;
    }
    return sum;
}

// V = -m g . x, one term per block, then the springs
static SticStatus view_potential(const SticSystem* system, const SticState* state, int order,
                                 SticArena* arena, SticTerms* terms)
{
    const SticView* view = stic_view_of(system);
    STIC_TRY(stic_view_check(view));
    const size_t size = (size_t)view->nq, count = (size_t)view->blocks;
    memset(terms, 0, sizeof *terms);
    terms->count = view->blocks + view->springs;
    terms->block = (const int32_t(*)[2])view->term_block;
    STIC_TRY(STIC_TAKE(arena, &terms->value, terms->count));
    if (order >= 1) {
        STIC_TRY(STIC_TAKE(arena, &terms->gradient, term_values(view, 1)));
        memset(terms->gradient, 0, count * size * sizeof *terms->gradient);
    }
    if (order >= 2) {
        STIC_TRY(STIC_TAKE(arena, &terms->hessian, term_values(view, 2)));
        memset(terms->hessian, 0, count * size * size * sizeof *terms->hessian);
    }
    for (int32_t i = 0; i < view->blocks; ++i) {
        const SticVec3 slope = stic_vec3_scale(-view->mass_of[i].mass, view->world->gravity);
        terms->value[i] = stic_vec3_dot(slope, stic_vec3_load(state->q + view->q_at[i]));
        if (order >= 1)
            stic_vec3_store(slope, terms->gradient + (size_t)i * size);
    }
    stic_view_add_springs(view, state, terms->value + count,
                          order >= 1 ? terms->gradient + count * size : NULL,
                          order >= 2 ? terms->hessian + count * size * size : NULL);
    return STIC_OK;
}

static const SticSystemOps view_ops = {
    .mass = view_mass,
    .force = view_force,
    .gyro = NULL,
    .potential = view_potential,
    .tangent = NULL,
    .detect = stic_world_detect,
    .measure = stic_world_measure,
};

/* ---- building ---- */

// which bodies have a block, and where fixed ones are
static SticStatus build_bodies(SticView* view)
{
    const SticWorld* world = view->world;
    const SticContext* context = &view->context;
    view->bodies = (int32_t)world->bodies;
    STIC_TRY(STIC_ALLOCATE(context, &view->block_of, view->bodies));
    STIC_TRY(STIC_ALLOCATE(context, &view->generation, view->bodies));
    STIC_TRY(STIC_ALLOCATE(context, &view->fixed, view->bodies));
    for (int32_t i = 0; i < view->bodies; ++i) {
        const SticBodySlot* slot = &world->body[i];
        view->block_of[i] = slot->alive && slot->def.kind == STIC_BODY_RIGID ? view->blocks++ : -1;
        view->generation[i] = slot->alive ? slot->generation : 0;
        view->fixed[i] =
            stic_pose_rigid(stic_quat_to_matrix(slot->def.orientation), slot->def.position);
    }
    STIC_TRY(STIC_ALLOCATE(context, &view->body_of, view->blocks));
    for (int32_t i = 0; i < view->bodies; ++i)
        if (view->block_of[i] >= 0)
            view->body_of[view->block_of[i]] = (uint32_t)i;
    return STIC_OK;
}

static SticStatus build_layout(SticView* view)
{
    const SticContext* context = &view->context;
    const int32_t n = view->blocks, size = view->nu * view->nu;
    STIC_TRY(STIC_ALLOCATE(context, &view->charts, n));
    STIC_TRY(STIC_ALLOCATE(context, &view->q_at, n + 1));
    STIC_TRY(STIC_ALLOCATE(context, &view->u_at, n + 1));
    view->springs = stic_view_count_springs(view->world);
    STIC_TRY(STIC_ALLOCATE(context, &view->term_block, n + view->springs));
    STIC_TRY(STIC_ALLOCATE(context, &view->begin, n + 1));
    STIC_TRY(STIC_ALLOCATE(context, &view->col, n));
    STIC_TRY(STIC_ALLOCATE(context, &view->value_at, n + 1));
    for (int32_t i = 0; i <= n; ++i) {
        view->q_at[i] = i * view->nq;
        view->u_at[i] = i * view->nu;
        view->begin[i] = i;
        view->value_at[i] = (int64_t)i * size;
    }
    for (int32_t i = 0; i < n; ++i) {
        view->charts[i] = (uint8_t)view->chart;
        view->term_block[i][0] = view->col[i] = i;
        view->term_block[i][1] = -1;
    }
    view->system.layout = (SticLayout){.blocks = n,
                                       .nq = n * view->nq,
                                       .nu = n * view->nu,
                                       .chart = view->charts,
                                       .q_at = view->q_at,
                                       .u_at = view->u_at};
    return STIC_OK;
}

static void fill_mass(const SticView* view, const SticMassProperties* mass, double* block)
{
    const int n = view->nu, at = n - 3;
    for (int r = 0; r < 3; ++r) {
        block[r * n + r] = mass->mass;
        for (int c = 0; c < 3; ++c)
            block[(at + r) * n + at + c] = 0.5 * (mass->inertia.m[r][c] + mass->inertia.m[c][r]);
    }
    if (view->chart == STIC_CHART_SCALABLE)
        block[3 * n + 3] = 0.5 * stic_mat3_trace(mass->inertia);
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
        STIC_TRY(stic_body_mass(view->world, body, &of_body[body], error));
        view->mass_of[i] = of_body[body];
        double* block = view->mass_value + view->value_at[i];
        fill_mass(view, &view->mass_of[i], block);
        if (stic_dense_spd_inverse(view->nu, block, view->inverse_value + view->value_at[i]) !=
            STIC_OK)
            return stic_error_set(error, STIC_SINGULAR,
                                  "body '%s': mass or inertia cannot be inverted",
                                  view->world->body[body].name);
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
    return STIC_OK;
}

// a shape in the frame of its block
static SticBlockShape place_shape(const SticView* view, uint32_t index)
{
    const SticShapeSlot* slot = &view->world->shape[index];
    const int32_t block = view->block_of[slot->body];
    SticPose pose = slot->pose;
    if (block < 0)
        pose = stic_pose_compose(&view->fixed[slot->body], &slot->pose);
    else
        pose.origin = stic_vec3_sub(pose.origin, view->mass_of[block].centre);
    return (SticBlockShape){.shape = slot->shape,
                            .pose = pose,
                            .block = block,
                            .material = (int32_t)slot->material,
                            .slot = index,
                            .body = slot->body};
}

static bool is_mesh(const SticBlockShape* shape)
{
    return shape->shape->kind == STIC_SHAPE_MESH || shape->shape->kind == STIC_SHAPE_HEIGHT_FIELD;
}

// meshes have no inside that the narrow phase knows: two of them cannot be told apart
static SticStatus check_meshes(const SticView* view, SticError* error)
{
    const SticBlockShape* moving = NULL;
    for (int32_t k = 0; k < view->shapes && moving == NULL; ++k)
        if (is_mesh(&view->shape[k]) && view->shape[k].block >= 0)
            moving = &view->shape[k];
    for (int32_t k = 0; k < view->shapes && moving != NULL; ++k)
        if (is_mesh(&view->shape[k]) && view->shape[k].block != moving->block)
            return stic_error_set(error, STIC_UNSUPPORTED,
                                  "bodies '%s' and '%s' both have meshes, whose contacts are not "
                                  "known; make one of them of convex parts",
                                  view->world->body[moving->body].name,
                                  view->world->body[view->shape[k].body].name);
    return STIC_OK;
}

static SticStatus build_shapes(SticView* view, SticError* error)
{
    const SticWorld* world = view->world;
    int32_t count = 0;
    for (uint32_t k = 0; k < world->shapes; ++k)
        count += world->shape[k].alive ? 1 : 0;
    STIC_TRY(STIC_ALLOCATE(&view->context, &view->shape, count));
    view->shapes = count;
    count = 0;
    for (uint32_t k = 0; k < world->shapes; ++k)
        if (world->shape[k].alive)
            view->shape[count++] = place_shape(view, k);
    STIC_TRY(check_meshes(view, error));

    // parts of one body never meet, nor do fixed bodies: group 1
    const SticBroadSettings settings = stic_broad_default_settings();
    STIC_TRY(stic_broad_create(&view->context, &settings, &view->broad, error));
    for (int32_t k = 0; k < view->shapes; ++k) {
        const SticBroadItem item = {.group = view->shape[k].block + 2};
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
    for (uint32_t k = 0; k < n * n; ++k)
        view->bonds = view->bonds || view->surface[k].surface.cohesion > 0.0;
    return STIC_OK;
}

static SticStatus build(SticView* view, SticError* error)
{
    STIC_TRY(build_bodies(view));
    STIC_TRY(build_layout(view));
    SticMassProperties* of_body = NULL;
    STIC_TRY(STIC_ALLOCATE(&view->context, &of_body, view->bodies));
    const SticStatus status = build_mass(view, of_body, error);
    STIC_RELEASE(&view->context, of_body, view->bodies);
    STIC_TRY(status);
    STIC_TRY(build_surfaces(view));
    STIC_TRY(build_shapes(view, error));
    return stic_view_build_joints(view, error);
}

SticStatus stic_world_system(const SticWorld* world, SticChart chart, SticSystem** system,
                             SticError* error)
{
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
    view->nq = stic_chart_q_size(chart, 0);
    view->nu = stic_chart_u_size(chart, 0);
    view->system.name = "world";
    view->system.ops = &view_ops;
    view->system.self = view;
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
    const int64_t values = view->value_at == NULL ? 0 : (int64_t)view->blocks * view->nu * view->nu;
    STIC_RELEASE(&context, view->block_of, view->bodies);
    STIC_RELEASE(&context, view->generation, view->bodies);
    STIC_RELEASE(&context, view->fixed, view->bodies);
    STIC_RELEASE(&context, view->body_of, view->blocks);
    STIC_RELEASE(&context, view->mass_of, view->blocks);
    STIC_RELEASE(&context, view->charts, view->blocks);
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
    STIC_RELEASE(&context, view, 1);
}

/* ---- states ---- */

void stic_world_start(const SticWorld* world, const SticSystem* system, SticState* state)
{
    const SticView* view = stic_view_of(system);
    STIC_ASSERT(stic_view_check(view) == STIC_OK);
    state->t = 0.0;
    state->memory->count = 0;
    state->memory->begun = false;
    memset(state->u, 0, (size_t)system->layout.nu * sizeof *state->u);
    for (int32_t i = 0; i < view->blocks; ++i) {
        const SticBodyDef* def = &world->body[view->body_of[i]].def;
        const SticMat3 R = stic_quat_to_matrix(def->orientation);
        const SticVec3 arm = stic_mat3_mul_vec(R, view->mass_of[i].centre);
        double *q = state->q + view->q_at[i], *u = state->u + view->u_at[i];
        stic_vec3_store(stic_vec3_add(def->position, arm), q);
        if (view->chart == STIC_CHART_ROTATION)
            stic_mat3_store(R, q + 3);
        else
            stic_quat_store(def->orientation, q + 3);
        stic_vec3_store(def->velocity, u);
        stic_vec3_store(stic_mat3_transpose_mul_vec(R, def->angular_velocity), u + view->nu - 3);
    }
}

// slot of a body of the system, -1 if it is none
static int32_t slot_of(const SticView* view, SticBodyId body)
{
    const bool known = body.generation > 0 && body.index < (uint32_t)view->bodies &&
                       view->generation[body.index] == body.generation;
    return known ? (int32_t)body.index : -1;
}

int32_t stic_world_block(const SticSystem* system, SticBodyId body)
{
    const SticView* view = stic_view_of(system);
    const int32_t slot = slot_of(view, body);
    return slot < 0 ? -1 : view->block_of[slot];
}

double stic_world_mass(const SticSystem* system, SticBodyId body)
{
    const int32_t block = stic_world_block(system, body);
    return block < 0 ? 0.0 : stic_view_of(system)->mass_of[block].mass;
}

SticPose stic_world_pose(const SticSystem* system, const SticState* state, SticBodyId body)
{
    const SticView* view = stic_view_of(system);
    const int32_t slot = slot_of(view, body);
    if (slot < 0)
        return stic_pose_identity();
    const int32_t block = view->block_of[slot];
    if (block < 0)
        return view->fixed[slot];
    const SticSide side = stic_side_load(view->chart, state->q + view->q_at[block]);
    const SticMat3 R = stic_mat3_scale(1.0 / side.s, side.R);
    const SticVec3 arm = stic_mat3_mul_vec(R, view->mass_of[block].centre);
    return stic_pose_rigid(R, stic_vec3_sub(side.x, arm));
}

SticTwist stic_world_twist(const SticSystem* system, const SticState* state, SticBodyId body)
{
    const SticView* view = stic_view_of(system);
    const int32_t block = stic_world_block(system, body);
    if (block < 0)
        return (SticTwist){{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
    const double* u = state->u + view->u_at[block];
    const SticSide side = stic_side_load(view->chart, state->q + view->q_at[block]);
    const double scale = view->chart == STIC_CHART_SCALABLE ? side.s * side.s : side.s;
    const SticVec3 spin = stic_mat3_mul_vec(side.R, stic_vec3_load(u + view->nu - 3));
    return (SticTwist){stic_vec3_load(u), stic_vec3_scale(1.0 / scale, spin)};
}
