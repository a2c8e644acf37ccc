// SPDX-License-Identifier: Apache-2.0
// Scenes as Lua scripts: statements, values, parameters, time functions, limits.
//
// A script runs once, when the scene is loaded; nothing of it is left in the definition but
// numbers. Functions of time are sampled after it, at the middle of every step. What a script can
// do depends on its text and its parameters alone: no clock, no files but those of its folder, no
// order of tables that Lua leaves open, no function of the machine's math library.
#include "scene/scene.h"
#include "stiction/extend/joint.h"

#ifdef STIC_HAVE_LUA

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "scene/lua.h"

enum { DEEPEST = 16, LONG_TEXT = 1 << 16 };

bool stic_scene_has_lua(void)
{
    return true;
}

/* ---- limits ---- */

// memory of the script, from the context's allocator
static void* allocate(void* self, void* old, size_t old_size, size_t size)
{
    SticScript* script = self;
    const size_t held = old == NULL ? 0 : old_size;
    void* memory = NULL;
    if (size > held) {
        // one instruction may fill a long text; no error can be raised here, and small pieces are
        // left to the hook, whose message needs some memory itself
        script->instructions += (int64_t)(size / STIC_BYTES_PER_INSTRUCTION);
        if (script->bytes - held + size > script->options->max_bytes ||
            (size >= LONG_TEXT && script->instructions > script->options->max_instructions))
            return NULL;
    }
    if (size > 0) {
        // Lua collects garbage and asks again; a failure is permanent, so that it is noticed
        script->starved =
            script->starved || stic_allocate(&script->context, size, &memory) != STIC_OK;
        if (script->starved)
            return NULL;
        if (held > 0)
            memcpy(memory, old, held < size ? held : size);
    }
    stic_release(&script->context, old, held);
    script->bytes = script->bytes - held + size;
    return memory;
}

#define TOO_LONG "the script ran for more than %d million instructions: is there an endless loop?"

static int millions(const SticScript* script)
{
    return (int)(script->options->max_instructions / 1000000);
}

void stic_script_charge(lua_State* L, uint64_t work)
{
    SticScript* script = stic_script_of(L);
    const int64_t most = script->options->max_instructions;
    // a script may ask for any amount of work: the sum must not overflow
    script->instructions += work > (uint64_t)most ? most + 1 : (int64_t)work;
    if (script->instructions > most)
        luaL_error(L, TOO_LONG, millions(script));
}

static void count_instructions(lua_State* L, lua_Debug* record)
{
    (void)record;
    stic_script_charge(L, STIC_HOOK_PERIOD);
}

/* ---- places and errors ---- */

SticScript* stic_script_of(lua_State* L)
{
    SticScript* script = NULL;
    memcpy(&script, lua_getextraspace(L), sizeof script);
    return script;
}

int32_t stic_script_line(lua_State* L)
{
    lua_Debug record;
    for (int level = 0; lua_getstack(L, level, &record) != 0; ++level) {
        lua_getinfo(L, "Sl", &record);
        if (strcmp(record.source, "=" STIC_CHUNK) == 0 && record.currentline > 0)
            return (int32_t)record.currentline;
    }
    return 0;
}

int stic_script_raise(lua_State* L)
{
    // the sentence is in the builder's error already
    lua_pushlightuserdata(L, stic_script_of(L));
    return lua_error(L);
}

int stic_script_note_line(lua_State* L)
{
    SticScript* script = stic_script_of(L);
    if (lua_type(L, 1) == LUA_TLIGHTUSERDATA)
        return 1;
    script->line = stic_script_line(L);
    return 1;
}

// the message without its "scene:12: ", or the like from a helper
static const char* without_place(const char* message, int32_t* line)
{
    const char* colon = strchr(message, ':');
    if (colon == NULL || colon[1] < '0' || colon[1] > '9')
        return message;
    char* end = NULL;
    const long number = strtol(colon + 1, &end, 10);
    if (end[0] != ':' || end[1] != ' ' || memchr(message, ' ', (size_t)(colon - message)) != NULL)
        return message;
    if (*line == 0 && strncmp(message, STIC_CHUNK ":", strlen(STIC_CHUNK) + 1) == 0)
        *line = (int32_t)number;
    return end + 2;
}

SticStatus stic_script_report(SticScript* script, int code)
{
    lua_State* L = script->lua;
    SticBuilder* builder = script->builder;
    SticStatus status = STIC_BAD_DATA;
    if (lua_type(L, -1) == LUA_TLIGHTUSERDATA) {
        status = builder->error->status;
    } else if (code == LUA_ERRMEM && !script->starved &&
               script->instructions > script->options->max_instructions) {
        stic_error_set_at(builder->error, status, builder->file, script->line, 0, TOO_LONG,
                          millions(script));
    } else if (code == LUA_ERRMEM) {
        // either the limit of the script, or the machine is out of memory
        status = script->starved ? STIC_OUT_OF_MEMORY : STIC_BAD_DATA;
        stic_error_set_at(builder->error, status, builder->file, script->line, 0,
                          "the script needs more than %zu MiB of memory",
                          script->options->max_bytes >> 20);
    } else {
        const char* message = lua_tostring(L, -1);
        const char* text = message == NULL ? "the script raised an error that is no text"
                                           : without_place(message, &script->line);
        stic_error_set_at(builder->error, STIC_BAD_DATA, builder->file, script->line, 0, "%s",
                          text);
    }
    lua_settop(L, 0);
    return status;
}

/* ---- values ---- */

static int by_key(const void* a, const void* b)
{
    return strcmp(((const SticItem*)a)->key, ((const SticItem*)b)->key);
}

static void check_take(lua_State* L, SticStatus status)
{
    if (status != STIC_OK) {
        SticBuilder* builder = stic_script_of(L)->builder;
        stic_error_set_at(builder->error, status, builder->file, 0, 0, "%s",
                          stic_status_text(status));
        stic_script_raise(L);
    }
}

// values are written out, so that a table that is used often costs more than Lua's own memory
static void give(lua_State* L, size_t bytes)
{
    SticScript* script = stic_script_of(L);
    stic_script_charge(L, bytes / STIC_BYTES_PER_INSTRUCTION);
    script->given += bytes;
    if (script->given > script->options->max_bytes)
        luaL_error(L, "the statement needs more than %d MiB of memory",
                   (int)(script->options->max_bytes >> 20));
}

static const char* text_of(lua_State* L, int index)
{
    SticBuilder* builder = stic_script_of(L)->builder;
    size_t length = 0;
    const char* text = lua_tolstring(L, index, &length);
    if (strlen(text) != length)
        luaL_error(L, "a text with a 0 byte cannot be used");
    char* copy = NULL;
    give(L, length + 1);
    check_take(L, STIC_TAKE(builder->scratch, &copy, length + 1));
    memcpy(copy, text, length + 1);
    return copy;
}

// number of entries of the table at an absolute index; all keys must be texts or 1, 2, 3, …
static int32_t count_entries(lua_State* L, int table, lua_Integer length)
{
    lua_Integer count = 0;
    lua_pushnil(L);
    while (lua_next(L, table) != 0) {
        lua_pop(L, 1);
        const bool listed =
            lua_isinteger(L, -1) && lua_tointeger(L, -1) >= 1 && lua_tointeger(L, -1) <= length;
        if (!listed && lua_type(L, -1) != LUA_TSTRING)
            luaL_error(L, "a table has a key that is neither a name nor one of 1, 2, 3, … without "
                          "a gap");
        ++count;
    }
    if (count > INT32_MAX / 64)
        luaL_error(L, "a table has too many entries");
    return (int32_t)count;
}

static void table_value(lua_State* L, int index, int depth, SticValue* value)
{
    SticBuilder* builder = stic_script_of(L)->builder;
    const int table = lua_absindex(L, index);
    const lua_Integer length = (lua_Integer)lua_rawlen(L, table);
    if (depth >= DEEPEST)
        luaL_error(L, "a table is nested too deeply, or contains itself");
    luaL_checkstack(L, 8, "tables");
    value->count = count_entries(L, table, length);
    give(L, ((size_t)value->count + 1) * sizeof *value->item);
    check_take(L, STIC_TAKE(builder->scratch, &value->item, value->count + 1));
    int32_t used = 0;
    for (lua_Integer i = 1; i <= length; ++i) {
        lua_rawgeti(L, table, i);
        if (lua_isnil(L, -1))
            luaL_error(L, "value %d of a list is nil", (int)i);
        value->item[used].key = NULL;
        stic_script_value(L, -1, depth + 1, &value->item[used++].value);
        lua_pop(L, 1);
    }
    lua_pushnil(L);
    while (lua_next(L, table) != 0) {
        if (lua_type(L, -2) == LUA_TSTRING) {
            value->item[used].key = text_of(L, -2);
            stic_script_value(L, -1, depth + 1, &value->item[used++].value);
        }
        lua_pop(L, 1);
    }
    // Lua's order of names differs from run to run
    if (used > length)
        qsort(value->item + length, (size_t)(used - length), sizeof *value->item, by_key);
}

void stic_script_value(lua_State* L, int index, int depth, SticValue* value)
{
    *value = (SticValue){.line = 0};
    switch (lua_type(L, index)) {
    case LUA_TNUMBER:
        value->type = STIC_VALUE_NUMBER;
        value->number = lua_tonumber(L, index);
        break;
    case LUA_TBOOLEAN:
        value->type = STIC_VALUE_FLAG;
        value->number = lua_toboolean(L, index) != 0 ? 1.0 : 0.0;
        break;
    case LUA_TSTRING:
        value->type = STIC_VALUE_STRING;
        value->string = text_of(L, index);
        break;
    case LUA_TTABLE:
        value->type = STIC_VALUE_TABLE;
        table_value(L, index, depth, value);
        break;
    case LUA_TFUNCTION:
        value->type = STIC_VALUE_FUNCTION;
        lua_pushvalue(L, index);
        value->number = luaL_ref(L, LUA_REGISTRYINDEX);
        break;
    default:
        luaL_error(L, "a value of the type %s cannot be used", luaL_typename(L, index));
    }
}

/* ---- statements ---- */

// the value of a statement at the bottom of the stack; a second one would be lost without a word
static void take_value(lua_State* L, SticValue* value)
{
    const int count = lua_gettop(L);
    const char* statement = lua_tostring(L, lua_upvalueindex(1));
    if (count > 1 && lua_type(L, 1) == LUA_TSTRING)
        luaL_error(
            L, "%s takes one name here, not %d values; settings follow it in braces: %s \"%s\" {…}",
            statement, count, statement, lua_tostring(L, 1));
    if (count > 1)
        luaL_error(L, "%s takes one table, not %d values: %s{…}", statement, count, statement);
    stic_script_of(L)->given = 0;
    stic_script_charge(L, STIC_STATEMENT_WORTH);
    stic_script_value(L, 1, 0, value);
}

// apply a statement to a value; the number of what was added
static int32_t apply(lua_State* L, const char* statement, const SticValue* value)
{
    SticBuilder* builder = stic_script_of(L)->builder;
    int32_t index = -1;
    builder->line = stic_script_line(L);
    const SticStatus status = stic_builder_apply(builder, statement, value, &index);
    if (status != STIC_OK)
        check_take(L, builder->error->status == STIC_OK ? status : STIC_OK);
    if (status != STIC_OK)
        stic_script_raise(L);
    const size_t most = stic_script_of(L)->options->max_bytes;
    if (stic_scene_bytes(builder->scene) > most)
        luaL_error(L, "the scene needs more than %d MiB of memory", (int)(most >> 20));
    return index;
}

// {shape = number} or {signal = number}, with where and of what a part is
static void push_handle(lua_State* L, const char* statement, int32_t index)
{
    static const char* const kept[] = {"position", "orientation", "material"};
    const bool is_shape = strcmp(statement, "shape") == 0;
    lua_createtable(L, 0, 4);
    lua_pushinteger(L, index + 1);
    lua_setfield(L, -2, statement);
    for (size_t k = 0; is_shape && k < sizeof kept / sizeof kept[0]; ++k)
        if (lua_getfield(L, 1, kept[k]) != LUA_TNIL)
            lua_setfield(L, -2, kept[k]);
        else
            lua_pop(L, 1);
}

// what a statement gives back to the script
static int push_result(lua_State* L, const char* statement, int32_t index)
{
    const SticSceneDef* def = &stic_script_of(L)->builder->scene->def;
    const char* name = NULL;
    if (strcmp(statement, "shape") == 0 || strcmp(statement, "signal") == 0) {
        push_handle(L, statement, index);
        return 1;
    }
    if (strcmp(statement, "body") == 0)
        name = def->body[index].name;
    else if (strcmp(statement, "joint") == 0)
        name = def->joint[index].name;
    else if (strcmp(statement, "material") == 0)
        name = def->material[index].name;
    if (name == NULL)
        return 0;
    lua_pushstring(L, name);
    return 1;
}

// the value with the field `kind`, and without those that say where a shape is
static SticValue with_kind(lua_State* L, const SticValue* value, const char* kind, bool is_shape)
{
    SticBuilder* builder = stic_script_of(L)->builder;
    SticValue made = {.type = STIC_VALUE_TABLE, .line = value->line};
    if (value->type != STIC_VALUE_TABLE)
        luaL_error(L, "%s needs a table of fields", kind);
    check_take(L, STIC_TAKE(builder->scratch, &made.item, value->count + 1));
    for (int32_t i = 0; i < value->count; ++i) {
        const char* key = value->item[i].key;
        const bool place =
            key != NULL && (strcmp(key, "position") == 0 || strcmp(key, "orientation") == 0 ||
                            strcmp(key, "material") == 0);
        if (!is_shape || !place)
            made.item[made.count++] = value->item[i];
    }
    if (kind != NULL)
        made.item[made.count++] =
            (SticItem){.key = "kind", .value = {.type = STIC_VALUE_STRING, .string = kind}};
    return made;
}

// body{…}, gravity{…}, scheme "…" {…}: the statement is the first upvalue
static int run_statement(lua_State* L)
{
    SticBuilder* builder = stic_script_of(L)->builder;
    const char* statement = lua_tostring(L, lua_upvalueindex(1));
    const SticArenaMark mark = stic_arena_mark(builder->scratch);
    SticValue value;
    luaL_argcheck(L, lua_gettop(L) >= 1, 1, "a table or a text is needed");
    take_value(L, &value);
    if (strcmp(statement, "shape") == 0)
        value = with_kind(L, &value, NULL, true);
    const int32_t index = apply(L, statement, &value);
    stic_arena_rewind(builder->scratch, mark);
    // settings may follow a name
    if (value.type == STIC_VALUE_STRING) {
        lua_pushvalue(L, lua_upvalueindex(1));
        lua_pushcclosure(L, run_statement, 1);
        return 1;
    }
    return push_result(L, statement, index);
}

// shape.box{…}: statement and kind are the upvalues
static int run_kind(lua_State* L)
{
    SticBuilder* builder = stic_script_of(L)->builder;
    const char* statement = lua_tostring(L, lua_upvalueindex(1));
    const char* kind = lua_tostring(L, lua_upvalueindex(2));
    const SticArenaMark mark = stic_arena_mark(builder->scratch);
    SticValue value;
    luaL_checktype(L, 1, LUA_TTABLE);
    take_value(L, &value);
    value = with_kind(L, &value, kind, strcmp(statement, "shape") == 0);
    const int32_t index = apply(L, statement, &value);
    stic_arena_rewind(builder->scratch, mark);
    return push_result(L, statement, index);
}

static int call_table(lua_State* L)
{
    lua_remove(L, 1);
    return run_statement(L);
}

static void add_kind(lua_State* L, const char* statement, const char* word, const char* kind)
{
    lua_pushstring(L, statement);
    lua_pushstring(L, kind);
    lua_pushcclosure(L, run_kind, 2);
    lua_setfield(L, -2, word);
}

// a table whose fields are the kinds of a statement, and that can be called itself
static void push_kinds(lua_State* L, const char* statement)
{
    lua_newtable(L);
    if (strcmp(statement, "shape") == 0) {
        for (int k = 0; k < STIC_SHAPE_KIND_COUNT; ++k)
            if (stic_entries_shape[k].kind != NULL)
                add_kind(L, statement, stic_entries_shape[k].kind, stic_entries_shape[k].kind);
        add_kind(L, statement, "hull", "polyhedron");
    } else if (strcmp(statement, "signal") == 0) {
        for (int k = 0; k < STIC_SIGNAL_KIND_COUNT; ++k)
            add_kind(L, statement, stic_entries_signal[k].kind, stic_entries_signal[k].kind);
    } else {
        for (int k = 0; k < STIC_JOINT_KIND_COUNT; ++k)
            add_kind(L, statement, stic_joint_kind_name((SticJointKind)k),
                     stic_joint_kind_name((SticJointKind)k));
    }
    lua_newtable(L);
    lua_pushstring(L, statement);
    lua_pushcclosure(L, call_table, 1);
    lua_setfield(L, -2, "__call");
    lua_getglobal(L, "__unknown");
    lua_setfield(L, -2, "__index");
    lua_setmetatable(L, -2);
}

/* ---- parameters ---- */

// a value that the caller gave, not the script
static void refuse_parameter(lua_State* L, const SticSceneAssignment* given, const char* accepted)
{
    stic_error_set(stic_script_of(L)->builder->error, STIC_BAD_ARGUMENT,
                   "the parameter %.60s = '%.60s' must be %s", given->name, given->value, accepted);
    stic_script_raise(L);
}

static void push_parameter(lua_State* L, const SticSceneAssignment* given)
{
    double number = 0.0;
    const char* end = stic_number_parse(given->value, &number);
    const bool yes = strcmp(given->value, "true") == 0, no = strcmp(given->value, "false") == 0;
    switch (lua_type(L, 2)) {
    case LUA_TNUMBER:
        if (end == NULL || *end != '\0' || !isfinite(number))
            refuse_parameter(L, given, "a number");
        if (lua_isinteger(L, 2) && number == floor(number) && fabs(number) < 9e15)
            lua_pushinteger(L, (lua_Integer)number);
        else
            lua_pushnumber(L, number);
        break;
    case LUA_TBOOLEAN:
        if (!yes && !no)
            refuse_parameter(L, given, "true or false");
        lua_pushboolean(L, yes ? 1 : 0);
        break;
    default:
        lua_pushstring(L, given->value);
        break;
    }
}

// remember a parameter with its default, for suggestions and for who asks what a scene has
static void note_parameter(lua_State* L, SticScene* scene, const char* name)
{
    const int32_t k = scene->parameters;
    for (int32_t i = 0; i < k; ++i)
        if (strcmp(scene->parameter[i], name) == 0)
            return;
    if (k == STIC_MOST_PARAMETERS)
        return;
    const bool flag = lua_isboolean(L, 2);
    lua_pushvalue(L, 2);
    const char* text = flag ? (lua_toboolean(L, 2) ? "true" : "false") : lua_tostring(L, -1);
    check_take(L, stic_scene_keep(scene, name, &scene->parameter[k]));
    check_take(L, stic_scene_keep(scene, text, &scene->standard[k]));
    lua_pop(L, 1);
    scene->parameters += 1;
}

// param(name, default)
static int run_param(lua_State* L)
{
    SticScript* script = stic_script_of(L);
    const char* name = luaL_checkstring(L, 1);
    luaL_argcheck(L, lua_isnumber(L, 2) || lua_isboolean(L, 2) || lua_isstring(L, 2), 2,
                  "a default is needed: param(\"name\", 1)");
    lua_settop(L, 2);
    note_parameter(L, script->builder->scene, name);
    for (int32_t i = script->options->param_count - 1; i >= 0; --i)
        if (strcmp(script->options->param[i].name, name) == 0) {
            script->asked[i] = true;
            push_parameter(L, &script->options->param[i]);
            return 1;
        }
    return 1;
}

// the name that was meant, or all that there are
static SticStatus refuse_param(SticScript* script, const char* name)
{
    SticError* error = script->builder->error;
    const SticScene* scene = script->builder->scene;
    const char* near = stic_suggest(name, scene->parameter);
    char list[200] = "";
    size_t used = 0;
    if (near != NULL)
        return stic_error_set(error, STIC_BAD_ARGUMENT,
                              "the scene has no parameter '%.60s'; did you mean '%s'?", name, near);
    for (int32_t k = 0; k < scene->parameters && used < sizeof list; ++k)
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", k == 0 ? "" : ", ",
                                 scene->parameter[k]);
    return stic_error_set(error, STIC_BAD_ARGUMENT, "the scene has no parameter '%.60s'%s%s%s",
                          name, scene->parameters > 0 ? "; it has " : "; it has none", list,
                          used < sizeof list ? "" : " …");
}

static SticStatus check_params(SticScript* script)
{
    const SticSceneOptions* options = script->options;
    script->builder->line = 0;
    script->builder->what[0] = '\0';
    for (int32_t i = 0; i < options->param_count; ++i) {
        bool asked = script->asked[i];
        for (int32_t k = 0; k < options->param_count; ++k)
            asked = asked || (script->asked[k] &&
                              strcmp(options->param[i].name, options->param[k].name) == 0);
        if (asked)
            continue;
        return refuse_param(script, options->param[i].name);
    }
    return STIC_OK;
}

/* ---- the script ---- */

static const char* next_text(lua_State* L, void* self, size_t* size)
{
    const char* const** at = self;
    const char* text = **at;
    (void)L;
    *size = text == NULL ? 0 : strlen(text);
    *at += text != NULL;
    return text;
}

// everything a script sees: called protected
static int open_script(lua_State* L)
{
    static const char* const kinds[] = {"shape", "signal", "joint"};
    stic_script_open(L);
    lua_rawseti(L, LUA_REGISTRYINDEX, LUA_RIDX_GLOBALS);
    for (int i = 0; stic_statement_names[i] != NULL; ++i) {
        lua_pushstring(L, stic_statement_names[i]);
        lua_pushcclosure(L, run_statement, 1);
        lua_setglobal(L, stic_statement_names[i]);
    }
    lua_pushcfunction(L, run_param);
    lua_setglobal(L, "param");
    const char* const* prelude = stic_prelude;
    if (lua_load(L, next_text, (void*)&prelude, "=helpers", "t") != LUA_OK)
        return lua_error(L);
    lua_call(L, 0, 0);
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; ++k) {
        push_kinds(L, kinds[k]);
        lua_setglobal(L, kinds[k]);
    }
    // a global name that does not exist is a misspelt one
    lua_pushglobaltable(L);
    lua_newtable(L);
    lua_getglobal(L, "__unknown");
    lua_setfield(L, -2, "__index");
    lua_pushnil(L);
    lua_setglobal(L, "__unknown");
    lua_setmetatable(L, -2);
    return 0;
}

static SticStatus execute(SticScript* script, const SticText* text)
{
    lua_State* L = script->lua;
    lua_pushcfunction(L, open_script);
    int code = lua_pcall(L, 0, 0, 0);
    if (code != LUA_OK)
        return stic_script_report(script, code);
    lua_pushcfunction(L, stic_script_note_line);
    // a byte order mark, which some editors put before the text
    const size_t mark = strncmp(text->bytes, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    code = luaL_loadbufferx(L, text->bytes + mark, text->size - mark, "=" STIC_CHUNK, "t");
    if (code == LUA_OK) {
        lua_sethook(L, count_instructions, LUA_MASKCOUNT, STIC_HOOK_PERIOD);
        code = lua_pcall(L, 0, 0, 1);
    }
    if (code != LUA_OK)
        return stic_script_report(script, code);
    lua_settop(L, 0);
    STIC_TRY(check_params(script));
    const char* file = script->builder->file;
    STIC_TRY(stic_builder_set(script->builder, script->options));
    stic_builder_until(script->builder, script->options->until);
    script->builder->file = file;
    return stic_script_sample_all(script);
}

SticStatus stic_scene_run_script(SticBuilder* builder, const SticText* text,
                                 const SticSceneOptions* options)
{
    SticScript script = {.builder = builder,
                         .options = options,
                         .context = builder->scene->context,
                         .random = stic_random_create(builder->scene->context.seed)};
    if (memchr(text->bytes, '\0', text->size) != NULL)
        return stic_error_set_at(builder->error, STIC_BAD_DATA, builder->file, 0, 0,
                                 "the script has a 0 byte");
    STIC_TRY(stic_script_check_text(builder, text->bytes));
    if (options->param_count > 0) {
        STIC_TRY(STIC_TAKE(builder->scratch, &script.asked, options->param_count));
        memset(script.asked, 0, (size_t)options->param_count * sizeof *script.asked);
    }
    builder->share = true;
    builder->sample = stic_script_remember;
    builder->script = &script;
    script.lua = lua_newstate(allocate, &script);
    if (script.lua == NULL)
        return STIC_OUT_OF_MEMORY;
    SticScript* self = &script;
    memcpy(lua_getextraspace(script.lua), &self, sizeof self);
    const SticStatus status = execute(&script, text);
    lua_close(script.lua);
    STIC_RELEASE(&script.context, script.pending, script.pending_capacity);
    return status;
}

#else

bool stic_scene_has_lua(void)
{
    return false;
}

SticStatus stic_scene_run_script(SticBuilder* builder, const SticText* text,
                                 const SticSceneOptions* options)
{
    (void)text;
    (void)options;
    return stic_error_set_at(builder->error, STIC_UNSUPPORTED, builder->file, 0, 0,
                             "this library was built without Lua; it reads the text form of "
                             "scenes only, which begins with '%s'",
                             STIC_SCENE_MARK);
}

#endif
