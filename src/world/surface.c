// SPDX-License-Identifier: Apache-2.0
// Materials, and the contact of two of them: as set, or mixed from both.
#include <math.h>
#include <string.h>

#include "world/world.h"

#include "stiction/extend/base.h"

static const char* const friction_names[STIC_FRICTION_COUNT] = {
    [STIC_FRICTION_COULOMB] = "coulomb", [STIC_FRICTION_ANISOTROPIC] = "anisotropic",
    [STIC_FRICTION_ROLLING] = "rolling", [STIC_FRICTION_CONTENSOU] = "contensou",
    [STIC_FRICTION_TRESCA] = "tresca",   [STIC_FRICTION_NONE] = "frictionless",
};

const char* stic_friction_name(int32_t law)
{
    return law >= 0 && law < STIC_FRICTION_COUNT ? friction_names[law] : "unknown";
}

SticMaterialDef stic_material_default_def(void)
{
    return (SticMaterialDef){.density = 1000.0, .surface = {.friction = 0.5}};
}

/* ---- checks ---- */

static SticStatus check_positive(const char* what, double value, bool or_zero, SticError* error)
{
    if (isfinite(value) && (value > 0.0 || (or_zero && value == 0.0)))
        return STIC_OK;
    return stic_error_set(error, STIC_BAD_ARGUMENT, "%s must be finite and %s, not %g", what,
                          or_zero ? "not negative" : "positive", value);
}

SticStatus stic_surface_check(const SticSurface* surface, SticError* error)
{
    const int32_t law = surface->law;
    if (law < 0 || law >= STIC_FRICTION_COUNT)
        return stic_error_set(error, STIC_BAD_ARGUMENT, "there is no law of friction %d", law);
    STIC_TRY(check_positive("a friction coefficient", surface->friction, true, error));
    STIC_TRY(check_positive("a cohesion", surface->cohesion, true, error));
    for (int k = 0; k < 2; ++k)
        if (!(surface->restitution[k] >= 0.0 && surface->restitution[k] <= 1.0))
            return stic_error_set(error, STIC_BAD_ARGUMENT,
                                  "a restitution coefficient must be in [0, 1], not %g",
                                  surface->restitution[k]);
    const SticVec3 grain = surface->grain;
    if (law == STIC_FRICTION_ANISOTROPIC) {
        STIC_TRY(check_positive("friction along the grain", surface->friction, false, error));
        STIC_TRY(check_positive("friction across the grain", surface->across, false, error));
        if (!stic_vec3_is_finite(grain) || !(stic_vec3_norm_max(grain) > 0.0))
            return stic_error_set(error, STIC_BAD_ARGUMENT,
                                  "anisotropic friction needs the direction of the grain");
    }
    if (law == STIC_FRICTION_ROLLING)
        STIC_TRY(check_positive("a rolling friction length", surface->rolling, true, error));
    if (law == STIC_FRICTION_CONTENSOU)
        STIC_TRY(check_positive("the radius of a patch", surface->patch, false, error));
    if (law == STIC_FRICTION_TRESCA)
        STIC_TRY(check_positive("a shear strength", surface->shear, true, error));
    return STIC_OK;
}

SticStatus stic_material_check(const SticMaterialDef* def, SticError* error)
{
    if (!(def->density > 0.0) || !isfinite(def->density))
        return stic_error_set(error, STIC_BAD_ARGUMENT,
                              "a density must be finite and positive, not %g", def->density);
    return stic_surface_check(&def->surface, error);
}

/* ---- materials ---- */

SticStatus stic_material_create(SticWorld* world, const SticMaterialDef* def, SticMaterialId* id,
                                SticError* error)
{
    STIC_GIVEN(world, error);
    STIC_GIVEN(def, error);
    SticMaterialId unused;
    id = id == NULL ? &unused : id;
    *id = (SticMaterialId){0, 0};
    SticMaterialSlot made = {.def = *def};
    STIC_TRY(stic_name_set(made.name, def->name, error));
    STIC_TRY(stic_material_check(def, error));
    for (uint32_t i = 0; i < world->materials; ++i)
        if (made.name[0] != '\0' && strcmp(world->material[i].name, made.name) == 0)
            return stic_error_set(error, STIC_BAD_ARGUMENT, "there is a material '%s' already",
                                  made.name);
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
    STIC_ASSERT(world != NULL);
    return id.generation == 0 || (id.generation == 1 && id.index < world->materials);
}

// slot of a valid id; the null id is number 0
static uint32_t slot_of(SticMaterialId id)
{
    return id.generation == 0 ? 0 : id.index;
}

/* ---- pairs ---- */

SticStatus stic_surface_set(SticWorld* world, SticMaterialId a, SticMaterialId b,
                            const SticSurface* surface, SticError* error)
{
    STIC_GIVEN(world, error);
    STIC_GIVEN(surface, error);
    if (!stic_material_is_valid(world, a) || !stic_material_is_valid(world, b))
        return stic_error_set(error, STIC_BAD_ARGUMENT, "there is no material %u or %u", a.index,
                              b.index);
    STIC_TRY(stic_surface_check(surface, error));
    const uint32_t i = slot_of(a), j = slot_of(b);
    const SticPairSlot made = {i < j ? i : j, i < j ? j : i, i, *surface};
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

// a number that belongs to one law: mixed if both have the law, else from the one that has it
static double mix_own(const SticWorld* world, const bool has[2], double a, double b)
{
    if (has[0] && has[1])
        return mix(world->friction_mixing, a, b);
    return has[0] ? a : b;
}

static SticPairSurface mix_surfaces(const SticWorld* world, const SticSurface* p,
                                    const SticSurface* q)
{
    const int32_t law = p->law > q->law ? p->law : q->law;
    const bool has[2] = {p->law == law, q->law == law};
    SticPairSurface mixed = {.grain = has[0] ? 0 : 1};
    mixed.surface =
        (SticSurface){.friction = mix(world->friction_mixing, p->friction, q->friction),
                      .law = law,
                      .across = mix_own(world, has, p->across, q->across),
                      .grain = has[0] ? p->grain : q->grain,
                      .rolling = mix_own(world, has, p->rolling, q->rolling),
                      .patch = mix_own(world, has, p->patch, q->patch),
                      .shear = mix_own(world, has, p->shear, q->shear),
                      .cohesion = mix(world->cohesion_mixing, p->cohesion, q->cohesion)};
    for (int k = 0; k < 2; ++k)
        mixed.surface.restitution[k] =
            mix(world->restitution_mixing, p->restitution[k], q->restitution[k]);
    return mixed;
}

SticPairSurface stic_surface_of(const SticWorld* world, uint32_t a, uint32_t b)
{
    const uint32_t first = a < b ? a : b, second = a < b ? b : a;
    for (uint32_t k = 0; k < world->pairs; ++k)
        if (world->pair[k].first == first && world->pair[k].second == second)
            return (SticPairSurface){world->pair[k].surface, world->pair[k].grain};
    // a material in contact with itself has its own coefficients to the last bit
    if (a == b)
        return (SticPairSurface){world->material[a].def.surface, a};
    // the lower number first, so that the grain of two anisotropic materials does not depend on
    // the order of the arguments
    SticPairSurface pair = mix_surfaces(world, &world->material[first].def.surface,
                                        &world->material[second].def.surface);
    pair.grain = pair.grain == 0 ? first : second;
    return pair;
}

SticSurface stic_surface_get(const SticWorld* world, SticMaterialId a, SticMaterialId b)
{
    STIC_ASSERT(world != NULL);
    STIC_ASSERT(stic_material_is_valid(world, a) && stic_material_is_valid(world, b));
    return stic_surface_of(world, slot_of(a), slot_of(b)).surface;
}
