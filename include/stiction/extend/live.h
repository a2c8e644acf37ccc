// SPDX-License-Identifier: Apache-2.0
// Watching a run in a browser: a server on 127.0.0.1 for the page of a result that is being written.
//
//     stic_live_open(&context, &def, &live, &error);        print stic_live_address(live)
//     while (…) {
//         stic_live_attend(live, 0.0, &wish, &error);       between steps
//         stic_run_step(run, &info);
//         stic_output_step(output, run, &info, &extra, &error);
//     }
//     stic_live_close(live);                                before the output is closed
//
// Only frames can be asked for, and only with the token of the address. The server has no thread: it
// answers inside stic_live_attend and never waits for a browser there.
#ifndef STICTION_EXTEND_LIVE_H
#define STICTION_EXTEND_LIVE_H

#include "stiction/base.h"
#include "stiction/result.h"

#ifdef __cplusplus
extern "C" {
#endif

/// What is shown.
typedef struct SticLiveDef {
    SticOutput* output;         ///< whose frames; must outlive the server
    const char *before, *after; ///< the viewer's page around the data, as in SticPageDef; `after`
                                ///< must outlive the server
    bool framed; ///< pages served by this machine, such as notebooks, may embed the page
} SticLiveDef;

/// A server for the page of one run.
typedef struct SticLive SticLive;

/// What the page asks of whoever makes the steps.
typedef struct SticLiveWish {
    bool seen;   ///< a page is open, or was
    bool paused; ///< make no step until the page lets the run go on
    bool stop;   ///< make no further step
} SticLiveWish;

/// Listen on a free port of 127.0.0.1.
STIC_API SticStatus stic_live_open(const SticContext* context, const SticLiveDef* def,
                                   SticLive** live, SticError* error);
/// Address of the page, with its token; lives as long as the server.
STIC_API const char* stic_live_address(const SticLive* live);
/// Answer what arrives within `wait` seconds, and send new frames a few times a second. A page that
/// cannot be made is an error with a sentence; the server goes on.
STIC_API SticStatus stic_live_attend(SticLive* live, double wait, SticLiveWish* wish,
                                     SticError* error);
/// Forget a wish to stop that was obeyed: the next steps are not stopped by it.
STIC_API void stic_live_forget(SticLive* live);
/// Send what is left, say goodbye and close; NULL is allowed.
STIC_API void stic_live_close(SticLive* live);

#ifdef __cplusplus
}
#endif

#endif
