// SPDX-License-Identifier: Apache-2.0
// stiction compare: one scene with several schemes and step sizes.
//
// Every scheme runs the scene with every step. What is compared is the end: positions of all bodies
// of a world, or the histories of a model. The reference is the run of another scheme at the
// smallest step, or the scheme's own run at that step.
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "compare_settings.h"
#include "compare_svg.h"
#include "files.h"
#include "print.h"
#include "stiction/extend/file.h"
#include "stiction/extend/scene.h"
#include "stiction/extend/step.h"

enum { MOST_SCHEMES = 12, MOST_STEPS = 12, WORD = 64 };

static const CliOption options[] = {
    {"schemes", 0, "A,B,…", "schemes to run (default moreau,koziara,theta,consistent,event)"},
    {"steps", 0, "H1,H2,…",
     "step sizes in seconds that divide the duration (default: the scene's, a half and a quarter)"},
    {"against", 0, "SCHEME",
     "scheme whose run at the smallest step is the reference (default event; 'self': each "
     "scheme's own)"},
    {"until", 0, "T", "end of the runs in seconds instead of the scene's"},
    {"param", 0, "K=V", "value of a parameter that the scene asks for; may be repeated"},
    {"set", 0, "A.B=V",
     "field B of the group A instead of the scene's; A may be one of the schemes that run, or "
     "'scheme' for all of them that have B; may be repeated"},
    {"csv", 0, "FILE.csv", "the table as a file"},
    {"svg", 0, "FILE.svg", "work-precision diagram: error against cost"},
    CLI_OPTION_FORCE,
    {NULL, 0, NULL, NULL},
};

typedef struct Plan {
    const CliCall* call;
    char scheme[MOST_SCHEMES][WORD];
    int32_t schemes;
    double step[MOST_STEPS];
    int32_t steps;
    const char* against;
    const char* name[MOST_SCHEMES + 1]; // of all schemes that run, the reference last
    int32_t names;
    const char* own; // scheme of the scene
    SticArena* arena;
} Plan;

// the end of a run, and what it took
typedef struct Outcome {
    bool done;
    double* value; // [count]
    int32_t count;
    double seconds, integration, penetration;
    int64_t iterations, events, steps, missed;
    char text[256]; // why it is not done
} Outcome;

/* ---- the command line ---- */

static CliExit take_words(Plan* plan, const char* words)
{
    while (*words != '\0') {
        const size_t length = strcspn(words, ",");
        if (plan->schemes == MOST_SCHEMES || length == 0 || length >= WORD)
            return cli_usage_error("compare", "--schemes: at most %d names with commas between",
                                   MOST_SCHEMES);
        memcpy(plan->scheme[plan->schemes], words, length);
        plan->scheme[plan->schemes++][length] = '\0';
        words += length + (words[length] == ',' ? 1 : 0);
    }
    return plan->schemes > 0 ? CLI_DONE : cli_usage_error("compare", "--schemes names nothing");
}

// all names before the first run
static CliExit check_names(Plan* plan)
{
    SticError error = {0};
    for (int32_t s = 0; s < plan->schemes; ++s)
        plan->name[plan->names++] = plan->scheme[s];
    if (strcmp(plan->against, "self") != 0)
        plan->name[plan->names++] = plan->against;
    for (int32_t s = 0; s < plan->names; ++s)
        if (stic_scheme_find(plan->name[s], &error) == NULL)
            return cli_usage_error("compare", "%s: %s",
                                   s < plan->schemes ? "--schemes" : "--against", error.text);
    return CLI_DONE;
}

static CliExit take_steps(Plan* plan, const char* words)
{
    while (*words != '\0') {
        char* end = NULL;
        const double h = strtod(words, &end);
        if (plan->steps == MOST_STEPS || end == words || !(h > 0.0) || !isfinite(h) ||
            (*end != ',' && *end != '\0'))
            return cli_usage_error("compare", "--steps: '%s' does not begin with a positive number",
                                   words);
        plan->step[plan->steps++] = h;
        words = *end == ',' ? end + 1 : end;
    }
    return CLI_DONE;
}

// Runs are compared at their end, so that all must end at the same time. Duration and step carry
// roundings of the few operations that made them in the scene, no more.
static CliExit check_steps(const Plan* plan, double duration)
{
    char is[40], all[40], longer[40], shorter[40];
    cli_number_format(duration, all, sizeof all);
    for (int32_t k = 0; k < plan->steps; ++k) {
        const double h = plan->step[k], count = duration / h, whole = rint(count);
        cli_number_format(h, is, sizeof is);
        // beyond this a double no longer counts whole numbers
        if (!(count < 1.0 / DBL_EPSILON))
            return cli_usage_error("compare", "%s s in steps of %s s are too many steps", all, is);
        if (whole >= 1.0 && fabs(whole * h - duration) <= 16.0 * DBL_EPSILON * duration)
            continue;
        if (count < 1.0)
            return cli_usage_error("compare",
                                   "steps of %s s are longer than the whole run; the longest "
                                   "possible one is %s s",
                                   is, all);
        cli_number_format(duration / floor(count), longer, sizeof longer);
        cli_number_format(duration / (floor(count) + 1.0), shorter, sizeof shorter);
        return cli_usage_error("compare",
                               "steps of %s s do not end at %s s, where runs are compared; the "
                               "nearest that do are %s and %s s (%s/%.0f and %s/%.0f)",
                               is, all, longer, shorter, all, floor(count), all,
                               floor(count) + 1.0);
    }
    return CLI_DONE;
}

/* ---- a run ---- */

// Load the scene with a scheme and a step; `scheme` NULL: as it is. The scene's own scheme is not
// named again, which would give it its default settings.
static SticStatus load(const Plan* plan, const CliCompareSettings* settings, const char* scheme,
                       double h, SticScene** scene, SticError* error)
{
    char number[40];
    SticSceneAssignment set[CLI_COMPARE_PAIRS + 4];
    CliCompareSettings its = *settings;
    int32_t sets = 0;
    const char* until = cli_call_option(plan->call, "until");
    SticSceneOptions how = stic_scene_default_options();
    cli_compare_settings_filter(&its, scheme);
    if (scheme != NULL && strcmp(scheme, plan->own) != 0)
        set[sets++] = (SticSceneAssignment){"scheme.name", scheme};
    for (int32_t i = 0; i < its.sets; ++i)
        set[sets++] = its.set[i];
    cli_number_format(h, number, sizeof number);
    if (scheme != NULL)
        set[sets++] = (SticSceneAssignment){"run.step", number};
    if (until != NULL) {
        set[sets++] = (SticSceneAssignment){"run.short_duration", "0"};
        set[sets++] = (SticSceneAssignment){"run.duration", until};
    }
    how.param = its.param;
    how.param_count = its.params;
    how.set = set;
    how.set_count = sets;
    return stic_scene_load(plan->call->context, plan->call->operand[0], &how, scene, error);
}

// positions of all bodies, or the histories of a model
static SticStatus measure(const Plan* plan, SticSimulation* simulation, Outcome* outcome)
{
    const SticSceneDef* def = stic_scene_def(stic_simulation_scene(simulation));
    const bool world = stic_simulation_world(simulation) != NULL;
    outcome->count = world ? 3 * def->body_count : def->history_count;
    STIC_TRY(STIC_TAKE(plan->arena, &outcome->value, outcome->count + 1));
    for (int32_t k = 0; k < outcome->count; ++k) {
        SticSceneHistory what = {.quantity = STIC_QUANTITY_POSITION,
                                 .body = k / 3,
                                 .other = -1,
                                 .joint = -1,
                                 .component = k % 3};
        if (!world)
            what = def->history[k];
        STIC_TRY(stic_simulation_measure(simulation, &what, &outcome->value[k]));
    }
    return STIC_OK;
}

static SticStatus walk(SticSimulation* simulation, Outcome* outcome, SticError* error)
{
    SticStepInfo info;
    const double begin = stic_timer_seconds();
    while (!stic_simulation_is_done(simulation)) {
        int32_t events = 0;
        const SticStatus status = stic_simulation_step(simulation, &info);
        if (status != STIC_OK) {
            *error = info.error;
            return status;
        }
        (void)stic_run_events(stic_simulation_run(simulation), &events);
        outcome->events += events;
    }
    const SticRunTotals* totals = stic_run_totals(stic_simulation_run(simulation));
    outcome->seconds = stic_timer_seconds() - begin;
    outcome->integration = totals->ledger.integration;
    outcome->penetration = totals->penetration;
    outcome->iterations = totals->iterations;
    outcome->steps = totals->steps;
    outcome->missed = totals->unsolved;
    return STIC_OK;
}

static void run_one(const Plan* plan, const CliCompareSettings* settings, const char* scheme,
                    double h, Outcome* outcome)
{
    SticError error = {0};
    SticScene* scene = NULL;
    SticSimulation* simulation = NULL;
    SticStatus status = load(plan, settings, scheme, h, &scene, &error);
    if (status == STIC_OK)
        status = stic_simulation_create(plan->call->context, scene, &simulation, &error);
    if (status == STIC_OK)
        status = walk(simulation, outcome, &error);
    if (status == STIC_OK)
        status = measure(plan, simulation, outcome);
    outcome->done = status == STIC_OK;
    if (!outcome->done)
        snprintf(outcome->text, sizeof outcome->text, "%.250s",
                 error.text[0] != '\0' ? error.text : stic_status_text(status));
    stic_simulation_destroy(simulation);
    stic_scene_destroy(scene);
}

/* ---- errors and orders ---- */

// largest difference; of a world the largest distance of a body
static double error_of(const Outcome* a, const Outcome* b, bool world)
{
    double worst = 0.0;
    if (!a->done || !b->done || a->count != b->count)
        return NAN;
    for (int32_t k = 0; k < a->count; k += world ? 3 : 1) {
        double square = 0.0;
        for (int32_t c = 0; c < (world ? 3 : 1); ++c)
            square += (a->value[k + c] - b->value[k + c]) * (a->value[k + c] - b->value[k + c]);
        worst = sqrt(square) > worst ? sqrt(square) : worst;
    }
    return worst;
}

// smallest error that two runs can show: one rounding of the coordinates in every step of both
static double rounding_of(const Outcome* a, const Outcome* b)
{
    double size = 0.0;
    for (int32_t k = 0; k < a->count; ++k)
        size = fabs(a->value[k]) > size ? fabs(a->value[k]) : size;
    return DBL_EPSILON * size * (double)(a->steps + b->steps + 1);
}

/* ---- output ---- */

static const char* const headings[] = {"scheme",  "step",        "error",      "order",
                                       "seconds", "iterations",  "steps",      "missed",
                                       "events",  "integration", "penetration"};
enum { COLUMNS = 11 };

static void cells_of(const CliComparePoint* p, char cell[COLUMNS][40])
{
    snprintf(cell[0], 40, "%.39s", p->scheme);
    snprintf(cell[1], 40, "%g", p->step);
    if (p->reference)
        snprintf(cell[2], 40, "reference");
    else if (isnan(p->error))
        snprintf(cell[2], 40, "-");
    else
        snprintf(cell[2], 40, "%.3e", p->error);
    snprintf(cell[3], 40, isnan(p->order) ? "-" : "%.2f", p->order);
    snprintf(cell[4], 40, "%.3g", p->seconds);
    snprintf(cell[5], 40, "%lld", (long long)p->iterations);
    snprintf(cell[6], 40, "%lld", (long long)p->steps);
    snprintf(cell[7], 40, "%lld", (long long)p->missed);
    snprintf(cell[8], 40, "%lld", (long long)p->events);
    snprintf(cell[9], 40, "%.2e", p->integration);
    snprintf(cell[10], 40, "%.2e", p->penetration);
}

static void print_table(const CliComparePoint* point, int32_t count)
{
    CliTable table = {0};
    for (int k = 0; k < COLUMNS; ++k)
        cli_table_column(&table, headings[k], k == 0 ? 12 : 10, k == 0);
    cli_table_row(&table, headings);
    for (int32_t i = 0; i < count; ++i) {
        char cell[COLUMNS][40];
        const char* cells[COLUMNS];
        cells_of(&point[i], cell);
        for (int k = 0; k < COLUMNS; ++k)
            cells[k] = cell[k];
        if (point[i].done)
            cli_table_row(&table, cells);
        else
            cli_print_line("%-12s  %10g  %s", point[i].scheme, point[i].step, point[i].text);
    }
}

static CliExit write_csv(const Plan* plan, const char* path, const CliComparePoint* point,
                         int32_t count)
{
    SticError error = {0};
    SticReplace* file = NULL;
    char line[512];
    SticStatus status = stic_replace_begin(plan->call->context, path, &file, &error);
    int length = snprintf(line, sizeof line,
                          "scheme,step,error,order,seconds,iterations,steps,missed,events,"
                          "integration,penetration\n");
    if (status == STIC_OK)
        status = stic_replace_write(file, line, (size_t)length, &error);
    for (int32_t i = 0; status == STIC_OK && i < count; ++i) {
        const CliComparePoint* p = &point[i];
        if (!p->done)
            continue;
        length = snprintf(line, sizeof line,
                          "%s,%.17g,%.17g,%.6g,%.6g,%lld,%lld,%lld,%lld,%.17g,%.17g\n", p->scheme,
                          p->step, p->error, p->order, p->seconds, (long long)p->iterations,
                          (long long)p->steps, (long long)p->missed, (long long)p->events,
                          p->integration, p->penetration);
        status = stic_replace_write(file, line, (size_t)length, &error);
    }
    if (status == STIC_OK)
        return stic_replace_commit(file, &error) == STIC_OK
                   ? CLI_DONE
                   : cli_report(&error, error.status, path);
    stic_replace_abort(file);
    return cli_report(&error, status, path);
}

static CliExit write_svg(const Plan* plan, const char* path, const CliComparePoint* point,
                         int32_t count)
{
    SticError error = {0};
    SticReplace* file = NULL;
    SticStatus status = stic_replace_begin(plan->call->context, path, &file, &error);
    if (status == STIC_OK)
        status = cli_compare_svg(file, plan->call->operand[0], point, count, &error);
    if (status == STIC_OK)
        status = stic_replace_commit(file, &error);
    else
        stic_replace_abort(file);
    return status == STIC_OK ? CLI_DONE : cli_report(&error, status, path);
}

/* ---- the command ---- */

static CliComparePoint point_of(const Plan* plan, int32_t s, int32_t k, const Outcome* outcome)
{
    CliComparePoint point = {.scheme = plan->scheme[s],
                             .step = plan->step[k],
                             .error = NAN,
                             .order = NAN,
                             .seconds = outcome->seconds,
                             .integration = outcome->integration,
                             .penetration = outcome->penetration,
                             .iterations = outcome->iterations,
                             .steps = outcome->steps,
                             .missed = outcome->missed,
                             .events = outcome->events,
                             .done = outcome->done,
                             .text = outcome->text};
    return point;
}

static CliExit compare(Plan* plan, const CliCompareSettings* settings, bool world)
{
    const int32_t count = plan->schemes * plan->steps;
    Outcome *outcome = NULL, reference = {.done = false};
    CliComparePoint* point = NULL;
    if (STIC_TAKE(plan->arena, &outcome, count) != STIC_OK ||
        STIC_TAKE(plan->arena, &point, count) != STIC_OK)
        return cli_out_of_memory();
    memset(outcome, 0, (size_t)count * sizeof *outcome);
    int32_t finest = 0;
    for (int32_t k = 1; k < plan->steps; ++k)
        finest = plan->step[k] < plan->step[finest] ? k : finest;
    const bool self = strcmp(plan->against, "self") == 0;
    if (!self)
        run_one(plan, settings, plan->against, plan->step[finest], &reference);
    if (!self && !reference.done)
        cli_message("the reference '%s' did not run (%s); each scheme is compared with its own "
                    "run at the smallest step",
                    plan->against, reference.text);
    bool all = true;
    for (int32_t s = 0; s < plan->schemes; ++s) {
        Outcome* own = &outcome[s * plan->steps];
        for (int32_t k = 0; k < plan->steps && !cli_output_closed(); ++k)
            run_one(plan, settings, plan->scheme[s], plan->step[k], &own[k]);
        const Outcome* exact = reference.done ? &reference : &own[finest];
        for (int32_t k = 0; k < plan->steps; ++k) {
            CliComparePoint* p = &point[s * plan->steps + k];
            *p = point_of(plan, s, k, &own[k]);
            p->reference = !reference.done && k == finest;
            p->error = p->reference ? NAN : error_of(&own[k], exact, world);
            // errors of rounding have no order
            if (k > 0 && p[-1].error > rounding_of(&own[k - 1], exact) &&
                p->error > rounding_of(&own[k], exact))
                p->order = log(p[-1].error / p->error) / log(p[-1].step / p->step);
            all = all && own[k].done && own[k].missed == 0;
        }
    }
    print_table(point, count);
    CliExit result = all ? CLI_DONE : CLI_UNSOLVED;
    const char *csv = cli_call_option(plan->call, "csv"), *svg = cli_call_option(plan->call, "svg");
    if (csv != NULL)
        result = cli_worse(result, write_csv(plan, csv, point, count));
    if (svg != NULL)
        result = cli_worse(result, write_svg(plan, svg, point, count));
    return result;
}

// steps and scheme of the scene, and whether it is a world
static CliExit read_scene(Plan* plan, const CliCompareSettings* settings, bool* world)
{
    SticError error = {0};
    SticScene* scene = NULL;
    const SticStatus status = load(plan, settings, NULL, 0.0, &scene, &error);
    if (status != STIC_OK)
        return cli_report(&error, status, plan->call->operand[0]);
    const SticSceneDef* def = stic_scene_def(scene);
    *world = def->model == NULL;
    plan->own = stic_scheme_find(def->scheme, NULL)->name;
    for (int k = 0; k < 3 && cli_call_option(plan->call, "steps") == NULL; ++k)
        plan->step[plan->steps++] = def->run.step / (double)(1 << k);
    const CliExit result = check_steps(plan, def->run.until);
    stic_scene_destroy(scene);
    return result;
}

// all settings before the first run
static CliExit check_loads(const Plan* plan, const CliCompareSettings* settings)
{
    for (int32_t s = 0; s < plan->names; ++s) {
        SticError error = {0};
        SticScene* scene = NULL;
        const SticStatus status =
            load(plan, settings, plan->name[s], plan->step[0], &scene, &error);
        stic_scene_destroy(scene);
        if (status != STIC_OK)
            return cli_report(&error, status, plan->call->operand[0]);
    }
    return CLI_DONE;
}

static CliExit run(const CliCall* call)
{
    static const char* const usual = "moreau,koziara,theta,consistent,event";
    const char *schemes = cli_call_option(call, "schemes"), *steps = cli_call_option(call, "steps"),
               *against = cli_call_option(call, "against");
    bool world = true;
    Plan* plan = NULL;
    CliCompareSettings* settings = NULL;
    SticArena* arena = NULL;
    if (stic_arena_create(call->context, 0, &arena) != STIC_OK ||
        STIC_TAKE(arena, &plan, 1) != STIC_OK || STIC_TAKE(arena, &settings, 1) != STIC_OK) {
        stic_arena_destroy(arena);
        return cli_out_of_memory();
    }
    memset(plan, 0, sizeof *plan);
    memset(settings, 0, sizeof *settings);
    plan->call = call;
    plan->arena = arena;
    plan->against = against == NULL ? "event" : against;
    CliExit result = take_words(plan, schemes == NULL ? usual : schemes);
    if (result == CLI_DONE)
        result = check_names(plan);
    if (result == CLI_DONE && steps != NULL)
        result = take_steps(plan, steps);
    if (result == CLI_DONE)
        result = cli_compare_settings_take(call, arena, settings);
    if (result == CLI_DONE)
        result = cli_compare_settings_check(settings, plan->name, plan->names);
    if (result == CLI_DONE)
        result = read_scene(plan, settings, &world);
    if (result == CLI_DONE)
        result = check_loads(plan, settings);
    if (result == CLI_DONE)
        result = cli_file_keep(call, cli_call_option(call, "csv"));
    if (result == CLI_DONE)
        result = cli_file_keep(call, cli_call_option(call, "svg"));
    if (result == CLI_DONE)
        result = compare(plan, settings, world);
    stic_arena_destroy(arena);
    return result;
}

const CliCommand cli_command_compare = {
    .name = "compare",
    .operands = "SCENE",
    .text = "Run a scene with several schemes and step sizes: errors, orders and cost.",
    .details =
        "Every scheme runs the scene with every step size. The error is the largest distance of a "
        "body at the end from where the reference has it (largest difference of a history for a "
        "model); the order compares neighbouring steps. Also: wall time, iterations of the "
        "solver, events that were found, energy that the time discretisation made or lost "
        "(integration), and the deepest penetration. A scheme that cannot run the scene says why. "
        "The exit code is 1 then, and where a run has steps that missed its accuracy, as that of "
        "run would be.\n\n"
        "The scene's settings of its scheme hold for the scheme of that name, the others have "
        "their defaults. --set relaxed.delta=1e-4 is for one scheme, the reference included, "
        "--set scheme.tolerance=1e-10 for every scheme that has such a setting; what concerns "
        "none of them is refused. Steps must divide the duration, so that all runs end at the "
        "same time.",
    .least = 1,
    .most = 1,
    .options = options,
    .run = run,
};
