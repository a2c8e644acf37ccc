// SPDX-License-Identifier: Apache-2.0
// labels: threads
// The broad phases on a hundred thousand boxes: every method against every pair tested, and the
// default against another method and against itself on two threads over frames with everything.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../../bench/broad_sets.h"
#include "helpers/helpers.h"

enum { COUNT = 100000 };

static double pick(SticRandom* random, double low, double high)
{
    return stic_random_range(random, low, high);
}

static SticBounds random_box(SticRandom* random, double x, double y, double z)
{
    const SticVec3 c = {pick(random, -1, 1), pick(random, -1, 1), pick(random, -1, 1)};
    return (SticBounds){{c.x - x / 2, c.y - y / 2, c.z - z / 2},
                        {c.x + x / 2, c.y + y / 2, c.z + z / 2}};
}

/* ---- sets ---- */

static void fill_cubes(int kind, SticBounds* box)
{
    BoxSet set = set_create((SetKind)kind, COUNT, 21);
    set_size(&set, 10.0);
    memcpy(box, set.box, COUNT * sizeof *box);
    set_destroy(&set);
}

// plates and needles, 1 : 10^4
static void fill_thin(SticBounds* box)
{
    SticRandom random = stic_random_create(5);
    for (int32_t i = 0; i < COUNT; ++i) {
        double size[3] = {0.06, 0.06, 0.06};
        const uint64_t bits = stic_random_bits(&random);
        size[bits % 3] = 6e-6;
        if (bits & 64)
            size[(bits % 3 + 1) % 3] = 6e-6;
        box[i] = random_box(&random, size[0], size[1], size[2]);
    }
}

// a few as large as the world, some middling, the rest down to a 10^-4th of the largest
static void fill_ratio(SticBounds* box)
{
    SticRandom random = stic_random_create(6);
    for (int32_t i = 0; i < COUNT; ++i) {
        const double size = i % 5000 == 0  ? pick(&random, 0.5, 2.0)
                            : i % 100 == 0 ? pick(&random, 0.02, 0.1)
                                           : 0.02 * pow(10.0, -pick(&random, 0.0, 2.0));
        box[i] = random_box(&random, size, size, size);
    }
}

// stacks of ten identical boxes, some flat
static void fill_coincident(SticBounds* box)
{
    SticRandom random = stic_random_create(7);
    for (int32_t i = 0; i < COUNT; ++i)
        box[i] = i % 10 != 0 ? box[i - 1] : random_box(&random, 0.02, i % 20 ? 0.0 : 0.02, 0.02);
}

// unit cubes that share faces, edges and corners
static void fill_touching(SticBounds* box)
{
    for (int32_t i = 0; i < COUNT; ++i) {
        const double x = i % 50, y = i / 50 % 50, z = i / 2500;
        box[i] = (SticBounds){{x, y, z}, {x + 1, y + 1, z + 1}};
    }
}

static void fill_set(int set, SticBounds* box)
{
    switch (set) {
    case 3:
        fill_thin(box);
        break;
    case 4:
        fill_ratio(box);
        break;
    case 5:
        fill_coincident(box);
        break;
    case 6:
        fill_touching(box);
        break;
    default:
        fill_cubes(set, box);
        break;
    }
}

static const char* const names[] = {"random",     "adjacent",   "spherical", "thin",
                                    "size ratio", "coincident", "touching"};

enum { SETS = sizeof names / sizeof *names };

/* ---- tests ---- */

static SticBroad* make_broad(const SticContext* context, int method, const SticBounds* box,
                             int32_t count)
{
    SticBroadSettings settings = stic_broad_default_settings();
    SticBroad* broad = NULL;
    settings.method = method;
    assert_int_equal(stic_broad_create(context, &settings, &broad, NULL), STIC_OK);
    for (int32_t i = 0; i < count; ++i) {
        int32_t handle = -1;
        const SticBroadItem item = {.box = box[i]};
        assert_int_equal(stic_broad_insert(broad, &item, &handle, NULL), STIC_OK);
        assert_int_equal(handle, i);
    }
    return broad;
}

static bool same_pairs(const SticBoxPair* a, int64_t a_count, const SticBoxPair* b, int64_t b_count)
{
    return a_count == b_count && (a_count == 0 || memcmp(a, b, (size_t)a_count * sizeof *a) == 0);
}

static void methods_agree_on_large_sets(void** state)
{
    (void)state;
    const SticContext context = stic_context_default();
    SticBounds* box = malloc(COUNT * sizeof *box);
    const TestTable table = test_table_begin("100000 boxes: seconds of the first update",
                                             "set       |   pairs|  tree|hash3d|   h2d|h2dpst|"
                                             "h1dpst| pst2d|hybrid| brute");
    for (int s = 0; s < SETS; ++s) {
        SticBroadChanges first = {0};
        double seconds[STIC_BROAD_METHOD_COUNT];
        fill_set(s, box);
        SticBroad* brute = make_broad(&context, STIC_BROAD_BRUTE, box, COUNT);
        double start = stic_timer_seconds();
        assert_int_equal(stic_broad_update(brute, NULL, &first, NULL), STIC_OK);
        seconds[STIC_BROAD_BRUTE] = stic_timer_seconds() - start;
        for (int method = 0; method < STIC_BROAD_BRUTE; ++method) {
            SticBroadChanges changes;
            SticBroad* broad = make_broad(&context, method, box, COUNT);
            start = stic_timer_seconds();
            assert_int_equal(stic_broad_update(broad, NULL, &changes, NULL), STIC_OK);
            seconds[method] = stic_timer_seconds() - start;
            if (!same_pairs(changes.pairs, changes.pair_count, first.pairs, first.pair_count))
                fail_msg("%s on %s: %lld pairs instead of %lld", stic_broad_method_name(method),
                         names[s], (long long)changes.pair_count, (long long)first.pair_count);
            stic_broad_destroy(broad);
        }
        test_table_row(&table, "%s|%lld|%.3f|%.3f|%.3f|%.3f|%.3f|%.3f|%.3f|%.2f", names[s],
                       (long long)first.pair_count, seconds[0], seconds[1], seconds[2], seconds[3],
                       seconds[4], seconds[5], seconds[6], seconds[7]);
        stic_broad_destroy(brute);
    }
    free(box);
}

// one frame of everything for all subjects: moves, deletions, insertions, exclusions
static void disturb(SticBroad** subject, int subjects, BoxSet* set, int frame, SticRandom* random)
{
    const double motion[] = {0.001, 0.01, 0.01, 0.05, 0.5, 0.0};
    set_move(set, motion[frame % 6]);
    if (frame % 8 == 7)
        set_shuffle(set, random);
    for (int32_t k = 0; k < 200; ++k) {
        const int32_t slot = (int32_t)(stic_random_bits(random) % (uint64_t)set->count);
        const int32_t other = (int32_t)(stic_random_bits(random) % (uint64_t)set->count);
        const bool alive = stic_broad_alive(subject[0], slot);
        for (int i = 0; i < subjects; ++i) {
            test_equal(stic_broad_alive(subject[i], slot), alive);
            if (alive && frame % 2 == 0)
                assert_int_equal(stic_broad_delete(subject[i], slot, NULL), STIC_OK);
            else if (alive && slot != other && stic_broad_alive(subject[i], other))
                assert_int_equal(stic_broad_exclude(subject[i], slot, other, NULL), STIC_OK);
        }
    }
    // free handles are filled again, in the same order for all
    for (int32_t k = 0; frame % 2 == 1 && k < 150; ++k) {
        if (stic_broad_count(subject[0]) + 210 > set->count)
            break;
        for (int i = 0; i < subjects; ++i) {
            int32_t handle = -1;
            const SticBroadItem item = {.box = set->box[k], .group = k % 3};
            assert_int_equal(stic_broad_insert(subject[i], &item, &handle, NULL), STIC_OK);
            assert_in_range(handle, 0, set->count - 1);
        }
    }
}

static void frames_of_everything_agree(void** state)
{
    (void)state;
    enum { SUBJECTS = 5, BOXES = 30000, FRAMES = 60 };
    SticContext context = stic_context_default(), pooled = stic_context_default();
    SticPool* pool = NULL;
    assert_int_equal(stic_pool_create(&context, 2, &pool), STIC_OK);
    pooled.pool = pool;
    BoxSet set = set_create(SET_RANDOM, BOXES, 9);
    set_size(&set, 10.0);
    SticBroad* subject[SUBJECTS] = {make_broad(&context, STIC_BROAD_TREE, set.box, BOXES),
                                    make_broad(&pooled, STIC_BROAD_TREE, set.box, BOXES),
                                    make_broad(&context, STIC_BROAD_HASH3D, set.box, BOXES),
                                    make_broad(&context, STIC_BROAD_SWEEP_H1DPST, set.box, BOXES),
                                    make_broad(&context, STIC_BROAD_HYBRID, set.box, BOXES)};
    SticRandom random = stic_random_create(1);
    int64_t events = 0;
    for (int frame = 0; frame < FRAMES; ++frame) {
        SticBroadChanges changes[SUBJECTS];
        disturb(subject, SUBJECTS, &set, frame, &random);
        for (int i = 0; i < SUBJECTS; ++i) {
            assert_int_equal(stic_broad_update(subject[i], set.box, &changes[i], NULL), STIC_OK);
            assert_true(same_pairs(changes[i].pairs, changes[i].pair_count, changes[0].pairs,
                                   changes[0].pair_count));
            assert_true(same_pairs(changes[i].created, changes[i].created_count, changes[0].created,
                                   changes[0].created_count));
            assert_true(same_pairs(changes[i].released, changes[i].released_count,
                                   changes[0].released, changes[0].released_count));
        }
        events += changes[0].created_count + changes[0].released_count;
    }
    print_message("%lld events in %d frames of %d boxes, the same five times\n", (long long)events,
                  (int)FRAMES, (int)BOXES);
    for (int i = 0; i < SUBJECTS; ++i)
        stic_broad_destroy(subject[i]);
    stic_pool_destroy(pool);
    set_destroy(&set);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(methods_agree_on_large_sets),
        cmocka_unit_test(frames_of_everything_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
