// SPDX-License-Identifier: Apache-2.0
// Every file of the public collection is read: sizes and weighted sums by name.
//
// The sums were computed by an independent reader: sum of (i % 7 + 1) A_ij (j % 7 + 1.5) for W or M
// and for H, sum of (i % 7 + 1) x_i for b, or w and f, plain sum for mu and mu_roll. Any value at a
// wrong place moves them.
#include "helpers/problem.h"
#include "stiction/extend/law.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CONE    STIC_LAW_CONE
#define NONNEG  STIC_LAW_NONNEG
#define ROLLING STIC_LAW_ROLLING

typedef struct Expected {
    const char* name;
    int32_t count, contact_rows, dof; // dof 0: local
    SticLaw law;
    double square, jacobian, vectors, friction; // sums
} Expected;

static const Expected collection[] = {
    {"fc2d/FC2D_SliderCrankLagrangian00000.dat", 2, 2, 0, CONE, 25811.182359309933, 0.0,
     -55.16055848787232, 0.02},
    {"fc2d/FC2D_SliderCrankLagrangian00001.dat", 2, 2, 0, CONE, 26040.745047040225, 0.0,
     -59.67591410828045, 0.02},
    {"fc2d/FrictionContactProblem00031.dat", 11, 2, 0, CONE, 391.26084368000005, 0.0,
     2.062743499138577, 9.9},
    {"fc2d/FrictionContactProblem00071.dat", 89, 2, 0, CONE, 4404.974032361598, 0.0,
     84.97489244793925, 80.10000000000002},
    {"fc2d/FrictionContactProblem00374.dat", 28, 2, 0, CONE, 680.5493227540309, 0.0,
     367.8749999959885, 25.199999999999996},
    {"fc2d/FrictionContactProblem00394.dat", 6, 2, 0, CONE, 188.76797015457487, 0.0,
     -2.611233169795557e-15, 5.4},
    {"fc2d/FrictionContactProblem00727.dat", 367, 2, 0, CONE, 20504.65570633702, 0.0,
     -636.0795156695239, 330.3000000000001},
    {"fc2d/fc2d_granularflowonwall_00667_00000.dat", 667, 2, 0, CONE, 56075992.0212086, 0.0,
     -6.613633252161577e-18, 333.5},
    {"fc2d/gfc2d_granularflowonwall_00000_00117.dat", 0, 2, 900, CONE, 25.357202382844186, 0.0,
     -0.09697141419899337, 0.0},
    {"fc2d/gfc2d_granularflowonwall_00069_00350.dat", 69, 2, 900, CONE, 25.357202382844186,
     170.767108880042, -39.16285672718435, 34.5},
    {"fc3d-global/Box_Stacks-i0122-82-5.hdf5", 82, 3, 450, CONE, 5870.398631550718,
     -217.03541600150976, -1.1827375113638108, 24.599999999999998},
    {"fc3d-global/GFC3D_Example0.dat", 1, 3, 9, CONE, 160.5, -3.0, 1.0, 0.1},
    {"fc3d-global/GFC3D_Example00.dat", 1, 3, 3, CONE, 17.0, 17.0, -6.0, 0.1},
    {"fc3d-global/GFC3D_Example00_badly_scaled.dat", 1, 3, 3, CONE, 105005.00015, 17.0, -6.0, 0.1},
    {"fc3d-global/GFC3D_Example0_SBM.dat", 1, 3, 9, CONE, 160.5, -3.0, 1.0, 0.1},
    {"fc3d-global/GFC3D_Example1.dat", 1, 3, 3, CONE, 5386.5, 17.0, -39.0, 0.5},
    {"fc3d-global/GFC3D_OneContact.dat", 1, 3, 39, CONE, 1025783.7623599996, 1.739551749954746,
     34.27947227437845, 0.5},
    {"fc3d-global/GFC3D_TwoRods1.dat", 3, 3, 54, CONE, 12893.607524590596, 12.286461342499997,
     -38.53091940814074, 0.30000000000000004},
    {"fc3d-global/Spheres-i099-356-679.hdf5", 356, 3, 12000, CONE, 157898.8191193426,
     -10859.869785923354, -72594.27475174713, 249.20000000000005},
    {"fc3d-local-dat/Capsules-i100-1090.dat", 276, 3, 0, CONE, 62959.0299882942, 0.0,
     106.97400131955531, 193.20000000000005},
    {"fc3d-local-dat/Capsules-i101-404.dat", 225, 3, 0, CONE, 49521.665776570975, 0.0,
     50.21921001363725, 157.5},
    {"fc3d-local-dat/Capsules-i103-990.dat", 275, 3, 0, CONE, 59883.82992222434, 0.0,
     50.12518184119798, 192.50000000000003},
    {"fc3d-local-dat/Confeti-ex03-Fc3D-SBM.dat", 54, 3, 0, CONE, 0.609503029065, 0.0,
     321.93190285658744, 21.59999999999999},
    {"fc3d-local-dat/Confeti-ex13-4contact-Fc3D-SBM.dat", 4, 3, 0, CONE, 0.0337712292665, 0.0,
     68.31811129991995, 0.16},
    {"fc3d-local-dat/FC3D_Example1.dat", 3, 3, 0, CONE, 160.5, 0.0, 29.0, 0.30000000000000004},
    {"fc3d-local-dat/FC3D_Example1_SBM.dat", 3, 3, 0, CONE, 160.5, 0.0, 29.0, 0.30000000000000004},
    {"fc3d-local-dat/FrictionContact3D_1c.dat", 1, 3, 0, CONE, 253.5, 0.0, 12.0, 0.1},
    {"fc3d-local-dat/FrictionContact3D_RR_1c.dat", 1, 3, 0, CONE, 0.5801966684500001, 0.0,
     -1.0971000000000002, 0.6},
    {"fc3d-local-dat/GFC3D_TwoRods1-condensed.dat", 3, 3, 0, CONE, 105.88570033829, 0.0,
     -0.7793377042296545, 0.30000000000000004},
    {"fc3d-local-dat/KaplasTower-i1061-4.hdf5.dat.gz", 570, 3, 0, CONE, 51551472.24810014, 0.0,
     -4072.404504002164, 171.0},
    {"fc3d-local-dat/NESpheres_10_1.dat", 9, 3, 0, CONE, 301.6531239347453, 0.0, 22.580873068832894,
     7.2},
    {"fc3d-local-dat/OneObject-i100000-499.hdf5.dat", 24, 3, 0, CONE, 25035.368472001883, 0.0,
     9.21238027410411, 7.199999999999999},
    {"fc3d-local-dat/RockPile_tob1.dat.gz", 463, 3, 0, CONE, 237644.4142576598, 0.0,
     -2812.708888419244, 463.0},
    {"fc3d-local-dat/Rover1039.dat", 4, 3, 0, CONE, 6.920010238960279, 0.0, -4.017442873637592,
     2.8},
    {"fc3d-local-dat/Rover1040.dat", 5, 3, 0, CONE, 12.675926736230327, 0.0, -5.280470017043712,
     3.5},
    {"fc3d-local-dat/Rover11035.dat", 1, 3, 0, CONE, 0.5723745340199938, 0.0, -0.687807170886952,
     0.7},
    {"fc3d-local-dat/Rover11211.dat", 1, 3, 0, CONE, 0.6085497716833281, 0.0, -278.7185424571292,
     0.7},
    {"fc3d-local-dat/Rover3865.dat", 5, 3, 0, CONE, 12.627756110757721, 0.0, 6.4181502941933095,
     3.5},
    {"fc3d-local-dat/Rover4396.dat", 2, 3, 0, CONE, 4.175551162711415, 0.0, -50.54913327869723,
     1.4},
    {"fc3d-local-dat/Rover4493.dat", 4, 3, 0, CONE, 7.244443818417871, 0.0, -1.777306182255387,
     2.8},
    {"fc3d-local-dat/Rover4516.dat", 4, 3, 0, CONE, 7.183439003383381, 0.0, 5.0541463695352125,
     2.8},
    {"fc3d-local-dat/Rover4609.dat", 5, 3, 0, CONE, 12.970466088053943, 0.0, -27.800914597911675,
     3.5},
    {"fc3d-local-dat/Rover4622.dat", 4, 3, 0, CONE, 7.236099037431598, 0.0, -15.164431574722107,
     2.8},
    {"fc3d-local-hdf5/Capsules-i125-1213.hdf5", 286, 3, 0, CONE, 65156.63030542992, 0.0,
     64.4538515777086, 200.20000000000005},
    {"fc3d-local-hdf5/local_problem_test.hdf5", 48, 3, 0, CONE, 3650655.275870267, 0.0,
     -0.07357494186523114, 33.6},
    {"lcp/lcp_CPS_1.dat", 2, 1, 0, NONNEG, 12.0, 0.0, -3.0, 0.0},
    {"lcp/lcp_CPS_2.dat", 3, 1, 0, NONNEG, -0.5, 0.0, 6.0, 0.0},
    {"lcp/lcp_CPS_3.dat", 4, 1, 0, NONNEG, 995.0, 0.0, -10.0, 0.0},
    {"lcp/lcp_CPS_4.dat", 4, 1, 0, NONNEG, 520.0, 0.0, 156.0, 0.0},
    {"lcp/lcp_CPS_4bis.dat", 4, 1, 0, NONNEG, 520.0, 0.0, 195.0, 0.0},
    {"lcp/lcp_CPS_5.dat", 2, 1, 0, NONNEG, 1.0, 0.0, -1.0, 0.0},
    {"lcp/lcp_Pang_isolated_sol.dat", 3, 1, 0, NONNEG, -7.5, 0.0, 1.0, 0.0},
    {"lcp/lcp_Pang_isolated_sol_perturbed.dat", 3, 1, 0, NONNEG, -7.5, 0.0, 0.9998999999999998,
     0.0},
    {"lcp/lcp_deudeu.dat", 2, 1, 0, NONNEG, 18.5, 0.0, -17.0, 0.0},
    {"lcp/lcp_deudeu_block.dat", 2, 1, 0, NONNEG, 18.5, 0.0, -17.0, 0.0},
    {"lcp/lcp_enum_fails.dat", 9, 1, 0, NONNEG, 291.57624687543307, 0.0, -0.0012362157396769418,
     0.0},
    {"lcp/lcp_exp_murty.dat", 6, 1, 0, NONNEG, 486.5, 0.0, -21.0, 0.0},
    {"lcp/lcp_exp_murty2.dat", 6, 1, 0, NONNEG, 486.5, 0.0, -2046.0, 0.0},
    {"lcp/lcp_inf_sol_perturbed.dat", 3, 1, 0, NONNEG, -0.5, 0.0, 0.9998999999999998, 0.0},
    {"lcp/lcp_ortiz_block.dat", 4, 1, 0, NONNEG, 101.0, 0.0, 1.0, 0.0},
    {"lcp/lcp_trivial.dat", 9, 1, 0, NONNEG, 911.0, 0.0, -31.0, 0.0},
    {"lcp/lcp_trivial_block.dat", 9, 1, 0, NONNEG, 911.0, 0.0, -31.0, 0.0},
    {"rolling/Chute-ndof-768-nc-4-3.hdf5", 4, 5, 768, ROLLING, 5691.696715365283, 38.70932610903661,
     -521.81708658574, 4.4},
    {"rolling/GRFC3D_Chute-ndof-768-nc-4-3.dat", 4, 5, 768, ROLLING, 5691.696144544889,
     38.70939725000007, -521.81708658574, 4.4},
    {"rolling/RFC3D_cube_1.dat", 2, 5, 0, ROLLING, 452.98446491389865, 0.0, 11.841421882535201,
     0.7999999999999999},
    {"rolling/RFC3D_sphere_1.dat", 1, 5, 0, ROLLING, 62.43465301382846, 0.0, -13.543570000000022,
     1.1},
    {"rolling/rfc3d_sphere_from_grfc3d.dat", 2, 5, 0, ROLLING, 421444271.6695, 0.0,
     -7.011754749999993, 0.602},
    {"rolling/rfc3d_sphere_from_grfc3d_dense.dat", 2, 5, 0, ROLLING, 421444271.6695, 0.0,
     -7.011754749999993, 0.602},
    {"rolling/rockfall_14_25792.dat", 14, 5, 0, ROLLING, 1.1773769334288522, 0.0, 1.907588095619106,
     13.6},
};

typedef struct Sum {
    double value, size; // the sum, and the sum of absolute terms
} Sum;

static void add(Sum* sum, double term)
{
    sum->value += term;
    sum->size += fabs(term);
}

// the sums take the matrix by rows; H' gives H when transposed
static Sum matrix_sum(const SticBlockCsr* A, bool transposed)
{
    Sum sum = {0};
    for (int32_t i = 0; A != NULL && i < A->rows; ++i)
        for (int32_t k = A->begin[i]; k < A->begin[i + 1]; ++k) {
            const double* value = A->value + A->value_at[k];
            for (int32_t row = A->row_at[i]; row < A->row_at[i + 1]; ++row)
                for (int32_t col = A->col_at[A->col[k]]; col < A->col_at[A->col[k] + 1]; ++col) {
                    const int32_t a = transposed ? col : row, b = transposed ? row : col;
                    add(&sum, (a % 7 + 1.0) * *value++ * (b % 7 + 1.5));
                }
        }
    return sum;
}

static void add_vector(Sum* sum, const double* x, int32_t count)
{
    for (int32_t i = 0; x != NULL && i < count; ++i)
        add(sum, (i % 7 + 1.0) * x[i]);
}

static void check_sum(const char* name, const char* what, Sum sum, double expected)
{
    if (!(fabs(sum.value - expected) <= 1e-12 * sum.size))
        fail_msg("%s: the sum of %s is %.17g instead of %.17g", name, what, sum.value, expected);
}

static void check_file(const SticContext* context, const Expected* expected, TestTable* table)
{
    char path[TEST_PATH_SIZE];
    test_problem_path(expected->name, path);
    const double start = stic_timer_seconds();
    SticProblemStore* store = test_problem_read(context, path);
    const double seconds = stic_timer_seconds() - start;
    const SticProblem* problem = stic_problem_view(store);
    assert_int_equal(problem->count, expected->count);
    assert_int_equal(problem->rows, expected->count * expected->contact_rows);
    assert_int_equal(problem->dof, expected->dof);
    Sum vectors = {0}, friction = {0};
    add_vector(&vectors, expected->dof > 0 ? problem->w : problem->b, problem->rows);
    add_vector(&vectors, problem->f, problem->dof);
    for (int32_t i = 0; i < problem->count; ++i) {
        assert_int_equal(problem->law[i], expected->law);
        add(&friction, problem->coef[i][0] + problem->coef[i][2]);
    }
    check_sum(expected->name, "W or M", matrix_sum(problem->M ? problem->M->A : problem->W, false),
              expected->square);
    check_sum(expected->name, "H", matrix_sum(problem->Ht, true), expected->jacobian);
    check_sum(expected->name, "b, or w and f", vectors, expected->vectors);
    check_sum(expected->name, "mu", friction, expected->friction);
    test_table_row(table, "%s|%d|%d|%d|%s|%d|%.1f", expected->name, (int)problem->count,
                   (int)problem->rows, (int)problem->dof,
                   problem->count > 0 ? stic_law_name((SticLaw)problem->law[0]) : "-",
                   problem->M != NULL ? (int)problem->M->A->rows : 0, 1e3 * seconds);
    stic_problem_destroy(store);
}

// a library built without HDF5 reads only the text files
static bool can_read(const char* name)
{
#ifdef STIC_HAVE_HDF5
    (void)name;
    return true;
#else
    return strcmp(name + strlen(name) - 5, ".hdf5") != 0;
#endif
}

static void every_file_is_read(void** state)
{
    (void)state;
    TestMemory memory;
    const SticContext context = test_memory_context(&memory);
    char folder[TEST_PATH_SIZE];
    if (!test_problems_folder(folder)) {
        print_message("skipped: no problem collection at %s (set STICTION_PROBLEMS)\n", folder);
        skip();
    }
    TestTable table =
        test_table_begin("public collection", "problem                                             "
                                              " |contacts|rows|  dof|    law|bodies|  ms");
    for (size_t i = 0; i < sizeof collection / sizeof collection[0]; ++i)
        if (can_read(collection[i].name))
            check_file(&context, &collection[i], &table);
    test_memory_check(&memory);
}

// the same problem in two storage forms; `tolerance` covers the six digits of printed sparse files
static void compare_files(const char* first, const char* second, double tolerance)
{
    if (!can_read(first))
        return;
    const SticContext context = stic_context_default();
    char path[TEST_PATH_SIZE];
    test_problem_path(first, path);
    SticProblemStore* a = test_problem_read(&context, path);
    test_problem_path(second, path);
    SticProblemStore* b = test_problem_read(&context, path);
    test_problem_compare(stic_problem_view(a), stic_problem_view(b), tolerance);
    stic_problem_destroy(a);
    stic_problem_destroy(b);
}

static void storage_forms_agree(void** state)
{
    (void)state;
    compare_files("fc3d-local-dat/FC3D_Example1.dat", "fc3d-local-dat/FC3D_Example1_SBM.dat", 0.0);
    compare_files("fc3d-global/GFC3D_Example0.dat", "fc3d-global/GFC3D_Example0_SBM.dat", 0.0);
    compare_files("lcp/lcp_deudeu.dat", "lcp/lcp_deudeu_block.dat", 0.0);
    compare_files("rolling/rfc3d_sphere_from_grfc3d.dat",
                  "rolling/rfc3d_sphere_from_grfc3d_dense.dat", 1e-5);
    compare_files("rolling/Chute-ndof-768-nc-4-3.hdf5", "rolling/GRFC3D_Chute-ndof-768-nc-4-3.dat",
                  1e-5);
}

// the collection has one problem in global form and condensed by another program, with seven digits
static void condensing_agrees(void** state)
{
    (void)state;
    const SticContext context = stic_context_default();
    char path[TEST_PATH_SIZE];
    test_problem_path("fc3d-global/GFC3D_TwoRods1.dat", path);
    SticProblemStore* global = test_problem_read(&context, path);
    test_problem_path("fc3d-local-dat/GFC3D_TwoRods1-condensed.dat", path);
    SticProblemStore* local = test_problem_read(&context, path);
    SticArena* arena = NULL;
    SticProblem condensed;
    SticError error = {0};
    assert_int_equal(stic_arena_create(&context, 0, &arena), STIC_OK);
    assert_int_equal(stic_problem_condense(arena, stic_problem_view(global), &condensed, &error),
                     STIC_OK);
    condensed.M = NULL;
    condensed.Ht = NULL;
    condensed.f = condensed.w = NULL;
    condensed.dof = 0;
    test_problem_compare(stic_problem_view(local), &condensed, 1e-6);
    stic_arena_destroy(arena);
    stic_problem_destroy(global);
    stic_problem_destroy(local);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_file_is_read),
        cmocka_unit_test(storage_forms_agree),
        cmocka_unit_test(condensing_agrees),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
