// SPDX-License-Identifier: Apache-2.0
// Replacing a file: old or new contents, never a part; nothing left beside it.
#include "helpers/problem.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "file/file.h"

static char folder[TEST_PATH_SIZE];

static int make_folder(void** state)
{
    (void)state;
    test_scratch_path("replace", folder);
    return mkdir(folder, 0700);
}

static int remove_folder(void** state)
{
    (void)state;
    return rmdir(folder);
}

static void path_in(const char* name, char path[TEST_PATH_SIZE])
{
    test_less(snprintf(path, TEST_PATH_SIZE, "%.900s/%s", folder, name), TEST_PATH_SIZE);
}

static int entries(void)
{
    DIR* listing = opendir(folder);
    assert_non_null(listing);
    int count = 0;
    while (readdir(listing) != NULL)
        count += 1;
    closedir(listing);
    return count - 2; // without . and ..
}

static void assert_contents(const char* path, const char* expected)
{
    char text[100] = "";
    FILE* file = fopen(path, "rb");
    assert_non_null(file);
    const size_t size = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    text[size] = '\0';
    assert_string_equal(text, expected);
}

static void replace_with(const char* path, const char* text)
{
    const SticContext context = stic_context_default();
    SticReplace* replace = NULL;
    SticError error = {0};
    assert_int_equal(stic_replace_begin(&context, path, &replace, &error), STIC_OK);
    assert_int_equal(stic_replace_write(replace, text, strlen(text), &error), STIC_OK);
    assert_int_equal(stic_replace_commit(replace, &error), STIC_OK);
}

static void commit_replaces(void** state)
{
    (void)state;
    char path[TEST_PATH_SIZE];
    path_in("a", path);
    replace_with(path, "old");
    assert_contents(path, "old");
    assert_int_equal(chmod(path, 0640), 0);
    replace_with(path, "new");
    assert_contents(path, "new");
    struct stat entry;
    assert_int_equal(stat(path, &entry), 0);
    assert_int_equal(entry.st_mode & 0777, 0640);
    assert_int_equal(entries(), 1);
    remove(path);
}

static void abort_keeps_the_old(void** state)
{
    (void)state;
    const SticContext context = stic_context_default();
    char path[TEST_PATH_SIZE];
    path_in("b", path);
    replace_with(path, "old");
    SticReplace *first = NULL, *second = NULL;
    assert_int_equal(stic_replace_begin(&context, path, &first, NULL), STIC_OK);
    assert_int_equal(stic_replace_begin(&context, path, &second, NULL), STIC_OK);
    assert_string_not_equal(stic_replace_path(first), stic_replace_path(second));
    assert_int_equal(stic_replace_write(first, "half", 4, NULL), STIC_OK);
    assert_int_equal(entries(), 3);
    assert_contents(path, "old");
    stic_replace_abort(first);
    stic_replace_abort(second);
    stic_replace_abort(NULL);
    assert_contents(path, "old");
    assert_int_equal(entries(), 1);
    remove(path);
}

static void link_is_followed(void** state)
{
    (void)state;
    char path[TEST_PATH_SIZE], link[TEST_PATH_SIZE];
    path_in("c", path);
    path_in("link", link);
    replace_with(path, "old");
    assert_int_equal(symlink("c", link), 0);
    replace_with(link, "through");
    assert_contents(path, "through");
    struct stat entry;
    assert_int_equal(lstat(link, &entry), 0);
    assert_true(S_ISLNK(entry.st_mode));
    remove(link);
    remove(path);
}

static void failures_are_told(void** state)
{
    (void)state;
    const SticContext context = stic_context_default();
    SticReplace* replace = NULL;
    SticError error = {0};
    assert_int_equal(stic_replace_begin(&context, folder, &replace, &error), STIC_IO_FAILED);
    assert_non_null(strstr(error.text, "plain file"));
    assert_int_equal(stic_replace_begin(&context, "/nonexistent/a", &replace, &error),
                     STIC_IO_FAILED);
    assert_string_equal(error.file, "/nonexistent/a");
    assert_null(replace);

    // the folder vanishes before the commit
    char inner[TEST_PATH_SIZE], path[TEST_PATH_SIZE];
    path_in("inner", inner);
    path_in("inner/a", path);
    assert_int_equal(mkdir(inner, 0700), 0);
    assert_int_equal(stic_replace_begin(&context, path, &replace, &error), STIC_OK);
    assert_int_equal(remove(stic_replace_path(replace)), 0);
    assert_int_equal(rmdir(inner), 0);
    assert_int_equal(stic_replace_commit(replace, &error), STIC_IO_FAILED);
    assert_non_null(strstr(error.text, "cannot be replaced"));
}

static SticStatus begin_and_abort(const SticContext* context, void* path)
{
    SticReplace* replace = NULL;
    STIC_TRY(stic_replace_begin(context, path, &replace, NULL));
    stic_replace_abort(replace);
    return STIC_OK;
}

static void memory_may_fail(void** state)
{
    (void)state;
    char path[TEST_PATH_SIZE];
    path_in("d", path);
    assert_int_equal(test_fail_every_allocation(begin_and_abort, path), 1);
    assert_int_equal(entries(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(commit_replaces),  cmocka_unit_test(abort_keeps_the_old),
        cmocka_unit_test(link_is_followed), cmocka_unit_test(failures_are_told),
        cmocka_unit_test(memory_may_fail),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
