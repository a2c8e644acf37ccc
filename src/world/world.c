// SPDX-License-Identifier: Apache-2.0
// Worlds.
#include "world/soft.h"

#include "stiction/extend/base.h"

#include <stdio.h>
#include <string.h>

SticWorldDef stic_world_default_def(void)
{
    return (SticWorldDef){.gravity = stic_vec3(0.0, 0.0, -9.81),
                          .material = stic_material_default_def(),
                          .friction_mixing = STIC_MIXING_GEOMETRIC,
                          .restitution_mixing = STIC_MIXING_LARGEST,
                          .cohesion_mixing = STIC_MIXING_LEAST};
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

static SticStatus check_def(const SticWorldDef* def, SticError* error)
{
    if (!stic_vec3_is_finite(def->gravity))
        return stic_error_set(error, STIC_BAD_ARGUMENT,
                              "gravity is (%g, %g, %g) m/s^2; its components must be finite",
                              def->gravity.x, def->gravity.y, def->gravity.z);
    const int32_t mixing[3] = {def->friction_mixing, def->restitution_mixing, def->cohesion_mixing};
    for (int k = 0; k < 3; ++k)
        if (mixing[k] < 0 || mixing[k] >= STIC_MIXING_COUNT)
            return stic_error_set(error, STIC_BAD_ARGUMENT, "there is no rule of mixing %d",
                                  mixing[k]);
    if (def->contact_rule < 0 || def->contact_rule >= STIC_WORLD_CONTACTS_COUNT)
        return stic_error_set(error, STIC_BAD_ARGUMENT, "there is no rule of contacts %d",
                              def->contact_rule);
    if (def->intersection < 0 || def->intersection >= STIC_WORLD_INTERSECTION_COUNT)
        return stic_error_set(error, STIC_BAD_ARGUMENT, "there is no intersection %d",
                              def->intersection);
    if (def->search < 0 || def->search >= STIC_SEARCH_COUNT)
        return stic_error_set(error, STIC_BAD_ARGUMENT, "there is no search %d", def->search);
    return STIC_OK;
}

SticStatus stic_world_create(const SticContext* context, const SticWorldDef* def, SticWorld** world,
                             SticError* error)
{
    context = stic_context_given(context);
    STIC_GIVEN(world, error);
    const SticWorldDef usual = stic_world_default_def();
    def = def == NULL ? &usual : def;
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
    made->cohesion_mixing = (SticMixing)def->cohesion_mixing;
    made->contact_rule = (SticWorldContacts)def->contact_rule;
    made->intersection = (SticWorldIntersection)def->intersection;
    made->search = (SticWorldSearch)def->search;
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
    if (world->runs > 0) {
        world->abandoned = true;
        return;
    }
    const SticContext context = world->context;
    stic_world_drop_shapes(world);
    for (uint32_t i = 0; i < world->bodies; ++i)
        if (world->body[i].alive)
            stic_soft_release(&context, &world->body[i]);
    STIC_RELEASE(&context, world->body, world->body_capacity);
    STIC_RELEASE(&context, world->shape, world->shape_capacity);
    STIC_RELEASE(&context, world->material, world->material_capacity);
    STIC_RELEASE(&context, world->pair, world->pair_capacity);
    STIC_RELEASE(&context, world->joint, world->joint_capacity);
    STIC_RELEASE(&context, world, 1);
}

void stic_world_leave(SticWorld* world)
{
    world->runs -= 1;
    if (world->abandoned)
        stic_world_destroy(world);
}

SticLabel stic_label(const char* name, uint32_t index)
{
    SticLabel label;
    if (name != NULL && name[0] != '\0')
        snprintf(label.text, sizeof label.text, "'%.*s'", STIC_NAME_SIZE, name);
    else
        snprintf(label.text, sizeof label.text, "number %u", index);
    return label;
}

void stic_world_set_gravity(SticWorld* world, SticVec3 gravity)
{
    if (world != NULL)
        world->gravity = gravity;
}
