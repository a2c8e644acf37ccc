// SPDX-License-Identifier: Apache-2.0
// stiction info: what a problem file holds.
#include <fcntl.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "commands.h"
#include "json.h"
#include "print.h"
#include "problem_file.h"
#include "result_info.h"
#include "stiction/extend/law.h"
#include "stiction/extend/result.h"

static const CliOption options[] = {
    CLI_OPTION_FORMAT,
    {"json", 0, NULL, "print one JSON object per line and file"},
    {NULL, 0, NULL, NULL},
};

/* ---- one list of members, for people and for programs ---- */

// where members go: JSON, or lines "name  value" if json is NULL
typedef struct Sink {
    CliJson* json;
} Sink;

enum { LABEL_COLUMN = 26, NUMBER = 40, LONGEST_TEXT = 4096 };

// lines of the value stay, blank ones at both ends and control characters do not
static void put_line(const char* label, const char* value)
{
    char left[NUMBER], safe[LONGEST_TEXT];
    size_t used = 0;
    for (value += strspn(value, " \r\n\t"); *value != '\0' && used + 1 < sizeof safe; ++value) {
        const unsigned char byte = (unsigned char)*value;
        safe[used++] = byte == '\n' || (byte >= 0x20 && byte != 0x7f) ? *value : ' ';
    }
    while (used > 0 && strchr(" \n", safe[used - 1]) != NULL)
        --used;
    safe[used] = '\0';
    snprintf(left, sizeof left, "  %s", label);
    cli_print_item(stdout, left, safe, LABEL_COLUMN);
}

// `label` for people, `name` for programs
static void put_text(const Sink* sink, const char* label, const char* name, const char* value)
{
    if (sink->json != NULL)
        cli_json_text(sink->json, name, value);
    else if (value != NULL && value[0] != '\0')
        put_line(label, value);
}

static void put_integer(const Sink* sink, const char* label, const char* name, int32_t value)
{
    char text[NUMBER];
    snprintf(text, sizeof text, "%d", (int)value);
    if (sink->json != NULL)
        cli_json_integer(sink->json, name, value);
    else
        put_line(label, text);
}

// not a number: unknown
static void put_real(const Sink* sink, const char* label, const char* name, double value)
{
    char text[NUMBER];
    snprintf(text, sizeof text, "%.6g", value);
    if (sink->json != NULL)
        cli_json_real(sink->json, name, value);
    else
        put_line(label, isnan(value) ? "unknown" : text);
}

/* ---- parts ---- */

static bool is_hdf5(const char* path)
{
    static const unsigned char signature[8] = {0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n'};
    unsigned char first[8];
    const int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    const ssize_t got = descriptor >= 0 ? read(descriptor, first, sizeof first) : 0;
    if (descriptor >= 0)
        close(descriptor);
    return got == (ssize_t)sizeof first && memcmp(first, signature, sizeof first) == 0;
}

// the format that was recognised: the ASCII ones differ by what they hold
static SticFormat format_of(const char* path, const SticProblem* problem)
{
    if (is_hdf5(path))
        return STIC_FORMAT_FCLIB;
    if (problem->M != NULL)
        return STIC_FORMAT_GLOBAL;
    if (problem->count > 0 && problem->law[0] == STIC_LAW_NONNEG)
        return STIC_FORMAT_LCP;
    if (problem->count > 0 && problem->law[0] == STIC_LAW_ROLLING && problem->row_at[1] == 3)
        return STIC_FORMAT_ROLLING;
    return STIC_FORMAT_LOCAL;
}

static void put_laws(const Sink* sink, const SticProblemStatistics* statistics)
{
    char text[CLI_CELL] = "none";
    size_t used = 0;
    if (sink->json != NULL)
        cli_json_begin(sink->json, "laws", '{');
    for (int32_t i = 0; i < STIC_LAW_COUNT; ++i) {
        const char* name = stic_law_name((SticLaw)i);
        const int32_t count = statistics->law[i];
        if (count == 0)
            continue;
        if (sink->json != NULL)
            cli_json_integer(sink->json, name, count);
        else if (used < sizeof text)
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%d %s",
                                     used > 0 ? ", " : "", (int)count, name);
    }
    if (sink->json != NULL)
        cli_json_end(sink->json, '}');
    else
        put_line("laws", text);
}

static void put_sizes(const Sink* sink, const SticProblem* problem,
                      const SticProblemStatistics* statistics)
{
    const CliSizes sizes = cli_problem_sizes(problem);
    put_integer(sink, "contacts", "contacts", sizes.contacts);
    put_integer(sink, "dimension", "dimension", sizes.dimension);
    put_laws(sink, statistics);
    put_integer(sink, "rows", "rows", problem->rows);
    put_integer(sink, "bilateral rows", "bilateral_rows", sizes.free_rows);
    put_integer(sink, "velocities", "dof", problem->dof);
    put_real(sink, "contact density", "density", sizes.density);
    put_real(sink, "least friction", "mu_least", statistics->mu_least);
    put_real(sink, "most friction", "mu_most", statistics->mu_most);
}

// the matrix W, and what follows from it
static void put_matrix(const Sink* sink, const SticProblemStatistics* statistics)
{
    put_integer(sink, "blocks of W", "blocks", (int32_t)statistics->blocks);
    put_real(sink, "asymmetry", "asymmetry", statistics->asymmetry);
    put_integer(sink, "rank", "rank", statistics->rank);
    put_integer(sink, "negative eigenvalues", "negative_eigenvalues", statistics->negative);
    put_real(sink, "least eigenvalue", "eigenvalue_least", statistics->eigenvalue_least);
    put_real(sink, "most eigenvalue", "eigenvalue_most", statistics->eigenvalue_most);
    put_real(sink, "condition", "condition", statistics->condition);
    put_real(sink, "one solution up to mu", "mu_unique", statistics->mu_unique);
}

static void put_solution(const Sink* sink, const SticMetadata* metadata, const SticErrors* errors)
{
    const bool known = metadata->solution != NULL && metadata->solution->r != NULL;
    put_integer(sink, "start values", "guesses", metadata->guess_count);
    if (sink->json != NULL)
        cli_json_bool(sink->json, "solution", known);
    else
        put_line("solution", known ? "stored, with the errors" : "none");
    if (sink->json == NULL && !known)
        return;
    put_real(sink, "  relative", "error_relative", known ? errors->relative : NAN);
    put_real(sink, "  siconos", "error_siconos", known ? errors->siconos : NAN);
    put_real(sink, "  unit-free", "error_unit_free", known ? errors->unit_free : NAN);
}

/* ---- one file ---- */

// what is computed from a problem
typedef struct Figures {
    SticProblemStatistics statistics;
    SticErrors errors; // of the stored solution, if there is one
} Figures;

static SticStatus measure(SticArena* arena, const SticProblemStore* store, Figures* figures,
                          SticError* error)
{
    const SticProblem* problem = stic_problem_view(store);
    const SticMetadata* metadata = stic_problem_metadata(store);
    double* u = NULL;
    STIC_TRY(stic_problem_statistics(arena, problem, &figures->statistics, error));
    if (metadata->solution == NULL || metadata->solution->r == NULL)
        return STIC_OK;
    STIC_TRY(STIC_TAKE(arena, &u, problem->rows + 1));
    return stic_errors_compute(arena, problem, metadata->solution->r, u, &figures->errors);
}

// a file with its problem
typedef struct Input {
    const char* path;
    SticFormat format;
    SticProblemStore* store;
} Input;

static void put_file(const Sink* sink, const Input* input, const Figures* figures)
{
    const SticProblem* problem = stic_problem_view(input->store);
    const SticMetadata* metadata = stic_problem_metadata(input->store);
    const SticFormat format =
        input->format != STIC_FORMAT_AUTO ? input->format : format_of(input->path, problem);
    put_text(sink, "title", "title", metadata->title);
    put_text(sink, "description", "description", metadata->description);
    put_text(sink, "known", "math_info", metadata->math_info);
    put_text(sink, "format", "format", stic_format_name(format));
    put_text(sink, "form", "form", problem->M != NULL ? "global" : "local");
    put_sizes(sink, problem, &figures->statistics);
    put_matrix(sink, &figures->statistics);
    put_solution(sink, metadata, &figures->errors);
}

static void print_file(const CliCall* call, const Input* input, const Figures* figures)
{
    CliJson json = {.file = stdout};
    char name[LONGEST_TEXT];
    if (cli_call_option(call, "json") == NULL) {
        cli_text_fit(input->path, LONGEST_TEXT / 4 - 1, name, sizeof name);
        cli_print_line("%s", name);
        put_file(&(Sink){0}, input, figures);
        return;
    }
    cli_json_begin(&json, NULL, '{');
    cli_json_text(&json, "problem", input->path);
    put_file(&(Sink){.json = &json}, input, figures);
    cli_json_line(&json);
}

static CliExit show_file(const CliCall* call, Input* input)
{
    SticArena* arena = NULL;
    Figures figures = {0};
    SticError error = {0};
    const CliExit result =
        cli_problem_read(call->context, input->path, input->format, &input->store);
    if (result != CLI_DONE)
        return result;
    SticStatus status = stic_arena_create(call->context, 0, &arena);
    if (status == STIC_OK)
        status = measure(arena, input->store, &figures, &error);
    if (status == STIC_OK)
        print_file(call, input, &figures);
    stic_arena_destroy(arena);
    stic_problem_destroy(input->store);
    return status == STIC_OK ? CLI_DONE : cli_report(&error, status, input->path);
}

static CliExit run(const CliCall* call)
{
    SticFormat format = STIC_FORMAT_AUTO;
    CliExit result = cli_format_option(call, &format);
    if (result != CLI_DONE)
        return result;
    for (int32_t i = 0; i < call->operand_count && !cli_output_closed(); ++i) {
        Input input = {.path = call->operand[i], .format = format};
        if (format == STIC_FORMAT_AUTO && stic_result_is(input.path))
            result = cli_worse(result, cli_result_show(call->context, input.path,
                                                       cli_call_option(call, "json") != NULL));
        else
            result = cli_worse(result, show_file(call, &input));
        fflush(stdout);
    }
    return result;
}

const CliCommand cli_command_info = {
    .name = "info",
    .operands = "FILE…",
    .text = "Say what results and problem files hold.",
    .details =
        "Results: bodies, frames, what the steps did. Problems: sizes, figures that tell how "
        "hard they are, and the errors of a stored solution, recomputed; files often hold "
        "zeros.",
    .least = 1,
    .most = INT32_MAX,
    .options = options,
    .run = run,
};
