// SPDX-License-Identifier: Apache-2.0
// The first bytes of an HDF5 file: marks of its writer and the end of its data.
//
// HDF5 File Format Specification 3.0, II.A: signature (8 bytes), version, size of offsets, size of
// lengths, marks, base address, address of the extension, end of file, address of the root, and a
// checksum of all this, which is Bob Jenkins's lookup3 (2006, public domain).
#include "file/superblock.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

enum { VERSION_AT = 8, MARKS_AT = 11, END_AT = 28, SUM_AT = 44, WRITING = 1, SHARED = 4 };

static const unsigned char signature[] = {0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n', 3, 8, 8};

static uint32_t turn(uint32_t x, int bits)
{
    return (x << bits) | (x >> (32 - bits));
}

static uint32_t word(const unsigned char* at)
{
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static void put_word(unsigned char* at, uint32_t value)
{
    for (int i = 0; i < 4; ++i)
        at[i] = (unsigned char)(value >> (8 * i));
}

static void mix(uint32_t s[3])
{
    static const int bits[] = {4, 6, 8, 16, 19, 4};
    // a -= c, a ^= c turned, c += b; then the same for b, c, a in turn
    for (int i = 0; i < 6; ++i) {
        uint32_t *a = &s[i % 3], *b = &s[(i + 1) % 3], *c = &s[(i + 2) % 3];
        *a -= *c;
        *a ^= turn(*c, bits[i]);
        *c += *b;
    }
}

static void finish(uint32_t s[3])
{
    static const int bits[] = {14, 11, 25, 16, 4, 14, 24};
    // c ^= b, c -= b turned; then a with c, b with a, and so on
    for (int i = 0; i < 7; ++i) {
        uint32_t *to = &s[(i + 2) % 3], *from = &s[(i + 1) % 3];
        *to ^= *from;
        *to -= turn(*from, bits[i]);
    }
}

// lookup3 of the 44 bytes before the checksum: three rounds of 12 bytes and the last 8
static uint32_t checksum(const unsigned char block[STIC_SUPERBLOCK])
{
    const uint32_t begin = 0xdeadbeefu + SUM_AT;
    uint32_t s[3] = {begin, begin, begin};
    int at = 0;
    for (; at + 12 < SUM_AT; at += 12) {
        for (int k = 0; k < 3; ++k)
            s[k] += word(block + at + 4 * k);
        mix(s);
    }
    s[0] += word(block + at);
    s[1] += word(block + at + 4);
    finish(s);
    return s[2];
}

static bool is_sound(const unsigned char block[STIC_SUPERBLOCK])
{
    return memcmp(block, signature, sizeof signature) == 0 &&
           word(block + SUM_AT) == checksum(block);
}

SticMarks stic_superblock_marks(const unsigned char block[STIC_SUPERBLOCK])
{
    if (!is_sound(block) || (block[MARKS_AT] & (WRITING | SHARED)) == 0)
        return STIC_MARKS_NONE;
    return (block[MARKS_AT] & SHARED) != 0 ? STIC_MARKS_GROW : STIC_MARKS_CHANGE;
}

SticMarks stic_superblock_look(const char* path)
{
    unsigned char block[STIC_SUPERBLOCK];
    const int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor < 0)
        return STIC_MARKS_NONE;
    const ssize_t count = pread(descriptor, block, sizeof block, 0);
    close(descriptor);
    return count == (ssize_t)sizeof block ? stic_superblock_marks(block) : STIC_MARKS_NONE;
}

void stic_superblock_settle(unsigned char block[STIC_SUPERBLOCK], uint64_t size)
{
    if (!is_sound(block))
        return;
    const uint64_t end = word(block + END_AT) | (uint64_t)word(block + END_AT + 4) << 32;
    block[MARKS_AT] = 0;
    if (end < size) {
        put_word(block + END_AT, (uint32_t)size);
        put_word(block + END_AT + 4, (uint32_t)(size >> 32));
    }
    put_word(block + SUM_AT, checksum(block));
}
