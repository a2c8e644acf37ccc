// SPDX-License-Identifier: Apache-2.0
// Histories as a picture for papers: SVG with one panel per quantity over a common time.
#ifndef STIC_CLI_SVG_H
#define STIC_CLI_SVG_H

#include "stiction/extend/file.h"
#include "stiction/extend/result.h"

/// A picture to be written.
typedef struct CliSvg {
    const SticHistory* panel; ///< [panels]
    int32_t panels;
    const char *title, *caption; ///< above and below; "" for none
} CliSvg;

/// Write the picture.
SticStatus cli_svg_write(const CliSvg* svg, SticReplace* file, SticError* error);

#endif
