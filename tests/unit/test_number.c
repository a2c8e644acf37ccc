// SPDX-License-Identifier: Apache-2.0
// Numbers as text: what is accepted, exact round trips, independence of the locale.
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/number.h"
#include "helpers/helpers.h"

typedef struct Sample {
    const char* text;
    double value;
    int taken; // letters read; -1: refused
} Sample;

static const Sample samples[] = {
    {"0", 0.0, 1},
    {"1.5", 1.5, 3},
    {"  -2.25e3 7", -2250.0, 9},
    {"\t+.5,", 0.5, 4},
    {"5.", 5.0, 2},
    {"1e-320", 1e-320, 6},
    {"4.9406564584124654e-324", 0x1p-1074, 23},
    {"1.7976931348623157e308", 0x1.fffffffffffffp1023, 22},
    {"1e999", HUGE_VAL, 5},
    {"-inf", -HUGE_VAL, 4},
    {"infinity", HUGE_VAL, 8},
    {"1,5", 1.0, 1},
    {"1e", 1.0, 1},
    {"1e+", 1.0, 1},
    {"1.5e+x", 1.5, 3},
    {"3-4", 3.0, 1},
    {"1e5.2", 1e5, 3},
    {"0x1p3", 0.0, 1},
    {"9007199254740993", 9007199254740992.0, 16}, // halfway: to even
    {"0.1000000000000000055511151231257827021181583404541015625", 0.1, 57},
    {"", 0.0, -1},
    {"   ", 0.0, -1},
    {"x", 0.0, -1},
    {".", 0.0, -1},
    {"-", 0.0, -1},
    {"+-1", 0.0, -1},
    {"1.2.3", 0.0, -1},
    {"\n1", 0.0, -1},
    {"e5", 0.0, -1},
};

static void parse_samples(void)
{
    for (size_t i = 0; i < sizeof samples / sizeof *samples; ++i) {
        double value = -77.0;
        const char* end = stic_number_parse(samples[i].text, &value);
        if (samples[i].taken < 0) {
            if (end != NULL)
                fail_msg("'%s' was read as %g", samples[i].text, value);
            continue;
        }
        if (end == NULL)
            fail_msg("'%s' was refused", samples[i].text);
        if (value != samples[i].value || end - samples[i].text != samples[i].taken)
            fail_msg("'%s' gave %.17g and %d letters", samples[i].text, value,
                     (int)(end - samples[i].text));
    }
    double value = 0.0;
    assert_non_null(stic_number_parse("nan", &value));
    assert_true(isnan(value));
}

// the bits of a double chosen uniformly: every magnitude, subnormals too
static double random_double(SticRandom* random)
{
    double value = NAN;
    while (!isfinite(value)) {
        const uint64_t bits = stic_random_bits(random);
        memcpy(&value, &bits, sizeof value);
    }
    return value;
}

static size_t round_trips(int count)
{
    SticRandom random = stic_random_create(41);
    size_t longest = 0;
    for (int i = 0; i < count; ++i) {
        const double value = i % 2 == 0 ? random_double(&random)
                                        : round(stic_random_range(&random, -1e6, 1e6)) / 1000.0;
        char text[32];
        double back = NAN;
        stic_number_format(value, text, sizeof text);
        const char* end = stic_number_parse(text, &back);
        if (end == NULL || *end != '\0' || memcmp(&back, &value, sizeof value) != 0)
            fail_msg("%.17g became '%s' and then %.17g", value, text, back);
        assert_null(strchr(text, ','));
        longest = strlen(text) > longest ? strlen(text) : longest;
    }
    return longest;
}

static void accepted_and_refused(void** state)
{
    (void)state;
    parse_samples();
}

static void format_is_short_and_exact(void** state)
{
    (void)state;
    const Sample cases[] = {{"0.1", 0.1, 0},
                            {"-0", -0.0, 0},
                            {"1e-08", 1e-8, 0},
                            {"0.30000000000000004", 0.1 + 0.2, 0},
                            {"inf", HUGE_VAL, 0},
                            {"-inf", -HUGE_VAL, 0},
                            {"nan", NAN, 0},
                            {"nan", -NAN, 0},
                            {"123456789", 123456789.0, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        char text[32];
        stic_number_format(cases[i].value, text, sizeof text);
        assert_string_equal(text, cases[i].text);
    }
    const size_t longest = round_trips(100000);
    print_message("100000 numbers came back with the same bits; longest text %zu letters\n",
                  longest);
    test_at_most(longest, 24);
}

static void overlong_numbers_are_refused(void** state)
{
    (void)state;
    char text[2000];
    double value = 0.0;
    memset(text, '1', sizeof text);
    text[400] = '\0';
    assert_non_null(stic_number_parse(text, &value)); // 400 digits: inf
    assert_true(isinf(value));
    text[400] = '1';
    text[401] = '\0';
    assert_null(stic_number_parse(text, &value));
    text[401] = '1';
    text[1999] = '\0';
    assert_null(stic_number_parse(text, &value));
    memset(text, '0', 400);
    text[0] = '.';
    text[399] = '3';
    text[400] = '\0';
    assert_non_null(stic_number_parse(text, &value));
}

// a minimal locale with a decimal comma, made by localedef in a scratch folder; false if that fails
static bool make_comma_locale(const char* folder)
{
    char path[TEST_PATH_SIZE + 16], command[3 * TEST_PATH_SIZE];
    snprintf(path, sizeof path, "%s/source", folder);
    FILE* file = mkdir(folder, 0700) == 0 ? fopen(path, "w") : NULL;
    if (file == NULL)
        return false;
    fputs("LC_NUMERIC\ndecimal_point \",\"\nthousands_sep \"\"\ngrouping -1\nEND LC_NUMERIC\n",
          file);
    fclose(file);
    snprintf(command, sizeof command, "localedef -c -i '%s' '%s/comma' 2>/dev/null", path, folder);
    const int code = system(command); // 1: made, with warnings about the categories left out
    setenv("LOCPATH", folder, 1);
    return code != -1 && setlocale(LC_NUMERIC, "comma") != NULL;
}

static void a_decimal_comma_changes_nothing(void** state)
{
    (void)state;
    char folder[TEST_PATH_SIZE], command[TEST_PATH_SIZE + 16], text[32];
    test_scratch_path("locale", folder);
    const bool made = make_comma_locale(folder);
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    assert_int_equal(system(command), 0);
    unsetenv("LOCPATH");
    if (!made && setlocale(LC_NUMERIC, "de_DE.UTF-8") == NULL) {
        print_message("skipped: no locale with a decimal comma, and localedef cannot make one\n");
        skip();
    }
    snprintf(text, sizeof text, "%.1f", 0.5);
    assert_string_equal(text, "0,5"); // the locale does use a comma
    parse_samples();
    round_trips(10000);
    setlocale(LC_NUMERIC, "C");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(accepted_and_refused),
        cmocka_unit_test(format_is_short_and_exact),
        cmocka_unit_test(overlong_numbers_are_refused),
        cmocka_unit_test(a_decimal_comma_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
