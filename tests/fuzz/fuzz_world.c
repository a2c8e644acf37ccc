// SPDX-License-Identifier: Apache-2.0
// Fuzz target: whole small worlds. The input is a list of draws: shapes, joints, laws, loads,
// scheme and step. What is accepted makes a few steps. Whatever happens, a step that fails leaves
// the state as it was and says why, and one that succeeds leaves finite numbers, a ledger that adds
// up, and bodies that neither pass through each other nor make energy. With STICTION_FUZZ_SHOW set
// the scene is printed.
#include "fuzz/fuzz.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "stiction/extend/run.h"
#include "stiction/extend/scene.h"
#include "stiction/stiction.h"

enum { MOST_BODIES = 5, STEPS = 6, MOST_ASKED = 12, ROOM = 1 << 13 };

// J: what rounding moves in a world at rest
#define NOTHING 1e-18

// a scene under construction and the draws that are left
typedef struct Draw {
    const uint8_t* data;
    size_t size, at;
    char text[ROOM];
    size_t used;
    bool gains; // Newton's law of impact with friction can gain energy (Kane and Levinson),
                // penalties and quasi-statics do
} Draw;

static uint8_t byte(Draw* draw)
{
    return draw->at < draw->size ? draw->data[draw->at++] : 0;
}

static int choose(Draw* draw, int count)
{
    return byte(draw) % count;
}

static double between(Draw* draw, double least, double most)
{
    const int high = byte(draw), low = byte(draw);
    return least + (most - least) * (high * 256 + low) / 65535.0;
}

static void put(Draw* draw, const char* format, ...) __attribute__((format(printf, 2, 3)));

static void put(Draw* draw, const char* format, ...)
{
    va_list list;
    va_start(list, format);
    const int count = vsnprintf(draw->text + draw->used, ROOM - draw->used, format, list);
    va_end(list);
    if (count < 0 || (size_t)count >= ROOM - draw->used)
        abort();
    draw->used += (size_t)count;
}

static void put_shape(Draw* draw, double size)
{
    const double a = size * between(draw, 0.05, 0.5), b = size * between(draw, 0.05, 0.5),
                 c = size * between(draw, 0.05, 0.5);
    switch (choose(draw, 7)) {
    case 0:
        put(draw, "shape.sphere{radius = %.9g}", a);
        break;
    case 1:
        put(draw, "shape.box{size = {%.9g, %.9g, %.9g}}", a, b, c);
        break;
    case 2:
        put(draw, "shape.cylinder{radius = %.9g, height = %.9g}", a / 2, b);
        break;
    case 3:
        put(draw, "shape.capsule{radius = %.9g, length = %.9g}", a / 3, b / 2);
        break;
    case 4:
        put(draw, "shape.ellipsoid{semi_axes = {%.9g, %.9g, %.9g}}", a / 2, b / 2, c / 2);
        break;
    case 5:
        put(draw,
            "shape.hull{points = {{0, 0, %.9g}, {%.9g, 0, %.9g}, {%.9g, %.9g, %.9g}, {%.9g, %.9g, "
            "%.9g}}}",
            c / 2, a / 2, -c / 2, -a / 3, b / 2, -c / 2, -a / 3, -b / 2, -c / 2);
        break;
    default:
        put(draw,
            "shape.compound{shape = {shape.sphere{radius = %.9g, position = {%.9g, 0, 0}}, "
            "shape.box{size = {%.9g, %.9g, %.9g}}}}",
            a / 3, b / 2, a / 2, b / 2, c / 2);
    }
}

static void put_vector(Draw* draw, const char* name, double most)
{
    const double x = between(draw, -most, most), y = between(draw, -most, most);
    put(draw, "%s = {%.9g, %.9g, %.9g}, ", name, x, y, between(draw, -most, most));
}

static void put_body(Draw* draw, int k, double size)
{
    static const char* const kinds[] = {"rigid", "rigid", "rigid", "pseudo_rigid", "fixed"};
    const char* kind = k == 0 ? "rigid" : kinds[choose(draw, 5)];
    const bool moves = strcmp(kind, "fixed") != 0;
    put(draw, "body{name = 'b%d', kind = '%s', material = 'm', ", k, kind);
    put(draw, "position = {%.9g, %.9g, %.9g}, ", size * (k % 2 - 0.5), size * 0.1 * k,
        size * (between(draw, 0.0, 0.6) + 0.6 * (k / 2)));
    put(draw, "orientation = {axis = {1, %.9g, 0.5}, angle = %.9g}, ", between(draw, -1, 1),
        between(draw, 0, 3));
    if (moves) {
        const int wild = choose(draw, 4);
        put_vector(draw, "velocity", wild == 3 ? 100 * size : wild * size);
        put_vector(draw, "angular_velocity", wild == 3 ? 1000 : 3 * wild);
        if (choose(draw, 3) == 0)
            put(draw, "mass = %.9g, ", pow(10, between(draw, -4, 4)));
    }
    if (strcmp(kind, "pseudo_rigid") == 0)
        put(draw, "young = %.9g, poisson = %.9g, ", pow(10, between(draw, 5, 10)),
            between(draw, 0, 0.45));
    put(draw, "shape = ");
    put_shape(draw, size);
    put(draw, "}\n");
}

static void put_joint(Draw* draw, int k, double size)
{
    static const char* const kinds[] = {"point", "line",  "plane",   "hinge", "slider",
                                        "weld",  "axial", "turning", "rod",   "span"};
    const int which = choose(draw, 10);
    put(draw, "joint.%s{name = 'j%d', a = 'b%d', b = '%s', ", kinds[which], k, k,
        choose(draw, 4) == 0 ? "ground"
        : k % 2 == 0         ? "b0"
                             : "b1");
    put_vector(draw, "point", 0.5 * size);
    if (which >= 8)
        put_vector(draw, "to", 0.5 * size);
    else if (which > 0 && which != 5)
        put(draw, "axis = {0, 0.6, 0.8}, ");
    if (which == 3 || which == 4 || which == 9) {
        const int extra = choose(draw, 5);
        if (extra == 1)
            put(draw, "limit = {%.9g, %.9g}, restitution = %.9g, ", between(draw, -3, 0),
                between(draw, 0, 3), between(draw, 0, 1));
        if (extra == 2)
            put(draw, "stiffness = %.9g, damping = %.9g, ", pow(10, between(draw, -1, 6)),
                between(draw, 0, 10));
        if (extra == 3)
            put(draw, "driven = true, speed = %.9g, ", between(draw, -5, 5));
        if (extra == 4)
            put(draw, "friction = %.9g, ", between(draw, 0, 10));
    }
    put(draw, "}\n");
}

static void put_scene(Draw* draw)
{
    static const char* const schemes[] = {"moreau",     "koziara",      "theta",
                                          "consistent", "decomposed",   "relaxed",
                                          "penalty",    "quasi-static", "event"};
    const double size = pow(10, between(draw, -3, 1)), step = pow(10, between(draw, -5, -1));
    const double friction = choose(draw, 3) == 0 ? 0 : between(draw, 0, 2);
    const double bounce = choose(draw, 3) != 0 ? 0 : between(draw, 0, 1);
    const char* scheme = schemes[choose(draw, 9)];
    const int bodies = 1 + choose(draw, MOST_BODIES);
    draw->gains = (bounce > 0 && friction > 0) || strcmp(scheme, "penalty") == 0 ||
                  strcmp(scheme, "quasi-static") == 0 || strcmp(scheme, "relaxed") == 0;
    put(draw, "gravity{0, 0, %.9g}\n", choose(draw, 4) == 0 ? 0.0 : -9.81);
    put(draw, "material{name = 'm', density = %.9g, friction = %.9g, restitution = %.9g}\n",
        pow(10, between(draw, 1, 4)), friction, bounce);
    put(draw, "floor{material = 'm'}\n");
    for (int k = 0; k < bodies; ++k) {
        put_body(draw, k, size);
        if (k > 1 && choose(draw, 3) == 0)
            put_joint(draw, k, size);
    }
    put(draw, "scheme '%s'\nrun{step = %.9g, duration = %.9g, project = true}\n", scheme, step,
        STEPS * step);
}

// a run may ask so often whether it shall go on: what takes longer is slow, not wrong
static bool enough(void* self)
{
    int* asked = self;
    return ++*asked > MOST_ASKED;
}

static void fail(const char* what, double value, const char* scene)
{
    fprintf(stderr, "%s: %.9g\n%s", what, value, scene);
    abort();
}

static void check_state(const SticSystem* system, const SticState* state, const Draw* draw)
{
    for (int32_t i = 0; i < system->layout.nq; ++i)
        if (!isfinite(state->q[i]))
            fail("a position is not finite after a good step", i, draw->text);
    for (int32_t i = 0; i < system->layout.nu; ++i)
        if (!isfinite(state->u[i]))
            fail("a velocity is not finite after a good step", i, draw->text);
}

// the works add up to the change of energy: an identity, but for rounding of its largest term
static void check_ledger(const SticLedger* ledger, const Draw* draw)
{
    double sum = -ledger->kinetic - ledger->potential, largest = 0.0;
    for (int32_t k = 0; k < STIC_LEDGER_TERMS; ++k)
        largest = fmax(largest, fabs(stic_ledger_term(ledger, k)));
    sum += ledger->applied + ledger->impact + ledger->friction + ledger->damping +
           ledger->constraint + ledger->prescribed + ledger->correction + ledger->integration;
    if (!(fabs(sum) <= 1e-9 * largest))
        fail("the ledger does not add up", sum, draw->text);
}

// what contacts, joints and the scheme put in, beside the energy that was there or went through
static void check_energy(const SticRunTotals* totals, const Draw* draw)
{
    const SticLedger* sum = &totals->ledger;
    const double gain =
        sum->impact + sum->friction + sum->damping + sum->constraint + sum->integration;
    const double exchanged = totals->largest.kinetic + totals->largest.potential +
                             totals->largest.applied + totals->largest.prescribed + totals->idle;
    if (!draw->gains && totals->unsolved == 0 && exchanged > NOTHING && !(gain <= 0.2 * exchanged))
        fail("energy from nowhere", gain / exchanged, draw->text);
}

static void run(const SticContext* given, const SticScene* scene, const Draw* draw)
{
    SticSimulation* simulation = NULL;
    SticError error = {0};
    int asked = 0;
    SticContext context = *given;
    context.interrupt = (SticInterrupt){.self = &asked, .asked = enough};
    const SticStatus made = stic_simulation_create(&context, scene, &simulation, &error);
    if (made != error.status || (made != STIC_OK && error.text[0] == '\0'))
        fail("refused without a sentence", made, draw->text);
    if (made != STIC_OK)
        return;
    SticRun* run = stic_simulation_run(simulation);
    for (int k = 0; k < STEPS; ++k) {
        SticStepInfo info = {0};
        const uint64_t before = stic_run_hash(run);
        const SticStatus status = stic_simulation_step(simulation, &info);
        if (status != info.error.status || (status != STIC_OK && info.error.text[0] == '\0'))
            fail("a step failed without a sentence", status, draw->text);
        if (status != STIC_OK && stic_run_hash(run) != before)
            fail("a step that failed changed the state", k, draw->text);
        if (status != STIC_OK)
            break;
        check_state(stic_simulation_system(simulation), stic_run_now(run), draw);
        check_ledger(&info.ledger, draw);
        check_energy(stic_run_totals(run), draw);
    }
    stic_simulation_destroy(simulation);
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    const SticContext context = stic_context_default();
    Draw draw = {.data = data, .size = size};
    put_scene(&draw);
    if (getenv("STICTION_FUZZ_SHOW") != NULL)
        fputs(draw.text, stderr);
    const SticText text = {.context = context, .bytes = draw.text, .size = draw.used};
    const SticSceneOptions options = stic_scene_default_options();
    SticScene* scene = NULL;
    SticError error = {0};
    if (stic_scene_parse(&context, &text, "world", &options, &scene, &error) == STIC_OK)
        run(&context, scene, &draw);
    else if (getenv("STICTION_FUZZ_SHOW") != NULL)
        fprintf(stderr, "%d: %s\n", error.line, error.text);
    stic_scene_destroy(scene);
    return 0;
}
