// SPDX-License-Identifier: Apache-2.0
// Compensated sums and inner products for verifiers: the error is that of one rounding plus n^2
// 2^-106 times the condition of the sum (Ogita, Rump, Oishi 2005, proposition 5.5).
#include "math/extended.h"

SticExtended stic_extended_dot_pair(SticExtended start, const double* a, const double* b,
                                    size_t count)
{
    for (size_t i = 0; i < count; ++i) {
        const SticExtended product = stic_extended_product(a[i], b[i]);
        const SticExtended sum = stic_extended_sum(start.high, product.high);
        start.high = sum.high;
        start.low += sum.low + product.low;
    }
    return stic_extended_sum(start.high, start.low);
}
