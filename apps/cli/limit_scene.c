// SPDX-License-Identifier: Apache-2.0
// A scene with one number changed: through its parameters, or in its definition.
#include "limit_scene.h"

#include <math.h>
#include <string.h>

#include "print.h"
#include "stiction/extend/base.h"
#include "stiction/extend/math.h"
#include "stiction/extend/step.h"
#include "stiction/extend/vec3.h"

// an option that asks for what the scene does not have
static CliExit refuse(const CliVaried* varied, const char* why)
{
    SticError error = {0};
    const SticStatus status = stic_error_set(&error, STIC_BAD_ARGUMENT, "%s", why);
    return cli_report(&error, status, varied->call->operand[0]);
}

const char* const cli_vary_names[] = {[CLI_VARY_LOAD] = "load",
                                      [CLI_VARY_ACCELERATION] = "acceleration",
                                      [CLI_VARY_TILT] = "tilt",
                                      [CLI_VARY_FRICTION] = "friction",
                                      [CLI_VARY_PARAMETER] = NULL};

/* ---- changes of the definition ---- */

// a load times a factor; false: it changes with time
static bool scale_load(double factor, SticSceneLoad* load, bool* loaded)
{
    for (int k = 0; k < 3; ++k)
        if (load->signal[k] >= 0)
            return false;
    *loaded = *loaded || stic_vec3_norm(load->constant) > 0.0;
    load->constant = stic_vec3_scale(factor, load->constant);
    return true;
}

static CliExit scale_loads(const CliVaried* varied, double value, SticArena* arena,
                           SticSceneDef* def)
{
    SticSceneBody* body = NULL;
    SticScenePoint* point = NULL;
    bool loaded = false, constant = true;
    if (STIC_TAKE(arena, &body, def->body_count + 1) != STIC_OK ||
        STIC_TAKE(arena, &point, def->point_count + 1) != STIC_OK)
        return cli_out_of_memory();
    for (int32_t i = 0; i < def->body_count; ++i) {
        body[i] = def->body[i];
        constant = constant && scale_load(value, &body[i].force, &loaded) &&
                   scale_load(value, &body[i].torque, &loaded);
    }
    for (int32_t i = 0; i < def->point_count; ++i) {
        point[i] = def->point[i];
        constant = constant && scale_load(value, &point[i].force, &loaded) &&
                   scale_load(value, &point[i].traction, &loaded);
    }
    if (!constant)
        return refuse(varied, "--vary load: loads that change with time have no factor; state them "
                              "as constants");
    def->body = body;
    def->point = point;
    return loaded ? CLI_DONE
                  : refuse(varied, "--vary load: no body has a force or a torque to be multiplied");
}

static CliExit set_friction(const CliVaried* varied, double value, SticArena* arena,
                            SticSceneDef* def)
{
    SticSceneMaterial* material = NULL;
    SticSceneSurface* surface = NULL;
    for (int32_t i = 0; i < def->body_count; ++i)
        for (int32_t k = 0; k < def->body[i].part_count; ++k)
            if (def->body[i].material < 0 && def->body[i].part[k].material < 0)
                return refuse(varied, "--vary friction: every body needs a material whose friction "
                                      "can be set");
    if (STIC_TAKE(arena, &material, def->material_count + 1) != STIC_OK ||
        STIC_TAKE(arena, &surface, def->surface_count + 1) != STIC_OK)
        return cli_out_of_memory();
    if (def->material_count > 0)
        memcpy(material, def->material, (size_t)def->material_count * sizeof *material);
    if (def->surface_count > 0)
        memcpy(surface, def->surface, (size_t)def->surface_count * sizeof *surface);
    for (int32_t i = 0; i < def->material_count; ++i)
        material[i].surface.friction = value;
    for (int32_t i = 0; i < def->surface_count; ++i)
        surface[i].surface.friction = value;
    def->material = material;
    def->surface = surface;
    return CLI_DONE;
}

static CliExit turn_gravity(const CliVaried* varied, double degrees, SticSceneDef* def)
{
    const SticVec3 g = def->gravity.constant;
    const double size = stic_vec3_norm(g);
    if (!(size > 0.0))
        return refuse(varied, "--vary tilt: there is no gravity to turn");
    const SticVec3 down = stic_vec3_scale(1.0 / size, g);
    const SticVec3 across =
        stic_vec3_add_scaled(varied->direction, -stic_vec3_dot(varied->direction, down), down);
    if (!(stic_vec3_norm(across) > 1e-9))
        return refuse(varied, "--direction: along gravity there is nothing to tilt to");
    double sine, cosine;
    stic_sincos(degrees * (3.14159265358979323846 / 180.0), &sine, &cosine);
    def->gravity.constant =
        stic_vec3_scale(size, stic_vec3_add_scaled(stic_vec3_scale(cosine, down), sine,
                                                   stic_vec3_normalize(across)));
    return CLI_DONE;
}

static CliExit change(const CliVaried* varied, double value, SticArena* arena, SticSceneDef* def)
{
    switch (varied->vary) {
    case CLI_VARY_LOAD:
        return scale_loads(varied, value, arena, def);
    case CLI_VARY_FRICTION:
        return set_friction(varied, value, arena, def);
    case CLI_VARY_TILT:
        return turn_gravity(varied, value, def);
    case CLI_VARY_ACCELERATION:
        def->gravity.constant =
            stic_vec3_add_scaled(def->gravity.constant, value, varied->direction);
        return CLI_DONE;
    case CLI_VARY_PARAMETER:
        break;
    }
    return CLI_DONE;
}

/* ---- the structure ---- */

static CliExit load(const CliVaried* varied, double value, SticScene** scene)
{
    char text[64];
    SticError error = {0};
    CliAssignments* all = varied->all;
    SticSceneOptions options = stic_scene_default_options();
    options.param = all->param;
    options.param_count = all->params;
    options.set = all->set;
    options.set_count = all->sets;
    options.until = varied->until;
    if (varied->vary == CLI_VARY_PARAMETER) {
        snprintf(text, sizeof text, "%.17g", value);
        all->param[all->params] = (SticSceneAssignment){.name = varied->name, .value = text};
        options.param_count += 1;
    }
    const SticStatus status =
        stic_scene_load(varied->call->context, varied->call->operand[0], &options, scene, &error);
    if (status == STIC_OK)
        return CLI_DONE;
    const CliExit result = cli_report(&error, status, varied->call->operand[0]);
    const char* near = varied->vary == CLI_VARY_PARAMETER && status == STIC_BAD_ARGUMENT
                           ? stic_suggest(varied->name, cli_vary_names)
                           : NULL;
    if (near != NULL)
        cli_message("did you mean --vary %s?", near);
    return result;
}

// runs that find the factor of their loads by themselves say nothing about a given one
static CliExit keep_loads(SticArena* arena, SticSceneDef* def)
{
    const SticScheme* scheme = stic_scheme_find(def->scheme, NULL);
    SticError error = {0};
    void* settings = NULL;
    if (scheme == NULL || def->scheme_settings == NULL || strcmp(def->scheme, "quasi-static") != 0)
        return CLI_DONE;
    if (stic_arena_take(arena, scheme->fields->size, &settings) != STIC_OK)
        return cli_out_of_memory();
    memcpy(settings, def->scheme_settings, scheme->fields->size);
    def->scheme_settings = settings;
    const SticStatus status = stic_fields_set(scheme->fields, settings, "control", "load", &error);
    return status == STIC_OK ? CLI_DONE : cli_report(&error, status, NULL);
}

static CliExit vary(const CliVaried* varied, double value, CliStructure* made)
{
    SticError error = {0};
    CliExit result = load(varied, value, &made->source);
    // a model is refused by who asks for its world
    if (result != CLI_DONE || stic_scene_def(made->source)->model != NULL) {
        made->scene = made->source;
        made->source = NULL;
        return result;
    }
    SticSceneDef def = *stic_scene_def(made->source);
    result = change(varied, value, made->arena, &def);
    if (result == CLI_DONE)
        result = keep_loads(made->arena, &def);
    if (result != CLI_DONE)
        return result;
    const SticStatus status = stic_scene_create(varied->call->context, &def, &made->scene, &error);
    return status == STIC_OK ? CLI_DONE : cli_report(&error, status, varied->call->operand[0]);
}

CliExit cli_structure_build(const CliVaried* varied, double value, CliStructure* made)
{
    const SticContext* context = varied->call->context;
    SticError error = {0};
    *made = (CliStructure){0};
    if (stic_arena_create(context, 0, &made->arena) != STIC_OK)
        return cli_out_of_memory();
    const CliExit result = vary(varied, value, made);
    if (result != CLI_DONE)
        return result;
    SticStatus status = stic_simulation_create(context, made->scene, &made->simulation, &error);
    const SticWorld* world =
        made->simulation == NULL ? NULL : stic_simulation_world(made->simulation);
    if (status == STIC_OK && world == NULL)
        status = stic_error_set(&error, STIC_BAD_DATA,
                                "limit analysis needs a world of bodies, not a model");
    if (status == STIC_OK)
        status = stic_limit_create(context, world, &made->limit, &error);
    return status == STIC_OK ? CLI_DONE : cli_report(&error, status, varied->call->operand[0]);
}

void cli_structure_clear(CliStructure* structure)
{
    stic_limit_destroy(structure->limit);
    stic_simulation_destroy(structure->simulation);
    stic_scene_destroy(structure->scene);
    stic_scene_destroy(structure->source);
    stic_arena_destroy(structure->arena);
    *structure = (CliStructure){0};
}
