// SPDX-License-Identifier: Apache-2.0
// Limit analysis of scenes against closed forms and against linear programs of plane arches that
// were solved elsewhere.
#include "scene/scenes.h"
#include "stiction/extend/limit.h"
#include "stiction/extend/math.h"
#include "stiction/extend/vec3.h"

#define GRAVITY 9.81

typedef struct Structure {
    SticScene* scene;
    SticSimulation* simulation;
    SticLimit* limit;
    SticArena* arena;
} Structure;

static Structure structure_of(const char* text)
{
    const SticContext context = stic_context_default();
    Structure made = {.scene = test_scene_good(&context, text)};
    SticError error = {0};
    made.simulation = test_simulation(&context, made.scene);
    assert_int_equal(stic_arena_create(&context, 0, &made.arena), STIC_OK);
    if (stic_limit_create(&context, stic_simulation_world(made.simulation), &made.limit, &error) !=
        STIC_OK)
        fail_msg("%s", error.text);
    return made;
}

static void structure_end(Structure* structure)
{
    stic_limit_destroy(structure->limit);
    stic_arena_destroy(structure->arena);
    stic_simulation_destroy(structure->simulation);
    stic_scene_destroy(structure->scene);
}

static SticLimitResult solve(const Structure* structure, const SticLimitTask* task)
{
    SticLimitResult result;
    SticError error = {0};
    if (stic_limit_solve(structure->limit, task, structure->arena, &result, &error) != STIC_OK)
        fail_msg("%s", error.text);
    return result;
}

/* ---- arches ---- */

// what an arch can spare; below 0 it falls
static double arch_margin(int blocks, double friction, double cohesion, double ratio)
{
    char text[512];
    snprintf(text, sizeof text,
             "material{name = 'stone', density = 2400, friction = %.17g, cohesion = %.17g}\n"
             "arch{radius = 10, thickness = %.17g, width = 5, blocks = %d, material = 'stone'}\n",
             friction, cohesion, 10.0 * ratio, blocks);
    Structure arch = structure_of(text);
    assert_int_equal(stic_limit_count(arch.limit), 4 * (blocks + 1));
    SticLimitTask task = stic_limit_default_task();
    task.dead = stic_limit_load(arch.limit);
    const SticLimitResult result = solve(&arch, &task);
    assert_int_equal(result.outcome, STIC_LIMIT_FOUND);
    test_at_most(result.residual, 1e-9);
    test_less(fabs(result.factor_most - result.factor), 2e-9 * (1.0 + fabs(result.factor)));
    structure_end(&arch);
    return result.factor;
}

// by halving, independent of the search of the program
static double arch_limit(int blocks, double friction, double cohesion)
{
    double low = 0.05, high = 0.25;
    while (high - low > 2e-7) {
        const double middle = 0.5 * (low + high);
        if (arch_margin(blocks, friction, cohesion, middle) >= 0.0)
            high = middle;
        else
            low = middle;
    }
    return 0.5 * (low + high);
}

static void test_arches(void** state)
{
    (void)state;
    // least thickness over radius, plane static linear program, six digits
    static const double friction[] = {1.0, 0.4, 0.38, 0.36, 0.35, 0.34, 0.33, 0.32, 0.31};
    static const struct {
        int blocks;
        double limit[9];
    } rows[] = {{15,
                 {0.106068, 0.106068, 0.119934, 0.138631, 0.148389, 0.158434, 0.168779, 0.179586,
                  0.192168}},
                {27,
                 {0.106721, 0.106721, 0.121124, 0.140891, 0.151185, 0.161767, 0.172649, 0.183845,
                  0.195995}}};
    const TestTable table =
        test_table_begin("least thickness of arches over their radius",
                         "blocks|friction|  static LP|  exact cones|difference");
    for (int r = 0; r < 2; ++r)
        for (int k = 0; k < 9; ++k) {
            const double limit = arch_limit(rows[r].blocks, friction[k], 0.0);
            test_table_row(&table, "%d|%.2f|%.6f|%.7f|%.1e", rows[r].blocks, friction[k],
                           rows[r].limit[k], limit, limit - rows[r].limit[k]);
            test_near(limit, rows[r].limit[k], 1e-6);
        }
}

static void test_cohesion(void** state)
{
    (void)state;
    // 15 blocks; cohesion is a tensile stress on the area of the joints
    static const struct {
        double friction, cohesion, limit;
    } cases[] = {
        {0.33, 2e4, 0.136323}, {0.5, 2e4, 0.098387}, {0.36, 5e4, 0.088716}, {0.3, 2e4, 0.168115}};
    const TestTable table =
        test_table_begin("least thickness of arches of 15 blocks with cohesion",
                         "friction|cohesion|  static LP|  exact cones|difference");
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; ++k) {
        const double limit = arch_limit(15, cases[k].friction, cases[k].cohesion);
        test_table_row(&table, "%.2f|%.0e|%.6f|%.7f|%.1e", cases[k].friction, cases[k].cohesion,
                       cases[k].limit, limit, limit / cases[k].limit - 1.0);
        test_near(limit, cases[k].limit, 1e-6);
    }
    // friction below which no thickness helps
    double low = 0.3, high = 0.32;
    while (high - low > 1e-7) {
        const double middle = 0.5 * (low + high);
        if (arch_margin(15, middle, 0.0, 0.5) >= 0.0)
            high = middle;
        else
            low = middle;
    }
    printf("friction that an arch of 15 blocks needs at any thickness: %.7f\n", high);
    test_near(high, 0.30899, 1e-5);
}

/* ---- blocks ---- */

// a box of 0.4 x 0.4 x 2 height on the ground, pushed along (cos, sin); result in units of g
static double push(const char* kind, double height, double friction, double angle,
                   const SticLimitTask* given, SticLimitJoint* joint)
{
    char text[512];
    snprintf(text, sizeof text,
             "material{name = 'm', density = 2000, friction = %.17g}\n"
             "floor{material = 'm'}\n"
             "body{name = 'box', kind = '%s', %s position = {0, 0, %.17g}, material = 'm',\n"
             "     shape = shape.box{size = {0.4, 0.4, %.17g}}}\n",
             friction, kind, kind[0] == 'r' ? "" : "young = 1e8, poisson = 0.2,", 0.5 * height,
             height);
    Structure box = structure_of(text);
    const int32_t dof = stic_limit_dof(box.limit);
    double live[6] = {0.0};
    assert_int_equal(dof, 6);
    const double weight = 2000.0 * 0.16 * height * GRAVITY;
    test_near(stic_limit_load(box.limit)[2], -weight, 1e-9 * weight);
    live[0] = weight * stic_cos(angle);
    live[1] = weight * stic_sin(angle);
    SticLimitTask task = *given;
    task.dead = stic_limit_load(box.limit);
    task.live = live;
    const SticLimitResult result = solve(&box, &task);
    assert_int_equal(result.outcome, STIC_LIMIT_FOUND);
    if (joint != NULL) {
        const SticLimitJoint* all = NULL;
        int32_t count = 0;
        assert_int_equal(stic_limit_joints(box.limit, &result, 1e-4, box.arena, &all, &count),
                         STIC_OK);
        assert_int_equal(count, 1);
        *joint = all[0];
    }
    structure_end(&box);
    return result.factor;
}

static void test_pushed_block(void** state)
{
    (void)state;
    const SticLimitTask task = stic_limit_default_task();
    SticLimitJoint joint;
    const char* const kinds[] = {"rigid", "pseudo_rigid"};
    for (int k = 0; k < 2; ++k) {
        // slides at mu, tips over its edge at width over height
        test_near(push(kinds[k], 0.5, 0.3, 0.0, &task, &joint), 0.3, 1e-9);
        assert_true(joint.slides && !joint.hinges);
        // moments about the base: 0.3 of the weight at 0.25 m, over half the width
        test_near(joint.eccentricity, 0.3 * 0.25 / 0.2, 1e-6);
        test_near(push(kinds[k], 2.0, 0.3, 0.0, &task, &joint), 0.2, 1e-9);
        assert_true(joint.hinges && !joint.slides);
        // its weight passes through the edge it tips over, the push through its corners' friction
        test_near(joint.point.x, 0.2, 1e-6);
        test_near(joint.eccentricity, 1.0, 1e-5);
        test_near(joint.force.x, -0.2 * joint.force.z, 1e-6 * joint.force.z);
    }
}

// where the force acts in a joint that is no rectangle
static void test_eccentricity(void** state)
{
    (void)state;
    // an upright prism on the ground, pushed across one side: its base is an equilateral triangle with
    // the centroid at the origin and corners at a distance of 0.3 m
    Structure prism =
        structure_of("material{name = 'm', density = 2000, friction = 0.9}\n"
                     "floor{material = 'm'}\n"
                     "local c, s = 0.3 * math.cos(math.pi / 3), 0.3 * math.sin(math.pi / 3)\n"
                     "body{name = 'prism', position = {0, 0, 0.2}, material = 'm', shape = "
                     "shape.hull{points = {\n"
                     "  {-0.3, 0, -0.2}, {c, s, -0.2}, {c, -s, -0.2}, {-0.3, 0, 0.2}, {c, s, 0.2}, "
                     "{c, -s, 0.2}}}}\n");
    const double weight = -stic_limit_load(prism.limit)[2];
    // factors of the weight at which the push has the force half-way to the border, by moments: towards
    // the side it has 0.15 m, towards the corner 0.3 m
    const double room[2] = {0.15, 0.3};
    for (int k = 0; k < 2; ++k) {
        double dead[6];
        memcpy(dead, stic_limit_load(prism.limit), sizeof dead);
        dead[0] = (k == 0 ? 1.0 : -1.0) * 0.5 * weight * room[k] / 0.2;
        SticLimitTask task = stic_limit_default_task();
        task.dead = dead;
        const SticLimitResult result = solve(&prism, &task);
        const SticLimitJoint* joint = NULL;
        int32_t count = 0;
        assert_int_equal(stic_limit_joints(prism.limit, &result, 1e-4, prism.arena, &joint, &count),
                         STIC_OK);
        assert_int_equal(count, 1);
        test_near(joint->eccentricity, 0.5, 1e-6);
    }
    structure_end(&prism);
}

static void test_cones(void** state)
{
    (void)state;
    // sliding: pyramids of n sides differ from the cone by at most cos(pi/n), on either side
    const double least = stic_cos(3.14159265358979323846 / 8.0);
    double worst[2] = {1.0, 1.0};
    for (int k = 0; k < 24; ++k) {
        SticLimitTask task = stic_limit_default_task();
        const double angle = 0.1 + k * 0.25;
        const double exact = push("rigid", 0.2, 0.3, angle, &task, NULL);
        test_near(exact, 0.3, 1e-8);
        task.cone = STIC_LIMIT_INSIDE;
        const double inside = push("rigid", 0.2, 0.3, angle, &task, NULL) / exact;
        task.cone = STIC_LIMIT_OUTSIDE;
        const double outside = push("rigid", 0.2, 0.3, angle, &task, NULL) / exact;
        worst[0] = fmin(worst[0], inside);
        worst[1] = fmax(worst[1], outside);
        test_at_most(inside, 1.0 + 1e-8);
        test_at_least(outside, 1.0 - 1e-8);
        test_near(outside / inside, 1.0 / least, 1e-7);
    }
    printf("pyramids of 8 sides: %.6f to %.6f of the cone, bounds %.6f and %.6f\n", worst[0],
           worst[1], least, 1.0 / least);
    test_at_least(worst[0], least - 1e-8);
    test_at_most(worst[1], 1.0 / least + 1e-8);
}

static void test_outcomes(void** state)
{
    (void)state;
    const char* const text = "material{name = 'm', density = 1000, friction = 0.3}\n"
                             "gravity{5, 0, -9}\n"
                             "floor{material = 'm'}\n"
                             "body{position = {0, 0, 0.1}, material = 'm',\n"
                             "     shape = shape.box{size = {0.2, 0.2, 0.2}}}\n";
    Structure box = structure_of(text);
    double live[6] = {0.0};
    SticLimitTask task = stic_limit_default_task();
    task.dead = stic_limit_load(box.limit);
    task.live = live;
    // steeper than friction: pressing it down helps, and has no end
    live[2] = -1.0;
    assert_int_equal(solve(&box, &task).outcome, STIC_LIMIT_UNLIMITED);
    // a load across the slope does not
    live[2] = 0.0;
    live[1] = 1.0;
    assert_int_equal(solve(&box, &task).outcome, STIC_LIMIT_NONE);
    // back up the slope: from 5 - 0.3 9 = 2.3 to 5 + 2.7 times the mass of 8 kg
    live[1] = 0.0;
    live[0] = -1.0;
    test_near(solve(&box, &task).factor, 8.0 * 7.7, 1e-7);
    structure_end(&box);
}

// sizes from a tenth of a millimetre to a kilometre under a load of 1 N: a push at the top tips the
// box at weight times width over twice the height
static void test_units(void** state)
{
    (void)state;
    static const double sizes[] = {1e-4, 1e-3, 1.0, 1e3, 1e5};
    const TestTable table = test_table_begin("a push of 1 N on boxes of 0.2 x 0.3 x 0.5 sizes",
                                             "size|  closed form|     stands at|difference");
    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; ++k) {
        const double s = sizes[k], exact = 2000.0 * 0.03 * s * s * s * GRAVITY * 0.2;
        char text[512];
        snprintf(text, sizeof text,
                 "material{name = 'm', density = 2000, friction = 1}\n"
                 "floor{material = 'm'}\n"
                 "body{position = {0, 0, %.17g}, material = 'm',\n"
                 "     shape = shape.box{size = {%.17g, %.17g, %.17g}}}\n",
                 0.25 * s, 0.2 * s, 0.3 * s, 0.5 * s);
        Structure box = structure_of(text);
        // 1 N along x at the top: the centre of mass is h/2 below it
        const double live[6] = {1.0, 0.0, 0.0, 0.0, 0.25 * s, 0.0};
        const double down[6] = {0.0, 0.0, -1.0, 0.0, 0.0, 0.0};
        const double nothing[6] = {0.0};
        SticLimitTask task = stic_limit_default_task();
        task.dead = stic_limit_load(box.limit);
        for (task.cone = 0; task.cone < STIC_LIMIT_CONE_COUNT; ++task.cone) {
            task.live = live;
            const SticLimitResult result = solve(&box, &task);
            assert_int_equal(result.outcome, STIC_LIMIT_FOUND);
            if (task.cone == STIC_LIMIT_EXACT)
                test_table_row(&table, "%.0e|%.7e|%.7e|%.1e", s, exact, result.factor,
                               result.factor / exact - 1.0);
            test_near(result.factor, exact, 2e-9 * exact);
            test_near(result.factor_most, exact, 2e-9 * exact);
            // pressed straight down: no limit, however heavy it is
            task.live = down;
            assert_int_equal(solve(&box, &task).outcome, STIC_LIMIT_UNLIMITED);
        }
        // nothing holds what has no weight
        task.cone = STIC_LIMIT_EXACT;
        task.live = live;
        task.dead = nothing;
        assert_true(fabs(solve(&box, &task).factor) == 0.0);
        structure_end(&box);
    }
}

// The harmonic overhang: every brick of the stack is about to tip at once, so that as many motions
// of collapse exist as there are bricks. Forces in equilibrium and a motion bound the same margin
// on either side of it.
static void test_harmonic_stack(void** state)
{
    (void)state;
    static const double part[] = {0.9, 0.9999, 0.999999, 1.000001, 1.0001, 1.1};
    double before = INFINITY;
    const TestTable table =
        test_table_begin("harmonic overhang of 5 bricks",
                         "part of the largest|          spare|     gap|without balance");
    for (size_t k = 0; k < sizeof part / sizeof part[0]; ++k) {
        char text[640];
        snprintf(
            text, sizeof text,
            "material{name = 'm', density = 2000, friction = 0.6}\n"
            "body{kind = 'fixed', position = {-1, 0, -0.5}, shape = shape.box{size = {2, 1, 1}, "
            "material = 'm'}}\n"
            "local x = 0\n"
            "for k = 5, 1, -1 do\n"
            "  x = x + %.17g * 0.1 / k\n"
            "  body{position = {x - 0.1, 0, (5 - k + 0.5) * 0.1}, shape = shape.box{size = {0.2, "
            "0.1, 0.1}, material = 'm'}}\n"
            "end\n",
            part[k]);
        Structure stack = structure_of(text);
        SticLimitTask task = stic_limit_default_task();
        task.dead = stic_limit_load(stack.limit);
        SticLimitResult result = {0};
        for (task.cone = 0; task.cone < STIC_LIMIT_CONE_COUNT; ++task.cone) {
            result = solve(&stack, &task);
            assert_int_equal(result.outcome, STIC_LIMIT_FOUND);
            assert_true((result.factor > 0.0) == (part[k] < 1.0));
            assert_true((result.factor_most < 0.0) == (part[k] > 1.0));
            test_at_most(result.factor, result.factor_most);
            test_at_most(result.residual, 1e-9);
        }
        test_table_row(&table, "%.6f|%.6e|%.1e|%.1e", part[k], result.factor,
                       result.factor_most - result.factor, result.residual);
        test_less(result.factor, before);
        before = result.factor;
        structure_end(&stack);
    }
}

// a beam on a hinge at one end and on a support at the other, lifted at its centre
static void test_joints(void** state)
{
    (void)state;
    Structure beam = structure_of(
        "material{name = 'm', density = 1000, friction = 0.3}\n"
        "gravity{0, 0, -10}\n"
        "body{name = 'support', kind = 'fixed', position = {0.9, 0, -0.1}, material = 'm',\n"
        "     shape = shape.box{size = {0.2, 0.2, 0.1}}}\n"
        "body{name = 'beam', position = {0, 0, 0}, material = 'm',\n"
        "     shape = shape.box{size = {2, 0.1, 0.1}}}\n"
        "joint.hinge{a = 'beam', point = {-1, 0, 0}, axis = {0, 1, 0}}\n");
    double live[6] = {0.0, 0.0, 1.0};
    SticLimitTask task = stic_limit_default_task();
    task.dead = stic_limit_load(beam.limit);
    task.live = live;
    const SticLimitResult result = solve(&beam, &task);
    assert_int_equal(result.outcome, STIC_LIMIT_FOUND);
    // it leaves its support when the lift balances its weight of 200 N
    test_near(result.factor, 200.0, 1e-5);
    structure_end(&beam);
}

static void test_refusals(void** state)
{
    (void)state;
    const SticContext context = stic_context_default();
    static const char* const cases[][2] = {
        {"body{position = {0, 0, 1}, shape = shape.sphere{radius = 0.1}}\n", "nothing touches"},
        {"material{name = 'm', density = 1000, friction = 0.3, law = 'rolling',\n"
         "  rolling = 0.01}\n"
         "floor{material = 'm'}\n"
         "body{position = {0, 0, 0.1}, material = 'm', shape = shape.sphere{radius = 0.1}}\n",
         "law 'rolling'"}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; ++k) {
        SticScene* scene = test_scene_good(&context, cases[k][0]);
        SticSimulation* simulation = test_simulation(&context, scene);
        SticLimit* limit = NULL;
        SticError error = {0};
        assert_int_not_equal(
            stic_limit_create(&context, stic_simulation_world(simulation), &limit, &error),
            STIC_OK);
        assert_null(limit);
        if (strstr(error.text, cases[k][1]) == NULL)
            fail_msg("%s", error.text);
        stic_simulation_destroy(simulation);
        stic_scene_destroy(scene);
    }
}

// everything that stic_limit takes, with a world of another context
static SticStatus analyse(const SticContext* context, void* self)
{
    SticLimit* limit = NULL;
    SticArena* arena = NULL;
    SticRun* run = NULL;
    SticError error = {0};
    SticLimitResult result;
    const SticLimitJoint* joint = NULL;
    int32_t count = 0;
    SticStepInfo info;
    SticStatus status = stic_arena_create(context, 0, &arena);
    if (status == STIC_OK)
        status = stic_limit_create(context, self, &limit, &error);
    if (status == STIC_OK) {
        SticLimitTask task = stic_limit_default_task();
        task.dead = stic_limit_load(limit);
        status = stic_limit_solve(limit, &task, arena, &result, &error);
    }
    if (status == STIC_OK)
        status = stic_limit_joints(limit, &result, 1e-4, arena, &joint, &count);
    if (status == STIC_OK)
        status = stic_limit_show(limit, &result, 0.1, 10, &run, &error);
    if (status == STIC_OK)
        status = stic_run_step(run, &info);
    stic_run_destroy(run);
    stic_limit_destroy(limit);
    stic_arena_destroy(arena);
    return status;
}

static void test_memory(void** state)
{
    (void)state;
    const SticContext context = stic_context_default();
    SticScene* scene = test_scene_good(
        &context, "material{name = 'm', density = 1000, friction = 0.5}\n"
                  "arch{radius = 1, thickness = 0.2, width = 0.5, blocks = 5, material = 'm'}\n");
    SticSimulation* simulation = test_simulation(&context, scene);
    test_fail_every_allocation(analyse, stic_simulation_world(simulation));
    stic_simulation_destroy(simulation);
    stic_scene_destroy(scene);
}

// the run that shows a collapse: contacts carry the forces, bodies follow the motion
static void test_show(void** state)
{
    (void)state;
    Structure arch =
        structure_of("material{name = 'm', density = 2400, friction = 0.5}\n"
                     "arch{radius = 10, thickness = 1, width = 5, blocks = 9, material = 'm'}\n");
    SticLimitTask task = stic_limit_default_task();
    task.dead = stic_limit_load(arch.limit);
    const SticLimitResult result = solve(&arch, &task);
    SticRun* run = NULL;
    SticError error = {0};
    SticStepInfo info;
    assert_int_equal(stic_limit_show(arch.limit, &result, 0.5, 10, &run, &error), STIC_OK);
    const SticBodyId crown = stic_simulation_body(arch.simulation, 4);
    const SticVec3 before = stic_run_pose(run, crown).origin;
    const SticVec3 way = stic_limit_twist(arch.limit, result.v, crown).velocity;
    for (int k = 0; k < 10; ++k)
        assert_int_equal(stic_run_step(run, &info), STIC_OK);
    const SticVec3 moved = stic_vec3_sub(stic_run_pose(run, crown).origin, before);
    // it falls, along the motion
    test_less(way.z, 0.0);
    test_less(moved.z, -0.01);
    test_greater(moved.z, -0.5);
    const SticContactForce* contact = NULL;
    int32_t count = 0;
    double weight = 0.0, reaction = 0.0;
    assert_int_equal(stic_run_contacts(run, &contact, &count), STIC_OK);
    assert_int_equal(count, 40);
    // the springings carry the weight, which the margin adds to or takes from
    for (int32_t k = 0; k < stic_limit_dof(arch.limit); k += 6)
        weight -= stic_limit_load(arch.limit)[k + 2];
    for (int32_t i = 0; i < count; ++i)
        for (int side = 0; side < 2; ++side)
            if (contact[i].body[side].index >= 9 && contact[i].body[1 - side].index < 9)
                reaction += (side == 1 ? 1.0 : -1.0) * contact[i].force.z;
    printf("weight %.6e, forces at the springings %.6e\n", weight, reaction);
    test_near(reaction, weight, 1e-6 * weight);
    stic_run_destroy(run);
    structure_end(&arch);
}

int main(void)
{
    if (!stic_scene_has_lua()) {
        printf("left out: built without Lua\n");
        return 0;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_arches),         cmocka_unit_test(test_cohesion),
        cmocka_unit_test(test_cones),          cmocka_unit_test(test_pushed_block),
        cmocka_unit_test(test_eccentricity),   cmocka_unit_test(test_outcomes),
        cmocka_unit_test(test_joints),         cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_memory),         cmocka_unit_test(test_units),
        cmocka_unit_test(test_harmonic_stack), cmocka_unit_test(test_show),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
