// SPDX-License-Identifier: Apache-2.0
// Every lie of every pair of shapes under 1e5 jitters.
#define JITTERS 100000
#include "unit/test_narrow_lies.c"
