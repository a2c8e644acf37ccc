// SPDX-License-Identifier: Apache-2.0
// FCLIB files: what is written reads back as the same problem; shifts, bilateral rows, guesses;
// storage forms; broken files are refused with the HDF5 path.
#include "helpers/problem.h"

#ifdef STIC_HAVE_HDF5

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "file/hdf5.h"
#include "stiction/extend/law.h"

typedef struct Setup {
    SticContext context;
    TestMemory memory;
    SticArena* arena;
    SticRandom random;
    char path[TEST_PATH_SIZE];
} Setup;

static int begin(void** state)
{
    Setup* setup = calloc(1, sizeof *setup);
    setup->context = test_memory_context(&setup->memory);
    setup->random = stic_random_create(11);
    test_scratch_path("fclib.h5", setup->path);
    *state = setup;
    return (int)stic_arena_create(&setup->context, 0, &setup->arena);
}

static int end(void** state)
{
    Setup* setup = *state;
    stic_arena_destroy(setup->arena);
    test_memory_check(&setup->memory);
    remove(setup->path);
    free(setup);
    return 0;
}

static void write_problem(Setup* setup, const SticProblem* problem, const SticMetadata* metadata)
{
    SticError error = {0};
    const SticStatus status =
        stic_problem_write(&setup->context, problem, metadata, setup->path, &error);
    if (status != STIC_OK)
        fail_msg("%s: %s", stic_status_name(status), error.text);
}

/* ---- round trips ---- */

static void round_trip_is_exact(void** state)
{
    Setup* setup = *state;
    static const TestProblemDef defs[] = {
        {STIC_LAW_CONE, 7, 3, 0, 0, false},    {STIC_LAW_CONE, 5, 2, 0, 0, false},
        {STIC_LAW_CONE, 9, 3, 0, 5, false},    {STIC_LAW_CONE, 4, 2, 0, 3, false},
        {STIC_LAW_ROLLING, 6, 5, 0, 4, false}, {STIC_LAW_CONE, 0, 3, 0, 0, false},
        {STIC_LAW_CONE, 0, 3, 0, 2, false},    {STIC_LAW_ROLLING, 6, 3, 0, 4, false},
    };
    for (size_t i = 0; i < sizeof defs / sizeof defs[0]; ++i) {
        const SticProblem problem = test_problem_random(setup->arena, &setup->random, &defs[i]);
        write_problem(setup, &problem, NULL);
        SticProblemStore* store = test_problem_read(&setup->context, setup->path);
        test_problem_compare(&problem, stic_problem_view(store), 0.0);
        stic_problem_destroy(store);
    }
}

// where each row of the problem stands in the file: contacts first
static int32_t* file_rows(const SticProblem* problem)
{
    int32_t* place = calloc((size_t)problem->rows + 1, sizeof *place);
    int32_t next = 0;
    for (int pass = 0; pass < 2; ++pass)
        for (int32_t i = 0; i < problem->count; ++i)
            if ((problem->law[i] == STIC_LAW_FREE) == (pass == 1))
                for (int32_t row = problem->row_at[i]; row < problem->row_at[i + 1]; ++row)
                    place[row] = next++;
    return place;
}

static void local_joints_and_shifts(void** state)
{
    Setup* setup = *state;
    const TestProblemDef def = {STIC_LAW_CONE, 4, 3, 2, 0, true};
    const SticProblem problem = test_problem_random(setup->arena, &setup->random, &def);
    write_problem(setup, &problem, NULL);
    SticProblemStore* store = test_problem_read(&setup->context, setup->path);
    const SticProblem* read = stic_problem_view(store);
    assert_int_equal(read->rows, problem.rows);
    assert_null(read->u_shift);
    assert_null(read->r_shift);
    int32_t* place = file_rows(&problem);
    double *W = test_problem_dense(problem.W), *V = test_problem_dense(read->W);
    const int32_t n = problem.rows;
    for (int32_t i = 0; i < n; ++i) {
        double b = problem.b[i] + problem.u_shift[i];
        for (int32_t j = 0; j < n; ++j) {
            b -= W[i * n + j] * problem.r_shift[j];
            test_equal(W[i * n + j], V[place[i] * n + place[j]]);
        }
        test_less(fabs(read->b[place[i]] - b), 1e-14);
    }
    // six bilateral rows that couple make one interaction
    assert_int_equal(read->count, 5);
    assert_int_equal(read->law[4], STIC_LAW_FREE);
    assert_int_equal(read->row_at[5] - read->row_at[4], 6);
    free(W);
    free(V);
    free(place);
    stic_problem_destroy(store);
}

static void global_joints_and_shifts(void** state)
{
    Setup* setup = *state;
    const TestProblemDef def = {STIC_LAW_CONE, 5, 3, 2, 4, true};
    const SticProblem problem = test_problem_random(setup->arena, &setup->random, &def);
    write_problem(setup, &problem, NULL);
    SticProblemStore* store = test_problem_read(&setup->context, setup->path);
    const SticProblem* read = stic_problem_view(store);
    int32_t* place = file_rows(&problem);
    double *A = test_problem_dense(problem.Ht), *B = test_problem_dense(read->Ht);
    const int32_t n = problem.dof;
    assert_int_equal(read->dof, n);
    for (int32_t j = 0; j < n; ++j) {
        double f = problem.f[j];
        for (int32_t i = 0; i < problem.rows; ++i) {
            f -= A[i * n + j] * problem.r_shift[i];
            test_equal(A[i * n + j], B[place[i] * n + j]);
        }
        test_less(fabs(read->f[j] - f), 1e-14);
    }
    for (int32_t i = 0; i < problem.rows; ++i)
        test_equal(read->w[place[i]], problem.w[i] + problem.u_shift[i]);
    assert_int_equal(read->law[read->count - 1], STIC_LAW_FREE);
    free(A);
    free(B);
    free(place);
    stic_problem_destroy(store);
}

static void metadata_round_trip(void** state)
{
    Setup* setup = *state;
    const TestProblemDef def = {STIC_LAW_CONE, 3, 3, 1, 2, true};
    const SticProblem problem = test_problem_random(setup->arena, &setup->random, &def);
    double r[12], u[12], v[12], r2[12];
    test_random_vector(&setup->random, 12, -1.0, 1.0, r);
    test_random_vector(&setup->random, 12, -1.0, 1.0, u);
    test_random_vector(&setup->random, 12, -1.0, 1.0, v);
    test_random_vector(&setup->random, 12, -1.0, 1.0, r2);
    const SticGuess guesses[2] = {{.r = r, .u = u, .v = v}, {.r = r2}};
    const SticMetadata metadata = {.title = "three contacts",
                                   .description = "two lines\nwith a joint; ü",
                                   .math_info = "unique",
                                   .guess_count = 2,
                                   .guesses = guesses,
                                   .solution = &guesses[0]};
    write_problem(setup, &problem, &metadata);
    SticProblemStore* store = test_problem_read(&setup->context, setup->path);
    const SticMetadata* read = stic_problem_metadata(store);
    assert_string_equal(read->title, metadata.title);
    assert_string_equal(read->description, metadata.description);
    assert_string_equal(read->math_info, metadata.math_info);
    assert_int_equal(read->guess_count, 2);
    assert_null(read->guesses[1].u);
    assert_null(read->guesses[1].v);
    int32_t* place = file_rows(&problem);
    for (int32_t i = 0; i < problem.rows; ++i) {
        test_equal(read->solution->r[place[i]], r[i] + problem.r_shift[i]);
        test_equal(read->guesses[1].r[place[i]], r2[i] + problem.r_shift[i]);
        // a bilateral row has no velocity in the file
        if (place[i] < 9)
            test_equal(read->solution->u[place[i]], u[i] + problem.u_shift[i]);
    }
    assert_memory_equal(read->guesses[0].v, v, sizeof v);
    free(place);
    stic_problem_destroy(store);
}

static void equal_problems_give_equal_bytes(void** state)
{
    Setup* setup = *state;
    const TestProblemDef def = {STIC_LAW_CONE, 3, 3, 0, 2, false};
    const SticProblem problem = test_problem_random(setup->arena, &setup->random, &def);
    char* bytes[2];
    size_t size[2];
    for (int i = 0; i < 2; ++i) {
        write_problem(setup, &problem, NULL);
        struct stat entry;
        assert_int_equal(stat(setup->path, &entry), 0);
        size[i] = (size_t)entry.st_size;
        bytes[i] = malloc(size[i]);
        FILE* file = fopen(setup->path, "rb");
        assert_int_equal(fread(bytes[i], 1, size[i], file), size[i]);
        fclose(file);
    }
    assert_int_equal(size[0], size[1]);
    assert_memory_equal(bytes[0], bytes[1], size[0]);
    print_message("%zu bytes\n", size[0]);
    free(bytes[0]);
    free(bytes[1]);
}

static void refused_laws_say_why(void** state)
{
    Setup* setup = *state;
    static const TestProblemDef defs[] = {
        {STIC_LAW_NONNEG, 3, 1, 0, 0, false},
        {STIC_LAW_ROLLING, 3, 5, 0, 0, false},
        {STIC_LAW_CONE_CONTENSOU, 3, 4, 0, 0, false},
        {STIC_LAW_BALL, 3, 2, 0, 0, false},
    };
    remove(setup->path);
    for (size_t i = 0; i < sizeof defs / sizeof defs[0]; ++i) {
        const SticProblem problem = test_problem_random(setup->arena, &setup->random, &defs[i]);
        SticError error = {0};
        assert_int_equal(stic_problem_write(&setup->context, &problem, NULL, setup->path, &error),
                         STIC_UNSUPPORTED);
        print_message("%s: %s\n", stic_law_name(defs[i].law), error.text);
        test_greater(strlen(error.text), 20);
        struct stat entry;
        assert_int_not_equal(stat(setup->path, &entry), 0);
    }
}

/* ---- files made by hand ---- */

// a local problem with two contacts in the plane; W by rows, `change` alters one data set
typedef struct Change {
    const char* name;     // data set to alter; NULL: none
    int kind;             // 0: leave out, 1: integers, 2: reals, 3: text
    size_t count;         // new length
    int32_t whole[6];     // new contents
    double real[6];       // new contents
    SticStatus status;    // expected
    const char* expected; // part of the message
} Change;

static void put(const SticHdf5* file, const Change* change, const char* name, size_t count,
                const int32_t* whole, const double* real)
{
    SticStatus status = STIC_OK;
    if (change->name != NULL && strcmp(change->name, name) == 0) {
        if (change->kind == 1)
            status = stic_hdf5_write_integers(file, name, change->count, change->whole);
        else if (change->kind == 2)
            status = stic_hdf5_write_reals(file, name, change->count, change->real);
        else if (change->kind == 3)
            status = stic_hdf5_write_text(file, name, "text");
    } else if (whole != NULL) {
        status = stic_hdf5_write_integers(file, name, count, whole);
    } else {
        status = stic_hdf5_write_reals(file, name, count, real);
    }
    assert_int_equal(status, STIC_OK);
}

static const int32_t entry_row[6] = {0, 1, 2, 3, 0, 2}, entry_col[6] = {0, 1, 2, 3, 2, 0};
static const double entry_value[6] = {2.0, 3.0, 4.0, 5.0, 0.5, 0.25};

static void put_storage(const SticHdf5* file, const Change* change, int32_t nz)
{
    static const int32_t begin_line[5] = {0, 2, 3, 5, 6};
    static const int32_t by_row[6] = {0, 2, 1, 0, 2, 3};
    static const double row_value[6] = {2.0, 0.5, 3.0, 0.25, 4.0, 5.0};
    static const double col_value[6] = {2.0, 0.25, 3.0, 0.5, 4.0, 5.0};
    if (nz >= 0) {
        put(file, change, "/fclib_local/W/p", 6, entry_col, NULL);
        put(file, change, "/fclib_local/W/i", 6, entry_row, NULL);
        put(file, change, "/fclib_local/W/x", 6, NULL, entry_value);
    } else {
        put(file, change, "/fclib_local/W/p", 5, begin_line, NULL);
        put(file, change, "/fclib_local/W/i", 6, by_row, NULL);
        put(file, change, "/fclib_local/W/x", 6, NULL, nz == -1 ? col_value : row_value);
    }
}

static void make_file(const char* path, int32_t nz, const Change* change)
{
    static const int32_t four = 4, two = 2, ten = 10;
    static const double q[4] = {-1.0, 0.5, -2.0, 0.25}, mu[2] = {0.3, 0.4};
    SticHdf5 file;
    assert_int_equal(stic_hdf5_create(path, NULL, &file), STIC_OK);
    assert_int_equal(stic_hdf5_make_group(&file, "/fclib_local"), STIC_OK);
    assert_int_equal(stic_hdf5_make_group(&file, "/fclib_local/W"), STIC_OK);
    assert_int_equal(stic_hdf5_make_group(&file, "/fclib_local/vectors"), STIC_OK);
    put(&file, change, "/fclib_local/spacedim", 1, &two, NULL);
    put(&file, change, "/fclib_local/W/m", 1, &four, NULL);
    put(&file, change, "/fclib_local/W/n", 1, &four, NULL);
    put(&file, change, "/fclib_local/W/nz", 1, &nz, NULL);
    put(&file, change, "/fclib_local/W/nzmax", 1, &ten, NULL);
    put_storage(&file, change, nz);
    put(&file, change, "/fclib_local/vectors/q", 4, NULL, q);
    put(&file, change, "/fclib_local/vectors/mu", 2, NULL, mu);
    assert_int_equal(stic_hdf5_close(&file), STIC_OK);
}

static void storage_forms(void** state)
{
    Setup* setup = *state;
    const Change none = {0};
    for (int32_t nz = -2; nz <= 6; nz = nz == -1 ? 6 : nz + 1) {
        make_file(setup->path, nz, &none);
        SticProblemStore* store = test_problem_read(&setup->context, setup->path);
        const SticProblem* problem = stic_problem_view(store);
        assert_int_equal(problem->count, 2);
        double* W = test_problem_dense(problem->W);
        double expected[16] = {0};
        for (int k = 0; k < 6; ++k)
            expected[4 * entry_row[k] + entry_col[k]] = entry_value[k];
        assert_memory_equal(W, expected, sizeof expected);
        test_equal(problem->coef[1][0], 0.4);
        free(W);
        stic_problem_destroy(store);
    }
}

static void broken_files_are_refused(void** state)
{
    Setup* setup = *state;
    const double nan_value = nan(""), infinite = HUGE_VAL;
    const Change changes[] = {
        {"/fclib_local/spacedim", 0, 0, {0}, {0}, STIC_BAD_FILE, "spacedim is missing"},
        {"/fclib_local/spacedim", 1, 1, {7}, {0}, STIC_BAD_FILE, "outside 2 to 3"},
        {"/fclib_local/spacedim", 1, 1, {3}, {0}, STIC_BAD_FILE, "does not fit 4 rows"},
        {"/fclib_local/spacedim", 1, 2, {2, 2}, {0}, STIC_BAD_FILE, "2 values instead of 1"},
        {"/fclib_local/spacedim", 2, 1, {0}, {2.0}, STIC_BAD_FILE, "whole numbers"},
        {"/fclib_local/spacedim", 3, 1, {0}, {0}, STIC_BAD_FILE, "whole numbers"},
        {"/fclib_local/vectors/q", 3, 1, {0}, {0}, STIC_BAD_FILE, "does not"},
        {"/fclib_local/vectors/q", 2, 3, {0}, {1, 2, 3}, STIC_BAD_FILE, "does not fit 3 rows"},
        {"/fclib_local/vectors/q", 2, 6, {0}, {1, 2}, STIC_BAD_FILE, "for 3 contacts"},
        {"/fclib_local/vectors/q", 2, 4, {0}, {1, nan_value}, STIC_NOT_FINITE, "index 1"},
        {"/fclib_local/vectors/q", 0, 0, {0}, {0}, STIC_BAD_FILE, "vectors/q is missing"},
        {"/fclib_local/vectors/mu", 2, 2, {0}, {0.5, -0.1}, STIC_BAD_DATA, "contact 1, below 0"},
        {"/fclib_local/vectors/mu", 2, 2, {0}, {infinite, 0}, STIC_NOT_FINITE, "index 0"},
        {"/fclib_local/vectors/mu", 2, 3, {0}, {1, 1, 1}, STIC_BAD_FILE, "for 2 contacts"},
        {"/fclib_local/W/m", 1, 1, {5}, {0}, STIC_BAD_FILE, "5 x 4 instead of 4 x 4"},
        {"/fclib_local/W/m", 1, 1, {INT32_MAX}, {0}, STIC_BAD_FILE, "outside"},
        {"/fclib_local/W/nz", 1, 1, {-3}, {0}, STIC_BAD_FILE, "outside"},
        {"/fclib_local/W/nz", 1, 1, {100}, {0}, STIC_BAD_FILE, "declares 100 entries"},
        {"/fclib_local/W/nz", 1, 1, {-1}, {0}, STIC_BAD_FILE, "/fclib_local/W"},
        {"/fclib_local/W/i", 1, 6, {0, 1, 2, 3, 4, 0}, {0}, STIC_BAD_FILE, "outside its 4 x 4"},
        {"/fclib_local/W/i", 1, 6, {0, 1, 2, 3, -1, 0}, {0}, STIC_BAD_FILE, "outside its 4 x 4"},
        {"/fclib_local/W/x", 2, 5, {0}, {1, 1, 1, 1, 1}, STIC_BAD_FILE, "5 values for 6"},
        {"/fclib_local/W/x", 2, 6, {0}, {1, 1, 1, nan_value, 1}, STIC_NOT_FINITE, "index 3"},
        {"/fclib_local/W/x", 2, 6, {0}, {0, 1, 1, 1, 1, 1}, STIC_SINGULAR, "contact 0"},
        {"/fclib_local/W/x", 2, 6, {0}, {1, 1, -1, 1, 1, 1}, STIC_SINGULAR, "contact 1"},
    };
    for (size_t i = 0; i < sizeof changes / sizeof changes[0]; ++i) {
        make_file(setup->path, 6, &changes[i]);
        SticProblemStore* store = NULL;
        SticError error = {0};
        const SticStatus status =
            stic_problem_read(&setup->context, setup->path, STIC_FORMAT_AUTO, &store, &error);
        print_message("%s: %s\n", stic_status_name(status), error.text);
        assert_null(store);
        assert_int_equal(status, changes[i].status);
        assert_int_equal(error.status, changes[i].status);
        assert_string_equal(error.file, setup->path);
        if (strstr(error.text, changes[i].expected) == NULL)
            fail_msg("'%s' lacks '%s'", error.text, changes[i].expected);
    }
}

static void cut_files_are_refused(void** state)
{
    Setup* setup = *state;
    const Change none = {0};
    make_file(setup->path, 6, &none);
    struct stat entry;
    assert_int_equal(stat(setup->path, &entry), 0);
    const size_t size = (size_t)entry.st_size;
    char* bytes = malloc(size);
    FILE* file = fopen(setup->path, "rb");
    assert_int_equal(fread(bytes, 1, size, file), size);
    fclose(file);
    for (size_t cut = 0; cut < size; cut += cut < 200 ? 7 : 331) {
        test_file_write(setup->path, bytes, cut);
        SticProblemStore* store = NULL;
        SticError error = {0};
        const SticStatus status =
            stic_problem_read(&setup->context, setup->path, STIC_FORMAT_FCLIB, &store, &error);
        assert_int_equal(status, STIC_BAD_FILE);
        assert_null(store);
    }
    free(bytes);
    SticProblemStore* store = NULL;
    assert_int_equal(stic_problem_read(&setup->context, "/", STIC_FORMAT_FCLIB, &store, NULL),
                     STIC_IO_FAILED);
    assert_int_equal(
        stic_problem_read(&setup->context, "/nonexistent", STIC_FORMAT_FCLIB, &store, NULL),
        STIC_IO_FAILED);
}

static void failed_writes_keep_the_old(void** state)
{
    Setup* setup = *state;
    test_file_write(setup->path, "kept", 4);
    const TestProblemDef def = {STIC_LAW_NONNEG, 3, 1, 0, 0, false};
    const SticProblem problem = test_problem_random(setup->arena, &setup->random, &def);
    assert_int_equal(stic_problem_write(&setup->context, &problem, NULL, setup->path, NULL),
                     STIC_UNSUPPORTED);
    struct stat entry;
    assert_int_equal(stat(setup->path, &entry), 0);
    assert_int_equal(entry.st_size, 4);
    SticError error = {0};
    const TestProblemDef good = {STIC_LAW_CONE, 3, 3, 0, 0, false};
    const SticProblem fine = test_problem_random(setup->arena, &setup->random, &good);
    assert_int_equal(stic_problem_write(&setup->context, &fine, NULL, "/nonexistent/a.h5", &error),
                     STIC_IO_FAILED);
    assert_string_equal(error.file, "/nonexistent/a.h5");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(round_trip_is_exact, begin, end),
        cmocka_unit_test_setup_teardown(local_joints_and_shifts, begin, end),
        cmocka_unit_test_setup_teardown(global_joints_and_shifts, begin, end),
        cmocka_unit_test_setup_teardown(metadata_round_trip, begin, end),
        cmocka_unit_test_setup_teardown(equal_problems_give_equal_bytes, begin, end),
        cmocka_unit_test_setup_teardown(refused_laws_say_why, begin, end),
        cmocka_unit_test_setup_teardown(storage_forms, begin, end),
        cmocka_unit_test_setup_teardown(broken_files_are_refused, begin, end),
        cmocka_unit_test_setup_teardown(cut_files_are_refused, begin, end),
        cmocka_unit_test_setup_teardown(failed_writes_keep_the_old, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

static void says_that_hdf5_is_absent(void** state)
{
    (void)state;
    const SticContext context = stic_context_default();
    SticProblemStore* store = NULL;
    assert_int_equal(stic_problem_read(&context, "a.h5", STIC_FORMAT_FCLIB, &store, NULL),
                     STIC_UNSUPPORTED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(says_that_hdf5_is_absent)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#endif
