// SPDX-License-Identifier: Apache-2.0
// Locale-free reading and writing of numbers.
#ifndef STIC_BASE_NUMBER_H
#define STIC_BASE_NUMBER_H

#include <stddef.h>

/// Parse a decimal number (or inf, nan) with '.' as the point, whatever the locale. Returns the
/// first character after it, or NULL if there is no number or it has more than 400 letters. A number
/// that is too large becomes infinite: a caller that wants finite numbers checks the value.
const char* stic_number_parse(const char* text, double* value);

/// Shortest of %.15g, %.16g, %.17g that reads back as the same double, with '.' as the point;
/// `size` >= 32.
void stic_number_format(double value, char* text, size_t size);

#endif
