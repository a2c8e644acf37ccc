// SPDX-License-Identifier: Apache-2.0
// stiction view: a result as one page for a browser.
#include "commands.h"
#include "files.h"
#include "print.h"
#include "program.h"
#include "stiction/extend/result.h"
#ifdef STIC_HAVE_VIEW
#include "view_page.h"
#endif

static const CliOption options[] = {
    {"output", 'o', "PAGE.html", "name of the page (default: the result's name with .html)"},
    CLI_OPTION_FORCE,
    {"open", 0, NULL, "open the page in the browser (xdg-open)"},
    {NULL, 0, NULL, NULL},
};

#ifdef STIC_HAVE_VIEW

// hand the page to the desktop
static bool open_page(const char* path)
{
    return cli_program_run((const char* const[]){"xdg-open", path, NULL});
}

static CliExit run(const CliCall* call)
{
    SticError error = {0};
    char page[CLI_PATH];
    CliExit result = cli_file_name(call, call->operand[0], ".html", page);
    if (result == CLI_DONE)
        result = cli_result_check(call);
    if (result == CLI_DONE)
        result = cli_file_keep(call, page);
    if (result != CLI_DONE)
        return result;
    SticPageDef def = stic_page_default_def();
    def.before = (const char*)cli_page_before;
    def.after = (const char*)cli_page_after;
    const SticStatus status =
        stic_result_export_page(call->context, call->operand[0], &def, page, &error);
    result = cli_file_made(call, status, &error, page);
    if (result == CLI_DONE && cli_call_option(call, "open") != NULL && !open_page(page)) {
        cli_message("xdg-open did not open %s; open it by hand", page);
        return CLI_INPUT;
    }
    return result;
}

#else

static CliExit run(const CliCall* call)
{
    return cli_usage_error(call->command->name,
                           "this build has no viewer; install Node.js with npm and configure with "
                           "-DSTICTION_VIEW=ON");
}

#endif

const CliCommand cli_command_view = {
    .name = "view",
    .operands = "FILE.h5",
    .text = "Write a result as one page for a browser, with everything inside.",
    .details = "The page needs no server and no network: it can be mailed, archived and opened "
               "from a disk. Long runs and many contacts are thinned out to what a browser can "
               "hold; the page says so.",
    .least = 1,
    .most = 1,
    .options = options,
    .run = run,
};
