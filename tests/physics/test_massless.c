// SPDX-License-Identifier: Apache-2.0
// Quasi-statics without masses (Acary and Cadoux 4.21, 4.28): a bar of two nodes on a rough floor,
// with and without damping, against its solution by hand.
#include "helpers/helpers.h"

#include <stdio.h>
#include <string.h>

#include "step/step.h"

/// A bar of stiffness k between two nodes, the first on a spring k0; weights press both on a floor.
typedef struct Bar {
    double k, k0, upright, weight[2], mu, c, amplitude;
} Bar;

static const Bar bar = {.k = 1000.0,
                        .k0 = 400.0,
                        .upright = 700.0,
                        .weight = {30.0, 20.0},
                        .mu = 0.4,
                        .c = 50.0,
                        .amplitude = 41.3};

// pull and push: sticking, sliding of one node and of both, and back
static double load_at(double t)
{
    return bar.amplitude * (t < 1.0 ? t : t < 3.0 ? 2.0 - t : t - 4.0);
}

static void add_forces(const void* self, double t, const double* q, const double* u, double* f)
{
    (void)self;
    (void)q;
    (void)u;
    f[1] = -bar.weight[0];
    f[2] = load_at(t);
    f[3] = -bar.weight[1];
}

static double potential(const void* self, int32_t term, const double* q, double* gradient,
                        double* hessian)
{
    (void)self;
    if (term == 2) {
        const double stretch = q[2] - q[0];
        const double slope[4] = {-bar.k * stretch, 0.0, bar.k * stretch, 0.0};
        if (gradient != NULL)
            memcpy(gradient, slope, sizeof slope);
        for (int c = 0; hessian != NULL && c < 16; ++c)
            hessian[c] = c / 4 % 2 == 0 && c % 2 == 0 ? (c / 8 == c % 4 / 2 ? bar.k : -bar.k) : 0.0;
        return 0.5 * bar.k * stretch * stretch;
    }
    const double *own = q + 2 * term, k[2] = {term == 0 ? bar.k0 : 0.0, bar.upright};
    for (int c = 0; c < 2; ++c) {
        if (gradient != NULL)
            gradient[c] = k[c] * own[c];
        if (hessian != NULL) {
            hessian[3 * c] = k[c];
            hessian[2 * c + 1 - c] = 0.0;
        }
    }
    return 0.5 * (k[0] * own[0] * own[0] + k[1] * own[1] * own[1]);
}

static void measure(const void* self, int32_t i, const SticState* state, uint32_t want,
                    const double* y, SticPointMeasures* out)
{
    (void)self;
    (void)want;
    (void)y;
    out->gap[0] = state->q[2 * i + 1];
    out->H[0][1] = out->G[0][1] = 1.0; // normal: upward
    out->H[0][2] = out->G[0][2] = 1.0; // tangent: along the bar
}

// dampers between the nodes and the floor, along the bar
static SticStatus damp(const SticSystem* system, const SticState* state, SticArena* arena,
                       SticTerms* terms)
{
    static const int32_t block[2][2] = {{0, -1}, {1, -1}};
    (void)system;
    (void)state;
    *terms = (SticTerms){.count = 2, .block = block};
    STIC_TRY(STIC_TAKE(arena, &terms->hessian, 8));
    for (int k = 0; k < 8; ++k)
        terms->hessian[k] = k % 4 == 0 ? -bar.c : 0.0;
    return STIC_OK;
}

/* ---- by hand ---- */

// all nine combinations of sticking, sliding to the right and to the left; one of them holds
static void solve_by_hand(double h, double c, double load, const double before[2], double x[2],
                          double r[2])
{
    int found = 0;
    for (int mode = 0; mode < 9; ++mode) {
        const int way[2] = {mode % 3 - 1, mode / 3 - 1};
        double A[2][2] = {{bar.k + bar.k0 + c / h, -bar.k}, {-bar.k, bar.k + c / h}};
        const double f[2] = {c / h * before[0], c / h * before[1] + load};
        double B[2][2], b[2], y[2], force[2];
        for (int i = 0; i < 2; ++i) {
            // a node that sticks: x = before; that slides: its friction is known
            for (int j = 0; j < 2; ++j)
                B[i][j] = way[i] == 0 ? (i == j ? 1.0 : 0.0) : A[i][j];
            b[i] = way[i] == 0 ? before[i] : f[i] - way[i] * bar.mu * bar.weight[i];
        }
        const double det = B[0][0] * B[1][1] - B[0][1] * B[1][0];
        y[0] = (b[0] * B[1][1] - B[0][1] * b[1]) / det;
        y[1] = (B[0][0] * b[1] - B[1][0] * b[0]) / det;
        bool holds = true;
        for (int i = 0; i < 2; ++i) {
            force[i] = A[i][0] * y[0] + A[i][1] * y[1] - f[i];
            holds = holds && (way[i] == 0 ? fabs(force[i]) <= bar.mu * bar.weight[i]
                                          : way[i] * (y[i] - before[i]) > 0.0);
        }
        if (!holds)
            continue;
        found += 1;
        memcpy(x, y, sizeof y);
        memcpy(r, force, sizeof force);
    }
    assert_int_equal(found, 1);
}

static void follow(const char* level, double c, double h)
{
    static const uint8_t chart[2] = {STIC_CHART_LINEAR, STIC_CHART_LINEAR};
    static const int32_t size[2] = {2, 2}, term_block[3][2] = {{0, -1}, {1, -1}, {0, 1}};
    double mass[8] = {1.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 1.0}, settings[64];
    SticInteraction contact[2];
    for (int i = 0; i < 2; ++i)
        contact[i] = (SticInteraction){.id = (uint64_t)i + 1,
                                       .law = STIC_LAW_CONE,
                                       .level = STIC_LEVEL_CONTACT,
                                       .rows = 2,
                                       .block = {i, -1},
                                       .bound_of = -1,
                                       .coef = {bar.mu}};
    const SticSmallDef def = {.name = "bar",
                              .offers = STIC_OFFERS_CONSTANT_MASS | STIC_OFFERS_POTENTIAL |
                                        STIC_OFFERS_HESSIAN | STIC_OFFERS_OPEN_GAPS |
                                        STIC_OFFERS_SCLERONOMIC,
                              .blocks = 2,
                              .chart = chart,
                              .size = size,
                              .mass = mass,
                              .force = add_forces,
                              .terms = 3,
                              .term_block = term_block,
                              .potential = potential,
                              .interactions = 2,
                              .interaction = contact,
                              .measure = measure};
    const SticContext context = stic_context_default();
    const SticScheme* scheme = stic_scheme_find("quasi-static", NULL);
    SticSystem* made = NULL;
    SticStepper* stepper = NULL;
    SticState *now = NULL, *next = NULL;
    SticStepInfo info;
    SticError error;
    assert_int_equal(stic_small_create(&context, &def, &made, &error), STIC_OK);
    SticSystemOps ops = *made->ops;
    SticSystem system = *made;
    ops.tangent = c > 0.0 ? damp : NULL;
    system.ops = &ops;
    assert_int_equal(stic_stepper_create(&context, scheme, &stepper), STIC_OK);
    stic_fields_default(scheme->fields, settings);
    assert_int_equal(stic_fields_set(scheme->fields, settings, "inertia", "none", &error), STIC_OK);
    assert_int_equal(stic_fields_set(scheme->fields, settings, "level", level, &error), STIC_OK);
    // what rests on the floor is 1e-18 m above or below it
    assert_int_equal(stic_fields_set(scheme->fields, settings, "reach", "1e-9", &error), STIC_OK);
    stepper->settings = settings;
    stepper->solve.settings.tolerance = 1e-14;
    assert_int_equal(stic_state_create(&context, &system.layout, &now), STIC_OK);
    assert_int_equal(stic_state_create(&context, &system.layout, &next), STIC_OK);
    double worst[2] = {0.0, 0.0}, before[2] = {0.0, 0.0}, most = 0.0;
    const int steps = (int)(4.0 / h + 0.5);
    for (int n = 1; n <= steps; ++n) {
        double x[2] = {0.0, 0.0}, r[2] = {0.0, 0.0};
        const double t = n * h;
        if (stic_step(stepper, &system, now, t, next, &info) != STIC_OK)
            fail_msg("%s", info.error.text);
        solve_by_hand(h, c, load_at(t), before, x, r);
        for (int i = 0; i < 2; ++i) {
            const SticMemoryRecord* record = stic_memory_find(next->memory, (uint64_t)i + 1);
            worst[0] = fmax(worst[0], fabs(next->q[2 * i] - x[i]));
            worst[1] = fmax(worst[1], fabs(record->reaction[1] / h - r[i]));
            worst[1] = fmax(worst[1], fabs(record->reaction[0] / h - bar.weight[i]));
            most = fmax(most, fabs(x[i]));
        }
        memcpy(before, x, sizeof x);
        SticState* old = now;
        now = next;
        next = old;
    }
    printf("bar of two nodes, %s level, c = %g, %d steps: displacements off by %.1e of %.3g m, "
           "reactions by %.1e N\n",
           level, c, steps, worst[0], most, worst[1]);
    test_less(worst[0], 1e-12);
    test_less(worst[1], 1e-12 * bar.weight[0] * 10.0);
    stic_state_destroy(now, &system.layout);
    stic_state_destroy(next, &system.layout);
    stic_stepper_destroy(stepper);
    stic_small_destroy(made);
}

static void bar_by_hand(void** state)
{
    (void)state;
    for (int k = 0; k < 2; ++k) {
        const char* level = k == 0 ? "position" : "velocity";
        follow(level, 0.0, 0.1);
        follow(level, bar.c, 0.1);
        follow(level, bar.c, 0.01);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(bar_by_hand)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
