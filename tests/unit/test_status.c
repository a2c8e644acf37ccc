// SPDX-License-Identifier: Apache-2.0
// Status names and texts, error objects: what is kept of long texts and paths, arguments inside the
// error.
#include <string.h>

#include "helpers/helpers.h"

static void every_status_has_a_name_and_a_sentence(void** state)
{
    (void)state;
    assert_string_equal(stic_status_name(STIC_OK), "OK");
    assert_string_equal(stic_status_name(STIC_BAD_FILE), "BAD_FILE");
    for (int i = 0; i < STIC_STATUS_COUNT; ++i) {
        test_greater(strlen(stic_status_name((SticStatus)i)), 1);
        test_greater(strlen(stic_status_text((SticStatus)i)), 7);
        for (int j = 0; j < i; ++j)
            assert_string_not_equal(stic_status_name((SticStatus)i),
                                    stic_status_name((SticStatus)j));
    }
    assert_string_equal(stic_status_name(STIC_STATUS_COUNT), "UNKNOWN");
    assert_string_equal(stic_status_name((SticStatus)-1), "UNKNOWN");
    assert_string_equal(stic_status_text((SticStatus)1000), "unknown status");
}

static void an_error_says_what_and_where(void** state)
{
    (void)state;
    SticError error = {0};
    assert_int_equal(stic_error_set_at(&error, STIC_BAD_FILE, "a.dat", 3, 7, "%d rows", 12),
                     STIC_BAD_FILE);
    assert_int_equal(error.status, STIC_BAD_FILE);
    assert_string_equal(error.file, "a.dat");
    assert_int_equal(error.line, 3);
    assert_int_equal(error.column, 7);
    assert_string_equal(error.text, "12 rows");

    // a later error without a place must not keep the old place
    assert_int_equal(stic_error_set(&error, STIC_NOT_FINITE, "mu[%d]", 4), STIC_NOT_FINITE);
    assert_string_equal(error.text, "mu[4]");
    assert_string_equal(error.file, "");
    assert_int_equal(error.line, 0);
    assert_int_equal(error.column, 0);

    // nobody has to ask for the text
    assert_int_equal(stic_error_set(NULL, STIC_IO_FAILED, "%s", "x"), STIC_IO_FAILED);
    assert_int_equal(stic_error_set_at(NULL, STIC_BAD_DATA, "f", 1, 1, "%s", "x"), STIC_BAD_DATA);
    assert_int_equal(stic_error_set_at(&error, STIC_BAD_DATA, NULL, 0, 0, "x"), STIC_BAD_DATA);
    assert_string_equal(error.file, "");
}

static void long_texts_end_in_dots(void** state)
{
    (void)state;
    enum { ROOM = sizeof(((SticError*)0)->text) };
    char text[2 * ROOM];
    for (size_t length = ROOM - 5; length < ROOM + 5; ++length) {
        memset(text, 'x', sizeof text);
        text[length] = '\0';
        SticError error = {0};
        stic_error_set(&error, STIC_BAD_DATA, "%s", text);
        if (length < ROOM) {
            assert_string_equal(error.text, text);
            continue;
        }
        assert_int_equal(strlen(error.text), ROOM - 1);
        assert_string_equal(error.text + ROOM - 4, "...");
        assert_memory_equal(error.text, text, ROOM - 4);
    }
}

// every byte sequence that starts a letter is followed by all its continuation bytes
static bool is_whole_utf8(const char* text)
{
    for (const unsigned char* at = (const unsigned char*)text; *at != '\0';) {
        const int bytes = *at < 0x80 ? 1 : *at >= 0xf0 ? 4 : *at >= 0xe0 ? 3 : *at >= 0xc0 ? 2 : 0;
        if (bytes == 0)
            return false;
        for (int i = 1; i < bytes; ++i)
            if ((at[i] & 0xc0u) != 0x80u)
                return false;
        at += bytes;
    }
    return true;
}

static void no_cut_splits_a_letter(void** state)
{
    (void)state;
    char text[1200];
    for (size_t shift = 0; shift < 4; ++shift) {
        memset(text, 'x', shift);
        size_t used = shift;
        while (used < 1100) {
            memcpy(text + used, "µ√𝛍", 2 + 3 + 4);
            used += 2 + 3 + 4;
        }
        text[used] = '\0';
        SticError error = {0};
        stic_error_set_at(&error, STIC_BAD_FILE, text, 1, 1, "%s", text);
        assert_true(is_whole_utf8(text));
        assert_true(is_whole_utf8(error.text));
        assert_true(is_whole_utf8(error.file));
        test_greater(strlen(error.text), sizeof error.text - 8);
        test_greater(strlen(error.file), sizeof error.file - 8);
    }
}

static void long_paths_keep_their_end(void** state)
{
    (void)state;
    char path[1000];
    memset(path, 'd', sizeof path);
    strcpy(path + 900, "/problem.hdf5");
    SticError error = {0};
    stic_error_set_at(&error, STIC_BAD_FILE, path, 0, 0, "x");
    assert_int_equal(strlen(error.file), sizeof error.file - 1);
    assert_string_equal(error.file + strlen(error.file) - 13, "/problem.hdf5");
}

static void an_error_can_be_extended_in_place(void** state)
{
    (void)state;
    SticError error = {0};
    stic_error_set_at(&error, STIC_BAD_DATA, "a.dat", 2, 1, "the row is short");
    stic_error_set_at(&error, error.status, error.file, error.line, 0, "matrix W: %s", error.text);
    assert_string_equal(error.text, "matrix W: the row is short");
    assert_string_equal(error.file, "a.dat");
    assert_int_equal(error.line, 2);
}

static SticStatus fails_first(int* calls, SticStatus status)
{
    *calls += 1;
    return status;
}

static SticStatus three_calls(int* calls)
{
    STIC_TRY(fails_first(calls, STIC_OK));
    STIC_TRY(fails_first(calls, STIC_SINGULAR));
    STIC_TRY(fails_first(calls, STIC_OK));
    return STIC_OK;
}

static void try_returns_at_the_first_failure(void** state)
{
    (void)state;
    int calls = 0;
    assert_int_equal(three_calls(&calls), STIC_SINGULAR);
    assert_int_equal(calls, 2);
}

// the library's handler is weak: this one takes its place
static jmp_buf after_assertion;
static const char* failed_expression;

void stic_assert_failed(const char* expression, const char* file, int line)
{
    (void)file;
    (void)line;
    failed_expression = expression;
    longjmp(after_assertion, 1);
}

static void a_program_can_replace_the_assertion_handler(void** state)
{
    (void)state;
    failed_expression = NULL;
    if (setjmp(after_assertion) == 0)
        STIC_ASSERT(STIC_STATUS_COUNT < 0);
#ifdef NDEBUG
    assert_null(failed_expression);
#else
    assert_string_equal(failed_expression, "STIC_STATUS_COUNT < 0");

    // and inside the library: an arena cannot be rewound to where it has not been
    const SticContext context = stic_context_default();
    SticArena* arena = NULL;
    assert_int_equal(stic_arena_create(&context, 0, &arena), STIC_OK);
    failed_expression = NULL;
    if (setjmp(after_assertion) == 0)
        stic_arena_rewind(arena, (SticArenaMark){.block = 0, .used = 64});
    assert_non_null(failed_expression);
    stic_arena_destroy(arena);
#endif
}

static void the_version_has_three_parts(void** state)
{
    (void)state;
    int dots = 0;
    for (const char* at = stic_version(); *at != '\0'; ++at)
        dots += *at == '.';
    assert_int_equal(dots, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_status_has_a_name_and_a_sentence),
        cmocka_unit_test(an_error_says_what_and_where),
        cmocka_unit_test(long_texts_end_in_dots),
        cmocka_unit_test(no_cut_splits_a_letter),
        cmocka_unit_test(long_paths_keep_their_end),
        cmocka_unit_test(an_error_can_be_extended_in_place),
        cmocka_unit_test(try_returns_at_the_first_failure),
        cmocka_unit_test(a_program_can_replace_the_assertion_handler),
        cmocka_unit_test(the_version_has_three_parts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
