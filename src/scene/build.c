// SPDX-License-Identifier: Apache-2.0
// Statements: from a name and a value to a part of the definition.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "scene/scene.h"

#include "stiction/extend/base.h"
#include "stiction/extend/step.h"
#include "stiction/extend/vec3.h"

enum { MATERIALS, SURFACES, SIGNALS, SHAPES, BODIES, JOINTS, HISTORIES, CHECKS, POINTS };
enum { NAMED_MATERIAL, NAMED_BODY, NAMED_JOINT };
enum { LONGEST_TITLE = 1000 };

const char* const stic_statement_names[] = {
    "title", "contacts", "gravity", "mixing", "material", "surface", "signal",
    "shape", "body",     "joint",   "system", "scheme",   "solver",  "accuracy",
    "run",   "output",   "history", "check",  "load",     NULL};

/* ---- names ---- */

static const char* name_of(const SticScene* scene, int which, int32_t index)
{
    switch (which) {
    case NAMED_MATERIAL:
        return scene->material[index].name;
    case NAMED_BODY:
        return scene->body[index].name;
    default:
        return scene->joint[index].name;
    }
}

// slot of a name, or the free one where it belongs
static size_t slot_of(const SticBuilder* builder, int which, const char* name)
{
    const SticNames* names = &builder->names[which];
    size_t at = stic_hash_bytes(0, name, strlen(name)) & (names->slots - 1);
    while (names->slot[at] != 0 &&
           strcmp(name_of(builder->scene, which, names->slot[at] - 1), name) != 0)
        at = (at + 1) & (names->slots - 1);
    return at;
}

int32_t stic_builder_find(const SticBuilder* builder, int which, const char* name)
{
    const SticNames* names = &builder->names[which];
    return names->slots == 0 ? -1 : names->slot[slot_of(builder, which, name)] - 1;
}

SticStatus stic_builder_near(SticBuilder* builder, int which, const char* name, const char** near)
{
    const SticSceneDef* def = &builder->scene->def;
    const int32_t counts[] = {def->material_count, def->body_count, def->joint_count};
    const SticArenaMark mark = stic_arena_mark(builder->scratch);
    const char** names = NULL;
    int32_t used = 0;
    STIC_TRY(STIC_TAKE(builder->scratch, &names, counts[which] + 1));
    for (int32_t i = 0; i < counts[which]; ++i)
        if (name_of(builder->scene, which, i) != NULL)
            names[used++] = name_of(builder->scene, which, i);
    names[used] = NULL;
    *near = stic_suggest(name, names);
    stic_arena_rewind(builder->scratch, mark);
    return STIC_OK;
}

// twice the slots, filled again by `which`
static SticStatus grow_names(SticBuilder* builder, int which)
{
    SticNames* names = &builder->names[which];
    const SticContext* context = &builder->scene->context;
    SticNames old = *names;
    SticNames grown = {.slots = old.slots == 0 ? 64 : 2 * old.slots, .count = old.count};
    STIC_TRY(STIC_ALLOCATE(context, &grown.slot, grown.slots));
    *names = grown;
    for (size_t k = 0; k < old.slots; ++k)
        if (old.slot[k] != 0)
            names->slot[slot_of(builder, which, name_of(builder->scene, which, old.slot[k] - 1))] =
                old.slot[k];
    STIC_RELEASE(context, old.slot, old.slots);
    return STIC_OK;
}

// the name of the last one of a list; it must be new
static SticStatus add_name(SticBuilder* builder, int which, int32_t index, const SticValue* value)
{
    SticNames* names = &builder->names[which];
    const char* name = name_of(builder->scene, which, index);
    if (name == NULL)
        return STIC_OK;
    if (strlen(name) >= STIC_NAME_SIZE)
        return stic_builder_fail(builder, value, "a name has at most %d characters",
                                 STIC_NAME_SIZE - 1);
    if (which == NAMED_BODY && strcmp(name, "ground") == 0)
        return stic_builder_fail(builder, value, "the name 'ground' means no body");
    if (stic_builder_find(builder, which, name) >= 0)
        return stic_builder_fail(builder, value, "the name is taken already");
    if ((size_t)names->count * 2 >= names->slots)
        STIC_TRY(grow_names(builder, which));
    names->slot[slot_of(builder, which, name)] = index + 1;
    names->count += 1;
    return STIC_OK;
}

/* ---- lists ---- */

// the definition points to the lists, which move when they grow
static void publish(SticScene* scene)
{
    scene->def.material = scene->material;
    scene->def.surface = scene->surface;
    scene->def.signal = scene->signal;
    scene->def.shape = scene->shape;
    scene->def.body = scene->body;
    scene->def.joint = scene->joint;
    scene->def.history = scene->history;
    scene->def.check = scene->check;
    scene->def.point = scene->point;
}

// append a copy of an element
#define APPEND(scene, list, number, counter, element)                                              \
    append((scene), (void**)&(scene)->list, number, &(scene)->def.counter, &(element),             \
           sizeof(element))

static SticStatus append(SticScene* scene, void** list, int number, int32_t* count,
                         const void* element, size_t size)
{
    STIC_TRY(stic_array_reserve(&scene->context, list, &scene->capacity[number], (size_t)*count + 1,
                                size));
    memcpy((unsigned char*)*list + (size_t)*count * size, element, size);
    *count += 1;
    publish(scene);
    return STIC_OK;
}

SticStatus stic_builder_append_shape(SticBuilder* builder, const SticSceneShape* shape)
{
    return APPEND(builder->scene, shape, SHAPES, shape_count, *shape);
}

// the statement and its name, for messages
static void begin_statement(SticBuilder* builder, const char* statement, const SticValue* value)
{
    const SticValue* name = value == NULL ? NULL : stic_value_get(value, "name");
    if (name != NULL && name->type == STIC_VALUE_STRING)
        snprintf(builder->what, sizeof builder->what, "%s '%.60s'", statement, name->string);
    else
        snprintf(builder->what, sizeof builder->what, "%s", statement);
}

/* ---- world ---- */

static SticStatus add_material(SticBuilder* builder, const SticValue* value, int32_t* index)
{
    SticScene* scene = builder->scene;
    SticSceneMaterial made = stic_scene_standards().material;
    STIC_TRY(stic_builder_fields(builder, &stic_entries_material, value, NULL, &made));
    if (made.name == NULL)
        return stic_builder_fail(builder, value, "a material needs a name");
    made.weighed = stic_value_get(value, "density") != NULL;
    made.rubbed = stic_value_get(value, "friction") != NULL || stic_value_get(value, "law") != NULL;
    STIC_TRY(APPEND(scene, material, MATERIALS, material_count, made));
    *index = scene->def.material_count - 1;
    return add_name(builder, NAMED_MATERIAL, *index, value);
}

static SticStatus add_surface(SticBuilder* builder, const SticValue* value, int32_t* index)
{
    SticScene* scene = builder->scene;
    SticSceneSurface made = stic_scene_standards().surface;
    STIC_TRY(stic_builder_fields(builder, &stic_entries_surface, value, NULL, &made));
    if (made.material[0] < 0)
        return stic_builder_fail(builder, value, "a surface needs the names of two materials");
    STIC_TRY(APPEND(scene, surface, SURFACES, surface_count, made));
    *index = scene->def.surface_count - 1;
    return STIC_OK;
}

// fields that belong to other kinds of bodies
static SticStatus check_body(SticBuilder* builder, const SticValue* value,
                             const SticSceneBody* body)
{
    static const char* const of_motion[] = {"displacement", "axis", "angle"};
    static const char* const of_elastic[] = {"young", "poisson", "volume"};
    static const char* const of_cells[] = {"energy", "cell", "cells", "hold"};
    const bool pseudo = body->kind == STIC_BODY_PSEUDO_RIGID;
    const bool elastic_kind = body->kind == STIC_BODY_ELASTIC;
    for (int k = 0; k < 4; ++k) {
        const SticValue* cells = stic_value_get(value, of_cells[k]);
        if (cells != NULL && !elastic_kind)
            return stic_builder_fail(builder, cells, "%s is for bodies of kind \"elastic\"",
                                     of_cells[k]);
    }
    if (body->hold_count % 2 != 0)
        return stic_builder_fail(builder, value, "hold needs two corners for each box");
    for (int k = 0; k < 3; ++k) {
        const SticValue* motion = stic_value_get(value, of_motion[k]);
        const SticValue* elastic = stic_value_get(value, of_elastic[k]);
        if (motion != NULL && body->kind != STIC_BODY_PRESCRIBED)
            return stic_builder_fail(builder, motion, "%s is for bodies of kind \"prescribed\"",
                                     of_motion[k]);
        if (elastic != NULL && !pseudo && !(elastic_kind && k < 2))
            return stic_builder_fail(builder, elastic,
                                     "%s is for bodies of kind \"pseudo_rigid\"%s", of_elastic[k],
                                     k < 2 ? " and \"elastic\"" : "");
    }
    if (!(stic_vec3_norm(body->axis) > 0.0))
        return stic_builder_fail(builder, value, "axis = {0, 0, 0} has no direction");
    if ((pseudo || elastic_kind) && !(body->elastic.young > 0.0))
        return stic_builder_fail(builder, value, "young is missing: a number > 0");
    if (body->kind == STIC_BODY_FIXED &&
        (stic_vec3_norm(body->velocity) > 0.0 || stic_vec3_norm(body->angular_velocity) > 0.0))
        return stic_builder_fail(builder, value, "a fixed body has no velocity");
    if (body->kind == STIC_BODY_FIXED &&
        (stic_value_get(value, "force") != NULL || stic_value_get(value, "torque") != NULL))
        return stic_builder_fail(builder, value, "a force or torque on a fixed body does nothing");
    return STIC_OK;
}

// fields of a drive mean nothing without one
static SticStatus check_drive(SticBuilder* builder, const SticValue* value,
                              const SticSceneJoint* joint)
{
    static const char* const fields[] = {"speed",     "acceleration", "amplitude",
                                         "frequency", "phase",        "drive_force"};
    for (size_t k = 0; !joint->driven && k < sizeof fields / sizeof *fields; ++k) {
        const SticValue* field = stic_value_get(value, fields[k]);
        if (field != NULL)
            return stic_builder_fail(builder, field, "%s is for joints with driven = true",
                                     fields[k]);
    }
    return STIC_OK;
}

static SticStatus add_body(SticBuilder* builder, const SticValue* value, int32_t* index)
{
    SticScene* scene = builder->scene;
    SticSceneBody made = stic_scene_standards().body;
    made.line = stic_builder_line(builder, value);
    STIC_TRY(stic_builder_fields(builder, &stic_entries_body, value, NULL, &made));
    STIC_TRY(check_body(builder, value, &made));
    // scripts need names to refer to
    if (made.name == NULL && builder->share) {
        char name[32];
        snprintf(name, sizeof name, "body-%d", scene->def.body_count + 1);
        STIC_TRY(stic_scene_keep(scene, name, &made.name));
    }
    STIC_TRY(APPEND(scene, body, BODIES, body_count, made));
    *index = scene->def.body_count - 1;
    return add_name(builder, NAMED_BODY, *index, value);
}

static SticStatus add_joint(SticBuilder* builder, const SticValue* value, int32_t* index)
{
    SticScene* scene = builder->scene;
    SticSceneJoint made = stic_scene_standards().joint;
    made.line = stic_builder_line(builder, value);
    STIC_TRY(stic_builder_fields(builder, &stic_entries_joint, value, NULL, &made));
    if (made.kind < 0)
        return stic_builder_fail(builder, value, "a joint needs a kind, such as joint.hinge{…}");
    if (made.body[0] < 0 && made.body[1] < 0)
        return stic_builder_fail(builder, value, "a joint needs a body: a = \"name\"");
    if (!(stic_vec3_norm(made.axis) > 0.0))
        return stic_builder_fail(builder, value, "axis = {0, 0, 0} has no direction");
    STIC_TRY(check_drive(builder, value, &made));
    STIC_TRY(APPEND(scene, joint, JOINTS, joint_count, made));
    *index = scene->def.joint_count - 1;
    return add_name(builder, NAMED_JOINT, *index, value);
}

static SticStatus add_load(SticBuilder* builder, const SticValue* value, int32_t* index)
{
    SticScene* scene = builder->scene;
    SticScenePoint made = stic_scene_standards().point;
    made.line = stic_builder_line(builder, value);
    STIC_TRY(stic_builder_fields(builder, &stic_entries_load, value, NULL, &made));
    const bool force = stic_value_get(value, "force") != NULL,
               traction = stic_value_get(value, "traction") != NULL,
               point = stic_value_get(value, "point") != NULL,
               face = stic_value_get(value, "face") != NULL;
    if (made.body < 0)
        return stic_builder_fail(builder, value, "a load needs a body: body = \"name\"");
    const int32_t kind = scene->body[made.body].kind;
    if (kind == STIC_BODY_FIXED || kind == STIC_BODY_PRESCRIBED)
        return stic_builder_fail(builder, value,
                                 "a load on a body that does not move by forces does nothing");
    if (!(force && point && !traction && !face) && !(traction && face && !force && !point))
        return stic_builder_fail(builder, value,
                                 "a load is a force at a point, or a traction on a face: "
                                 "{point, force} or {face, traction}");
    if (face && !(stic_vec3_norm(made.face) > 0.0))
        return stic_builder_fail(builder, value, "face = {0, 0, 0} has no direction");
    STIC_TRY(APPEND(scene, point, POINTS, point_count, made));
    *index = scene->def.point_count - 1;
    return STIC_OK;
}

/* ---- kinds ---- */

SticStatus stic_builder_kind(SticBuilder* builder, const SticEntryTable* tables, int32_t count,
                             const SticValue* value, int32_t* kind)
{
    const SticValue* word = stic_value_get(value, "kind");
    const char* names[16] = {NULL};
    int32_t used = 0;
    if (word == NULL || word->type != STIC_VALUE_STRING)
        return stic_builder_fail(builder, value, "a kind is needed, such as %s.%s{…}",
                                 tables[0].name, tables[0].kind);
    for (int32_t i = 0; i < count; ++i) {
        if (tables[i].kind == NULL)
            continue;
        names[used++] = tables[i].kind;
        if (strcmp(tables[i].kind, word->string) == 0) {
            *kind = i;
            return STIC_OK;
        }
    }
    const char* near = stic_suggest(word->string, names);
    return stic_builder_fail(builder, word, "there is no %s '%.40s'%s%s%s", tables[0].name,
                             word->string, near ? "; did you mean '" : "", near ? near : "",
                             near ? "'?" : "");
}

/* ---- time functions ---- */

static SticStatus check_signal(SticBuilder* builder, const SticValue* value,
                               const SticSignal* signal)
{
    if (signal->kind == STIC_SIGNAL_WAVE)
        return STIC_OK;
    if (signal->count == 0 || signal->value == NULL)
        return stic_builder_fail(builder, value, "values are missing");
    if (signal->kind == STIC_SIGNAL_CURVE && signal->time != NULL && signal->interval > 0.0)
        return stic_builder_fail(builder, value, "give either an interval or times");
    if (signal->kind == STIC_SIGNAL_TABLE && signal->time == NULL)
        return stic_builder_fail(builder, value, "times are missing");
    if (signal->time == NULL)
        return signal->interval > 0.0 ? STIC_OK
                                      : stic_builder_fail(builder, value, "interval is missing");
    for (int32_t i = 1; i < signal->count; ++i)
        if (!(signal->time[i] > signal->time[i - 1]))
            return stic_builder_fail(builder, value, "times must ascend: number %d is %g after %g",
                                     i + 1, signal->time[i], signal->time[i - 1]);
    return STIC_OK;
}

SticStatus stic_builder_add_signal(SticBuilder* builder, const SticValue* value, int32_t* index)
{
    static const char* const skip[] = {"kind", "time_column", "value_column", NULL};
    SticScene* scene = builder->scene;
    SticSignal made = stic_scene_standards().signal;
    STIC_TRY(
        stic_builder_kind(builder, stic_entries_signal, STIC_SIGNAL_KIND_COUNT, value, &made.kind));
    snprintf(builder->what, sizeof builder->what, "signal.%s", stic_entries_signal[made.kind].kind);
    STIC_TRY(stic_builder_fields(builder, &stic_entries_signal[made.kind], value, skip, &made));
    const SticValue *times = stic_value_get(value, "time"),
                    *values = stic_value_get(value, "value");
    if (times != NULL && values != NULL && times->count != values->count)
        return stic_builder_fail(builder, value, "%d times and %d values do not fit", times->count,
                                 values->count);
    const SticValue* file = stic_value_get(value, "file");
    if (file != NULL)
        STIC_TRY(stic_builder_file(builder, file, value, &made, true));
    STIC_TRY(check_signal(builder, value, &made));
    STIC_TRY(APPEND(scene, signal, SIGNALS, signal_count, made));
    *index = scene->def.signal_count - 1;
    return STIC_OK;
}

/* ---- scheme, solver, model ---- */

// the name of a statement that chooses from a table: its text, or the field `name`
static SticStatus chosen(SticBuilder* builder, const SticValue* value, const char** name)
{
    const SticValue* word =
        value->type == STIC_VALUE_STRING ? value : stic_value_get(value, "name");
    if (word == NULL) {
        *name = NULL;
        return STIC_OK;
    }
    if (word->type != STIC_VALUE_STRING)
        return stic_builder_fail(builder, value, "the name must be a text");
    *name = word->string;
    return STIC_OK;
}

static SticStatus set_scheme(SticBuilder* builder, const SticValue* value)
{
    SticScene* scene = builder->scene;
    const char* name = NULL;
    SticError error = {0};
    STIC_TRY(chosen(builder, value, &name));
    if (name != NULL) {
        const SticScheme* scheme = stic_scheme_find(name, &error);
        if (scheme == NULL)
            return stic_builder_fail(builder, value, "%s", error.text);
        scene->def.scheme = scheme->name;
        STIC_ASSERT(scheme->fields == NULL || scheme->fields->size <= STIC_SETTINGS_ROOM);
        if (scheme->fields != NULL)
            stic_fields_default(scheme->fields, scene->scheme_settings);
        scene->scheme_given = 0;
    }
    if (value->type != STIC_VALUE_TABLE)
        return STIC_OK;
    const SticScheme* scheme = stic_scheme_find(scene->def.scheme, NULL);
    for (int32_t k = 0; scheme->fields != NULL && k < scheme->fields->count; ++k)
        if (stic_value_get(value, scheme->fields->fields[k].name) != NULL)
            scene->scheme_given |= 1u << k;
    return stic_builder_settings(builder, scheme->fields, NULL, value,
                                 (void* [2]){scene->scheme_settings, NULL});
}

static SticStatus set_solver(SticBuilder* builder, const SticValue* value)
{
    SticScene* scene = builder->scene;
    const char* name = NULL;
    SticError error = {0};
    STIC_TRY(chosen(builder, value, &name));
    if (name != NULL) {
        const SticSolver* solver = stic_solver_find(name, &error);
        if (solver == NULL)
            return stic_builder_fail(builder, value, "%s", error.text);
        scene->def.solver = solver->name;
        STIC_ASSERT(solver->fields == NULL || solver->fields->size <= STIC_SETTINGS_ROOM);
        if (solver->fields != NULL)
            stic_fields_default(solver->fields, scene->solver_settings);
    }
    if (value->type != STIC_VALUE_TABLE)
        return STIC_OK;
    const SticValue* second = stic_value_get(value, "second");
    if (second != NULL) {
        const SticSolver* other =
            second->type == STIC_VALUE_STRING ? stic_solver_find(second->string, &error) : NULL;
        if (other == NULL)
            return stic_builder_fail(builder, second, "second: %s",
                                     error.text[0] != '\0' ? error.text : "a name is needed");
        scene->def.second = other->name;
    }
    const SticSolver* solver = stic_solver_find(scene->def.solver, NULL);
    return stic_builder_settings(builder, &stic_solve_fields, solver->fields, value,
                                 (void* [2]){&scene->def.solve, scene->solver_settings});
}

static SticStatus set_model(SticBuilder* builder, const SticValue* value)
{
    SticScene* scene = builder->scene;
    const char* name = NULL;
    SticError error = {0};
    STIC_TRY(chosen(builder, value, &name));
    if (name != NULL) {
        const SticModel* model = stic_model_find(name, &error);
        if (model == NULL)
            return stic_builder_fail(builder, value, "%s", error.text);
        scene->def.model = model->name;
        STIC_ASSERT(model->fields->size <= STIC_SETTINGS_ROOM);
        stic_fields_default(model->fields, scene->model_parameters);
    }
    if (scene->def.model == NULL)
        return stic_builder_fail(builder, value, "a name is needed: system \"woodpecker\" {…}");
    if (value->type != STIC_VALUE_TABLE)
        return STIC_OK;
    const SticModel* model = stic_model_find(scene->def.model, NULL);
    return stic_builder_settings(builder, model->fields, NULL, value,
                                 (void* [2]){scene->model_parameters, NULL});
}

/* ---- measured numbers ---- */

static SticStatus check_history(SticBuilder* builder, const SticValue* value,
                                const SticSceneHistory* what)
{
    const int32_t q = what->quantity;
    if (q < 0)
        return stic_builder_fail(builder, value, "quantity is missing");
    // of a model that is a body: looked at when its chart is known
    if ((q <= STIC_QUANTITY_AXIS_Z || (q >= STIC_QUANTITY_STRESS_X && q <= STIC_QUANTITY_LOAD)) &&
        what->body < 0 && builder->scene->def.model == NULL)
        return stic_builder_fail(builder, value, "%s is of a body: body = \"name\"",
                                 stic_quantity_name((SticQuantity)q));
    const bool of_joint =
        (q >= STIC_QUANTITY_COORDINATE && q <= STIC_QUANTITY_REACTION) || q == STIC_QUANTITY_DRIVE;
    if (of_joint && what->joint < 0)
        return stic_builder_fail(builder, value, "%s is of a joint: joint = \"name\"",
                                 stic_quantity_name((SticQuantity)q));
    if (what->other >= 0 && q != STIC_QUANTITY_CONTACT_FORCE)
        return stic_builder_fail(builder, value, "other is for the quantity contact_force");
    if (stic_quantity_is_vector((SticQuantity)q) && what->component > 3)
        return stic_builder_fail(builder, value, "a vector has the components x, y, z and length");
    return STIC_OK;
}

static SticStatus add_history(SticBuilder* builder, const SticValue* value, int32_t* index)
{
    SticSceneHistory made = stic_scene_standards().history;
    STIC_TRY(stic_builder_fields(builder, &stic_entries_history, value, NULL, &made));
    STIC_TRY(check_history(builder, value, &made));
    STIC_TRY(APPEND(builder->scene, history, HISTORIES, history_count, made));
    *index = builder->scene->def.history_count - 1;
    return STIC_OK;
}

static SticStatus add_check(SticBuilder* builder, const SticValue* value, int32_t* index)
{
    SticSceneCheck made = stic_scene_standards().check;
    STIC_TRY(stic_builder_fields(builder, &stic_entries_check, value, NULL, &made));
    STIC_TRY(check_history(builder, value, &made.what));
    STIC_TRY(APPEND(builder->scene, check, CHECKS, check_count, made));
    *index = builder->scene->def.check_count - 1;
    return STIC_OK;
}

static SticStatus set_title(SticBuilder* builder, const SticValue* value)
{
    if (value->type != STIC_VALUE_STRING)
        return stic_builder_fail(builder, value, "a text is needed: title \"…\"");
    if (strlen(value->string) > LONGEST_TITLE)
        return stic_builder_fail(builder, value, "a title has at most %d bytes, this one has %zu",
                                 (int)LONGEST_TITLE, strlen(value->string));
    return stic_scene_keep(builder->scene, value->string, &builder->scene->def.title);
}

// the same as run{accuracy = …}
static SticStatus set_accuracy(SticBuilder* builder, const SticValue* value)
{
    if (value->type != STIC_VALUE_STRING)
        return stic_builder_fail(builder, value, "a name is needed: accuracy \"standard\"");
    SticItem item = {.key = "accuracy", .value = *value};
    const SticValue all = {
        .type = STIC_VALUE_TABLE, .line = value->line, .count = 1, .item = &item};
    return stic_builder_fields(builder, &stic_entries_run, &all, NULL, &builder->scene->def.run);
}

static SticStatus set_gravity(SticBuilder* builder, const SticValue* value)
{
    static const SticEntry entry = {"gravity", STIC_ENTRY_LOAD, 0,         0,   -1e300,
                                    1e300,     "m/s2",          "gravity", NULL};
    static const SticEntryTable table = {"gravity", NULL, "gravity", NULL, &entry, 1};
    // the value is the field itself
    SticItem item = {.key = "gravity", .value = *value};
    const SticValue all = {
        .type = STIC_VALUE_TABLE, .line = value->line, .count = 1, .item = &item};
    builder->what[0] = '\0';
    return stic_builder_fields(builder, &table, &all, NULL, &builder->scene->def.gravity);
}

typedef SticStatus (*Add)(SticBuilder*, const SticValue*, int32_t*);
typedef SticStatus (*Set)(SticBuilder*, const SticValue*);

SticStatus stic_builder_apply(SticBuilder* builder, const char* statement, const SticValue* value,
                              int32_t* index)
{
    static const struct {
        const char* name;
        Add add;
        Set set;
    } table[] = {
        {"title", NULL, set_title},
        {"gravity", NULL, set_gravity},
        {"accuracy", NULL, set_accuracy},
        {"material", add_material, NULL},
        {"surface", add_surface, NULL},
        {"body", add_body, NULL},
        {"joint", add_joint, NULL},
        {"load", add_load, NULL},
        {"shape", stic_builder_add_shape, NULL},
        {"signal", stic_builder_add_signal, NULL},
        {"system", NULL, set_model},
        {"scheme", NULL, set_scheme},
        {"solver", NULL, set_solver},
        {"history", add_history, NULL},
        {"check", add_check, NULL},
    };
    SticSceneDef* def = &builder->scene->def;
    int32_t added = 0;
    begin_statement(builder, statement, value);
    if (strcmp(statement, "run") == 0) {
        def->run_guessed = false;
        return stic_builder_fields(builder, &stic_entries_run, value, NULL, &def->run);
    }
    if (strcmp(statement, "output") == 0)
        return stic_builder_fields(builder, &stic_entries_output, value, NULL, &def->output);
    if (strcmp(statement, "contacts") == 0)
        return stic_builder_fields(builder, &stic_entries_contacts, value, NULL, def);
    if (strcmp(statement, "mixing") == 0)
        return stic_builder_fields(builder, &stic_entries_mixing, value, NULL, def);
    for (size_t k = 0; k < sizeof table / sizeof table[0]; ++k) {
        if (strcmp(table[k].name, statement) != 0)
            continue;
        if (table[k].set != NULL)
            return table[k].set(builder, value);
        STIC_TRY(table[k].add(builder, value, &added));
        if (index != NULL)
            *index = added;
        return STIC_OK;
    }
    const char* near = stic_suggest(statement, stic_statement_names);
    builder->what[0] = '\0';
    return stic_builder_fail(builder, value, "there is no statement '%.40s'%s%s%s", statement,
                             near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}
