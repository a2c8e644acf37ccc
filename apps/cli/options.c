// SPDX-License-Identifier: Apache-2.0
// The parser of command lines and the help pages made from the tables of commands.
#include "options.h"

#include <string.h>

#include "print.h"

enum { MOST_OPTIONS = 64, HELP_COLUMN = 28 };

static const CliOption help_option = {"help", 'h', NULL, "print this page"};

/* ---- finding options ---- */

// `name` need not end with 0
static const CliOption* find_long(const CliCommand* command, const char* name, size_t length)
{
    for (const CliOption* option = command->options; option->name != NULL; ++option)
        if (strlen(option->name) == length && memcmp(option->name, name, length) == 0)
            return option;
    if (length == strlen(help_option.name) && memcmp(help_option.name, name, length) == 0)
        return &help_option;
    return NULL;
}

static const CliOption* find_short(const CliCommand* command, char letter)
{
    for (const CliOption* option = command->options; option->name != NULL; ++option)
        if (option->letter != 0 && option->letter == letter)
            return option;
    return letter == help_option.letter ? &help_option : NULL;
}

static CliExit unknown_option(const CliCommand* command, const char* word)
{
    char name[MOST_OPTIONS];
    const char* names[MOST_OPTIONS + 2] = {NULL};
    int32_t count = 0;
    for (const CliOption* option = command->options; option->name != NULL && count < MOST_OPTIONS;
         ++option)
        names[count++] = option->name;
    names[count] = help_option.name;
    // without dashes and value
    const char* start = word + strspn(word, "-");
    snprintf(name, sizeof name, "%.*s", (int)strcspn(start, "="), start);
    const char* near = stic_suggest(name, names);
    if (near != NULL)
        return cli_usage_error(command->name, "there is no option '%s'; did you mean '--%s'?", word,
                               near);
    return cli_usage_error(command->name, "there is no option '%s'", word);
}

/* ---- parsing ---- */

// the words that are left
typedef struct Words {
    int32_t next, count;
    char* const* word;
} Words;

// `attached` is the value that came with the option's own word, NULL if none did
static CliExit take_option(CliCall* call, const CliOption* option, const char* attached,
                           Words* words)
{
    const char* value = attached;
    if (option->value == NULL && attached != NULL)
        return cli_usage_error(call->command->name, "--%s takes no value", option->name);
    if (option->value != NULL && value == NULL) {
        if (words->next == words->count)
            return cli_usage_error(call->command->name, "--%s needs a value: %s", option->name,
                                   option->value);
        value = words->word[words->next++];
    }
    if (option == &help_option)
        call->help = true;
    else
        call->given[call->given_count++] =
            (CliGiven){.option = option, .value = value != NULL ? value : ""};
    return CLI_DONE;
}

static CliExit take_long(CliCall* call, const char* word, Words* words)
{
    const char* name = word + 2;
    const size_t length = strcspn(name, "=");
    const CliOption* option = find_long(call->command, name, length);
    if (option == NULL)
        return unknown_option(call->command, word);
    return take_option(call, option, name[length] == '=' ? name + length + 1 : NULL, words);
}

// -o OUT, -oOUT, -h
static CliExit take_short(CliCall* call, const char* word, Words* words)
{
    const CliOption* option = find_short(call->command, word[1]);
    if (option == NULL || (option->value == NULL && word[2] != '\0'))
        return unknown_option(call->command, word);
    return take_option(call, option, word[2] != '\0' ? word + 2 : NULL, words);
}

static CliExit take_words(CliCall* call, Words* words)
{
    bool options_end = false;
    while (words->next < words->count && !call->help) {
        const char* word = words->word[words->next++];
        CliExit result = CLI_DONE;
        if (options_end || word[0] != '-' || word[1] == '\0')
            call->operand[call->operand_count++] = word;
        else if (strcmp(word, "--") == 0)
            options_end = true;
        else
            result = word[1] == '-' ? take_long(call, word, words) : take_short(call, word, words);
        if (result != CLI_DONE)
            return result;
    }
    return CLI_DONE;
}

static CliExit check_operands(const CliCall* call)
{
    const CliCommand* command = call->command;
    if (call->operand_count < command->least) {
        const int first = (int)strcspn(command->operands, " ");
        const char* rest = command->operands + first;
        return rest[0] == '\0' ? cli_usage_error(command->name, "%s is missing", command->operands)
                               : cli_usage_error(command->name, "%.*s and%s are needed", first,
                                                 command->operands, rest);
    }
    if (call->operand_count > command->most)
        return cli_usage_error(command->name, "'%s' is one word too many",
                               call->operand[command->most]);
    return CLI_DONE;
}

CliExit cli_call_parse(const SticContext* context, const CliCommand* command, int32_t count,
                       char* const* words, CliCall* call)
{
    *call = (CliCall){.command = command, .context = context, .room = count + 1};
    if (STIC_ALLOCATE(context, &call->operand, call->room) != STIC_OK ||
        STIC_ALLOCATE(context, &call->given, call->room) != STIC_OK)
        return cli_out_of_memory();
    Words left = {.count = count, .word = words};
    const CliExit result = take_words(call, &left);
    return result != CLI_DONE || call->help ? result : check_operands(call);
}

void cli_call_clear(CliCall* call)
{
    STIC_RELEASE(call->context, call->operand, call->room);
    STIC_RELEASE(call->context, call->given, call->room);
    *call = (CliCall){0};
}

const char* cli_call_option(const CliCall* call, const char* name)
{
    const char* value = NULL;
    for (int32_t i = 0; i < call->given_count; ++i)
        if (strcmp(call->given[i].option->name, name) == 0)
            value = call->given[i].value;
    return value;
}

/* ---- help ---- */

static void print_option(FILE* file, const CliOption* option)
{
    char left[MOST_OPTIONS];
    const char letter[5] = {'-', option->letter, ',', ' ', '\0'};
    snprintf(left, sizeof left, "  %s--%s%s%s", option->letter != 0 ? letter : "    ", option->name,
             option->value != NULL ? " " : "", option->value != NULL ? option->value : "");
    cli_print_item(file, left, option->text, HELP_COLUMN);
}

void cli_exit_help(FILE* file)
{
    cli_print_heading(file, "exit codes:\n");
    cli_print_item(file, "  0", "done; every problem was solved", 5);
    cli_print_item(file, "  1", "something was not solved; the output says what", 5);
    cli_print_item(file, "  2", "the command line is wrong", 5);
    cli_print_item(file, "  3", "a file is bad, or reading or writing failed", 5);
    cli_print_item(file, "  4", "out of memory, or a failure inside the program", 5);
}

void cli_command_help(FILE* file, const CliCommand* command)
{
    cli_print_heading(file, "usage:");
    fprintf(file, " stiction %s%s%s%s\n\n", command->name,
            command->options->name != NULL ? " [options]" : "",
            command->operands[0] != '\0' ? " " : "", command->operands);
    cli_print_wrapped(file, command->text, 0);
    if (command->details != NULL) {
        fputs("\n", file);
        cli_print_wrapped(file, command->details, 0);
    }
    cli_print_heading(file, "\noptions:\n");
    for (const CliOption* option = command->options; option->name != NULL; ++option)
        print_option(file, option);
    print_option(file, &help_option);
    fputs("\n", file);
    cli_exit_help(file);
}
