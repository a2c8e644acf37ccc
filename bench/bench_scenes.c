// SPDX-License-Identifier: Apache-2.0
// Seconds to a given error on generated scenes, cold and from the solution of a step before, next
// to the memory bandwidth.
//
//     bench_scenes [options] [SCENE …]             a table of solvers
//     bench_scenes scale [options] [SCENE …]       auto on scenes of growing size, in Markdown,
//     next
//                                                  to the figures of a prototype
//     bench_scenes families [options] [SCENE …]    auto at 1e-6 and 1e-8: what is solved, by what
//     bench_scenes write FOLDER [SCENE …]          the scenes as FCLIB files
//
//     --solvers A,B    solvers of the table, default nsgs,asgs,apgd,admm,auto
//     --seconds S      limit of one solve, default 5 (families: 60, scale: 30)
//     --largest N      scenes of at most N contacts, default 12000 (families: 30000, scale: all)
//     --repeat N       scale: best of at most N solves of altogether half a second, default 9
//     --csv FILE       every solve as a line, too
//
// Scenes: scenes.h; names as "wall20-hit". Times are CPU times of the one thread that is used,
// set-up and checks of the error included; "-": not reached in the time given. The growth is
// that of the seconds with the number of contacts, from the scene of the same kind before.
//
// The prototype chose the method for each scene by hand and did not count set-up and checks of its
// sweeps; its piles had other contacts. Ratios are those of the seconds per contact times the
// memory bandwidth, measured before each scene: below 1 is faster than the prototype would be here.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "helpers/scenes.h"
#include "stiction/extend/solver.h"

enum { TRIAD = 1 << 23, TOLERANCES = 3, MOST_SOLVERS = 8, NAME = 32 };

static const double tolerances[TOLERANCES] = {1e-2, 1e-4, 1e-8};

static const char* const table_scenes[] = {
    "arch9",     "arch27",        "arch200",    "chain20",     "stack20",       "stack100",
    "stack1000", "bridge10",      "bridge200",  "pyramid20",   "pyramid20-hit", "pyramid50",
    "wall20",    "wall20-hit",    "wall50",     "wall100",     "pyramid100",    "spheres1k",
    "spheres3k", "spheres1k-hit", "spheres10k", "spheres100k",
};

static const char* const family_scenes[] = {
    "stack3",
    "stack100",
    "stack1000",
    "stack100-hit",
    "stack100-gyro",
    "stack100-slide",
    "wall5",
    "wall20",
    "wall40",
    "wall20-hit",
    "wall10-gyro",
    "wall20-slide",
    "pyramid5",
    "pyramid20",
    "pyramid70",
    "pyramid20-hit",
    "pyramid10-gyro",
    "pyramid20-slide",
    "arch9",
    "arch200",
    "arch2000",
    "arch200-hit",
    "arch27-gyro",
    "chain5",
    "chain100",
    "chain2000",
    "chain100-hit",
    "chain100-gyro",
    "chain100-slide",
    "bridge10",
    "bridge200",
    "bridge600",
    "bridge200-hit",
    "bridge10-gyro",
    "bridge200-slide",
    "spheres20",
    "spheres1k",
    "spheres5k",
    "spheres1k-hit",
    "spheres300-gyro",
    "spheres1k-slide",
    "capsules20",
    "capsules1k",
    "capsules5k",
    "capsules1k-hit",
    "capsules300-gyro",
    "capsules1k-slide",
};

static const char* const scale_scenes[] = {
    "arch27", "arch200", "stack100",  "stack1000", "pyramid20",  "pyramid50",  "pyramid100",
    "wall20", "wall50",  "spheres1k", "spheres3k", "spheres10k", "spheres30k", "spheres100k",
};

// best seconds of the prototype to each tolerance, 0: not reached or not measured
static const struct Prototype {
    const char *scene, *start;
    double contacts, seconds[TOLERANCES];
} prototypes[] = {
    {"arch27", "cold", 112.0, {0.0005, 0.0006, 0.0007}},
    {"arch200", "cold", 804.0, {0.0022, 0.0028, 0.0041}},
    {"stack100", "cold", 400.0, {0.0011, 0.0022, 0.0044}},
    {"pyramid20", "cold", 1600.0, {0.0036, 0.0048, 0.0071}},
    {"pyramid50", "cold", 10000.0, {0.040, 0.050, 0.065}},
    {"pyramid100", "cold", 40000.0, {0.40, 0.60, 0.75}},
    {"pyramid100", "warm", 40000.0, {0.004, 0.022, 0.0}},
    {"wall20", "cold", 4680.0, {0.012, 0.015, 0.021}},
    {"wall50", "cold", 29700.0, {0.13, 0.18, 0.27}},
    {"spheres1k", "cold", 3201.0, {0.007, 0.012, 0.069}},
    {"spheres10k", "cold", 37098.0, {0.18, 1.25, 0.0}},
    {"spheres30k", "cold", 96308.0, {1.36, 4.6, 0.0}},
    {"spheres100k", "cold", 338770.0, {10.0, 0.0, 0.0}},
};
static const double prototype_bandwidth = 25e9;

typedef struct Bench {
    SticWorkspace* workspace;
    double limit; // seconds per solve
    int32_t largest;
    int32_t repeat;
    bool warm;        // start from r
    const char* name; // of the scene
    double *r, *u;
    FILE* csv;
    const char* solver[MOST_SOLVERS];
    int32_t solvers;
    const char* const* scene;
    int32_t scenes;
} Bench;

static double cpu_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// bandwidth of a[i] = b[i] + s c[i], bytes per second, best of five
static double triad_bandwidth(void)
{
    double* a = calloc(3 * (size_t)TRIAD, sizeof *a);
    double best = 0.0;
    if (a == NULL)
        return 0.0;
    double *b = a + TRIAD, *c = b + TRIAD;
    for (int32_t i = 0; i < TRIAD; ++i) {
        a[i] = 0.0;
        b[i] = i;
        c[i] = 1.0;
    }
    for (int run = 0; run < 5; ++run) {
        const double start = cpu_seconds();
        for (int32_t i = 0; i < TRIAD; ++i)
            a[i] = b[i] + 3.0 * c[i];
        const double rate = 3.0 * sizeof(double) * TRIAD / (cpu_seconds() - start);
        best = rate > best ? rate : best;
    }
    // the result is used, so that the loop stays
    if (a[TRIAD / 2] < 0.0)
        printf("impossible\n");
    free(a);
    return best;
}

static void make_scene(Bench* bench, const char* name, double jitter, Scene* scene)
{
    SceneDef def = {0};
    SceneMore more = {0};
    if (!scene_parse(name, &def, &more)) {
        fprintf(stderr, "no scene '%s'\n", name);
        exit(1);
    }
    def.jitter = jitter;
    bench->name = name;
    scene_create_more(scene, &def, &more);
}

// the same scene one step later: contact points 1e-4 away
static void move_scene(Bench* bench, const char* name, const Scene* scene, Scene* moved)
{
    SceneDef def = {0};
    SceneMore more = {0};
    scene_parse(name, &def, &more);
    def.jitter = 1e-4;
    bench->name = name;
    scene_create_like(moved, scene, &def, &more);
}

// one solve; true if the tolerance was met
static bool solve(Bench* bench, const SticProblem* problem, const char* name, double tolerance,
                  SticSolveInfo* info, double* seconds)
{
    SticError error = {0};
    SticSolveRequest request = {.solver = stic_solver_find(name, &error),
                                .settings = stic_solve_default_settings(),
                                .workspace = bench->workspace};
    if (request.solver == NULL) {
        fprintf(stderr, "%s\n", error.text);
        exit(1);
    }
    request.settings.norm = STIC_NORM_RELATIVE;
    request.settings.tolerance = tolerance;
    request.settings.max_iterations = 2000000000;
    request.settings.max_seconds = bench->limit;
    request.settings.warm_start = bench->warm;
    const double start = cpu_seconds();
    const SticStatus status = stic_solve(problem, &request, bench->r, bench->u, info);
    *seconds = cpu_seconds() - start;
    if (status != STIC_OK)
        fprintf(stderr, "%s: %s\n", name, info->error.text);
    if (bench->csv != NULL)
        fprintf(bench->csv, "%s,%d,%s,%s,%.0e,%s,%s,%d,%d,%.5f,%.2e\n", bench->name, problem->count,
                name, bench->warm ? "warm" : "cold", tolerance,
                status == STIC_OK ? stic_outcome_name(info->outcome) : "refused", info->method,
                info->iterations, info->factorisations, *seconds, info->errors.relative);
    return status == STIC_OK && info->outcome == STIC_OUTCOME_SOLVED;
}

static void take_vectors(Bench* bench, const Scene* scene)
{
    bench->r = calloc((size_t)scene->problem.rows + 1, sizeof(double));
    bench->u = calloc((size_t)scene->problem.rows + 1, sizeof(double));
    if (bench->r == NULL || bench->u == NULL)
        exit(1);
}

/* ---- the table of solvers ---- */

// what the growth is measured from
typedef struct Before {
    char kind[NAME];
    int32_t contacts[MOST_SOLVERS];
    double seconds[MOST_SOLVERS][2][TOLERANCES]; // cold, warm; 0: not reached
} Before;

// name without its number, "wall20-hit" to "wall-hit"
static void kind_of(const char* name, char kind[NAME])
{
    const size_t letters = strcspn(name, "0123456789"),
                 digits = strspn(name + letters, "0123456789k");
    snprintf(kind, NAME, "%.*s%s", (int)letters, name, name + letters + digits);
}

static void measure(Bench* bench, const char* name, const Scene* scene, int32_t solver,
                    const double* start, Before* before)
{
    const int32_t contacts = scene->problem.count;
    double* past = before->seconds[solver][start != NULL];
    printf("| %s | %d | %s | %s |", name, contacts, bench->solver[solver], start ? "warm" : "cold");
    bool going = true;
    bench->warm = start != NULL;
    for (int k = 0; k < TOLERANCES; ++k) {
        SticSolveInfo info;
        double seconds = 0.0;
        if (start != NULL)
            memcpy(bench->r, start, (size_t)scene->problem.rows * sizeof *start);
        going = going && solve(bench, &scene->problem, bench->solver[solver], tolerances[k], &info,
                               &seconds);
        if (going)
            printf(" %d | %.4f | %.1e |", info.iterations, seconds, seconds / contacts);
        else
            printf(" - | - | - |");
        if (going && past[k] > 0.0 && before->contacts[solver] < contacts)
            printf(" %.2f |",
                   log(seconds / past[k]) / log((double)contacts / before->contacts[solver]));
        else
            printf(" |");
        past[k] = going ? seconds : 0.0;
        fflush(stdout);
    }
    printf("\n");
}

static void compare(Bench* bench)
{
    Before before = {0};
    printf("triad on one core: %.1f GB/s\n\n", 1e-9 * triad_bandwidth());
    printf("| scene | contacts | solver | start |");
    for (int k = 0; k < TOLERANCES; ++k)
        printf(" iterations to %.0e | s | s per contact | growth |", tolerances[k]);
    printf("\n|---|---|---|---|");
    for (int k = 0; k < TOLERANCES; ++k)
        printf("---|---|---|---|");
    printf("\n");
    for (int32_t s = 0; s < bench->scenes; ++s) {
        const char* name = bench->scene[s];
        char kind[NAME];
        Scene scene, moved;
        make_scene(bench, name, 0.0, &scene);
        move_scene(bench, name, &scene, &moved);
        take_vectors(bench, &scene);
        double* start = calloc((size_t)scene.problem.rows + 1, sizeof *start);
        kind_of(name, kind);
        if (strcmp(kind, before.kind) != 0)
            before = (Before){0};
        memcpy(before.kind, kind, sizeof kind);
        for (int32_t k = 0; k < bench->solvers && scene.problem.count <= bench->largest; ++k) {
            SticSolveInfo info;
            double seconds = 0.0;
            measure(bench, name, &scene, k, NULL, &before);
            // the state of a step before, solved to 1e-4 by this solver, contact points 1e-4 away
            bench->warm = false;
            if (solve(bench, &scene.problem, bench->solver[k], 1e-4, &info, &seconds)) {
                memcpy(start, bench->r, (size_t)scene.problem.rows * sizeof *start);
                measure(bench, name, &moved, k, start, &before);
            }
            before.contacts[k] = scene.problem.count;
        }
        free(start);
        free(bench->r);
        free(bench->u);
        scene_release(&scene);
        scene_release(&moved);
    }
}

/* ---- scenes of growing size ---- */

// best seconds of several solves, 0: not reached
static double best_seconds(Bench* bench, const SticProblem* problem, double tolerance,
                           const double* start)
{
    double best = 0.0, spent = 0.0;
    for (int32_t k = 0; k < bench->repeat && spent < 0.5; ++k) {
        SticSolveInfo info;
        double seconds = 0.0;
        if (start != NULL)
            memcpy(bench->r, start, (size_t)problem->rows * sizeof *start);
        if (!solve(bench, problem, "auto", tolerance, &info, &seconds))
            return 0.0;
        best = k == 0 || seconds < best ? seconds : best;
        spent += seconds;
    }
    return best;
}

static void print_cell(const char* format, double value, bool known)
{
    printf(" ");
    if (known)
        printf(format, value);
    else
        printf("-");
    printf(" |");
}

static void print_prototype(const char* name, const char* start, const double* per_contact,
                            double bandwidth)
{
    const struct Prototype* found = NULL;
    for (size_t k = 0; k < sizeof prototypes / sizeof *prototypes; ++k)
        if (strcmp(prototypes[k].scene, name) == 0 && strcmp(prototypes[k].start, start) == 0)
            found = &prototypes[k];
    for (int k = 0; k < TOLERANCES; ++k) {
        const bool known = found != NULL && found->seconds[k] > 0.0;
        const double here =
            known ? found->seconds[k] / found->contacts * prototype_bandwidth / bandwidth : 1.0;
        if (found == NULL)
            printf(" |");
        else
            print_cell("%.2f", per_contact[k] / here, known && per_contact[k] > 0.0);
    }
}

// a line of the table: seconds, seconds per contact, growth since the scene before, ratios
static void print_scale(Bench* bench, const char* name, const Scene* scene, const double* start,
                        Before* before)
{
    const int32_t contacts = scene->problem.count;
    const double bandwidth = triad_bandwidth();
    double* past = before->seconds[0][start != NULL];
    double seconds[TOLERANCES] = {0.0}, per_contact[TOLERANCES] = {0.0};
    printf("| %s | %d | %s | %.1f |", name, contacts, start ? "warm" : "cold", 1e-9 * bandwidth);
    bench->warm = start != NULL;
    for (int k = 0; k < TOLERANCES; ++k) {
        if (k == 0 || seconds[k - 1] > 0.0)
            seconds[k] = best_seconds(bench, &scene->problem, tolerances[k], start);
        per_contact[k] = seconds[k] / contacts;
        print_cell("%.5f", seconds[k], seconds[k] > 0.0);
        fflush(stdout);
    }
    for (int k = 0; k < TOLERANCES; ++k)
        print_cell("%.1e", per_contact[k], seconds[k] > 0.0);
    for (int k = 0; k < TOLERANCES; ++k) {
        if (past[k] > 0.0 && seconds[k] > 0.0)
            printf(" %.2f%s",
                   log(seconds[k] / past[k]) / log((double)contacts / before->contacts[0]),
                   k + 1 < TOLERANCES ? "," : "");
        past[k] = seconds[k];
    }
    printf(" |");
    print_prototype(name, start ? "warm" : "cold", per_contact, bandwidth);
    printf("\n");
}

static void measure_scale(Bench* bench)
{
    Before before = {0};
    printf("| scene | contacts | start | GB/s |");
    for (int part = 0; part < 2; ++part)
        for (int k = 0; k < TOLERANCES; ++k)
            printf(" %s %.0e |", part == 0 ? "s to" : "s per contact,", tolerances[k]);
    printf(" growth |");
    for (int k = 0; k < TOLERANCES; ++k)
        printf(" to prototype, %.0e |", tolerances[k]);
    printf("\n|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n");
    for (int32_t s = 0; s < bench->scenes; ++s) {
        const char* name = bench->scene[s];
        char kind[NAME];
        Scene scene, moved;
        const double begin = cpu_seconds();
        make_scene(bench, name, 0.0, &scene);
        fprintf(stderr, "%s: made in %.1f s\n", name, cpu_seconds() - begin);
        kind_of(name, kind);
        if (strcmp(kind, before.kind) != 0)
            before = (Before){0};
        memcpy(before.kind, kind, sizeof kind);
        if (scene.problem.count <= bench->largest) {
            SticSolveInfo info;
            double seconds = 0.0;
            move_scene(bench, name, &scene, &moved);
            take_vectors(bench, &scene);
            print_scale(bench, name, &scene, NULL, &before);
            // the state of a step before, solved to 1e-4, contact points 1e-4 away
            double* start = calloc((size_t)scene.problem.rows + 1, sizeof *start);
            bench->warm = false;
            if (start != NULL && solve(bench, &scene.problem, "auto", 1e-4, &info, &seconds)) {
                memcpy(start, bench->r, (size_t)scene.problem.rows * sizeof *start);
                print_scale(bench, name, &moved, start, &before);
            }
            before.contacts[0] = scene.problem.count;
            free(start);
            free(bench->r);
            free(bench->u);
            scene_release(&moved);
        }
        scene_release(&scene);
    }
}

/* ---- families ---- */

static void judge_families(Bench* bench)
{
    static const double wanted[2] = {1e-6, 1e-8};
    int32_t solved[2] = {0, 0}, count = 0;
    printf("| scene | contacts | rows per velocity | 1e-6 | s | 1e-8 | s | error |\n"
           "|---|---|---|---|---|---|---|---|\n");
    for (int32_t s = 0; s < bench->scenes; ++s) {
        Scene scene;
        SticSolveInfo info;
        make_scene(bench, bench->scene[s], 0.0, &scene);
        take_vectors(bench, &scene);
        if (scene.problem.count <= bench->largest) {
            printf("| %s | %d | %.2f |", bench->scene[s], scene.problem.count,
                   (double)scene.problem.rows / scene.problem.dof);
            for (int k = 0; k < 2; ++k) {
                double seconds = 0.0;
                const bool good =
                    solve(bench, &scene.problem, bench->solver[0], wanted[k], &info, &seconds);
                printf(" %s | %.3f |", good ? info.method : stic_outcome_name(info.outcome),
                       seconds);
                fflush(stdout);
                solved[k] += good;
            }
            printf(" %.1e |\n", info.errors.relative);
            count += 1;
        }
        free(bench->r);
        free(bench->u);
        scene_release(&scene);
    }
    printf("\n%d scenes: %d solved at 1e-6, %d at 1e-8\n", count, solved[0], solved[1]);
}

/* ---- files ---- */

static void write_scenes(Bench* bench, const char* folder)
{
    const SticContext context = stic_context_default();
    for (int32_t s = 0; s < bench->scenes; ++s) {
        char path[1024];
        SticError error = {0};
        Scene scene;
        const SticMetadata metadata = {.title = bench->scene[s],
                                       .description = "generated from closed-form geometry"};
        make_scene(bench, bench->scene[s], 0.0, &scene);
        snprintf(path, sizeof path, "%s/%s.hdf5", folder, bench->scene[s]);
        if (scene.problem.count <= bench->largest &&
            stic_problem_write(&context, &scene.problem, &metadata, path, &error) != STIC_OK)
            fprintf(stderr, "%s: %s\n", path, error.text);
        scene_release(&scene);
    }
}

/* ---- arguments ---- */

// options in front of the scenes; what is left of the arguments
static char** read_options(Bench* bench, char** argument)
{
    for (; argument[0] != NULL && argument[0][0] == '-' && argument[1] != NULL; argument += 2) {
        if (strcmp(argument[0], "--seconds") == 0) {
            bench->limit = atof(argument[1]);
        } else if (strcmp(argument[0], "--largest") == 0) {
            bench->largest = atoi(argument[1]);
        } else if (strcmp(argument[0], "--repeat") == 0) {
            bench->repeat = atoi(argument[1]);
        } else if (strcmp(argument[0], "--csv") == 0) {
            bench->csv = fopen(argument[1], "w");
        } else if (strcmp(argument[0], "--solvers") == 0) {
            bench->solvers = 0;
            for (char* word = strtok(argument[1], ",");
                 word != NULL && bench->solvers < MOST_SOLVERS; word = strtok(NULL, ","))
                bench->solver[bench->solvers++] = word;
        }
    }
    return argument;
}

int main(int count, char** argument)
{
    const SticContext context = stic_context_default();
    const bool families = count > 1 && strcmp(argument[1], "families") == 0;
    const bool scale = count > 1 && strcmp(argument[1], "scale") == 0;
    const bool writes = count > 2 && strcmp(argument[1], "write") == 0;
    Bench bench = {.limit = families ? 60.0 : 5.0,
                   .largest = families ? 30000 : 12000,
                   .repeat = 9,
                   .solver = {"nsgs", "asgs", "apgd", "admm", "auto"},
                   .solvers = 5,
                   .scene = families ? family_scenes : table_scenes,
                   .scenes = families ? (int32_t)(sizeof family_scenes / sizeof *family_scenes)
                                      : (int32_t)(sizeof table_scenes / sizeof *table_scenes)};
    if (families)
        bench.solver[0] = "auto";
    if (scale) {
        bench.limit = 30.0;
        bench.largest = INT32_MAX;
        bench.scene = scale_scenes;
        bench.scenes = (int32_t)(sizeof scale_scenes / sizeof *scale_scenes);
    }
    char** names = read_options(&bench, argument + 1 + (families || scale) + 2 * writes);
    if (names[0] != NULL) {
        bench.scene = (const char* const*)names;
        for (bench.scenes = 0; names[bench.scenes] != NULL;)
            bench.scenes += 1;
    }
    if (writes) {
        write_scenes(&bench, argument[2]);
        return 0;
    }
    if (stic_workspace_create(&context, &bench.workspace) != STIC_OK)
        return 1;
    if (bench.csv != NULL)
        fprintf(bench.csv, "scene,contacts,solver,start,tolerance,outcome,method,iterations,"
                           "factorisations,seconds,error_relative\n");
    if (families)
        judge_families(&bench);
    else if (scale)
        measure_scale(&bench);
    else
        compare(&bench);
    if (bench.csv != NULL)
        fclose(bench.csv);
    stic_workspace_destroy(bench.workspace);
    return 0;
}
