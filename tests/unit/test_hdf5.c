// SPDX-License-Identifier: Apache-2.0
// HDF5 helpers: conversion, lengths, texts; data that are elsewhere or larger than the file.
#include "helpers/problem.h"

#ifdef STIC_HAVE_HDF5

#include <hdf5.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "file/hdf5.h"

static char path[TEST_PATH_SIZE], other[TEST_PATH_SIZE];

static hid_t make_set(hid_t file, const char* name, hid_t type, hid_t space, hid_t plan)
{
    const hid_t set = H5Dcreate2(file, name, type, space, H5P_DEFAULT, plan, H5P_DEFAULT);
    test_at_least(set, 0);
    return set;
}

static hid_t line(hsize_t count)
{
    return H5Screate_simple(1, &count, NULL);
}

static void write_floats(hid_t file)
{
    const float values[3] = {0.5f, -2.0f, 1e6f};
    const hid_t space = line(3), set = make_set(file, "/float", H5T_IEEE_F32BE, space, H5P_DEFAULT);
    test_at_least(H5Dwrite(set, H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values), 0);
    H5Dclose(set);
    H5Sclose(space);
}

static void write_longs(hid_t file)
{
    const int64_t values[3] = {7, INT64_MAX, INT64_MIN};
    const hid_t space = line(3), set = make_set(file, "/long", H5T_STD_I64BE, space, H5P_DEFAULT);
    test_at_least(H5Dwrite(set, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, values), 0);
    H5Dclose(set);
    H5Sclose(space);
}

static void write_texts(hid_t file)
{
    const char* words = "variable";
    const hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate(H5S_SCALAR);
    H5Tset_size(type, H5T_VARIABLE);
    const hid_t set = make_set(file, "/variable", type, space, H5P_DEFAULT);
    test_at_least(H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, &words), 0);
    H5Dclose(set);
    // fixed length without a final 0
    const hid_t fixed = H5Tcopy(H5T_C_S1);
    H5Tset_size(fixed, 4);
    H5Tset_strpad(fixed, H5T_STR_NULLPAD);
    const hid_t padded = make_set(file, "/padded", fixed, space, H5P_DEFAULT);
    test_at_least(H5Dwrite(padded, fixed, H5S_ALL, H5S_ALL, H5P_DEFAULT, "full"), 0);
    H5Dclose(padded);
    H5Tclose(fixed);
    H5Sclose(space);
    H5Tclose(type);
}

// a matrix, a data set that declares a billion values, one kept in another file
static void write_traps(hid_t file)
{
    const hsize_t square[2] = {2, 2};
    const hid_t flat = H5Screate_simple(2, square, NULL);
    H5Dclose(make_set(file, "/square", H5T_NATIVE_DOUBLE, flat, H5P_DEFAULT));
    H5Sclose(flat);

    const hid_t wide = line(1000000000);
    H5Dclose(make_set(file, "/declared", H5T_NATIVE_DOUBLE, wide, H5P_DEFAULT));
    const hid_t packed = H5Pcreate(H5P_DATASET_CREATE);
    const hsize_t chunk = 1000;
    H5Pset_chunk(packed, 1, &chunk);
    H5Pset_deflate(packed, 6);
    H5Dclose(make_set(file, "/packed", H5T_NATIVE_DOUBLE, wide, packed));
    H5Pclose(packed);
    H5Sclose(wide);

    const hid_t outside = H5Pcreate(H5P_DATASET_CREATE), space = line(2);
    H5Pset_external(outside, "/etc/hostname", 0, 16);
    H5Dclose(make_set(file, "/outside", H5T_NATIVE_DOUBLE, space, outside));
    H5Pclose(outside);
    H5Sclose(space);
    test_at_least(H5Lcreate_external(other, "/float", file, "/link", H5P_DEFAULT, H5P_DEFAULT), 0);
    test_at_least(H5Lcreate_soft("/float", file, "/soft", H5P_DEFAULT, H5P_DEFAULT), 0);
    test_at_least(H5Lcreate_soft("/nowhere", file, "/dangling", H5P_DEFAULT, H5P_DEFAULT), 0);
    test_at_least(H5Lcreate_soft("/circle", file, "/circle", H5P_DEFAULT, H5P_DEFAULT), 0);
}

static int make_files(void** state)
{
    (void)state;
    test_scratch_path("hdf5.h5", path);
    test_scratch_path("other.h5", other);
    hid_t file = H5Fcreate(other, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    write_floats(file);
    H5Fclose(file);
    file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    write_floats(file);
    write_longs(file);
    write_texts(file);
    write_traps(file);
    H5Fclose(file);
    return 0;
}

static int remove_files(void** state)
{
    (void)state;
    remove(path);
    return remove(other);
}

static void values_are_converted(void** state)
{
    (void)state;
    SticError error = {0};
    SticHdf5 file;
    assert_int_equal(stic_hdf5_open(path, &error, &file), STIC_OK);
    double reals[3];
    assert_int_equal(stic_hdf5_read_reals(&file, "/float", 3, reals), STIC_OK);
    test_equal(reals[0], 0.5);
    test_equal(reals[1], -2.0);
    test_equal(reals[2], 1e6);
    assert_int_equal(stic_hdf5_read_reals(&file, "/soft", 3, reals), STIC_OK);
    assert_int_equal(stic_hdf5_read_reals(&file, "/long", 3, reals), STIC_OK);
    test_equal(reals[0], 7.0);
    test_equal(reals[1], 0x1p63);
    int32_t whole[3];
    assert_int_equal(stic_hdf5_read_integers(&file, "/long", 3, whole), STIC_OK);
    test_equal(whole[0], 7);
    test_equal(whole[1], INT32_MAX);
    test_equal(whole[2], INT32_MIN);
    assert_int_equal(stic_hdf5_close(&file), STIC_OK);
    assert_int_equal(stic_hdf5_close(&file), STIC_OK);
}

static void texts_of_both_kinds(void** state)
{
    (void)state;
    const SticContext context = stic_context_default();
    SticArena* arena = NULL;
    SticError error = {0};
    SticHdf5 file;
    const char* text = NULL;
    assert_int_equal(stic_arena_create(&context, 0, &arena), STIC_OK);
    assert_int_equal(stic_hdf5_open(path, &error, &file), STIC_OK);
    assert_int_equal(stic_hdf5_read_text(&file, "/variable", arena, &text), STIC_OK);
    assert_string_equal(text, "variable");
    assert_int_equal(stic_hdf5_read_text(&file, "/padded", arena, &text), STIC_OK);
    assert_string_equal(text, "full");
    assert_int_equal(stic_hdf5_read_text(&file, "/float", arena, &text), STIC_BAD_FILE);
    assert_null(text);
    stic_hdf5_close(&file);
    stic_arena_destroy(arena);
}

static void traps_are_refused(void** state)
{
    (void)state;
    static const char* const traps[][2] = {
        {"/square", "more than one dimension"},
        {"/declared", "more than the file can hold"},
        {"/packed", "more than the file can hold"},
        {"/outside", "another file"},
        {"/link", "is missing"},
        {"/dangling", "is missing"},
        {"/circle", "is missing"},
        {"/nothing/here", "is missing"},
        {"/float/inner", "is missing"},
        {"/", "is missing"},
    };
    SticError error = {0};
    SticHdf5 file;
    assert_int_equal(stic_hdf5_open(path, &error, &file), STIC_OK);
    for (size_t i = 0; i < sizeof traps / sizeof traps[0]; ++i) {
        size_t count = 1;
        assert_int_equal(stic_hdf5_length(&file, traps[i][0], &count), STIC_BAD_FILE);
        print_message("%s\n", error.text);
        assert_int_equal(count, 0);
        if (strstr(error.text, traps[i][1]) == NULL)
            fail_msg("'%s' lacks '%s'", error.text, traps[i][1]);
    }
    stic_hdf5_close(&file);
}

static herr_t count_prints(hid_t stack, void* count)
{
    (void)stack;
    *(int*)count += 1;
    return 0;
}

// nothing is printed while a file is open, and the program's own setting comes back
static void printing_is_off_and_back(void** state)
{
    (void)state;
    int prints = 0;
    H5E_auto2_t old = NULL;
    void* old_data = NULL;
    H5Eget_auto2(H5E_DEFAULT, &old, &old_data);
    H5Eset_auto2(H5E_DEFAULT, count_prints, &prints);
    SticError error = {0};
    SticHdf5 file;
    assert_int_equal(stic_hdf5_open("/etc/passwd", &error, &file), STIC_BAD_FILE);
    assert_non_null(strstr(error.text, "HDF5:"));
    assert_int_equal(stic_hdf5_open(path, &error, &file), STIC_OK);
    size_t count = 0;
    assert_int_equal(stic_hdf5_length(&file, "/nothing", &count), STIC_BAD_FILE);
    stic_hdf5_close(&file);
    assert_int_equal(prints, 0);
    H5Fopen("/nonexistent", H5F_ACC_RDONLY, H5P_DEFAULT);
    test_greater(prints, 0);
    H5Eset_auto2(H5E_DEFAULT, old, old_data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_converted), cmocka_unit_test(texts_of_both_kinds),
        cmocka_unit_test(traps_are_refused), cmocka_unit_test(printing_is_off_and_back)};
    return cmocka_run_group_tests(tests, make_files, remove_files);
}

#else

int main(void)
{
    print_message("built without HDF5\n");
    return 0;
}

#endif
