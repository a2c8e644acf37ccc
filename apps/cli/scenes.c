// SPDX-License-Identifier: Apache-2.0
// Scenes that come with the program: where they are, and finding one by its name.
#include "scenes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "files.h"

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
