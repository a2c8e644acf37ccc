// SPDX-License-Identifier: Apache-2.0
// A solve in a process of its own.
//
// The child writes its answer to memory it shares with the parent, and one byte to a pipe whenever
// a clock starts. The parent waits on the pipe: a byte moves the deadline, the end of the pipe says
// that the child is gone, and at the deadline the child is killed. The answer is judged by the
// parent, from its own copy of the data.
#include "child.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "NumericsVerbose.h"

static size_t answer_bytes(int32_t rows)
{
    return sizeof(PeerAnswer) + (size_t)rows * sizeof(double);
}

PeerAnswer* peer_answer_create(int32_t rows)
{
    void* memory =
        mmap(NULL, answer_bytes(rows), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

void peer_answer_destroy(PeerAnswer* answer, int32_t rows)
{
    if (answer != NULL)
        munmap(answer, answer_bytes(rows));
}

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* ---- the child ---- */

enum { CHILD_MEMORY = 7 }; // exit status when out of memory

static void tell_start(void* self)
{
    const int* pipe_end = self;
    if (write(*pipe_end, "s", 1) != 1)
        _exit(1);
}

// what Siconos prints is of no interest, and no core file is wanted
static void silence(void)
{
    const int null = open("/dev/null", O_WRONLY);
    const struct rlimit none = {0, 0};
    if (null >= 0) {
        dup2(null, STDOUT_FILENO);
        dup2(null, STDERR_FILENO);
    }
    setrlimit(RLIMIT_CORE, &none);
    numerics_set_verbose(0);
}

static _Noreturn void be_child(const SticProblem* local, const PeerRequest* request,
                               const PeerLimits* limits, PeerAnswer* answer, int pipe_end)
{
    const double start = seconds_now();
    silence();
    do {
        if (!peer_solve(local, request, tell_start, &pipe_end, answer))
            _exit(CHILD_MEMORY);
    } while (answer->runs < limits->runs && seconds_now() - start < limits->runs_total);
    _exit(0);
}

/* ---- the parent ---- */

// true: the child is gone; false: it ran past its deadline
static bool wait_for(int pipe_end, const PeerLimits* limits)
{
    double deadline = seconds_now() + limits->preparing;
    for (;;) {
        struct pollfd event = {.fd = pipe_end, .events = POLLIN};
        const double left = deadline - seconds_now();
        const int ready = poll(&event, 1, left > 0.0 ? (int)ceil(1e3 * left) : 0);
        char byte = 0;
        if (ready < 0 && errno == EINTR)
            continue;
        if (ready <= 0)
            return false;
        if (read(pipe_end, &byte, 1) <= 0)
            return true;
        // the next byte comes when the next run is prepared
        deadline = seconds_now() + (limits->seconds > 0.0 ? limits->seconds : 1e6);
    }
}

static PeerEnd read_end(int status, bool in_time, const PeerAnswer* answer, int32_t* code)
{
    *code = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
    // a later run that fails or takes long does not spoil the first
    if (answer->runs > 0)
        return PEER_FINISHED;
    if (!in_time)
        return PEER_TIMED_OUT;
    return WIFSIGNALED(status) ? PEER_CRASHED : PEER_EXITED;
}

PeerEnd peer_child_run(const SticProblem* local, const PeerRequest* request,
                       const PeerLimits* limits, PeerAnswer* answer, int32_t* code)
{
    int ends[2], status = 0;
    memset(answer, 0, answer_bytes(local->rows));
    *code = 0;
    fflush(NULL);
    if (pipe(ends) != 0)
        return PEER_FAILED;
    const pid_t child = fork();
    if (child == 0) {
        close(ends[0]);
        be_child(local, request, limits, answer, ends[1]);
    }
    close(ends[1]);
    const bool in_time = child > 0 && wait_for(ends[0], limits);
    close(ends[0]);
    if (child < 0)
        return PEER_FAILED;
    if (!in_time)
        kill(child, SIGKILL);
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    return read_end(status, in_time, answer, code);
}
