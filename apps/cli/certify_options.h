// SPDX-License-Identifier: Apache-2.0
// What the commands existence and enumerate share.
#ifndef STIC_CLI_CERTIFY_OPTIONS_H
#define STIC_CLI_CERTIFY_OPTIONS_H

#include "options.h"

/// Apply every --set TABLE.FIELD=VALUE to settings of this table; other tables are refused.
CliExit cli_set_fields(const CliCall* call, const SticFieldTable* table, void* settings);

#endif
