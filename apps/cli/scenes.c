// SPDX-License-Identifier: Apache-2.0
// Scenes that come with the program: where they are, and finding one by its name.
#include "scenes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "files.h"
#include "stiction/extend/base.h"

// the folder `levels` above this program
static void program_folder(int levels, char folder[CLI_FOLDER - 64])
{
    const ssize_t length = readlink("/proc/self/exe", folder, CLI_FOLDER - 65);
    folder[length > 0 ? length : 0] = '\0';
    // without /proc: where packages are
    if (length <= 0)
        snprintf(folder, CLI_FOLDER - 64, "/usr/bin/stiction");
    for (int level = 0; level < levels; ++level) {
        char* slash = strrchr(folder, '/');
        if (slash != NULL)
            *slash = '\0';
    }
}

DIR* cli_scenes_open(char folder[CLI_FOLDER])
{
    enum { PLACES = 4 };
    const char* given = getenv("STICTION_SCENES");
    char program[CLI_FOLDER - 64], place[PLACES][CLI_FOLDER];
    snprintf(place[0], CLI_FOLDER, "%s", given != NULL ? given : "scenes");
    snprintf(place[1], CLI_FOLDER, "scenes");
    program_folder(2, program);
    snprintf(place[2], CLI_FOLDER, "%s/%s", program, STIC_SCENES_FOLDER);
    program_folder(1, program);
    snprintf(place[3], CLI_FOLDER, "%s/scenes", program);
    for (int k = 0; k < PLACES; ++k) {
        DIR* open = opendir(place[k]);
        if (open != NULL) {
            memcpy(folder, place[k], CLI_FOLDER);
            return open;
        }
    }
    return NULL;
}

bool cli_scene_find(const char* name, char path[2 * CLI_FOLDER])
{
    char folder[CLI_FOLDER];
    if (name[0] == '\0' || strlen(name) >= CLI_FOLDER - 8 || strchr(name, '/') != NULL ||
        access(name, F_OK) == 0)
        return false;
    DIR* open = cli_scenes_open(folder);
    if (open == NULL)
        return false;
    closedir(open);
    const bool whole = cli_name_ends(name, ".lua");
    snprintf(path, 2 * CLI_FOLDER, "%s/%s%s", folder, name, whole ? "" : ".lua");
    return access(path, R_OK) == 0;
}

bool cli_scene_suggest(const char* name, char near[2 * CLI_FOLDER])
{
    char folder[CLI_FOLDER], word[CLI_FOLDER], nearest[CLI_FOLDER] = "";
    const size_t length = strlen(name);
    if (length == 0 || length >= CLI_FOLDER || strchr(name, '/') != NULL || access(name, F_OK) == 0)
        return false;
    DIR* open = cli_scenes_open(folder);
    if (open == NULL)
        return false;
    snprintf(word, sizeof word, "%.*s", (int)(length - (cli_name_ends(name, ".lua") ? 4 : 0)),
             name);
    // the nearest so far against the next one
    for (const struct dirent* entry = readdir(open); entry != NULL; entry = readdir(open)) {
        char stem[CLI_FOLDER];
        if (!cli_name_ends(entry->d_name, ".lua"))
            continue;
        snprintf(stem, sizeof stem, "%.*s", (int)strlen(entry->d_name) - 4, entry->d_name);
        // the order of a folder's entries is not defined: of equals, the first by name
        const bool first = strcmp(stem, nearest) < 0;
        const char* both[] = {first ? stem : nearest, first ? nearest : stem, NULL};
        const char* found =
            stic_suggest(word, nearest[0] != '\0' ? both : (const char*[]){stem, NULL});
        if (found == stem)
            snprintf(nearest, sizeof nearest, "%s", stem);
    }
    closedir(open);
    snprintf(near, 2 * CLI_FOLDER, "%s", nearest);
    return nearest[0] != '\0';
}
