// SPDX-License-Identifier: Apache-2.0
// stiction limit: where a structure of blocks stops standing.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "files.h"
#include "limit_report.h"
#include "print.h"
#include "stiction/extend/base.h"
#include "stiction/extend/result.h"
#include "stiction/extend/vec3.h"

static const CliOption options[] = {
    {"vary", 0, "WHAT",
     "what changes: a parameter of the scene (such as thickness), or load, acceleration, tilt, "
     "friction"},
    {"between", 0, "A:B",
     "values that the search begins with, one that stands and one that falls (default: tilt 0:89, "
     "friction 0:2; needed for parameters; load and acceleration are not searched)"},
    {"direction", 0, "X,Y,Z", "of an acceleration or a tilt, in world axes (default 1,0,0)"},
    {"facets", 0, "N", "sides of the pyramids of friction of the linear programs (default 8)"},
    {"tolerance", 0, "E", "of the value, relative (default 1e-8)"},
    {"margin", 0, "P", "distance of the runs from the limit, relative (default 0.005)"},
    {"no-check", 0, NULL, "leave out the runs"},
    {"until", 0, "T",
     "end of the runs in seconds (default: the short duration of the scene, or all of it)"},
    {"param", 0, "K=V", "value of a parameter that the scene asks for; may be repeated"},
    {"set", 0, "A.B=V",
     "field B of the group A (run, solver, scheme) of the runs instead of the scene's; may be "
     "repeated"},
    {"output", 'o', "FILE.h5",
     "store the motion of collapse with the forces of equilibrium, for viewers and exports"},
    CLI_OPTION_FORCE,
    {"json", 0, NULL, "print one JSON object"},
    {NULL, 0, NULL, NULL},
};

enum { FRAMES = 40 };

// what moves by less than this part of the fastest joint is still
#define STILL 1e-4

/* ---- options ---- */

// numbers separated by `mark`
static bool read_numbers(const char* text, char mark, int count, double* value)
{
    for (int k = 0; k < count; ++k) {
        char* end = NULL;
        value[k] = strtod(text, &end);
        if (end == text || !isfinite(value[k]) || *end != (k + 1 < count ? mark : '\0'))
            return false;
        text = end + 1;
    }
    return true;
}

static CliExit take_number(const CliCall* call, const char* name, double low, double high,
                           double* value)
{
    const char* word = cli_call_option(call, name);
    if (word == NULL)
        return CLI_DONE;
    if (read_numbers(word, '\0', 1, value) && *value >= low && *value <= high)
        return CLI_DONE;
    return cli_usage_error("limit", "--%s: '%s' is not a number from %g to %g", name, word, low,
                           high);
}

static CliExit take_vary(const CliCall* call, CliLimitSearch* search)
{
    static const double usual[CLI_VARY_PARAMETER][2] = {[CLI_VARY_LOAD] = {0.0, 1.0},
                                                        [CLI_VARY_ACCELERATION] = {0.0, 1.0},
                                                        [CLI_VARY_TILT] = {0.0, 89.0},
                                                        [CLI_VARY_FRICTION] = {0.0, 2.0}};
    const char* word = cli_call_option(call, "vary");
    const char* between = cli_call_option(call, "between");
    if (word == NULL || word[0] == '\0')
        return cli_usage_error("limit", "--vary WHAT is needed");
    search->varied.name = word;
    search->varied.vary = CLI_VARY_PARAMETER;
    for (int k = 0; k < CLI_VARY_PARAMETER; ++k)
        if (strcmp(word, cli_vary_names[k]) == 0) {
            search->varied.vary = (CliVary)k;
            memcpy(search->between, usual[k], sizeof search->between);
        }
    if (between != NULL && cli_limit_is_direct(search))
        return cli_usage_error("limit", "--between: the limit of %s is not searched for", word);
    if (between == NULL && search->varied.vary == CLI_VARY_PARAMETER) {
        const char* near = stic_suggest(word, cli_vary_names);
        return cli_usage_error("limit",
                               "--vary %s: a search for a parameter needs --between A:B%s%s%s",
                               word, near != NULL ? "; or did you mean '" : "",
                               near != NULL ? near : "", near != NULL ? "'?" : "");
    }
    if (between != NULL && (!read_numbers(between, ':', 2, search->between) ||
                            search->between[0] == search->between[1]))
        return cli_usage_error("limit", "--between: '%s' is not A:B with two different numbers",
                               between);
    return CLI_DONE;
}

static CliExit take_options(const CliCall* call, CliLimitSearch* search, double* part)
{
    const char* direction = cli_call_option(call, "direction");
    double d[3] = {1.0, 0.0, 0.0}, facets = 8.0;
    *part = 0.005;
    search->tolerance = 1e-8;
    CliExit result = take_vary(call, search);
    if (result == CLI_DONE)
        result = take_number(call, "facets", 3.0, 1000.0, &facets);
    if (result == CLI_DONE)
        result = take_number(call, "tolerance", 1e-12, 0.1, &search->tolerance);
    if (result == CLI_DONE)
        result = take_number(call, "margin", 1e-9, 0.5, part);
    if (result == CLI_DONE)
        result = take_number(call, "until", 1e-9, 1e9, &search->varied.until);
    if (result != CLI_DONE)
        return result;
    search->facets = (int32_t)facets;
    if (direction != NULL && !read_numbers(direction, ',', 3, d))
        return cli_usage_error("limit", "--direction: '%s' is not X,Y,Z", direction);
    if (!(stic_vec3_norm(stic_vec3_load(d)) > 0.0))
        return cli_usage_error("limit", "--direction: a direction needs a length");
    search->varied.direction = stic_vec3_normalize(stic_vec3_load(d));
    return cli_assignments_take(call, search->varied.all);
}

/* ---- the work ---- */

// sizes of the structure, and how long runs are unless that is said
static CliExit look(CliLimitSearch* search, CliLimitAnswer* answer)
{
    CliStructure structure;
    const CliExit result = cli_structure_build(&search->varied, search->between[0], &structure);
    if (result == CLI_DONE) {
        const SticSceneDef* def = stic_scene_def(structure.scene);
        answer->contacts = stic_limit_count(structure.limit);
        answer->bodies = def->body_count;
        if (search->varied.until == 0.0 && def->run.short_until > 0.0)
            search->varied.until = def->run.short_until;
    }
    cli_structure_clear(&structure);
    return result;
}

static CliExit write_frames(const CliLimitAnswer* answer, const CliStructure* structure,
                            SticRun* run)
{
    SticError error = {0};
    SticOutput* output = NULL;
    SticStepInfo info;
    const SticStepExtra extra = {0};
    SticOutputDef def = stic_output_default_def();
    def.path = answer->result;
    def.world = stic_simulation_world(structure->simulation);
    def.run = run;
    def.until = FRAMES;
    def.title = stic_scene_def(structure->scene)->title;
    def.scene_path = answer->search->varied.call->operand[0];
    def.settings.every = 1;
    def.replace = cli_call_option(answer->search->varied.call, "force") != NULL;
    stic_simulation_colours(structure->simulation, &def);
    SticStatus status =
        stic_output_create(answer->search->varied.call->context, &def, &output, &error);
    for (int k = 0; k < FRAMES && status == STIC_OK; ++k) {
        status = stic_run_step(run, &info);
        if (status == STIC_OK)
            status = stic_output_step(output, run, &info, &extra, &error);
        else
            error = info.error;
    }
    const SticStatus closed = stic_output_close(output, status == STIC_OK ? &error : NULL);
    status = status == STIC_OK ? closed : status;
    return status == STIC_OK ? CLI_DONE : cli_report(&error, status, answer->result);
}

static CliExit store(CliLimitAnswer* answer, const CliStructure* structure,
                     const SticLimitResult* result)
{
    const CliCall* call = answer->search->varied.call;
    static const char* const ending[] = {""};
    if (cli_call_option(call, "output") == NULL)
        return CLI_DONE;
    SticError error = {0};
    SticRun* run = NULL;
    CliExit done = cli_file_name(call, call->operand[0], ".h5", answer->result);
    if (done == CLI_DONE && cli_call_option(call, "force") == NULL)
        done = cli_file_free(call, ending, 1, answer->result);
    if (done != CLI_DONE)
        return done;
    // half the largest body
    const SticSystem* system = stic_simulation_system(structure->simulation);
    double size = 0.0;
    for (int32_t b = 0; system->size != NULL && b < system->layout.blocks; ++b)
        size = fmax(size, system->size[b]);
    const SticStatus status =
        stic_limit_show(structure->limit, result, 0.5 * size, FRAMES, &run, &error);
    done = status == STIC_OK ? write_frames(answer, structure, run)
                             : cli_report(&error, status, call->operand[0]);
    stic_run_destroy(run);
    return done;
}

static CliExit check(CliLimitAnswer* answer)
{
    const CliLimit* limit = &answer->limit[STIC_LIMIT_EXACT];
    const CliLimitSearch* search = answer->search;
    const double value = cli_limit_value(limit);
    // towards smaller loads, and towards the end of the search that stands
    const double way = cli_limit_is_direct(search) || limit->stands < limit->falls ? -1.0 : 1.0;
    for (int side = 0; side < 2; ++side) {
        const double sign = side == 0 ? way : -way;
        const CliExit done = cli_limit_check(
            &search->varied, value + sign * answer->part * fabs(value), &answer->run[side]);
        if (done != CLI_DONE)
            return done;
    }
    answer->runs = 2;
    return CLI_DONE;
}

// A structure that stands at any load, or at both ends of a search, may do so by forces that wedge
// bodies without any motion that presses them: the loads of the scene, or the ends, are run.
static CliExit check_unlimited(CliLimitAnswer* answer)
{
    const CliLimitSearch* search = answer->search;
    const bool direct = cli_limit_is_direct(search);
    for (int k = 0; k < (direct ? 1 : 2); ++k) {
        const double value = direct ? 1.0 : search->between[k];
        const CliExit done = cli_limit_check(&search->varied, value, &answer->run[k]);
        if (done != CLI_DONE)
            return done;
        answer->runs = k + 1;
    }
    return CLI_DONE;
}

static CliExit answer_all(CliLimitSearch* search, CliLimitAnswer* answer, CliStructure* structure)
{
    SticLimitResult motion;
    SticError error = {0};
    CliExit done = look(search, answer);
    for (int k = 0; k < STIC_LIMIT_CONE_COUNT && done == CLI_DONE; ++k)
        done = cli_limit_find(search, (SticLimitCone)k, &answer->limit[k]);
    const CliLimit* exact = &answer->limit[STIC_LIMIT_EXACT];
    answer->disordered = done == CLI_DONE && !cli_limit_in_order(search, answer->limit);
    const bool checks = cli_call_option(search->varied.call, "no-check") == NULL;
    if (done == CLI_DONE && exact->outcome == STIC_LIMIT_UNLIMITED && checks)
        return check_unlimited(answer);
    if (done != CLI_DONE || exact->outcome == STIC_LIMIT_UNLIMITED ||
        exact->outcome == STIC_LIMIT_NONE || !isfinite(exact->falls) || !isfinite(exact->stands))
        return done;
    done = cli_limit_motion(search, exact->falls, structure, &motion);
    if (done != CLI_DONE)
        return done;
    const SticStatus status = stic_limit_joints(structure->limit, &motion, STILL, structure->arena,
                                                &answer->joint, &answer->joints);
    if (status != STIC_OK)
        return cli_report(&error, status, search->varied.call->operand[0]);
    answer->world = stic_simulation_world(structure->simulation);
    cli_limit_count(answer);
    done = store(answer, structure, &motion);
    if (done == CLI_DONE && checks)
        done = check(answer);
    return done;
}

static CliExit run(const CliCall* call)
{
    CliLimitSearch search = {.varied = {.call = call}};
    CliStructure structure = {0};
    CliLimitAnswer answer = {.search = &search};
    if (STIC_ALLOCATE(call->context, &search.varied.all, 1) != STIC_OK)
        return cli_out_of_memory();
    memset(search.varied.all, 0, sizeof *search.varied.all);
    CliExit result = take_options(call, &search, &answer.part);
    if (result == CLI_DONE)
        result = answer_all(&search, &answer, &structure);
    if (result == CLI_DONE && cli_call_option(call, "json") != NULL)
        cli_limit_json(&answer);
    else if (result == CLI_DONE)
        cli_limit_print(&answer);
    const SticLimitOutcome outcome = answer.limit[STIC_LIMIT_EXACT].outcome;
    const bool agrees = answer.runs == 0 || (answer.run[0].stands && answer.run[1].falls);
    cli_structure_clear(&structure);
    STIC_RELEASE(call->context, search.varied.all, 1);
    if (result == CLI_DONE && (outcome != STIC_LIMIT_FOUND || answer.disordered || !agrees))
        result = CLI_UNSOLVED;
    return result;
}

const CliCommand cli_command_limit = {
    .name = "limit",
    .operands = "SCENE",
    .text = "Find where a structure of blocks stops standing.",
    .details =
        "The static theorem on the contacts that the scene has at its start: the structure cannot "
        "stand where no forces inside the cones of friction are in equilibrium with the loads. "
        "Loads and accelerations are one program with exact cones (second-order) and two with "
        "pyramids inside and around them (linear); for anything else the scene is built at each "
        "value and the search ends where the contacts have nothing to spare. 'stands at' has "
        "forces in equilibrium, 'falls at' a motion under which the loads work and no contact "
        "closes.\n\n"
        "The motion is that of associated friction, which opens what slides. Coulomb's does not, "
        "so "
        "that a structure may fall where forces in equilibrium exist: two runs of the scene, on "
        "either side of the limit, are the check. Exit code 1: there is no limit, it "
        "is not decided, or a run does not agree with it.",
    .least = 1,
    .most = 1,
    .options = options,
    .run = run,
};
