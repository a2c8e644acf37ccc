// SPDX-License-Identifier: Apache-2.0
// Options and words of the commands that ask for the existence of a solution.
#include "certify_options.h"

#include <string.h>

CliExit cli_existence_option(const CliCall* call, CliInquiry* inquiry)
{
    static const struct {
        const char* name;
        CliInquiry inquiry;
    } words[] = {
        {"off", CLI_ASK_NEVER}, {"on-failure", CLI_ASK_FAILED}, {"always", CLI_ASK_ALWAYS}};
    const char* word = cli_call_option(call, "existence");
    *inquiry = CLI_ASK_FAILED;
    if (word == NULL)
        return CLI_DONE;
    for (size_t i = 0; i < sizeof words / sizeof words[0]; ++i)
        if (strcmp(word, words[i].name) == 0) {
            *inquiry = words[i].inquiry;
            return CLI_DONE;
        }
    return cli_usage_error(call->command->name,
                           "--existence: '%s' is none of off, on-failure, always", word);
}

bool cli_inquiry_asks(CliInquiry inquiry, const SticSolveInfo* info)
{
    return inquiry == CLI_ASK_ALWAYS ||
           (inquiry == CLI_ASK_FAILED && info->outcome != STIC_OUTCOME_SOLVED);
}

SticExistenceSettings cli_inquiry_settings(CliInquiry inquiry)
{
    const SticExistenceSettings quick = stic_existence_quick_settings();
    SticExistenceSettings settings = stic_existence_default_settings();
    settings.margin = quick.margin;
    settings.branches = quick.branches;
    return inquiry == CLI_ASK_ALWAYS ? settings : quick;
}

const char* cli_certificate_name(SticCertificate certificate)
{
    return certificate == STIC_CERTIFICATE_NOTHING ? NULL : stic_certificate_name(certificate);
}

void cli_existence_text(SticVerdict verdict, SticCertificate certificate, char text[CLI_CELL])
{
    const char* kind = cli_certificate_name(certificate);
    snprintf(text, CLI_CELL, "existence of a solution: %s%s%s%s", stic_verdict_name(verdict),
             kind != NULL ? " (" : "", kind != NULL ? kind : "", kind != NULL ? ")" : "");
}

CliExit cli_set_fields(const CliCall* call, const SticFieldTable* table, void* settings)
{
    char name[64];
    for (int32_t i = 0; i < call->given_count; ++i) {
        const char* word = call->given[i].value;
        const size_t prefix = strlen(table->name);
        SticError error = {0};
        if (strcmp(call->given[i].option->name, "set") != 0)
            continue;
        const char* field = word + prefix + 1;
        const bool ours = strncmp(word, table->name, prefix) == 0 && word[prefix] == '.';
        const size_t length = ours ? strcspn(field, "=") : 0;
        if (!ours || field[length] != '=' || length >= sizeof name)
            return cli_usage_error(call->command->name,
                                   "--set %s: write it as %s.field=value, such as "
                                   "%s.tolerance=1e-10",
                                   word, table->name, table->name);
        memcpy(name, field, length);
        name[length] = '\0';
        if (stic_fields_set(table, settings, name, field + length + 1, &error) != STIC_OK)
            return cli_usage_error(call->command->name, "--set %s: %s", word, error.text);
    }
    return CLI_DONE;
}
