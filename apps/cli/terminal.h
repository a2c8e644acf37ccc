// SPDX-License-Identifier: Apache-2.0
// What a stream can show: whether it is a terminal, how wide it is, and colours on it.
//
// Colours and lines that are drawn again are for terminals that take escape sequences. A pipe, a
// file and TERM=dumb get plain lines; a NO_COLOR that is not empty (no-color.org) turns off the
// colours alone.
#ifndef STIC_CLI_TERMINAL_H
#define STIC_CLI_TERMINAL_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/// What a colour tells.
typedef enum CliTone {
    CLI_TONE_PLAIN,   ///< ends every other tone
    CLI_TONE_HEADING, ///< headings and names in lists
    CLI_TONE_GOOD,    ///< what was asked for was reached
    CLI_TONE_WARNING, ///< worth a look
    CLI_TONE_BAD,     ///< missed, failed, wrong
    CLI_TONE_FAINT    ///< beside the point
} CliTone;

/// Whether the stream is a terminal that takes escape sequences.
bool cli_terminal_is(FILE* file);
/// Columns of a terminal; `otherwise` for what is none, or does not tell.
int32_t cli_terminal_width(FILE* file, int32_t otherwise);
/// Escape sequence that begins a tone, or "" where the stream shows no colours.
const char* cli_tone(FILE* file, CliTone tone);

#endif
