// SPDX-License-Identifier: Apache-2.0
// Runs: policies on unsolved steps, failed steps that leave the state untouched, snapshots, the
// energy ledger.
#include "helpers/helpers.h"
#include "physics/run.h"
#include "stiction/extend/extend.h"
#include "stiction/extend/run.h"

/* ---- a bead on a floor whose force can go wrong ---- */

typedef struct Bead {
    const double* bad_after; // force, or gap, is not a number from this time on
    bool gap;
} Bead;

static void bead_force(const void* self, double t, const double* q, const double* u, double* f)
{
    const Bead* bead = self;
    (void)q;
    (void)u;
    f[0] = 0.3;
    f[1] = !bead->gap && t > *bead->bad_after ? NAN : -9.81;
}

static void bead_measure(const void* self, int32_t i, const SticState* state, uint32_t want,
                         const double* y, SticPointMeasures* out)
{
    const Bead* bead = self;
    (void)i;
    (void)want;
    (void)y;
    out->gap[0] = bead->gap && state->t > *bead->bad_after ? NAN : state->q[1];
    out->H[0][1] = out->H[0][2] = 1.0;
}

static SticSystem* create_bead(const SticContext* context, const double* bad_after, bool gap)
{
    static const uint8_t chart[] = {STIC_CHART_LINEAR};
    static const int32_t size[] = {2};
    static const double mass[] = {1.0, 0.0, 0.0, 1.0};
    static const SticInteraction contact = {.id = 7,
                                            .law = STIC_LAW_CONE,
                                            .level = STIC_LEVEL_CONTACT,
                                            .rows = 2,
                                            .block = {0, -1},
                                            .bound_of = -1,
                                            .coef = {0.5}};
    const Bead bead = {bad_after, gap};
    const SticSmallDef def = {.name = "bead",
                              .offers = STIC_OFFERS_CONSTANT_MASS,
                              .blocks = 1,
                              .chart = chart,
                              .size = size,
                              .mass = mass,
                              .force = bead_force,
                              .interactions = 1,
                              .interaction = &contact,
                              .measure = bead_measure,
                              .self = &bead,
                              .self_size = sizeof bead};
    SticSystem* system = NULL;
    assert_int_equal(stic_small_create(context, &def, &system, NULL), STIC_OK);
    return system;
}

static SticRun* start(const SticContext* context, const SticRunParts* def)
{
    SticRun* run = NULL;
    SticError error = {0};
    const SticStatus status = stic_run_assemble(context, def, &run, &error);
    if (status != STIC_OK)
        fail_msg("%s", error.text);
    return run;
}

// a force or a gap that is not a number: the step fails, the state keeps its bits, and the run goes
// on when that is mended; a gap that is neither open nor closed is no open one
static void check_not_finite(const char* scheme, bool gap)
{
    const SticContext context = stic_context_default();
    // inside of the sixth step; a gap is looked at half a step ahead
    double bad_after = gap ? 0.056 : 0.05;
    SticSystem* system = create_bead(&context, &bad_after, gap);
    SticRunParts def = stic_run_default_parts();
    def.system = system;
    def.scheme = stic_scheme_find(scheme, NULL);
    def.step = 0.01;
    SticRun* run = start(&context, &def);
    SticStepInfo info;
    stic_run_state(run)->q[1] = 0.01;
    for (int k = 0; k < 5; ++k)
        assert_int_equal(stic_run_step(run, &info), STIC_OK);
    const uint64_t hash = stic_run_hash(run);
    const SticRunTotals totals = *stic_run_totals(run);
    for (int k = 0; k < 3; ++k) {
        assert_int_equal(stic_run_step(run, &info), STIC_NOT_FINITE);
        assert_true(info.error.text[0] != '\0');
        test_equal(stic_run_hash(run), hash);
        assert_memory_equal(&totals, stic_run_totals(run), sizeof totals);
    }
    printf("refused: %s\n", info.error.text);
    bad_after = 1e9;
    assert_int_equal(stic_run_step(run, &info), STIC_OK);
    test_less(fabs(stic_run_state(run)->t - 0.06), 1e-15);
    stic_run_destroy(run);
    stic_small_destroy(system);
}

static void test_not_finite(void** state)
{
    (void)state;
    check_not_finite("moreau", false);
    check_not_finite("moreau", true);
    check_not_finite("theta", true);
    check_not_finite("koziara", true);
}

/* ---- policies ---- */

static SticSystem* create_model(const SticContext* context, const char* name, double* parameters)
{
    const SticModel* model = stic_model_find(name, NULL);
    SticSystem* system = NULL;
    stic_fields_default(model->fields, parameters);
    assert_int_equal(model->create(context, parameters, STIC_CHART_QUATERNION, &system, NULL),
                     STIC_OK);
    return system;
}

static void write_start(const char* name, const double* parameters, SticRun* run)
{
    stic_model_find(name, NULL)->start(parameters, STIC_CHART_QUATERNION, stic_run_state(run));
}

// one sweep is not enough for the clutch: STOP leaves the state, RETRY finds a solver that can,
// CONTINUE counts
static void test_policies(void** state)
{
    (void)state;
    const SticContext context = stic_context_default();
    double parameters[64];
    SticSystem* system = create_model(&context, "sprag-clutch", parameters);
    SticRunParts def = stic_run_default_parts();
    def.system = system;
    def.scheme = stic_scheme_find("moreau", NULL);
    def.step = 1e-3;
    def.solve.tolerance = 1e-8;
    def.solve.max_iterations = 1;
    static const SticPolicy policies[] = {STIC_POLICY_STOP, STIC_POLICY_HALVE,
                                          STIC_POLICY_CONTINUE};
    for (int i = 0; i < 3; ++i) {
        def.policy = policies[i];
        def.max_halvings = 2;
        SticRun* run = start(&context, &def);
        SticStepInfo info;
        write_start("sprag-clutch", parameters, run);
        const uint64_t hash = stic_run_hash(run);
        const SticStatus status = stic_run_step(run, &info);
        if (policies[i] == STIC_POLICY_CONTINUE) {
            assert_int_equal(status, STIC_OK);
            assert_int_equal(stic_run_totals(run)->unsolved, 1);
            test_greater(stic_run_totals(run)->worst_error, def.solve.tolerance);
        } else {
            assert_int_equal(status, STIC_STEP_FAILED);
            test_equal(stic_run_hash(run), hash);
            assert_int_equal(stic_run_totals(run)->steps, 0);
            printf("policy %d: %s\n", policies[i], info.error.text);
        }
        stic_run_destroy(run);
    }
    // a refusal when the run is made, not later
    SticRun* run = NULL;
    SticError error = {0};
    def.policy = STIC_POLICY_RETRY;
    assert_int_equal(stic_run_assemble(&context, &def, &run, &error), STIC_BAD_ARGUMENT);
    assert_null(run);
    // nsgs needs 26 sweeps, the second solver 3 iterations
    def.second = stic_solver_find("gamma-prox", NULL);
    def.solve.max_iterations = 10;
    run = start(&context, &def);
    SticStepInfo info;
    write_start("sprag-clutch", parameters, run);
    assert_int_equal(stic_run_step(run, &info), STIC_OK);
    assert_string_equal(info.solve.method, "gamma-prox");
    assert_int_equal(stic_run_totals(run)->retried, 1);
    test_less(fabs(stic_run_state(run)->u[1] - 2.0), 1e-7);
    stic_run_destroy(run);
    stic_small_destroy(system);
}

// settings of a solver that gives up where the caller has another way, and what it was asked
typedef struct Shy {
    int declines; // so many times
    int asked;
    bool brief[16];
} Shy;

// projected steps of the one contact
static SticStatus project(SticSolveTask* task, const SticTaskView* view)
{
    const SticProblem* problem = view->problem;
    SticOperator* op = NULL;
    STIC_TRY(stic_task_operator(task, STIC_FORM_AUTO, &op));
    do {
        double rho[3], u[2], next[2];
        const SticLawBlock law = {(SticLaw)problem->law[0], 2, problem->coef[0],
                                  stic_problem_bound(problem, 0, view->r)};
        stic_operator_apply(op, view->r, u);
        stic_law_rho(law.law, 2, stic_operator_diagonal(op, 0), rho);
        stic_law_step(&law, rho, u, view->r, next);
        memcpy(view->r, next, sizeof next);
    } while (stic_task_next(task, view->r, 1.0, -1.0));
    return STIC_OK;
}

static SticStatus run_shy(SticSolveTask* task)
{
    const SticTaskView view = stic_task_view(task);
    Shy* shy = *(Shy* const*)view.method;
    test_less(shy->asked, 16);
    shy->brief[shy->asked++] = view.brief;
    if (view.brief && shy->declines-- > 0) {
        stic_task_stop(task, STIC_OUTCOME_ITERATION_LIMIT);
        return STIC_OK;
    }
    return project(task, &view);
}

// a step that is dear is made in halves, the dear ones of these in quarters, which are solved
// whatever they cost; the motion is that of a run with shorter steps
static void test_dear(void** state)
{
    static const char* const asked[] = {"b", "bb", "bbn"};
    static const int declines[] = {0, 1, 16};
    (void)state;
    const SticContext context = stic_context_default();
    const double never = INFINITY;
    for (int i = 0; i < 3; ++i) {
        Shy shy = {.declines = declines[i]};
        Shy* const settings = &shy;
        const SticSolver solver = {"shy",       "gives up", STIC_LAW_ALL, 0,
                                   STIC_STRICT, NULL,       run_shy,      false};
        SticSystem* system = create_bead(&context, &never, false);
        SticRunParts def = stic_run_default_parts();
        SticStepInfo info;
        def.system = system;
        def.scheme = stic_scheme_find("moreau", NULL);
        def.solver = &solver;
        def.solver_settings = &settings;
        def.step = 1e-2;
        SticRun *run = start(&context, &def), *fine = NULL;
        assert_int_equal(stic_run_step(run, &info), STIC_OK);
        assert_int_equal(info.solve.outcome, STIC_OUTCOME_SOLVED);
        assert_int_equal(info.substeps, 1 << i);
        assert_int_equal(stic_run_totals(run)->halved, i > 0);
        // parts after the first begin with reactions that solve them
        test_at_least(shy.asked, (double)strlen(asked[i]));
        for (int k = 0; asked[i][k] != 0; ++k)
            assert_int_equal(shy.brief[k], asked[i][k] == 'b');
        shy = (Shy){.declines = 0};
        def.step = 1e-2 / (1 << i);
        fine = start(&context, &def);
        for (int k = 0; k < 1 << i; ++k)
            assert_int_equal(stic_run_step(fine, &info), STIC_OK);
        test_near(stic_run_state(run)->u[0], stic_run_state(fine)->u[0], 1e-15);
        test_near(stic_run_state(run)->q[1], stic_run_state(fine)->q[1], 1e-15);
        stic_run_destroy(run);
        stic_run_destroy(fine);
        stic_small_destroy(system);
    }
}

typedef struct Intervals {
    double begin[16], end[16];
    int count;
} Intervals;

static SticStatus note_interval(void* self, double begin, double end, SticError* error)
{
    Intervals* seen = self;
    (void)error;
    test_less(seen->count, 16);
    seen->begin[seen->count] = begin;
    seen->end[seen->count++] = end;
    return STIC_OK;
}

// loads are set for the whole step, once though the energy of the start asks for them too, and for
// every part of a split one
static void test_loads(void** state)
{
    (void)state;
    const SticContext context = stic_context_default();
    double parameters[64];
    SticSystem* system = create_model(&context, "sprag-clutch", parameters);
    Intervals seen = {.count = 0};
    SticRunParts def = stic_run_default_parts();
    def.system = system;
    def.scheme = stic_scheme_find("moreau", NULL);
    def.step = 1e-3;
    def.solve.tolerance = 1e-8;
    def.solve.max_iterations = 1;
    def.policy = STIC_POLICY_HALVE;
    def.max_halvings = 2;
    def.loads = (SticLoads){.set = note_interval, .self = &seen};
    SticRun* run = start(&context, &def);
    SticStepInfo info;
    write_start("sprag-clutch", parameters, run);
    assert_int_equal(stic_run_step(run, &info), STIC_STEP_FAILED);
    const double length[] = {1e-3, 5e-4, 2.5e-4};
    assert_int_equal(seen.count, 3);
    for (int k = 0; k < 3; ++k) {
        printf("loads from %g to %g\n", seen.begin[k], seen.end[k]);
        test_equal(seen.begin[k], 0.0);
        test_near(seen.end[k], length[k], 1e-15);
    }
    stic_run_destroy(run);
    stic_small_destroy(system);
}

/* ---- snapshots ---- */

static void test_snapshot(void** state)
{
    (void)state;
    const SticContext context = stic_context_default();
    double parameters[64];
    SticSystem* system = create_model(&context, "woodpecker", parameters);
    SticRunParts def = stic_run_default_parts();
    def.system = system;
    def.scheme = stic_scheme_find("moreau", NULL);
    def.step = 1e-4;
    SticRun *whole = start(&context, &def), *resumed = start(&context, &def);
    SticArena* arena = NULL;
    SticStepInfo info;
    const void* bytes = NULL;
    size_t count = 0;
    assert_int_equal(stic_arena_create(&context, 0, &arena), STIC_OK);
    write_start("woodpecker", parameters, whole);
    for (int k = 0; k < 2000; ++k) {
        if (k == 777)
            assert_int_equal(stic_run_save(whole, arena, &bytes, &count), STIC_OK);
        assert_int_equal(stic_run_step(whole, &info), STIC_OK);
    }
    assert_int_equal(stic_run_load(resumed, bytes, count, NULL), STIC_OK);
    for (int k = 777; k < 2000; ++k)
        assert_int_equal(stic_run_step(resumed, &info), STIC_OK);
    test_equal(stic_run_hash(whole), stic_run_hash(resumed));
    assert_memory_equal(stic_run_totals(whole), stic_run_totals(resumed), sizeof(SticRunTotals));

    // damaged, cut or foreign bytes are refused and change nothing
    const uint64_t hash = stic_run_hash(resumed);
    unsigned char* copy = NULL;
    SticError error = {0};
    assert_int_equal(STIC_TAKE(arena, &copy, count), STIC_OK);
    memcpy(copy, bytes, count);
    copy[count / 2] ^= 1;
    assert_int_equal(stic_run_load(resumed, copy, count, &error), STIC_BAD_DATA);
    assert_int_equal(stic_run_load(resumed, bytes, count - 1, &error), STIC_BAD_DATA);
    assert_int_equal(stic_run_load(resumed, bytes, 3, &error), STIC_BAD_DATA);
    test_equal(stic_run_hash(resumed), hash);
    stic_arena_destroy(arena);
    stic_run_destroy(whole);
    stic_run_destroy(resumed);
    stic_small_destroy(system);
}

/* ---- ledger ---- */

static SticLedger ledger_of(const char* model, const char* scheme, const char* parameters, double t,
                            double h, double* exchanged)
{
    TestRun run;
    SticError error = {0};
    SticLedger sum = {0};
    assert_int_equal(test_run_open(&run, model, scheme, parameters, "", &error), STIC_OK);
    run.stepper->solve.settings.tolerance = 1e-12;
    *exchanged = 0.0;
    for (long k = 1; k <= lround(t / h); ++k) {
        assert_int_equal(test_run_step(&run, (double)k * h), STIC_OK);
        const SticLedger* l = &run.info.ledger;
        sum.integration += l->integration;
        sum.impact += l->impact;
        sum.friction += l->friction;
        sum.constraint += l->constraint;
        sum.applied += l->applied;
        *exchanged += fabs(l->kinetic) + fabs(l->potential) + fabs(l->impact) + fabs(l->friction);
    }
    test_run_close(&run);
    return sum;
}

// the consistent schemes have no integration error: the ledger closes to 1e-10 of the energy
// exchanged
static void test_ledger_closes(void** state)
{
    static const char* const cases[][2] = {{"woodpecker", "decomposed"},
                                           {"woodpecker", "consistent"},
                                           {"double-pendulum", "decomposed"},
                                           {"oscillator", "decomposed"},
                                           {"tippe-top", "consistent"}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        double exchanged = 0.0;
        const SticLedger sum =
            ledger_of(cases[i][0], cases[i][1], "", 0.1, i == 2 ? 1e-2 : 1e-4, &exchanged);
        printf("%-16s %-11s exchanged %.4g J, impact %.3g, friction %.3g, constraint %.2g, "
               "integration %.2g J\n",
               cases[i][0], cases[i][1], exchanged, sum.impact, sum.friction, sum.constraint,
               sum.integration);
        test_at_most(fabs(sum.integration), 1e-10 * exchanged);
        test_at_most(sum.friction, 1e-15);
        test_at_most(sum.impact, 1e-15);
    }
}

// Moreau's rule: the integration error of a swinging pendulum falls with the square of the step
static void test_ledger_order(void** state)
{
    (void)state;
    double exchanged = 0.0;
    const double coarse =
        ledger_of("pendulum-angle", "moreau", "", 0.7, 1.0 / 500, &exchanged).integration;
    const double fine =
        ledger_of("pendulum-angle", "moreau", "", 0.7, 1.0 / 1000, &exchanged).integration;
    printf("pendulum-angle moreau: integration error %.3g and %.3g J, ratio %.3f\n", coarse, fine,
           coarse / fine);
    test_less(fabs(coarse / fine - 4.0), 0.1);
}

// applied work: a block pushed by 8 cos t against friction; works add up to the kinetic energy
static void test_ledger_applied(void** state)
{
    (void)state;
    double exchanged = 0.0;
    const SticLedger sum = ledger_of("point-mass", "moreau", "friction=0.8 force=8 frequency=1",
                                     1.0, 1e-3, &exchanged);
    // first slip: x = 0.004348570 m, friction force 7.848 N
    printf("stick-slip: applied %.7f J, friction %.7f J (exact -%.7f)\n", sum.applied, sum.friction,
           7.848 * 0.004348570);
    test_less(fabs(sum.friction + 7.848 * 0.004348570), 1e-4);
    test_less(fabs(sum.applied + sum.friction), 1e-7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_not_finite),   cmocka_unit_test(test_policies),
        cmocka_unit_test(test_dear),         cmocka_unit_test(test_loads),
        cmocka_unit_test(test_snapshot),     cmocka_unit_test(test_ledger_closes),
        cmocka_unit_test(test_ledger_order), cmocka_unit_test(test_ledger_applied),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
