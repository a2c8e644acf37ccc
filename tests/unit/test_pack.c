// SPDX-License-Identifier: Apache-2.0
// Packs of four contacts: plans keep the order of visits, and the kernels give the bits of visits
// one by one, written here with the solver of a single contact.
#include <math.h>
#include <string.h>

#include "helpers/helpers.h"
#include "solver/local.h"
#include "solver/pack.h"

enum { BODIES = 40, CONTACTS = 300, PLACES = 8 * BODIES + STIC_PACK_NOBODY, SWEEPS = 12 };

typedef struct Contact {
    int32_t body[2];
    double H[2][18], D[9], w[3], mu;
    double r[3], before[3];
    SticContactBlock block;
    int32_t lane;
} Contact;

static Contact contact[CONTACTS];
static SticPack pack[CONTACTS];
static _Alignas(64) double start[PLACES], v[3][PLACES];

// random contacts on the ground and between bodies of mass one; every seventh without friction
static void make_contacts(SticRandom* random)
{
    test_random_vector(random, PLACES, -1, 1, start);
    for (int32_t k = 0; k < BODIES; ++k)
        start[8 * k + 6] = start[8 * k + 7] = 0.0;
    memset(start + 8 * BODIES, 0, STIC_PACK_NOBODY * sizeof *start);
    for (int32_t i = 0; i < CONTACTS; ++i) {
        Contact* c = &contact[i];
        memset(c, 0, sizeof *c);
        const int32_t a = (int32_t)(stic_random_bits(random) % BODIES);
        const int32_t b = (a + 1 + (int32_t)(stic_random_bits(random) % (BODIES - 1))) % BODIES;
        c->body[0] = 8 * a;
        c->body[1] = i % 5 == 0 ? -1 : 8 * b;
        c->mu = i % 7 == 0 ? 0.0 : 0.5;
        test_random_vector(random, 3, -1, 1, c->w);
        for (int side = 0; side < 2 && c->body[side] >= 0; ++side) {
            test_random_vector(random, 18, -1, 1, c->H[side]);
            for (int k = 0; k < 9; ++k)
                for (int d = 0; d < 6; ++d)
                    c->D[k] += c->H[side][6 * (k / 3) + d] * c->H[side][6 * (k % 3) + d];
        }
        c->block = stic_local_contact(c->D, c->mu);
    }
}

static int32_t plan_contacts(SticArena* arena)
{
    SticPackPlan plan;
    assert_int_equal(stic_pack_plan_take(arena, CONTACTS, 8 * BODIES, &plan), STIC_OK);
    for (int32_t i = 0; i < CONTACTS; ++i)
        contact[i].lane = stic_pack_plan_next(&plan, contact[i].body, 0);
    for (int32_t k = 0; k < plan.packs; ++k)
        stic_pack_clear(&pack[k], 8 * BODIES);
    for (int32_t i = 0; i < CONTACTS; ++i) {
        const Contact* c = &contact[i];
        const double* D = c->D;
        const SticPackItem item = {.body = {c->body[0], c->body[1]},
                                   .mu = c->block.mu,
                                   .inverse_NN = c->block.inverse_NN,
                                   .inverse_det = c->block.inverse_det,
                                   .D = {D[0], D[1], D[2], D[4], D[5], D[8]},
                                   .w = {c->w[0], c->w[1], c->w[2]},
                                   .H = {c->H[0], c->H[1]}};
        stic_pack_put(&pack[c->lane / STIC_LANES], c->lane % STIC_LANES, &item);
    }
    return plan.packs;
}

static bool share_body(const Contact* a, const Contact* b)
{
    for (int i = 0; i < 2; ++i)
        for (int k = 0; k < 2; ++k)
            if (a->body[i] >= 0 && a->body[i] == b->body[k])
                return true;
    return false;
}

// u += H v and v += H' dr with the sums of the sweep
static void pull(const double* H, const double* x, double* u)
{
    for (int a = 0; a < 3; ++a)
        u[a] += (H[6 * a] * x[0] + H[6 * a + 2] * x[2] + H[6 * a + 4] * x[4]) +
                (H[6 * a + 1] * x[1] + H[6 * a + 3] * x[3] + H[6 * a + 5] * x[5]);
}

static void push(const double* H, const double* dr, double* x)
{
    for (int c = 0; c < 6; ++c)
        x[c] += H[c] * dr[0] + H[6 + c] * dr[1] + H[12 + c] * dr[2];
}

static void visit_alone(Contact* c, double beta, double* x, int* slips)
{
    const double* D = c->D;
    double u[3], r[3], q[3], found[3], dr[3];
    for (int a = 0; a < 3; ++a) {
        u[a] = c->w[a];
        r[a] = c->r[a] + beta * (c->r[a] - c->before[a]);
        c->before[a] = c->r[a];
    }
    for (int side = 0; side < 2 && c->body[side] >= 0; ++side)
        pull(c->H[side], x + c->body[side], u);
    for (int a = 0; a < 3; ++a)
        q[a] = u[a] - (D[3 * a] * r[0] + D[3 * a + 1] * r[1] + D[3 * a + 2] * r[2]);
    c->block.accuracy = stic_slip_exact;
    stic_local_contact_solve(&c->block, q, false, found);
    *slips += found[0] > 0.0 && hypot(found[1], found[2]) > 0.999999 * c->mu * found[0];
    for (int a = 0; a < 3; ++a) {
        dr[a] = found[a] - r[a];
        c->r[a] = r[a] + dr[a];
    }
    for (int side = 0; side < 2 && c->body[side] >= 0; ++side)
        push(c->H[side], dr, x + c->body[side]);
}

static void plans_keep_the_order_of_visits(void** state)
{
    (void)state;
    const SticContext context = stic_context_default();
    SticRandom random = stic_random_create(7);
    SticArena* arena = NULL;
    assert_int_equal(stic_arena_create(&context, 0, &arena), STIC_OK);
    make_contacts(&random);
    const int32_t packs = plan_contacts(arena);
    for (int32_t i = 0; i < CONTACTS; ++i)
        for (int32_t k = 0; k < i; ++k) {
            assert_int_not_equal(contact[i].lane, contact[k].lane);
            if (share_body(&contact[i], &contact[k]))
                test_less(contact[k].lane / STIC_LANES, contact[i].lane / STIC_LANES);
        }
    print_message("%d contacts of %d bodies in %d packs\n", CONTACTS, BODIES, packs);
    test_less(packs, CONTACTS / 3);
    stic_arena_destroy(arena);
}

// sweeps with momentum, in the order of the contacts, by both kernels and one by one
static void kernels_give_the_bits_of_single_visits(void** state)
{
    (void)state;
    const SticContext context = stic_context_default();
    SticRandom random = stic_random_create(8);
    SticArena* arena = NULL;
    assert_int_equal(stic_arena_create(&context, 0, &arena), STIC_OK);
    make_contacts(&random);
    int slips = 0;
    for (int pass = 0; pass < 3; ++pass)
        memcpy(v[pass], start, sizeof start);
    for (int s = 0; s < SWEEPS; ++s)
        for (int32_t i = 0; i < CONTACTS; ++i)
            visit_alone(&contact[i], s > 3 ? 0.5 : 0.0, v[2], &slips);
    for (int pass = 0; pass < 2; ++pass) {
        const int32_t packs = plan_contacts(arena);
        SticPackChange change = {0.0, 0.0, 0};
        for (int s = 0; s < SWEEPS; ++s) {
            const SticPackVisit how = {.beta = s > 3 ? 0.5 : 0.0,
                                       .accuracy = stic_slip_exact,
                                       .omega = 1.0,
                                       .idles = true,
                                       .v = v[pass]};
            stic_pack_kernel(pass == 1)(pack, packs, 1, &how, &change);
        }
        for (int32_t i = 0; i < CONTACTS; ++i)
            for (int a = 0; a < 3; ++a)
                test_equal(pack[contact[i].lane / STIC_LANES].r[a][contact[i].lane % STIC_LANES],
                           contact[i].r[a]);
        for (int32_t k = 0; k < BODIES; ++k)
            assert_memory_equal(v[pass] + 8 * k, v[2] + 8 * k, 6 * sizeof(double));
        test_greater(change.energy, 0.0);
        test_greater(change.square, 0.0);
    }
    print_message("%d of %d visits slipped\n", slips, SWEEPS * CONTACTS);
    test_greater(slips, CONTACTS);
    stic_arena_destroy(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plans_keep_the_order_of_visits),
        cmocka_unit_test(kernels_give_the_bits_of_single_visits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
