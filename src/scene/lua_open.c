// SPDX-License-Identifier: Apache-2.0
// What a script may use of Lua's own library, and mathematics with the same bits everywhere.
//
// Left out: files, processes, clock, loading of code, coroutines and protected calls (they would
// outlive the limits), patterns (their time is not bounded), garbage collection, addresses in
// texts.
#ifdef STIC_HAVE_LUA

#include <math.h>
#include <string.h>

#include "base/number.h"
#include "math/math.h"
#include "scene/lua.h"

/* ---- mathematics ---- */

typedef double (*Function)(double);

static double root(double x)
{
    return sqrt(x);
}

static double to_degrees(double x)
{
    return x * (180.0 / STIC_PI);
}

static double to_radians(double x)
{
    return x * (STIC_PI / 180.0);
}

static const struct {
    const char* name;
    Function function;
} functions[] = {
    {"sin", stic_sin},   {"cos", stic_cos},   {"tan", stic_tan},   {"asin", stic_asin},
    {"acos", stic_acos}, {"exp", stic_exp},   {"sqrt", root},      {"deg", to_degrees},
    {"rad", to_radians}, {"sinh", stic_sinh}, {"cosh", stic_cosh},
};

static int run_function(lua_State* L)
{
    const lua_Integer k = lua_tointeger(L, lua_upvalueindex(1));
    lua_pushnumber(L, functions[k].function(luaL_checknumber(L, 1)));
    return 1;
}

static int run_atan(lua_State* L)
{
    const double y = luaL_checknumber(L, 1);
    lua_pushnumber(L, stic_atan2(y, luaL_optnumber(L, 2, 1.0)));
    return 1;
}

static int run_log(lua_State* L)
{
    const double x = stic_ln(luaL_checknumber(L, 1));
    lua_pushnumber(L, lua_isnoneornil(L, 2) ? x : x / stic_ln(luaL_checknumber(L, 2)));
    return 1;
}

static int run_pow(lua_State* L)
{
    const double x = luaL_checknumber(L, 1);
    lua_pushnumber(L, stic_pow(x, luaL_checknumber(L, 2)));
    return 1;
}

// math.random(), (n), (m, n) from the library's own generator
static int run_random(lua_State* L)
{
    SticRandom* random = &stic_script_of(L)->random;
    const int count = lua_gettop(L);
    if (count == 0) {
        lua_pushnumber(L, stic_random_uniform(random));
        return 1;
    }
    const lua_Integer low = count == 1 ? 1 : luaL_checkinteger(L, 1);
    const lua_Integer high = luaL_checkinteger(L, count == 1 ? 1 : 2);
    luaL_argcheck(L, low <= high, count == 1 ? 1 : 2, "the interval is empty");
    luaL_argcheck(L, low > -((lua_Integer)1 << 52) && high < ((lua_Integer)1 << 52), 1,
                  "the interval is too large");
    const double range = (double)(high - low) + 1.0;
    lua_pushinteger(L, low + (lua_Integer)floor(range * stic_random_uniform(random)));
    return 1;
}

static int run_seed(lua_State* L)
{
    stic_script_of(L)->random = stic_random_create((uint64_t)luaL_checkinteger(L, 1));
    return 0;
}

// functions of Lua that are exact: taken as they are
static void copy_fields(lua_State* L, int from, const char* const* names)
{
    for (int i = 0; names[i] != NULL; ++i) {
        lua_getfield(L, from, names[i]);
        lua_setfield(L, -2, names[i]);
    }
}

void stic_script_open_math(lua_State* L)
{
    static const char* const exact[] = {"abs",        "ceil",       "floor",     "fmod", "max",
                                        "min",        "modf",       "tointeger", "type", "huge",
                                        "maxinteger", "mininteger", NULL};
    static const luaL_Reg own[] = {{"atan", run_atan},       {"log", run_log},
                                   {"pow", run_pow},         {"random", run_random},
                                   {"randomseed", run_seed}, {NULL, NULL}};
    luaopen_math(L);
    const int from = lua_gettop(L);
    lua_newtable(L);
    copy_fields(L, from, exact);
    luaL_setfuncs(L, own, 0);
    for (size_t k = 0; k < sizeof functions / sizeof functions[0]; ++k) {
        lua_pushinteger(L, (lua_Integer)k);
        lua_pushcclosure(L, run_function, 1);
        lua_setfield(L, -2, functions[k].name);
    }
    lua_pushnumber(L, STIC_PI);
    lua_setfield(L, -2, "pi");
    lua_remove(L, from);
}

/* ---- texts ---- */

static const char* plain_text(lua_State* L, int index)
{
    char number[64];
    switch (lua_type(L, index)) {
    case LUA_TNIL:
        return "nil";
    case LUA_TBOOLEAN:
        return lua_toboolean(L, index) != 0 ? "true" : "false";
    case LUA_TSTRING:
        return lua_tostring(L, index);
    case LUA_TNUMBER:
        if (!lua_isinteger(L, index)) {
            stic_number_format(lua_tonumber(L, index), number, sizeof number);
            lua_pushstring(L, number);
        } else {
            lua_pushfstring(L, "%I", (LUAI_UACINT)lua_tointeger(L, index));
        }
        lua_replace(L, index);
        return lua_tostring(L, index);
    default:
        return luaL_typename(L, index); // never an address
    }
}

static int run_tostring(lua_State* L)
{
    luaL_checkany(L, 1);
    lua_settop(L, 1);
    lua_pushstring(L, plain_text(L, 1));
    return 1;
}

// print goes to the log, with the line of the script
static int run_print(lua_State* L)
{
    luaL_Buffer buffer;
    const int count = lua_gettop(L);
    for (int i = 1; i <= count; ++i) {
        lua_pushstring(L, plain_text(L, i));
        lua_replace(L, i);
    }
    luaL_buffinit(L, &buffer);
    for (int i = 1; i <= count; ++i) {
        if (i > 1)
            luaL_addchar(&buffer, ' ');
        lua_pushvalue(L, i);
        luaL_addvalue(&buffer);
    }
    luaL_pushresult(&buffer);
    const SticScript* script = stic_script_of(L);
    stic_log(&script->context, STIC_LOG_INFO, "%s:%d: %s", script->builder->file,
             (int)stic_script_line(L), lua_tostring(L, -1));
    return 0;
}

// string.format without addresses: the real one is the upvalue
static int run_format(lua_State* L)
{
    size_t length = 0;
    const char* format = luaL_checklstring(L, 1, &length);
    // a 0 byte does not end a format
    for (const char* c = format; c < format + length; ++c) {
        if (*c != '%')
            continue;
        ++c;
        c += strspn(c, "-+ #0123456789.");
        if (*c == 'p')
            return luaL_error(L, "string.format: %%p would give an address");
    }
    for (int i = 2; i <= lua_gettop(L); ++i)
        if (!lua_isnumber(L, i) && !lua_isstring(L, i) && !lua_isboolean(L, i))
            return luaL_error(L, "string.format: a %s cannot be written", luaL_typename(L, i));
    lua_pushvalue(L, lua_upvalueindex(1));
    lua_insert(L, 1);
    lua_call(L, lua_gettop(L) - 1, 1);
    return 1;
}

// string.rep, whose loop over nothing would not end: the real one is the upvalue
static int run_rep(lua_State* L)
{
    size_t length = 0, between = 0;
    luaL_checklstring(L, 1, &length);
    luaL_checkinteger(L, 2);
    luaL_optlstring(L, 3, "", &between);
    if (length + between == 0) {
        lua_pushliteral(L, "");
        return 1;
    }
    lua_pushvalue(L, lua_upvalueindex(1));
    lua_insert(L, 1);
    lua_call(L, lua_gettop(L) - 1, 1);
    return 1;
}

static void open_string(lua_State* L)
{
    static const char* const kept[] = {"sub",  "len",     "upper", "lower",
                                       "byte", "reverse", "char",  NULL};
    luaopen_string(L);
    const int from = lua_gettop(L);
    lua_newtable(L);
    copy_fields(L, from, kept);
    lua_getfield(L, from, "format");
    lua_pushcclosure(L, run_format, 1);
    lua_setfield(L, -2, "format");
    lua_getfield(L, from, "rep");
    lua_pushcclosure(L, run_rep, 1);
    lua_setfield(L, -2, "rep");
    // methods of texts use the same table; their metatable is hidden
    lua_pushliteral(L, "");
    if (lua_getmetatable(L, -1) != 0) {
        lua_pushvalue(L, -3);
        lua_setfield(L, -2, "__index");
        lua_pushboolean(L, 0);
        lua_setfield(L, -2, "__metatable");
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
    lua_remove(L, from);
}

/* ---- tables ---- */

// functions of lists: where the argument is that says where they begin, from how many arguments on
// it is there, and whether the next one says where they end
static const struct {
    const char* name;
    int at, least;
    bool range;
} lists[] = {{"concat", 3, 0, true},
             {"insert", 2, 3, false},
             {"remove", 2, 2, false},
             {"unpack", 2, 0, true}};

// they move or visit many entries in one instruction, which are counted first: the upvalues are the
// real function and its row in the table above
static int run_list(lua_State* L)
{
    const lua_Integer k = lua_tointeger(L, lua_upvalueindex(2));
    const int count = lua_gettop(L), at = lists[k].at;
    luaL_checktype(L, 1, LUA_TTABLE);
    if (luaL_getmetafield(L, 1, "__len") != LUA_TNIL)
        return luaL_error(L, "a table with __len is no list");
    const lua_Integer length = (lua_Integer)lua_rawlen(L, 1);
    lua_Integer first = 1, last = 0;
    if (lists[k].range) {
        first = luaL_optinteger(L, at, 1);
        last = luaL_optinteger(L, at + 1, length);
    } else if (count >= lists[k].least) {
        first = luaL_checkinteger(L, at);
        last = length;
    }
    if (last > first)
        stic_script_charge(L, (uint64_t)last - (uint64_t)first);
    lua_pushvalue(L, lua_upvalueindex(1));
    lua_insert(L, 1);
    lua_call(L, count, LUA_MULTRET);
    return lua_gettop(L);
}

static void open_table(lua_State* L)
{
    static const char* const kept[] = {"pack", NULL};
    luaopen_table(L);
    const int from = lua_gettop(L);
    lua_newtable(L);
    copy_fields(L, from, kept);
    for (size_t k = 0; k < sizeof lists / sizeof lists[0]; ++k) {
        lua_getfield(L, from, lists[k].name);
        lua_pushinteger(L, (lua_Integer)k);
        lua_pushcclosure(L, run_list, 2);
        lua_setfield(L, -2, lists[k].name);
    }
    lua_remove(L, from);
}

// metatables without finalisers, whose time would be that of the garbage collector
static int run_setmetatable(lua_State* L)
{
    luaL_checktype(L, 1, LUA_TTABLE);
    luaL_checktype(L, 2, LUA_TTABLE);
    if (luaL_getmetafield(L, 1, "__metatable") != LUA_TNIL)
        return luaL_error(L, "the metatable is protected");
    static const char* const refused[] = {"__gc", "__mode", "__close"};
    for (size_t k = 0; k < sizeof refused / sizeof refused[0]; ++k) {
        lua_pushstring(L, refused[k]);
        if (lua_rawget(L, 2) != LUA_TNIL)
            return luaL_error(L, "a metatable must not have %s", refused[k]);
        lua_pop(L, 1);
    }
    lua_settop(L, 2);
    lua_setmetatable(L, 1);
    return 1;
}

// a name that is not there, with a suggestion
static int run_unknown(lua_State* L)
{
    enum { MOST = 200 };
    const char* names[MOST + 1] = {NULL};
    int used = 0;
    if (lua_type(L, 2) != LUA_TSTRING)
        return 0;
    lua_pushnil(L);
    while (lua_next(L, 1) != 0) {
        lua_pop(L, 1);
        if (lua_type(L, -1) == LUA_TSTRING && used < MOST)
            names[used++] = lua_tostring(L, -1);
    }
    // the order of the table is not fixed: of equally near names take the first by letters
    for (int i = 1; i < used; ++i)
        for (int k = i; k > 0 && strcmp(names[k - 1], names[k]) > 0; --k) {
            const char* swap = names[k];
            names[k] = names[k - 1];
            names[k - 1] = swap;
        }
    const char* word = lua_tostring(L, 2);
    const char* near = stic_suggest(word, names);
    if (near != NULL)
        return luaL_error(L, "there is no '%s'; did you mean '%s'?", word, near);
    return luaL_error(L, "there is no '%s' here", word);
}

void stic_script_open(lua_State* L)
{
    static const char* const base[] = {"assert",   "error",  "ipairs", "rawequal",
                                       "rawget",   "rawlen", "rawset", "select",
                                       "tonumber", "type",   "next",   NULL};
    static const luaL_Reg own[] = {{"tostring", run_tostring},
                                   {"print", run_print},
                                   {"setmetatable", run_setmetatable},
                                   {"__unknown", run_unknown},
                                   {NULL, NULL}};
    luaopen_base(L);
    const int from = lua_gettop(L);
    lua_newtable(L);
    copy_fields(L, from, base);
    lua_remove(L, from);
    luaL_setfuncs(L, own, 0);
    stic_script_open_math(L);
    lua_setfield(L, -2, "math");
    open_string(L);
    lua_setfield(L, -2, "string");
    open_table(L);
    lua_setfield(L, -2, "table");
}

#else

// a translation unit must not be empty
typedef int SticNoLua;

#endif
