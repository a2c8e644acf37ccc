// SPDX-License-Identifier: Apache-2.0
// Shapes that belong to a world.
#include "world/world.h"

#include "stiction/extend/base.h"

SticStatus stic_world_keep(SticWorld* world, SticShape* shape, SticError* error)
{
    STIC_GIVEN(world, error);
    STIC_GIVEN(shape, error);
    const SticStatus status =
        STIC_RESERVE(&world->context, &world->kept, &world->kept_capacity, world->kept_count + 1);
    if (status != STIC_OK)
        return stic_error_set(error, status, "no memory for a shape");
    world->kept[world->kept_count++] = shape;
    return STIC_OK;
}

// keep a shape that was made; one that cannot be kept is released
static const SticShape* keep_made(SticWorld* world, SticStatus made, SticShape* shape,
                                  SticError* error)
{
    if (made != STIC_OK)
        return NULL;
    if (stic_world_keep(world, shape, error) == STIC_OK)
        return shape;
    stic_shape_destroy(shape);
    return NULL;
}

static bool is_given(const SticWorld* world, SticError* error)
{
    if (world == NULL)
        stic_error_set(error, STIC_BAD_ARGUMENT, "a shape needs a world, which is NULL");
    return world != NULL;
}

const SticShape* stic_world_box(SticWorld* world, SticVec3 half, SticError* error)
{
    if (!is_given(world, error))
        return NULL;
    SticShape* shape = NULL;
    const SticStatus made = stic_shape_create_box(&world->context, half, &shape, error);
    return keep_made(world, made, shape, error);
}

const SticShape* stic_world_sphere(SticWorld* world, double radius, SticError* error)
{
    if (!is_given(world, error))
        return NULL;
    SticShape* shape = NULL;
    const SticStatus made = stic_shape_create_sphere(&world->context, radius, &shape, error);
    return keep_made(world, made, shape, error);
}

const SticShape* stic_world_half_space(SticWorld* world, SticVec3 normal, double offset,
                                       SticError* error)
{
    if (!is_given(world, error))
        return NULL;
    SticShape* shape = NULL;
    const SticStatus made =
        stic_shape_create_half_space(&world->context, normal, offset, &shape, error);
    return keep_made(world, made, shape, error);
}

void stic_world_drop_shapes(SticWorld* world)
{
    for (int32_t k = 0; k < world->kept_count; ++k)
        stic_shape_destroy(world->kept[k]);
    STIC_RELEASE(&world->context, world->kept, world->kept_capacity);
}
