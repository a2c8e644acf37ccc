// SPDX-License-Identifier: Apache-2.0
// Fuzz target: FCLIB files whose data sets have any type, length and contents.
//
// The input describes changes to a small valid file, so that the fuzzer explores our reader and not
// HDF5's own format: first byte the kind of problem, then records of one data set each: name, kind
// (absent, whole numbers, reals, text, group), length, contents.
#include "fuzz/fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "file/hdf5.h"
#include "stiction/extend/problem.h"

#ifdef STIC_HAVE_HDF5

enum { LOCAL, GLOBAL, ROLLING, KINDS };
enum { LEAVE_OUT, WHOLE, REAL, TEXT, GROUP, SHAPES };
enum { LONGEST = 40 };

// a data set: %s is the problem's group
typedef struct Set {
    const char* name;
    int kinds;       // mask of the problems that have it by default
    int shape;       // default
    size_t count;    // default
    double value[6]; // default
} Set;

// two contacts in the plane (rolling: one in space) on two velocities each
static const Set sets[] = {
    {"%s", 7, GROUP, 0, {0}},
    {"%s/spacedim", 3, WHOLE, 1, {2}},
    {"%s/W", 1, GROUP, 0, {0}},
    {"%s/W/m", 1, WHOLE, 1, {4}},
    {"%s/W/n", 1, WHOLE, 1, {4}},
    {"%s/W/nz", 1, WHOLE, 1, {4}},
    {"%s/W/p", 1, WHOLE, 4, {0, 1, 2, 3}},
    {"%s/W/i", 1, WHOLE, 4, {0, 1, 2, 3}},
    {"%s/W/x", 1, REAL, 4, {1, 2, 3, 4}},
    {"%s/V", 0, GROUP, 0, {0}},
    {"%s/V/m", 0, WHOLE, 1, {4}},
    {"%s/V/n", 0, WHOLE, 1, {1}},
    {"%s/V/nz", 0, WHOLE, 1, {1}},
    {"%s/V/p", 0, WHOLE, 1, {0}},
    {"%s/V/i", 0, WHOLE, 1, {1}},
    {"%s/V/x", 0, REAL, 1, {1}},
    {"%s/R", 0, GROUP, 0, {0}},
    {"%s/R/m", 0, WHOLE, 1, {1}},
    {"%s/R/n", 0, WHOLE, 1, {1}},
    {"%s/R/nz", 0, WHOLE, 1, {1}},
    {"%s/R/p", 0, WHOLE, 1, {0}},
    {"%s/R/i", 0, WHOLE, 1, {0}},
    {"%s/R/x", 0, REAL, 1, {1}},
    {"%s/M", 6, GROUP, 0, {0}},
    {"%s/M/m", 6, WHOLE, 1, {4}},
    {"%s/M/n", 6, WHOLE, 1, {4}},
    {"%s/M/nz", 6, WHOLE, 1, {4}},
    {"%s/M/p", 6, WHOLE, 4, {0, 1, 2, 3}},
    {"%s/M/i", 6, WHOLE, 4, {0, 1, 2, 3}},
    {"%s/M/x", 6, REAL, 4, {1, 2, 3, 4}},
    {"%s/H", 6, GROUP, 0, {0}},
    {"%s/H/m", 6, WHOLE, 1, {4}},
    {"%s/H/n", 2, WHOLE, 1, {4}},
    {"%s/H/nz", 6, WHOLE, 1, {4}},
    {"%s/H/p", 6, WHOLE, 4, {0, 1, 2, 3}},
    {"%s/H/i", 6, WHOLE, 4, {0, 1, 2, 3}},
    {"%s/H/x", 6, REAL, 4, {1, 2, 3, 4}},
    {"%s/G", 0, GROUP, 0, {0}},
    {"%s/G/m", 0, WHOLE, 1, {4}},
    {"%s/G/n", 0, WHOLE, 1, {1}},
    {"%s/G/nz", 0, WHOLE, 1, {1}},
    {"%s/G/p", 0, WHOLE, 1, {0}},
    {"%s/G/i", 0, WHOLE, 1, {1}},
    {"%s/G/x", 0, REAL, 1, {1}},
    {"%s/vectors", 7, GROUP, 0, {0}},
    {"%s/vectors/q", 1, REAL, 4, {-1, 1, -1, 1}},
    {"%s/vectors/s", 0, REAL, 1, {1}},
    {"%s/vectors/f", 6, REAL, 4, {-1, 1, -1, 1}},
    {"%s/vectors/w", 2, REAL, 4, {-1, 1, -1, 1}},
    {"%s/vectors/b", 0, REAL, 1, {1}},
    {"%s/vectors/mu", 3, REAL, 2, {0.5, 0.5}},
    {"%s/info", 7, GROUP, 0, {0}},
    {"%s/info/title", 7, TEXT, 0, {0}},
    {"%s/info/description", 0, TEXT, 0, {0}},
    {"/solution", 7, GROUP, 0, {0}},
    {"/solution/u", 3, REAL, 4, {0}},
    {"/solution/r", 3, REAL, 4, {0}},
    {"/solution/v", 6, REAL, 4, {0}},
    {"/solution/l", 0, REAL, 1, {0}},
    {"/guesses", 7, GROUP, 0, {0}},
    {"/guesses/number_of_guesses", 7, WHOLE, 1, {1}},
    {"/guesses/1", 7, GROUP, 0, {0}},
    {"/guesses/1/r", 3, REAL, 4, {0}},
    {"/guesses/2", 0, GROUP, 0, {0}},
    // 5 rows of the rolling contact
    {"%s/spacedim", 4, WHOLE, 1, {5}},
    {"%s/H/n", 4, WHOLE, 1, {5}},
    {"%s/vectors/w", 4, REAL, 5, {-1, 1, -1, 1, 0}},
    {"%s/vectors/mu", 4, REAL, 1, {0.5}},
    {"%s/vectors/mu_r", 4, REAL, 1, {0.1}},
};
enum { SETS = sizeof sets / sizeof sets[0] };

// contents of a data set as they will be written
typedef struct Plan {
    int shape;
    size_t count;
    int32_t whole[LONGEST];
    double real[LONGEST];
} Plan;

typedef struct Input {
    const uint8_t* data;
    size_t left;
} Input;

static uint8_t next_byte(Input* input)
{
    if (input->left == 0)
        return 0;
    input->left -= 1;
    return *input->data++;
}

static void next_bytes(Input* input, void* to, size_t size)
{
    const size_t part = size < input->left ? size : input->left;
    memset(to, 0, size);
    memcpy(to, input->data, part);
    input->data += part;
    input->left -= part;
}

static void fill_defaults(int kind, Plan* plans)
{
    for (size_t i = 0; i < SETS; ++i) {
        plans[i].shape = (sets[i].kinds >> kind & 1) != 0 ? sets[i].shape : LEAVE_OUT;
        plans[i].count = sets[i].count;
        for (size_t k = 0; k < sets[i].count; ++k) {
            plans[i].real[k] = sets[i].value[k];
            plans[i].whole[k] = (int32_t)sets[i].value[k];
        }
    }
}

// small numbers are one byte each (multiples of a quarter for reals), others are raw
static void change_one(Input* input, Plan* plans)
{
    Plan* plan = &plans[next_byte(input) % SETS];
    const uint8_t how = next_byte(input);
    plan->shape = how % SHAPES;
    plan->count = next_byte(input) % (LONGEST + 1);
    for (size_t k = 0; k < plan->count; ++k) {
        const int8_t small = (int8_t)next_byte(input);
        plan->whole[k] = small;
        plan->real[k] = 0.25 * small;
        if (how & 0x80) {
            next_bytes(input, &plan->whole[k], sizeof plan->whole[k]);
            next_bytes(input, &plan->real[k], sizeof plan->real[k]);
        }
    }
}

static void write_set(const SticHdf5* file, const char* name, const Plan* plan)
{
    SticStatus status = STIC_OK;
    switch (plan->shape) {
    case WHOLE:
        status = stic_hdf5_write_integers(file, name, plan->count, plan->whole);
        break;
    case REAL:
        status = stic_hdf5_write_reals(file, name, plan->count, plan->real);
        break;
    case TEXT:
        status = stic_hdf5_write_text(file, name, "text");
        break;
    case GROUP:
        status = stic_hdf5_make_group(file, name);
        break;
    default:
        break;
    }
    // a data set inside a data set cannot be made; the reader sees it missing
    (void)status;
}

static SticStatus write_file(const char* path, int kind, const Plan* plans)
{
    static const char* const roots[KINDS] = {"/fclib_local", "/fclib_global",
                                             "/fclib_global_rolling"};
    SticHdf5 file;
    STIC_TRY(stic_hdf5_create(path, NULL, &file));
    for (size_t i = 0; i < SETS; ++i) {
        char name[128];
        if (strncmp(sets[i].name, "%s", 2) == 0)
            snprintf(name, sizeof name, "%s%s", roots[kind], sets[i].name + 2);
        else
            snprintf(name, sizeof name, "%s", sets[i].name);
        write_set(&file, name, &plans[i]);
    }
    return stic_hdf5_close(&file);
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    const SticContext context = stic_context_default();
    Input input = {data, size};
    static Plan plans[SETS];
    const int kind = next_byte(&input) % KINDS;
    fill_defaults(kind, plans);
    while (input.left > 0)
        change_one(&input, plans);
    char path[64];
    stic_fuzz_path(path, sizeof path, "fclib");
    if (write_file(path, kind, plans) == STIC_OK) {
        SticProblemStore* store = NULL;
        SticError error = {0};
        const SticStatus status =
            stic_problem_read(&context, path, STIC_FORMAT_FCLIB, &store, &error);
        if ((status == STIC_OK) != (store != NULL) || status != error.status)
            abort();
        if (store != NULL && stic_problem_check(stic_problem_view(store), NULL) != STIC_OK)
            abort();
        // what was read can be written and read again
        if (store != NULL &&
            stic_problem_write(&context, stic_problem_view(store), stic_problem_metadata(store),
                               path, &error) != STIC_OK)
            abort();
        SticProblemStore* again = NULL;
        if (store != NULL &&
            stic_problem_read(&context, path, STIC_FORMAT_FCLIB, &again, &error) != STIC_OK)
            abort();
        stic_problem_destroy(again);
        stic_problem_destroy(store);
    }
    unlink(path);
    return 0;
}

#else

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    (void)data;
    (void)size;
    return 0;
}

#endif
