// SPDX-License-Identifier: Apache-2.0
// Hash: sensitivity and an independent evaluation; random numbers: published sequences and moments.
#include <math.h>
#include <string.h>

#include "helpers/helpers.h"

__extension__ typedef unsigned __int128 Wide;

// the hash again, with the compiler's 128-bit product instead of four 32-bit ones
static uint64_t folded(uint64_t a, uint64_t b)
{
    const Wide product = (Wide)a * b;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static uint64_t reference_hash(uint64_t hash, const unsigned char* bytes, size_t count)
{
    uint64_t state = hash ^ 0x9e3779b97f4a7c15u;
    for (size_t i = 0; i < count; i += 8) {
        uint64_t word = 0;
        for (size_t k = 0; k < 8 && i + k < count; ++k)
            word |= (uint64_t)bytes[i + k] << (8 * k);
        state = folded(state ^ word, 0xd6e8feb86659fd93u);
    }
    return folded(state ^ count, 0xa0761d6478bd642fu);
}

static void the_hash_equals_an_independent_evaluation(void** state)
{
    (void)state;
    SticRandom random = stic_random_create(5);
    unsigned char bytes[64];
    for (int round = 0; round < 2000; ++round) {
        for (size_t i = 0; i < sizeof bytes; ++i)
            bytes[i] = (unsigned char)stic_random_bits(&random);
        const size_t count = (size_t)round % (sizeof bytes + 1);
        const uint64_t chain = stic_random_bits(&random);
        test_equal(stic_hash_bytes(chain, bytes, count), reference_hash(chain, bytes, count));
    }
}

// the value is part of every determinism record: it must not change unnoticed
static void known_values(void** state)
{
    (void)state;
    const double values[] = {1.0, -2.5, 0.0};
    print_message("hash(\"\") %016llx, hash(\"stiction\") %016llx, hash(1, -2.5, 0) %016llx\n",
                  (unsigned long long)stic_hash_bytes(0, "", 0),
                  (unsigned long long)stic_hash_bytes(0, "stiction", 8),
                  (unsigned long long)stic_hash_doubles(0, values, 3));
    test_equal(stic_hash_bytes(0, "", 0), 0x670527f286862c69u);
    test_equal(stic_hash_bytes(0, "stiction", 8), 0xe58ef716c36f4d73u);
    test_equal(stic_hash_doubles(0, values, 3), 0xb1f97883f43e1ae3u);
}

static int bits_set(uint64_t x)
{
    int count = 0;
    for (; x != 0; x &= x - 1)
        ++count;
    return count;
}

// flipping one input bit flips each output bit with probability 1/2
static void avalanche(void** state)
{
    (void)state;
    enum { BYTES = 16, ROUNDS = 1000 };
    SticRandom random = stic_random_create(11);
    double flips[64] = {0};
    double worst_input = 0.5;
    for (int bit = 0; bit < 8 * BYTES; ++bit) {
        double flipped = 0.0;
        for (int round = 0; round < ROUNDS; ++round) {
            uint64_t data[BYTES / 8] = {stic_random_bits(&random), stic_random_bits(&random)};
            const uint64_t before = stic_hash_bytes(0, data, BYTES);
            data[bit / 64] ^= (uint64_t)1 << (bit % 64);
            const uint64_t change = before ^ stic_hash_bytes(0, data, BYTES);
            flipped += bits_set(change);
            for (int i = 0; i < 64; ++i)
                flips[i] += (double)((change >> i) & 1u);
        }
        const double rate = flipped / (64.0 * ROUNDS);
        if (fabs(rate - 0.5) > fabs(worst_input - 0.5))
            worst_input = rate;
    }
    double worst_output = 0.5;
    for (int i = 0; i < 64; ++i) {
        const double rate = flips[i] / (8.0 * BYTES * ROUNDS);
        if (fabs(rate - 0.5) > fabs(worst_output - 0.5))
            worst_output = rate;
    }
    print_message("worst flip rate: %.4f per input bit, %.4f per output bit\n", worst_input,
                  worst_output);
    // standard deviations 0.5/sqrt(64000) = 0.002 and 0.5/sqrt(128000) = 0.0014; five of them
    test_less(fabs(worst_input - 0.5), 5 * 0.5 / sqrt(64.0 * ROUNDS));
    test_less(fabs(worst_output - 0.5), 5 * 0.5 / sqrt(8.0 * BYTES * ROUNDS));
}

static void lengths_and_chains_matter(void** state)
{
    (void)state;
    const unsigned char zeros[32] = {0};
    uint64_t seen[33];
    for (size_t i = 0; i <= 32; ++i) {
        seen[i] = stic_hash_bytes(0, zeros, i);
        for (size_t j = 0; j < i; ++j)
            assert_true(seen[i] != seen[j]);
    }
    const uint64_t ab = stic_hash_bytes(stic_hash_bytes(0, "a", 1), "b", 1);
    const uint64_t ba = stic_hash_bytes(stic_hash_bytes(0, "b", 1), "a", 1);
    assert_true(ab != ba);
}

static void doubles_are_hashed_by_value(void** state)
{
    (void)state;
    const double plus[2] = {0.0, 1.0}, minus[2] = {-0.0, 1.0};
    const double next[2] = {0.0, 1.0 + 0x1p-52}, tiny[2] = {0x1p-1074, 1.0};
    test_equal(stic_hash_doubles(3, plus, 2), stic_hash_doubles(3, minus, 2));
    assert_true(stic_hash_doubles(3, plus, 2) != stic_hash_doubles(3, next, 2));
    assert_true(stic_hash_doubles(3, plus, 2) != stic_hash_doubles(3, tiny, 2));
}

// splitmix64 from seed 1234567 and xoshiro256** from state 1, 2, 3, 4: the sequences of the
// authors' code
static void published_sequences(void** state)
{
    (void)state;
    const uint64_t splitmix[4] = {6457827717110365317u, 3203168211198807973u, 9817491932198370423u,
                                  4593380528125082431u};
    const SticRandom seeded = stic_random_create(1234567);
    for (int i = 0; i < 4; ++i)
        test_equal(seeded.state[i], splitmix[i]);

    const uint64_t xoshiro[10] = {11520u,
                                  0u,
                                  1509978240u,
                                  1215971899390074240u,
                                  1216172134540287360u,
                                  607988272756665600u,
                                  16172922978634559625u,
                                  8476171486693032832u,
                                  10595114339597558777u,
                                  2904607092377533576u};
    SticRandom random = {.state = {1, 2, 3, 4}};
    for (int i = 0; i < 10; ++i)
        test_equal(stic_random_bits(&random), xoshiro[i]);
}

static void uniform_moments(void** state)
{
    (void)state;
    enum { COUNT = 1000000, BINS = 64 };
    SticRandom random = stic_random_create(17);
    double mean = 0.0, square = 0.0, product = 0.0, last = 0.5, low = 1.0, high = 0.0;
    double bins[BINS] = {0};
    for (int i = 0; i < COUNT; ++i) {
        const double x = stic_random_uniform(&random);
        mean += x;
        square += x * x;
        product += (x - 0.5) * (last - 0.5);
        last = x;
        low = x < low ? x : low;
        high = x > high ? x : high;
        bins[(int)(x * BINS)] += 1.0;
    }
    mean /= COUNT;
    square /= COUNT;
    product /= COUNT;
    double chi = 0.0;
    for (int i = 0; i < BINS; ++i)
        chi += pow(bins[i] - (double)COUNT / BINS, 2.0) / ((double)COUNT / BINS);
    print_message("mean %.6f, second moment %.6f, lag-1 covariance %.1e, chi-square(63) %.1f\n",
                  mean, square, product, chi);
    test_at_least(low, 0.0);
    test_less(high, 1.0);
    // five standard deviations: var(x) = 1/12, var(x^2) = 4/45, var(product) = 1/144
    test_less(fabs(mean - 0.5), 5 * sqrt(1.0 / 12 / COUNT));
    test_less(fabs(square - 1.0 / 3), 5 * sqrt(4.0 / 45 / COUNT));
    test_less(fabs(product), 5 * sqrt(1.0 / 144 / COUNT));
    // chi-square with 63 degrees: mean 63, standard deviation sqrt(126) = 11.2
    test_greater(chi, 63 - 4 * 11.2);
    test_less(chi, 63 + 5 * 11.2);
}

static void a_range_excludes_its_upper_end(void** state)
{
    (void)state;
    SticRandom random = stic_random_create(23);
    for (int i = 0; i < 10000; ++i) {
        // only two numbers lie in this range's closure: plain rounding would give the end half the
        // time
        test_equal(stic_random_range(&random, 1.0, 1.0 + 0x1p-52), 1.0);
        const double x = stic_random_range(&random, -3.0, 2.0);
        test_at_least(x, -3.0);
        test_less(x, 2.0);
    }
}

static void seeds_give_different_and_repeatable_sequences(void** state)
{
    (void)state;
    SticRandom a = stic_random_create(0), b = stic_random_create(0), c = stic_random_create(1);
    int equal = 0;
    for (int i = 0; i < 1000; ++i) {
        const uint64_t x = stic_random_bits(&a);
        test_equal(x, stic_random_bits(&b));
        equal += x == stic_random_bits(&c);
    }
    assert_int_equal(equal, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_hash_equals_an_independent_evaluation),
        cmocka_unit_test(known_values),
        cmocka_unit_test(avalanche),
        cmocka_unit_test(lengths_and_chains_matter),
        cmocka_unit_test(doubles_are_hashed_by_value),
        cmocka_unit_test(published_sequences),
        cmocka_unit_test(uniform_moments),
        cmocka_unit_test(a_range_excludes_its_upper_end),
        cmocka_unit_test(seeds_give_different_and_repeatable_sequences),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
