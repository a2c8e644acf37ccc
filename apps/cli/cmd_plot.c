// SPDX-License-Identifier: Apache-2.0
// stiction plot: histories of a result as a picture.
#include <string.h>

#include "commands.h"
#include "files.h"
#include "print.h"
#include "program.h"
#include "svg.h"

enum { LONGEST_WORD = 128, MOST_PANELS = 16 };

static const CliOption options[] = {
    {"what", 0, "WORDS",
     "what is drawn, one panel each, with commas between (default energy,residual): energy, "
     "ledger, residual, iterations, contacts, penetration, q0, u0, BODY.position, "
     "BODY.orientation, BODY.velocity, BODY.spin, BODY.force"},
    {"output", 'o', "FILE.svg",
     "name of the picture, .svg, .pdf or .png (default: the result's name with .svg)"},
    CLI_OPTION_FORCE,
    {NULL, 0, NULL, NULL},
};

// the histories of all words
static SticStatus read_panels(SticResult* result, const char* words, SticArena* arena, CliSvg* svg,
                              SticError* error)
{
    SticHistory* panel = NULL;
    STIC_TRY(STIC_TAKE(arena, &panel, MOST_PANELS));
    svg->panel = panel;
    while (*words != '\0') {
        char word[LONGEST_WORD];
        const size_t length = strcspn(words, ",");
        if (svg->panels == MOST_PANELS || length >= sizeof word)
            return stic_error_set(error, STIC_BAD_ARGUMENT,
                                  "more than %d words, or one that is too long", MOST_PANELS);
        memcpy(word, words, length);
        word[length] = '\0';
        STIC_TRY(stic_result_history(result, word, arena, &panel[svg->panels], error));
        svg->panels += 1;
        words += length + (words[length] == ',' ? 1 : 0);
    }
    return svg->panels > 0 ? STIC_OK
                           : stic_error_set(error, STIC_BAD_ARGUMENT, "--what names nothing");
}

// another form of a drawing that is complete: pages as they are, pixels two for each of its units
static SticStatus write_form(const SticContext* context, const SticReplace* drawing,
                             const char* path, SticError* error)
{
    SticReplace* file = NULL;
    const bool page = cli_name_ends(path, ".pdf");
    STIC_TRY(stic_replace_begin(context, path, &file, error));
    const char* const words[] = {"rsvg-convert",
                                 "--format",
                                 page ? "pdf" : "png",
                                 "--zoom",
                                 page ? "1" : "2",
                                 "--background-color",
                                 "white",
                                 "-o",
                                 stic_replace_path(file),
                                 stic_replace_path(drawing),
                                 NULL};
    if (cli_program_run(words))
        return stic_replace_commit(file, error);
    stic_replace_abort(file);
    return stic_error_set(error, STIC_IO_FAILED,
                          "pixels and PDF are made by rsvg-convert (package librsvg2-bin), which "
                          "did not run; a name that ends in .svg needs no other program");
}

static SticStatus write_picture(const SticContext* context, const CliSvg* svg, const char* path,
                                SticError* error)
{
    SticReplace* file = NULL;
    STIC_TRY(stic_replace_begin(context, path, &file, error));
    SticStatus status = cli_svg_write(svg, file, error);
    if (status == STIC_OK && cli_name_ends(path, ".svg"))
        return stic_replace_commit(file, error);
    if (status == STIC_OK)
        status = write_form(context, file, path, error);
    stic_replace_abort(file);
    return status;
}

// what is asked for is looked at before the name of the picture
static CliExit plot(const CliCall* call, const char* picture)
{
    SticError error = {0};
    const char* words = cli_call_option(call, "what");
    SticResult* result = NULL;
    SticArena* arena = NULL;
    CliSvg svg = {0};
    char caption[1024];
    SticStatus status = stic_result_open(call->context, call->operand[0], &result, &error);
    if (status == STIC_OK)
        status = stic_arena_create(call->context, 0, &arena);
    if (status == STIC_OK)
        status =
            read_panels(result, words == NULL ? "energy,residual" : words, arena, &svg, &error);
    const CliExit kept = status == STIC_OK ? cli_file_keep(call, picture) : CLI_DONE;
    if (status == STIC_OK && kept == CLI_DONE) {
        const SticResultInfo* info = stic_result_info(result);
        snprintf(caption, sizeof caption,
                 "Scheme %s, solver %s, step %.6g s, %lld steps to %.6g s, bits %s; %s.",
                 info->scheme, info->solver, info->step, (long long)info->steps, info->end,
                 info->determinism, info->program);
        svg.caption = caption;
        svg.title = info->title[0] != '\0' ? info->title : info->scene_path;
        status = write_picture(call->context, &svg, picture, &error);
    }
    stic_arena_destroy(arena);
    stic_result_close(result);
    return kept == CLI_DONE ? cli_file_made(call, status, &error, picture) : kept;
}

static CliExit run(const CliCall* call)
{
    char name[CLI_PATH];
    const CliExit result = cli_file_name(call, call->operand[0], ".svg", name);
    if (result != CLI_DONE)
        return result;
    if (!cli_name_ends(name, ".svg") && !cli_name_ends(name, ".pdf") &&
        !cli_name_ends(name, ".png"))
        return cli_usage_error(call->command->name, "'%s' ends neither in .svg, .pdf nor .png",
                               name);
    return plot(call, name);
}

const CliCommand cli_command_plot = {
    .name = "plot",
    .operands = "FILE.h5",
    .text = "Draw histories of a result as a picture: SVG, PDF or PNG.",
    .details = "One panel per quantity over a common time, with units, a legend and a caption that "
               "says how the numbers were made. The ledger holds sums since the start.",
    .least = 1,
    .most = 1,
    .options = options,
    .run = run,
};
