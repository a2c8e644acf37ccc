// SPDX-License-Identifier: Apache-2.0
// What a browser asks of a live run: text of a request to a decision, without any connection.
#ifndef STIC_CLI_LIVE_REQUEST_H
#define STIC_CLI_LIVE_REQUEST_H

#include <stdint.h>

enum { CLI_TOKEN = 32 };

// who may ask
typedef struct CliDoor {
    char host[2][32]; // as the browser may name this server
    char token[CLI_TOKEN + 1];
} CliDoor;

typedef enum CliAsk {
    CLI_ASK_PAGE,
    CLI_ASK_EVENTS,
    CLI_ASK_PAUSE,
    CLI_ASK_GO,
    CLI_ASK_STOP,
    CLI_ASK_BAD,     // is no request
    CLI_ASK_FOREIGN, // from another page, or without the token
    CLI_ASK_UNKNOWN, // asks for something that does not exist
    CLI_ASK_METHOD   // neither GET nor POST
} CliAsk;

// the head of a request, ended by an empty line; `from`: the first frame of CLI_ASK_EVENTS, at
// least 0
CliAsk cli_request_read(const CliDoor* door, const char* text, int64_t* from);

#endif
