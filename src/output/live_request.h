// SPDX-License-Identifier: Apache-2.0
// What a browser asks of a live run: text of a request to a decision, without any connection.
#ifndef STIC_OUTPUT_LIVE_REQUEST_H
#define STIC_OUTPUT_LIVE_REQUEST_H

#include <stdint.h>

enum { STIC_LIVE_TOKEN = 32 };

// who may ask
typedef struct SticLiveDoor {
    char host[2][32]; // as the browser may name this server
    char token[STIC_LIVE_TOKEN + 1];
} SticLiveDoor;

typedef enum SticLiveAsk {
    STIC_ASK_PAGE,
    STIC_ASK_EVENTS,
    STIC_ASK_PAUSE,
    STIC_ASK_GO,
    STIC_ASK_STOP,
    STIC_ASK_BAD,     // is no request
    STIC_ASK_FOREIGN, // from another page, or without the token
    STIC_ASK_UNKNOWN, // asks for something that does not exist
    STIC_ASK_METHOD   // neither GET nor POST
} SticLiveAsk;

// the head of a request, ended by an empty line; `from`: the first frame of STIC_ASK_EVENTS, at
// least 0
SticLiveAsk stic_live_request_read(const SticLiveDoor* door, const char* text, int64_t* from);

#endif
