// SPDX-License-Identifier: Apache-2.0
// Messages, wrapped text and tables.
#include "print.h"

#include <math.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "files.h"

enum { HELP_WIDTH = 96, LEAST_WIDTH = 40, LABEL = 64, MESSAGE = 8192 };

/* ---- messages ---- */

// bytes of the letter a text begins with, and whether it may be shown: no control character of ASCII,
// none from U+0080 to U+009F, which terminals obey too, and no byte that is not UTF-8, which terminals
// of eight bits may take for one of these
static size_t letter_bytes(const char* text, bool* shown)
{
    const unsigned char first = (unsigned char)text[0];
    const size_t size = first < 0x80   ? 1
                        : first < 0xc2 ? 0
                        : first < 0xe0 ? 2
                        : first < 0xf0 ? 3
                        : first < 0xf5 ? 4
                                       : 0;
    *shown = size > 0 && first >= 0x20 && first != 0x7f;
    for (size_t k = 1; k < size; ++k)
        if (((unsigned char)text[k] & 0xc0u) != 0x80u)
            *shown = false;
    if (!*shown)
        return 1;
    *shown = first != 0xc2 || (unsigned char)text[1] >= 0xa0;
    return size;
}

// a copy of a text with marks in the place of what must not be shown; what does not fit is left out
static void copy_safe(const char* text, char* copy, size_t size)
{
    size_t used = 0, bytes = 0;
    bool shown = false;
    for (; *text != '\0'; text += bytes) {
        bytes = letter_bytes(text, &shown);
        const size_t needed = shown ? bytes : 1;
        if (used + needed >= size)
            break;
        memcpy(copy + used, shown ? text : "?", needed);
        used += needed;
    }
    copy[used] = '\0';
}

// a terminal must not obey what a file name holds
static void print_safe(FILE* file, const char* text)
{
    bool shown = false;
    for (size_t bytes; *text != '\0'; text += bytes) {
        bytes = letter_bytes(text, &shown);
        fwrite(shown ? text : "?", 1, shown ? bytes : 1, file);
    }
}

// what is wrong has its beginning in a tone, and so have notes
static void message(CliTone tone, const char* command, const char* format, va_list list)
{
    static const char note[] = "note: ";
    // words of the command line can be long; the end of a longer message is left out
    char text[MESSAGE];
    vsnprintf(text, sizeof text, format, list);
    const bool is_note = strncmp(text, note, sizeof note - 1) == 0;
    tone = is_note ? CLI_TONE_WARNING : tone;
    fflush(stdout);
    fprintf(stderr, "%sstiction%s%s: %s%s", cli_tone(stderr, tone), command != NULL ? " " : "",
            command != NULL ? command : "", is_note ? note : "", cli_tone(stderr, CLI_TONE_PLAIN));
    print_safe(stderr, is_note ? text + sizeof note - 1 : text);
    putc('\n', stderr);
}

void cli_print_line(const char* format, ...)
{
    char text[MESSAGE];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    print_safe(stdout, text);
    putchar('\n');
}

void cli_print_name(const char* name)
{
    // a program that reads the name needs it unchanged
    if (isatty(STDOUT_FILENO))
        print_safe(stdout, name);
    else
        fputs(name, stdout);
    putchar('\n');
}

void cli_message(const char* format, ...)
{
    va_list list;
    va_start(list, format);
    message(CLI_TONE_PLAIN, NULL, format, list);
    va_end(list);
}

// a message about what is wrong
STIC_PRINTF(2, 3) static void complain(const char* command, const char* format, ...)
{
    va_list list;
    va_start(list, format);
    message(CLI_TONE_BAD, command, format, list);
    va_end(list);
}

CliExit cli_usage_error(const char* command, const char* format, ...)
{
    va_list list;
    va_start(list, format);
    message(CLI_TONE_BAD, command, format, list);
    va_end(list);
    fprintf(stderr, "try 'stiction %s%s--help'\n", command != NULL ? command : "",
            command != NULL ? " " : "");
    return CLI_USAGE;
}

CliExit cli_out_of_memory(void)
{
    complain(NULL, "%s", stic_status_text(STIC_OUT_OF_MEMORY));
    return CLI_INTERNAL;
}

CliExit cli_exit_of(SticStatus status)
{
    switch (status) {
    case STIC_OK:
        return CLI_DONE;
    case STIC_BAD_ARGUMENT:
        return CLI_USAGE;
    case STIC_BAD_DATA:
    case STIC_BAD_FILE:
    case STIC_IO_FAILED:
    case STIC_UNSUPPORTED:
    case STIC_NOT_FINITE:
    case STIC_SINGULAR:
        return CLI_INPUT;
    default:
        return CLI_INTERNAL;
    }
}

CliExit cli_worse(CliExit a, CliExit b)
{
    return a > b ? a : b;
}

CliExit cli_report(const SticError* error, SticStatus status, const char* path)
{
    char place[32] = "";
    const char* file = error->file;
    const char* text = error->text[0] != '\0' ? error->text : stic_status_text(status);
    // the error keeps only the end of a long name
    if (path != NULL && (file[0] == '\0' || cli_name_ends(path, file)))
        file = path;
    if (error->line > 0 && error->column > 0)
        snprintf(place, sizeof place, ":%d:%d", (int)error->line, (int)error->column);
    else if (error->line > 0)
        snprintf(place, sizeof place, ":%d", (int)error->line);
    complain(NULL, "%s%s%s%s", file, place, file[0] != '\0' ? ": " : "", text);
    return cli_exit_of(status);
}

bool cli_output_closed(void)
{
    return ferror(stdout) != 0;
}

CliExit cli_flush(void)
{
    if (fflush(stdout) == 0 && !cli_output_closed())
        return CLI_DONE;
    // a pipe whose reader has gone: nobody is left to be told
    struct pollfd output = {.fd = STDOUT_FILENO, .events = POLLOUT};
    if (poll(&output, 1, 0) == 1 && (output.revents & POLLERR) != 0)
        return CLI_DONE;
    cli_message("standard output cannot be written");
    return CLI_INPUT;
}

/* ---- text ---- */

static bool starts_letter(char byte)
{
    return ((unsigned char)byte & 0xc0u) != 0x80u;
}

int32_t cli_text_width(const char* text)
{
    int32_t width = 0;
    for (; *text != '\0'; ++text)
        width += starts_letter(*text);
    return width;
}

void cli_text_fit(const char* text, int32_t width, char* fit, size_t size)
{
    // keep the end of a text that is too long: of a path it tells more than the start
    int32_t drop = cli_text_width(text) - width;
    size_t used = 0;
    if (drop > 0) {
        for (drop += 3; *text != '\0' && (drop > 0 || !starts_letter(*text)); ++text)
            drop -= starts_letter(*text);
        used = (size_t)snprintf(fit, size, "...");
    }
    copy_safe(text, fit + used, size - used);
}

// letters of the first word, and its bytes
static int32_t word_width(const char* text, size_t* bytes)
{
    int32_t width = 0;
    for (*bytes = 0; text[*bytes] != '\0' && text[*bytes] != ' ' && text[*bytes] != '\n'; ++*bytes)
        width += starts_letter(text[*bytes]);
    return width;
}

// columns that text may fill
static int32_t text_columns(FILE* file)
{
    const int32_t width = cli_terminal_width(file, HELP_WIDTH);
    return width < LEAST_WIDTH ? LEAST_WIDTH : width < HELP_WIDTH ? width : HELP_WIDTH;
}

// lines no longer than text_columns; the first one has `at` letters already, the others begin
// with `indent` blanks. Blanks at the start of a line of the text stay.
static void print_from(FILE* file, const char* text, int32_t indent, int32_t at)
{
    const int32_t columns = text_columns(file);
    while (*text != '\0') {
        size_t bytes = 0;
        const size_t blanks = strspn(text, " ");
        const int32_t width = word_width(text + blanks, &bytes);
        // a word that does not fit goes to a new line, without the blanks before it
        if (at > indent && at + (int32_t)blanks + width > columns) {
            fprintf(file, "\n%*s", indent, "");
            at = indent;
        } else {
            fwrite(text, 1, blanks, file);
            at += (int32_t)blanks;
        }
        fwrite(text + blanks, 1, bytes, file);
        at += width;
        text += blanks + bytes;
        if (*text == '\n') {
            fprintf(file, "\n%*s", text[1] != '\n' ? indent : 0, "");
            at = indent;
            ++text;
        }
    }
    fputs("\n", file);
}

void cli_print_wrapped(FILE* file, const char* text, int32_t indent)
{
    fprintf(file, "%*s", indent, "");
    print_from(file, text, indent, indent);
}

static void print_item(FILE* file, CliTone tone, const char* left, const char* text, int32_t column)
{
    const int32_t width = cli_text_width(left);
    fprintf(file, "%s%s%s", tone != CLI_TONE_PLAIN ? cli_tone(file, tone) : "", left,
            tone != CLI_TONE_PLAIN ? cli_tone(file, CLI_TONE_PLAIN) : "");
    if (width + 1 > column)
        fprintf(file, "\n%*s", column, "");
    else
        fprintf(file, "%*s", column - width, "");
    print_from(file, text, column, column);
}

void cli_print_item(FILE* file, const char* left, const char* text, int32_t column)
{
    print_item(file, CLI_TONE_HEADING, left, text, column);
}

void cli_print_heading(FILE* file, const char* text)
{
    fprintf(file, "%s%s%s", cli_tone(file, CLI_TONE_HEADING), text, cli_tone(file, CLI_TONE_PLAIN));
}

void cli_print_fact(CliTone tone, const char* label, const char* format, ...)
{
    char text[MESSAGE], safe[MESSAGE], left[LABEL];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    copy_safe(text, safe, sizeof safe);
    snprintf(left, sizeof left, "  %-11s", label);
    if (cli_terminal_is(stdout))
        print_item(stdout, tone, left, safe, cli_text_width(left) + 1);
    else
        printf("%s %s\n", left, safe);
}

void cli_csv_cell(FILE* file, const char* text)
{
    const bool formula = text[0] != '\0' && strchr("=+-@\t", text[0]) != NULL;
    const bool quoted = strpbrk(text, ",\"\n\r") != NULL;
    if (quoted)
        putc('"', file);
    if (formula)
        putc('\'', file);
    for (; *text != '\0'; ++text) {
        if (*text == '"')
            putc('"', file);
        // one line per row, whatever the names are
        const unsigned char byte = (unsigned char)*text;
        putc(byte < 0x20 || byte == 0x7f ? ' ' : byte, file);
    }
    if (quoted)
        putc('"', file);
}

void cli_number_format(double value, char* text, size_t size)
{
    if (!isfinite(value)) {
        snprintf(text, size, "%s", isnan(value) ? "nan" : value > 0.0 ? "inf" : "-inf");
        return;
    }
    // whole numbers of everyday size are written without an exponent
    for (int digits = fabs(value) < 1e7 ? 7 : 1; digits <= 17; ++digits) {
        snprintf(text, size, "%.*g", digits, value);
        if (strtod(text, NULL) == value)
            return;
    }
}

/* ---- tables ---- */

void cli_table_column(CliTable* table, const char* heading, int32_t width, bool left)
{
    const int32_t least = cli_text_width(heading);
    table->width[table->columns] = width > least ? width : least;
    table->left[table->columns] = left;
    table->columns += 1;
}

void cli_table_row(const CliTable* table, const char* const* cells)
{
    for (int32_t i = 0; i < table->columns && cells[i] != NULL; ++i) {
        const bool last = i + 1 == table->columns || cells[i + 1] == NULL;
        const int32_t blank = table->width[i] - cli_text_width(cells[i]);
        const int32_t before = table->left[i] ? 0 : blank;
        const int32_t after = table->left[i] && !last ? blank : 0;
        printf("%s%*s%s%*s", i > 0 ? "  " : "", before > 0 ? before : 0, "", cells[i],
               after > 0 ? after : 0, "");
    }
    printf("\n");
}
