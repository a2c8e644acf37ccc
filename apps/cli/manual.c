// SPDX-License-Identifier: Apache-2.0
// The manual page and the completions of shells, made from the tables of commands.
#include "manual.h"

#include <ctype.h>
#include <string.h>

#include "commands.h"

/* ---- manual page ---- */

// text, with everything escaped that roff would take for its own
static void put_roff(FILE* file, const char* text)
{
    bool start = true;
    for (const char* at = text; *at != '\0'; ++at) {
        if (start && (*at == '.' || *at == '\''))
            fputs("\\&", file);
        if (*at == '\\')
            fputs("\\e", file);
        else if (*at == '-')
            fputs("\\-", file);
        else if (*at == '\n')
            fputs("\n.PP\n", file);
        else
            fputc(*at, file);
        start = *at == '\n';
    }
}

static void put_option(FILE* file, const CliOption* option)
{
    fputs(".TP\n.B ", file);
    if (option->letter != 0)
        fprintf(file, "\\-%c, ", option->letter);
    fputs("\\-\\-", file);
    put_roff(file, option->name);
    if (option->value != NULL) {
        fputs(" \\fI", file);
        put_roff(file, option->value);
        fputs("\\fR", file);
    }
    fputc('\n', file);
    put_roff(file, option->text);
    fputc('\n', file);
}

static void put_command(FILE* file, const CliCommand* command)
{
    fputs(".SS \"stiction ", file);
    put_roff(file, command->name);
    fputs(" [options] ", file);
    put_roff(file, command->operands);
    fputs("\"\n", file);
    put_roff(file, command->text);
    fputc('\n', file);
    if (command->details != NULL) {
        fputs(".PP\n", file);
        put_roff(file, command->details);
        fputc('\n', file);
    }
    for (const CliOption* option = command->options; option->name != NULL; ++option)
        put_option(file, option);
}

void cli_manual_roff(FILE* file)
{
    fprintf(file, ".TH STICTION 1 \"\" \"stiction %s\" \"User Commands\"\n", stic_version());
    fputs(".SH NAME\nstiction \\- contact, friction and impact as set\\-valued laws\n"
          ".SH SYNOPSIS\n.B stiction\n.I COMMAND\n[options] ...\n"
          ".SH DESCRIPTION\nSimulates bodies that touch, stick, slip and hit each other, and "
          "solves the "
          "problems that arise to a stated residual. Scenes are Lua scripts; results are HDF5 "
          "files.\n"
          ".SH COMMANDS\n",
          file);
    for (int32_t i = 0; cli_commands[i] != NULL; ++i)
        put_command(file, cli_commands[i]);
    fputs(".SH EXIT STATUS\n.nf\n", file);
    cli_exit_help(file);
    fputs(".fi\n.SH ENVIRONMENT\n"
          ".TP\n.B STICTION_SCENES\nfolder of the scenes that are listed and found by name\n"
          ".TP\n.B NO_COLOR\nif set and not empty: no colours\n"
          ".TP\n.B TERM\nif unset or dumb: neither colours nor a progress bar\n",
          file);
}

/* ---- bash ---- */

static void put_words(FILE* file, const CliCommand* command)
{
    for (const CliOption* option = command->options; option->name != NULL; ++option)
        fprintf(file, "--%s ", option->name);
    fputs("--help", file);
}

void cli_manual_bash(FILE* file)
{
    fputs("# completion of stiction for bash, made by 'stiction help --form bash'\n"
          "_stiction()\n{\n"
          "    local word=${COMP_WORDS[COMP_CWORD]} command=${COMP_WORDS[1]}\n"
          "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n        COMPREPLY=($(compgen -W '",
          file);
    for (int32_t i = 0; cli_commands[i] != NULL; ++i)
        fprintf(file, "%s%s", i > 0 ? " " : "", cli_commands[i]->name);
    fputs("' -- \"$word\"))\n        return\n    fi\n"
          "    if [[ $word != -* ]]; then\n        case $command in\n",
          file);
    for (int32_t i = 0; cli_commands[i] != NULL; ++i)
        if (cli_commands[i]->words != NULL)
            fprintf(file, "            %s) COMPREPLY=($(compgen -W '%s' -- \"$word\")) ;;\n",
                    cli_commands[i]->name, cli_commands[i]->words);
    fputs("            *) COMPREPLY=($(compgen -f -- \"$word\")) ;;\n"
          "        esac\n        return\n    fi\n"
          "    case $command in\n",
          file);
    for (int32_t i = 0; cli_commands[i] != NULL; ++i) {
        fprintf(file, "        %s) COMPREPLY=($(compgen -W '", cli_commands[i]->name);
        put_words(file, cli_commands[i]);
        fputs("' -- \"$word\")) ;;\n", file);
    }
    fputs("    esac\n}\ncomplete -o filenames -F _stiction stiction\n", file);
}

/* ---- zsh ---- */

// inside single quotes and the brackets of _arguments
static void put_zsh(FILE* file, const char* text)
{
    for (; *text != '\0'; ++text) {
        if (*text == '\'')
            fputs("'\\''", file);
        else if (strchr("[]:\\", *text) != NULL)
            fprintf(file, "\\%c", *text);
        else
            fputc(isspace((unsigned char)*text) ? ' ' : *text, file);
    }
}

void cli_manual_zsh(FILE* file)
{
    fputs(
        "#compdef stiction\n# completion of stiction for zsh, made by 'stiction help --form zsh'\n"
        "local -a commands=(\n",
        file);
    for (int32_t i = 0; cli_commands[i] != NULL; ++i) {
        fprintf(file, "    '%s:", cli_commands[i]->name);
        put_zsh(file, cli_commands[i]->text);
        fputs("'\n", file);
    }
    fputs(")\nif (( CURRENT == 2 )); then\n    _describe command commands\n    return\nfi\n"
          "case $words[2] in\n",
          file);
    for (int32_t i = 0; cli_commands[i] != NULL; ++i) {
        fprintf(file, "    %s) _arguments", cli_commands[i]->name);
        for (const CliOption* o = cli_commands[i]->options; o->name != NULL; ++o) {
            fprintf(file, " \\\n        '--%s%s[", o->name, o->value != NULL ? "=" : "");
            put_zsh(file, o->text);
            fputs("]", file);
            if (o->value != NULL) {
                fputc(':', file);
                put_zsh(file, o->value);
                fputs(":_files", file);
            }
            fputc('\'', file);
        }
        if (cli_commands[i]->words != NULL)
            fprintf(file, " '*:what:(%s)' ;;\n", cli_commands[i]->words);
        else
            fputs(" '*:file:_files' ;;\n", file);
    }
    fputs("esac\n", file);
}
