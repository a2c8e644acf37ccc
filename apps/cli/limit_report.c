// SPDX-License-Identifier: Apache-2.0
// The answer of `stiction limit` in words and as JSON.
#include "limit_report.h"

#include <math.h>
#include <string.h>

#include "json.h"
#include "print.h"
#include "stiction/extend/vec3.h"

enum { NUMBER = 32, MOST_JOINTS = 12 };

// forces below this part of the largest one are none
#define NO_FORCE 1e-6

static const char* const cones[STIC_LIMIT_CONE_COUNT] = {"exact cones", "pyramids inside",
                                                         "pyramids around"};

double cli_limit_value(const CliLimit* limit)
{
    return !isfinite(limit->falls)    ? limit->stands
           : !isfinite(limit->stands) ? limit->falls
                                      : 0.5 * (limit->stands + limit->falls);
}

void cli_limit_count(CliLimitAnswer* answer)
{
    answer->hinging = answer->sliding = answer->both = 0;
    for (int32_t i = 0; i < answer->joints; ++i) {
        const SticLimitJoint* joint = &answer->joint[i];
        answer->both += joint->hinges && joint->slides;
        answer->hinging += joint->hinges && !joint->slides;
        answer->sliding += joint->slides && !joint->hinges;
    }
}

static const char* unit_of(const CliLimitSearch* search)
{
    switch (search->varied.vary) {
    case CLI_VARY_LOAD:
        return " times the loads";
    case CLI_VARY_ACCELERATION:
        return " m/s2";
    case CLI_VARY_TILT:
        return " degrees";
    case CLI_VARY_FRICTION:
    case CLI_VARY_PARAMETER:
        break;
    }
    return "";
}

static const char* body_name(const CliLimitAnswer* answer, SticBodyId body)
{
    const char* name = stic_body_name(answer->world, body);
    return name[0] == '\0' ? "(no name)" : name;
}

/* ---- mode ---- */

static const char* mode(const CliLimitAnswer* answer)
{
    const bool hinges = answer->hinging > 0 || answer->both > 0;
    const bool slides = answer->sliding > 0 || answer->both > 0;
    return hinges && slides ? "sliding and hinging" : hinges ? "hinging" : "sliding";
}

static void print_mode(const CliLimitAnswer* answer)
{
    const int32_t moving = answer->hinging + answer->sliding + answer->both;
    double largest = 0.0;
    if (moving == 0)
        return;
    for (int32_t i = 0; i < answer->joints; ++i)
        largest = fmax(largest, stic_vec3_norm(answer->joint[i].force));
    cli_print_line("fails by %s: of %d joints %d hinge, %d slide, %d do both", mode(answer),
                   (int)answer->joints, (int)answer->hinging, (int)answer->sliding,
                   (int)answer->both);
    for (int32_t i = 0; i < answer->joints && i < MOST_JOINTS; ++i) {
        const SticLimitJoint* joint = &answer->joint[i];
        if (!joint->hinges && !joint->slides)
            break;
        // where a joint opens all over nothing acts
        char force[NUMBER] = "";
        if (stic_vec3_norm(joint->force) > NO_FORCE * largest)
            snprintf(force, sizeof force, ", force at %.3f", joint->eccentricity);
        cli_print_line("  %s | %s: %s%s", body_name(answer, joint->body[0]),
                       body_name(answer, joint->body[1]),
                       joint->hinges && joint->slides ? "slides and hinges"
                       : joint->hinges                ? "hinges"
                                                      : "slides",
                       force);
    }
    if (moving > MOST_JOINTS)
        cli_print_line("  and %d more", (int)(moving - MOST_JOINTS));
    cli_print_line("  force at: 0 in the middle of the joint, 1 on its border");
}

/* ---- bounds ---- */

static void print_bounds(const CliLimitAnswer* answer)
{
    CliTable table = {0};
    static const char* const heads[] = {"static theorem with", "stands at", "falls at", "programs",
                                        "without balance",     NULL};
    cli_table_column(&table, heads[0], 19, true);
    cli_table_column(&table, heads[1], 12, false);
    cli_table_column(&table, heads[2], 12, false);
    cli_table_column(&table, heads[3], 0, false);
    cli_table_column(&table, heads[4], 0, false);
    cli_table_row(&table, heads);
    for (int k = 0; k < STIC_LIMIT_CONE_COUNT; ++k) {
        const CliLimit* limit = &answer->limit[k];
        char stands[NUMBER], falls[NUMBER], programs[NUMBER], residual[NUMBER];
        const bool known = limit->outcome == STIC_LIMIT_FOUND || limit->outcome == STIC_LIMIT_OPEN;
        snprintf(stands, sizeof stands, isfinite(limit->stands) ? "%.9g" : "?", limit->stands);
        snprintf(falls, sizeof falls, isfinite(limit->falls) ? "%.9g" : "?", limit->falls);
        snprintf(programs, sizeof programs, "%d", (int)limit->programs);
        snprintf(residual, sizeof residual, "%.1e", limit->residual);
        const char* const cells[] = {cones[k],
                                     known ? stands : stic_limit_outcome_name(limit->outcome),
                                     known ? falls : "-",
                                     programs,
                                     known ? residual : "-",
                                     NULL};
        cli_table_row(&table, cells);
    }
}

// a run that ended before anything moved says nothing
static const char* word_of(const CliLimitRun* run)
{
    return run->falls ? "falls" : run->stands ? "stands" : "not known";
}

static void print_run(const CliLimitAnswer* answer, int side)
{
    const CliLimitRun* run = &answer->run[side];
    const bool expected = side == 0 ? run->stands : run->falls;
    cli_print_line("run at %.9g, %g %% on the %s side: %s, a body moves by %.2e m in %g s%s%s",
                   run->value, 100.0 * answer->part, side == 0 ? "standing" : "falling",
                   word_of(run), run->moved, run->time,
                   run->solved ? "" : "; not every step was solved", expected ? "" : " (!)");
    if (run->error.status != STIC_OK)
        cli_print_line("  it ended early: %s", run->error.text);
    if (side == 0 && run->falls)
        cli_print_wrapped(stdout,
                          "Forces in equilibrium exist, but motion begins all the same: Coulomb's "
                          "friction does not open what slides, so that the static theorem is a "
                          "bound from the side of falling only. Look further on the standing side "
                          "with a larger --margin.",
                          2);
}

// a run at a value at which forces in equilibrium exist, where there is no limit
static void print_unlimited(const CliLimitAnswer* answer, int k)
{
    const CliLimitRun* run = &answer->run[k];
    cli_print_line("run at %.9g: %s, a body moves by %.2e m in %g s%s%s", run->value, word_of(run),
                   run->moved, run->time, run->solved ? "" : "; not every step was solved",
                   run->stands ? "" : " (!)");
    if (run->error.status != STIC_OK)
        cli_print_line("  it ended early: %s", run->error.text);
    if (run->falls)
        cli_print_wrapped(
            stdout,
            "Forces in equilibrium exist, but motion begins all the same: they wedge "
            "bodies that no motion has pressed together, which nothing makes them do.",
            2);
}

// what the outcome means where there is no number
static void print_no_limit(const CliLimitAnswer* answer)
{
    const CliLimitSearch* search = answer->search;
    const SticLimitOutcome outcome = answer->limit[STIC_LIMIT_EXACT].outcome;
    if (cli_limit_is_direct(search))
        cli_print_line("%s", outcome == STIC_LIMIT_UNLIMITED
                                 ? "no limit: contacts carry whatever load is added"
                                 : "no equilibrium at any load");
    else
        cli_print_line("no limit between %.9g and %.9g: the structure %s at both",
                       search->between[0], search->between[1],
                       outcome == STIC_LIMIT_UNLIMITED ? "stands" : "falls");
}

// why there is no answer although there are bounds
static void print_open(const CliLimitAnswer* answer)
{
    const CliLimit* limit = &answer->limit[STIC_LIMIT_EXACT];
    if (limit->outcome == STIC_LIMIT_OPEN)
        cli_print_wrapped(stdout,
                          "Not decided: between the values at which it stands and falls, neither "
                          "forces in equilibrium nor a motion of collapse were found to the "
                          "tolerance.",
                          2);
    if (answer->disordered)
        cli_print_wrapped(stdout,
                          "Not decided: a smaller cone of friction stands further than a larger "
                          "one. Each value is that of the contacts found there; contacts that "
                          "change with it have more than one limit.",
                          2);
}

void cli_limit_print(const CliLimitAnswer* answer)
{
    const CliLimit* limit = &answer->limit[STIC_LIMIT_EXACT];
    cli_print_line("%s: %d contacts between %d bodies", answer->search->varied.call->operand[0],
                   (int)answer->contacts, (int)answer->bodies);
    if (limit->outcome == STIC_LIMIT_UNLIMITED || limit->outcome == STIC_LIMIT_NONE) {
        print_no_limit(answer);
        for (int k = 0; k < answer->runs; ++k)
            print_unlimited(answer, k);
        return;
    }
    if (limit->outcome == STIC_LIMIT_FOUND && !answer->disordered)
        cli_print_line("limit of %s: %.9g%s", answer->search->varied.name, cli_limit_value(limit),
                       unit_of(answer->search));
    else
        cli_print_line("limit of %s: not decided", answer->search->varied.name);
    print_bounds(answer);
    print_open(answer);
    print_mode(answer);
    for (int side = 0; side < answer->runs; ++side)
        print_run(answer, side);
    if (answer->result[0] != '\0')
        cli_print_name(answer->result);
}

/* ---- JSON ---- */

static void json_vector(CliJson* json, const char* name, SticVec3 v)
{
    cli_json_begin(json, name, '[');
    cli_json_real(json, NULL, v.x);
    cli_json_real(json, NULL, v.y);
    cli_json_real(json, NULL, v.z);
    cli_json_end(json, ']');
}

static void json_joints(CliJson* json, const CliLimitAnswer* answer)
{
    cli_json_begin(json, "joints", '[');
    for (int32_t i = 0; i < answer->joints; ++i) {
        const SticLimitJoint* joint = &answer->joint[i];
        cli_json_begin(json, NULL, '{');
        cli_json_text(json, "a", body_name(answer, joint->body[0]));
        cli_json_text(json, "b", body_name(answer, joint->body[1]));
        cli_json_bool(json, "hinges", joint->hinges);
        cli_json_bool(json, "slides", joint->slides);
        cli_json_real(json, "eccentricity", joint->eccentricity);
        json_vector(json, "point", joint->point);
        json_vector(json, "force", joint->force);
        cli_json_end(json, '}');
    }
    cli_json_end(json, ']');
}

static void json_runs(CliJson* json, const CliLimitAnswer* answer)
{
    cli_json_begin(json, "runs", '[');
    for (int side = 0; side < answer->runs; ++side) {
        const CliLimitRun* run = &answer->run[side];
        cli_json_begin(json, NULL, '{');
        cli_json_real(json, "value", run->value);
        cli_json_bool(json, "stands", run->stands);
        cli_json_bool(json, "falls", run->falls);
        cli_json_real(json, "moved", run->moved);
        cli_json_real(json, "time", run->time);
        cli_json_bool(json, "solved", run->solved);
        cli_json_end(json, '}');
    }
    cli_json_end(json, ']');
}

void cli_limit_json(const CliLimitAnswer* answer)
{
    static const char* const names[STIC_LIMIT_CONE_COUNT] = {"exact", "inside", "around"};
    const bool moves = answer->hinging + answer->sliding + answer->both > 0;
    CliJson json = {.file = stdout};
    cli_json_begin(&json, NULL, '{');
    cli_json_text(&json, "scene", answer->search->varied.call->operand[0]);
    cli_json_text(&json, "vary", answer->search->varied.name);
    cli_json_integer(&json, "contacts", answer->contacts);
    cli_json_integer(&json, "bodies", answer->bodies);
    const CliLimit* exact = &answer->limit[STIC_LIMIT_EXACT];
    cli_json_text(&json, "outcome", stic_limit_outcome_name(exact->outcome));
    cli_json_real(&json, "limit", cli_limit_value(exact));
    for (int k = 0; k < STIC_LIMIT_CONE_COUNT; ++k) {
        const CliLimit* limit = &answer->limit[k];
        cli_json_begin(&json, names[k], '{');
        cli_json_text(&json, "outcome", stic_limit_outcome_name(limit->outcome));
        cli_json_real(&json, "stands", limit->stands);
        cli_json_real(&json, "falls", limit->falls);
        cli_json_real(&json, "residual", limit->residual);
        cli_json_integer(&json, "programs", limit->programs);
        cli_json_end(&json, '}');
    }
    cli_json_text(&json, "mode", moves ? mode(answer) : NULL);
    json_joints(&json, answer);
    json_runs(&json, answer);
    cli_json_text(&json, "result", answer->result[0] == '\0' ? NULL : answer->result);
    cli_json_line(&json);
}
