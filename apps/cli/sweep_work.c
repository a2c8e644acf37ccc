// SPDX-License-Identifier: Apache-2.0
// Workers of a sweep: `stiction run` and `stiction resume` of single points, so many at a time.
//
// A worker that was killed is started again and goes on from its last snapshot; one that ends by
// itself without reaching the end is tried once more, in case it was interrupted, and has failed if
// that gets no further. Workers end when their master does.
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "print.h"
#include "sweep.h"

enum { MOST_TRIES = 5 };

// words of a command under construction
typedef struct Words {
    const char* word[CLI_SWEEP_WORDS + 1];
    int32_t count;
    char text[CLI_SWEEP_PARAMS][CLI_SWEEP_NAME + CLI_SWEEP_VALUE + 2];
    char file[CLI_PATH];
} Words;

static void add(Words* words, const char* word)
{
    if (words->count < CLI_SWEEP_WORDS)
        words->word[words->count++] = word;
}

static void add_options(const CliSweep* sweep, Words* words)
{
    static const struct {
        const char *name, *word;
    } passed[] = {{"set", "--set"}, {"until", "--until"}, {"accuracy", "--accuracy"}};
    for (int32_t i = 0; i < sweep->call->given_count; ++i)
        for (size_t n = 0; n < sizeof passed / sizeof *passed; ++n)
            if (strcmp(sweep->call->given[i].option->name, passed[n].name) == 0) {
                add(words, passed[n].word);
                add(words, sweep->call->given[i].value);
            }
}

static void make_words(const CliSweep* sweep, int32_t k, Words* words)
{
    const bool begun = sweep->point[k].state == CLI_POINT_BEGUN && sweep->point[k].reached >= 0.0;
    words->count = 0;
    cli_sweep_file(sweep, k, ".h5", words->file);
    add(words, "stiction");
    if (begun) {
        add(words, "resume");
        add(words, words->file);
    } else {
        add(words, "run");
        add(words, sweep->call->operand[0]);
        // a result without a complete frame is not worth keeping
        add(words, "--force");
        add(words, "--output");
        add(words, words->file);
        for (int32_t p = 0; p < sweep->params; ++p) {
            snprintf(words->text[p], sizeof words->text[p], "%s=%s", sweep->param[p].name,
                     cli_sweep_value(sweep, k, p));
            add(words, "--param");
            add(words, words->text[p]);
        }
        add_options(sweep, words);
    }
    words->word[words->count] = NULL;
}

// in the child: signals as usual, messages into the log of the point
static void become(const Words* words, const char* log, const sigset_t* mask, pid_t master)
{
    const union {
        const char* const* given;
        char* const* taken;
    } all = {words->word};
    const int file = open(log, O_WRONLY | O_CREAT | O_APPEND, 0666);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != master)
        _exit(1);
    if (file >= 0) {
        dup2(file, STDOUT_FILENO);
        dup2(file, STDERR_FILENO);
    }
    for (int32_t i = 0; i < words->count; ++i)
        dprintf(STDERR_FILENO, "%s%s", i == 0 ? "$ " : " ", words->word[i]);
    dprintf(STDERR_FILENO, "\n");
    sigprocmask(SIG_SETMASK, mask, NULL);
    // Ctrl-C goes to the master, which tells its workers
    setpgid(0, 0);
    execv("/proc/self/exe", all.taken);
    _exit(127);
}

static bool start(CliSweep* sweep, int32_t k, const sigset_t* mask)
{
    Words words;
    char log[CLI_PATH];
    const pid_t master = getpid();
    CliPoint* point = &sweep->point[k];
    make_words(sweep, k, &words);
    cli_sweep_file(sweep, k, ".log", log);
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0)
        become(&words, log, mask, master);
    if (child < 0) {
        cli_message("no process for point %d: %s", (int)k + 1, strerror(errno));
        return false;
    }
    point->child = child;
    point->tries += 1;
    return true;
}

// what became of a point whose process has ended
static void judge(CliSweep* sweep, int32_t k, int state)
{
    CliPoint* point = &sweep->point[k];
    const double before = point->reached;
    point->child = 0;
    point->exit = WIFEXITED(state) ? WEXITSTATUS(state) : -1;
    cli_sweep_look(sweep, k);
    if (point->state == CLI_POINT_DONE)
        return;
    const bool further = point->reached > before;
    const bool hopeless = point->exit >= CLI_USAGE || (point->exit >= 0 && !further);
    if (hopeless || point->tries >= MOST_TRIES)
        point->state = CLI_POINT_FAILED;
}

static void reap(CliSweep* sweep)
{
    int state = 0;
    for (pid_t child = waitpid(-1, &state, WNOHANG); child > 0;
         child = waitpid(-1, &state, WNOHANG))
        for (int32_t k = 0; k < sweep->points; ++k)
            if (sweep->point[k].child == child)
                judge(sweep, k, state);
}

static int32_t count_of(const CliSweep* sweep, CliPointState state)
{
    int32_t count = 0;
    for (int32_t k = 0; k < sweep->points; ++k)
        count += sweep->point[k].child == 0 && sweep->point[k].state == state;
    return count;
}

static int32_t working(const CliSweep* sweep)
{
    int32_t count = 0;
    for (int32_t k = 0; k < sweep->points; ++k)
        count += sweep->point[k].child != 0;
    return count;
}

static void progress(const CliSweep* sweep, double begin, int32_t first, int32_t* said)
{
    const int32_t done = count_of(sweep, CLI_POINT_DONE),
                  failed = count_of(sweep, CLI_POINT_FAILED);
    const int32_t ended = done + failed;
    if (ended == *said)
        return;
    *said = ended;
    char left[64] = "";
    if (ended > first && ended < sweep->points)
        snprintf(left, sizeof left, ", %.0f s left",
                 (stic_timer_seconds() - begin) / (ended - first) * (sweep->points - ended));
    fprintf(stderr, "%d of %d points done, %d at work, %d failed%s\n", (int)done,
            (int)sweep->points, (int)working(sweep), (int)failed, left);
}

static void tell_all(const CliSweep* sweep, int signal_number)
{
    for (int32_t k = 0; k < sweep->points; ++k)
        if (sweep->point[k].child != 0)
            kill(sweep->point[k].child, signal_number);
}

// as many workers as there may be, in the order of the points
static bool fill(CliSweep* sweep, int32_t only, const sigset_t* mask)
{
    int32_t busy = working(sweep);
    for (int32_t k = 0; k < sweep->points && busy < sweep->jobs; ++k) {
        const CliPoint* point = &sweep->point[k];
        if (point->child != 0 || point->state >= CLI_POINT_DONE || (only >= 0 && k != only))
            continue;
        if (!start(sweep, k, mask))
            return busy > 0;
        busy += 1;
    }
    return busy > 0;
}

bool cli_sweep_work(CliSweep* sweep, int32_t only)
{
    sigset_t waited, before;
    const double begin = stic_timer_seconds();
    const int32_t first = count_of(sweep, CLI_POINT_DONE) + count_of(sweep, CLI_POINT_FAILED);
    int32_t said = -1;
    int stops = 0;
    sigemptyset(&waited);
    sigaddset(&waited, SIGCHLD);
    sigaddset(&waited, SIGINT);
    sigaddset(&waited, SIGTERM);
    sigprocmask(SIG_BLOCK, &waited, &before);
    while (stops > 0 ? working(sweep) > 0 : fill(sweep, only, &before)) {
        // a child may end between two looks: never wait for long
        const struct timespec tick = {.tv_sec = 1};
        const int came = sigtimedwait(&waited, NULL, &tick);
        if (came == SIGINT || came == SIGTERM)
            tell_all(sweep, ++stops > 1 ? SIGKILL : SIGTERM);
        reap(sweep);
        progress(sweep, begin, first, &said);
    }
    progress(sweep, begin, first, &said);
    sigprocmask(SIG_SETMASK, &before, NULL);
    return stops > 0;
}
