// SPDX-License-Identifier: Apache-2.0
// Terminals: width and colours.
#include "terminal.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

bool cli_terminal_is(FILE* file)
{
    const char* kind = getenv("TERM");
    return isatty(fileno(file)) != 0 && kind != NULL && kind[0] != '\0' &&
           strcmp(kind, "dumb") != 0;
}

int32_t cli_terminal_width(FILE* file, int32_t otherwise)
{
    struct winsize size = {0};
    if (isatty(fileno(file)) == 0 || ioctl(fileno(file), TIOCGWINSZ, &size) != 0)
        return otherwise;
    return size.ws_col > 0 ? (int32_t)size.ws_col : otherwise;
}

const char* cli_tone(FILE* file, CliTone tone)
{
    // from the sixteen colours that every theme, dark or light, sets so that they can be read
    static const char* const sequence[] = {"\033[0m",  "\033[1m",    "\033[32m",
                                           "\033[33m", "\033[1;31m", "\033[2m"};
    const char* off = getenv("NO_COLOR");
    return cli_terminal_is(file) && (off == NULL || off[0] == '\0') ? sequence[tone] : "";
}
