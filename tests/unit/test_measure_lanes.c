// SPDX-License-Identifier: Apache-2.0
// Contacts measured four at a time have the bits of contacts measured one by one.
#include "helpers/world.h"

#include "world/measure.h"

enum { BODIES = 9, CONTACTS = 61, ROWS = 3 * CONTACTS };

typedef struct Results {
    double gap[ROWS], chi[ROWS], speed[ROWS], further[ROWS], bias[ROWS];
    double H[2 * 6 * ROWS], tangent[CONTACTS][6];
} Results;

typedef struct Made {
    SticInteraction interaction[CONTACTS];
    double local[CONTACTS][12], tangent[CONTACTS][6];
    int32_t row_at[CONTACTS + 1];
    SticSet set;
} Made;

// contacts of all kernels between any two bodies, or one and the ground, with one row or three
static void make_up(SticRandom* random, bool tangents, Made* made)
{
    memset(made, 0, sizeof *made);
    for (int i = 0; i < CONTACTS; ++i) {
        const int32_t a = i * 7 % BODIES, b = (a + 1 + i * 5 % (BODIES - 1)) % BODIES;
        const bool alone = i % 5 == 3;
        made->interaction[i] =
            (SticInteraction){.law = alone ? STIC_LAW_NONNEG : STIC_LAW_CONE,
                              .level = STIC_LEVEL_CONTACT,
                              .rows = alone ? 1 : 3,
                              .kernel = (uint8_t)(i * STIC_CONTACT_KERNEL_COUNT / CONTACTS),
                              .bonded = i % 17 == 16,
                              .block = {i % 11 == 4 ? -1 : a, i % 11 == 7 ? -1 : b},
                              .bound_of = -1};
        made->row_at[i + 1] = made->row_at[i] + made->interaction[i].rows;
        for (int k = 0; k < 4; ++k) {
            const SticVec3 v = test_random_vec3(random, 0.5);
            stic_vec3_store(stic_vec3_normalize(v), made->local[i] + 3 * k);
        }
        // spheres about one centre have no normal
        if (i % 13 == 5 && made->interaction[i].kernel == STIC_CONTACT_ROUND)
            memset(made->local[i], 0, sizeof made->local[i]);
        const SticMat3 frame = stic_mat3_frame(stic_vec3_normalize(test_random_vec3(random, 1.0)));
        stic_vec3_store(stic_mat3_column(frame, 1), made->tangent[i]);
        stic_vec3_store(stic_mat3_column(frame, 2), made->tangent[i] + 3);
    }
    made->set = (SticSet){.count = CONTACTS,
                          .rows = made->row_at[CONTACTS],
                          .interaction = made->interaction,
                          .row_at = made->row_at,
                          .local = (const double(*)[12])made->local,
                          .tangent = tangents ? (const double(*)[6])made->tangent : NULL};
}

static SticMeasures measures_of(const SticPattern* pattern, const double* further, Results* out)
{
    return (SticMeasures){.want = STIC_LANES_WANT,
                          .gap = out->gap,
                          .chi = out->chi,
                          .bias = out->bias,
                          .speed = out->speed,
                          .H = out->H,
                          .further = further,
                          .further_speed = out->further,
                          .tangent = out->tangent,
                          .u_pattern = pattern};
}

// bits of everything but the bias, which the plain way alone is asked for
static void assert_same(const Results* a, const Results* b, int32_t rows, int64_t values)
{
    assert_memory_equal(a->gap, b->gap, (size_t)rows * sizeof(double));
    assert_memory_equal(a->chi, b->chi, (size_t)rows * sizeof(double));
    assert_memory_equal(a->speed, b->speed, (size_t)rows * sizeof(double));
    assert_memory_equal(a->further, b->further, (size_t)rows * sizeof(double));
    assert_memory_equal(a->H, b->H, (size_t)values * sizeof(double));
    assert_memory_equal(a->tangent, b->tangent, sizeof a->tangent);
}

static void place(const SticLayout* layout, SticRandom* random, SticState* state)
{
    for (int32_t i = 0; i < layout->blocks; ++i) {
        double axis[4], *q = state->q + layout->q_at[i];
        test_random_unit(random, 4, axis);
        const SticQuat a = stic_quat_scale(1.0 + 0.01 * i, stic_quat_load(axis));
        stic_vec3_store(test_random_vec3(random, 0.5), q);
        if (layout->chart[i] == STIC_CHART_ROTATION)
            stic_mat3_store(stic_quat_to_matrix(a), q + 3);
        else
            stic_quat_store(a, q + 3);
    }
    test_random_vector(random, layout->nu, -1.0, 1.0, state->u);
}

// all contacts of the set by one kernel of lanes, each with three others of its kind
static int count_in_lanes(const SticMeasureTask* task, SticMeasureLanes* kernel)
{
    int measured = 0;
    for (int i = 0; i < CONTACTS; ++i) {
        const SticInteraction* own = &task->set->interaction[i];
        int32_t contact[4] = {i, i, i, i};
        int count = 1;
        for (int k = 0; k < CONTACTS && count < 4; ++k)
            if (k != i && task->set->interaction[k].kernel == own->kernel &&
                task->set->interaction[k].rows == own->rows &&
                stic_measure_order(&task->set->interaction[k]) == stic_measure_order(own))
                contact[count++] = k;
        measured += kernel(task, (SticContactKernel)own->kernel, own->rows, contact);
    }
    return measured;
}

static void compare(SticRandom* random, SticChart chart, bool tangents)
{
    static Results one, four, plain;
    static Made made;
    TestWorld tw;
    test_world_open(&tw, NULL, NULL);
    const SticShape* ball = test_world_sphere(&tw, 0.1);
    for (int k = 0; k < BODIES; ++k)
        test_world_body(&tw, ball, stic_vec3(k, 0.0, 0.0), stic_vec3_zero());
    test_world_system(&tw, chart);
    const SticLayout* layout = &tw.system->layout;
    SticState* state = NULL;
    SticArena* arena = NULL;
    SticPattern pattern;
    double further[6 * BODIES];
    assert_int_equal(stic_arena_create(&tw.context, 0, &arena), STIC_OK);
    assert_int_equal(stic_state_create(&tw.context, layout, &state), STIC_OK);
    place(layout, random, state);
    test_random_vector(random, layout->nu, -1.0, 1.0, further);
    make_up(random, tangents, &made);
    assert_int_equal(stic_pattern_create(arena, &made.set, layout, layout->u_at, &pattern),
                     STIC_OK);

    SticMeasures measures = measures_of(&pattern, further, &one);
    measures.want |= STIC_WANT_BIAS;
    assert_int_equal(tw.system->ops->measure(tw.system, &made.set, state, &measures), STIC_OK);
    measures = measures_of(&pattern, further, &four);
    assert_int_equal(tw.system->ops->measure(tw.system, &made.set, state, &measures), STIC_OK);
    assert_same(&one, &four, made.set.rows, pattern.values);

    // both instruction sets, whichever this processor takes
    plain = four;
    measures = measures_of(&pattern, further, &plain);
    const SticView* view = stic_view_of(tw.system);
    for (int k = 0; k < 2; ++k) {
        for (int i = 0; i < CONTACTS; ++i)
            made.interaction[i].bonded = 0;
        const SticMeasureTask task = {view, &made.set, state, &measures, NULL};
        const int count = count_in_lanes(&task, stic_measure_lanes(k == 0));
        test_at_least(count, CONTACTS / 4);
        // bonds have slips in their rows of gaps
        for (int i = 0; i < CONTACTS; ++i)
            for (int row = 1; row < made.interaction[i].rows && i % 17 == 16; ++row)
                plain.gap[made.row_at[i] + row] = one.gap[made.row_at[i] + row];
        assert_same(&one, &plain, made.set.rows, pattern.values);
    }
    stic_state_destroy(state, layout);
    stic_arena_destroy(arena);
    test_world_close(&tw);
}

static void test_same_bits(void** unused)
{
    (void)unused;
    SticRandom random = stic_random_create(5);
    for (int trial = 0; trial < 40; ++trial)
        compare(&random, trial % 2 == 0 ? STIC_CHART_QUATERNION : STIC_CHART_ROTATION,
                trial % 4 < 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_same_bits)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
