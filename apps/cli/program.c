// SPDX-License-Identifier: Apache-2.0
// Other programs that commands call on.
#include "program.h"

#include <sys/wait.h>
#include <unistd.h>

bool cli_program_run(const char* const* words)
{
    // execvp does not write to the words; its type is older than const
    const union {
        const char* const* given;
        char* const* taken;
    } all = {words};
    const pid_t child = fork();
    if (child == 0) {
        execvp(words[0], all.taken);
        _exit(127);
    }
    int state = 0;
    return child > 0 && waitpid(child, &state, 0) == child && WIFEXITED(state) &&
           WEXITSTATUS(state) == 0;
}
