// SPDX-License-Identifier: Apache-2.0
// Measures of contacts, one by one or four at a time.
#ifndef STIC_WORLD_MEASURE_H
#define STIC_WORLD_MEASURE_H

#include "math/lanes.h"
#include "world/contact.h"
#include "world/world.h"

struct SticMeasureTask;

/// Four contacts of one kernel between rigid or fixed bodies in one chart, of one order (below),
/// with `rows` (1 or 3) rows each; the same bits as one by one. False: left to that.
typedef bool SticMeasureLanes(const struct SticMeasureTask* task, SticContactKernel kernel,
                              int32_t rows, const int32_t contact[4]);

/// What one call of measure is about.
typedef struct SticMeasureTask {
    const SticView* view;
    const SticSet* set;
    const SticState* state;
    SticMeasures* out;
    SticMeasureLanes* lanes; ///< NULL: one by one
} SticMeasureTask;

/// Which of two blocks has the first columns: 0 for A, 1 for B.
static inline int stic_measure_order(const SticInteraction* interaction)
{
    return interaction->block[1] >= 0 && interaction->block[1] < interaction->block[0];
}

/// What is measured in lanes.
enum {
    STIC_LANES_WANT =
        STIC_WANT_GAP | STIC_WANT_CHI | STIC_WANT_H | STIC_WANT_SPEED | STIC_WANT_TANGENT
};

/// For this processor; `plain`: for the base instruction set, which gives the same bits.
SticMeasureLanes* stic_measure_lanes(bool plain);
/// The one for AVX2, NULL on other processors; measure_avx2.c.
SticMeasureLanes* stic_measure_lanes_avx2(void);

#endif
