// SPDX-License-Identifier: Apache-2.0
// Measures of contacts against differences: gaps, directions and biases of every kernel and chart.
#include "helpers/world.h"

#include "world/contact.h"
#include "world/world.h"

// two bodies with shifted shapes, far from each other: only their frames matter here
static void open_pair(TestWorld* tw, bool fixed)
{
    // the grain is that of the first body, the one with the lower number
    SticWorldDef world = stic_world_default_def();
    world.material.surface.law = STIC_FRICTION_ANISOTROPIC;
    world.material.surface.across = 0.2;
    world.material.surface.grain = stic_vec3(1.0, 2.0, -0.5);
    test_world_open(tw, NULL, &world);
    SticBodyDef def = stic_body_default_def();
    def.position = stic_vec3(1.0, 2.0, 3.0);
    SticBodyId first =
        test_world_add(tw, &def, test_world_box(tw, 0.3, 0.2, 0.1), (SticMaterialId){0, 0});
    def.kind = fixed ? STIC_BODY_FIXED : STIC_BODY_RIGID;
    def.position = stic_vec3(-1.0, 0.5, 0.0);
    SticBodyId second =
        test_world_add(tw, &def, test_world_sphere(tw, 0.2), (SticMaterialId){0, 0});
    (void)first;
    (void)second;
}

// a set of one made-up contact of a kernel
typedef struct MadeUp {
    SticInteraction interaction;
    double local[1][12];
    int32_t row_at[2];
    SticSet set;
} MadeUp;

static void make_up(MadeUp* made, SticContactKernel kernel, SticLaw law, bool fixed,
                    SticRandom* random)
{
    const uint8_t rows = law == STIC_LAW_ROLLING ? 5 : law == STIC_LAW_CONE_CONTENSOU ? 4 : 3;
    memset(made, 0, sizeof *made);
    made->interaction = (SticInteraction){.id = 1,
                                          .law = (uint8_t)law,
                                          .level = STIC_LEVEL_CONTACT,
                                          .rows = rows,
                                          .kernel = (uint8_t)kernel,
                                          .block = {0, fixed ? -1 : 1},
                                          .bound_of = -1,
                                          .coef = {0.5}};
    for (int k = 0; k < 4; ++k) {
        SticVec3 v = test_random_vec3(random, 0.5);
        const bool unit = (kernel == STIC_CONTACT_PLANE && k == 2) ||
                          (kernel == STIC_CONTACT_ROUND_EDGE && k == 2) ||
                          (kernel == STIC_CONTACT_EDGE_EDGE && k % 2 == 1);
        if (unit)
            v = stic_vec3_normalize(v);
        stic_vec3_store(v, made->local[0] + 3 * k);
    }
    if (kernel == STIC_CONTACT_PLANE || kernel == STIC_CONTACT_ROUND_EDGE)
        made->local[0][9] = 0.07;
    if (kernel == STIC_CONTACT_ROUND) {
        made->local[0][6] = 0.07;
        made->local[0][7] = 0.04;
    }
    made->row_at[1] = rows;
    made->set = (SticSet){.count = 1,
                          .rows = rows,
                          .interaction = &made->interaction,
                          .row_at = made->row_at,
                          .local = (const double(*)[12])made->local};
}

typedef struct Values {
    double gap[5], chi[5], bias[5], H[2 * 5 * 12], G[2 * 5 * 12];
    int64_t u_at[2], q_at[2];
} Values;

static void measure(const SticSystem* system, const SticSet* set, const SticState* state,
                    SticArena* arena, Values* out)
{
    SticPattern u_pattern, q_pattern;
    memset(out, 0, sizeof *out);
    assert_int_equal(
        stic_pattern_create(arena, set, &system->layout, system->layout.u_at, &u_pattern), STIC_OK);
    assert_int_equal(
        stic_pattern_create(arena, set, &system->layout, system->layout.q_at, &q_pattern), STIC_OK);
    SticMeasures measures = {.want = STIC_WANT_GAP | STIC_WANT_CHI | STIC_WANT_H | STIC_WANT_G,
                             .gap = out->gap,
                             .chi = out->chi,
                             .bias = out->bias,
                             .H = out->H,
                             .G = out->G,
                             .u_pattern = &u_pattern,
                             .q_pattern = &q_pattern};
    if (system->offers & STIC_OFFERS_BIAS)
        measures.want |= STIC_WANT_BIAS;
    assert_int_equal(system->ops->measure(system, set, state, &measures), STIC_OK);
    memcpy(out->u_at, u_pattern.at[0], sizeof out->u_at);
    memcpy(out->q_at, q_pattern.at[0], sizeof out->q_at);
}

// H' u + chi of one row
static double relative(const SticSystem* system, const SticSet* set, const Values* values, int row,
                       const double* u)
{
    const SticLayout* layout = &system->layout;
    double sum = values->chi[row];
    for (int side = 0; side < 2; ++side) {
        const int32_t block = set->interaction[0].block[side];
        if (block < 0)
            continue;
        const int32_t n = layout->u_at[block + 1] - layout->u_at[block];
        for (int32_t c = 0; c < n; ++c)
            sum += values->H[values->u_at[side] + row * n + c] * u[layout->u_at[block] + c];
    }
    return sum;
}

typedef struct Errors {
    double gradient, pulled, bias, rigid;
} Errors;

// the relative velocity of the bodies at the contact point, from the poses alone
static double rigid_velocity(const TestWorld* tw, const SticSet* set, const SticState* state,
                             int row)
{
    const SticContactView seen = stic_world_contact(tw->system, set, 0, state);
    SticVec3 sum = stic_vec3_zero();
    const int axis = row < 3 ? row : set->interaction[0].law == STIC_LAW_ROLLING ? row - 2 : 0;
    for (int side = 0; side < 2; ++side) {
        const int32_t block = set->interaction[0].block[side];
        if (block < 0)
            continue;
        const SticBodyId body = {(uint32_t)block, 1};
        const SticTwist twist = stic_world_twist(tw->system, state, body);
        const SticVec3 centre = stic_vec3_load(state->q + tw->system->layout.q_at[block]);
        const SticVec3 velocity =
            row >= 3
                ? twist.angular_velocity
                : stic_vec3_add(twist.velocity, stic_vec3_cross(twist.angular_velocity,
                                                                stic_vec3_sub(seen.point, centre)));
        sum = side == 0 ? stic_vec3_add(sum, velocity) : stic_vec3_sub(sum, velocity);
    }
    return stic_vec3_dot(seen.axis[axis], sum);
}

static Errors compare(TestWorld* tw, const SticSet* set, SticState* state, SticState* moved,
                      SticArena* arena, bool unit)
{
    const SticSystem* system = tw->system;
    const SticLayout* layout = &system->layout;
    Values at, plus, minus;
    Errors errors = {0};
    measure(system, set, state, arena, &at);

    // dg/dq by central differences, one coordinate at a time
    const double step = 1e-6;
    for (int side = 0; side < 2; ++side) {
        const int32_t block = set->interaction[0].block[side];
        for (int32_t c = block < 0 ? 0 : layout->q_at[block];
             block >= 0 && c < layout->q_at[block + 1]; ++c) {
            memcpy(moved->q, state->q, (size_t)layout->nq * sizeof *moved->q);
            moved->q[c] = state->q[c] + step;
            measure(system, set, moved, arena, &plus);
            moved->q[c] = state->q[c] - step;
            measure(system, set, moved, arena, &minus);
            const double slope = (plus.gap[0] - minus.gap[0]) / (2.0 * step);
            const double own = at.G[at.q_at[side] + c - layout->q_at[block]];
            errors.gradient = test_worse(errors.gradient, fabs(slope - own));
        }
        for (int32_t c = 0; block >= 0 && c < (set->rows - 1) * (layout->q_at[1] - layout->q_at[0]);
             ++c)
            test_equal(at.G[at.q_at[side] + layout->q_at[1] + c], 0.0);
    }

    // H' u of the first row is the rate of the gap, and the bias the rate of H' u
    double qdot[24];
    stic_system_rate(system, state, qdot);
    Values* ends[2] = {&plus, &minus};
    for (int k = 0; k < 2; ++k) {
        for (int32_t c = 0; c < layout->nq; ++c)
            moved->q[c] = state->q[c] + (k == 0 ? step : -step) * qdot[c];
        memcpy(moved->u, state->u, (size_t)layout->nu * sizeof *moved->u);
        measure(system, set, moved, arena, ends[k]);
    }
    const double rate = (plus.gap[0] - minus.gap[0]) / (2.0 * step);
    errors.pulled = fabs(relative(system, set, &at, 0, state->u) - rate);
    for (int row = 0; row < set->rows; ++row) {
        const double change = (relative(system, set, &plus, row, state->u) -
                               relative(system, set, &minus, row, state->u)) /
                              (2.0 * step);
        if (system->offers & STIC_OFFERS_BIAS)
            errors.bias = test_worse(errors.bias, fabs(change - at.bias[row]));
        if (unit && system->layout.chart[0] != STIC_CHART_SCALABLE)
            errors.rigid = test_worse(errors.rigid, fabs(relative(system, set, &at, row, state->u) -
                                                         rigid_velocity(tw, set, state, row)));
    }
    return errors;
}

static void random_state(const SticLayout* layout, SticRandom* random, double scale,
                         SticState* state)
{
    for (int32_t i = 0; i < layout->blocks; ++i) {
        double axis[4];
        test_random_unit(random, 4, axis);
        const SticQuat a = stic_quat_scale(scale, stic_quat_load(axis));
        double *q = state->q + layout->q_at[i], *u = state->u + layout->u_at[i];
        stic_vec3_store(test_random_vec3(random, 0.5), q);
        if (layout->chart[i] == STIC_CHART_ROTATION)
            stic_mat3_store(stic_quat_to_matrix(a), q + 3);
        else
            stic_quat_store(a, q + 3);
        test_random_vector(random, layout->u_at[i + 1] - layout->u_at[i], -1.0, 1.0, u);
    }
}

static void test_derivatives(void** unused)
{
    (void)unused;
    static const char* const names[] = {"plane", "round", "round-edge", "edge-edge"};
    static const SticChart charts[] = {STIC_CHART_ROTATION, STIC_CHART_QUATERNION,
                                       STIC_CHART_SCALABLE};
    static const SticLaw laws[] = {STIC_LAW_CONE, STIC_LAW_CONE_ELLIPSE, STIC_LAW_ROLLING,
                                   STIC_LAW_CONE_CONTENSOU};
    SticRandom random = stic_random_create(7);
    const TestTable table =
        test_table_begin("worst difference to central differences, 40 states each",
                         "kernel     |chart     |dg/dq  |rate   |bias   |rigid  ");
    for (int kernel = 0; kernel < STIC_CONTACT_KERNEL_COUNT; ++kernel)
        for (int c = 0; c < 3; ++c) {
            Errors worst = {0};
            for (int trial = 0; trial < 40; ++trial) {
                const bool fixed = trial % 4 == 3, unit = trial % 2 == 0;
                TestWorld tw;
                open_pair(&tw, fixed);
                test_world_system(&tw, charts[c]);
                const SticLayout* layout = &tw.system->layout;
                SticState *state = NULL, *moved = NULL;
                SticArena* arena = NULL;
                assert_int_equal(stic_arena_create(&tw.context, 0, &arena), STIC_OK);
                assert_int_equal(stic_state_create(&tw.context, layout, &state), STIC_OK);
                assert_int_equal(stic_state_create(&tw.context, layout, &moved), STIC_OK);
                random_state(layout, &random, unit ? 1.0 : 1.1, state);
                MadeUp made;
                make_up(&made, (SticContactKernel)kernel, laws[trial / 4 % 4], fixed, &random);
                // parts lead from contacts to bodies: shapes 0 and 1
                made.interaction.part[1] = 1;
                const Errors e = compare(&tw, &made.set, state, moved, arena, unit);
                worst.gradient = test_worse(worst.gradient, e.gradient);
                worst.pulled = test_worse(worst.pulled, e.pulled);
                worst.bias = test_worse(worst.bias, e.bias);
                worst.rigid = test_worse(worst.rigid, e.rigid);
                stic_state_destroy(state, layout);
                stic_state_destroy(moved, layout);
                stic_arena_destroy(arena);
                test_world_close(&tw);
            }
            test_table_row(&table, "%s|%s|%.1e|%.1e|%.1e|%.1e", names[kernel],
                           stic_chart_name(charts[c]), worst.gradient, worst.pulled, worst.bias,
                           worst.rigid);
            // rounding of differences with the step 1e-6, larger where features are near each other
            const double limit = 2e-8;
            test_less(worst.gradient, limit);
            test_less(worst.pulled, limit);
            test_less(worst.bias, limit);
            test_less(worst.rigid, 1e-12);
        }
}

// the gap to a plane is quadratic in the quaternion of the body: the midpoint gradient is exact
static void test_quadratic(void** unused)
{
    (void)unused;
    SticRandom random = stic_random_create(11);
    double worst = 0.0;
    TestWorld tw;
    open_pair(&tw, true);
    test_world_system(&tw, STIC_CHART_QUATERNION);
    const SticLayout* layout = &tw.system->layout;
    SticState* state[3];
    SticArena* arena = NULL;
    assert_int_equal(stic_arena_create(&tw.context, 0, &arena), STIC_OK);
    for (int k = 0; k < 3; ++k)
        assert_int_equal(stic_state_create(&tw.context, layout, &state[k]), STIC_OK);
    for (int trial = 0; trial < 50; ++trial) {
        MadeUp made;
        Values at[3];
        make_up(&made, STIC_CONTACT_PLANE, STIC_LAW_CONE, true, &random);
        random_state(layout, &random, 1.0, state[0]);
        random_state(layout, &random, 1.0, state[1]);
        double along = 0.0;
        for (int32_t c = 0; c < layout->nq; ++c)
            state[2]->q[c] = 0.5 * (state[0]->q[c] + state[1]->q[c]);
        for (int k = 0; k < 3; ++k)
            measure(tw.system, &made.set, state[k], arena, &at[k]);
        for (int32_t c = 0; c < layout->nq; ++c)
            along += at[2].G[c] * (state[1]->q[c] - state[0]->q[c]);
        worst = test_worse(worst, fabs(at[1].gap[0] - at[0].gap[0] - along));
    }
    print_message("g(b) - g(a) - G(m) (b - a) over 50 pairs of states: %.1e\n", worst);
    test_less(worst, 1e-14);
    for (int k = 0; k < 3; ++k)
        stic_state_destroy(state[k], layout);
    stic_arena_destroy(arena);
    test_world_close(&tw);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_derivatives),
        cmocka_unit_test(test_quadratic),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
