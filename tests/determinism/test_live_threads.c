// SPDX-License-Identifier: Apache-2.0
// labels: threads
// Runs that are watched: two of them at once in threads of their own, each with a pool, a result and
// a server, a browser that reads everything and one that asks for the page and never reads. Watching
// changes no bit, whoever reads gets every frame, and nobody waits for the one that does not.
#include <arpa/inet.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "file/file.h"
#include "helpers/helpers.h"
#include "stiction/extend/live.h"
#include "stiction/extend/result.h"
#include "stiction/extend/scene.h"

#ifdef STIC_HAVE_HDF5

// a page beyond what sockets hold back for a browser that does not read
enum { RUNS = 2, STEPS = 60, BYTES = 1 << 22, PAGE = 1 << 24 };

static const char heap[] =
    "material{name = \"m\", density = 1000, friction = 0.4, restitution = 0.2}\n"
    "floor{material = \"m\"}\n"
    "for i = 1, 10 do\n"
    "  body{name = \"b\" .. i, material = \"m\", position = {0.02 * (i % 3), 0, 0.2 * i},\n"
    "       orientation = {axis = {1, i, 0}, angle = 0.2 * i},\n"
    "       shape = shape.box{size = {0.3, 0.2, 0.15}}}\n"
    "end\n"
    "scheme \"moreau\"\n"
    "run{step = 2e-3, duration = 1}\n";

/// A browser: asks for something and reads until the server says goodbye, or never.
typedef struct Browser {
    char address[128]; // http://127.0.0.1:PORT/TOKEN/
    const char* what;  // behind the address
    int deaf, socket;
    char* text; // [BYTES]
    size_t used;
} Browser;

/// A run, watched or alone, and how it ended.
typedef struct Job {
    int watched;
    char path[TEST_PATH_SIZE];
    SticStatus status;
    uint64_t hash;
    int64_t frames;
    Browser reader, deaf;
    SticError error;
} Job;

static void ask(Browser* browser)
{
    int port = 0;
    char token[96] = "", request[512];
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    if (sscanf(browser->address, "http://127.0.0.1:%d/%95[0-9a-f]/", &port, token) != 2)
        return;
    to.sin_port = htons((uint16_t)port);
    browser->socket = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const int count =
        snprintf(request, sizeof request, "GET /%s/%s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n\r\n",
                 token, browser->what, port);
    if (connect(browser->socket, (struct sockaddr*)&to, sizeof to) == 0)
        (void)!write(browser->socket, request, (size_t)count);
}

static void* browse(void* self)
{
    Browser* browser = self;
    ask(browser);
    ssize_t count = browser->deaf ? 0 : 1;
    while (count > 0 && browser->used + 1 < BYTES) {
        count = read(browser->socket, browser->text + browser->used, BYTES - 1 - browser->used);
        browser->used += count > 0 ? (size_t)count : 0;
    }
    browser->text[browser->used] = '\0';
    return NULL;
}

// steps between which the server is attended to; the first waits for both browsers
static SticStatus make_steps(SticSimulation* simulation, SticOutput* output, SticLive* live,
                             Job* job)
{
    SticStepInfo info;
    SticLiveWish wish = {0};
    for (int k = 0; live != NULL && k < 400 && !wish.seen; ++k)
        STIC_TRY(stic_live_attend(live, 0.05, &wish, &job->error));
    for (int k = 0; k < STEPS; ++k) {
        if (live != NULL)
            STIC_TRY(stic_live_attend(live, 0.0, &wish, &job->error));
        STIC_TRY(stic_simulation_step(simulation, &info));
        STIC_TRY(stic_output_step(output, stic_simulation_run(simulation), &info,
                                  &(SticStepExtra){.seconds = 0.0}, &job->error));
    }
    return STIC_OK;
}

static SticStatus watch(const SticContext* context, SticSimulation* simulation, SticOutput* output,
                        Job* job)
{
    char* before = malloc(PAGE + 1);
    if (before == NULL)
        return STIC_OUT_OF_MEMORY;
    memset(before, '-', PAGE);
    before[PAGE] = '\0';
    const SticLiveDef def = {.output = output, .before = before, .after = ""};
    SticLive* live = NULL;
    pthread_t thread[2];
    Browser* browser[2] = {&job->reader, &job->deaf};
    const SticStatus opened = stic_live_open(context, &def, &live, &job->error);
    free(before);
    STIC_TRY(opened);
    for (int i = 0; i < 2; ++i) {
        snprintf(browser[i]->address, sizeof browser[i]->address, "%s", stic_live_address(live));
        pthread_create(&thread[i], NULL, browse, browser[i]);
    }
    const SticStatus status = make_steps(simulation, output, live, job);
    stic_live_close(live);
    for (int i = 0; i < 2; ++i)
        pthread_join(thread[i], NULL);
    return status;
}

static SticStatus run_job(const SticContext* context, const SticScene* scene, Job* job)
{
    SticSimulation* simulation = NULL;
    SticOutput* output = NULL;
    STIC_TRY(stic_simulation_create(context, scene, &simulation, &job->error));
    SticOutputDef def = stic_output_default_def();
    def.path = job->path;
    def.world = stic_simulation_world(simulation);
    def.run = stic_simulation_run(simulation);
    def.until = 1.0;
    def.settings.every = 1;
    SticStatus status = stic_output_create(context, &def, &output, &job->error);
    if (status == STIC_OK)
        status = job->watched ? watch(context, simulation, output, job)
                              : make_steps(simulation, output, NULL, job);
    job->hash = stic_run_hash(stic_simulation_run(simulation));
    if (output != NULL) {
        job->frames = stic_output_frames(output);
        const SticStatus closed = stic_output_close(output, &job->error);
        status = status == STIC_OK ? closed : status;
    }
    stic_simulation_destroy(simulation);
    return status;
}

// no assertions here: they belong to the thread of the test
static void* work(void* self)
{
    Job* job = self;
    SticContext context = stic_context_default();
    const SticSceneOptions options = stic_scene_default_options();
    SticScene* scene = NULL;
    SticPool* pool = NULL;
    job->status = stic_pool_create(&context, 2, &pool);
    if (job->status != STIC_OK)
        return NULL;
    context.pool = pool;
    const SticText source = {.context = context, .bytes = (char*)heap, .size = strlen(heap)};
    job->status = stic_scene_parse(&context, &source, "heap.lua", &options, &scene, &job->error);
    if (job->status == STIC_OK)
        job->status = run_job(&context, scene, job);
    stic_scene_destroy(scene);
    stic_pool_destroy(pool);
    return NULL;
}

static int count_of(const char* text, const char* word)
{
    int count = 0;
    for (const char* at = strstr(text, word); at != NULL; at = strstr(at + 1, word))
        count += 1;
    return count;
}

static void check_watched(const Job* job, const Job* alone)
{
    const char* text = job->reader.text;
    print_message("state %016llx alone, %016llx watched; %zu bytes in %d events read\n",
                  (unsigned long long)alone->hash, (unsigned long long)job->hash, job->reader.used,
                  count_of(text, "data: "));
    assert_int_equal(job->status, STIC_OK);
    test_equal(job->hash, alone->hash);
    assert_int_equal(job->frames, alone->frames);
    // the stream begins with a welcome, has news and ends with a goodbye
    assert_non_null(strstr(text, ": welcome"));
    assert_true(count_of(text, "data: ") >= 2);
    assert_non_null(strstr(text, "event: end"));
}

static void test_watched(void** unused)
{
    (void)unused;
    static Job alone, watched[RUNS];
    pthread_t thread[RUNS];
    char name[64];
    test_scratch_path("live-alone.h5", alone.path);
    work(&alone);
    if (alone.status != STIC_OK)
        fail_msg("%s", alone.error.text);
    for (int i = 0; i < RUNS; ++i) {
        watched[i] = (Job){.watched = 1,
                           .reader = {.what = "events?from=0", .socket = -1},
                           .deaf = {.what = "", .deaf = 1, .socket = -1}};
        watched[i].reader.text = calloc(BYTES, 1);
        watched[i].deaf.text = calloc(BYTES, 1);
        snprintf(name, sizeof name, "live-%d.h5", i);
        test_scratch_path(name, watched[i].path);
        assert_int_equal(pthread_create(&thread[i], NULL, work, &watched[i]), 0);
    }
    for (int i = 0; i < RUNS; ++i)
        assert_int_equal(pthread_join(thread[i], NULL), 0);
    for (int i = 0; i < RUNS; ++i) {
        if (watched[i].status != STIC_OK)
            fail_msg("%s", watched[i].error.text);
        check_watched(&watched[i], &alone);
        close(watched[i].reader.socket);
        close(watched[i].deaf.socket);
        free(watched[i].reader.text);
        free(watched[i].deaf.text);
        remove(watched[i].path);
    }
    remove(alone.path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_watched)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

int main(void)
{
    return 0;
}

#endif
