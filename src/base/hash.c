// SPDX-License-Identifier: Apache-2.0
// 64-bit hash of state and a small random number generator.
#include "stiction/extend/base.h"

#include <string.h>

// multiply and fold: each 8-byte word is mixed by a 64 x 64 -> 128 bit product (wyhash family)
static uint64_t mixed(uint64_t a, uint64_t b)
{
#ifdef __SIZEOF_INT128__
    __extension__ typedef unsigned __int128 Product;
    const Product product = (Product)a * b;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
#else
    const uint64_t a_low = a & 0xffffffffu, a_high = a >> 32;
    const uint64_t b_low = b & 0xffffffffu, b_high = b >> 32;
    const uint64_t cross = (a_low * b_low >> 32) + (a_high * b_low & 0xffffffffu) + a_low * b_high;
    const uint64_t high = a_high * b_high + (a_high * b_low >> 32) + (cross >> 32);
    return (a * b) ^ high;
#endif
}

uint64_t stic_hash_bytes(uint64_t hash, const void* bytes, size_t count)
{
    const unsigned char* at = bytes;
    uint64_t state = hash ^ 0x9e3779b97f4a7c15u, word = 0;
    size_t left = count;
    for (; left >= sizeof word; left -= sizeof word, at += sizeof word) {
        memcpy(&word, at, sizeof word);
        state = mixed(state ^ word, 0xd6e8feb86659fd93u);
    }
    if (left > 0) {
        word = 0;
        memcpy(&word, at, left);
        state = mixed(state ^ word, 0xd6e8feb86659fd93u);
    }
    return mixed(state ^ count, 0xa0761d6478bd642fu);
}

uint64_t stic_hash_doubles(uint64_t hash, const double* values, size_t count)
{
    uint64_t state = hash ^ 0x9e3779b97f4a7c15u;
    for (size_t i = 0; i < count; ++i) {
        const double value = values[i] == 0.0 ? 0.0 : values[i]; // -0 and 0 are one state
        uint64_t word = 0;
        memcpy(&word, &value, sizeof word);
        state = mixed(state ^ word, 0xd6e8feb86659fd93u);
    }
    return mixed(state ^ count, 0xa0761d6478bd642fu);
}

// splitmix64 spreads a seed over the state (Steele, Lea, Flood 2014)
SticRandom stic_random_create(uint64_t seed)
{
    SticRandom random;
    for (int i = 0; i < 4; ++i) {
        seed += 0x9e3779b97f4a7c15u;
        uint64_t z = seed;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
        random.state[i] = z ^ (z >> 31);
    }
    return random;
}

static uint64_t rotated(uint64_t x, int k)
{
    return (x << k) | (x >> (64 - k));
}

// xoshiro256** (Blackman, Vigna 2018)
uint64_t stic_random_bits(SticRandom* random)
{
    STIC_ASSERT(random != NULL);
    uint64_t* s = random->state;
    const uint64_t result = rotated(s[1] * 5, 7) * 9;
    const uint64_t t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = rotated(s[3], 45);
    return result;
}

double stic_random_uniform(SticRandom* random)
{
    STIC_ASSERT(random != NULL);
    return (double)(stic_random_bits(random) >> 11) * 0x1p-53;
}

double stic_random_range(SticRandom* random, double low, double high)
{
    STIC_ASSERT(random != NULL);
    // rounding can reach the open end of a narrow interval
    const double value = low + (high - low) * stic_random_uniform(random);
    return value < high ? value : low;
}
