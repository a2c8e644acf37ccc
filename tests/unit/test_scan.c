// SPDX-License-Identifier: Apache-2.0
// Scanner: numbers, words, places of failures, embedded zeros, ranges.
#include "helpers/helpers.h"

#include <string.h>

#include "file/file.h"

static SticScan begin(const char* text, SticError* error)
{
    return stic_scan_begin(text, strlen(text), "a.txt", error);
}

static void takes_numbers_and_words(void** state)
{
    (void)state;
    SticError error = {0};
    SticScan scan = begin("  12 -3\n\n+4.5e-1\r\nnnz: 7, col 2-by-3 .5", &error);
    int32_t whole = 0;
    double real = 0.0;
    assert_int_equal(stic_scan_integer(&scan, "n", 0, 20, &whole), STIC_OK);
    assert_int_equal(whole, 12);
    assert_int_equal(stic_scan_integer(&scan, "n", -5, 5, &whole), STIC_OK);
    assert_int_equal(whole, -3);
    assert_true(stic_scan_peek_number(&scan));
    assert_int_equal(stic_scan_real(&scan, "x", &real), STIC_OK);
    test_equal(real, 0.45);
    assert_false(stic_scan_peek_number(&scan));
    assert_int_equal(stic_scan_literal(&scan, "nnz:"), STIC_OK);
    assert_int_equal(stic_scan_integer(&scan, "n", 0, 9, &whole), STIC_OK);
    assert_int_equal(stic_scan_literal(&scan, ", col"), STIC_OK);
    assert_int_equal(stic_scan_integer(&scan, "n", 2, 2, &whole), STIC_OK);
    assert_int_equal(stic_scan_literal(&scan, "-by-"), STIC_OK);
    assert_int_equal(stic_scan_integer(&scan, "n", 3, 3, &whole), STIC_OK);
    assert_true(stic_scan_peek_number(&scan));
    assert_int_equal(stic_scan_real(&scan, "x", &real), STIC_OK);
    test_equal(real, 0.5);
    assert_true(stic_scan_at_end(&scan));
    assert_int_equal(error.status, STIC_OK);
}

static void takes_lines(void** state)
{
    (void)state;
    SticScan scan = begin("one two\nthree", NULL);
    const char* start = NULL;
    size_t length = 0;
    stic_scan_line(&scan, &start, &length);
    assert_int_equal(length, 7);
    assert_memory_equal(start, "one two", 7);
    assert_int_equal(scan.line, 2);
    stic_scan_line(&scan, &start, &length);
    assert_memory_equal(start, "three", 5);
    assert_true(stic_scan_at_end(&scan));
    stic_scan_line(&scan, &start, &length);
    assert_int_equal(length, 0);
}

typedef struct BadCase {
    const char* text;
    bool real;
    SticStatus status;
    int32_t line, column;
    const char* words; // part of the message
} BadCase;

static void failures_have_places(void** state)
{
    (void)state;
    static const BadCase cases[] = {
        {"", true, STIC_BAD_FILE, 1, 1, "the file ends where"},
        {" \n\n  ", false, STIC_BAD_FILE, 3, 3, "the file ends where"},
        {"\n  word", true, STIC_BAD_FILE, 2, 3, "'word' stands where"},
        {"1.5x", true, STIC_BAD_FILE, 1, 1, "'1.5x' stands where"},
        {"0x10", true, STIC_BAD_FILE, 1, 1, "'0x10' stands where"},
        {"1.2.3", true, STIC_BAD_FILE, 1, 1, "stands where"},
        {"1,5", true, STIC_BAD_FILE, 1, 1, "stands where"},
        {"\n nan", true, STIC_NOT_FINITE, 2, 2, "not finite"},
        {"-inf", true, STIC_NOT_FINITE, 1, 1, "not finite"},
        {"1e999", true, STIC_NOT_FINITE, 1, 1, "not finite"},
        {"1.0", false, STIC_BAD_FILE, 1, 1, "stands where"},
        {"7", false, STIC_BAD_FILE, 1, 1, "outside 0 to 5"},
        {"-1", false, STIC_BAD_FILE, 1, 1, "outside 0 to 5"},
        {"99999999999999999999999999", false, STIC_BAD_FILE, 1, 1, "outside 0 to 5"},
        {"-", false, STIC_BAD_FILE, 1, 1, "stands where"},
        {"\x01", true, STIC_BAD_FILE, 1, 1, "'?' stands where"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        SticError error = {0};
        SticScan scan = begin(cases[i].text, &error);
        int32_t whole = 0;
        double real = 0.0;
        const SticStatus status = cases[i].real ? stic_scan_real(&scan, "x", &real)
                                                : stic_scan_integer(&scan, "x", 0, 5, &whole);
        assert_int_equal(status, cases[i].status);
        assert_int_equal(error.status, cases[i].status);
        assert_int_equal(error.line, cases[i].line);
        assert_int_equal(error.column, cases[i].column);
        assert_string_equal(error.file, "a.txt");
        if (strstr(error.text, cases[i].words) == NULL)
            fail_msg("'%s': '%s' lacks '%s'", cases[i].text, error.text, cases[i].words);
    }
}

static void zero_bytes_end_no_text(void** state)
{
    (void)state;
    static const char text[] = "1\0 2";
    SticError error = {0};
    SticScan scan = stic_scan_begin(text, sizeof text - 1, "zero", &error);
    double real = 0.0;
    assert_int_equal(stic_scan_real(&scan, "x", &real), STIC_BAD_FILE);
    int32_t whole = 0;
    assert_int_equal(stic_scan_integer(&scan, "x", 0, 5, &whole), STIC_OK);
    assert_false(stic_scan_at_end(&scan));
    assert_int_equal(stic_scan_integer(&scan, "x", 0, 5, &whole), STIC_BAD_FILE);
}

static void long_digits_are_refused(void** state)
{
    (void)state;
    static char text[100001];
    memset(text, '7', sizeof text - 1);
    SticScan scan = begin(text, NULL);
    double real = 0.0;
    assert_int_equal(stic_scan_real(&scan, "x", &real), STIC_BAD_FILE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(takes_numbers_and_words), cmocka_unit_test(takes_lines),
        cmocka_unit_test(failures_have_places),    cmocka_unit_test(zero_bytes_end_no_text),
        cmocka_unit_test(long_digits_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
