// SPDX-License-Identifier: Apache-2.0
// stiction run: a scene from its start to its end.
#include <string.h>

#include "assignments.h"
#include "commands.h"
#include "live.h"
#include "print.h"
#include "run.h"
#include "stiction/extend/base.h"
#include "stiction/extend/file.h"
#include "stiction/extend/run.h"

enum { MOST_FILES = 8, MOST_TRIES = 1000 };

static const CliOption options[] = {
    {"output", 'o', "FILE.h5",
     "result file (default: the scene's name with .h5, in this folder; with a number if that name "
     "is taken)"},
    CLI_OPTION_FORCE,
    {"until", 0, "T", "end of the run in simulated seconds instead of the scene's"},
    {"accuracy", 0, "LEVEL",
     "preview, standard or strict instead of what the scene asks for, be it a level or a tolerance "
     "of the solver"},
    {"param", 0, "K=V",
     "value of a parameter that the scene asks for by param(\"K\", …); may be repeated"},
    {"set", 0, "A.B=V",
     "field B of the group A (run, output, solver, scheme, system) instead of the scene's, such as "
     "run.step=1e-4; --set scheme=NAME and --set solver=NAME choose another; may be repeated; see "
     "'stiction list settings'"},
    CLI_VIEW_OPTION,
    CLI_RUN_OPTIONS,
    {NULL, 0, NULL, NULL},
};

// files that the run will write, by their endings
static int32_t endings(const SticSceneDef* scene, const char* ending[MOST_FILES])
{
    int32_t count = 0;
    ending[count++] = "";
    if (scene->history_count > 0)
        ending[count++] = ".csv";
    if (scene->output.xdmf) {
        ending[count++] = ".xdmf";
        ending[count++] = ".contacts.xdmf";
        ending[count++] = ".xdmf.h5";
    }
    return count;
}

// the result's name: as given, or the scene's in this folder; what exists is not replaced unasked
static CliExit name_result(const CliCall* call, CliRun* run)
{
    const char* slash = strrchr(call->operand[0], '/');
    const char* ending[MOST_FILES];
    const CliExit result =
        cli_file_name(call, slash == NULL ? call->operand[0] : slash + 1, ".h5", run->result);
    if (result != CLI_DONE || cli_call_option(call, "force") != NULL)
        return result;
    char wanted[CLI_PATH];
    memcpy(wanted, run->result, sizeof wanted);
    const CliExit free_name =
        cli_file_free(call, ending, endings(stic_scene_def(run->scene), ending), run->result);
    run->renamed = strcmp(wanted, run->result) != 0;
    return free_name;
}

// "name=value" lines of the parameters given
static CliExit join_parameters(const CliRun* run, const CliAssignments* all, char** text)
{
    size_t size = 1, used = 0;
    for (int32_t i = 0; i < all->params; ++i)
        size += strlen(all->param[i].name) + strlen(all->param[i].value) + 2;
    if (STIC_TAKE(run->scratch, text, size) != STIC_OK)
        return cli_out_of_memory();
    (*text)[0] = '\0';
    for (int32_t i = 0; i < all->params; ++i)
        used += (size_t)snprintf(*text + used, size - used, "%s=%s\n", all->param[i].name,
                                 all->param[i].value);
    return CLI_DONE;
}

// create the file; a default name that another run took meanwhile gives way to the next number
static SticStatus create_named(CliRun* run, SticOutputDef* def, SticError* error)
{
    const bool given = cli_call_option(run->call, "output") != NULL;
    SticStatus status = stic_output_create(run->call->context, def, &run->output, error);
    for (int i = 0; i < MOST_TRIES && status == STIC_IO_FAILED && !given; ++i) {
        char before[CLI_PATH];
        memcpy(before, run->result, sizeof before);
        if (name_result(run->call, run) != CLI_DONE || strcmp(before, run->result) == 0)
            break;
        status = stic_output_create(run->call->context, def, &run->output, error);
    }
    return status;
}

static CliExit create_output(CliRun* run, const CliAssignments* all)
{
    SticError error = {0};
    SticText definition = {0};
    SticOutputDef def = cli_run_output(run);
    char* parameters = NULL;
    CliExit result = join_parameters(run, all, &parameters);
    if (result != CLI_DONE)
        return result;
    SticStatus status =
        stic_scene_write(run->call->context, stic_scene_def(run->scene), &definition, &error);
    if (status == STIC_OK) {
        stic_run_set_origin(stic_simulation_run(run->simulation),
                            stic_hash_bytes(0, definition.bytes, strlen(definition.bytes)));
        // what was read, not what the file holds by now
        def.source = stic_scene_source(run->scene);
        def.definition = definition.bytes;
        def.parameters = parameters;
        def.scene_path = run->call->operand[0];
        status = create_named(run, &def, &error);
    }
    if (status == STIC_OK && run->renamed) {
        const SticNotice one = stic_notice_make(0.0, -1, -1);
        run->said[STIC_NOTICE_RENAMED] = true;
        stic_run_note(stic_simulation_run(run->simulation), STIC_NOTICE_RENAMED, &one);
    }
    // a snapshot of the start: a run that is killed early can be resumed too
    if (status == STIC_OK)
        status = stic_output_snapshot(run->output, def.run, &error);
    stic_text_unload(&definition);
    return status == STIC_OK ? CLI_DONE : cli_report(&error, status, run->result);
}

static CliExit load_scene(CliRun* run, const CliAssignments* all)
{
    SticError error = {0};
    SticSceneOptions given = stic_scene_default_options();
    given.param = all->param;
    given.param_count = all->params;
    given.set = all->set;
    given.set_count = all->sets;
    given.until = run->until;
    const SticStatus status =
        stic_scene_load(run->call->context, run->call->operand[0], &given, &run->scene, &error);
    return status == STIC_OK ? CLI_DONE : cli_report(&error, status, run->call->operand[0]);
}

// a mesh whose faces run in different directions, or that is inside out, is seldom meant: bodies
// are pushed to the wrong side of it
static CliExit note_meshes(const CliRun* run)
{
    const SticSceneDef* def = stic_scene_def(run->scene);
    for (int32_t i = 0; !run->json && i < def->shape_count; ++i) {
        char text[256], place[32] = "";
        SticMeshFlaws flaws;
        if (stic_scene_mesh_flaws(run->call->context, &def->shape[i], &flaws) != STIC_OK)
            return cli_out_of_memory();
        if (flaws.flipped_faces == 0)
            continue;
        if (def->shape[i].line > 0)
            snprintf(place, sizeof place, " (line %d)", (int)def->shape[i].line);
        stic_mesh_flaws_text(&flaws, text, sizeof text);
        cli_message("note: the mesh%s%.200s%s: %s. Bodies are pushed to the side that a face shows "
                    "counter-clockwise; turn faces over in a mesh program if that is not meant",
                    def->shape[i].file != NULL ? " " : "",
                    def->shape[i].file != NULL ? def->shape[i].file : "", place, text);
    }
    return CLI_DONE;
}

static CliExit run_scene(CliRun* run, CliAssignments* all)
{
    CliExit result = cli_assignments_take(run->call, all);
    if (result == CLI_DONE)
        result = load_scene(run, all);
    if (result == CLI_DONE)
        result = name_result(run->call, run);
    if (result == CLI_DONE)
        result = cli_run_build(run);
    if (result == CLI_DONE)
        result = note_meshes(run);
    cli_run_hold(run);
    if (result == CLI_DONE)
        result = create_output(run, all);
    if (result == CLI_DONE)
        result = cli_histories_open(run->call->context, run->simulation, run->result,
                                    (CliHistoriesStart){.at = -1.0}, &run->histories);
    if (result == CLI_DONE)
        result = cli_histories_row(&run->histories, run->simulation);
    if (result == CLI_DONE && cli_call_option(run->call, "view") != NULL)
        result = cli_live_open(run);
    return result == CLI_DONE ? cli_run_loop(run) : result;
}

static CliExit run(const CliCall* call)
{
    CliRun run;
    CliAssignments* all = NULL;
    CliExit result = cli_run_options(call, &run);
    if (result == CLI_DONE && STIC_ALLOCATE(call->context, &all, 1) != STIC_OK)
        result = cli_out_of_memory();
    if (result == CLI_DONE)
        result = run_scene(&run, all);
    cli_run_clear(&run);
    STIC_RELEASE(call->context, all, 1);
    return result;
}

const CliCommand cli_command_run = {
    .name = "run",
    .operands = "SCENE",
    .text = "Run a scene and store its result.",
    .details =
        "SCENE is a Lua script; 'stiction list scenes' names those that come with the program, "
        "which are found by name where no such file exists. The "
        "result is NAME.h5 with its snapshot NAME.snapshot, and NAME.csv if the scene asks for "
        "histories.\n\n"
        "Ctrl-C finishes the step, stores a snapshot and says how to go on. A run that is killed "
        "leaves a result that can be read up to its last complete frame. Exit code 1: a step "
        "missed the accuracy asked for and could not be repaired, a number was not finite, the "
        "energy alarm went off, the run was interrupted, or a reference value of the scene was not "
        "met.",
    .least = 1,
    .most = 1,
    .options = options,
    .run = run,
};
