// SPDX-License-Identifier: Apache-2.0
// Compensated sums and inner products for verifiers: the error is that of one rounding plus n^2
// 2^-106 times the condition of the sum (Ogita, Rump, Oishi 2005, proposition 5.5).
#include "math/extended.h"

SticPair stic_extended_dot_pair(SticPair start, const double* a, const double* b, size_t count)
{
    for (size_t i = 0; i < count; ++i) {
        const SticPair product = stic_pair_product(a[i], b[i]);
        const SticPair sum = stic_pair_sum(start.high, product.high);
        start.high = sum.high;
        start.low += sum.low + product.low;
    }
    return stic_pair_sum(start.high, start.low);
}
