// SPDX-License-Identifier: Apache-2.0
// Functions of time of a script: sampled once, when step and end of the run are known.
//
// Loads get one value per step, at its middle; paths get one per end of a step, joined by straight
// lines, so that their slope is the mean velocity of the step. Schemes that look inside a step get
// both as smooth curves through INSIDE values per step.
#ifdef STIC_HAVE_LUA

#include <math.h>

#include "scene/lua.h"

#include "stiction/extend/step.h"

enum { MOST_SAMPLES = 20000000, INSIDE = 8 };

// how functions of a run are sampled
typedef struct Sampling {
    double interval; // s
    int32_t count;   // intervals
    bool inside;     // the scheme looks inside a step
} Sampling;

SticStatus stic_script_remember(SticBuilder* builder, const SticValue* function, int32_t component,
                                bool path, int32_t* signal)
{
    SticScript* script = builder->script;
    static const double nothing = 0.0;
    SticScene* scene = builder->scene;
    STIC_TRY(STIC_RESERVE(&script->context, &script->pending, &script->pending_capacity,
                          script->pending_count + 1));
    STIC_TRY(STIC_RESERVE(&scene->context, &scene->signal, &scene->capacity[2],
                          scene->def.signal_count + 1));
    *signal = scene->def.signal_count;
    scene->signal[scene->def.signal_count++] =
        (SticSignal){.kind = STIC_SIGNAL_STEPS, .interval = 1.0, .count = 1, .value = &nothing};
    scene->def.signal = scene->signal;
    script->pending[script->pending_count++] =
        (SticPending){(int)function->number, component, path, *signal, builder->line};
    return STIC_OK;
}

// value of a component of a function at a time: its results, or the entries of a table
static double evaluate(lua_State* L, const SticPending* pending, double t)
{
    const int base = lua_gettop(L);
    lua_rawgeti(L, LUA_REGISTRYINDEX, pending->reference);
    lua_pushnumber(L, t);
    lua_call(L, 1, 3);
    int at = base + 1 + pending->component;
    if (lua_istable(L, base + 1)) {
        lua_rawgeti(L, base + 1, pending->component + 1);
        at = lua_gettop(L);
    }
    const double value = lua_type(L, at) == LUA_TNUMBER ? lua_tonumber(L, at) : NAN;
    lua_settop(L, base);
    return value;
}

// all samples of one function: called protected, arguments are the pending record and the memory
static int run_samples(lua_State* L)
{
    const Sampling* sampling = lua_touserdata(L, 3);
    const SticPending* pending = lua_touserdata(L, 1);
    double* value = lua_touserdata(L, 2);
    const bool ends = pending->path || sampling->inside;
    for (lua_Integer k = 0; k < sampling->count + (ends ? 1 : 0); ++k) {
        const double t = ((double)k + (ends ? 0.0 : 0.5)) * sampling->interval;
        value[k] = evaluate(L, pending, t);
        if (!isfinite(value[k]))
            return luaL_error(L,
                              "a function of time gave no finite number at t = %f (component "
                              "%d)",
                              t, (int)pending->component + 1);
    }
    return 0;
}

static SticStatus sample_one(SticScript* script, SticPending* pending, Sampling* sampling,
                             double* value)
{
    lua_State* L = script->lua;
    script->line = pending->line;
    lua_pushcfunction(L, stic_script_note_line);
    lua_pushcfunction(L, run_samples);
    lua_pushlightuserdata(L, pending);
    lua_pushlightuserdata(L, value);
    lua_pushlightuserdata(L, sampling);
    const int code = lua_pcall(L, 3, 0, 1);
    if (code != LUA_OK) {
        script->line = script->line > 0 ? script->line : pending->line;
        return stic_script_report(script, code);
    }
    lua_settop(L, 0);
    return STIC_OK;
}

// the signal of a function whose samples are there
static SticStatus make_signal(SticScene* scene, const Sampling* sampling, bool path,
                              const double* value, SticSignal* signal)
{
    double* time = NULL;
    const int32_t count = sampling->count;
    *signal = (SticSignal){.kind = STIC_SIGNAL_CURVE,
                           .scale = 1.0,
                           .interval = sampling->interval,
                           .count = count + 1,
                           .value = value};
    if (sampling->inside)
        return STIC_OK;
    signal->kind = path ? STIC_SIGNAL_TABLE : STIC_SIGNAL_STEPS;
    if (!path) {
        signal->count = count;
        return STIC_OK;
    }
    STIC_TRY(STIC_TAKE(scene->arena, &time, count + 1));
    for (int32_t k = 0; k <= count; ++k)
        time[k] = k * sampling->interval;
    signal->interval = 0.0;
    signal->time = time;
    return STIC_OK;
}

SticStatus stic_script_sample_all(SticScript* script)
{
    SticScene* scene = script->builder->scene;
    const SticSceneRun* run = &scene->def.run;
    if (script->pending_count == 0)
        return STIC_OK;
    const SticScheme* scheme = stic_scheme_find(scene->def.scheme, NULL);
    const bool inside = scheme != NULL && scheme->instants;
    const double steps = rint(run->until / run->step) * (inside ? INSIDE : 1);
    script->builder->what[0] = '\0';
    if (!(steps * script->pending_count <= MOST_SAMPLES))
        return stic_builder_fail(script->builder, NULL,
                                 "functions of time would need %g samples, more than %d: use "
                                 "signal.wave or signal.table",
                                 steps * script->pending_count, MOST_SAMPLES);
    Sampling sampling = {.interval = run->step / (inside ? INSIDE : 1),
                         .count = steps < 1.0 ? 1 : (int32_t)steps,
                         .inside = inside};
    for (int32_t i = 0; i < script->pending_count; ++i) {
        SticPending* pending = &script->pending[i];
        double* value = NULL;
        STIC_TRY(STIC_TAKE(scene->arena, &value, sampling.count + 1));
        STIC_TRY(sample_one(script, pending, &sampling, value));
        STIC_TRY(
            make_signal(scene, &sampling, pending->path, value, &scene->signal[pending->signal]));
    }
    return STIC_OK;
}

#else

// a translation unit must not be empty
typedef int SticNoSamples;

#endif
