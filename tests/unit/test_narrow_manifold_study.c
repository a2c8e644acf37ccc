// SPDX-License-Identifier: Apache-2.0
// Patches of 1e6 random pairs.
#define PAIRS 1000000
#include "unit/test_narrow_manifold.c"
