// SPDX-License-Identifier: Apache-2.0
// Fuzz target: any bytes as a Siconos ASCII problem, in every form.
#include "fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "problem/store.h"

// what was read must pass the check and can be copied
static void use_problem(const SticContext* context, const SticProblem* problem)
{
    SticProblemStore* copy = NULL;
    if (stic_problem_check(problem, NULL) != STIC_OK ||
        stic_problem_copy(context, problem, &copy) != STIC_OK)
        abort();
    stic_problem_destroy(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    static const SticFormat formats[] = {STIC_FORMAT_AUTO, STIC_FORMAT_LOCAL, STIC_FORMAT_GLOBAL,
                                         STIC_FORMAT_LCP, STIC_FORMAT_ROLLING};
    const SticContext context = stic_context_default();
    char* text = malloc(size + 1);
    if (text == NULL)
        return 0;
    memcpy(text, data, size);
    text[size] = '\0';
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; ++i) {
        const SticAscii ascii = {.text = text, .size = size, .file = "f", .format = formats[i]};
        SticProblemStore* store = NULL;
        SticError error = {0};
        const SticStatus status = stic_ascii_parse(&context, &ascii, &store, &error);
        // a failure says why, a success leaves no error behind
        if ((status == STIC_OK) != (store != NULL) ||
            (status != STIC_OUT_OF_MEMORY && status != error.status))
            abort();
        if (store != NULL)
            use_problem(&context, stic_problem_view(store));
        stic_problem_destroy(store);
    }
    free(text);
    return 0;
}
