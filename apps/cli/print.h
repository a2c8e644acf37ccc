// SPDX-License-Identifier: Apache-2.0
// What people read: messages, wrapped text, tables. Numbers use '.' since the locale is never set.
#ifndef STIC_CLI_PRINT_H
#define STIC_CLI_PRINT_H

#include <stdio.h>

#include "options.h"
#include "stiction/extend/base.h"
#include "terminal.h"

/* ---- messages on stderr ---- */

/// "stiction: sentence", control characters replaced.
void cli_message(const char* format, ...) STIC_PRINTF(1, 2);
/// "stiction COMMAND: sentence" with a pointer to the help; CLI_USAGE.
CliExit cli_usage_error(const char* command, const char* format, ...) STIC_PRINTF(2, 3);
/// CLI_INTERNAL with its sentence.
CliExit cli_out_of_memory(void);
/// "stiction: FILE:LINE:COL: sentence"; `path` (which may be NULL) is the file in full where the
/// error holds its end only, or the file where the error names none. Returns the exit code that
/// belongs to the status.
CliExit cli_report(const SticError* error, SticStatus status, const char* path);
/// The exit code that belongs to a status.
CliExit cli_exit_of(SticStatus status);
/// The worse of two exit codes.
CliExit cli_worse(CliExit a, CliExit b);
/// Flush stdout: CLI_DONE, or CLI_INPUT with a message if it cannot be written. A reader that has
/// gone away is no failure.
CliExit cli_flush(void);
/// Whether the reader of stdout has gone away, or stdout failed: nothing more need be printed.
bool cli_output_closed(void);

/* ---- text ---- */

/// A line with the name of a file: as it is, but without control characters on a terminal.
void cli_print_name(const char* name);
/// A line on stdout that holds words of a file: control characters are replaced.
void cli_print_line(const char* format, ...) STIC_PRINTF(1, 2);

/// Text broken at blanks before column 96 or the border of a narrower terminal, every line
/// indented; '\n' stays.
void cli_print_wrapped(FILE* file, const char* text, int32_t indent);
/// `left`, then text from `column` on, wrapped there; on the next line if `left` is too long.
void cli_print_item(FILE* file, const char* left, const char* text, int32_t column);
/// A heading on a line of its own, or before what follows if it does not end with a line.
void cli_print_heading(FILE* file, const char* text);
/// A line of a report on stdout: a label, and words of a file perhaps, without control characters.
/// A terminal gets it wrapped, with a label in its tone; programs get one line. Labels have eleven
/// letters, or more if they end in blanks.
void cli_print_fact(CliTone tone, const char* label, const char* format, ...) STIC_PRINTF(3, 4);
/// Letters of a UTF-8 text; stray bytes count as one each.
int32_t cli_text_width(const char* text);
/// Copy without control characters, of at most `width` letters: longer texts keep their end after
/// "...". `size` bytes of room, at least 4 per letter and 1.
void cli_text_fit(const char* text, int32_t width, char* fit, size_t size);
/// A cell of CSV: in quotes where it holds a comma, a quote or a line end, and after an apostrophe
/// where a spreadsheet would take it for a formula; without control characters.
void cli_csv_cell(FILE* file, const char* text);
/// Short decimal number that reads back as the same double; "inf", "-inf", "nan".
void cli_number_format(double value, char* text, size_t size);

/* ---- tables ---- */

enum { CLI_TABLE_COLUMNS = 12, CLI_CELL = 256 };

/// Columns of a table that is printed row by row.
typedef struct CliTable {
    int32_t columns;
    int32_t width[CLI_TABLE_COLUMNS];
    bool left[CLI_TABLE_COLUMNS]; ///< flush left; else right
} CliTable;

/// Add a column at least as wide as its heading.
void cli_table_column(CliTable* table, const char* heading, int32_t width, bool left);
/// Print cells; a NULL ends the row early. The last cell may be longer than its column.
void cli_table_row(const CliTable* table, const char* const* cells);

#endif
