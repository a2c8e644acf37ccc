// SPDX-License-Identifier: Apache-2.0
// A run in the browser while it goes on: a server for one page on 127.0.0.1.
//
//     GET  /TOKEN/               the page with the frames so far
//     GET  /TOKEN/events?from=N  frames from N on as server-sent events, a few times a second
//     POST /TOKEN/pause, go      hold the run, let it go on
//     POST /TOKEN/stop           end it as an interrupt does
//
// Nothing else can be asked for and nothing can be written; live_request.c says who may ask.
// Everything happens between steps in the thread of the run, which never waits for a browser: an
// answer is a file that is sent as far as the browser takes it, a part between any two steps, and
// one that is not taken within SLOWEST seconds is dropped. A new connection takes the place of the
// oldest one that has asked for nothing yet.
#include "live.h"

#ifdef STIC_HAVE_VIEW

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "live_request.h"
#include "print.h"
#include "view_page.h"

enum { MOST_CLIENTS = 8, REQUEST = 8192, PART = 65536 };
// seconds between events, for a request, for an answer, for all answers at the end of a run
static const double EVERY = 0.25, PATIENCE = 5.0, SLOWEST = 20.0, FAREWELL = 2.0;

typedef struct Client {
    int socket;     // -1: free
    bool streaming; // gets events
    int64_t sent;   // frames it has
    double since;   // clock: of the connection, or of the answer that is being sent
    int file;       // the answer, -1: none
    off_t at;       // bytes of it that are sent
    size_t used;
    char text[REQUEST];
} Client;

struct CliLive {
    int socket;
    CliDoor door;
    char file[CLI_PATH]; // where pages are made before they are sent
    char* before;        // the page's first part, with the mark of a live page
    size_t before_size;
    bool paused, stop, seen;
    double last;
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
    client->streaming = false;
}

static bool send_head(int socket, const char* status, const char* type, long long length)
{
    char text[512], size[64] = "";
    if (length >= 0)
        snprintf(size, sizeof size, "Content-Length: %lld\r\n", length);
    snprintf(text, sizeof text,
             "HTTP/1.1 %s\r\nContent-Type: %s\r\n%sCache-Control: no-store\r\nConnection: close\r\n"
             "X-Content-Type-Options: nosniff\r\nX-Frame-Options: DENY\r\n"
             "Referrer-Policy: no-referrer\r\n\r\n",
             status, type, size);
    return send_text(socket, text);
}

static void answer(Client* client, const char* status)
{
    send_head(client->socket, status, "text/plain; charset=utf-8", (long long)strlen(status));
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
        if (count > 0)
            continue;
        // the end: a stream goes on, a page is whole
        close(client->file);
        client->file = -1;
        if (!client->streaming || !send_text(client->socket, "\n\n"))
            drop(client);
    }
}

// begin to send the file that was just made, with a head for its length or as one event
static void send_file(Client* client, const char* path)
{
    struct stat facts;
    client->file = open(path, O_RDONLY | O_CLOEXEC);
    client->at = 0;
    client->since = stic_timer_seconds();
    unlink(path);
    bool good = client->file >= 0 && fstat(client->file, &facts) == 0;
    if (good)
        good = client->streaming ? send_text(client->socket, "data: ")
                                 : send_head(client->socket, "200 OK", "text/html; charset=utf-8",
                                             (long long)facts.st_size);
    if (good)
        push(client);
    else
        drop(client);
}

static bool make_file(CliRun* run, const SticPageDef* def)
{
    SticError error = {0};
    const SticStatus status = stic_output_export_page(run->output, def, run->live->file, &error);
    if (status != STIC_OK)
        cli_message("the page of the run cannot be made: %s", error.text);
    return status == STIC_OK;
}

static void send_page(CliRun* run, Client* client)
{
    SticPageDef def = stic_page_default_def();
    def.before = run->live->before;
    def.after = (const char*)cli_page_after;
    if (!make_file(run, &def))
        answer(client, "500 the page cannot be made");
    else
        send_file(client, run->live->file);
}

// frames that a browser does not have yet
static void send_news(CliRun* run, Client* client)
{
    SticPageDef def = stic_page_default_def();
    const int64_t frames = stic_output_frames(run->output);
    def.first_frame = client->sent;
    // news waits until the last has been read
    if (frames <= client->sent || client->file >= 0)
        return;
    client->sent = frames;
    if (make_file(run, &def))
        send_file(client, run->live->file);
    else
        drop(client);
}

/* ---- requests ---- */

static void begin_events(CliRun* run, Client* client, int64_t from)
{
    client->sent = from;
    client->streaming = send_head(client->socket, "200 OK", "text/event-stream", -1) &&
                        send_text(client->socket, run->live->paused ? "event: pause\ndata: 1\n\n"
                                                                    : ": welcome\n\n");
    run->live->seen = true;
    if (!client->streaming)
        drop(client);
}

static void serve(CliRun* run, Client* client)
{
    static const char* const refusals[] = {[CLI_ASK_BAD] = "400 Bad Request",
                                           [CLI_ASK_FOREIGN] = "403 Forbidden",
                                           [CLI_ASK_UNKNOWN] = "404 Not Found",
                                           [CLI_ASK_METHOD] = "405 Method Not Allowed"};
    CliLive* live = run->live;
    int64_t from = 0;
    const CliAsk ask = cli_request_read(&live->door, client->text, &from);
    if (ask == CLI_ASK_PAGE) {
        send_page(run, client);
    } else if (ask == CLI_ASK_EVENTS) {
        begin_events(run, client, from);
    } else if (ask >= CLI_ASK_BAD) {
        answer(client, refusals[ask]);
    } else {
        live->stop = live->stop || ask == CLI_ASK_STOP;
        if (ask != CLI_ASK_STOP)
            live->paused = ask == CLI_ASK_PAUSE;
        answer(client, "200 OK");
    }
}

static void receive(CliRun* run, Client* client)
{
    const ssize_t count = recv(client->socket, client->text + client->used,
                               sizeof client->text - 1 - client->used, MSG_DONTWAIT);
    if (count < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (count <= 0 || client->streaming || client->file >= 0) {
        // a page that was closed; a connection that is being answered has nothing to say
        if (count <= 0)
            drop(client);
        client->used = 0;
        return;
    }
    client->used += (size_t)count;
    client->text[client->used] = '\0';
    if (strstr(client->text, "\r\n\r\n") != NULL)
        serve(run, client);
    else if (client->used + 1 >= sizeof client->text)
        answer(client, "431 Request Header Fields Too Large");
}

// a place for a new connection: a free one, or that of the oldest that has asked for nothing
static Client* find_place(CliLive* live)
{
    Client* oldest = NULL;
    for (int i = 0; i < MOST_CLIENTS; ++i) {
        Client* client = &live->client[i];
        if (client->socket < 0)
            return client;
        const bool idle = !client->streaming && client->file < 0;
        if (idle && (oldest == NULL || client->since < oldest->since))
            oldest = client;
    }
    if (oldest != NULL)
        drop(oldest);
    return oldest;
}

static void welcome(CliLive* live)
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
    client->streaming = false;
    client->since = stic_timer_seconds();
}

// what a connection is sent or refused now; `due`: news is due
static void serve_turn(CliRun* run, Client* client, bool due)
{
    const double age = stic_timer_seconds() - client->since;
    if (client->file >= 0)
        push(client);
    if (client->socket < 0)
        return;
    const bool silent = !client->streaming && client->file < 0;
    if ((client->file >= 0 && age > SLOWEST) || (silent && age > PATIENCE))
        drop(client);
    else if (client->streaming && due)
        send_news(run, client);
}

// answer what arrives within `wait` milliseconds, and send news if it is due
static void attend(CliRun* run, int wait)
{
    CliLive* live = run->live;
    struct pollfd set[1 + MOST_CLIENTS];
    const double now = stic_timer_seconds();
    set[0] = (struct pollfd){.fd = live->socket, .events = POLLIN};
    for (int i = 0; i < MOST_CLIENTS; ++i)
        set[1 + i] = (struct pollfd){.fd = live->client[i].socket,
                                     .events = live->client[i].file >= 0 ? POLLOUT : POLLIN};
    if (poll(set, 1 + MOST_CLIENTS, wait) > 0) {
        for (int i = 0; i < MOST_CLIENTS; ++i)
            if (live->client[i].socket >= 0 && (set[1 + i].revents & ~POLLOUT) != 0)
                receive(run, &live->client[i]);
        if (set[0].revents != 0)
            welcome(live);
    }
    const bool due = now - live->last >= EVERY;
    for (int i = 0; i < MOST_CLIENTS; ++i)
        if (live->client[i].socket >= 0)
            serve_turn(run, &live->client[i], due);
    if (due)
        live->last = now;
}

/* ---- the run's side ---- */

static bool make_token(CliLive* live)
{
    static const char digits[] = "0123456789abcdef";
    unsigned char bytes[CLI_TOKEN / 2];
    if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes)
        return false;
    for (int i = 0; i < CLI_TOKEN / 2; ++i) {
        live->door.token[2 * i] = digits[bytes[i] >> 4];
        live->door.token[2 * i + 1] = digits[bytes[i] & 15];
    }
    return true;
}

static bool listen_here(CliLive* live)
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

CliExit cli_live_open(CliRun* run)
{
    static const char mark[] = "live ";
    SticError error = {0};
    CliLive* live = NULL;
    const size_t size = strlen((const char*)cli_page_before);
    if (STIC_ALLOCATE(run->call->context, &live, 1) != STIC_OK)
        return cli_out_of_memory();
    run->live = live;
    live->socket = -1;
    for (int i = 0; i < MOST_CLIENTS; ++i)
        live->client[i].socket = live->client[i].file = -1;
    live->before_size = size + sizeof mark;
    if (STIC_ALLOCATE(run->call->context, &live->before, live->before_size) != STIC_OK)
        return cli_out_of_memory();
    memcpy(live->before, cli_page_before, size);
    memcpy(live->before + size, mark, sizeof mark);
    const SticStatus status =
        stic_output_beside(run->result, ".live", live->file, sizeof live->file, &error);
    if (status != STIC_OK)
        return cli_report(&error, status, run->result);
    if (!make_token(live) || !listen_here(live)) {
        cli_message("--view: no server on 127.0.0.1: %s", strerror(errno));
        return CLI_INPUT;
    }
    fprintf(stderr, "view: http://%s/%s/ (the run begins when the page is open)\n",
            live->door.host[0], live->door.token);
    return CLI_DONE;
}

bool cli_live_turn(CliRun* run)
{
    CliLive* live = run->live;
    if (live == NULL)
        return false;
    attend(run, 0);
    while ((live->paused || !live->seen) && !live->stop && !cli_run_interrupted(run))
        attend(run, 100);
    return live->stop;
}

// the rest of an answer, until a time: no step is waiting any more
static void finish_answer(Client* client, double until)
{
    while (client->socket >= 0 && client->file >= 0 && stic_timer_seconds() < until) {
        struct pollfd set = {.fd = client->socket, .events = POLLOUT};
        if (poll(&set, 1, 100) > 0)
            push(client);
    }
}

void cli_live_close(CliRun* run)
{
    CliLive* live = run->live;
    if (live == NULL)
        return;
    const double end = stic_timer_seconds() + FAREWELL;
    for (int i = 0; i < MOST_CLIENTS; ++i) {
        Client* client = &live->client[i];
        finish_answer(client, end);
        if (client->socket >= 0 && client->streaming && run->output != NULL)
            send_news(run, client);
        finish_answer(client, end);
        if (client->socket >= 0 && client->streaming)
            send_text(client->socket, "event: end\ndata: 1\n\n");
        drop(client);
    }
    if (live->socket >= 0)
        close(live->socket);
    STIC_RELEASE(run->call->context, live->before, live->before_size);
    STIC_RELEASE(run->call->context, live, 1);
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
