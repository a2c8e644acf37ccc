// SPDX-License-Identifier: Apache-2.0
// Clipping against polarity on 1e5 pairs.
#define PAIRS 100000
#include "unit/test_narrow_intersect.c"
