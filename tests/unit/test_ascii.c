// SPDX-License-Identifier: Apache-2.0
// Siconos ASCII problems: round trips, detection of the form, broken files with their places.
#include "helpers/problem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "problem/store.h"

static char path[TEST_PATH_SIZE];

static SticStatus parse(const char* text, SticFormat format, SticProblemStore** store,
                        SticError* error)
{
    const SticContext context = stic_context_default();
    const SticAscii ascii = {.text = text, .size = strlen(text), .file = "t.dat", .format = format};
    *error = (SticError){0};
    return stic_ascii_parse(&context, &ascii, store, error);
}

static void round_trip_is_exact(void** state)
{
    (void)state;
    static const TestProblemDef defs[] = {
        {STIC_LAW_CONE, 7, 3, 0, 0, false},    {STIC_LAW_CONE, 5, 2, 0, 0, false},
        {STIC_LAW_CONE, 9, 3, 0, 5, false},    {STIC_LAW_CONE, 4, 2, 0, 3, false},
        {STIC_LAW_ROLLING, 6, 5, 0, 4, false}, {STIC_LAW_ROLLING, 6, 5, 0, 0, false},
        {STIC_LAW_ROLLING, 4, 3, 0, 0, false}, {STIC_LAW_NONNEG, 9, 1, 0, 0, false},
        {STIC_LAW_CONE, 0, 3, 0, 0, false},    {STIC_LAW_CONE, 0, 3, 0, 2, false},
    };
    TestMemory memory;
    const SticContext context = test_memory_context(&memory);
    SticArena* arena = NULL;
    SticRandom random = stic_random_create(7);
    const SticMetadata metadata = {.title = "lost",
                                   .description = "kept, with 3 numbers\nand lines"};
    assert_int_equal(stic_arena_create(&context, 0, &arena), STIC_OK);
    for (size_t i = 0; i < sizeof defs / sizeof defs[0]; ++i) {
        const SticProblem problem = test_problem_random(arena, &random, &defs[i]);
        SticError error = {0};
        if (stic_problem_write(&context, &problem, &metadata, path, &error) != STIC_OK)
            fail_msg("%s", error.text);
        SticProblemStore* store = test_problem_read(&context, path);
        test_problem_compare(&problem, stic_problem_view(store), 0.0);
        assert_string_equal(stic_problem_metadata(store)->description, metadata.description);
        stic_problem_destroy(store);
    }
    stic_arena_destroy(arena);
    test_memory_check(&memory);
}

static void bilateral_rows_are_refused(void** state)
{
    (void)state;
    const SticContext context = stic_context_default();
    SticArena* arena = NULL;
    SticRandom random = stic_random_create(7);
    const TestProblemDef def = {STIC_LAW_CONE, 2, 3, 1, 0, false};
    assert_int_equal(stic_arena_create(&context, 0, &arena), STIC_OK);
    const SticProblem problem = test_problem_random(arena, &random, &def);
    SticError error = {0};
    assert_int_equal(stic_problem_write(&context, &problem, NULL, path, &error), STIC_UNSUPPORTED);
    assert_non_null(strstr(error.text, "bilateral"));
    stic_arena_destroy(arena);
}

#define W3 "0 3 3 3 3  4 1 0  1 5 0  0 0 6 "
static const char local_text[] = "3 1\n" W3 "\n-1 2 3\n0.5\n";

static void forms_are_recognised(void** state)
{
    (void)state;
    typedef struct Form {
        const char* text;
        SticLaw law;
        int32_t count, rows, dof;
    } Form;
    static const Form forms[] = {
        {local_text, STIC_LAW_CONE, 1, 3, 0},
        // with the flag that older writers leave
        {"3 1 " W3 " -1 2 3 0.5 1\n", STIC_LAW_CONE, 1, 3, 0},
        {"3 1 " W3 " -1 2 3 0.5 0\nwords 1 2 3\n", STIC_LAW_CONE, 1, 3, 0},
        // two coefficients that are not a flag: planar rolling
        {"3 1 " W3 " -1 2 3 0.5 0.25", STIC_LAW_ROLLING, 1, 3, 0},
        {"2 1 0 2 2 2 2  4 1 1 5  -1 2  0.5", STIC_LAW_CONE, 1, 2, 0},
        // global with as many velocities as rows
        {"3 1 " W3 W3 " 1 1 1 -1 2 3 0.5", STIC_LAW_CONE, 1, 3, 3},
        {"3 " W3 " -1 2 3", STIC_LAW_NONNEG, 3, 3, 0},
        {"2 0 2 2 2 2  1 0 0 1  -1 -1", STIC_LAW_NONNEG, 2, 2, 0},
        {"1 0 1 1 1 1 2 -1", STIC_LAW_NONNEG, 1, 1, 0},
        {"3 0 0 0 0 0 0", STIC_LAW_CONE, 0, 0, 0},
        {"0 0 0 0 0 0", STIC_LAW_NONNEG, 0, 0, 0},
        // sparse block with a missing last row pointer, sparse triplets, sparse columns
        {"2 2 1 4 4 2 2 2 2 4 2 4 3 2 0 1 2 0 1 0 4 1 1 5 1 6 0 0 7 -1 2 -1 2 0.5 0.5",
         STIC_LAW_CONE, 2, 4, 0},
        {"2 1 2 2 2 1 CSparse Version 3\ntriplet: 2-by-2, nzmax: 9 nnz: 2\n 0 0 : 4\n 1 1 : 5\n-1 "
         "2 "
         "0.5",
         STIC_LAW_CONE, 1, 2, 0},
        {"2 1 2 2 2 2 CSparse Version 3\n2-by-2, nzmax: 9 nnz: 3, 1-norm: 5\n col 0 : locations 0 "
         "to "
         "1\n 0 : 4\n 1 : 1\n col 1 : locations 2 to 2\n 1 : 5\n-1 2 0.5",
         STIC_LAW_CONE, 1, 2, 0},
    };
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; ++i) {
        SticProblemStore* store = NULL;
        SticError error;
        if (parse(forms[i].text, STIC_FORMAT_AUTO, &store, &error) != STIC_OK)
            fail_msg("form %zu: %d:%d: %s", i, error.line, error.column, error.text);
        const SticProblem* problem = stic_problem_view(store);
        assert_int_equal(problem->count, forms[i].count);
        assert_int_equal(problem->rows, forms[i].rows);
        assert_int_equal(problem->dof, forms[i].dof);
        for (int32_t k = 0; k < problem->count; ++k)
            assert_int_equal(problem->law[k], forms[i].law);
        stic_problem_destroy(store);
    }
}

static void a_form_can_be_forced(void** state)
{
    (void)state;
    SticProblemStore* store = NULL;
    SticError error;
    // a planar rolling coefficient that looks like a flag
    assert_int_equal(parse("3 1 " W3 " -1 2 3 0.5 1", STIC_FORMAT_ROLLING, &store, &error),
                     STIC_OK);
    assert_int_equal(stic_problem_view(store)->law[0], STIC_LAW_ROLLING);
    test_equal(stic_problem_view(store)->coef[0][2], 1.0);
    stic_problem_destroy(store);
    assert_int_equal(parse(local_text, STIC_FORMAT_LCP, &store, &error), STIC_BAD_FILE);
    assert_non_null(strstr(error.text, "read as lcp"));
    for (int i = 0; i < STIC_FORMAT_COUNT; ++i)
        assert_string_not_equal(stic_format_name((SticFormat)i), "unknown");
}

typedef struct BadText {
    const char* text;
    SticStatus status;
    int32_t line, column; // 0: any
    const char* words;
} BadText;

static void broken_texts_have_places(void** state)
{
    (void)state;
    static const BadText cases[] = {
        {"", STIC_BAD_FILE, 1, 1, "the file ends"},
        {"hello", STIC_BAD_FILE, 1, 1, "'hello' stands where"},
        {"4 1\n0 3 3", STIC_BAD_FILE, 0, 0, ""},
        {"3 1\n0 3 3 3 3\n1 0 0 0 1 0 0 0", STIC_BAD_FILE, 3, 16, "the file ends where a matrix"},
        {"3 1\n0 3 3 3 3\n1 0 0 0 nan 0 0 0 1 1 2 3 0.5", STIC_NOT_FINITE, 3, 9, "not finite"},
        {"3 1\n0 3 3 3 3\n1 0 0 0 x 0 0 0 1 1 2 3 0.5", STIC_BAD_FILE, 3, 9, "'x' stands"},
        {"3 1\n" W3 "\n-1 2 3\n-0.5", STIC_BAD_DATA, 4, 1, "below 0"},
        {"3 1\n" W3 "\n-1 2 inf\n0.5", STIC_NOT_FINITE, 3, 6, "not finite"},
        {"3 1\n" W3 "\n-1 2 3\n0.5 7 8 9", STIC_BAD_FILE, 4, 5, "numbers follow"},
        {"3 2000000000\n0 3 3", STIC_BAD_FILE, 1, 3, "outside"},
        {"3 100000000\n0 300000000 300000000 300000000 300000000 1 2", STIC_BAD_FILE, 2, 0, "ends"},
        {"3 1\n0 3 3 3 3  0 1 0  1 5 0  0 0 6\n-1 2 3\n0.5", STIC_SINGULAR, 0, 0, "contact 0"},
        {"3 1\n0 3 3 3 3  -1 1 0  1 5 0  0 0 6\n-1 2 3\n0.5", STIC_SINGULAR, 0, 0, "contact 0"},
        // M singular
        {"3 1 0 3 3 3 3 0 0 0 0 1 0 0 0 1 " W3 " 1 1 1 -1 2 3 0.5", STIC_SINGULAR, 0, 0,
         "M: diagonal block 0 is singular"},
        // the normal row of H is empty
        {"3 1 " W3 " 0 3 3 3 3 0 0 0 0 1 0 0 0 1 1 1 1 -1 2 3 0.5", STIC_SINGULAR, 0, 0, "normal"},
        // sparse block: sizes, pointers, columns, numbers
        {"2 1 1 2 2 1 1 1 3 2 2 1 0 1 0 0 1 0 0 1 1 2 0.5", STIC_BAD_FILE, 1, 0, "outside"},
        {"2 1 1 2 2 1 1 1 1 2 2 1 0 1 0 0 1 0 0 1 1 2 0.5", STIC_BAD_FILE, 1, 0, "add up to 1"},
        {"2 1 1 2 2 1 1 1 2 2 3 1 0 1 1 0 0 1 0 0 1 1 2 0.5", STIC_BAD_FILE, 1, 0, "row pointers"},
        {"2 1 1 2 2 1 1 1 2 2 2 1 0 0 0 0 1 0 0 1 1 2 0.5", STIC_BAD_FILE, 1, 0, "cover"},
        {"2 1 1 2 2 1 1 1 2 2 2 1 0 1 4 0 1 0 0 1 1 2 0.5", STIC_BAD_FILE, 1, 0, "block column"},
        {"2 1 1 2 2 1 1 1 2 2 2 1 0 1 0 9 1 0 0 1 1 2 0.5", STIC_BAD_FILE, 1, 0,
         "number of the block"},
        {"2 1 1 2 2 2000000000 1 1 2 2 2 2000000000 0 2000000000 0", STIC_BAD_FILE, 1, 0, "ends"},
        // sparse: origin, counts, places
        {"2 1 2 2 2 3 CSparse", STIC_UNSUPPORTED, 0, 0, "origin code 3"},
        {"2 1 2 2 2 1 CSparse\ntriplet: 2-by-2, nzmax: 9 nnz: 3\n 0 0 : 4\n 1 1 : 5\n-1 2 0.5",
         STIC_BAD_FILE, 5, 1, "2 entries instead of the 3"},
        {"2 1 2 2 2 1 CSparse\ntriplet: 2-by-2, nzmax: 9 nnz: 1\n 0 2 : 4\n-1 2 0.5", STIC_BAD_FILE,
         3, 4, "column index"},
        {"2 1 2 2 2 1 CSparse\ntriplet: 2-by-3, nzmax: 9 nnz: 1\n", STIC_BAD_FILE, 2, 15,
         "columns is 3, outside"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        SticProblemStore* store = NULL;
        SticError error;
        const SticStatus status = parse(cases[i].text, STIC_FORMAT_AUTO, &store, &error);
        print_message("%s %d:%d %s\n", stic_status_name(status), (int)error.line, (int)error.column,
                      error.text);
        assert_null(store);
        assert_int_equal(status, cases[i].status);
        assert_string_equal(error.file, "t.dat");
        if (cases[i].line != 0)
            assert_int_equal(error.line, cases[i].line);
        if (cases[i].column != 0)
            assert_int_equal(error.column, cases[i].column);
        if (strstr(error.text, cases[i].words) == NULL)
            fail_msg("'%s' lacks '%s'", error.text, cases[i].words);
    }
}

static void every_cut_is_refused(void** state)
{
    (void)state;
    char text[sizeof local_text];
    for (size_t cut = 0; cut + 4 < sizeof local_text - 1; ++cut) {
        memcpy(text, local_text, cut);
        text[cut] = '\0';
        SticProblemStore* store = NULL;
        SticError error;
        const SticStatus status = parse(text, STIC_FORMAT_AUTO, &store, &error);
        if (status == STIC_OK)
            fail_msg("the first %zu bytes are read", cut);
        assert_string_equal(error.file, "t.dat");
    }
}

static void declared_sizes_cost_nothing(void** state)
{
    (void)state;
    static const char* const texts[] = {
        "3 100000000 1 300000000 300000000 100000000 100000000 100000000 3 6 9",
        "3 100000000 0 300000000 300000000 300000000 300000000 1 2 3",
        "3 5 0 2000000000 2000000000 2000000000 2000000000 1 2 3",
        "200000000 0 200000000 200000000 200000000 200000000 1",
        "2 1 2 2 2 1 CSparse\ntriplet: 2-by-2, nzmax: 2000000000 nnz: 2000000000\n 0 0 : 1\n",
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; ++i) {
        TestMemory memory;
        const SticContext context = test_memory_context(&memory);
        const SticAscii ascii = {.text = texts[i], .size = strlen(texts[i]), .file = "t.dat"};
        SticProblemStore* store = NULL;
        SticError error = {0};
        assert_int_equal(stic_ascii_parse(&context, &ascii, &store, &error), STIC_BAD_FILE);
        print_message("%zu bytes at most: %s\n", memory.peak_bytes, error.text);
        test_less(memory.peak_bytes, 4096);
        test_memory_check(&memory);
    }
}

int main(void)
{
    test_scratch_path("ascii.dat", path);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(round_trip_is_exact),         cmocka_unit_test(bilateral_rows_are_refused),
        cmocka_unit_test(forms_are_recognised),        cmocka_unit_test(a_form_can_be_forced),
        cmocka_unit_test(broken_texts_have_places),    cmocka_unit_test(every_cut_is_refused),
        cmocka_unit_test(declared_sizes_cost_nothing),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    remove(path);
    return failed;
}
