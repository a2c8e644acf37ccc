// SPDX-License-Identifier: Apache-2.0
// Every scheme with every one of its allocations failing in turn, and no allocation once warm.
#include "helpers/helpers.h"

#include <stdio.h>
#include <string.h>

#include "stiction/extend/run.h"

typedef struct Case {
    const char *scheme, *model;
    SticChart chart;
    double step;
    int steps;
} Case;

static const Case cases[] = {
    {"moreau", "woodpecker", STIC_CHART_LINEAR, 1e-4, 20},
    {"moreau", "tippe-top", STIC_CHART_QUATERNION, 1e-4, 20},
    {"koziara", "tippe-top", STIC_CHART_ROTATION, 1e-4, 20},
    {"koziara", "wheel", STIC_CHART_LINEAR, 1e-3, 20},
    {"consistent", "tippe-top", STIC_CHART_QUATERNION, 1e-4, 10},
    {"decomposed", "tippe-top", STIC_CHART_SCALABLE, 1e-4, 10},
    {"decomposed", "wheel", STIC_CHART_LINEAR, 1e-3, 10},
    {"relaxed", "point-mass", STIC_CHART_LINEAR, 1e-3, 5},
    {"event", "wheel", STIC_CHART_LINEAR, 1e-2, 5},
    {"quasi-static", "planar-block", STIC_CHART_LINEAR, 1e-2, 5},
};

typedef struct Made {
    SticSystem* system;
    SticRun* run;
} Made;

static SticStatus make(const SticContext* context, const Case* at, Made* made)
{
    const SticModel* model = stic_model_find(at->model, NULL);
    double parameters[64];
    SticRunParts def = stic_run_default_parts();
    memset(made, 0, sizeof *made);
    stic_fields_default(model->fields, parameters);
    STIC_TRY(model->create(context, parameters, at->chart, &made->system, NULL));
    def.system = made->system;
    def.scheme = stic_scheme_find(at->scheme, NULL);
    def.step = at->step;
    STIC_TRY(stic_run_assemble(context, &def, &made->run, NULL));
    model->start(parameters, at->chart, stic_run_state(made->run));
    return STIC_OK;
}

static void drop(Made* made)
{
    stic_run_destroy(made->run);
    stic_small_destroy(made->system);
}

static SticStatus run_case(const SticContext* context, void* self)
{
    const Case* at = self;
    Made made;
    SticStepInfo info;
    SticStatus status = make(context, at, &made);
    for (int k = 0; status == STIC_OK && k < at->steps; ++k)
        status = stic_run_step(made.run, &info);
    drop(&made);
    return status;
}

static void test_failing(void** state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        Case at = cases[i];
        const int64_t count = test_fail_every_allocation(run_case, &at);
        printf("%-12s %-12s survives each of %lld failures\n", at.scheme, at.model,
               (long long)count);
    }
}

// after a warm-up the same stretch of motion allocates nothing
static void test_warm(void** state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        TestMemory memory;
        const SticContext context = test_memory_context(&memory);
        Made made;
        SticStepInfo info;
        assert_int_equal(make(&context, &cases[i], &made), STIC_OK);
        for (int k = 0; k < 2 * cases[i].steps; ++k)
            assert_int_equal(stic_run_step(made.run, &info), STIC_OK);
        const int64_t calls = memory.calls;
        for (int k = 0; k < cases[i].steps; ++k)
            assert_int_equal(stic_run_step(made.run, &info), STIC_OK);
        printf("%-12s %-12s %lld allocations in %d warm steps\n", cases[i].scheme, cases[i].model,
               (long long)(memory.calls - calls), cases[i].steps);
        assert_int_equal(memory.calls, calls);
        drop(&made);
        test_memory_check(&memory);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_failing), cmocka_unit_test(test_warm)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
