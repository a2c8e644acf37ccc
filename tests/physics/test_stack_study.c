// SPDX-License-Identifier: Apache-2.0
// Stacks at rest for a thousand seconds.
#define STACK_SECONDS 1000.0
#include "physics/test_stack.c"
