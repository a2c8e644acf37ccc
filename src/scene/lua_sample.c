// SPDX-License-Identifier: Apache-2.0
// Functions of time of a script: sampled once, when step and end of the run are known.
//
// Loads get one value per step, at its middle; paths get one per end of a step, joined by straight
// lines, so that their slope is the mean velocity of the step, and so do loads of schemes for
// equilibria, which take them at the ends. Schemes that look inside a step get
// both as smooth curves. There every step is a window with nine values. All windows are probed at
// times `resolution` apart; where the polynomial of degree eight through the nine values misses one
// of them by more than RESOLVED of what the function does in the window, it is halved, and each half
// has nine values of its own, and so on, up to HALVINGS beyond the probes. Each window is decided by
// its own values, so that a run that is resumed to a later end has the same. What is shorter than
// the resolution may be missed; what is rough at the last halving, a jump, is told.
#ifdef STIC_HAVE_LUA

#include <float.h>
#include <math.h>
#include <string.h>

#include "scene/lua.h"

#include "stiction/extend/step.h"

// values of a function, intervals of a window, probes of a step, halvings beyond them
enum { MOST_SAMPLES = 20000000, INSIDE = 8, PROBES = 128, HALVINGS = 6 };

// part of what a function does in a step that a polynomial may miss a probe by: a curve through
// values so dense has less of an error
#define RESOLVED 1e-8
// the same of windows at the last halving from which on it is a jump: lines that meet there, or in
// a tenth of the step, give less
#define JUMP 1e-2
// errors of values of a size that count as rounding: some hundred units
#define ROUNDING 1e-13

// how functions of a run are sampled
typedef struct Sampling {
    double step;    // s
    int32_t count;  // steps
    int32_t probes; // intervals between probes in a step; 0: the scheme does not look inside
} Sampling;

// what a function does in a step, and the size that its rounding is measured by
typedef struct Extent {
    double least, most;
} Extent;

// what comes out of it: memory of the script's context
typedef struct Samples {
    const Sampling* sampling;
    const SticPending* pending;
    SticContext context;
    double *time, *value;
    double* probe; // [probes + 1] of the step under way
    size_t room[2];
    int64_t count;
    Extent extent;     // of the step under way
    bool refined;      // they are not at equal intervals
    int32_t rough;     // windows with jumps
    double rough_at;   // time of the first
    SticStatus status; // of memory
} Samples;

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

static void keep(Samples* samples, double t, double value)
{
    const int64_t count = samples->count;
    for (int k = 0; k < 2 && samples->status == STIC_OK; ++k)
        samples->status = STIC_RESERVE(&samples->context, k == 0 ? &samples->time : &samples->value,
                                       &samples->room[k], (size_t)count + 1);
    if (samples->status != STIC_OK)
        return;
    samples->time[count] = t;
    samples->value[count] = value;
    samples->count += 1;
}

// value at a time in steps
static double evaluate_at(lua_State* L, Samples* samples, double steps)
{
    const double t = steps * samples->sampling->step;
    const double value = evaluate(L, samples->pending, t);
    if (!isfinite(value))
        luaL_error(L, "a function of time gave no finite number at t = %f (component %d)", t,
                   (int)samples->pending->component + 1);
    return value;
}

// the polynomial through values at 0, 1, … INSIDE, in the barycentric form
static double polynomial(const double* value, int32_t stride, double x)
{
    static const double binomial[INSIDE + 1] = {1.0,   -8.0, 28.0, -56.0, 70.0,
                                                -56.0, 28.0, -8.0, 1.0};
    double above = 0.0, below = 0.0;
    for (int j = 0; j <= INSIDE; ++j) {
        const double weight = binomial[j] / (x - j);
        above += weight * value[(int64_t)j * stride];
        below += weight;
    }
    return above / below;
}

static void extend(Extent* extent, const double* value, int32_t count)
{
    for (int32_t q = 0; q < count; ++q) {
        extent->least = value[q] < extent->least ? value[q] : extent->least;
        extent->most = value[q] > extent->most ? value[q] : extent->most;
    }
}

// how far the values INSIDE strides long are from the polynomial through every stride of them, as a
// part of what the function does in the step, without rounding
static double misfit(const Extent* extent, const double* value, int32_t stride)
{
    const double size =
        fabs(extent->least) > fabs(extent->most) ? fabs(extent->least) : fabs(extent->most);
    double worst = 0.0;
    for (int32_t q = 0; q <= INSIDE * stride; ++q) {
        const double off =
            q % stride == 0 ? 0.0 : fabs(value[q] - polynomial(value, stride, (double)q / stride));
        worst = off > worst ? off : worst;
    }
    return worst > ROUNDING * size ? worst / (extent->most - extent->least) : 0.0;
}

// a window of a width, both in steps, that begins at a time; the end of one is the beginning of the
// next
static void keep_window(Samples* samples, double begin, double width, const double* value,
                        int32_t stride)
{
    for (int j = 0; j < INSIDE; ++j)
        keep(samples, (begin + width * j / INSIDE) * samples->sampling->step,
             value[(int64_t)j * stride]);
    samples->refined = samples->refined || width < 1.0;
}

// a window that the probes do not resolve: values between them
static void sample_between(lua_State* L, Samples* samples, double begin, double width,
                           const double value[INSIDE + 1], int depth)
{
    double fine[2 * INSIDE + 1];
    for (int q = 0; q <= 2 * INSIDE; ++q)
        fine[q] =
            q % 2 == 0 ? value[q / 2] : evaluate_at(L, samples, begin + width * q / (2 * INSIDE));
    extend(&samples->extent, fine, 2 * INSIDE + 1);
    const double off = misfit(&samples->extent, fine, 2);
    if (off <= RESOLVED || depth == HALVINGS) {
        if (off > JUMP && samples->rough++ == 0)
            samples->rough_at = begin * samples->sampling->step;
        keep_window(samples, begin, width, value, 1);
        return;
    }
    sample_between(L, samples, begin, 0.5 * width, fine, depth + 1);
    sample_between(L, samples, begin + 0.5 * width, 0.5 * width, fine + INSIDE, depth + 1);
}

// a window of INSIDE strides of probes
static void sample_window(lua_State* L, Samples* samples, double begin, double width,
                          const double* value, int32_t stride)
{
    if (stride == 1)
        sample_between(L, samples, begin, width, value, 0);
    else if (misfit(&samples->extent, value, stride) <= RESOLVED)
        keep_window(samples, begin, width, value, stride);
    else
        for (int half = 0; half < 2; ++half)
            sample_window(L, samples, begin + 0.5 * half * width, 0.5 * width,
                          value + half * (INSIDE / 2) * stride, stride / 2);
}

// a curve, step by step
static void sample_inside(lua_State* L, Samples* samples)
{
    const Sampling* sampling = samples->sampling;
    double last = evaluate_at(L, samples, 0.0);
    for (int32_t k = 0; k < sampling->count; ++k) {
        samples->probe[0] = last;
        for (int32_t q = 1; q <= sampling->probes; ++q)
            samples->probe[q] = evaluate_at(L, samples, k + (double)q / sampling->probes);
        last = samples->probe[sampling->probes];
        samples->extent = (Extent){samples->probe[0], samples->probe[0]};
        extend(&samples->extent, samples->probe, sampling->probes + 1);
        sample_window(L, samples, k, 1.0, samples->probe, sampling->probes / INSIDE);
        if (samples->count > MOST_SAMPLES)
            luaL_error(L,
                       "a function of time would need more than %d samples: use signal.wave, "
                       "signal.table or a longer resolution of the run",
                       (int)MOST_SAMPLES);
    }
    keep(samples, sampling->count * sampling->step, last);
}

// all samples of one function: called protected, with the samples as the argument
static int run_samples(lua_State* L)
{
    Samples* samples = lua_touserdata(L, 1);
    const Sampling* sampling = samples->sampling;
    const bool path = samples->pending->path;
    if (sampling->probes > 0)
        sample_inside(L, samples);
    for (int32_t k = 0; sampling->probes == 0 && k < sampling->count + (path ? 1 : 0); ++k) {
        const double at = k + (path ? 0.0 : 0.5);
        keep(samples, at * sampling->step, evaluate_at(L, samples, at));
    }
    return 0;
}

static SticStatus sample_one(SticScript* script, Samples* samples)
{
    lua_State* L = script->lua;
    script->line = samples->pending->line;
    lua_pushcfunction(L, stic_script_note_line);
    lua_pushcfunction(L, run_samples);
    lua_pushlightuserdata(L, samples);
    const int code = lua_pcall(L, 1, 0, 1);
    if (code != LUA_OK) {
        script->line = script->line > 0 ? script->line : samples->pending->line;
        return stic_script_report(script, code);
    }
    lua_settop(L, 0);
    return samples->status;
}

// the signal of a function whose samples are there
static SticStatus make_signal(SticScene* scene, const Samples* samples, SticSignal* signal)
{
    const Sampling* sampling = samples->sampling;
    const bool inside = sampling->probes > 0, path = samples->pending->path;
    double* values[2] = {NULL, NULL};
    const double* from[2] = {samples->value, samples->time};
    // times where they are not a matter of the interval
    const int lists = inside ? samples->refined ? 2 : 1 : path ? 2 : 1;
    for (int k = 0; k < lists; ++k) {
        STIC_TRY(STIC_TAKE(scene->arena, &values[k], samples->count));
        memcpy(values[k], from[k], (size_t)samples->count * sizeof *values[k]);
    }
    *signal = (SticSignal){.kind = inside ? STIC_SIGNAL_CURVE
                                   : path ? STIC_SIGNAL_TABLE
                                          : STIC_SIGNAL_STEPS,
                           .scale = 1.0,
                           .interval = lists == 2 ? 0.0 : sampling->step / (inside ? INSIDE : 1),
                           .count = (int32_t)samples->count,
                           .value = values[0],
                           .time = values[1],
                           .until = path && !inside ? sampling->count * sampling->step : 0.0};
    scene->def.rough = samples->rough > 0 ? scene->def.rough + 1 : scene->def.rough;
    if (samples->rough > 0 && scene->def.rough == 1)
        scene->def.rough_at = samples->rough_at;
    return STIC_OK;
}

// probes of a step: a power of two, so that windows can be halved. More steps than can be probed
// are probed less densely
static int32_t choose_probes(const SticSceneRun* run, double steps)
{
    int32_t probes = INSIDE;
    const double wanted = run->resolution > 0.0 ? run->step / run->resolution : PROBES;
    while (probes < wanted && 2.0 * probes * steps <= MOST_SAMPLES)
        probes *= 2;
    return probes;
}

SticStatus stic_script_sample_all(SticScript* script)
{
    SticScene* scene = script->builder->scene;
    const SticSceneRun* run = &scene->def.run;
    if (script->pending_count == 0)
        return STIC_OK;
    const SticScheme* scheme = stic_scheme_find(scene->def.scheme, NULL);
    const bool inside = scheme != NULL && scheme->instants;
    const double steps = rint(run->until / run->step);
    for (int32_t i = 0; scheme != NULL && scheme->still && i < script->pending_count; ++i)
        script->pending[i].path = true;
    const double samples = steps * script->pending_count * (inside ? INSIDE : 1);
    script->builder->what[0] = '\0';
    if (!(samples <= MOST_SAMPLES))
        return stic_builder_fail(script->builder, NULL,
                                 "functions of time would need %g samples, more than %d: use "
                                 "signal.wave or signal.table",
                                 samples, MOST_SAMPLES);
    const Sampling sampling = {.step = run->step,
                               .count = steps < 1.0 ? 1 : (int32_t)steps,
                               .probes = inside ? choose_probes(run, steps) : 0};
    double* probe = NULL;
    STIC_TRY(STIC_TAKE(scene->arena, &probe, sampling.probes + 1));
    for (int32_t i = 0; i < script->pending_count; ++i) {
        SticPending* pending = &script->pending[i];
        Samples made = {
            .sampling = &sampling, .pending = pending, .context = script->context, .probe = probe};
        SticStatus status = sample_one(script, &made);
        if (status == STIC_OK)
            status = make_signal(scene, &made, &scene->signal[pending->signal]);
        STIC_RELEASE(&made.context, made.time, made.room[0]);
        STIC_RELEASE(&made.context, made.value, made.room[1]);
        STIC_TRY(status);
    }
    return STIC_OK;
}

#else

// a translation unit must not be empty
typedef int SticNoSamples;

#endif
