// SPDX-License-Identifier: Apache-2.0
// Other programs that commands call on.
#include "program.h"

#include <stdint.h>
#include <sys/wait.h>
#include <unistd.h>

bool cli_program_run(const char* const* words)
{
    const pid_t child = fork();
    if (child == 0) {
        // execvp does not write to the words; its type is older than const
        execvp(words[0], (char* const*)(uintptr_t)words);
        _exit(127);
    }
    int state = 0;
    return child > 0 && waitpid(child, &state, 0) == child && WIFEXITED(state) &&
           WEXITSTATUS(state) == 0;
}
