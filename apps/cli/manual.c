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

/* ---- completion ---- */

// What may stand for a value or an operand, by the word that the help has for it. What the tables
// of the library hold is asked from the program when a key is pressed, so that scenes of another
// folder are found too.
typedef struct Values {
    const char *value, *words; // words themselves, or NULL
    const char* list;          // words of `stiction list`, or NULL; %s: the command
    bool many;                 // several with commas between
} Values;

static const Values values[] = {
    {"SCENE", NULL, "scenes --names", false},
    {"A.B=V", NULL, "settings --values %s", false},
    {"NAME|all", "all", "solvers --names", false},
    {"SCHEME", "self", "schemes --names", false},
    {"A,B,…", NULL, "schemes --names", true},
    {"LEVEL", "preview standard strict", NULL, false},
    {"NORM", "relative siconos unit-free", NULL, false},
    {"FORMAT", "auto fclib local global lcp rolling", NULL, false},
    {"FORM", "man bash zsh", NULL, false},
    {"WHAT", "load acceleration tilt friction", NULL, false},
    {"WHEN", "off on-failure always", NULL, false},
    {"STEPS", "when-hard", NULL, false},
    {"COMMAND", "run sweep limit compare solve existence enumerate", NULL, false},
    {"KINDS", "impact touch take-off slip stick leap branch impact-branch", NULL, true},
    {"WORDS", "energy ledger residual iterations contacts penetration", NULL, true},
    {"COLUMNS", "time step energy contacts", NULL, true},
    // numbers and names that only the scene knows: nothing to choose from
    {"T", "", NULL, false},
    {"N", "", NULL, false},
    {"K", "", NULL, false},
    {"X", "", NULL, false},
    {"S", "", NULL, false},
    {"E", "", NULL, false},
    {"P", "", NULL, false},
    {"A:B", "", NULL, false},
    {"X,Y,Z", "", NULL, false},
    {"H1,H2,…", "", NULL, false},
    {"K=V", NULL, "parameters --names $scene", false},
    {"K=VALUES", NULL, "parameters --names $scene", false},
    {"BODY", "", NULL, false},
};

// NULL: files
static const Values* find_values(const char* value)
{
    for (size_t i = 0; i < sizeof values / sizeof values[0]; ++i)
        if (strcmp(values[i].value, value) == 0)
            return &values[i];
    return NULL;
}

static void put_commands(FILE* file)
{
    for (int32_t i = 0; cli_commands[i] != NULL; ++i)
        fprintf(file, "%s%s", i > 0 ? " " : "", cli_commands[i]->name);
}

// the words of an operand: those of its command, the names of commands, or those of its values
static void put_operand(FILE* file, const CliCommand* command, const Values* known)
{
    if (command->words != NULL)
        fputs(command->words, file);
    else if (strcmp(command->operands, "[COMMAND]") == 0)
        put_commands(file);
    else if (known != NULL && known->words != NULL)
        fputs(known->words, file);
}

// the files that an operand may be, as a pattern; NULL: all
static const char* find_pattern(const CliCommand* command)
{
    if (strcmp(command->operands, "SCENE") == 0)
        return "*.lua";
    return strncmp(command->operands, "FILE.h5", strlen("FILE.h5")) == 0 ? "*.h*5" : NULL;
}

/* ---- bash ---- */

// the arguments of the function _stiction_from: words, words of the list, what is between several
static void put_values(FILE* file, const Values* known, const char* command, char quote)
{
    const char *list = known->list == NULL ? "" : known->list, *hole = strstr(list, "%s");
    fprintf(file, "_stiction_from %c%s%c %c%.*s%s%c %c%s%c", quote,
            known->words == NULL ? "" : known->words, quote, quote,
            hole == NULL ? (int)strlen(list) : (int)(hole - list), list,
            hole == NULL ? "" : command, quote, quote, known->many ? "," : "", quote);
}

static void put_bash_command(FILE* file, const CliCommand* command)
{
    const Values* operand = find_values(command->operands);
    fprintf(file, "    %s)\n        case $option in\n", command->name);
    for (const CliOption* o = command->options; o->name != NULL; ++o) {
        if (o->value == NULL)
            continue;
        const Values* known = find_values(o->value);
        fprintf(file, "        --%s", o->name);
        if (o->letter != 0)
            fprintf(file, " | -%c", o->letter);
        fputs(") ", file);
        if (known != NULL)
            put_values(file, known, command->name, '"');
        else
            fputs("COMPREPLY=($(compgen -f -- \"$word\"))", file);
        fputs("; return ;;\n", file);
    }
    fputs("        esac\n        options='", file);
    for (const CliOption* o = command->options; o->name != NULL; ++o)
        fprintf(file, "--%s ", o->name);
    fputs("--help' operands='", file);
    put_operand(file, command, operand);
    const char* pattern = find_pattern(command);
    fprintf(file, "' list='%s' files='%s' ;;\n",
            operand != NULL && operand->list != NULL && command->words == NULL ? operand->list : "",
            pattern == NULL ? "" : pattern);
}

void cli_manual_bash(FILE* file)
{
    fputs(
        "# completion of stiction for bash, made by 'stiction help --form bash'\n"
        "# the words $1 and those of the list $2, for the last part of $word; $3 is between them\n"
        "_stiction_from()\n{\n"
        "    local head='' tail=$word\n"
        "    if [ -n \"$3\" ] && [[ $word == *,* ]]; then head=${word%,*},; tail=${word##*,}; fi\n"
        "    COMPREPLY=($(compgen -P \"$head\" -W \"$1 $([ -z \"$2\" ] || "
        "\"${COMP_WORDS[0]}\" list $2 2>/dev/null)\" -- \"$tail\"))\n"
        "    # names are no files; more may follow a comma or '='\n"
        "    compopt +o filenames 2>/dev/null\n"
        "    if [ -n \"$3\" ] || [[ ${COMPREPLY[0]} == *= ]]; then compopt -o nospace 2>/dev/null; "
        "fi\n"
        "    # bash keeps what stands before the last '=' where that divides words\n"
        "    if [[ $word == *=* && $COMP_WORDBREAKS == *=* ]]; then\n"
        "        COMPREPLY=(\"${COMPREPLY[@]#\"${word%=*}=\"}\")\n    fi\n}\n"
        "_stiction()\n{\n"
        "    local at=$COMP_CWORD word=${COMP_WORDS[COMP_CWORD]} command=${COMP_WORDS[1]}\n"
        "    local option options operands list files scene=${COMP_WORDS[2]}\n"
        "    # --option=value and A.B=value arrive in three words\n"
        "    while [ \"$at\" -gt 2 ] && { [ \"${COMP_WORDS[at]}\" = = ] || "
        "[ \"${COMP_WORDS[at-1]}\" = = ]; }; do\n"
        "        at=$((at - 1))\n        word=${COMP_WORDS[at]}$word\n    done\n"
        "    option=${COMP_WORDS[at-1]}\n"
        "    if [[ $word == --*=* ]]; then option=${word%%=*}; word=${word#*=}; fi\n"
        "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n        COMPREPLY=($(compgen -W '",
        file);
    put_commands(file);
    fputs("' -- \"$word\"))\n        return\n    fi\n    case $command in\n", file);
    for (int32_t i = 0; cli_commands[i] != NULL; ++i)
        put_bash_command(file, cli_commands[i]);
    fputs("    esac\n"
          "    if [[ $word == -* ]]; then\n"
          "        COMPREPLY=($(compgen -W \"$options\" -- \"$word\"))\n        return\n    fi\n"
          "    [ -z \"$operands$list\" ] || _stiction_from \"$operands\" \"$list\" ''\n"
          "    if [ -z \"$operands\" ]; then\n"
          "        compopt -o filenames 2>/dev/null\n"
          "        if [ -z \"$files\" ]; then COMPREPLY+=($(compgen -f -- \"$word\"))\n"
          "        else COMPREPLY+=($(compgen -d -- \"$word\") "
          "$(compgen -f -X \"!$files\" -- \"$word\"))\n        fi\n    fi\n"
          "}\ncomplete -o filenames -F _stiction stiction\n",
          file);
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

// the action of _arguments for a value or an operand
static void put_zsh_action(FILE* file, const char* command, const char* words, const Values* known)
{
    if (known == NULL && words == NULL) {
        fputs("_files", file);
        return;
    }
    if (known == NULL) {
        fprintf(file, "(%s)", words);
        return;
    }
    fputc('{', file);
    put_values(file, known, command, '"');
    fputc('}', file);
}

static void put_zsh_command(FILE* file, const CliCommand* command)
{
    fprintf(file, "    %s) _arguments", command->name);
    for (const CliOption* o = command->options; o->name != NULL; ++o) {
        fprintf(file, " \\\n        '--%s%s[", o->name, o->value != NULL ? "=" : "");
        put_zsh(file, o->text);
        fputs("]", file);
        if (o->value != NULL) {
            fputc(':', file);
            put_zsh(file, o->value);
            fputc(':', file);
            put_zsh_action(file, command->name, NULL, find_values(o->value));
        }
        fputc('\'', file);
    }
    fputs(" \\\n        '*:", file);
    put_zsh(file, command->operands[0] == '\0' ? "nothing" : command->operands);
    fputc(':', file);
    if (strcmp(command->operands, "[COMMAND]") == 0)
        fputs("{_describe command commands}", file);
    else if (strcmp(command->operands, "SCENE") == 0)
        fputs("{_stiction_from \"\" \"scenes --names\" \"\"; _files -g \"*.lua\"}", file);
    else if (find_pattern(command) != NULL)
        fprintf(file, "_files -g \"%s\"", find_pattern(command));
    else if (command->operands[0] != '\0')
        put_zsh_action(file, command->name, command->words,
                       command->words != NULL ? NULL : find_values(command->operands));
    fputs("' ;;\n", file);
}

void cli_manual_zsh(FILE* file)
{
    fputs("#compdef stiction\n# completion of stiction for zsh, made by 'stiction help --form "
          "zsh'\n"
          "# the words $1 and those of the list $2; $3 is between them\n"
          "_stiction_from() {\n"
          "    local -aU found=(${=1}) open\n"
          "    [[ -z $2 ]] || found+=(${(f)\"$(_call_program names $words[1] list ${=2} "
          "2>/dev/null)\"})\n"
          "    open=(${(M)found:#*=}) found=(${found:#*=})\n"
          "    [[ -z $3 ]] || compset -P '*,'\n"
          "    compadd -S '' -a open\n"
          "    compadd -S \"${3:- }\" -a found\n}\n"
          "local -a commands=(\n",
          file);
    for (int32_t i = 0; cli_commands[i] != NULL; ++i) {
        fprintf(file, "    '%s:", cli_commands[i]->name);
        put_zsh(file, cli_commands[i]->text);
        fputs("'\n", file);
    }
    fputs(")\nlocal scene=$words[3]\nif (( CURRENT == 2 )); then\n    _describe command commands\n "
          "   return\nfi\n"
          "case $words[2] in\n",
          file);
    for (int32_t i = 0; cli_commands[i] != NULL; ++i)
        put_zsh_command(file, cli_commands[i]);
    fputs("esac\n", file);
}
