// SPDX-License-Identifier: Apache-2.0
// Requests to the server of a live run. A wrong token, a foreign Origin or a Host that is not this
// server is refused, so that no other page in the same browser can reach the run, not even by a
// name that resolves to 127.0.0.1.
#include "output/live_request.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

// value of a header into `value`, false if there is none; one that is too long or appears twice
// becomes "?", which equals nothing
static bool header(const char* text, const char* name, char* value, size_t size)
{
    const size_t length = strlen(name);
    bool found = false;
    for (const char* line = strstr(text, "\r\n"); line != NULL; line = strstr(line, "\r\n")) {
        line += 2;
        if (strncasecmp(line, name, length) != 0 || line[length] != ':')
            continue;
        const char* from = line + length + 1;
        from += strspn(from, " \t");
        const size_t count = strcspn(from, "\r\n");
        const bool good = !found && count < size;
        memcpy(value, good ? from : "?", good ? count : 1);
        value[good ? count : 1] = '\0';
        found = true;
    }
    return found;
}

// takes the same time however much of the token is right
static bool same_token(const char* a, const char* b)
{
    unsigned char differ = 0;
    for (int i = 0; i < STIC_LIVE_TOKEN; ++i) {
        differ |= (unsigned char)(a[i] ^ b[i]);
        if (a[i] == '\0')
            return false;
    }
    return differ == 0;
}

// this server by its own name, from its own page or from no page, with the token
static bool allowed(const SticLiveDoor* door, const char* text, const char* path)
{
    char host[64], origin[96], own[96];
    if (!header(text, "Host", host, sizeof host))
        return false;
    if (strcmp(host, door->host[0]) != 0 && strcmp(host, door->host[1]) != 0)
        return false;
    snprintf(own, sizeof own, "http://%s", host);
    if (header(text, "Origin", origin, sizeof origin) && strcmp(origin, own) != 0)
        return false;
    return path[0] == '/' && same_token(path + 1, door->token) && path[1 + STIC_LIVE_TOKEN] == '/';
}

static SticLiveAsk get(const char* what, int64_t* from)
{
    static const char events[] = "events?from=";
    if (*what == '\0')
        return STIC_ASK_PAGE;
    if (strncmp(what, events, sizeof events - 1) != 0)
        return STIC_ASK_UNKNOWN;
    const long long first = strtoll(what + sizeof events - 1, NULL, 10);
    *from = first < 0 ? 0 : first;
    return STIC_ASK_EVENTS;
}

static SticLiveAsk post(const char* what)
{
    return strcmp(what, "pause") == 0  ? STIC_ASK_PAUSE
           : strcmp(what, "go") == 0   ? STIC_ASK_GO
           : strcmp(what, "stop") == 0 ? STIC_ASK_STOP
                                       : STIC_ASK_UNKNOWN;
}

// the text up to the next space, which is passed over
static bool take_word(const char** text, char* word, size_t size)
{
    const size_t count = strcspn(*text, " \r\n");
    if (count == 0 || count >= size || (*text)[count] != ' ')
        return false;
    memcpy(word, *text, count);
    word[count] = '\0';
    *text += count + 1;
    return true;
}

SticLiveAsk stic_live_request_read(const SticLiveDoor* door, const char* text, int64_t* from)
{
    char method[8], path[256];
    const char* rest = text;
    *from = 0;
    if (!take_word(&rest, method, sizeof method) || !take_word(&rest, path, sizeof path) ||
        strncmp(rest, "HTTP/1.", 7) != 0)
        return STIC_ASK_BAD;
    if (!allowed(door, text, path))
        return STIC_ASK_FOREIGN;
    const char* what = path + STIC_LIVE_TOKEN + 2;
    if (strcmp(method, "GET") == 0)
        return get(what, from);
    return strcmp(method, "POST") == 0 ? post(what) : STIC_ASK_METHOD;
}
