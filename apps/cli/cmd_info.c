// SPDX-License-Identifier: Apache-2.0
// stiction info: what a problem file holds.
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "commands.h"
#include "json.h"
#include "print.h"
#include "problem_file.h"

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

enum { LABEL_COLUMN = 24, NUMBER = 40, LONGEST_TEXT = 4096 };

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

// numbers that are not known are negative
static void put_real(const Sink* sink, const char* label, const char* name, double value)
{
    char text[NUMBER];
    snprintf(text, sizeof text, "%.6g", value);
    if (sink->json != NULL && value < 0.0)
        cli_json_null(sink->json, name);
    else if (sink->json != NULL)
        cli_json_real(sink->json, name, value);
    else
        put_line(label, value < 0.0 ? "unknown" : text);
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

static void put_laws(const Sink* sink, const SticProblem* problem)
{
    int32_t count[STIC_LAW_COUNT] = {0};
    char text[CLI_CELL] = "none";
    size_t used = 0;
    for (int32_t i = 0; i < problem->count; ++i)
        count[problem->law[i]] += 1;
    if (sink->json != NULL)
        cli_json_begin(sink->json, "laws", '{');
    for (int32_t i = 0; i < STIC_LAW_COUNT; ++i) {
        const char* name = stic_law_name((SticLaw)i);
        if (count[i] == 0)
            continue;
        if (sink->json != NULL)
            cli_json_integer(sink->json, name, count[i]);
        else if (used < sizeof text)
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%d %s",
                                     used > 0 ? ", " : "", (int)count[i], name);
    }
    if (sink->json != NULL)
        cli_json_end(sink->json, '}');
    else
        put_line("laws", text);
}

static void put_sizes(const Sink* sink, const SticProblem* problem)
{
    const CliSizes sizes = cli_problem_sizes(problem);
    put_integer(sink, "contacts", "contacts", sizes.contacts);
    put_integer(sink, "dimension", "dimension", sizes.dimension);
    put_laws(sink, problem);
    put_integer(sink, "rows", "rows", problem->rows);
    put_integer(sink, "bilateral rows", "bilateral_rows", sizes.free_rows);
    put_integer(sink, "velocities", "dof", problem->dof);
    put_real(sink, "contact density", "density", sizes.density);
    put_real(sink, "least friction", "mu_low", sizes.mu_low);
    put_real(sink, "most friction", "mu_high", sizes.mu_high);
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
    put_real(sink, "  relative", "error_relative", known ? errors->relative : -1.0);
    put_real(sink, "  siconos", "error_siconos", known ? errors->siconos : -1.0);
    put_real(sink, "  unit-free", "error_unit_free", known ? errors->unit_free : -1.0);
}

/* ---- one file ---- */

// errors of the stored solution, recomputed from the data
static SticStatus measure(const SticContext* context, const SticProblem* problem,
                          const SticMetadata* metadata, SticErrors* errors)
{
    SticArena* arena = NULL;
    double* u = NULL;
    if (metadata->solution == NULL || metadata->solution->r == NULL)
        return STIC_OK;
    STIC_TRY(stic_arena_create(context, 0, &arena));
    SticStatus status = STIC_TAKE(arena, &u, problem->rows + 1);
    if (status == STIC_OK)
        status = stic_errors_compute(arena, problem, metadata->solution->r, u, errors);
    stic_arena_destroy(arena);
    return status;
}

static void put_file(const Sink* sink, const char* path, SticFormat format,
                     const SticProblemStore* store, const SticErrors* errors)
{
    const SticProblem* problem = stic_problem_view(store);
    const SticMetadata* metadata = stic_problem_metadata(store);
    put_text(sink, "title", "title", metadata->title);
    put_text(sink, "description", "description", metadata->description);
    put_text(sink, "known", "math_info", metadata->math_info);
    put_text(sink, "format", "format",
             stic_format_name(format != STIC_FORMAT_AUTO ? format : format_of(path, problem)));
    put_text(sink, "form", "form", problem->M != NULL ? "global" : "local");
    put_sizes(sink, problem);
    put_solution(sink, metadata, errors);
}

static void print_file(const CliCall* call, const char* path, SticFormat format,
                       const SticProblemStore* store, const SticErrors* errors)
{
    CliJson json = {.file = stdout};
    char name[8 * CLI_CELL];
    if (cli_call_option(call, "json") == NULL) {
        cli_text_fit(path, 2 * CLI_CELL - 1, name, sizeof name);
        printf("%s\n", name);
        put_file(&(Sink){0}, path, format, store, errors);
        return;
    }
    cli_json_begin(&json, NULL, '{');
    cli_json_text(&json, "problem", path);
    put_file(&(Sink){.json = &json}, path, format, store, errors);
    cli_json_line(&json);
}

static CliExit show_file(const CliCall* call, const char* path, SticFormat format)
{
    SticProblemStore* store = NULL;
    SticErrors errors = {0};
    CliExit result = cli_problem_read(call->context, path, format, &store);
    if (result != CLI_DONE)
        return result;
    const SticStatus status =
        measure(call->context, stic_problem_view(store), stic_problem_metadata(store), &errors);
    if (status == STIC_OK)
        print_file(call, path, format, store, &errors);
    else
        result = cli_report(&(SticError){0}, status, path);
    stic_problem_destroy(store);
    return result;
}

static CliExit run(const CliCall* call)
{
    SticFormat format = STIC_FORMAT_AUTO;
    CliExit result = cli_format_option(call, &format);
    if (result != CLI_DONE)
        return result;
    for (int32_t i = 0; i < call->operand_count && !cli_output_closed(); ++i) {
        result = cli_worse(result, show_file(call, call->operand[i], format));
        fflush(stdout);
    }
    return result;
}

const CliCommand cli_command_info = {
    .name = "info",
    .operands = "FILE…",
    .text = "Say what problem files hold and how hard it is.",
    .details = "The errors of a stored solution are recomputed; files often hold zeros.",
    .least = 1,
    .most = INT32_MAX,
    .options = options,
    .run = run,
};
