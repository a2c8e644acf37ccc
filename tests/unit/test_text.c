// SPDX-License-Identifier: Apache-2.0
// Reading text files: plain, gzip, damaged gzip, limits, folders, missing files, failing memory.
#include "helpers/problem.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "file/file.h"

enum { LONG = 300000 };

static char long_text[LONG + 1];

static void fill_long_text(void)
{
    SticRandom random = stic_random_create(3);
    for (int i = 0; i < LONG; ++i)
        long_text[i] = (char)('0' + stic_random_bits(&random) % 10);
}

static void write_gzip(const char* path, const char* bytes, size_t count)
{
    gzFile file = gzopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(gzwrite(file, bytes, (unsigned)count), count);
    assert_int_equal(gzclose(file), Z_OK);
}

static size_t file_size(const char* path)
{
    struct stat entry;
    assert_int_equal(stat(path, &entry), 0);
    return (size_t)entry.st_size;
}

static SticStatus load(const char* path, size_t limit, SticText* text, SticError* error)
{
    const SticContext context = stic_context_default();
    *error = (SticError){0};
    return stic_text_load(&context, path, limit, text, error);
}

static void plain_and_gzip_agree(void** state)
{
    (void)state;
    char path[TEST_PATH_SIZE];
    test_scratch_path("text", path);
    for (int gzip = 0; gzip < 2; ++gzip)
        for (size_t size = 0; size <= LONG; size += LONG / 3) {
            if (gzip)
                write_gzip(path, long_text, size);
            else
                test_file_write(path, long_text, size);
            SticText text;
            SticError error;
            assert_int_equal(load(path, STIC_TEXT_LIMIT, &text, &error), STIC_OK);
            assert_int_equal(text.size, size);
            assert_memory_equal(text.bytes, long_text, size);
            assert_int_equal(text.bytes[size], '\0');
            stic_text_unload(&text);
            stic_text_unload(&text);
        }
    remove(path);
}

static void limit_holds(void** state)
{
    (void)state;
    char path[TEST_PATH_SIZE];
    test_scratch_path("limit", path);
    static char zeros[LONG];
    write_gzip(path, zeros, LONG);
    print_message("%d bytes in %zu compressed\n", LONG, file_size(path));
    SticText text;
    SticError error;
    assert_int_equal(load(path, LONG, &text, &error), STIC_OK);
    stic_text_unload(&text);
    assert_int_equal(load(path, LONG - 1, &text, &error), STIC_BAD_FILE);
    assert_null(text.bytes);
    assert_non_null(strstr(error.text, "more than"));
    remove(path);
}

// cut at every length, and every byte changed: an error or the same text, never something else
static void damaged_gzip_is_found(void** state)
{
    (void)state;
    char path[TEST_PATH_SIZE];
    test_scratch_path("damaged", path);
    enum { SMALL = 400 };
    write_gzip(path, long_text, SMALL);
    unsigned char whole[2 * SMALL];
    const size_t size = file_size(path);
    FILE* file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fread(whole, 1, size, file), size);
    fclose(file);
    int cut_refused = 0, changed_refused = 0;
    for (size_t i = 3; i < size; ++i) {
        test_file_write(path, whole, i);
        SticText text;
        SticError error;
        const SticStatus status = load(path, STIC_TEXT_LIMIT, &text, &error);
        assert_int_equal(status, STIC_BAD_FILE);
        cut_refused += 1;
    }
    for (size_t i = 2; i < size; ++i) {
        whole[i] ^= 0x10;
        test_file_write(path, whole, size);
        whole[i] ^= 0x10;
        SticText text;
        SticError error;
        const SticStatus status = load(path, STIC_TEXT_LIMIT, &text, &error);
        if (status == STIC_OK) {
            // time stamp, operating system: not part of the text
            test_less(i, 10);
            assert_int_equal(text.size, SMALL);
            assert_memory_equal(text.bytes, long_text, SMALL);
            stic_text_unload(&text);
        } else {
            assert_int_equal(status, STIC_BAD_FILE);
            changed_refused += 1;
        }
    }
    print_message("%zu bytes: %d cuts and %d changes refused\n", size, cut_refused,
                  changed_refused);
    remove(path);
}

static void missing_and_folder(void** state)
{
    (void)state;
    SticText text;
    SticError error;
    assert_int_equal(load("/nonexistent/file", 10, &text, &error), STIC_IO_FAILED);
    assert_string_equal(error.file, "/nonexistent/file");
    assert_non_null(strstr(error.text, "No such file"));
    assert_int_equal(load("/", 10, &text, &error), STIC_IO_FAILED);
    assert_non_null(strstr(error.text, "folder"));
    if (geteuid() != 0) {
        char path[TEST_PATH_SIZE];
        test_scratch_path("closed", path);
        test_file_write(path, "1", 1);
        assert_int_equal(chmod(path, 0), 0);
        assert_int_equal(load(path, 10, &text, &error), STIC_IO_FAILED);
        remove(path);
    }
}

static SticStatus load_and_unload(const SticContext* context, void* path)
{
    SticText text;
    STIC_TRY(stic_text_load(context, path, STIC_TEXT_LIMIT, &text, NULL));
    stic_text_unload(&text);
    return STIC_OK;
}

static void memory_may_fail(void** state)
{
    (void)state;
    char path[TEST_PATH_SIZE];
    test_scratch_path("memory", path);
    test_file_write(path, long_text, LONG);
    test_greater(test_fail_every_allocation(load_and_unload, path), 1);
    remove(path);
}

int main(void)
{
    fill_long_text();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_and_gzip_agree),  cmocka_unit_test(limit_holds),
        cmocka_unit_test(damaged_gzip_is_found), cmocka_unit_test(missing_and_folder),
        cmocka_unit_test(memory_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
