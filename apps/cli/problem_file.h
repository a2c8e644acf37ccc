// SPDX-License-Identifier: Apache-2.0
// What commands on problem files share: the option --format, reading with a report, sizes.
#ifndef STIC_CLI_PROBLEM_FILE_H
#define STIC_CLI_PROBLEM_FILE_H

#include "options.h"
#include "stiction/extend/problem.h"

/// Table entry of --format.
#define CLI_OPTION_FORMAT                                                                          \
    {                                                                                              \
        "format", 0, "FORMAT",                                                                     \
            "format of the input: auto, fclib, local, global, lcp, rolling (default auto: by "     \
            "contents)"                                                                            \
    }

/// The format that --format names; auto without the option.
CliExit cli_format_option(const CliCall* call, SticFormat* format);
/// Read a problem; a failure is reported with its place.
CliExit cli_problem_read(const SticContext* context, const char* path, SticFormat format,
                         SticProblemStore** store);

/// Sizes of a problem as people count them.
typedef struct CliSizes {
    int32_t contacts;     ///< unilateral contacts
    int32_t contact_rows; ///< rows of these
    int32_t dimension;    ///< of the space the contacts live in, 1-3; 0 without contacts
    int32_t free_rows;    ///< bilateral rows
    double density;       ///< rows of contacts per velocity; not a number where these are unknown
} CliSizes;

/// Count.
CliSizes cli_problem_sizes(const SticProblem* problem);

#endif
