// SPDX-License-Identifier: Apache-2.0
// What the commands that ask for the existence of a solution share.
#ifndef STIC_CLI_CERTIFY_OPTIONS_H
#define STIC_CLI_CERTIFY_OPTIONS_H

#include "options.h"
#include "print.h"
#include "stiction/extend/certify.h"

/// Table entry of --existence.
#define CLI_OPTION_EXISTENCE                                                                       \
    {                                                                                              \
        "existence", 0, "WHEN",                                                                    \
            "when to ask whether a problem has a solution at all: off, on-failure or always "      \
            "(default on-failure)"                                                                 \
    }

/// When the existence of a solution is asked for.
typedef enum CliInquiry { CLI_ASK_FAILED, CLI_ASK_NEVER, CLI_ASK_ALWAYS } CliInquiry;

/// What --existence says; on-failure without the option.
CliExit cli_existence_option(const CliCall* call, CliInquiry* inquiry);
/// Whether the problem of a solve is to be asked about.
bool cli_inquiry_asks(CliInquiry inquiry, const SticSolveInfo* info);
/// How hard to look: as hard as possible where that was asked for, else quickly.
SticExistenceSettings cli_inquiry_settings(CliInquiry inquiry);
/// Name of what decides a verdict; NULL where nothing does.
const char* cli_certificate_name(SticCertificate certificate);

/// Verdict and what decides it, such as "existence of a solution: none (multipliers-necessary)".
void cli_existence_text(SticVerdict verdict, SticCertificate certificate, char text[CLI_CELL]);

/// Apply every --set TABLE.FIELD=VALUE to settings of this table; other tables are refused.
CliExit cli_set_fields(const CliCall* call, const SticFieldTable* table, void* settings);

#endif
