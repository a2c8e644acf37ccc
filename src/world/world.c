// SPDX-License-Identifier: Apache-2.0
// Worlds and their materials.
#include "world/world.h"

#include <math.h>
#include <string.h>

SticMaterialDef stic_material_default_def(void)
{
    return (SticMaterialDef){.density = 1000.0, .surface = {.friction = 0.5}};
}

SticWorldDef stic_world_default_def(void)
{
    return (SticWorldDef){.gravity = stic_vec3(0.0, 0.0, -9.81),
                          .material = stic_material_default_def(),
                          .friction_mixing = STIC_MIXING_GEOMETRIC,
                          .restitution_mixing = STIC_MIXING_LARGEST};
}

SticStatus stic_name_set(char to[STIC_NAME_SIZE], const char* from, SticError* error)
{
    const size_t length = from == NULL ? 0 : strlen(from);
    if (length >= STIC_NAME_SIZE)
        return stic_error_set(error, STIC_BAD_ARGUMENT,
                              "the name '%s' is longer than %d characters", from,
                              STIC_NAME_SIZE - 1);
    memset(to, 0, STIC_NAME_SIZE);
    if (length > 0)
        memcpy(to, from, length);
    return STIC_OK;
}

SticStatus stic_surface_check(const SticSurface* surface, SticError* error)
{
    if (!(surface->friction >= 0.0) || !isfinite(surface->friction))
        return stic_error_set(error, STIC_BAD_ARGUMENT,
                              "a friction coefficient must be finite and not negative, not %g",
                              surface->friction);
    for (int k = 0; k < 2; ++k)
        if (!(surface->restitution[k] >= 0.0 && surface->restitution[k] <= 1.0))
            return stic_error_set(error, STIC_BAD_ARGUMENT,
                                  "a restitution coefficient must be in [0, 1], not %g",
                                  surface->restitution[k]);
    return STIC_OK;
}

SticStatus stic_material_check(const SticMaterialDef* def, SticError* error)
{
    if (!(def->density > 0.0) || !isfinite(def->density))
        return stic_error_set(error, STIC_BAD_ARGUMENT,
                              "a density must be finite and positive, not %g", def->density);
    return stic_surface_check(&def->surface, error);
}

static SticStatus check_def(const SticWorldDef* def, SticError* error)
{
    if (!stic_vec3_is_finite(def->gravity))
        return stic_error_set(error, STIC_BAD_ARGUMENT, "gravity is not finite");
    if (def->friction_mixing < 0 || def->friction_mixing >= STIC_MIXING_COUNT ||
        def->restitution_mixing < 0 || def->restitution_mixing >= STIC_MIXING_COUNT)
        return stic_error_set(error, STIC_BAD_ARGUMENT, "there is no rule of mixing %d or %d",
                              def->friction_mixing, def->restitution_mixing);
    if (def->contact_rule < 0 || def->contact_rule >= STIC_WORLD_CONTACTS_COUNT)
        return stic_error_set(error, STIC_BAD_ARGUMENT, "there is no rule of contacts %d",
                              def->contact_rule);
    return STIC_OK;
}

SticStatus stic_world_create(const SticContext* context, const SticWorldDef* def, SticWorld** world,
                             SticError* error)
{
    *world = NULL;
    STIC_TRY(check_def(def, error));
    SticWorld* made = NULL;
    SticStatus status = STIC_ALLOCATE(context, &made, 1);
    if (status != STIC_OK)
        return stic_error_set(error, status, "no memory for a world");
    made->context = *context;
    made->gravity = def->gravity;
    made->friction_mixing = (SticMixing)def->friction_mixing;
    made->restitution_mixing = (SticMixing)def->restitution_mixing;
    made->contact_rule = (SticWorldContacts)def->contact_rule;
    SticMaterialId own;
    status = stic_material_create(made, &def->material, &own, error);
    if (status != STIC_OK) {
        stic_world_destroy(made);
        return status;
    }
    *world = made;
    return STIC_OK;
}

void stic_world_destroy(SticWorld* world)
{
    if (world == NULL)
        return;
    const SticContext context = world->context;
    STIC_RELEASE(&context, world->body, world->body_capacity);
    STIC_RELEASE(&context, world->shape, world->shape_capacity);
    STIC_RELEASE(&context, world->material, world->material_capacity);
    STIC_RELEASE(&context, world->pair, world->pair_capacity);
    STIC_RELEASE(&context, world->joint, world->joint_capacity);
    STIC_RELEASE(&context, world, 1);
}

void stic_world_set_gravity(SticWorld* world, SticVec3 gravity)
{
    world->gravity = gravity;
}

/* ---- materials ---- */

SticStatus stic_material_create(SticWorld* world, const SticMaterialDef* def, SticMaterialId* id,
                                SticError* error)
{
    *id = (SticMaterialId){0, 0};
    SticMaterialSlot made = {.def = *def};
    STIC_TRY(stic_name_set(made.name, def->name, error));
    STIC_TRY(stic_material_check(def, error));
    const SticStatus status = STIC_RESERVE(&world->context, &world->material,
                                           &world->material_capacity, world->materials + 1);
    if (status != STIC_OK)
        return stic_error_set(error, status, "no memory for a material");
    made.def.name = NULL;
    world->material[world->materials] = made;
    *id = (SticMaterialId){world->materials++, 1};
    return STIC_OK;
}

bool stic_material_is_valid(const SticWorld* world, SticMaterialId id)
{
    return id.generation == 0 || (id.generation == 1 && id.index < world->materials);
}

// slot of a valid id; the null id is number 0
static uint32_t slot_of(SticMaterialId id)
{
    return id.generation == 0 ? 0 : id.index;
}

SticStatus stic_surface_set(SticWorld* world, SticMaterialId a, SticMaterialId b,
                            const SticSurface* surface, SticError* error)
{
    if (!stic_material_is_valid(world, a) || !stic_material_is_valid(world, b))
        return stic_error_set(error, STIC_BAD_ARGUMENT, "there is no material %u or %u", a.index,
                              b.index);
    STIC_TRY(stic_surface_check(surface, error));
    const uint32_t i = slot_of(a), j = slot_of(b);
    const SticPairSlot made = {i < j ? i : j, i < j ? j : i, *surface};
    world->edition += 1;
    for (uint32_t k = 0; k < world->pairs; ++k)
        if (world->pair[k].first == made.first && world->pair[k].second == made.second) {
            world->pair[k] = made;
            return STIC_OK;
        }
    const SticStatus status =
        STIC_RESERVE(&world->context, &world->pair, &world->pair_capacity, world->pairs + 1);
    if (status != STIC_OK)
        return stic_error_set(error, status, "no memory for a pair of materials");
    world->pair[world->pairs++] = made;
    return STIC_OK;
}

static double mix(SticMixing mixing, double a, double b)
{
    switch (mixing) {
    case STIC_MIXING_GEOMETRIC:
        return sqrt(a) * sqrt(b);
    case STIC_MIXING_MEAN:
        return 0.5 * (a + b);
    case STIC_MIXING_LEAST:
        return a < b ? a : b;
    default:
        return a > b ? a : b;
    }
}

SticSurface stic_surface_of(const SticWorld* world, uint32_t a, uint32_t b)
{
    const uint32_t first = a < b ? a : b, second = a < b ? b : a;
    for (uint32_t k = 0; k < world->pairs; ++k)
        if (world->pair[k].first == first && world->pair[k].second == second)
            return world->pair[k].surface;
    const SticSurface *p = &world->material[a].def.surface, *q = &world->material[b].def.surface;
    // a material with itself has its own coefficients to the last bit
    if (a == b)
        return *p;
    SticSurface mixed = {.friction = mix(world->friction_mixing, p->friction, q->friction)};
    for (int k = 0; k < 2; ++k)
        mixed.restitution[k] = mix(world->restitution_mixing, p->restitution[k], q->restitution[k]);
    return mixed;
}

SticSurface stic_surface_get(const SticWorld* world, SticMaterialId a, SticMaterialId b)
{
    STIC_ASSERT(stic_material_is_valid(world, a) && stic_material_is_valid(world, b));
    return stic_surface_of(world, slot_of(a), slot_of(b));
}
