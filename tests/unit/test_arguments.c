// SPDX-License-Identifier: Apache-2.0
// Arguments that a caller got wrong: NULL, times that cannot be reached, numbers that name nothing.
#include "helpers/helpers.h"

#include "stiction/stiction.h"

#include <math.h>
#include <string.h>

static SticError error;

// a call must be refused as a bad argument, with a sentence that holds `words`
#define REFUSED(call, words)                                                                       \
    do {                                                                                           \
        memset(&error, 0, sizeof error);                                                           \
        test_equal((int)(call), (int)STIC_BAD_ARGUMENT);                                           \
        if (strstr(error.text, words) == NULL)                                                     \
            fail_msg("%s: '%s' does not say '%s'", #call, error.text, words);                      \
    } while (0)

typedef struct Scene {
    SticWorld* world;
    SticRun* run;
    SticBodyId ball;
    SticJointId joint; // spherical: without a coordinate
} Scene;

static Scene make_scene(void)
{
    Scene made = {0};
    SticBodyDef body = stic_body_default_def();
    SticJointDef joint = stic_joint_default_def();
    assert_int_equal(stic_world_create(NULL, NULL, &made.world, &error), STIC_OK);
    body.shape = stic_world_sphere(made.world, 0.1, &error);
    assert_int_equal(stic_body_create(made.world, &body, &made.ball, &error), STIC_OK);
    joint.body[0] = made.ball;
    assert_int_equal(stic_joint_create(made.world, &joint, &made.joint, &error), STIC_OK);
    assert_int_equal(stic_run_create(NULL, made.world, NULL, &made.run, &error), STIC_OK);
    return made;
}

static void end_scene(const Scene* scene)
{
    stic_run_destroy(scene->run);
    stic_world_destroy(scene->world);
}

static void null_is_refused_by_name(void** state)
{
    (void)state;
    const Scene scene = make_scene();
    const SticBodyDef body = stic_body_default_def();
    SticProblemStore* store = NULL;
    SticScene* loaded = NULL;
    SticResult* result = NULL;
    SticRun* run = NULL;
    const SticContactForce* contact = NULL;
    int32_t count = 0;
    REFUSED(stic_world_create(NULL, NULL, NULL, &error), "stic_world_create: world is NULL");
    REFUSED(stic_body_create(NULL, &body, NULL, &error), "world is NULL");
    REFUSED(stic_body_create(scene.world, NULL, NULL, &error), "def is NULL");
    SticBodyDef fixed = stic_body_default_def();
    fixed.kind = STIC_BODY_FIXED;
    fixed.velocity.x = 1.0;
    REFUSED(stic_body_create(scene.world, &fixed, NULL, &error), "a fixed body has no velocity");
    fixed.velocity.x = 0.0;
    fixed.force.x = 1.0;
    REFUSED(stic_body_create(scene.world, &fixed, NULL, &error), "a fixed body has no force");
    REFUSED(stic_joint_create(scene.world, NULL, NULL, &error), "def is NULL");
    // what is wrong is not its principal moments
    SticWorld* lopsided = NULL;
    SticBodyDef skew = stic_body_default_def();
    assert_int_equal(stic_world_create(NULL, NULL, &lopsided, &error), STIC_OK);
    skew.mass = skew.inertia.m[0][0] = skew.inertia.m[1][1] = skew.inertia.m[2][2] = 1.0;
    skew.inertia.m[1][0] = 0.2;
    REFUSED(stic_body_create(lopsided, &skew, NULL, &error), "inertia is not symmetric");
    stic_world_destroy(lopsided);
    REFUSED(stic_material_create(scene.world, NULL, NULL, &error), "def is NULL");
    REFUSED(stic_run_create(NULL, NULL, NULL, &run, &error), "world is NULL");
    REFUSED(stic_run_create(NULL, scene.world, NULL, NULL, &error), "run is NULL");
    REFUSED(stic_run_advance(NULL, 1.0, &error), "run is NULL");
    REFUSED(stic_run_set_twist(scene.run, scene.ball, NULL, &error), "twist is NULL");
    REFUSED(stic_run_save_file(scene.run, NULL, &error), "path is NULL");
    REFUSED(stic_problem_create(NULL, NULL, &store, &error), "def is NULL");
    REFUSED(stic_problem_read(NULL, NULL, STIC_FORMAT_AUTO, &store, &error), "path is NULL");
    REFUSED(stic_scene_load(NULL, NULL, NULL, &loaded, &error), "path is NULL");
    REFUSED(stic_result_open(NULL, NULL, &result, &error), "path is NULL");
    REFUSED(stic_output_create(NULL, NULL, NULL, &error), "def is NULL");
    test_equal((int)stic_run_contacts(NULL, &contact, &count), (int)STIC_BAD_ARGUMENT);
    test_equal((int)stic_run_contacts(scene.run, NULL, &count), (int)STIC_BAD_ARGUMENT);
    assert_null(stic_world_sphere(NULL, 1.0, &error));
    assert_null(stic_solver_find(NULL, &error));
    assert_null(stic_problem_view(NULL));
    assert_null(stic_run_totals(NULL));
    test_equal(stic_body_find(scene.world, NULL).generation, 0);
    end_scene(&scene);
}

static void lists_that_are_missing_are_refused(void** state)
{
    (void)state;
    const SticVec3 corner[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const int32_t begin[5] = {0, 3, 6, 9, 12};
    const SticShape* part[1] = {NULL};
    const SticPose pose[1] = {stic_pose_identity()};
    SticShape* shape = NULL;
    SticPolyhedronDef hull = stic_polyhedron_default_def();
    hull.vertex_count = 4;
    REFUSED(stic_shape_create_polyhedron(NULL, &hull, &shape, &error), "def->vertex is NULL");
    hull.vertex = corner;
    hull.face_begin = begin;
    hull.face_count = 4;
    REFUSED(stic_shape_create_polyhedron(NULL, &hull, &shape, &error), "face_vertex is NULL");
    SticMeshDef mesh = stic_mesh_default_def();
    mesh.vertex_count = mesh.face_count = 4;
    REFUSED(stic_shape_create_mesh(NULL, &mesh, &shape, &error), "def->vertex is NULL");
    mesh.vertex = corner;
    REFUSED(stic_shape_create_mesh(NULL, &mesh, &shape, &error), "face_vertex is NULL");
    SticCompoundDef compound = stic_compound_default_def();
    compound.count = 1;
    REFUSED(stic_shape_create_compound(NULL, &compound, &shape, &error), "shape is NULL");
    compound.shape = part;
    REFUSED(stic_shape_create_compound(NULL, &compound, &shape, &error), "pose is NULL");
    compound.pose = pose;
    REFUSED(stic_shape_create_compound(NULL, &compound, &shape, &error), "element 0");
    const SticHeightFieldDef field = {NULL, 2, 2, 1.0, 1.0};
    REFUSED(stic_shape_create_height_field(NULL, &field, &shape, &error), "height is NULL");

    SticScene* loaded = NULL;
    SticText text = {0};
    SticSceneAssignment given = {0};
    SticSceneOptions options = stic_scene_default_options();
    REFUSED(stic_scene_parse(NULL, &text, "m", NULL, &loaded, &error), "bytes is NULL");
    options.param_count = 1;
    REFUSED(stic_scene_load(NULL, "m.lua", &options, &loaded, &error), "param is NULL");
    options.param = &given;
    REFUSED(stic_scene_load(NULL, "m.lua", &options, &loaded, &error), "the name of param");
    given.name = "slope";
    REFUSED(stic_scene_load(NULL, "m.lua", &options, &loaded, &error), "the value of param");
    options.param_count = 0;
    options.set_count = 1;
    REFUSED(stic_scene_load(NULL, "m.lua", &options, &loaded, &error), "set is NULL");

    const Scene scene = make_scene();
    SticSignal signal = {.kind = STIC_SIGNAL_TABLE, .count = 3};
    assert_true(isnan(stic_signal_control(&signal, scene.run, 0.5)));
    test_equal(stic_run_bodies(scene.run, NULL, 1), 1);
    REFUSED(stic_body_set_point_forces(scene.world, scene.ball, NULL, -1, &error), "-1 forces");
    end_scene(&scene);
}

static void problems_need_their_vectors(void** state)
{
    (void)state;
    const double W[1] = {1.0}, b[1] = {-1.0};
    double r[1] = {0.0}, u[1] = {0.0};
    const SticProblemDef def = {.contacts = 1, .contact_rows = 1, .W = W, .b = b};
    SticProblemStore* store = NULL;
    SticArena* arena = NULL;
    SticSolveInfo info = {0};
    SticErrors errors;
    SticSolveRequest request = {.settings = stic_solve_default_settings()};
    assert_int_equal(stic_problem_create(NULL, &def, &store, &error), STIC_OK);
    assert_int_equal(stic_arena_create(NULL, 0, &arena), STIC_OK);
    const SticProblem* problem = stic_problem_view(store);
    test_equal((int)stic_solve_named(NULL, problem, "auto", NULL, u, &info), STIC_BAD_ARGUMENT);
    assert_non_null(strstr(info.error.text, "r is NULL"));
    test_equal((int)stic_solve_named(NULL, problem, "auto", r, NULL, &info), STIC_BAD_ARGUMENT);
    test_equal((int)stic_errors_compute(arena, problem, NULL, u, &errors), STIC_BAD_ARGUMENT);
    test_equal((int)stic_errors_compute(arena, problem, r, NULL, &errors), STIC_BAD_ARGUMENT);
    test_equal((int)stic_solve(problem, &request, r, u, &info), STIC_BAD_ARGUMENT);
    request.solver = stic_solver_find("auto", &error);
    test_equal((int)stic_solve(problem, &request, r, u, &info), STIC_BAD_ARGUMENT);
    assert_non_null(strstr(info.error.text, "workspace is NULL"));
    // what was not tried is not solved
    test_equal((int)info.outcome, STIC_OUTCOME_COUNT);
    assert_string_equal(stic_outcome_name(info.outcome), "not-tried");
    test_equal((int)stic_solve_named(NULL, NULL, "auto", r, u, &info), STIC_BAD_ARGUMENT);
    test_equal((int)info.outcome, STIC_OUTCOME_COUNT);
    stic_arena_destroy(arena);
    stic_problem_destroy(store);
}

// the thing, its place and its value
static void numbers_that_are_none_are_named(void** state)
{
    (void)state;
    double M[4] = {1.0, 0.0, 0.0, NAN}, H[2] = {1.0, 0.0}, f[2] = {0.0}, w[1] = {0.0};
    const SticProblemDef def = {
        .contacts = 1, .contact_rows = 1, .dof = 2, .M = M, .H = H, .f = f, .w = w};
    SticProblemStore* store = NULL;
    SticWorld* world = NULL;
    SticWorldDef given = stic_world_default_def();
    test_equal((int)stic_problem_create(NULL, &def, &store, &error), STIC_NOT_FINITE);
    assert_string_equal(error.text,
                        "M is nan at (1, 1), counted from 0; it must be a finite number");
    M[3] = 1.0, H[1] = INFINITY;
    test_equal((int)stic_problem_create(NULL, &def, &store, &error), STIC_NOT_FINITE);
    assert_non_null(strstr(error.text, "H is inf at (1, 0)"));
    H[1] = 0.0, M[3] = -1.0;
    test_equal((int)stic_problem_create(NULL, &def, &store, &error), STIC_BAD_DATA);
    assert_non_null(strstr(error.text, "1 of its 2 eigenvalues is negative"));
    given.gravity.z = NAN;
    REFUSED(stic_world_create(NULL, &given, &world, &error), "gravity is (0, 0, nan) m/s^2");
}

static void what_may_be_null_has_defaults(void** state)
{
    (void)state;
    const Scene scene = make_scene();
    const SticRunDef nothing = {.step = 1e-3, .max_halvings = 3};
    SticRun* run = NULL;
    SticArena* arena = NULL;
    assert_int_equal(stic_run_create(NULL, scene.world, &nothing, &run, &error), STIC_OK);
    assert_int_equal(stic_run_step(run, NULL), STIC_OK);
    assert_int_equal(stic_run_energy(run, NULL, NULL), STIC_OK);
    assert_int_equal(stic_arena_create(NULL, 0, &arena), STIC_OK);
    stic_arena_destroy(arena);
    stic_run_destroy(run);
    end_scene(&scene);
}

static void times_that_cannot_be_reached_are_refused(void** state)
{
    (void)state;
    const Scene scene = make_scene();
    REFUSED(stic_run_advance(scene.run, INFINITY, &error), "must be finite");
    REFUSED(stic_run_advance(scene.run, NAN, &error), "must be finite");
    assert_int_equal(stic_run_advance(scene.run, 0.01, &error), STIC_OK);
    assert_int_equal(stic_run_advance(scene.run, 0.01, &error), STIC_OK);
    REFUSED(stic_run_advance(scene.run, 0.002, &error), "has passed");
    test_near(stic_run_time(scene.run), 0.01, 1e-12);
    end_scene(&scene);
}

static double no_force(void* self, const SticRun* run, double t)
{
    (void)self, (void)run, (void)t;
    return 0.0;
}

static void numbers_that_name_nothing_are_refused(void** state)
{
    (void)state;
    const Scene scene = make_scene();
    SticRunDef def = stic_run_default_def();
    SticRun* run = NULL;
    def.policy = (SticPolicy)99;
    REFUSED(stic_run_create(NULL, scene.world, &def, &run, &error), "there is no policy 99");
    def = stic_run_default_def();
    def.law = (SticContactLaw)55;
    REFUSED(stic_run_create(NULL, scene.world, &def, &run, &error), "no law of contacts 55");
    def = stic_run_default_def();
    def.settings = "solver.tolerance=abc";
    REFUSED(stic_run_create(NULL, scene.world, &def, &run, &error), "solver.tolerance: 'abc'");
    REFUSED(stic_run_control_force(scene.run, scene.joint, no_force, NULL, &error),
            "joint number 0: the kind");
    end_scene(&scene);
}

static void bad_push(void* self, const SticRun* run, double t, SticVec3* force, SticVec3* torque)
{
    (void)self, (void)run, (void)t;
    *force = (SticVec3){NAN, 0.0, 0.0};
    *torque = (SticVec3){0.0, 0.0, 0.0};
}

static void failed_steps_say_what_was_wrong(void** state)
{
    (void)state;
    const Scene scene = make_scene();
    const SticVec3 none = {0.0, 0.0, 0.0}, bad = {NAN, 0.0, 0.0};
    SticStepInfo info;
    assert_int_equal(stic_body_set_force(scene.world, scene.ball, bad, none, &error),
                     STIC_NOT_FINITE);
    assert_non_null(strstr(error.text, "body number 0: force or torque is not finite"));
    assert_int_equal(stic_run_control_body(scene.run, scene.ball, bad_push, NULL, &error), STIC_OK);
    assert_int_equal(stic_run_step(scene.run, &info), STIC_NOT_FINITE);
    // a control is asked at the middle of the step
    assert_non_null(strstr(info.error.text, "the control of body number 0 gave a force or torque"));
    assert_non_null(strstr(info.error.text, "t = 0.0005 s"));
    assert_int_equal(stic_run_control_body(scene.run, scene.ball, NULL, NULL, &error), STIC_OK);
    stic_world_set_gravity(scene.world, bad);
    assert_int_equal(stic_run_step(scene.run, &info), STIC_NOT_FINITE);
    assert_non_null(strstr(info.error.text, "gravity is not finite"));
    stic_world_set_gravity(scene.world, none);
    assert_int_equal(stic_run_step(scene.run, &info), STIC_OK);
    assert_int_equal(stic_body_destroy(scene.world, scene.ball, &error), STIC_OK);
    assert_int_equal(stic_run_step(scene.run, &info), STIC_BAD_DATA);
    assert_non_null(strstr(info.error.text, "make a new run"));
    end_scene(&scene);
}

static double bad_number(void* self, const SticRun* run, double t)
{
    (void)self, (void)run, (void)t;
    return NAN;
}

// a slider of the ball along x, with a drive
static void make_slider(Scene* scene)
{
    SticJointDef joint = stic_joint_default_def();
    SticBodyDef body = stic_body_default_def();
    joint.kind = STIC_JOINT_SLIDER;
    joint.driven = true;
    assert_int_equal(stic_world_create(NULL, NULL, &scene->world, &error), STIC_OK);
    body.shape = stic_world_sphere(scene->world, 0.1, &error);
    assert_int_equal(stic_body_create(scene->world, &body, &joint.body[0], &error), STIC_OK);
    assert_int_equal(stic_joint_create(scene->world, &joint, &scene->joint, &error), STIC_OK);
    assert_int_equal(stic_run_create(NULL, scene->world, NULL, &scene->run, &error), STIC_OK);
}

// loads of joints that are no numbers are refused as those of bodies are: what, who and when
static void joints_say_what_was_wrong_too(void** state)
{
    (void)state;
    Scene scene = {0};
    SticStepInfo info;
    const SticDrive drive = {.speed = NAN};
    make_slider(&scene);
    assert_int_equal(stic_joint_set_force(scene.world, scene.joint, NAN, &error), STIC_NOT_FINITE);
    assert_non_null(strstr(error.text, "joint number 0: the force of the actuator"));
    assert_int_equal(stic_joint_set_drive(scene.world, scene.joint, &drive, &error),
                     STIC_NOT_FINITE);
    stic_run_control_force(scene.run, scene.joint, bad_number, NULL, &error);
    assert_int_equal(stic_run_step(scene.run, &info), STIC_NOT_FINITE);
    assert_non_null(strstr(info.error.text, "the control of joint number 0 gave a force that is"));
    assert_non_null(strstr(info.error.text, "t = 0.0005 s"));
    stic_run_control_force(scene.run, scene.joint, NULL, NULL, &error);
    stic_run_control_drive(scene.run, scene.joint, bad_number, NULL, &error);
    assert_int_equal(stic_run_step(scene.run, &info), STIC_NOT_FINITE);
    assert_non_null(strstr(info.error.text, "the control of joint number 0 gave a speed that is"));
    stic_run_control_drive(scene.run, scene.joint, NULL, NULL, &error);
    assert_int_equal(stic_run_step(scene.run, &info), STIC_OK);
    end_scene(&scene);
}

static void members_of_definitions_are_named(void** state)
{
    (void)state;
    const Scene scene = make_scene();
    const SticBodyDef usual = stic_body_default_def();
    SticBodyDef body = usual;
    SticJointDef joint = stic_joint_default_def();
    body.angular_velocity.y = NAN;
    REFUSED(stic_body_create(scene.world, &body, NULL, &error),
            "body number 1: the angular velocity is not finite");
    body = usual;
    body.inertia.m[0][0] = body.inertia.m[1][1] = 1.0;
    body.inertia.m[2][2] = 5.0;
    REFUSED(stic_body_create(scene.world, &body, NULL, &error), "an inertia but no mass");
    body.mass = 1.0;
    REFUSED(stic_body_create(scene.world, &body, NULL, &error), "moments of inertia 1, 1, 5");
    body.inertia.m[2][2] = 2.0;
    assert_int_equal(stic_body_create(scene.world, &body, NULL, &error), STIC_OK);
    joint.body[0] = scene.ball;
    joint.restitution = 1.5;
    REFUSED(stic_joint_create(scene.world, &joint, NULL, &error),
            "the restitution is 1.5; it must lie in [0, 1]");
    joint.restitution = 0.0;
    joint.spring.damping = -2.0;
    REFUSED(stic_joint_create(scene.world, &joint, NULL, &error),
            "the damping is -2; it must not be negative");
    SticSceneOptions options = stic_scene_default_options();
    SticScene* made = NULL;
    const SticText text = {.bytes = (char[]){""}, .size = 0};
    options.param_count = -1;
    REFUSED(stic_scene_parse(NULL, &text, "x.lua", &options, &made, &error), "-1 of param");
    end_scene(&scene);
}

// What contacts ask of a solver is known before one closes; and a solver for contacts with friction is
// enough for every scheme: a ball that falls on a floor, sticks and stays
static void solvers_follow_the_laws_of_contacts(void** state)
{
    (void)state;
    SticWorld* world = NULL;
    SticBodyDef body = stic_body_default_def();
    SticBodyId ball;
    assert_int_equal(stic_world_create(NULL, NULL, &world, &error), STIC_OK);
    body.shape = stic_world_sphere(world, 0.1, &error);
    body.position = stic_vec3(0.0, 0.0, 0.11);
    body.velocity = stic_vec3(1.0, 0.0, -1.0);
    assert_int_equal(stic_body_create(world, &body, &ball, &error), STIC_OK);
    body = stic_body_default_def();
    body.kind = STIC_BODY_FIXED;
    body.shape = stic_world_half_space(world, stic_vec3(0.0, 0.0, 1.0), 0.0, &error);
    assert_int_equal(stic_body_create(world, &body, NULL, &error), STIC_OK);
    SticRunDef def = stic_run_default_def();
    SticRun* run = NULL;
    def.solver = "interior-point";
    def.scheme = "consistent";
    assert_int_equal(stic_run_create(NULL, world, &def, &run, &error), STIC_OK);
    for (int k = 0; k < 50; ++k)
        assert_int_equal(stic_run_step(run, NULL), STIC_OK);
    // overlaps that an impact leaves stay; a ball that rolls has 5/7 of its velocity
    test_near(stic_run_pose(run, ball).origin.z, 0.1, 0.01);
    test_near(stic_run_twist(run, ball).velocity.x, 5.0 / 7.0, 1e-6);
    stic_run_destroy(run);
    stic_world_destroy(world);
}

static void worlds_stay_until_their_last_run_ends(void** state)
{
    (void)state;
    TestMemory memory;
    const SticContext context = test_memory_context(&memory);
    SticWorld* world = NULL;
    SticRun* run[2] = {NULL, NULL};
    SticBodyDef body = stic_body_default_def();
    assert_int_equal(stic_world_create(&context, NULL, &world, &error), STIC_OK);
    body.shape = stic_world_sphere(world, 0.1, &error);
    assert_int_equal(stic_body_create(world, &body, NULL, &error), STIC_OK);
    for (int k = 0; k < 2; ++k)
        assert_int_equal(stic_run_create(&context, world, NULL, &run[k], &error), STIC_OK);
    stic_world_destroy(world);
    for (int k = 0; k < 2; ++k) {
        assert_int_equal(stic_run_advance(run[k], 0.1, &error), STIC_OK);
        SticBodyState ball;
        test_equal(stic_run_bodies(run[k], &ball, 1), 1);
        test_near(ball.velocity.z, -0.981, 1e-12); // g t
        stic_run_destroy(run[k]);
    }
    test_memory_check(&memory); // nothing is left
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(null_is_refused_by_name),
        cmocka_unit_test(lists_that_are_missing_are_refused),
        cmocka_unit_test(problems_need_their_vectors),
        cmocka_unit_test(numbers_that_are_none_are_named),
        cmocka_unit_test(what_may_be_null_has_defaults),
        cmocka_unit_test(times_that_cannot_be_reached_are_refused),
        cmocka_unit_test(numbers_that_name_nothing_are_refused),
        cmocka_unit_test(failed_steps_say_what_was_wrong),
        cmocka_unit_test(joints_say_what_was_wrong_too),
        cmocka_unit_test(members_of_definitions_are_named),
        cmocka_unit_test(solvers_follow_the_laws_of_contacts),
        cmocka_unit_test(worlds_stay_until_their_last_run_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
