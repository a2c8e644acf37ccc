// SPDX-License-Identifier: Apache-2.0
// Reading problem files and counting what they hold.
#include "problem_file.h"

#include <math.h>
#include <string.h>

#include "files.h"
#include "print.h"
#include "stiction/extend/law.h"

CliExit cli_format_option(const CliCall* call, SticFormat* format)
{
    const char* name = cli_call_option(call, "format");
    const char* names[STIC_FORMAT_COUNT + 1] = {NULL};
    *format = STIC_FORMAT_AUTO;
    if (name == NULL)
        return CLI_DONE;
    for (int32_t i = 0; i < STIC_FORMAT_COUNT; ++i) {
        names[i] = stic_format_name((SticFormat)i);
        if (strcmp(names[i], name) == 0) {
            *format = (SticFormat)i;
            return CLI_DONE;
        }
    }
    const char* near = stic_suggest(name, names);
    if (near != NULL)
        return cli_usage_error(call->command->name, "there is no format '%s'; did you mean '%s'?",
                               name, near);
    return cli_usage_error(call->command->name, "there is no format '%s'", name);
}

CliExit cli_problem_read(const SticContext* context, const char* path, SticFormat format,
                         SticProblemStore** store)
{
    SticError error = {0};
    const SticStatus status = stic_problem_read(context, path, format, store, &error);
    if (status == STIC_OK)
        return CLI_DONE;
    // whatever is wrong, it is wrong in the file and not in the command line
    const CliExit result = cli_report(&error, status, path);
    if (cli_name_ends(path, ".lua") && status != STIC_IO_FAILED)
        cli_message("a scene is no problem file: 'stiction run %s --dump-problems \"every 1\"' "
                    "writes one for each of its steps",
                    path);
    return result == CLI_USAGE ? CLI_INPUT : result;
}

// dimension of the space of one contact
static int32_t contact_dimension(SticLaw law, int32_t rows)
{
    if (law == STIC_LAW_NONNEG)
        return 1;
    if (law == STIC_LAW_ROLLING)
        return rows == 5 ? 3 : 2;
    return rows == 2 ? 2 : 3;
}

CliSizes cli_problem_sizes(const SticProblem* problem)
{
    CliSizes sizes = {.density = NAN};
    for (int32_t i = 0; i < problem->count; ++i) {
        const SticLaw law = (SticLaw)problem->law[i];
        const int32_t rows = problem->row_at[i + 1] - problem->row_at[i];
        if (law == STIC_LAW_FREE)
            sizes.free_rows += rows;
        if (law != STIC_LAW_NONNEG && !stic_law_has_normal(law))
            continue;
        const int32_t dimension = contact_dimension(law, rows);
        sizes.dimension = dimension > sizes.dimension ? dimension : sizes.dimension;
        sizes.contact_rows += rows;
        sizes.contacts += 1;
    }
    if (problem->dof > 0)
        sizes.density = (double)sizes.contact_rows / (double)problem->dof;
    return sizes;
}
