// SPDX-License-Identifier: Apache-2.0
// Runs of a world: chart, system and start; scheme, solver, accuracy and settings by name.
#include <string.h>

#include "run/run.h"

#include "stiction/extend/base.h"
#include "world/world.h"

SticRunDef stic_run_default_def(void)
{
    const SticRunParts parts = stic_run_default_parts();
    return (SticRunDef){.scheme = "moreau",
                        .solver = parts.solver->name,
                        .accuracy = stic_accuracy_promise(parts.accuracy)->name,
                        .step = 1e-3,
                        .policy = parts.policy,
                        .max_halvings = parts.max_halvings,
                        .law = parts.law,
                        .projection = parts.projection,
                        .energy_alarm = parts.energy_alarm,
                        .sleep = parts.sleep,
                        .correction = parts.correction.rate,
                        .allowance = parts.correction.allowance};
}

SticStatus stic_run_system(const SticWorld* world, const SticScheme* scheme, SticSystem** system,
                           SticError* error)
{
    SticChart chart;
    *system = NULL;
    if (!stic_world_chart(scheme->charts, &chart))
        return stic_error_set(error, STIC_UNSUPPORTED, "scheme '%s' cannot move rigid bodies",
                              scheme->name);
    return stic_world_system(world, chart, system, error);
}

SticStatus stic_run_adopt(const SticContext* context, SticWorld* world, SticSystem* system,
                          const SticRunParts* parts, SticRun** run, SticError* error)
{
    SticRunParts all = *parts;
    all.system = system;
    const SticStatus status = stic_run_assemble(context, &all, run, error);
    if (status != STIC_OK) {
        stic_world_system_destroy(system);
        return status;
    }
    (*run)->world = world;
    world->runs += 1;
    (*run)->system = system;
    stic_world_start(world, system, (*run)->state[0]);
    return STIC_OK;
}

/* ---- names ---- */

static SticStatus find_accuracy(const char* name, SticAccuracy* level, SticError* error)
{
    const char* names[STIC_ACCURACY_COUNT] = {NULL};
    for (int k = STIC_ACCURACY_TOLERANCE + 1; k < STIC_ACCURACY_COUNT; ++k) {
        names[k - 1] = stic_accuracy_promise((SticAccuracy)k)->name;
        *level = (SticAccuracy)k;
        if (strcmp(names[k - 1], name) == 0)
            return STIC_OK;
    }
    const char* near = stic_suggest(name, names);
    return stic_error_set(error, STIC_BAD_ARGUMENT,
                          "there is no level of accuracy '%s'; %s%s%sthey are preview, standard "
                          "and strict",
                          name, near == NULL ? "" : "did you mean '", near == NULL ? "" : near,
                          near == NULL ? "" : "'? ");
}

// settings while they are read: where the words of the three tables go
typedef struct Settings {
    const SticFieldTable *scheme, *solver;
    void* own[2];
    SticSolveSettings* solve;
    uint32_t given; // bits of the scheme's table
} Settings;

// place of a field in its table, -1: it is not there
static int32_t place_of(const SticFieldTable* table, const char* name)
{
    for (int32_t k = 0; table != NULL && k < table->count; ++k)
        if (strcmp(table->fields[k].name, name) == 0)
            return k;
    return -1;
}

static SticStatus set_word(Settings* to, char* word, SticError* error)
{
    char *dot = strchr(word, '.'), *equal = dot == NULL ? NULL : strchr(dot, '=');
    if (equal == NULL)
        return stic_error_set(error, STIC_BAD_ARGUMENT,
                              "a setting reads scheme.NAME=VALUE or solver.NAME=VALUE, not '%s'",
                              word);
    *dot = *equal = '\0';
    const char *name = dot + 1, *value = equal + 1;
    if (strcmp(word, "scheme") == 0 && to->scheme != NULL) {
        const int32_t place = place_of(to->scheme, name);
        to->given |= place >= 0 ? 1u << place : 0u;
        return stic_fields_set(to->scheme, to->own[0], name, value, error);
    }
    SticFieldTable common = stic_solve_fields;
    common.name = word; // messages call it what the caller did
    if (strcmp(word, "solver") == 0)
        return place_of(to->solver, name) >= 0
                   ? stic_fields_set(to->solver, to->own[1], name, value, error)
                   : stic_fields_set(&common, to->solve, name, value, error);
    return stic_error_set(error, STIC_BAD_ARGUMENT,
                          strcmp(word, "scheme") == 0 ? "scheme.%s: this scheme has no settings"
                                                      : "'%s' is neither scheme nor solver",
                          strcmp(word, "scheme") == 0 ? name : word);
}

static SticStatus read_settings(const SticContext* context, const char* text, Settings* to,
                                SticError* error)
{
    const SticFieldTable* table[2] = {to->scheme, to->solver};
    for (int k = 0; k < 2; ++k)
        if (table[k] != NULL) {
            if (stic_allocate(context, table[k]->size, &to->own[k]) != STIC_OK)
                return stic_error_set(error, STIC_OUT_OF_MEMORY, "no memory for settings");
            stic_fields_default(table[k], to->own[k]);
        }
    while (text != NULL) {
        char word[256];
        text += strspn(text, " ");
        const size_t length = strcspn(text, " ");
        if (length == 0)
            break;
        if (length >= sizeof word)
            return stic_error_set(error, STIC_BAD_ARGUMENT, "a setting is longer than %d letters",
                                  (int)sizeof word - 1);
        memcpy(word, text, length);
        word[length] = '\0';
        STIC_TRY(set_word(to, word, error));
        text += length;
    }
    return STIC_OK;
}

static SticStatus create(const SticContext* context, SticWorld* world, const SticRunDef* def,
                         Settings* settings, SticRun** run, SticError* error)
{
    SticRunParts parts = stic_run_default_parts();
    const SticRunDef usual = stic_run_default_def();
    parts.scheme = stic_scheme_find(def->scheme != NULL ? def->scheme : usual.scheme, error);
    parts.solver = parts.scheme == NULL
                       ? NULL
                       : stic_solver_find(def->solver != NULL ? def->solver : usual.solver, error);
    if (parts.solver == NULL)
        return STIC_BAD_ARGUMENT;
    if (def->second != NULL && (parts.second = stic_solver_find(def->second, error)) == NULL)
        return STIC_BAD_ARGUMENT;
    STIC_TRY(find_accuracy(def->accuracy != NULL ? def->accuracy : usual.accuracy, &parts.accuracy,
                           error));
    settings->scheme = parts.scheme->fields;
    settings->solver = parts.solver->fields;
    settings->solve = &parts.solve;
    STIC_TRY(read_settings(context, def->settings, settings, error));
    STIC_TRY(stic_scheme_agree(parts.scheme, settings->own[0], settings->given, error));
    parts.scheme_settings = settings->own[0];
    parts.solver_settings = settings->own[1];
    parts.step = def->step;
    parts.policy = def->policy;
    parts.max_halvings = def->max_halvings;
    parts.law = def->law;
    parts.projection = def->projection;
    parts.energy_alarm = def->energy_alarm;
    parts.sleep = def->sleep;
    parts.correction = (SticCorrection){.rate = def->correction, .allowance = def->allowance};
    SticSystem* system = NULL;
    STIC_TRY(stic_run_system(world, parts.scheme, &system, error));
    return stic_run_adopt(context, world, system, &parts, run, error);
}

// a shape by what can be asked of every kind: its place on the body, its size, volume, centre and
// inertia, and the density of its material
static uint64_t hash_shape(uint64_t hash, const SticWorld* world, const SticShapeSlot* slot)
{
    const int32_t kind = (int32_t)stic_shape_kind(slot->shape);
    const double size[] = {stic_shape_size(slot->shape),
                           world->material[slot->material].def.density};
    SticMassProperties mass;
    hash = stic_hash_bytes(hash, &slot->body, sizeof slot->body);
    hash = stic_hash_bytes(hash, &kind, sizeof kind);
    hash = stic_hash_bytes(hash, &slot->pose.F, sizeof slot->pose.F);
    hash = stic_hash_bytes(hash, &slot->pose.origin, sizeof slot->pose.origin);
    hash = stic_hash_doubles(hash, size, 2);
    // half-spaces and surfaces have none
    if (stic_shape_mass(slot->shape, 1.0, &mass, NULL) == STIC_OK)
        hash = stic_hash_bytes(hash, &mass, sizeof mass);
    return hash;
}

static uint64_t hash_body(uint64_t hash, const SticBodySlot* slot)
{
    const SticBodyDef* def = &slot->def;
    hash = stic_hash_bytes(hash, &def->kind, sizeof(int32_t));
    hash = stic_hash_bytes(hash, slot->name, STIC_NAME_SIZE);
    hash = stic_hash_doubles(hash, &def->mass, 1);
    hash = stic_hash_bytes(hash, &def->centre, sizeof def->centre);
    return stic_hash_bytes(hash, &def->inertia, sizeof def->inertia);
}

// What a state belongs to: bodies with their names, masses and shapes, and the joints between them;
// the impulses that a snapshot holds are wrong for others. Gravity, forces and how surfaces touch
// may change within a run, and so between a snapshot and a run that goes on from it.
static uint64_t origin_of(const SticWorld* world)
{
    uint64_t hash = 1;
    for (uint32_t i = 0; i < world->bodies; ++i)
        if (world->body[i].alive)
            hash = hash_body(hash, &world->body[i]);
    for (uint32_t i = 0; i < world->shapes; ++i)
        if (world->shape[i].alive)
            hash = hash_shape(hash, world, &world->shape[i]);
    for (uint32_t i = 0; i < world->joints; ++i)
        if (world->joint[i].alive) {
            const SticJointDef* def = &world->joint[i].def;
            hash = stic_hash_bytes(hash, &def->kind, sizeof(int32_t));
            hash = stic_hash_bytes(hash, def->body, sizeof def->body);
        }
    return hash;
}

SticStatus stic_run_create(const SticContext* context, SticWorld* world, const SticRunDef* def,
                           SticRun** run, SticError* error)
{
    context = stic_context_given(context);
    STIC_GIVEN(world, error);
    STIC_GIVEN(run, error);
    const SticRunDef usual = stic_run_default_def();
    Settings settings = {.given = 0};
    def = def == NULL ? &usual : def;
    *run = NULL;
    const SticStatus status = create(context, world, def, &settings, run, error);
    if (status == STIC_OK) {
        (*run)->settings[0] = settings.own[0];
        (*run)->settings[1] = settings.own[1];
        (*run)->origin = origin_of(world);
        return STIC_OK;
    }
    if (settings.own[0] != NULL)
        stic_release(context, settings.own[0], settings.scheme->size);
    if (settings.own[1] != NULL)
        stic_release(context, settings.own[1], settings.solver->size);
    return status;
}
