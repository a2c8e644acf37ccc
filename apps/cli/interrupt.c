// SPDX-License-Identifier: Apache-2.0
// SIGINT and SIGTERM while a run goes on.
//
// The signals are blocked in all threads and taken by one that does nothing else, so that the first
// one finishes the step and stores a snapshot, and the program still obeys when a step takes hours
// (a second signal) or a file system does not answer (LONGEST seconds). What is on the disk is
// complete up to its last flush at any moment, so that ending at once loses nothing that was
// stored.
#include "interrupt.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "options.h"

enum { TICK = 250 };
static const double LONGEST = 5.0;

struct CliInterrupt {
    SticContext context;
    const char* name;
    sigset_t old;
    int signals, stop[2]; // descriptors
    pthread_t thread;
    atomic_int count;
    atomic_bool in_file;
};

static void end_now(const CliInterrupt* interrupt)
{
    // the thread that does not answer may hold the lock of stderr: no stdio
    char text[512];
    const int length =
        snprintf(text, sizeof text,
                 "\nstiction: ended at once; 'stiction resume' goes on from the last "
                 "snapshot of %.300s\n",
                 interrupt->name);
    const ssize_t written = write(STDERR_FILENO, text, (size_t)length);
    (void)written;
    _exit((int)CLI_UNSOLVED);
}

static void* watch(void* self)
{
    CliInterrupt* interrupt = self;
    double since = 0.0; // in a file, with a signal waiting
    for (;;) {
        struct pollfd set[] = {{.fd = interrupt->signals, .events = POLLIN},
                               {.fd = interrupt->stop[0], .events = POLLIN}};
        const bool noted = atomic_load(&interrupt->count) > 0;
        if (poll(set, 2, noted ? TICK : -1) < 0 && errno != EINTR)
            return NULL;
        if (set[1].revents != 0)
            return NULL;
        struct signalfd_siginfo info;
        if (set[0].revents != 0 &&
            read(interrupt->signals, &info, sizeof info) == (ssize_t)sizeof info &&
            atomic_fetch_add(&interrupt->count, 1) > 0)
            end_now(interrupt);
        const double now = stic_timer_seconds();
        if (!noted || !atomic_load(&interrupt->in_file))
            since = now;
        else if (now - since > LONGEST)
            end_now(interrupt);
    }
}

static void close_all(CliInterrupt* interrupt)
{
    const SticContext context = interrupt->context;
    if (interrupt->signals >= 0)
        close(interrupt->signals);
    for (int i = 0; i < 2; ++i)
        if (interrupt->stop[i] >= 0)
            close(interrupt->stop[i]);
    STIC_RELEASE(&context, interrupt, 1);
}

CliInterrupt* cli_interrupt_open(const SticContext* context, const char* name)
{
    CliInterrupt* made = NULL;
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    if (STIC_ALLOCATE(context, &made, 1) != STIC_OK)
        return NULL;
    made->context = *context;
    made->name = name;
    made->stop[0] = made->stop[1] = -1;
    made->signals = signalfd(-1, &set, SFD_CLOEXEC);
    sigprocmask(SIG_BLOCK, &set, &made->old);
    if (made->signals >= 0 && pipe(made->stop) == 0 &&
        pthread_create(&made->thread, NULL, watch, made) == 0)
        return made;
    sigprocmask(SIG_SETMASK, &made->old, NULL);
    close_all(made);
    return NULL;
}

bool cli_interrupt_came(const CliInterrupt* interrupt)
{
    return interrupt != NULL && atomic_load(&interrupt->count) > 0;
}

void cli_interrupt_in_file(CliInterrupt* interrupt, bool in_file)
{
    if (interrupt != NULL)
        atomic_store(&interrupt->in_file, in_file);
}

void cli_interrupt_close(CliInterrupt* interrupt)
{
    if (interrupt == NULL)
        return;
    // the watcher sees that the other end of its pipe is gone
    close(interrupt->stop[1]);
    interrupt->stop[1] = -1;
    pthread_join(interrupt->thread, NULL);
    // a signal after the last look needs no answer: the run is over
    signal(SIGINT, SIG_IGN);
    signal(SIGTERM, SIG_IGN);
    sigprocmask(SIG_SETMASK, &interrupt->old, NULL);
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    close_all(interrupt);
}
