// SPDX-License-Identifier: Apache-2.0
// What a result file holds, for `stiction info`.
#ifndef STIC_CLI_RESULT_INFO_H
#define STIC_CLI_RESULT_INFO_H

#include "options.h"

/// Print a result; `json`: one object on a line.
CliExit cli_result_show(const SticContext* context, const char* path, bool json);

#endif
