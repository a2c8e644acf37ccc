// SPDX-License-Identifier: Apache-2.0
// Scenes that come with the program: where they are, and finding one by its name.
#ifndef STIC_CLI_SCENES_H
#define STIC_CLI_SCENES_H

#include <dirent.h>
#include <stdbool.h>

enum { CLI_FOLDER = 512 };

/// Folder of scenes, opened: $STICTION_SCENES, else `scenes` here, else the one installed with this
/// program, else `scenes` beside it. NULL: there is none.
DIR* cli_scenes_open(char folder[CLI_FOLDER]);
/// Path of a shipped scene by its name, with or without .lua, for a name without folders that is no
/// file itself. Whether there is one.
bool cli_scene_find(const char* name, char path[2 * CLI_FOLDER]);
/// Name of the shipped scene that a name which is no file may stand for. Whether there is one.
bool cli_scene_suggest(const char* name, char near[2 * CLI_FOLDER]);

#endif
