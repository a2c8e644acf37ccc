// SPDX-License-Identifier: Apache-2.0
// Fuzz target: requests to the server of a live run. $ stands for the token, @ for the server's own
// name. Whoever does not hold the token, or comes from another page, gets nothing.
#define _GNU_SOURCE
#include "fuzz/fuzz.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "output/live_request.h"

static const SticLiveDoor door = {.host = {"127.0.0.1:4711", "localhost:4711"},
                                  .token = "0123456789abcdef0123456789abcdef"};

static size_t expand(const uint8_t* data, size_t size, char* text, size_t room)
{
    size_t used = 0;
    for (size_t i = 0; i < size; ++i) {
        const char one[2] = {(char)data[i], '\0'};
        const char* put = data[i] == '$' ? door.token : data[i] == '@' ? door.host[0] : one;
        const size_t length = data[i] == '\0' ? 1 : strlen(put);
        if (used + length + 1 > room)
            break;
        memcpy(text + used, put, length);
        used += length;
    }
    text[used] = '\0';
    return used;
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    char text[8192];
    int64_t from = -1;
    expand(data, size, text, sizeof text);
    const SticLiveAsk ask = stic_live_request_read(&door, text, &from);
    if (from < 0 || (int)ask < 0 || ask > STIC_ASK_METHOD)
        abort();
    const bool let_in = ask != STIC_ASK_BAD && ask != STIC_ASK_FOREIGN;
    if (let_in && (strstr(text, door.token) == NULL || strcasestr(text, "host") == NULL))
        abort();
    return 0;
}
