// SPDX-License-Identifier: Apache-2.0
// A definition as text, to be read again with the same bits. Fields at their defaults are left out.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "scene/scene.h"
#include "stiction/extend/base.h"
#include "stiction/extend/step.h"
#include "stiction/extend/vec3.h"

typedef struct Writer {
    SticText* text;
    const SticSceneDef* def;
    SticStatus status; ///< first failure
    int32_t items;     ///< fields of the present table so far
} Writer;

static void put_bytes(Writer* writer, const char* bytes, size_t count)
{
    SticText* text = writer->text;
    if (writer->status == STIC_OK)
        writer->status =
            STIC_RESERVE(&text->context, &text->bytes, &text->capacity, text->size + count + 1);
    if (writer->status != STIC_OK)
        return;
    memcpy(text->bytes + text->size, bytes, count);
    text->size += count;
    text->bytes[text->size] = '\0';
}

static void put(Writer* writer, const char* text)
{
    put_bytes(writer, text, strlen(text));
}

static void put_number(Writer* writer, double x)
{
    char text[32];
    if (isinf(x)) {
        put(writer, x > 0.0 ? "math.huge" : "-math.huge");
        return;
    }
    stic_number_format(x, text, sizeof text);
    put(writer, text);
}

static void put_numbers(Writer* writer, const double* x, int32_t count)
{
    put(writer, "{");
    for (int32_t i = 0; i < count; ++i) {
        put(writer, i > 0 ? "," : "");
        put_number(writer, x[i]);
    }
    put(writer, "}");
}

// what cannot stand between quotes is refused by the reader's rules, so it is escaped here
static void put_quoted(Writer* writer, const char* text)
{
    put(writer, "\"");
    for (const char* c = text; *c != '\0'; ++c) {
        if (*c == '"' || *c == '\\')
            put(writer, "\\");
        if (*c == '\n')
            put(writer, "\\n");
        else
            put_bytes(writer, c, 1);
    }
    put(writer, "\"");
}

// the name of the next field
static void put_key(Writer* writer, const char* name)
{
    put(writer, writer->items++ > 0 ? ", " : "");
    put(writer, name);
    put(writer, " = ");
}

static void put_fields(Writer* writer, const SticEntryTable* table, const void* from,
                       const void* standard);

static void put_component(Writer* writer, double constant, int32_t signal)
{
    if (signal < 0) {
        put_number(writer, constant);
        return;
    }
    put(writer, "{signal = ");
    put_number(writer, signal + 1);
    put(writer, ", constant = ");
    put_number(writer, constant);
    put(writer, "}");
}

static void put_load(Writer* writer, const SticSceneLoad* load)
{
    const double constant[3] = {load->constant.x, load->constant.y, load->constant.z};
    put(writer, "{");
    for (int k = 0; k < 3; ++k) {
        put(writer, k > 0 ? "," : "");
        put_component(writer, constant[k], load->signal[k]);
    }
    put(writer, "}");
}

static void put_parts(Writer* writer, const SticScenePart* part, int32_t count)
{
    const SticScenePart standard = stic_scene_standards().part;
    const int32_t items = writer->items;
    put(writer, "{");
    for (int32_t i = 0; i < count; ++i) {
        // numbers of shapes count from 1 in scenes
        SticScenePart shown = part[i];
        shown.shape += 1;
        writer->items = 0;
        put(writer, i > 0 ? ", {" : "{");
        put_fields(writer, &stic_entries_part, &shown, &standard);
        put(writer, "}");
    }
    put(writer, "}");
    writer->items = items;
}

static void put_polygons(Writer* writer, const int32_t* begin, const int32_t* list, int32_t count)
{
    put(writer, "{");
    for (int32_t i = 0; i < count; ++i) {
        put(writer, i > 0 ? ",{" : "{");
        for (int32_t k = begin[i]; k < begin[i + 1]; ++k) {
            put(writer, k > begin[i] ? "," : "");
            put_number(writer, list[k] + 1);
        }
        put(writer, "}");
    }
    put(writer, "}");
}

static void put_reference(Writer* writer, SticEntryType type, int32_t index)
{
    const SticSceneDef* def = writer->def;
    const char* name = NULL;
    if (index >= 0 && type == STIC_ENTRY_BODY)
        name = def->body[index].name;
    else if (index >= 0 && type == STIC_ENTRY_JOINT)
        name = def->joint[index].name;
    else if (index >= 0)
        name = def->material[index].name;
    put_quoted(writer, name != NULL ? name : "ground");
}

static void put_colour(Writer* writer, const SticColour* colour)
{
    static const char digits[] = "0123456789abcdef";
    const uint8_t byte[3] = {colour->red, colour->green, colour->blue};
    char text[8] = "#";
    for (int k = 0; k < 3; ++k) {
        text[1 + 2 * k] = digits[byte[k] >> 4];
        text[2 + 2 * k] = digits[byte[k] & 15];
    }
    put_quoted(writer, text);
}

static void put_flat(Writer* writer, const SticEntry* entry, const void* member)
{
    int32_t index = 0;
    const int32_t* two = member;
    switch ((SticEntryType)entry->type) {
    case STIC_ENTRY_REAL:
    case STIC_ENTRY_POSITIVE:
    case STIC_ENTRY_OPTIONAL:
        put_number(writer, *(const double*)member);
        break;
    case STIC_ENTRY_COUNT:
        put_number(writer, *(const int32_t*)member);
        break;
    case STIC_ENTRY_FLAG:
        put(writer, *(const bool*)member ? "true" : "false");
        break;
    case STIC_ENTRY_TOUCH:
        put(writer, *(const int32_t*)member == STIC_JOINED_TOUCH ? "true" : "false");
        break;
    case STIC_ENTRY_PICK:
        put_quoted(writer, entry->choices[*(const int32_t*)member]);
        break;
    case STIC_ENTRY_NAME:
        put_quoted(writer, *(const char* const*)member);
        break;
    case STIC_ENTRY_VEC3:
        put_numbers(writer, member, 3);
        break;
    case STIC_ENTRY_TURN:
        put_numbers(writer, member, 4);
        break;
    case STIC_ENTRY_PAIR:
    case STIC_ENTRY_RANGE:
        put_numbers(writer, member, 2);
        break;
    case STIC_ENTRY_MATERIALS:
        put(writer, "{");
        put_reference(writer, STIC_ENTRY_MATERIAL, two[0]);
        put(writer, ", ");
        put_reference(writer, STIC_ENTRY_MATERIAL, two[1]);
        put(writer, "}");
        break;
    case STIC_ENTRY_COLOUR:
        put_colour(writer, member);
        break;
    case STIC_ENTRY_COMPONENT:
        put_number(writer, *(const int32_t*)member + 1);
        break;
    default:
        memcpy(&index, member, sizeof index);
        put_reference(writer, (SticEntryType)entry->type, index);
        break;
    }
}

static void put_member(Writer* writer, const SticEntry* entry, const void* from)
{
    const void* member = (const unsigned char*)from + entry->offset;
    const SticSceneShape* shape = from;
    const void* list = NULL;
    int32_t count = 0;
    double x[9];
    switch ((SticEntryType)entry->type) {
    case STIC_ENTRY_MAT3:
        stic_mat3_store(*(const SticMat3*)member, x);
        put_numbers(writer, x, 9);
        break;
    case STIC_ENTRY_TURNING:
        put_component(writer, ((const SticSceneScalar*)member)->constant,
                      ((const SticSceneScalar*)member)->signal);
        break;
    case STIC_ENTRY_PATH:
    case STIC_ENTRY_LOAD:
        put_load(writer, member);
        break;
    case STIC_ENTRY_PARTS:
    case STIC_ENTRY_REALS:
    case STIC_ENTRY_POINTS:
        memcpy(&list, member, sizeof list);
        memcpy(&count, (const unsigned char*)from + entry->count_offset, sizeof count);
        if (entry->type == STIC_ENTRY_PARTS)
            put_parts(writer, list, count);
        else
            put_numbers(writer, list, entry->type == STIC_ENTRY_POINTS ? 3 * count : count);
        break;
    case STIC_ENTRY_FACES:
        put_polygons(writer, shape->face_begin, shape->face_vertex, shape->face_count);
        break;
    case STIC_ENTRY_ELEMENTS:
        put_polygons(writer, shape->element_begin, shape->element_node, shape->element_count);
        break;
    default:
        put_flat(writer, entry, member);
        break;
    }
}

static size_t member_size(const SticEntry* entry)
{
    switch ((SticEntryType)entry->type) {
    case STIC_ENTRY_REAL:
    case STIC_ENTRY_POSITIVE:
    case STIC_ENTRY_OPTIONAL:
    case STIC_ENTRY_NAME:
        return sizeof(double);
    case STIC_ENTRY_FLAG:
        return sizeof(bool);
    case STIC_ENTRY_VEC3:
        return sizeof(SticVec3);
    case STIC_ENTRY_TURN:
        return sizeof(SticQuat);
    case STIC_ENTRY_MAT3:
        return sizeof(SticMat3);
    case STIC_ENTRY_PAIR:
    case STIC_ENTRY_RANGE:
        return 2 * sizeof(double);
    case STIC_ENTRY_PATH:
    case STIC_ENTRY_LOAD:
        return sizeof(SticVec3) + 3 * sizeof(int32_t);
    case STIC_ENTRY_TURNING:
        return sizeof(double) + sizeof(int32_t);
    case STIC_ENTRY_MATERIALS:
        return 2 * sizeof(int32_t);
    case STIC_ENTRY_FILE:
        return 0;
    case STIC_ENTRY_COLOUR:
        return sizeof(SticColour);
    default:
        return sizeof(int32_t);
    }
}

// two lists may share a length, and one of them need not be there
static bool is_list(const SticEntry* entry)
{
    return entry->type >= STIC_ENTRY_PARTS && entry->type <= STIC_ENTRY_ELEMENTS;
}

static bool is_missing(const SticEntry* entry, const unsigned char* from)
{
    const void* list = NULL;
    if (!is_list(entry))
        return false;
    memcpy(&list, from + entry->offset, sizeof list);
    return list == NULL;
}

// fields that differ from the standard ones
static void put_fields(Writer* writer, const SticEntryTable* table, const void* from,
                       const void* standard)
{
    const unsigned char *now = from, *before = standard;
    for (int32_t i = 0; i < table->count; ++i) {
        const SticEntry* entry = &table->entry[i];
        size_t size = member_size(entry);
        uint32_t at = entry->offset;
        // lists are there when they have a length, which is also that of columns of files
        if (is_list(entry))
            at = entry->count_offset;
        if (strstr(entry->name, "_column") != NULL)
            size = 0;
        if (size == 0 || is_missing(entry, now) || memcmp(now + at, before + at, size) == 0)
            continue;
        put_key(writer, entry->name);
        put_member(writer, entry, from);
    }
}

static void put_statement(Writer* writer, const SticEntryTable* table, const void* from,
                          const void* standard)
{
    put(writer, table->name);
    put(writer, "{");
    writer->items = 0;
    if (table->kind != NULL) {
        put_key(writer, "kind");
        put_quoted(writer, table->kind);
    }
    put_fields(writer, table, from, standard);
    put(writer, "}\n");
}

// all settings of a table, so that other defaults of a later release change nothing
static void put_settings(Writer* writer, const SticFieldTable* table, const void* settings)
{
    for (int32_t i = 0; table != NULL && i < table->count; ++i) {
        const SticField* field = &table->fields[i];
        const double x = stic_fields_get(field, settings);
        put_key(writer, field->name);
        if (field->type == STIC_FIELD_CHOICE)
            put_quoted(writer, field->choices[(int32_t)x]);
        else if (field->type == STIC_FIELD_BOOL)
            put(writer, x != 0.0 ? "true" : "false");
        else
            put_number(writer, x);
    }
}

static void put_choice(Writer* writer, const char* statement, const char* name)
{
    put(writer, statement);
    put(writer, "{");
    writer->items = 0;
    put_key(writer, "name");
    put_quoted(writer, name);
}

static SticStatus put_choices(Writer* writer, SticError* error)
{
    const SticSceneDef* def = writer->def;
    const SticScheme* scheme = stic_scheme_find(def->scheme, error);
    const SticSolver* solver = scheme == NULL ? NULL : stic_solver_find(def->solver, error);
    if (solver == NULL)
        return STIC_BAD_ARGUMENT;
    double defaults[STIC_SETTINGS_ROOM / sizeof(double)];
    if (def->model != NULL) {
        const SticModel* model = stic_model_find(def->model, error);
        if (model == NULL)
            return STIC_BAD_ARGUMENT;
        stic_fields_default(model->fields, defaults);
        put_choice(writer, "system", def->model);
        put_settings(writer, model->fields,
                     def->model_parameters != NULL ? def->model_parameters : defaults);
        put(writer, "}\n");
    }
    put_choice(writer, "scheme", def->scheme);
    if (scheme->fields != NULL)
        stic_fields_default(scheme->fields, defaults);
    put_settings(writer, scheme->fields,
                 def->scheme_settings != NULL ? def->scheme_settings : defaults);
    put(writer, "}\n");
    put_choice(writer, "solver", def->solver);
    if (def->second != NULL) {
        put_key(writer, "second");
        put_quoted(writer, def->second);
    }
    put_settings(writer, &stic_solve_fields, &def->solve);
    if (solver->fields != NULL)
        stic_fields_default(solver->fields, defaults);
    put_settings(writer, solver->fields,
                 def->solver_settings != NULL ? def->solver_settings : defaults);
    put(writer, "}\n");
    return STIC_OK;
}

static void put_world(Writer* writer)
{
    const SticSceneDef* def = writer->def;
    const SticSceneDef scene = stic_scene_default_def();
    const SticStandards standard = stic_scene_standards();
    put(writer, "gravity");
    put_load(writer, &def->gravity);
    put(writer, "\n");
    put_statement(writer, &stic_entries_mixing, def, &scene);
    put_statement(writer, &stic_entries_contacts, def, &scene);
    for (int32_t i = 0; i < def->material_count; ++i) {
        // what the scene states is written, even where it is the default
        SticSceneMaterial other = standard.material;
        if (def->material[i].weighed)
            other.density = (double)NAN;
        if (def->material[i].rubbed)
            other.surface.friction = (double)NAN;
        put_statement(writer, &stic_entries_material, &def->material[i], &other);
    }
    for (int32_t i = 0; i < def->surface_count; ++i)
        put_statement(writer, &stic_entries_surface, &def->surface[i], &standard.surface);
    SticSceneShape empty;
    memset(&empty, 0, sizeof empty);
    for (int32_t i = 0; i < def->shape_count; ++i)
        put_statement(writer, &stic_entries_shape[def->shape[i].kind], &def->shape[i], &empty);
    for (int32_t i = 0; i < def->body_count; ++i)
        put_statement(writer, &stic_entries_body, &def->body[i], &standard.body);
    for (int32_t i = 0; i < def->joint_count; ++i)
        put_statement(writer, &stic_entries_joint, &def->joint[i], &standard.joint);
    for (int32_t i = 0; i < def->point_count; ++i) {
        // what kind of load it is, is said by what is given, be it nothing
        SticScenePoint other = standard.point;
        const bool face = stic_vec3_norm(def->point[i].face) > 0.0;
        memset(face ? (void*)&other.traction : (void*)&other.point, 0xff,
               face ? sizeof other.traction : sizeof other.point);
        if (!face)
            memset(&other.force, 0xff, sizeof other.force);
        put_statement(writer, &stic_entries_load, &def->point[i], &other);
    }
}

// what the reader could not find out: an index outside its list
static SticStatus check_indices(const SticSceneDef* def, SticError* error)
{
    for (int32_t i = 0; i < def->body_count; ++i)
        for (int32_t k = 0; k < def->body[i].part_count; ++k) {
            const SticScenePart* part = &def->body[i].part[k];
            if (part->shape < 0 || part->shape >= def->shape_count || part->material < -1 ||
                part->material >= def->material_count)
                return stic_error_set(error, STIC_BAD_ARGUMENT,
                                      "body %d, part %d: shape %d or material %d is not there", i,
                                      k, part->shape, part->material);
        }
    for (int32_t i = 0; i < def->joint_count; ++i)
        for (int k = 0; k < 2; ++k) {
            const int32_t body = def->joint[i].body[k];
            if (body < -1 || body >= def->body_count || (body >= 0 && def->body[body].name == NULL))
                return stic_error_set(error, STIC_BAD_ARGUMENT,
                                      "joint %d: body %d is not there or has no name", i, body);
        }
    for (int32_t i = 0; i < def->point_count; ++i) {
        const int32_t body = def->point[i].body;
        if (body < 0 || body >= def->body_count || def->body[body].name == NULL)
            return stic_error_set(error, STIC_BAD_ARGUMENT,
                                  "load %d: body %d is not there or has no name", i, body);
    }
    for (int32_t i = 0; i < def->shape_count; ++i)
        if (def->shape[i].kind < 0 || def->shape[i].kind >= STIC_SHAPE_KIND_COUNT ||
            stic_entries_shape[def->shape[i].kind].kind == NULL)
            return stic_error_set(error, STIC_BAD_ARGUMENT, "shape %d has no kind for scenes", i);
    return STIC_OK;
}

static SticStatus write_all(Writer* writer, SticError* error)
{
    const SticSceneDef* def = writer->def;
    const SticStandards standard = stic_scene_standards();
    SticSceneRun run;
    SticSceneOutput output;
    // no field of these two is ever omitted
    memset(&run, 0xff, sizeof run);
    memset(&output, 0xff, sizeof output);
    put(writer, STIC_SCENE_MARK "\n");
    if (def->title != NULL) {
        put(writer, "title ");
        put_quoted(writer, def->title);
        put(writer, "\n");
    }
    for (int32_t i = 0; i < def->signal_count; ++i)
        put_statement(writer, &stic_entries_signal[def->signal[i].kind], &def->signal[i],
                      &standard.signal);
    put_world(writer);
    STIC_TRY(put_choices(writer, error));
    put_statement(writer, &stic_entries_run, &def->run, &run);
    put_statement(writer, &stic_entries_output, &def->output, &output);
    for (int32_t i = 0; i < def->history_count; ++i)
        put_statement(writer, &stic_entries_history, &def->history[i], &standard.history);
    for (int32_t i = 0; i < def->check_count; ++i)
        put_statement(writer, &stic_entries_check, &def->check[i], &standard.check);
    return writer->status;
}

SticStatus stic_scene_write(const SticContext* context, const SticSceneDef* def, SticText* text,
                            SticError* error)
{
    context = stic_context_given(context);
    STIC_ASSERT(def != NULL);
    STIC_ASSERT(text != NULL);
    *text = (SticText){.context = *context};
    Writer writer = {.text = text, .def = def};
    SticStatus status = check_indices(def, error);
    if (status != STIC_OK)
        return status;
    status = write_all(&writer, error);
    if (status != STIC_OK) {
        stic_text_unload(text);
        if (status == STIC_OUT_OF_MEMORY)
            return stic_error_set(error, status, "no memory for the text of a scene");
    }
    return status;
}
