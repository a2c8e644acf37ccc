// SPDX-License-Identifier: Apache-2.0
// Contacts and joints of points, pseudo-rigid and prescribed bodies against differences: gradients,
// rates of gaps, biases, for every kernel; bad definitions.
#include "helpers/world.h"

#include "math/math.h"
#include "stiction/extend/joint.h"
#include "world/contact.h"
#include "world/world.h"

// a motion with all its rates; the rotation is about a fixed axis
static void swing(const void* self, double t, SticBodyMotion* at)
{
    (void)self;
    const SticVec3 axis = stic_vec3_normalize(stic_vec3(1.0, -2.0, 0.5));
    const double angle = 0.3 * t + 0.2 * sin(2.0 * t);
    at->position = stic_vec3(0.1 * sin(t), 0.2 * t * t, 0.3 * cos(2.0 * t));
    at->velocity = stic_vec3(0.1 * cos(t), 0.4 * t, -0.6 * sin(2.0 * t));
    at->acceleration = stic_vec3(-0.1 * sin(t), 0.4, -1.2 * cos(2.0 * t));
    at->orientation = test_turn(axis, angle);
    at->angular_velocity = stic_vec3_scale(0.3 + 0.4 * cos(2.0 * t), axis);
    at->angular_acceleration = stic_vec3_scale(-0.8 * sin(2.0 * t), axis);
}

static SticBodyId add_body(TestWorld* tw, int32_t kind, double place)
{
    SticBodyDef def = stic_body_default_def();
    def.kind = kind;
    def.position = stic_vec3(place, 0.3 * place, -place);
    def.elastic = (SticElastic){1e6, 0.3};
    def.motion = swing;
    return test_world_add(tw, &def, test_world_box(tw, 0.3, 0.2, 0.1), (SticMaterialId){0, 0});
}

// a state in which everything moves and is deformed
static void disturb(const SticSystem* system, SticRandom* random, SticState* state)
{
    const SticLayout* layout = &system->layout;
    for (int32_t i = 0; i < layout->blocks; ++i) {
        const int32_t n = layout->u_at[i + 1] - layout->u_at[i];
        double* q = state->q + layout->q_at[i];
        for (int32_t c = 0; c < n; ++c)
            state->u[layout->u_at[i] + c] = stic_random_range(random, -1.0, 1.0);
        if (layout->chart[i] == STIC_CHART_LINEAR) {
            for (int32_t c = 0; c < n; ++c)
                q[c] += stic_random_range(random, -0.2, 0.2);
        } else if (layout->chart[i] == STIC_CHART_QUATERNION) {
            stic_quat_store(stic_quat_normalize(stic_quat(1.0, test_random_vec3(random, 1.0))),
                            q + 3);
        } else {
            stic_mat3_store(stic_rotation_exp(test_random_vec3(random, 1.0)), q + 3);
        }
    }
    state->t = 0.7;
}

typedef struct Values {
    double gap[6], chi[6], bias[6], relative[6], G[2][6 * 12], H[2][6 * 12];
} Values;

static void measure(const SticSystem* system, const SticSet* set, const SticState* state,
                    SticArena* arena, Values* out)
{
    const SticLayout* layout = &system->layout;
    SticPattern u_pattern, q_pattern;
    double H[2 * 6 * 12], G[2 * 6 * 12];
    assert_int_equal(stic_pattern_create(arena, set, layout, layout->u_at, &u_pattern), STIC_OK);
    assert_int_equal(stic_pattern_create(arena, set, layout, layout->q_at, &q_pattern), STIC_OK);
    SticMeasures measures = {.want = STIC_WANT_GAP | STIC_WANT_CHI | STIC_WANT_BIAS | STIC_WANT_H |
                                     STIC_WANT_G,
                             .gap = out->gap,
                             .chi = out->chi,
                             .bias = out->bias,
                             .H = H,
                             .G = G,
                             .u_pattern = &u_pattern,
                             .q_pattern = &q_pattern};
    assert_int_equal(system->ops->measure(system, set, state, &measures), STIC_OK);
    for (int row = 0; row < set->rows; ++row)
        out->relative[row] = out->chi[row];
    for (int k = 0; k < 2; ++k) {
        const int32_t block = set->interaction[0].block[k];
        if (block < 0)
            continue;
        const int32_t n = layout->u_at[block + 1] - layout->u_at[block];
        const int32_t nq = layout->q_at[block + 1] - layout->q_at[block];
        memcpy(out->H[k], H + u_pattern.at[0][k], (size_t)(n * set->rows) * sizeof(double));
        memcpy(out->G[k], G + q_pattern.at[0][k], (size_t)(nq * set->rows) * sizeof(double));
        for (int row = 0; row < set->rows; ++row)
            for (int32_t c = 0; c < n; ++c)
                out->relative[row] += out->H[k][row * n + c] * state->u[layout->u_at[block] + c];
    }
}

typedef struct Errors {
    double gradient, rate, bias;
} Errors;

static void keep_worst(Errors* worst, const Errors* e)
{
    worst->gradient = test_worse(worst->gradient, e->gradient);
    worst->rate = test_worse(worst->rate, e->rate);
    worst->bias = test_worse(worst->bias, e->bias);
}

// rows that have a gap: their gradients and rates; all rows: their biases
static Errors compare(const SticSystem* system, const SticSet* set, SticState* state,
                      SticState* moved, SticArena* arena, int gaps)
{
    const SticLayout* layout = &system->layout;
    const double step = 1e-6;
    Values at, plus, minus;
    Errors errors = {0};
    assert_int_equal(stic_state_copy(layout, state, moved), STIC_OK);
    measure(system, set, state, arena, &at);
    for (int k = 0; k < 2; ++k) {
        const int32_t block = set->interaction[0].block[k];
        const int32_t nq = block < 0 ? 0 : layout->q_at[block + 1] - layout->q_at[block];
        for (int32_t c = 0; c < nq; ++c) {
            double* q = moved->q + layout->q_at[block] + c;
            *q = state->q[layout->q_at[block] + c] + step;
            measure(system, set, moved, arena, &plus);
            *q -= 2.0 * step;
            measure(system, set, moved, arena, &minus);
            *q = state->q[layout->q_at[block] + c];
            for (int row = 0; row < gaps; ++row)
                errors.gradient = test_worse(
                    errors.gradient,
                    fabs((plus.gap[row] - minus.gap[row]) / (2.0 * step) - at.G[k][row * nq + c]));
        }
    }
    // along the motion, with the time
    double qdot[24];
    stic_system_rate(system, state, qdot);
    Values* ends[2] = {&plus, &minus};
    for (int k = 0; k < 2; ++k) {
        const double h = k == 0 ? step : -step;
        for (int32_t i = 0; i < layout->blocks; ++i)
            stic_chart_drift((SticChart)layout->chart[i], layout->u_at[i + 1] - layout->u_at[i],
                             state->q + layout->q_at[i], state->u + layout->u_at[i], h,
                             moved->q + layout->q_at[i]);
        moved->t = state->t + h;
        measure(system, set, moved, arena, ends[k]);
    }
    for (int row = 0; row < set->rows; ++row) {
        if (row < gaps)
            errors.rate =
                test_worse(errors.rate, fabs((plus.gap[row] - minus.gap[row]) / (2.0 * step) -
                                             at.relative[row]));
        errors.bias =
            test_worse(errors.bias, fabs((plus.relative[row] - minus.relative[row]) / (2.0 * step) -
                                         at.bias[row]) /
                                        (1.0 + fabs(at.bias[row])));
    }
    return errors;
}

static void make_local(SticContactKernel kernel, SticRandom* random, double local[12])
{
    for (int k = 0; k < 4; ++k) {
        SticVec3 v = test_random_vec3(random, 0.5);
        const bool unit =
            ((kernel == STIC_CONTACT_PLANE || kernel == STIC_CONTACT_ROUND_EDGE) && k == 2) ||
            (kernel == STIC_CONTACT_EDGE_EDGE && k % 2 == 1);
        if (unit)
            v = stic_vec3_normalize(v);
        stic_vec3_store(v, local + 3 * k);
    }
    if (kernel == STIC_CONTACT_PLANE)
        local[9] = 0.0;
    if (kernel == STIC_CONTACT_ROUND_EDGE)
        local[9] = 0.07;
    if (kernel == STIC_CONTACT_ROUND)
        local[6] = 0.07;
}

static const char* const kind_names[] = {"rigid", "fixed", "prescribed", "point", "pseudo-rigid"};

static Errors contact_errors(int32_t first, int32_t second, SticChart chart,
                             SticContactKernel kernel, SticLaw law)
{
    TestWorld tw;
    SticRandom random = stic_random_create(7);
    SticArena* arena = NULL;
    SticState *state = NULL, *moved = NULL;
    Errors worst = {0};
    test_world_open(&tw, NULL, NULL);
    const SticBodyId body[2] = {add_body(&tw, first, 1.0), add_body(&tw, second, -1.0)};
    test_world_system(&tw, chart);
    assert_int_equal(stic_arena_create(&tw.context, 0, &arena), STIC_OK);
    assert_int_equal(stic_state_create(&tw.context, &tw.system->layout, &state), STIC_OK);
    assert_int_equal(stic_state_create(&tw.context, &tw.system->layout, &moved), STIC_OK);
    for (int n = 0; n < 20; ++n) {
        SticInteraction interaction = {.id = 1,
                                       .law = (uint8_t)law,
                                       .level = STIC_LEVEL_CONTACT,
                                       .rows = law == STIC_LAW_ROLLING ? 5 : 3,
                                       .kernel = (uint8_t)kernel,
                                       .bound_of = -1};
        double local[1][12];
        const int32_t row_at[2] = {0, interaction.rows};
        for (int k = 0; k < 2; ++k)
            interaction.block[k] = stic_view_of(tw.system)->block_of[body[k].index];
        make_local(kernel, &random, local[0]);
        const SticSet set = {.count = 1,
                             .rows = interaction.rows,
                             .interaction = &interaction,
                             .row_at = row_at,
                             .local = (const double(*)[12])local};
        stic_world_start(tw.world, tw.system, state);
        disturb(tw.system, &random, state);
        const Errors e = compare(tw.system, &set, state, moved, arena, 1);
        keep_worst(&worst, &e);
        assert_int_equal(stic_arena_reset(arena), STIC_OK);
    }
    stic_state_destroy(state, &tw.system->layout);
    stic_state_destroy(moved, &tw.system->layout);
    stic_arena_destroy(arena);
    test_world_close(&tw);
    return worst;
}

static void contacts(void** state)
{
    (void)state;
    static const int32_t pairs[][2] = {
        {STIC_BODY_POINT, STIC_BODY_RIGID},
        {STIC_BODY_PSEUDO_RIGID, STIC_BODY_RIGID},
        {STIC_BODY_RIGID, STIC_BODY_PSEUDO_RIGID},
        {STIC_BODY_PSEUDO_RIGID, STIC_BODY_PSEUDO_RIGID},
        {STIC_BODY_RIGID, STIC_BODY_PRESCRIBED},
        {STIC_BODY_PRESCRIBED, STIC_BODY_RIGID},
        {STIC_BODY_PSEUDO_RIGID, STIC_BODY_PRESCRIBED},
        {STIC_BODY_POINT, STIC_BODY_PRESCRIBED},
        {STIC_BODY_PRESCRIBED, STIC_BODY_POINT},
    };
    for (size_t p = 0; p < sizeof pairs / sizeof pairs[0]; ++p) {
        Errors worst = {0};
        for (int kernel = 0; kernel < STIC_CONTACT_KERNEL_COUNT; ++kernel)
            for (int chart = STIC_CHART_ROTATION; chart <= STIC_CHART_QUATERNION; ++chart)
                for (int law = 0; law < 2; ++law) {
                    const Errors e = contact_errors(pairs[p][0], pairs[p][1], (SticChart)chart,
                                                    (SticContactKernel)kernel,
                                                    law == 0 ? STIC_LAW_CONE : STIC_LAW_ROLLING);
                    keep_worst(&worst, &e);
                }
        printf("%-12s on %-12s gradient %.1e, rate of the gap %.1e, bias %.1e\n",
               kind_names[pairs[p][0]], kind_names[pairs[p][1]], worst.gradient, worst.rate,
               worst.bias);
        // central differences of 1e-6: rounding 1e-10, and third derivatives times 1e-12, which
        // nearly parallel edges make large
        test_less(worst.gradient, 1e-7);
        test_less(worst.rate, 1e-7);
        test_less(worst.bias, 1e-6);
    }
}

static Errors joint_errors(int32_t first, int32_t second, SticChart chart, int32_t kind)
{
    TestWorld tw;
    SticRandom random = stic_random_create(11);
    SticArena* arena = NULL;
    SticState *state = NULL, *moved = NULL;
    Errors worst = {0};
    test_world_open(&tw, NULL, NULL);
    SticJointDef def = stic_joint_default_def();
    def.kind = kind;
    def.body[0] = add_body(&tw, first, 0.4);
    def.body[1] = add_body(&tw, second, -0.4);
    TEST_TRY(&tw, stic_joint_place(tw.world, stic_vec3(0.1, 0.2, 0.3), stic_vec3(1.0, 0.5, 0.2),
                                   &def, &tw.error));
    if (kind == STIC_JOINT_ROD || kind == STIC_JOINT_SPAN)
        def.frame[0].point.x += 0.5;
    def.driven = stic_joint_kind_coordinate((SticJointKind)kind) != STIC_JOINT_NO_COORDINATE;
    if (def.driven)
        def.drive = (SticDrive){.speed = 0.3, .amplitude = 0.2, .frequency = 3.0};
    // nobody needs to keep an id
    TEST_TRY(&tw, stic_joint_create(tw.world, &def, NULL, &tw.error));
    test_world_system(&tw, chart);
    assert_int_equal(stic_arena_create(&tw.context, 0, &arena), STIC_OK);
    assert_int_equal(stic_state_create(&tw.context, &tw.system->layout, &state), STIC_OK);
    assert_int_equal(stic_state_create(&tw.context, &tw.system->layout, &moved), STIC_OK);
    for (int n = 0; n < 10; ++n) {
        stic_world_start(tw.world, tw.system, state);
        disturb(tw.system, &random, state);
        SticInteraction list[STIC_PART_COUNT];
        const int32_t count = stic_view_find_joints(stic_view_of(tw.system), state, 0.0, list);
        test_greater(count, 0);
        for (int32_t i = 0; i < count; ++i) {
            const int32_t row_at[2] = {0, list[i].rows};
            const SticSet set = {
                .count = 1, .rows = list[i].rows, .interaction = &list[i], .row_at = row_at};
            const int gaps = list[i].level == STIC_LEVEL_POSITION ? list[i].rows : 0;
            const Errors e = compare(tw.system, &set, state, moved, arena, gaps);
            keep_worst(&worst, &e);
        }
        assert_int_equal(stic_arena_reset(arena), STIC_OK);
    }
    stic_state_destroy(state, &tw.system->layout);
    stic_state_destroy(moved, &tw.system->layout);
    stic_arena_destroy(arena);
    test_world_close(&tw);
    return worst;
}

static void joints(void** state)
{
    (void)state;
    static const int32_t pairs[][2] = {{STIC_BODY_RIGID, STIC_BODY_PSEUDO_RIGID},
                                       {STIC_BODY_PSEUDO_RIGID, STIC_BODY_PRESCRIBED},
                                       {STIC_BODY_PRESCRIBED, STIC_BODY_RIGID},
                                       {STIC_BODY_POINT, STIC_BODY_PRESCRIBED},
                                       {STIC_BODY_RIGID, STIC_BODY_POINT}};
    for (size_t p = 0; p < sizeof pairs / sizeof pairs[0]; ++p) {
        Errors worst = {0};
        for (int kind = 0; kind < STIC_JOINT_KIND_COUNT; ++kind) {
            // a point has no axes that turn
            if ((pairs[p][0] == STIC_BODY_POINT || pairs[p][1] == STIC_BODY_POINT) &&
                kind != STIC_JOINT_POINT && kind != STIC_JOINT_ROD && kind != STIC_JOINT_SPAN)
                continue;
            for (int chart = STIC_CHART_ROTATION; chart <= STIC_CHART_QUATERNION; ++chart) {
                const Errors e = joint_errors(pairs[p][0], pairs[p][1], (SticChart)chart, kind);
                keep_worst(&worst, &e);
            }
        }
        printf("joints %-12s to %-12s gradient %.1e, rate of the gap %.1e, bias %.1e\n",
               kind_names[pairs[p][0]], kind_names[pairs[p][1]], worst.gradient, worst.rate,
               worst.bias);
        test_less(worst.gradient, 1e-8);
        test_less(worst.rate, 1e-8);
        test_less(worst.bias, 1e-7);
    }
}

static void refusals(void** state)
{
    (void)state;
    TestWorld tw;
    SticBodyId id;
    test_world_open(&tw, NULL, NULL);
    SticBodyDef def = stic_body_default_def();
    def.name = "soft";
    def.kind = STIC_BODY_PSEUDO_RIGID;
    assert_int_equal(stic_body_create(tw.world, &def, &id, &tw.error), STIC_BAD_ARGUMENT);
    printf("%s\n", tw.error.text);
    def.elastic = (SticElastic){1e6, 0.5};
    assert_int_equal(stic_body_create(tw.world, &def, &id, &tw.error), STIC_BAD_ARGUMENT);
    def.elastic.poisson = 0.3;
    TEST_TRY(&tw, stic_body_create(tw.world, &def, &id, &tw.error));
    // the image of a capsule is none, nor is that of a cylinder
    for (int k = 0; k < 2; ++k) {
        SticShape** shape = &tw.shape[tw.shapes++];
        TEST_TRY(&tw, k == 0 ? stic_shape_create_capsule(&tw.context, 0.1, 0.2, shape, &tw.error)
                             : stic_shape_create_cylinder(&tw.context, 0.1, 0.2, shape, &tw.error));
        const SticAttachDef attach = {.shape = *shape, .pose = stic_pose_identity()};
        assert_int_equal(stic_body_attach(tw.world, id, &attach, NULL, &tw.error),
                         STIC_UNSUPPORTED);
        printf("%s\n", tw.error.text);
    }
    // no volume
    assert_int_equal(stic_world_system(tw.world, STIC_CHART_QUATERNION, &tw.system, &tw.error),
                     STIC_BAD_ARGUMENT);
    printf("%s\n", tw.error.text);
    test_world_close(&tw);

    test_world_open(&tw, NULL, NULL);
    def = stic_body_default_def();
    def.name = "speck";
    def.kind = STIC_BODY_POINT;
    TEST_TRY(&tw, stic_body_create(tw.world, &def, &id, &tw.error));
    assert_int_equal(stic_world_system(tw.world, STIC_CHART_QUATERNION, &tw.system, &tw.error),
                     STIC_BAD_ARGUMENT);
    printf("%s\n", tw.error.text);
    test_world_close(&tw);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(contacts),
        cmocka_unit_test(joints),
        cmocka_unit_test(refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
