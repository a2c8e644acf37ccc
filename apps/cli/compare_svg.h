// SPDX-License-Identifier: Apache-2.0
// Work-precision diagrams: error against cost, one curve per scheme.
#ifndef STIC_CLI_COMPARE_SVG_H
#define STIC_CLI_COMPARE_SVG_H

#include "stiction/extend/file.h"

/// One run of a comparison.
typedef struct CliComparePoint {
    const char* scheme;
    double step, error, order, seconds, integration, penetration;
    int64_t iterations, steps, missed, events;
    bool done, reference;
    const char* text; ///< why it is not done
} CliComparePoint;

/// Write the diagram; points of one scheme follow each other.
SticStatus cli_compare_svg(SticReplace* file, const char* title, const CliComparePoint* point,
                           int32_t count, SticError* error);

#endif
