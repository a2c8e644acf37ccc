// SPDX-License-Identifier: Apache-2.0
// labels: threads
// Orders of sweeps in pieces: nothing is lost, pieces of one colour share no body, and sweeps over
// a long island have the same bits for any number of threads.
#include <stdlib.h>
#include <string.h>

#include "helpers/helpers.h"
#include "helpers/scenes.h"
#include "solver/order.h"
#include "solver/sweep.h"

enum { WIDE = 60, DEEP = 60, BODIES = WIDE * DEEP, CONTACTS = 3 * BODIES, PLACES = 8 * BODIES };

typedef struct Grid {
    SticOperator op;
    int32_t begin[CONTACTS + 1], item[CONTACTS];
    SticBodyBlock block[2 * CONTACTS];
    uint8_t kernel[CONTACTS];
} Grid;

// three contacts per body of a grid: with its right and its upper neighbour, and with the ground
static Grid* make_grid(void)
{
    Grid* grid = calloc(1, sizeof *grid);
    assert_non_null(grid);
    int32_t blocks = 0;
    for (int32_t i = 0; i < CONTACTS; ++i) {
        const int32_t body = i / 3, x = body % WIDE, y = body / WIDE;
        const int32_t other = i % 3 == 0 && x + 1 < WIDE   ? body + 1
                              : i % 3 == 1 && y + 1 < DEEP ? body + WIDE
                                                           : -1;
        grid->begin[i] = blocks;
        grid->item[i] = i;
        grid->block[blocks++] = (SticBodyBlock){.at = 8 * body, .dof = 6};
        if (other >= 0)
            grid->block[blocks++] = (SticBodyBlock){.at = 8 * other, .dof = 6};
    }
    grid->begin[CONTACTS] = blocks;
    grid->op = (SticOperator){.form = STIC_FORM_FACTORED,
                              .count = CONTACTS,
                              .velocities = PLACES,
                              .begin = grid->begin,
                              .block = grid->block};
    return grid;
}

// chunks of one colour share no body; returns the visits of the phase
static int32_t check_phase(const Grid* grid, const SticOrder* order, const SticOrderPhase* phase)
{
    static int32_t owner[BODIES];
    int32_t visits = 0;
    memset(owner, 0xff, sizeof owner);
    for (int32_t c = phase->first; c < phase->end; ++c)
        for (int32_t p = order->chunk[c].first; p < order->chunk[c].end; ++p, ++visits) {
            const int32_t i = order->item[p];
            for (int32_t e = grid->begin[i]; e < grid->begin[i + 1]; ++e) {
                int32_t* mine = &owner[grid->block[e].at / 8];
                assert_true(*mine < 0 || *mine == c);
                *mine = c;
            }
        }
    return visits;
}

static void test_pieces(void** state)
{
    (void)state;
    const SticContext context = stic_context_default();
    Grid* grid = make_grid();
    SticArena* arena = NULL;
    SticOrder order;
    // a short stretch before the long one
    enum { SHORT = 90 };
    const int32_t begin[3] = {0, SHORT, CONTACTS};
    assert_int_equal(stic_arena_create(&context, 0, &arena), STIC_OK);
    const SticOrderList list = {.item = grid->item,
                                .begin = begin,
                                .stretches = 2,
                                .kernel = grid->kernel,
                                .op = &grid->op};
    assert_int_equal(stic_order_listed(arena, &list, &order), STIC_OK);

    // the short one as it was listed
    assert_int_equal(order.stretch_phase[1], 1);
    assert_false(order.phase[0].parallel);
    for (int32_t p = 0; p < SHORT; ++p)
        assert_int_equal(order.item[p], p);

    // everything once, as listed within a piece
    static bool seen[CONTACTS];
    for (int32_t c = 0; c < order.chunks; ++c)
        for (int32_t p = order.chunk[c].first; p < order.chunk[c].end; ++p) {
            assert_false(seen[order.item[p]]);
            seen[order.item[p]] = true;
            if (p > order.chunk[c].first)
                assert_int_equal(order.item[p], order.item[p - 1] + 1);
        }
    for (int32_t i = 0; i < CONTACTS; ++i)
        assert_true(seen[i]);

    // rows of a grid need few colours, each of them about as much of the work
    int32_t most = 0;
    const int32_t phases = order.stretch_phase[2] - order.stretch_phase[1];
    for (int32_t p = order.stretch_phase[1]; p < order.stretch_phase[2]; ++p) {
        assert_true(order.phase[p].parallel);
        const int32_t visits = check_phase(grid, &order, &order.phase[p]);
        most = visits > most ? visits : most;
    }
    print_message("%d pieces in %d colours, %d of %d visits in the largest\n",
                  order.stretch_chunk[2] - order.stretch_chunk[1], phases, most, CONTACTS - SHORT);
    test_at_most(phases, 3);
    test_at_most(most * phases, 1.25 * (CONTACTS - SHORT));
    stic_arena_destroy(arena);
    free(grid);
}

// island with most contacts
static int32_t largest_of(const SticIslands* islands)
{
    int32_t largest = 0;
    for (int32_t k = 1; k < islands->count; ++k)
        if (islands->begin[k + 1] - islands->begin[k] >
            islands->begin[largest + 1] - islands->begin[largest])
            largest = k;
    return largest;
}

// sweeps over a pile whose largest island is long: forward, back, and the island's with momentum,
// in the order of the pieces and shuffled
static uint64_t sweep_pile(const Scene* scene, int32_t threads)
{
    SticContext context = stic_context_default();
    SticArena* arena = NULL;
    SticSweep* sweep = NULL;
    SticIslands islands;
    SticError error = {.status = STIC_OK};
    SticRandom random = stic_random_create(5);
    double* r = calloc((size_t)scene->problem.rows, sizeof *r);
    assert_non_null(r);
    if (threads > 0)
        assert_int_equal(stic_pool_create(&context, threads, &context.pool), STIC_OK);
    assert_int_equal(stic_arena_create(&context, 0, &arena), STIC_OK);
    assert_int_equal(stic_islands_find(arena, &scene->problem, &islands), STIC_OK);
    const int32_t k = largest_of(&islands);
    test_at_least(islands.begin[k + 1] - islands.begin[k], STIC_ORDER_LONG);
    const SticSweepOptions options = {.form = STIC_FORM_FACTORED,
                                      .omega = 1.0,
                                      .limits = {.iterations = 100, .tolerance = 1e-4},
                                      .islands = &islands};
    assert_int_equal(stic_sweep_create(arena, &scene->problem, &options, &sweep, &error), STIC_OK);
    stic_sweep_start(sweep, r);
    double change = stic_sweep_run(sweep) + stic_sweep_run_back(sweep);
    stic_sweep_get(sweep, r);
    stic_sweep_start_island(sweep, k, r);
    for (int turn = 0; turn < 4; ++turn) {
        const SticSweepStep step = {
            .beta = 0.5, .accuracy = 1e-9, .shuffle = turn < 2 ? NULL : &random};
        change += stic_sweep_run_island(sweep, k, &step).energy;
        stic_sweep_renew_island(sweep, k);
    }
    stic_sweep_get_island(sweep, k, r);
    uint64_t hash = stic_hash_doubles(0, r, (size_t)scene->problem.rows);
    hash = stic_hash_doubles(hash, &change, 1);
    stic_arena_destroy(arena);
    stic_pool_destroy(context.pool);
    free(r);
    return hash;
}

static void test_threads(void** state)
{
    (void)state;
    Scene scene;
    const SceneDef def = {SCENE_SPHERES, 2500, 0.4, 0.3, 0.0};
    scene_create(&scene, &def);
    const uint64_t hash = sweep_pile(&scene, 0);
    print_message("%d contacts: hash %016llx\n", scene.contacts, (unsigned long long)hash);
    for (int32_t threads = 1; threads <= 3; ++threads)
        test_equal(sweep_pile(&scene, threads), hash);
    scene_release(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_pieces),
                                       cmocka_unit_test(test_threads)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
