// SPDX-License-Identifier: Apache-2.0
// A run in the browser while it goes on: a server for one page on 127.0.0.1.
//
//     GET  /TOKEN/               the page with the frames so far
//     GET  /TOKEN/events?from=N  frames from N on as server-sent events, a few times a second
//     POST /TOKEN/pause, go      hold the run, let it go on
//     POST /TOKEN/stop           end it as an interrupt does
//
// Nothing else can be asked for and nothing can be written; live_request.c says who may ask.
// Everything happens between steps in the thread of the caller, which never waits for a browser: an
// answer is a file that is sent as far as the browser takes it, a part between any two steps, and
// one that is not taken within SLOWEST seconds is dropped. A new connection takes the place of the
// oldest one that has asked for nothing yet, or else of one that takes nothing.
//
// Answers are made in parts of bounded cost, too: a page begins with the first frames, and its
// stream catches up part by part. Whoever needs a part that was just made gets the same file. After
// a part that took t seconds the next one is not made for REST t, whatever the number of browsers:
// they may slow a run down by one part in 1 + REST, but never stop it.
#include "stiction/extend/live.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "output/live_request.h"
#include "output/writer.h"
#include "stiction/extend/base.h"
#include "stiction/extend/result.h"

enum { MOST_CLIENTS = 32, REQUEST = 8192, PART = 65536, LONGEST_PATH = 4096 };
// frames of a part: at first, at least, at most; a page may begin with more
enum { FIRST_FRAMES = 64, LEAST_FRAMES = 16, MOST_FRAMES = 1 << 16, PAGE_PARTS = 4 };
// seconds between events, for a request, for an answer; without taking anything before another one
// may have the place, or before it is left behind at the end of a run; for all answers at the end
static const double EVERY = 0.25, PATIENCE = 5.0, SLOWEST = 20.0, STALLED = 1.0, FAREWELL = 2.0,
                    LONGEST_FAREWELL = 5.0;
// seconds that a part should take, how long a page is given to others, rest after a part
static const double COST = 0.02, SHARED = 1.0, REST = 4.0;

typedef struct Client {
    int socket;     // -1: free
    bool streaming; // gets events
    bool page;      // waits for a page
    int64_t sent;   // frames it has
    double since;   // clock: of the connection, or of the answer that is being sent
    double took;    // clock: when it last took something of the answer
    int file;       // the answer, -1: none
    off_t at;       // bytes of it that are sent
    size_t used;
    char text[REQUEST];
} Client;

// A file that was just made, for all who need the same.
typedef struct Made {
    int file; // -1: none
    int64_t first, end;
    double since; // clock
} Made;

struct SticLive {
    SticContext context;
    SticLiveDef def;
    int socket;
    SticLiveDoor door;
    char address[128];
    char file[LONGEST_PATH]; // beside which pages are made before they are sent
    char* before;            // the page's first part, with the mark of a live page
    size_t before_size;
    SticLiveWish wish;
    double last;
    double next;         // clock: before it no part is made
    int64_t part_frames; // of a part that takes about COST seconds
    int turn;            // the client that is served first
    Made page, part;
    SticStatus status; // of the last page
    SticError error;
    Client client[MOST_CLIENTS];
};

/* ---- answers ---- */

// a short text as a whole, or false: a browser whose buffers are full has not read for long
static bool send_all(int socket, const char* bytes, size_t count)
{
    ssize_t sent = 0;
    do
        sent = send(socket, bytes, count, MSG_NOSIGNAL | MSG_DONTWAIT);
    while (sent < 0 && errno == EINTR);
    return sent == (ssize_t)count;
}

static bool send_text(int socket, const char* text)
{
    return send_all(socket, text, strlen(text));
}

static void drop(Client* client)
{
    if (client->socket >= 0)
        close(client->socket);
    if (client->file >= 0)
        close(client->file);
    client->socket = client->file = -1;
    client->streaming = client->page = false;
}

// only pages served by this machine may embed the page
static bool send_head(const SticLive* live, int socket, const char* status, const char* type,
                      long long length)
{
    static const char alone[] = "X-Frame-Options: DENY\r\n";
    static const char framed[] = "Content-Security-Policy: frame-ancestors 'self' "
                                 "http://localhost:* http://127.0.0.1:*\r\n";
    char text[512], size[64] = "";
    if (length >= 0)
        snprintf(size, sizeof size, "Content-Length: %lld\r\n", length);
    snprintf(text, sizeof text,
             "HTTP/1.1 %s\r\nContent-Type: %s\r\n%sCache-Control: no-store\r\nConnection: close\r\n"
             "X-Content-Type-Options: nosniff\r\n%sReferrer-Policy: no-referrer\r\n\r\n",
             status, type, size, live->def.framed ? framed : alone);
    return send_text(socket, text);
}

static void answer(const SticLive* live, Client* client, const char* status)
{
    send_head(live, client->socket, status, "text/plain; charset=utf-8", (long long)strlen(status));
    send_text(client->socket, status);
    drop(client);
}

// as much of the answer as the browser takes now
static void push(Client* client)
{
    char part[PART];
    while (client->file >= 0) {
        const ssize_t count = pread(client->file, part, sizeof part, client->at);
        const ssize_t sent =
            count <= 0 ? count
                       : send(client->socket, part, (size_t)count, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent < 0 && (errno == EAGAIN || errno == EINTR))
            return;
        if (sent < 0 || (sent == 0 && count != 0)) {
            drop(client);
            return;
        }
        client->at += sent;
        client->took = stic_timer_seconds();
        if (count > 0)
            continue;
        // the end: a stream goes on, a page is whole
        close(client->file);
        client->file = -1;
        if (!client->streaming || !send_text(client->socket, "\n\n"))
            drop(client);
    }
}

// begin to send a file, with a head for its length or as one event
static void send_file(const SticLive* live, Client* client, const Made* made)
{
    struct stat facts;
    client->file = fcntl(made->file, F_DUPFD_CLOEXEC, 0);
    client->at = 0;
    client->since = client->took = stic_timer_seconds();
    bool good = client->file >= 0 && fstat(client->file, &facts) == 0;
    if (good)
        good = client->streaming ? send_text(client->socket, "data: ")
                                 : send_head(live, client->socket, "200 OK",
                                             "text/html; charset=utf-8", (long long)facts.st_size);
    if (good)
        push(client);
    else
        drop(client);
}

static void forget(Made* made)
{
    if (made->file >= 0)
        close(made->file);
    made->file = -1;
}

// frames from def->first_frame on, at most `most`, and what it cost
static bool make_file(SticLive* live, SticPageDef def, int64_t most, Made* made)
{
    const int64_t frames = stic_output_frames(live->def.output);
    const double begin = stic_timer_seconds();
    forget(made);
    made->first = def.first_frame;
    made->end = frames - def.first_frame > most ? def.first_frame + most : frames;
    def.end_frame = made->end;
    stic_error_clear(&live->error);
    live->status =
        stic_output_page_file(live->def.output, &def, live->file, &made->file, &live->error);
    made->since = stic_timer_seconds();
    const double cost = made->since - begin;
    live->next = made->since + REST * cost;
    // the last part also has what is of the whole run
    if (made == &live->part && made->end < frames && cost > COST)
        live->part_frames =
            live->part_frames > 2 * LEAST_FRAMES ? live->part_frames / 2 : LEAST_FRAMES;
    else if (made == &live->part && made->end < frames && 2.0 * cost < COST)
        live->part_frames =
            live->part_frames < MOST_FRAMES / 2 ? 2 * live->part_frames : MOST_FRAMES;
    return made->file >= 0;
}

static bool may_make(const SticLive* live)
{
    return stic_timer_seconds() >= live->next;
}

static void send_page(SticLive* live, Client* client)
{
    SticPageDef def = stic_page_default_def();
    def.before = live->before;
    def.after = live->def.after;
    const bool known = live->page.file >= 0 && stic_timer_seconds() - live->page.since < SHARED;
    if (!known && !may_make(live))
        return;
    client->page = false;
    if (known || make_file(live, def, PAGE_PARTS * live->part_frames, &live->page))
        send_file(live, client, &live->page);
    else
        answer(live, client, "500 the page cannot be made");
}

// frames that a browser does not have yet; a part of them if there are many
static void send_news(SticLive* live, Client* client)
{
    SticPageDef def = stic_page_default_def();
    const Made* part = &live->part;
    def.first_frame = client->sent;
    // news waits until the last has been read
    if (stic_output_frames(live->def.output) <= client->sent || client->file >= 0)
        return;
    const bool known = part->file >= 0 && part->first == client->sent && part->end > part->first;
    if (!known && !may_make(live))
        return;
    if (known || make_file(live, def, live->part_frames, &live->part)) {
        client->sent = part->end;
        send_file(live, client, part);
    } else {
        drop(client);
    }
}

// whether a browser lacks more frames than news have
static bool is_behind(const SticLive* live, const Client* client)
{
    return client->streaming && client->file < 0 &&
           stic_output_frames(live->def.output) - client->sent > live->part_frames;
}

/* ---- requests ---- */

static void begin_events(SticLive* live, Client* client, int64_t from)
{
    client->sent = from;
    client->streaming = send_head(live, client->socket, "200 OK", "text/event-stream", -1) &&
                        send_text(client->socket, live->wish.paused ? "event: pause\ndata: 1\n\n"
                                                                    : ": welcome\n\n");
    live->wish.seen = true;
    if (!client->streaming)
        drop(client);
}

static void serve(SticLive* live, Client* client)
{
    static const char* const refusals[] = {[STIC_ASK_BAD] = "400 Bad Request",
                                           [STIC_ASK_FOREIGN] = "403 Forbidden",
                                           [STIC_ASK_UNKNOWN] = "404 Not Found",
                                           [STIC_ASK_METHOD] = "405 Method Not Allowed"};
    int64_t from = 0;
    const SticLiveAsk ask = stic_live_request_read(&live->door, client->text, &from);
    if (ask == STIC_ASK_PAGE) {
        client->page = true;
        client->took = stic_timer_seconds();
    } else if (ask == STIC_ASK_EVENTS) {
        begin_events(live, client, from);
    } else if (ask >= STIC_ASK_BAD) {
        answer(live, client, refusals[ask]);
    } else {
        live->wish.stop = live->wish.stop || ask == STIC_ASK_STOP;
        if (ask != STIC_ASK_STOP)
            live->wish.paused = ask == STIC_ASK_PAUSE;
        answer(live, client, "200 OK");
    }
}

static void receive(SticLive* live, Client* client)
{
    const ssize_t count = recv(client->socket, client->text + client->used,
                               sizeof client->text - 1 - client->used, MSG_DONTWAIT);
    if (count < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (count <= 0 || client->streaming || client->page || client->file >= 0) {
        // a page that was closed; a connection that is being answered has nothing to say
        if (count <= 0)
            drop(client);
        client->used = 0;
        return;
    }
    client->used += (size_t)count;
    client->text[client->used] = '\0';
    if (strstr(client->text, "\r\n\r\n") != NULL)
        serve(live, client);
    else if (client->used + 1 >= sizeof client->text)
        answer(live, client, "431 Request Header Fields Too Large");
}

// a place for a new connection: a free one, or that of the oldest that has asked for nothing, or
// that of one whose answer stands still
static Client* find_place(SticLive* live)
{
    const double now = stic_timer_seconds();
    Client *oldest = NULL, *stalled = NULL;
    for (int i = 0; i < MOST_CLIENTS; ++i) {
        Client* client = &live->client[i];
        if (client->socket < 0)
            return client;
        const bool idle = !client->streaming && !client->page && client->file < 0;
        if (idle && (oldest == NULL || client->since < oldest->since))
            oldest = client;
        if (client->file >= 0 && now - client->took > STALLED &&
            (stalled == NULL || client->took < stalled->took))
            stalled = client;
    }
    if (oldest == NULL)
        oldest = stalled;
    if (oldest != NULL)
        drop(oldest);
    return oldest;
}

static void welcome(SticLive* live)
{
    const int made = accept(live->socket, NULL, NULL);
    Client* client = made < 0 ? NULL : find_place(live);
    if (client == NULL) {
        if (made >= 0)
            close(made);
        return;
    }
    fcntl(made, F_SETFD, FD_CLOEXEC);
    client->socket = made;
    client->used = 0;
    client->streaming = client->page = false;
    client->since = stic_timer_seconds();
}

// what a connection is sent or refused now; `due`: news is due
static void serve_turn(SticLive* live, Client* client, bool due)
{
    const double age = stic_timer_seconds() - client->since;
    if (client->file >= 0)
        push(client);
    if (client->socket < 0)
        return;
    const bool silent = !client->streaming && !client->page && client->file < 0;
    if ((client->file >= 0 && age > SLOWEST) || (silent && age > PATIENCE))
        drop(client);
    else if (client->page)
        send_page(live, client);
    else if (client->streaming && (due || is_behind(live, client)))
        send_news(live, client);
}

// whether somebody waits for something that only has to be made
static bool is_hungry(const SticLive* live)
{
    for (int i = 0; i < MOST_CLIENTS; ++i)
        if (live->client[i].socket >= 0 &&
            (live->client[i].page || is_behind(live, &live->client[i])))
            return true;
    return false;
}

// answer what arrives within `wait` milliseconds, and send news if it is due
static void attend(SticLive* live, int wait)
{
    struct pollfd set[1 + MOST_CLIENTS];
    const double now = stic_timer_seconds();
    if (wait > 0 && is_hungry(live))
        wait = 1;
    set[0] = (struct pollfd){.fd = live->socket, .events = POLLIN};
    for (int i = 0; i < MOST_CLIENTS; ++i)
        set[1 + i] = (struct pollfd){.fd = live->client[i].socket,
                                     .events = live->client[i].file >= 0 ? POLLOUT : POLLIN};
    if (poll(set, 1 + MOST_CLIENTS, wait) > 0) {
        for (int i = 0; i < MOST_CLIENTS; ++i)
            if (live->client[i].socket >= 0 && (set[1 + i].revents & ~POLLOUT) != 0)
                receive(live, &live->client[i]);
        if (set[0].revents != 0)
            welcome(live);
    }
    const bool due = now - live->last >= EVERY && may_make(live);
    const int first = live->turn;
    // a page first: it is waited for by somebody who sees nothing yet
    for (int i = 0; i < MOST_CLIENTS; ++i)
        if (live->client[i].page)
            send_page(live, &live->client[i]);
    for (int i = 0; i < MOST_CLIENTS; ++i) {
        const int k = (first + i) % MOST_CLIENTS;
        const double next = live->next;
        if (live->client[k].socket >= 0)
            serve_turn(live, &live->client[k], due);
        // whoever comes behind the one for which something was made is served first then
        if (live->next > next)
            live->turn = (k + 1) % MOST_CLIENTS;
    }
    if (due)
        live->last = now;
}

/* ---- the caller's side ---- */

static bool make_token(SticLive* live)
{
    static const char digits[] = "0123456789abcdef";
    unsigned char bytes[STIC_LIVE_TOKEN / 2];
    if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes)
        return false;
    for (int i = 0; i < STIC_LIVE_TOKEN / 2; ++i) {
        live->door.token[2 * i] = digits[bytes[i] >> 4];
        live->door.token[2 * i + 1] = digits[bytes[i] & 15];
    }
    return true;
}

static bool listen_here(SticLive* live)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    live->socket = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (live->socket < 0 || bind(live->socket, (struct sockaddr*)&address, size) != 0 ||
        listen(live->socket, MOST_CLIENTS) != 0 ||
        getsockname(live->socket, (struct sockaddr*)&address, &size) != 0)
        return false;
    const int port = ntohs(address.sin_port);
    snprintf(live->door.host[0], sizeof live->door.host[0], "127.0.0.1:%d", port);
    snprintf(live->door.host[1], sizeof live->door.host[1], "localhost:%d", port);
    return true;
}

// the first part of the page with the mark of a live one
static SticStatus take_page(SticLive* live, const char* before)
{
    static const char mark[] = "live ";
    const size_t size = strlen(before);
    STIC_TRY(STIC_ALLOCATE(&live->context, &live->before, size + sizeof mark));
    live->before_size = size + sizeof mark;
    memcpy(live->before, before, size);
    memcpy(live->before + size, mark, sizeof mark);
    return STIC_OK;
}

static SticStatus set_up(SticLive* live, SticError* error)
{
    STIC_TRY(take_page(live, live->def.before));
    STIC_TRY(
        stic_output_beside(live->def.output->path, ".live", live->file, sizeof live->file, error));
    if (!make_token(live) || !listen_here(live))
        return stic_error_set(error, STIC_IO_FAILED, "no server on 127.0.0.1: %s", strerror(errno));
    snprintf(live->address, sizeof live->address, "http://%s/%s/", live->door.host[0],
             live->door.token);
    return STIC_OK;
}

SticStatus stic_live_open(const SticContext* context, const SticLiveDef* def, SticLive** live,
                          SticError* error)
{
    context = stic_context_given(context);
    STIC_ASSERT(def != NULL && live != NULL);
    *live = NULL;
    if (def->output == NULL || def->before == NULL || def->after == NULL)
        return stic_error_set(error, STIC_BAD_ARGUMENT,
                              "a live page needs an output and the text of the viewer's page");
    SticLive* made = NULL;
    STIC_TRY(STIC_ALLOCATE(context, &made, 1));
    made->context = *context;
    made->def = *def;
    made->socket = made->page.file = made->part.file = -1;
    made->part_frames = FIRST_FRAMES;
    for (int i = 0; i < MOST_CLIENTS; ++i)
        made->client[i].socket = made->client[i].file = -1;
    const SticStatus status = set_up(made, error);
    if (status == STIC_OK)
        *live = made;
    else
        stic_live_close(made);
    return status;
}

const char* stic_live_address(const SticLive* live)
{
    STIC_ASSERT(live != NULL);
    return live->address;
}

SticStatus stic_live_attend(SticLive* live, double wait, SticLiveWish* wish, SticError* error)
{
    STIC_ASSERT(live != NULL && wish != NULL && wait >= 0.0);
    live->status = STIC_OK;
    attend(live, (int)(1000.0 * wait));
    *wish = live->wish;
    if (live->status != STIC_OK && error != NULL)
        *error = live->error;
    return live->status;
}

void stic_live_forget(SticLive* live)
{
    STIC_ASSERT(live != NULL);
    live->wish.stop = false;
}

// answers and news that are left for a browser; false: it has all, or takes nothing any more
static bool finish(SticLive* live, Client* client, double begin)
{
    if (client->file >= 0)
        push(client);
    const double now = stic_timer_seconds();
    // no step is waiting any more
    live->next = now;
    if (client->socket >= 0 && client->streaming)
        send_news(live, client);
    const double took = client->took > begin ? client->took : begin;
    return client->socket >= 0 && now - took < FAREWELL &&
           (client->file >= 0 ||
            (client->streaming && client->sent < stic_output_frames(live->def.output)));
}

// what browsers lack, part by part for all of them
static void finish_answers(SticLive* live)
{
    const double begin = stic_timer_seconds();
    bool going = true;
    while (going && stic_timer_seconds() - begin < LONGEST_FAREWELL) {
        struct pollfd set[MOST_CLIENTS];
        bool full = true;
        going = false;
        for (int i = 0; i < MOST_CLIENTS; ++i) {
            Client* client = &live->client[i];
            const bool lacks = client->socket >= 0 && finish(live, client, begin);
            set[i] = (struct pollfd){.fd = lacks ? client->socket : -1, .events = POLLOUT};
            going = going || lacks;
            full = full && (!lacks || client->file >= 0);
        }
        if (going && full)
            poll(set, MOST_CLIENTS, 50);
    }
}

void stic_live_close(SticLive* live)
{
    if (live == NULL)
        return;
    finish_answers(live);
    for (int i = 0; i < MOST_CLIENTS; ++i) {
        Client* client = &live->client[i];
        if (client->socket >= 0 && client->streaming && client->file < 0)
            send_text(client->socket, "event: end\ndata: 1\n\n");
        drop(client);
    }
    forget(&live->page);
    forget(&live->part);
    if (live->socket >= 0)
        close(live->socket);
    const SticContext context = live->context;
    STIC_RELEASE(&context, live->before, live->before_size);
    STIC_RELEASE(&context, live, 1);
}
