// SPDX-License-Identifier: Apache-2.0
// Reactions from step to step: kept by id, turned with the tangents.
#include "helpers/world.h"

#include "math/math.h"
#include "step/parts.h"

// a set of one contact with given tangents
static SticSet one_contact(SticInteraction* interaction, int32_t row_at[2], double tangent[1][6],
                           SticMat3 frame)
{
    *interaction = (SticInteraction){.id = 5, .law = STIC_LAW_CONE, .rows = 3, .bound_of = -1};
    row_at[0] = 0;
    row_at[1] = 3;
    stic_vec3_store(stic_mat3_column(frame, 1), tangent[0]);
    stic_vec3_store(stic_mat3_column(frame, 2), tangent[0] + 3);
    return (SticSet){.count = 1,
                     .rows = 3,
                     .interaction = interaction,
                     .row_at = row_at,
                     .tangent = (const double(*)[6])tangent};
}

static SticVec3 reaction(SticMat3 frame, const double* r)
{
    return stic_mat3_mul_vec(frame, stic_vec3_load(r));
}

static void test_reaction_turns(void** unused)
{
    (void)unused;
    SticRandom random = stic_random_create(21);
    SticContext context = stic_context_default();
    SticMemory memory = {.context = context};
    double worst = 0.0, tilted = 0.0;
    for (int trial = 0; trial < 100; ++trial) {
        double n[3], r[3], s[3];
        test_random_unit(&random, 3, n);
        test_random_vector(&random, 3, -1.0, 1.0, r);
        SticInteraction interaction;
        int32_t row_at[2];
        double tangent[1][6];
        const SticMat3 old = stic_mat3_frame(stic_vec3_load(n));
        SticSet set = one_contact(&interaction, row_at, tangent, old);
        const SticReactions reactions = {r, 1.0, NULL};
        assert_int_equal(stic_parts_remember(&set, &reactions, &memory), STIC_OK);
        assert_int_equal(memory.count, 1);

        // the same normal, tangents turned by any angle: the same vector
        const double angle = stic_random_range(&random, -4.0, 4.0);
        const SticMat3 spin = stic_rotation_exp(stic_vec3_scale(angle, stic_vec3_load(n)));
        const SticMat3 turned = stic_mat3_mul(spin, old);
        set = one_contact(&interaction, row_at, tangent, turned);
        stic_parts_warm_start(&set, &memory, s);
        worst = test_worse(worst, stic_vec3_distance(reaction(old, r), reaction(turned, s)));

        // a normal that moved a little, tangents of any other rule: close to it
        const double size = 1e-4;
        double move[3];
        test_random_unit(&random, 3, move);
        const SticVec3 near = stic_vec3_normalize(
            stic_vec3_add_scaled(stic_vec3_load(n), size, stic_vec3_load(move)));
        const SticMat3 other = stic_mat3_frame(near);
        set = one_contact(&interaction, row_at, tangent, other);
        stic_parts_warm_start(&set, &memory, s);
        tilted =
            test_worse(tilted, stic_vec3_distance(reaction(old, r), reaction(other, s)) / size);
        test_less(fabs(stic_vec3_norm2(stic_vec3_load(r)) - stic_vec3_norm2(stic_vec3_load(s))),
                  1e-15 * 3.0);

        // unknown contacts start at zero
        interaction.id = 6;
        stic_parts_warm_start(&set, &memory, s);
        test_equal(s[0], 0.0);
        test_equal(s[1], 0.0);
        test_equal(s[2], 0.0);
    }
    print_message("turned reactions differ by %.1e, with a tilt of 1e-4 by %.2f times that\n",
                  worst, tilted);
    test_less(worst, 1e-15 * 4.0);
    test_less(tilted, 2.0);
    STIC_RELEASE(&context, memory.record, memory.capacity);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reaction_turns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
