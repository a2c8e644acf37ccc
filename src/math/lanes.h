// SPDX-License-Identifier: Apache-2.0
// Four numbers side by side, as vectors of gcc and clang.
//
// The operations of each lane are those of a single number in the same order, and fused
// multiply-add stays off, so that results are bit for bit those of plain code; where the processor
// has narrower registers the compiler splits the vectors. A file that computes with lanes defines
// LANES_TARGET, the attribute of every function (nothing, or target("avx2")), and LANES_AVX where
// intrinsics of AVX may be used, before it includes this one.
#ifndef STIC_MATH_LANES_H
#define STIC_MATH_LANES_H

#include <stdbool.h>
#include <stdint.h>

enum { STIC_LANES = 4 };

typedef double SticLanes __attribute__((vector_size(32), aligned(32)));
/// All bits of a lane, or none.
typedef int64_t SticLaneMask __attribute__((vector_size(32)));

#ifdef LANES_TARGET

#include <math.h>
#include <string.h>
#ifdef LANES_AVX
#include <immintrin.h>
#endif

// vectors are handed over between functions of one file only, which are all inlined
#pragma GCC diagnostic ignored "-Wpsabi"

#define LANES_INLINE static inline __attribute__((always_inline, unused)) LANES_TARGET

LANES_INLINE SticLanes lanes_pick(SticLaneMask mask, SticLanes yes, SticLanes no)
{
    return (SticLanes)(((SticLaneMask)yes & mask) | ((SticLaneMask)no & ~mask));
}

LANES_INLINE bool lanes_any(SticLaneMask mask)
{
#ifdef LANES_AVX
    return _mm256_movemask_pd((__m256d)mask) != 0;
#else
    return (mask[0] | mask[1] | mask[2] | mask[3]) != 0;
#endif
}

LANES_INLINE SticLanes lanes_all(double x)
{
    return (SticLanes){x, x, x, x};
}

LANES_INLINE SticLanes lanes_root(SticLanes x)
{
#ifdef LANES_AVX
    return (SticLanes)_mm256_sqrt_pd((__m256d)x);
#else
    return (SticLanes){sqrt(x[0]), sqrt(x[1]), sqrt(x[2]), sqrt(x[3])};
#endif
}

LANES_INLINE SticLanes lanes_abs(SticLanes x)
{
    return (SticLanes)((SticLaneMask)x & INT64_MAX);
}

// rows into columns
LANES_INLINE void lanes_transpose(SticLanes x[4])
{
    const SticLanes a = __builtin_shufflevector(x[0], x[1], 0, 4, 2, 6);
    const SticLanes b = __builtin_shufflevector(x[0], x[1], 1, 5, 3, 7);
    const SticLanes c = __builtin_shufflevector(x[2], x[3], 0, 4, 2, 6);
    const SticLanes d = __builtin_shufflevector(x[2], x[3], 1, 5, 3, 7);
    x[0] = __builtin_shufflevector(a, c, 0, 1, 4, 5);
    x[1] = __builtin_shufflevector(b, d, 0, 1, 4, 5);
    x[2] = __builtin_shufflevector(a, c, 2, 3, 6, 7);
    x[3] = __builtin_shufflevector(b, d, 2, 3, 6, 7);
}

// four doubles from anywhere
LANES_INLINE SticLanes lanes_load(const double* from)
{
    SticLanes x;
    memcpy(&x, from, sizeof x);
    return x;
}

LANES_INLINE void lanes_store(SticLanes x, double* to)
{
    memcpy(to, &x, sizeof x);
}

// numbers from[k][0..3] of lane k
LANES_INLINE void lanes_gather(const double* const from[4], SticLanes x[4])
{
    for (int k = 0; k < STIC_LANES; ++k)
        x[k] = lanes_load(from[k]);
    lanes_transpose(x);
}

// x[0..3] of lane k to to[k][0..3]; x is used up
LANES_INLINE void lanes_scatter(SticLanes x[4], double* const to[4])
{
    lanes_transpose(x);
    for (int k = 0; k < STIC_LANES; ++k)
        lanes_store(x[k], to[k]);
}

#endif

#endif
