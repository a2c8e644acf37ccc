// SPDX-License-Identifier: Apache-2.0
// JSON for programs: one object per line on stdout.
//
// Text is UTF-8; bytes that are not become U+FFFD. Numbers that JSON cannot hold (infinite, not a
// number) become null.
#ifndef STIC_CLI_JSON_H
#define STIC_CLI_JSON_H

#include <stdio.h>

#include "stiction/extend/base.h"

/// Writer of nested objects and arrays.
typedef struct CliJson {
    FILE* file;
    bool filled; ///< something stands in the innermost object or array
} CliJson;

/// '{' or '['; `name` NULL: inside an array or outermost.
void cli_json_begin(CliJson* json, const char* name, char bracket);
/// '}' or ']'.
void cli_json_end(CliJson* json, char bracket);
/// End of a line's object.
void cli_json_line(CliJson* json);
/// Members; `name` NULL inside an array, a NULL text is null.
void cli_json_text(CliJson* json, const char* name, const char* text);
void cli_json_real(CliJson* json, const char* name, double value);
void cli_json_integer(CliJson* json, const char* name, int64_t value);
void cli_json_bool(CliJson* json, const char* name, bool value);

#endif
