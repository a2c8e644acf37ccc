// SPDX-License-Identifier: Apache-2.0
// Settings tables: defaults, setting by name, ranges, the sentences of the errors, suggestions.
#include <math.h>
#include <string.h>

#include "helpers/helpers.h"

typedef struct Settings {
    double tolerance;
    int32_t max_sweeps;
    bool warm_start;
    int32_t order;
} Settings;

static const char* const orders[] = {"natural", "coloured", "shuffled", NULL};

static const SticField settings_fields[] = {
    STIC_FIELD_REAL(Settings, tolerance, 1e-8, 0.0, 1.0, "-", "stopping residual"),
    STIC_FIELD_COUNT(Settings, max_sweeps, 1000, 1, 1e9, "sweeps", "iteration limit"),
    STIC_FIELD_FLAG(Settings, warm_start, true, "start from the reactions passed in"),
    STIC_FIELD_PICK(Settings, order, 1, 2, orders, "order of a sweep"),
};

static const SticFieldTable settings_table = {.name = "nsgs",
                                              .fields = settings_fields,
                                              .count =
                                                  sizeof settings_fields / sizeof *settings_fields,
                                              .size = sizeof(Settings)};

static void defaults_come_from_the_table(void** state)
{
    (void)state;
    Settings settings;
    memset(&settings, 0xff, sizeof settings);
    stic_fields_default(&settings_table, &settings);
    test_equal(settings.tolerance, 1e-8);
    assert_int_equal(settings.max_sweeps, 1000);
    assert_true(settings.warm_start);
    assert_int_equal(settings.order, 1);
    test_equal(stic_fields_get(&settings_fields[0], &settings), 1e-8);
    test_equal(stic_fields_get(&settings_fields[1], &settings), 1000.0);
    test_equal(stic_fields_get(&settings_fields[2], &settings), 1.0);
    test_equal(stic_fields_get(&settings_fields[3], &settings), 1.0);
    assert_int_equal(stic_fields_check(&settings_table, &settings, NULL), STIC_OK);
}

static void fields_are_set_by_name(void** state)
{
    (void)state;
    Settings settings;
    stic_fields_default(&settings_table, &settings);
    SticError error = {0};
    const char* const pairs[][2] = {
        {"tolerance", "2.5e-4"}, {"max_sweeps", "17"}, {"warm_start", "no"}, {"order", "shuffled"}};
    for (int i = 0; i < 4; ++i)
        assert_int_equal(
            stic_fields_set(&settings_table, &settings, pairs[i][0], pairs[i][1], &error), STIC_OK);
    test_equal(settings.tolerance, 2.5e-4);
    assert_int_equal(settings.max_sweeps, 17);
    assert_false(settings.warm_start);
    assert_int_equal(settings.order, 2);
    assert_int_equal(error.status, STIC_OK);

    const char* const flags[] = {"false", "true", "no", "yes", "0", "1"};
    for (int i = 0; i < 6; ++i) {
        assert_int_equal(stic_fields_set(&settings_table, &settings, "warm_start", flags[i], NULL),
                         STIC_OK);
        assert_int_equal(settings.warm_start, i % 2);
    }
    // ends of a range belong to it; a whole number may be written as a real one
    assert_int_equal(stic_fields_set(&settings_table, &settings, "tolerance", "0", NULL), STIC_OK);
    assert_int_equal(stic_fields_set(&settings_table, &settings, "tolerance", "1", NULL), STIC_OK);
    assert_int_equal(stic_fields_set(&settings_table, &settings, "max_sweeps", "1e3", NULL),
                     STIC_OK);
    assert_int_equal(settings.max_sweeps, 1000);
}

// under the sanitizers: nothing converts them on the way
static void reals_may_exceed_integers(void** state)
{
    (void)state;
    static const SticField fields[] = {
        {"speed", STIC_FIELD_DOUBLE, 0, -5.5e29, -1e300, 1e300, "m/s", "any", NULL}};
    const SticFieldTable table = {
        .name = "big", .fields = fields, .count = 1, .size = sizeof(double)};
    double speed = 0.0;
    stic_fields_default(&table, &speed);
    test_equal(speed, -5.5e29);
    assert_int_equal(stic_fields_set(&table, &speed, "speed", "1e300", NULL), STIC_OK);
    test_equal(speed, 1e300);
}

typedef struct Refusal {
    const char *name, *value, *text;
} Refusal;

static void wrong_values_are_refused_with_a_sentence(void** state)
{
    (void)state;
    const Refusal refusals[] = {
        {"tolerance", "-1", "nsgs.tolerance = -1 is outside [0, 1] (stopping residual)"},
        {"tolerance", "1.0001", "nsgs.tolerance = 1.0001 is outside [0, 1] (stopping residual)"},
        {"tolerance", "nan", "nsgs.tolerance = nan is outside [0, 1] (stopping residual)"},
        {"tolerance", "inf", "nsgs.tolerance = inf is outside [0, 1] (stopping residual)"},
        {"tolerance", "1e-8x", "nsgs.tolerance: '1e-8x' is not a number"},
        {"tolerance", "", "nsgs.tolerance: '' is not a number"},
        {"tolerance", "0,5", "nsgs.tolerance: '0,5' is not a number"},
        {"tolerance", "0x1p-3", "nsgs.tolerance: '0x1p-3' is not a number"},
        {"max_sweeps", "2.5", "nsgs.max_sweeps: '2.5' is not a whole number"},
        {"max_sweeps", "nan", "nsgs.max_sweeps: 'nan' is not a whole number"},
        {"max_sweeps", "1e300",
         "nsgs.max_sweeps = 1e+300 is outside [1, 1000000000] (iteration limit)"},
        {"max_sweeps", "-inf",
         "nsgs.max_sweeps = -inf is outside [1, 1000000000] (iteration limit)"},
        {"max_sweeps", "0", "nsgs.max_sweeps = 0 is outside [1, 1000000000] (iteration limit)"},
        {"warm_start", "maybe", "nsgs.warm_start: 'maybe' is not true or false"},
        {"order", "random", "nsgs.order: 'random' is not one of natural, coloured, shuffled"},
        {"order", "1", "nsgs.order: '1' is not one of natural, coloured, shuffled"},
        {"tolerence", "1", "nsgs has no setting 'tolerence'; did you mean 'tolerance'?"},
        {"maxsweeps", "1", "nsgs has no setting 'maxsweeps'; did you mean 'max_sweeps'?"},
        {"zebra", "1",
         "nsgs has no setting 'zebra'; it has tolerance, max_sweeps, warm_start, order"},
        {"", "1", "nsgs has no setting ''; it has tolerance, max_sweeps, warm_start, order"},
    };
    Settings before;
    stic_fields_default(&settings_table, &before);
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; ++i) {
        Settings settings = before;
        SticError error = {0};
        assert_int_equal(stic_fields_set(&settings_table, &settings, refusals[i].name,
                                         refusals[i].value, &error),
                         STIC_BAD_ARGUMENT);
        assert_string_equal(error.text, refusals[i].text);
        assert_int_equal(error.status, STIC_BAD_ARGUMENT);
        // a refused value changes nothing
        for (int k = 0; k < 4; ++k)
            test_equal(stic_fields_get(&settings_fields[k], &settings),
                       stic_fields_get(&settings_fields[k], &before));
    }
}

static void a_struct_filled_by_hand_is_checked(void** state)
{
    (void)state;
    Settings settings;
    SticError error = {0};
    stic_fields_default(&settings_table, &settings);
    settings.max_sweeps = -5;
    assert_int_equal(stic_fields_check(&settings_table, &settings, &error), STIC_BAD_ARGUMENT);
    assert_string_equal(error.text,
                        "nsgs.max_sweeps = -5 is outside [1, 1000000000] (iteration limit)");
    stic_fields_default(&settings_table, &settings);
    settings.tolerance = NAN;
    assert_int_equal(stic_fields_check(&settings_table, &settings, &error), STIC_BAD_ARGUMENT);
    stic_fields_default(&settings_table, &settings);
    settings.order = 3;
    assert_int_equal(stic_fields_check(&settings_table, &settings, &error), STIC_BAD_ARGUMENT);
    assert_string_equal(error.text, "nsgs.order = 3 is outside [0, 2] (order of a sweep)");
}

static void suggestions_are_near_or_absent(void** state)
{
    (void)state;
    const char* const words[] = {"nsgs", "prox_jacobi", "newton", "proximal_point", "admm", NULL};
    assert_string_equal(stic_suggest("ngsg", words), "nsgs");
    assert_string_equal(stic_suggest("Newton", words), "newton");
    assert_string_equal(stic_suggest("proximalpoint", words), "proximal_point");
    assert_string_equal(stic_suggest("nsgs", words), "nsgs");
    assert_null(stic_suggest("interior", words));
    assert_null(stic_suggest("", words));
    const char* const letters[] = {"x", "h", NULL};
    assert_null(stic_suggest("y", letters));
    const char* const none[] = {NULL};
    assert_null(stic_suggest("newton", none));
    // words longer than the table of distances are compared by their start
    char word[300], candidate[300];
    memset(word, 'a', sizeof word);
    memset(candidate, 'b', sizeof candidate);
    word[sizeof word - 1] = candidate[sizeof candidate - 1] = '\0';
    const char* const lengthy[] = {candidate, word, NULL};
    assert_ptr_equal(stic_suggest(word, lengthy), word);
}

// more fields than any settings struct has: all of them are found and suggested
static void large_tables(void** state)
{
    (void)state;
    enum { COUNT = 100 };
    double values[COUNT];
    char names[COUNT][16];
    SticField fields[COUNT];
    for (int i = 0; i < COUNT; ++i) {
        memset(names[i], 'a' + i % 26, 12);
        names[i][12] = (char)('A' + i / 26);
        names[i][13] = '\0';
        fields[i] = (SticField){.name = names[i],
                                .type = STIC_FIELD_DOUBLE,
                                .offset = (uint32_t)((size_t)i * sizeof(double)),
                                .initial = i,
                                .low = 0,
                                .high = 1000,
                                .unit = "m",
                                .text = "x"};
    }
    const SticFieldTable table = {
        .name = "large", .fields = fields, .count = COUNT, .size = sizeof values};
    stic_fields_default(&table, values);
    for (int i = 0; i < COUNT; ++i)
        test_equal(values[i], i);
    SticError error = {0};
    assert_int_equal(stic_fields_set(&table, values, "vvvvvvvvvvvD", "1", &error),
                     STIC_BAD_ARGUMENT);
    assert_string_equal(error.text,
                        "large has no setting 'vvvvvvvvvvvD'; did you mean 'vvvvvvvvvvvvD'?");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults_come_from_the_table),
        cmocka_unit_test(fields_are_set_by_name),
        cmocka_unit_test(reals_may_exceed_integers),
        cmocka_unit_test(wrong_values_are_refused_with_a_sentence),
        cmocka_unit_test(a_struct_filled_by_hand_is_checked),
        cmocka_unit_test(suggestions_are_near_or_absent),
        cmocka_unit_test(large_tables),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
