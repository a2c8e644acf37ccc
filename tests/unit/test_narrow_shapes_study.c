// SPDX-License-Identifier: Apache-2.0
// Depths of 36 000 pairs of shapes of all kinds.
#define PAIRS 1000
#include "unit/test_narrow_shapes.c"
