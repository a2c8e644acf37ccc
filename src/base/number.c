// SPDX-License-Identifier: Apache-2.0
// Locale-free reading and writing of numbers.
//
// strtod and printf follow the thread's locale, which a host program may set to one with a decimal
// comma. The text is therefore translated to and from that locale's point around the C library's
// exact conversion.
#include "base/number.h"

#include <langinfo.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST_NUMBER = 400 };

// not localeconv: its result is one static struct that every thread overwrites
static const char* locale_point(void)
{
    const char* point = nl_langinfo(RADIXCHAR);
    return point[0] != '\0' ? point : ".";
}

// letters that can belong to a number; hexadecimal floats are not accepted
static size_t number_span(const char* text)
{
    const size_t digits = strspn(text, "0123456789+-.eE");
    if (digits > 0 && !(digits == 1 && strchr("+-", text[0]) != NULL))
        return digits;
    return digits + strspn(text + digits, "aAfFiInNtTyY");
}

const char* stic_number_parse(const char* text, double* value)
{
    const char* start = text + strspn(text, " \t");
    const size_t span = number_span(start);
    char copy[LONGEST_NUMBER + 8];
    if (span == 0 || span > LONGEST_NUMBER)
        return NULL;

    // copy the digits with the locale's point in place of '.'
    const char* point = locale_point();
    const size_t point_length = strlen(point);
    size_t used = 0;
    bool seen_point = false;
    size_t point_at = 0;
    for (size_t i = 0; i < span; ++i) {
        if (start[i] != '.') {
            copy[used++] = start[i];
            continue;
        }
        if (seen_point || point_length > 4)
            return NULL;
        seen_point = true;
        point_at = used;
        memcpy(copy + used, point, point_length);
        used += point_length;
    }
    copy[used] = '\0';

    char* end = NULL;
    *value = strtod(copy, &end);
    if (end == copy)
        return NULL;
    size_t taken = (size_t)(end - copy);
    if (seen_point && taken > point_at)
        taken -= point_length - 1;
    return start + taken;
}

void stic_number_format(double value, char* text, size_t size)
{
    if (value != value) {
        snprintf(text, size, "nan"); // no sign: it says nothing and differs between machines
        return;
    }
    for (int digits = 15; digits <= 17; ++digits) {
        snprintf(text, size, "%.*g", digits, value);
        if (strtod(text, NULL) == value)
            break;
    }
    const char* point = locale_point();
    char* at = strcmp(point, ".") == 0 ? NULL : strstr(text, point);
    if (at != NULL) {
        *at = '.';
        memmove(at + 1, at + strlen(point), strlen(at + strlen(point)) + 1);
    }
}
