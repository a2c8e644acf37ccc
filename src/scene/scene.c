// SPDX-License-Identifier: Apache-2.0
// Scenes: their memory, where they are read from, changes from outside, checks of the whole.
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/locale.h"
#include "base/number.h"
#include "file/system.h"
#include "scene/scene.h"
#include "stiction/extend/result.h"
#include "stiction/extend/run.h"
#include "stiction/extend/solver.h"
#include "stiction/extend/vec3.h"

enum { LARGEST_SCRIPT = 1 << 28 }; // bytes

SticSceneOptions stic_scene_default_options(void)
{
    return (SticSceneOptions){.max_instructions = 1000000000, .max_bytes = (size_t)1 << 30};
}

SticSceneDef stic_scene_default_def(void)
{
    const SticWorldDef world = stic_world_default_def();
    const SticRunParts run = stic_run_default_parts();
    return (SticSceneDef){.gravity = {.constant = world.gravity, .signal = {-1, -1, -1}},
                          .friction_mixing = world.friction_mixing,
                          .restitution_mixing = world.restitution_mixing,
                          .cohesion_mixing = world.cohesion_mixing,
                          .contact_rule = world.contact_rule,
                          .intersection = world.intersection,
                          .search = world.search,
                          .scheme = "moreau",
                          .solver = run.solver->name,
                          .solve = run.solve,
                          .run = {.law = (int32_t)run.law,
                                  .projection = run.projection,
                                  .correction = run.correction.rate,
                                  .step = 1e-3,
                                  .until = 1.0,
                                  .accuracy = (int32_t)run.accuracy,
                                  .policy = (int32_t)run.policy,
                                  .max_halvings = run.max_halvings,
                                  .energy_alarm = run.energy_alarm,
                                  .sleep = run.sleep},
                          .output = stic_output_default_settings()};
}

SticStandards stic_scene_standards(void)
{
    const SticMaterialDef material = stic_material_default_def();
    const SticBodyDef body = stic_body_default_def();
    const SticSceneLoad none = {.signal = {-1, -1, -1}};
    const SticSceneHistory history = {.quantity = -1, .body = -1, .other = -1, .joint = -1};
    return (SticStandards){
        .signal = {.scale = 1.0},
        .material = {.density = material.density, .surface = material.surface},
        .surface = {.material = {-1, -1}, .surface = material.surface},
        .part = {.shape = -1, .orientation = stic_quat_identity(), .material = -1},
        .body = {.kind = body.kind,
                 .orientation = body.orientation,
                 .force = none,
                 .torque = none,
                 .displacement = none,
                 .axis = stic_vec3(0.0, 0.0, 1.0),
                 .angle = {.signal = -1},
                 .material = -1,
                 .stored = STIC_SOLID_NEO_HOOKE,
                 .cell = STIC_SOLID_HEX8,
                 .opacity = 1.0,
                 .visible = true},
        .joint = {.kind = -1,
                  .body = {-1, -1},
                  .axis = stic_vec3(0.0, 0.0, 1.0),
                  .limit = {-HUGE_VAL, HUGE_VAL},
                  .speed = {.signal = -1},
                  .force = {.signal = -1},
                  .drive_force = HUGE_VAL},
        .point = {.body = -1, .force = none, .traction = none},
        .history = history,
        .check = {.what = history}};
}

/* ---- memory ---- */

SticStatus stic_scene_begin(const SticContext* context, SticScene** scene)
{
    SticScene* made = NULL;
    *scene = NULL;
    STIC_TRY(STIC_ALLOCATE(context, &made, 1));
    made->context = *context;
    made->def = stic_scene_default_def();
    made->def.scheme_settings = made->scheme_settings;
    made->def.solver_settings = made->solver_settings;
    made->def.model_parameters = made->model_parameters;
    const SticScheme* scheme = stic_scheme_find(made->def.scheme, NULL);
    const SticSolver* solver = stic_solver_find(made->def.solver, NULL);
    if (scheme->fields != NULL)
        stic_fields_default(scheme->fields, made->scheme_settings);
    if (solver->fields != NULL)
        stic_fields_default(solver->fields, made->solver_settings);
    const SticStatus status = stic_arena_create(context, 0, &made->arena);
    if (status != STIC_OK) {
        stic_scene_destroy(made);
        return status;
    }
    *scene = made;
    return STIC_OK;
}

void stic_scene_destroy(SticScene* scene)
{
    if (scene == NULL)
        return;
    const SticContext context = scene->context;
    STIC_RELEASE(&context, scene->material, scene->capacity[0]);
    STIC_RELEASE(&context, scene->surface, scene->capacity[1]);
    STIC_RELEASE(&context, scene->signal, scene->capacity[2]);
    STIC_RELEASE(&context, scene->shape, scene->capacity[3]);
    STIC_RELEASE(&context, scene->body, scene->capacity[4]);
    STIC_RELEASE(&context, scene->joint, scene->capacity[5]);
    STIC_RELEASE(&context, scene->history, scene->capacity[6]);
    STIC_RELEASE(&context, scene->check, scene->capacity[7]);
    STIC_RELEASE(&context, scene->point, scene->capacity[8]);
    stic_arena_destroy(scene->arena);
    STIC_RELEASE(&context, scene, 1);
}

const SticSceneDef* stic_scene_def(const SticScene* scene)
{
    STIC_ASSERT(scene != NULL);
    return &scene->def;
}

const char* stic_scene_source(const SticScene* scene)
{
    STIC_ASSERT(scene != NULL);
    return scene->source;
}

bool stic_scene_parameter(const SticScene* scene, int32_t i, SticSceneAssignment* parameter)
{
    STIC_ASSERT(scene != NULL);
    STIC_ASSERT(parameter != NULL);
    if (i < 0 || i >= scene->parameters)
        return false;
    *parameter = (SticSceneAssignment){.name = scene->parameter[i], .value = scene->standard[i]};
    return true;
}

size_t stic_scene_bytes(const SticScene* scene)
{
    const size_t each[] = {sizeof *scene->material, sizeof *scene->surface, sizeof *scene->signal,
                           sizeof *scene->shape,    sizeof *scene->body,    sizeof *scene->joint,
                           sizeof *scene->history,  sizeof *scene->check,   sizeof *scene->point};
    size_t bytes = stic_arena_bytes(scene->arena);
    for (size_t k = 0; k < sizeof each / sizeof each[0]; ++k)
        bytes += scene->capacity[k] * each[k];
    return bytes;
}

SticStatus stic_scene_keep(SticScene* scene, const char* text, const char** kept)
{
    char* copy = NULL;
    const size_t size = strlen(text) + 1;
    STIC_TRY(STIC_TAKE(scene->arena, &copy, size));
    memcpy(copy, text, size);
    *kept = copy;
    return STIC_OK;
}

SticStatus stic_builder_open(SticBuilder* builder, SticScene* scene, const char* file,
                             SticError* error)
{
    *builder = (SticBuilder){.scene = scene, .file = file, .folder = -1, .error = error};
    return stic_arena_create(&scene->context, 0, &builder->scratch);
}

void stic_builder_close(SticBuilder* builder)
{
    const SticContext* context = &builder->scene->context;
    for (int k = 0; k < 3; ++k)
        STIC_RELEASE(context, builder->names[k].slot, builder->names[k].slots);
    STIC_RELEASE(context, builder->shapes.slot, builder->shapes.slots);
    stic_arena_destroy(builder->scratch);
}

/* ---- changes from outside ---- */

// the statement that a group of settings belongs to
static const char* statement_of(const SticBuilder* builder, const char* group)
{
    const SticSceneDef* def = &builder->scene->def;
    if (strcmp(group, "solve") == 0 || strcmp(group, def->solver) == 0)
        return "solver";
    if (strcmp(group, def->scheme) == 0)
        return "scheme";
    if (strcmp(group, "model") == 0)
        return "system";
    static const char* const known[] = {"run", "output", "solver", "scheme", "system", NULL};
    for (int i = 0; known[i] != NULL; ++i)
        if (strcmp(known[i], group) == 0)
            return known[i];
    return NULL;
}

// a scheme or solver that the scene does not have
static const char* other_method(const char* group, const char** what)
{
    const bool scheme = stic_scheme_find(group, NULL) != NULL;
    *what = scheme ? "scheme" : "solver";
    return scheme || stic_solver_find(group, NULL) != NULL ? group : NULL;
}

static SticStatus unknown_group(SticBuilder* builder, const char* group)
{
    enum { MOST = 64 };
    const SticSceneDef* def = &builder->scene->def;
    const char* names[MOST + 1] = {"run", "output", "solver", "scheme", "system", "solve"};
    const char* what = "";
    if (other_method(group, &what) != NULL)
        return stic_builder_fail(builder, NULL, "the %s of the scene is %s; %s=%s chooses another",
                                 what, strcmp(what, "scheme") == 0 ? def->scheme : def->solver,
                                 what, group);
    int used = 6;
    for (const SticScheme* scheme = stic_scheme_table; scheme->name != NULL && used < MOST;
         ++scheme)
        names[used++] = scheme->name;
    for (const SticSolver* solver = stic_solver_table; solver->name != NULL && used < MOST;
         ++solver)
        names[used++] = solver->name;
    // accuracy=strict instead of run.accuracy=strict
    SticSceneField field;
    for (int32_t i = 0; stic_scene_field(i, &field); ++i)
        if (strcmp(field.statement, "run") == 0 && strcmp(field.name, group) == 0)
            return stic_builder_fail(builder, NULL, "'%s' is a field of run: run.%s=…", group,
                                     group);
    const char* near = stic_suggest(group, names);
    if (near != NULL)
        return stic_builder_fail(builder, NULL, "there is no group '%.40s'; did you mean '%s'?",
                                 group, near);
    return stic_builder_fail(builder, NULL,
                             "the first word must be run, output, solver, scheme or system, as "
                             "in run.step");
}

static SticValue value_of(const char* text)
{
    SticValue value = {.type = STIC_VALUE_STRING, .string = text};
    const bool yes = strcmp(text, "true") == 0, no = strcmp(text, "false") == 0;
    const char* end = stic_number_parse(text, &value.number);
    if (end != NULL && *end == '\0' && !isnan(value.number))
        value.type = STIC_VALUE_NUMBER;
    else if (yes || no)
        value = (SticValue){.type = STIC_VALUE_FLAG, .number = yes ? 1.0 : 0.0};
    return value;
}

static SticStatus apply_set(SticBuilder* builder, const SticSceneAssignment* set)
{
    char group[64];
    const char* dot = strchr(set->name, '.');
    const size_t length = dot == NULL ? strlen(set->name) : (size_t)(dot - set->name);
    builder->line = 0;
    builder->file = "";
    builder->what[0] = '\0';
    snprintf(group, sizeof group, "%.*s", (int)length, set->name);
    const char* statement = statement_of(builder, group);
    if (statement == NULL)
        return unknown_group(builder, group);
    // `solver=auto` is short for solver.name=auto
    SticItem item = {.key = dot == NULL ? "name" : dot + 1, .value = value_of(set->value)};
    const SticValue table = {.type = STIC_VALUE_TABLE, .count = 1, .item = &item};
    return stic_builder_apply(builder, statement, &table, NULL);
}

static SticStatus set_one(SticBuilder* builder, const SticSceneAssignment* set)
{
    const SticStatus status = apply_set(builder, set);
    if (status != STIC_BAD_DATA)
        return status;
    // the fault is in the request, not in the scene
    return stic_error_set(builder->error, STIC_BAD_ARGUMENT, "%.60s=%.60s: %s", set->name,
                          set->value, builder->error != NULL ? builder->error->text : "");
}

// whether an assignment chooses a scheme, a solver or a system
static bool chooses(const SticSceneAssignment* set)
{
    const char* dot = strchr(set->name, '.');
    return dot == NULL || strcmp(dot, ".name") == 0;
}

SticStatus stic_builder_set(SticBuilder* builder, const SticSceneOptions* options)
{
    // a scheme begins with its defaults: what is set of it comes after it, in whatever order it was
    // asked for
    for (int pass = 0; pass < 2; ++pass)
        for (int32_t i = 0; i < options->set_count; ++i)
            if (chooses(&options->set[i]) == (pass == 0))
                STIC_TRY(set_one(builder, &options->set[i]));
    return STIC_OK;
}

void stic_builder_until(SticBuilder* builder, double until)
{
    SticScene* scene = builder->scene;
    if (until == 0.0)
        return;
    // reference values are those of the scene's own end
    for (int32_t i = 0; i < scene->def.check_count; ++i)
        if (scene->check[i].at == 0.0)
            scene->check[i].at = scene->def.run.until;
    scene->def.run.until = until;
    scene->def.run.short_until = 0.0;
}

/* ---- checks of the whole ---- */

static SticStatus check_histories(SticBuilder* builder)
{
    const SticSceneDef* def = &builder->scene->def;
    for (int32_t i = 0; i < def->history_count + def->check_count; ++i) {
        const SticSceneHistory* what =
            i < def->history_count ? &def->history[i] : &def->check[i - def->history_count].what;
        const bool of_model =
            what->quantity == STIC_QUANTITY_STATE_Q || what->quantity == STIC_QUANTITY_STATE_U;
        if (of_model && def->model == NULL)
            return stic_builder_fail(builder, NULL, "%s measures a model, but the scene has bodies",
                                     stic_quantity_name((SticQuantity)what->quantity));
    }
    return STIC_OK;
}

SticStatus stic_builder_finish(SticBuilder* builder)
{
    const SticSceneDef* def = &builder->scene->def;
    builder->line = 0;
    builder->what[0] = '\0';
    if (def->model != NULL && (def->body_count > 0 || def->joint_count > 0))
        return stic_builder_fail(
            builder, NULL, "a scene has either a system \"%s\" or bodies, not both", def->model);
    if (def->model == NULL && def->body_count == 0)
        return stic_builder_fail(builder, NULL,
                                 "the scene is empty: neither body{…} nor system \"…\" is there");
    int32_t moving = def->model != NULL ? 1 : 0;
    for (int32_t i = 0; i < def->body_count; ++i)
        moving += def->body[i].kind != STIC_BODY_FIXED && def->body[i].kind != STIC_BODY_PRESCRIBED;
    if (moving == 0)
        return stic_builder_fail(builder, NULL,
                                 "nothing moves: all bodies are fixed or prescribed");
    if (def->run.policy == STIC_POLICY_RETRY && def->second == NULL)
        return stic_builder_fail(builder, NULL,
                                 "the policy retry needs a second solver: solver{second = \"…\"}");
    if (!(def->run.until / def->run.step <= 9e15))
        return stic_builder_fail(builder, NULL, "%g s in steps of %g s are too many steps",
                                 def->run.until, def->run.step);
    if (!(rint(def->run.until / def->run.step) >= 1.0))
        return stic_builder_fail(builder, NULL,
                                 "a run of %g s is over before its first step of %g s",
                                 def->run.until, def->run.step);
    SticError error = {0};
    if (stic_scheme_agree(stic_scheme_find(def->scheme, NULL), def->scheme_settings,
                          builder->scene->scheme_given, &error) != STIC_OK)
        return stic_builder_fail(builder, NULL, "scheme: %s", error.text);
    // a run that was cut short from outside has no longer short version
    if (def->run.short_until > def->run.until)
        builder->scene->def.run.short_until = def->run.until;
    return check_histories(builder);
}

/* ---- reading ---- */

static bool is_text_form(const SticText* text)
{
    const size_t length = strlen(STIC_SCENE_MARK);
    return text->size >= length && memcmp(text->bytes, STIC_SCENE_MARK, length) == 0;
}

static SticStatus build(SticBuilder* builder, const SticText* text, const SticSceneOptions* options)
{
    if (!is_text_form(text))
        return stic_scene_run_script(builder, text, options);
    if (options->param_count > 0)
        return stic_builder_fail(builder, NULL,
                                 "'%.40s' is no parameter: the text form of a scene has none",
                                 options->param[0].name);
    STIC_TRY(stic_scene_read(builder, text));
    // the text form has all settings, whoever gave them
    builder->scene->scheme_given = 0;
    STIC_TRY(stic_builder_set(builder, options));
    stic_builder_until(builder, options->until);
    return STIC_OK;
}

typedef struct Source {
    const SticText* text;
    const char* name; // for messages
    int folder;       // of its files; -1: none
} Source;

static SticStatus read_scene(const SticContext* context, const Source* source,
                             const SticSceneOptions* options, SticScene** scene, SticError* error)
{
    SticScene* made = NULL;
    SticBuilder builder;
    *scene = NULL;
    SticStatus status = stic_scene_begin(context, &made);
    if (status != STIC_OK)
        return stic_error_set(error, status, "no memory for a scene");
    SticError local = {0};
    made->def.run_guessed = true;
    status = stic_builder_open(&builder, made, source->name, &local);
    builder.folder = source->folder;
    // texts that Lua makes of numbers do not depend on the host program
    const SticLocale locale = stic_locale_plain();
    if (status == STIC_OK)
        status = build(&builder, source->text, options);
    if (status == STIC_OK)
        status = stic_builder_finish(&builder);
    if (status == STIC_OK)
        status = stic_scene_keep(made, source->text->bytes, &made->source);
    stic_locale_restore(locale);
    stic_builder_close(&builder);
    if (status != STIC_OK) {
        stic_scene_destroy(made);
        if (local.status == STIC_OK)
            stic_error_set_at(&local, status, source->name, 0, 0, "%s", stic_status_text(status));
        if (error != NULL)
            *error = local;
        return status;
    }
    *scene = made;
    return STIC_OK;
}

// names and values that a caller gave for parameters or settings
static SticStatus check_assignments(const SticSceneAssignment* given, int32_t count,
                                    const char* what, SticError* error)
{
    if (count < 0)
        return stic_error_set(error, STIC_BAD_ARGUMENT, "options of a scene: %d of %s", (int)count,
                              what);
    if (count > 0 && given == NULL)
        return stic_error_set(error, STIC_BAD_ARGUMENT, "options of a scene: %s is NULL", what);
    for (int32_t i = 0; i < count; ++i)
        if (given[i].name == NULL || given[i].value == NULL)
            return stic_error_set(error, STIC_BAD_ARGUMENT,
                                  "options of a scene: %s of %s number %d is NULL",
                                  given[i].name == NULL ? "the name" : "the value", what, (int)i);
    return STIC_OK;
}

static SticStatus check_options(const SticSceneOptions* options, SticError* error)
{
    STIC_TRY(check_assignments(options->param, options->param_count, "param", error));
    return check_assignments(options->set, options->set_count, "set", error);
}

SticStatus stic_scene_parse(const SticContext* context, const SticText* text, const char* name,
                            const SticSceneOptions* options, SticScene** scene, SticError* error)
{
    context = stic_context_given(context);
    STIC_GIVEN(text, error);
    STIC_GIVEN(name, error);
    STIC_GIVEN(scene, error);
    *scene = NULL;
    STIC_GIVEN(text->bytes, error);
    const SticSceneOptions usual = stic_scene_default_options();
    options = options == NULL ? &usual : options;
    STIC_TRY(check_options(options, error));
    return read_scene(context, &(Source){text, name, -1}, options, scene, error);
}

// descriptor of the folder that a path lies in
static SticStatus open_folder(const char* path, int* folder, SticError* error)
{
    char name[4096];
    const char* slash = strrchr(path, '/');
    const size_t length = slash == NULL ? 0 : (size_t)(slash - path);
    if (length >= sizeof name)
        return stic_error_set_at(error, STIC_IO_FAILED, path, 0, 0, "the path is too long");
    memcpy(name, path, length);
    name[length] = '\0';
    if (length == 0)
        memcpy(name, slash == NULL ? "." : "/", 2);
    *folder = open(name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return *folder >= 0 ? STIC_OK : stic_file_system_fail(error, name, errno, "cannot be opened");
}

SticStatus stic_scene_load(const SticContext* context, const char* path,
                           const SticSceneOptions* options, SticScene** scene, SticError* error)
{
    context = stic_context_given(context);
    STIC_GIVEN(path, error);
    STIC_GIVEN(scene, error);
    const SticSceneOptions usual = stic_scene_default_options();
    SticText text;
    int folder = -1;
    *scene = NULL;
    options = options == NULL ? &usual : options;
    STIC_TRY(check_options(options, error));
    SticStatus status = stic_text_load(context, path, LARGEST_SCRIPT, &text, error);
    if (status != STIC_OK)
        return status == STIC_OUT_OF_MEMORY ? stic_error_set(error, status, "no memory for a scene")
                                            : status;
    status = open_folder(path, &folder, error);
    if (status == STIC_OK)
        status = read_scene(context, &(Source){&text, path, folder}, options, scene, error);
    if (folder >= 0)
        close(folder);
    stic_text_unload(&text);
    return status;
}

SticStatus stic_scene_create(const SticContext* context, const SticSceneDef* def, SticScene** scene,
                             SticError* error)
{
    context = stic_context_given(context);
    STIC_ASSERT(def != NULL);
    STIC_ASSERT(scene != NULL);
    // one way in: a scene is what can be written and read again
    SticText text;
    *scene = NULL;
    STIC_TRY(stic_scene_write(context, def, &text, error));
    const SticSceneOptions options = stic_scene_default_options();
    const SticStatus status = stic_scene_parse(context, &text, "", &options, scene, error);
    stic_text_unload(&text);
    return status;
}
