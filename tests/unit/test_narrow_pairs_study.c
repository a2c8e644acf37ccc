// SPDX-License-Identifier: Apache-2.0
// Patches, distances and depths of 1e6 pairs.
#define PAIRS 1000000
#include "unit/test_narrow_pairs.c"
