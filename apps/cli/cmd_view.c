// SPDX-License-Identifier: Apache-2.0
// stiction view: a result as one page for a browser.
#include "commands.h"
#include "print.h"
#include "program.h"
#include "stiction/output.h"
#ifdef STIC_HAVE_VIEW
#include "view_page.h"
#endif

enum { LONGEST_PATH = 4096 };

static const CliOption options[] = {
    {"output", 'o', "PAGE.html", "name of the page (default: the result's name with .html)"},
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
    char name[LONGEST_PATH];
    const char *path = call->operand[0], *page = cli_call_option(call, "output");
    SticStatus status = stic_output_beside(path, ".html", name, sizeof name, &error);
    page = page != NULL ? page : name;
    SticPageDef def = stic_page_default_def();
    def.before = (const char*)cli_page_before;
    def.after = (const char*)cli_page_after;
    if (status == STIC_OK)
        status = stic_result_export_page(call->context, path, &def, page, &error);
    if (status != STIC_OK)
        return cli_report(&error, status, path);
    printf("%s\n", page);
    if (cli_call_option(call, "open") != NULL && !open_page(page)) {
        fprintf(stderr, "stiction view: xdg-open did not open %s; open it by hand\n", page);
        return CLI_INPUT;
    }
    return CLI_DONE;
}

#else

static CliExit run(const CliCall* call)
{
    (void)call;
    fputs("stiction view: this build has no viewer; install Node.js with npm and configure with "
          "-DSTICTION_VIEW=ON\n",
          stderr);
    return CLI_INPUT;
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
