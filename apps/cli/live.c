// SPDX-License-Identifier: Apache-2.0
// A run in the browser while it goes on: the library's server, held and stopped by the program.
#include "live.h"

#ifdef STIC_HAVE_VIEW

#include <stdio.h>

#include "print.h"
#include "stiction/extend/live.h"
#include "view_page.h"

// seconds between two looks at interrupts while the run is held
static const double LOOK = 0.1;

CliExit cli_live_open(CliRun* run)
{
    SticError error = {0};
    const SticLiveDef def = {.output = run->output,
                             .before = (const char*)cli_page_before,
                             .after = (const char*)cli_page_after};
    const SticStatus status = stic_live_open(run->call->context, &def, &run->live, &error);
    if (status != STIC_OK) {
        cli_message("--view: %s", error.text[0] != '\0' ? error.text : stic_status_text(status));
        return CLI_INPUT;
    }
    fprintf(stderr, "view: %s (the run begins when the page is open)\n",
            stic_live_address(run->live));
    return CLI_DONE;
}

static SticLiveWish attend(CliRun* run, double wait)
{
    SticError error = {0};
    SticLiveWish wish = {0};
    if (stic_live_attend(run->live, wait, &wish, &error) != STIC_OK)
        cli_message("the page of the run cannot be made: %s", error.text);
    return wish;
}

bool cli_live_turn(CliRun* run)
{
    if (run->live == NULL)
        return false;
    SticLiveWish wish = attend(run, 0.0);
    while ((wish.paused || !wish.seen) && !wish.stop && !cli_run_interrupted(run))
        wish = attend(run, LOOK);
    return wish.stop;
}

void cli_live_close(CliRun* run)
{
    stic_live_close(run->live);
    run->live = NULL;
}

#else

#include "print.h"

CliExit cli_live_open(CliRun* run)
{
    return cli_usage_error(run->call->command->name, "--view: this build has no viewer");
}

bool cli_live_turn(CliRun* run)
{
    (void)run;
    return false;
}

void cli_live_close(CliRun* run)
{
    (void)run;
}

#endif
