// SPDX-License-Identifier: Apache-2.0
// Elastic bodies among the bodies of a world: column under its weight, block on a slope, bar that
// hits a wall, energy of the consistent scheme; what they cannot have.
#include "physics/soft.h"

/* ---- a column under its weight ---- */

// loads of the shape functions for a weight along -z: integrals of N over a cell are V/4 at the
// nodes of tet4, -V/20 at corners and V/5 in the middle of edges of tet10
static void load_by_shapes(const SticSolidMesh* mesh, double weight, SticSolidForce* load)
{
    const int32_t each = stic_solid_cell_nodes(mesh->kind);
    for (int32_t i = 0; i < mesh->nodes; ++i)
        load[i] = (SticSolidForce){.node = i};
    for (int32_t cell = 0; cell < mesh->cells; ++cell) {
        const int32_t* node = mesh->cell + cell * each;
        const SticVec3* x = mesh->node;
        const SticVec3 a = stic_vec3_sub(x[node[1]], x[node[0]]),
                       b = stic_vec3_sub(x[node[2]], x[node[0]]),
                       c = stic_vec3_sub(x[node[3]], x[node[0]]);
        const double V = fabs(stic_vec3_dot(stic_vec3_cross(a, b), c)) / 6.0;
        for (int32_t k = 0; k < each; ++k)
            load[node[k]].force.z -= weight * V * (each == 4 ? 0.25 : k < 4 ? -0.05 : 0.2);
    }
}

// nu = 0 on a smooth floor: sigma = -rho g (H - z), u = -rho g (H z - z^2/2)/E at nodes; returns the
// largest error of u relative to that of the top. `shapes`: loaded by shape functions in place of
// the lumped mass
static double column(const char* scheme, SticSolidCell kind, int32_t cells, bool shapes)
{
    const double E = 1e7, rho = 2000.0, g = 9.81, H = 2.0;
    const int steps = scheme[0] == 't' ? 200 : kind == STIC_SOLID_HEX8 ? 12 : 24;
    static SticSolidForce load[4096];
    TestSoft s;
    test_soft_open(&s, stic_vec3(0.0, 0.0, shapes ? 0.0 : -g), 0.0, rho);
    test_soft_floor(&s, stic_vec3(0.0, 0.0, 1.0));
    test_soft_fill(&s, stic_vec3(0.0, 0.0, 0.0), stic_vec3(1.0, 1.0, H),
                   (int32_t[]){cells, cells, 2 * cells}, kind);
    SticBodyDef def = test_soft_body(&s, STIC_SOLID_LINEAR, E, 0.0);
    assert_true(s.mesh.nodes <= 4096);
    if (shapes) {
        load_by_shapes(&s.mesh, rho * g, load);
        def.load = load;
        def.loads = s.mesh.nodes;
    }
    assert_int_equal(stic_body_create(s.world, &def, &s.body, &s.error), STIC_OK);
    test_soft_start(&s, scheme, 0.1);
    test_soft_steps(&s, steps);
    static SticVec3 place[4096];
    const int32_t nodes = stic_run_nodes(s.run, s.body, place, NULL, 4096);
    double worst = 0.0, most = rho * g * H * H / (2.0 * E);
    for (int32_t i = 0; i < nodes; ++i) {
        const double z = s.mesh.node[i].z, u = -rho * g * (H * z - 0.5 * z * z) / E;
        worst = fmax(worst, fabs(place[i].z - z - u) / most);
    }
    const SticContactForce* contact;
    int32_t count;
    double force = 0.0;
    assert_int_equal(stic_run_contacts(s.run, &contact, &count), STIC_OK);
    for (int32_t i = 0; i < count; ++i)
        force += contact[i].force.z;
    const double stress = stic_run_stress(s.run, s.body, -1).m[2][2];
    const double off = fabs(force / (rho * g * H) - 1.0), mean = -0.5 * rho * g * H;
    print_message(
        "%-20s %-5s %d cells%s: displacements off by %.1e, floor %.1e, mean stress %.1e\n", scheme,
        stic_solid_cell_name(kind), (int)cells, shapes ? ", loads of shapes" : "", worst, off,
        fabs(stress / mean - 1.0));
    test_at_most(off, 1e-8);
    if (!shapes)
        test_at_most(fabs(stress / mean - 1.0), 1e-6);
    test_soft_close(&s);
    return worst;
}

static void test_column(void** state)
{
    (void)state;
    // linear cells with lumped weights are exact at nodes where they stack up in columns
    test_at_most(column("quasi-static", STIC_SOLID_HEX8, 2, false), 1e-6);
    test_at_most(column("theta scheme.theta=1", STIC_SOLID_HEX8, 2, false), 1e-6);
    // u is quadratic: tet4 cannot follow it, worst at edges of the column that few cells share; tet10
    // has it exactly, but not under the weight of lumped masses, which are not the loads of its
    // shape functions (they would shake a body that falls freely)
    const double coarse = column("quasi-static", STIC_SOLID_TET4, 2, false),
                 fine = column("quasi-static", STIC_SOLID_TET4, 4, false),
                 order = log(coarse / fine) / log(2.0);
    const double lumped[2] = {column("quasi-static", STIC_SOLID_TET10, 1, false),
                              column("quasi-static", STIC_SOLID_TET10, 2, false)};
    const double of_lumped = log(lumped[0] / lumped[1]) / log(2.0);
    print_message("orders %.2f (tet4) and %.2f (tet10)\n", order, of_lumped);
    test_greater(order, 1.2);
    test_greater(of_lumped, 1.7);
    test_at_most(column("quasi-static", STIC_SOLID_TET10, 2, true), 1e-6);
}

/* ---- a block on a slope ---- */

// acceleration and speed of a block on a slope with the tangent `slope`, once its vibrations have
// died away; mu = 0.5
static void slide(double slope, double* acceleration, double* speed)
{
    const double g = 9.81, c = 1.0 / sqrt(1.0 + slope * slope), step = 2e-3;
    const int steps = 150;
    TestSoft s;
    test_soft_open(&s, stic_vec3(g * slope * c, 0.0, -g * c), 0.5, 1000.0);
    test_soft_floor(&s, stic_vec3(0.0, 0.0, 1.0));
    test_soft_fill(&s, stic_vec3(0.0, 0.0, 0.0), stic_vec3(1.0, 0.5, 0.25), (int32_t[]){4, 2, 2},
                   STIC_SOLID_HEX8);
    const SticBodyDef def = test_soft_body(&s, STIC_SOLID_KIRCHHOFF, 1e7, 0.3);
    assert_int_equal(stic_body_create(s.world, &def, &s.body, &s.error), STIC_OK);
    test_soft_start(&s, "theta scheme.theta=1", step);
    double v[2];
    for (int half = 0; half < 2; ++half) {
        for (int k = 0; k < steps; ++k)
            assert_int_equal(stic_run_step(s.run, NULL), STIC_OK);
        v[half] = stic_run_twist(s.run, s.body).velocity.x;
    }
    *acceleration = (v[1] - v[0]) / (steps * step);
    *speed = v[1];
    const double rigid = g * c * (slope - 0.5);
    print_message("slope %.3f: speed %.2e m/s, acceleration %.5f m/s2, of a rigid block %.5f\n",
                  slope, v[1], *acceleration, slope > 0.5 ? rigid : 0.0);
    test_soft_close(&s);
}

static void test_slope(void** state)
{
    (void)state;
    double a, v;
    slide(0.495, &a, &v);
    test_at_most(fabs(v), 1e-8);
    slide(0.505, &a, &v);
    test_near(a, 9.81 * 0.005 / sqrt(1.0 + 0.505 * 0.505), 1e-4);
    slide(0.6, &a, &v);
    test_near(a, 9.81 * 0.1 / sqrt(1.0 + 0.36), 1e-3);
}

/* ---- a bar against a wall ---- */

// a bar with nu = 0 flies along x against a wall: stress rho c v behind a wave of speed c, the
// bar leaves after 2 L/c with -v
static double bar(const char* scheme, int32_t cells, double part, double* integration)
{
    const double E = 1e9, rho = 1000.0, L = 1.0, v = 1.0, c = sqrt(E / rho), A = 0.01;
    TestSoft s;
    test_soft_open(&s, stic_vec3(0.0, 0.0, 0.0), 0.0, rho);
    test_soft_floor(&s, stic_vec3(1.0, 0.0, 0.0));
    test_soft_fill(&s, stic_vec3(0.0, 0.0, 0.0), stic_vec3(L, 0.1, 0.1), (int32_t[]){cells, 1, 1},
                   STIC_SOLID_HEX8);
    SticBodyDef def = test_soft_body(&s, STIC_SOLID_LINEAR, E, 0.0);
    def.velocity = stic_vec3(-v, 0.0, 0.0);
    def.position = stic_vec3(1e-9, 0.0, 0.0);
    assert_int_equal(stic_body_create(s.world, &def, &s.body, &s.error), STIC_OK);
    const double h = part * L / cells / c;
    test_soft_start(&s, scheme, h);
    double last = 0.0, mean = 0.0;
    int in = 0;
    const SticContactForce* contact;
    int32_t count;
    for (int k = 0; k * h < 3.0 * L / c; ++k) {
        assert_int_equal(stic_run_step(s.run, NULL), STIC_OK);
        assert_int_equal(stic_run_contacts(s.run, &contact, &count), STIC_OK);
        double force = 0.0;
        for (int32_t i = 0; i < count; ++i)
            force += contact[i].force.x;
        if (force > 1e-3 * rho * c * v * A)
            last = (k + 1) * h;
        if (k * h > 0.5 * L / c && k * h < 1.5 * L / c) {
            mean += force;
            in += 1;
        }
    }
    const double after = stic_run_twist(s.run, s.body).velocity.x;
    const double push = mean / in / (rho * c * v * A), time = last / (2.0 * L / c);
    const double energy = 0.5 * rho * L * A * v * v,
                 made = stic_run_totals(s.run)->ledger.integration / energy;
    print_message("%-12s %3d cells: force %.5f of rho c v A, time %.4f of 2 L/c, velocity %.4f, "
                  "energy made by integration %.1e\n",
                  scheme, (int)cells, push, time, after / v, made);
    test_near(push, 1.0, 0.01 / cells);
    test_near(time, 1.0, 2.0 / cells);
    test_soft_close(&s);
    *integration = made;
    return after / v;
}

static void test_bar(void** state)
{
    (void)state;
    double made;
    const double coarse = bar("theta", 20, 0.5, &made), fine = bar("theta", 40, 0.5, &made);
    test_at_most(fabs(made), 1e-12);
    // the end of a bar is as heavy as half a cell, and its impact is inelastic
    test_near(fine, 1.0, 0.03);
    test_less(fabs(fine - 1.0), 0.75 * fabs(coarse - 1.0));
    (void)bar("consistent", 40, 0.5, &made);
    test_at_most(fabs(made), 1e-12);
    (void)bar("decomposed", 40, 0.5, &made);
    test_at_most(fabs(made), 1e-12);
    (void)bar("moreau", 40, 0.25, &made);
    test_at_most(fabs(made), 0.01);
    (void)bar("event", 10, 0.5, &made);
    test_at_most(fabs(made), 1e-10);
    (void)bar("koziara", 40, 0.25, &made);
    test_at_most(fabs(made), 0.01);
}

/* ---- together with springs and a pseudo-rigid body ---- */

// everything flies, turns and vibrates: the scheme derives springs and gradients itself, the world
// its cells; returns the energy made as a part of all
static double mixed(const char* scheme, SticSolidMaterialKind kind)
{
    TestSoft s;
    test_soft_open(&s, stic_vec3(0.0, 0.0, -1.0), 0.3, 1000.0);
    test_soft_fill(&s, stic_vec3(0.0, 0.0, 0.0), stic_vec3(1.0, 0.5, 0.5), (int32_t[]){2, 1, 1},
                   STIC_SOLID_HEX8);
    SticBodyDef block = test_soft_body(&s, kind, 1e6, 0.3);
    block.angular_velocity = stic_vec3(1.0, 2.0, 3.0);
    block.position = stic_vec3(0.0, 0.0, 3.0);
    assert_int_equal(stic_body_create(s.world, &block, &s.body, &s.error), STIC_OK);
    SticBodyDef gradient = stic_body_default_def(), rigid = gradient;
    gradient.kind = STIC_BODY_PSEUDO_RIGID;
    gradient.shape = rigid.shape = stic_world_box(s.world, stic_vec3(0.3, 0.4, 0.5), &s.error);
    gradient.elastic = (SticElastic){1e6, 0.2};
    gradient.position = stic_vec3(5.0, 0.0, 0.0);
    gradient.angular_velocity = stic_vec3(3.0, -2.0, 1.0);
    rigid.position = stic_vec3(5.0, 3.0, 0.0);
    rigid.angular_velocity = stic_vec3(-1.0, 2.0, 2.0);
    SticJointDef span = stic_joint_default_def();
    assert_int_equal(stic_body_create(s.world, &gradient, &span.body[0], &s.error), STIC_OK);
    assert_int_equal(stic_body_create(s.world, &rigid, &span.body[1], &s.error), STIC_OK);
    span.kind = STIC_JOINT_SPAN;
    span.frame[0].point = stic_vec3(0.1, 0.2, 0.0);
    span.frame[1].point = stic_vec3(0.0, -0.2, 0.1);
    span.spring = (SticSpring){.stiffness = 1e4, .rest = 2.0};
    const SticStatus joined = stic_joint_create(s.world, &span, NULL, &s.error);
    if (joined != STIC_OK)
        print_message("%s\n", s.error.text);
    assert_int_equal(joined, STIC_OK);
    test_soft_start(&s, scheme, 1e-3);
    for (int k = 0; k < 200; ++k)
        assert_int_equal(stic_run_step(s.run, NULL), STIC_OK);
    double kinetic;
    assert_int_equal(stic_run_energy(s.run, &kinetic, NULL), STIC_OK);
    const double made = stic_run_totals(s.run)->ledger.integration / kinetic;
    print_message("%-10s %-10s: energy made %.1e of the kinetic one\n", scheme,
                  stic_solid_material_name(kind), made);
    test_soft_close(&s);
    return fabs(made);
}

static void test_mixed(void** state)
{
    (void)state;
    test_at_most(mixed("consistent", STIC_SOLID_KIRCHHOFF), 1e-12);
    test_at_most(mixed("consistent", STIC_SOLID_NEO_HOOKE), 1e-12);
    test_at_most(mixed("consistent", STIC_SOLID_COROTATED), 1e-12);
    test_at_most(mixed("decomposed", STIC_SOLID_KIRCHHOFF), 1e-12);
}

/* ---- memory, snapshots, threads ---- */

// a block that falls on a floor beside a rigid box, with some steps
static SticStatus fall(const SticContext* context, int steps, SticRun** run, SticWorld** world)
{
    SticWorldDef def = stic_world_default_def();
    SticSolidMesh mesh = {.nodes = 0};
    SticRunDef how = stic_run_default_def();
    SticBodyDef floor = stic_body_default_def(), block = floor, box = floor;
    const SticSolidBox cells = {
        stic_vec3(0.0, 0.0, 0.0), stic_vec3(1.0, 0.5, 0.5), {2, 1, 1}, STIC_SOLID_TET10};
    const SticSolidForce load = {.node = 1, .force = {1.0, 0.0, 0.0}};
    SticStatus status = stic_world_create(context, &def, world, NULL);
    floor.kind = STIC_BODY_FIXED;
    box.position = stic_vec3(0.5, 0.25, 0.7);
    block.kind = STIC_BODY_ELASTIC;
    block.mesh = &mesh;
    block.elastic = (SticElastic){1e6, 0.3};
    block.stored = STIC_SOLID_NEO_HOOKE;
    block.load = &load;
    block.loads = 1;
    if (status == STIC_OK) {
        floor.shape = stic_world_half_space(*world, stic_vec3(0.0, 0.0, 1.0), -1e-3, NULL);
        box.shape = stic_world_box(*world, stic_vec3(0.6, 0.4, 0.199), NULL);
        status = floor.shape == NULL || box.shape == NULL ? STIC_OUT_OF_MEMORY : STIC_OK;
    }
    if (status == STIC_OK)
        status = stic_body_create(*world, &floor, NULL, NULL);
    if (status == STIC_OK)
        status = stic_body_create(*world, &box, NULL, NULL);
    if (status == STIC_OK)
        status = stic_solid_box(context, &cells, &mesh, NULL);
    if (status == STIC_OK)
        status = stic_body_create(*world, &block, NULL, NULL);
    how.scheme = "theta";
    how.step = 2e-3;
    if (status == STIC_OK)
        status = stic_run_create(context, *world, &how, run, NULL);
    for (int k = 0; k < steps && status == STIC_OK; ++k)
        status = stic_run_step(*run, NULL);
    stic_solid_mesh_release(&mesh);
    return status;
}

static SticStatus fall_and_drop(const SticContext* context, void* self)
{
    SticRun* run = NULL;
    SticWorld* world = NULL;
    (void)self;
    const SticStatus status = fall(context, 2, &run, &world);
    stic_run_destroy(run);
    stic_world_destroy(world);
    return status;
}

static void test_memory(void** state)
{
    (void)state;
    const int64_t calls = test_fail_every_allocation(fall_and_drop, NULL);
    print_message("%lld allocations, each failed once\n", (long long)calls);
    test_greater((double)calls, 100.0);
}

static uint64_t hash_after(int32_t threads, int steps)
{
    SticContext context = stic_context_default();
    SticPool* pool = NULL;
    SticRun* run = NULL;
    SticWorld* world = NULL;
    assert_int_equal(stic_pool_create(&context, threads, &pool), STIC_OK);
    context.pool = pool;
    assert_int_equal(fall(&context, steps, &run, &world), STIC_OK);
    const uint64_t hash = stic_run_hash(run);
    stic_run_destroy(run);
    stic_world_destroy(world);
    stic_pool_destroy(pool);
    return hash;
}

static void test_bits(void** state)
{
    (void)state;
    const uint64_t one = hash_after(1, 40), four = hash_after(4, 40);
    assert_true(one == four);
    // a snapshot in the middle goes on with the same bits
    const SticContext context = stic_context_default();
    SticRun *first = NULL, *second = NULL;
    SticWorld *a = NULL, *b = NULL;
    const char* path = "elastic_bodies.snapshot";
    assert_int_equal(fall(&context, 15, &first, &a), STIC_OK);
    assert_int_equal(stic_run_save_file(first, path, NULL), STIC_OK);
    assert_int_equal(fall(&context, 0, &second, &b), STIC_OK);
    assert_int_equal(stic_run_load_file(second, path, NULL), STIC_OK);
    for (int k = 15; k < 40; ++k)
        assert_int_equal(stic_run_step(second, NULL), STIC_OK);
    assert_true(stic_run_hash(second) == one);
    stic_run_destroy(first);
    stic_run_destroy(second);
    stic_world_destroy(a);
    stic_world_destroy(b);
    (void)remove(path);
}

/* ---- what is refused ---- */

static void refuse_body(TestSoft* s, const SticBodyDef* def, const char* words)
{
    assert_int_not_equal(stic_body_create(s->world, def, NULL, &s->error), STIC_OK);
    print_message("  %s\n", s->error.text);
    assert_non_null(strstr(s->error.text, words));
}

static void test_refusals(void** state)
{
    (void)state;
    TestSoft s;
    test_soft_open(&s, stic_vec3(0.0, 0.0, -9.81), 0.5, 1000.0);
    test_soft_fill(&s, stic_vec3(0.0, 0.0, 0.0), stic_vec3(1.0, 1.0, 1.0), (int32_t[]){2, 2, 2},
                   STIC_SOLID_HEX20);
    SticBodyDef def = test_soft_body(&s, STIC_SOLID_LINEAR, 1e7, 0.3);
    refuse_body(&s, &def, "hex20");
    test_soft_fill(&s, stic_vec3(0.0, 0.0, 0.0), stic_vec3(1.0, 1.0, 1.0), (int32_t[]){2, 2, 2},
                   STIC_SOLID_HEX8);
    def.mass = 1.0;
    refuse_body(&s, &def, "mass");
    def.mass = 0.0;
    def.elastic.young = 0.0;
    refuse_body(&s, &def, "Young");
    def.elastic.young = 1e7;
    const SticSolidSupport roller = {.node = 0, .axes = STIC_SOLID_Z};
    def.support = &roller;
    def.supports = 1;
    refuse_body(&s, &def, "along all axes");
    def.supports = 0;
    assert_int_equal(stic_body_create(s.world, &def, &s.body, &s.error), STIC_OK);
    SticJointDef joint = stic_joint_default_def();
    joint.body[0] = s.body;
    assert_int_not_equal(stic_joint_create(s.world, &joint, NULL, &s.error), STIC_OK);
    assert_non_null(strstr(s.error.text, "elastic"));
    SticRunDef run = stic_run_default_def();
    SticBodyDef ball = stic_body_default_def();
    SticBodyId made;
    ball.name = "egg";
    ball.position = stic_vec3(0.5, 0.5, 2.0);
    SticShape* egg = NULL;
    assert_int_equal(
        stic_shape_create_ellipsoid(&s.context, stic_vec3(0.2, 0.15, 0.2), &egg, &s.error),
        STIC_OK);
    assert_int_equal(stic_world_keep(s.world, egg, &s.error), STIC_OK);
    ball.shape = egg;
    assert_int_equal(stic_body_create(s.world, &ball, &made, &s.error), STIC_OK);
    assert_int_not_equal(stic_run_create(&s.context, s.world, &run, &s.run, &s.error), STIC_OK);
    print_message("  %s\n", s.error.text);
    assert_non_null(strstr(s.error.text, "smaller than the cells"));
    assert_int_equal(stic_body_destroy(s.world, made, &s.error), STIC_OK);
    run.sleep = 10;
    assert_int_not_equal(stic_run_create(&s.context, s.world, &run, &s.run, &s.error), STIC_OK);
    print_message("  %s\n", s.error.text);
    assert_non_null(strstr(s.error.text, "sleep"));
    test_soft_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_column),  cmocka_unit_test(test_slope),
                                       cmocka_unit_test(test_bar),     cmocka_unit_test(test_mixed),
                                       cmocka_unit_test(test_memory),  cmocka_unit_test(test_bits),
                                       cmocka_unit_test(test_refusals)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
