// SPDX-License-Identifier: Apache-2.0
// What the files of the Lua front end share.
#ifndef STIC_SCENE_LUA_H
#define STIC_SCENE_LUA_H

#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>

#include "scene/scene.h"
#include "stiction/extend/base.h"

/// A function of time that is still to be sampled.
typedef struct SticPending {
    int reference;     ///< in the registry of Lua
    int32_t component; ///< 0 to 2
    bool path;         ///< lines between the ends of steps, else held over each step
    int32_t signal;    ///< index of what it becomes
    int32_t line;      ///< where it was given
} SticPending;

/// A script under way.
typedef struct SticScript {
    SticBuilder* builder;
    const SticSceneOptions* options;
    SticContext context;
    lua_State* lua;
    size_t bytes;         ///< that Lua holds now
    bool starved;         ///< the context had no more memory: nothing is given any more
    int64_t instructions; ///< run so far, in pieces of STIC_HOOK_PERIOD, and work worth as many
    size_t given;         ///< bytes of the values of the statement under way
    SticRandom random;    ///< of math.random
    bool* asked;          ///< [param_count] parameters that the script asked for
    SticPending* pending; ///< [pending_count]
    int32_t pending_count;
    size_t pending_capacity;
    int32_t line; ///< of the last error
} SticScript;

// bytes that are allocated or copied, and statements, count as instructions: each takes about as
// long as so many of them
enum { STIC_HOOK_PERIOD = 1000, STIC_BYTES_PER_INSTRUCTION = 64, STIC_STATEMENT_WORTH = 100 };

/// Name of the scene's own chunk in Lua.
#define STIC_CHUNK "scene"

/// Line of the scene that is running, 0 if none is.
int32_t stic_script_line(lua_State* L);
/// The script that a state belongs to.
SticScript* stic_script_of(lua_State* L);
/// Count work that is worth as many instructions; raises an error beyond the limit.
void stic_script_charge(lua_State* L, uint64_t work);
/// Leave the script with the error of its builder.
int stic_script_raise(lua_State* L);
/// The value at an index of the stack, in the builder's scratch memory; raises what it cannot be.
void stic_script_value(lua_State* L, int index, int depth, SticValue* value);

/// Message handler: notes the line where an error is raised, while the stack still tells it.
int stic_script_note_line(lua_State* L);
/// What Lua left on the stack, as the builder's error.
SticStatus stic_script_report(SticScript* script, int code);
/// Keep a function until the step and the end are known; SticBuilder.sample.
SticStatus stic_script_remember(SticBuilder* builder, const SticValue* function, int32_t component,
                                bool path, int32_t* signal);
/// Sample all functions that were kept.
SticStatus stic_script_sample_all(SticScript* script);

/// Globals that a script may use: put the table on the stack.
void stic_script_open(lua_State* L);
/// Fill the table `math` at the top of the stack.
void stic_script_open_math(lua_State* L);
/// Functions of the library written in Lua, one text each; ended by NULL.
extern const char* const stic_prelude[];

#endif
