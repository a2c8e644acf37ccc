// SPDX-License-Identifier: Apache-2.0
// What a step reports explains what it did, whatever parts it was made in: random worlds, every
// scheme.
//
//   momentum   m (v_E - v_B) of every body is the impulse of gravity, of the contacts and of the
//              joints that are reported
//   energy     what kinetic and potential energy change by is what the ledger says, and laws take
//              energy
//   laws       contacts do not pull, and friction stays within its cone
//
// Errors are parts of what there is of each: of momenta and impulses, of kinetic energy and works,
// of the impulse of a contact and of the weight that it may have to carry.
//
// Worlds are drawn from a seed: balls and boxes of 0.01 to 10 kg that hit a floor, walls and each
// other at up to 10 m/s, some on joints, with steps that are long for them.
#include "helpers/world.h"
#include "stiction/extend/scene.h"

#define GRAVITY 9.81
enum { MOST = 8 };

/// The worst of a number of steps.
typedef struct Worst {
    double momentum, energy, gain, pull, cone;
    int32_t steps, split;
} Worst;

/// A world under way.
typedef struct Balance {
    TestWorld tw;
    SticRandom random;
    SticBodyId body[MOST], joined[MOST][2];
    SticVec3 before[MOST]; // velocities where the step begins
    double mass[MOST], radius[MOST], friction, step;
    int32_t bodies, joints;
    Worst worst;
} Balance;

static SticVec3 draw_vector(SticRandom* random, double most)
{
    double v[3];
    test_random_vector(random, 3, -most, most, v);
    return stic_vec3_load(v);
}

/* ---- the world ---- */

static void add_body(Balance* b, SticVec3 place)
{
    const int32_t k = b->bodies++;
    const double size = b->radius[k] = stic_random_range(&b->random, 0.03, 0.12);
    double turn[4];
    test_random_unit(&b->random, 4, turn);
    SticBodyDef def = stic_body_default_def();
    def.mass = b->mass[k] = pow(10.0, stic_random_range(&b->random, -2.0, 1.0));
    def.position = place;
    def.orientation = stic_quat_load(turn);
    def.velocity = draw_vector(&b->random, 4.0);
    def.velocity.z -= stic_random_range(&b->random, 0.0, 6.0);
    def.angular_velocity = draw_vector(&b->random, 10.0);
    const double flat = stic_random_range(&b->random, 0.4, 0.7);
    def.shape = stic_random_uniform(&b->random) < 0.5
                    ? stic_world_sphere(b->tw.world, size, &b->tw.error)
                    : stic_world_box(b->tw.world, stic_vec3(0.7 * size, flat * size, 0.5 * size),
                                     &b->tw.error);
    TEST_TRY(&b->tw, stic_body_create(b->tw.world, &def, &b->body[k], &b->tw.error));
}

static void add_joint(Balance* b, int32_t k, bool bounces)
{
    static const int32_t kinds[] = {STIC_JOINT_POINT, STIC_JOINT_HINGE, STIC_JOINT_SLIDER};
    SticJointDef def = stic_joint_default_def();
    const SticVec3 place = stic_vec3(0.3 * (k % 4) + 0.15, 0.4 * (k / 4), 0.25);
    def.kind = kinds[(int)stic_random_range(&b->random, 0.0, 3.0)];
    def.body[0] = b->body[k];
    if (k > 0 && stic_random_uniform(&b->random) < 0.5)
        def.body[1] = b->body[k - 1];
    TEST_TRY(&b->tw, stic_joint_place(b->tw.world, place, draw_vector(&b->random, 1.0), &def,
                                      &b->tw.error));
    if (def.kind != STIC_JOINT_POINT && stic_random_uniform(&b->random) < 0.5) {
        def.limit[0] = -0.2;
        def.limit[1] = 0.2;
        def.restitution = bounces ? 0.5 : 0.0;
    }
    TEST_TRY(&b->tw, stic_joint_create(b->tw.world, &def, NULL, &b->tw.error));
    memcpy(b->joined[b->joints++], def.body, sizeof def.body);
}

static void add_wall(Balance* b, SticVec3 normal, double offset)
{
    SticBodyDef def = stic_body_default_def();
    def.kind = STIC_BODY_FIXED;
    def.shape = stic_world_half_space(b->tw.world, normal, offset, &b->tw.error);
    TEST_TRY(&b->tw, stic_body_create(b->tw.world, &def, NULL, &b->tw.error));
}

static void open_world(Balance* b, uint64_t seed, const char* scheme, bool jointed)
{
    *b = (Balance){.random = stic_random_create(seed)};
    SticWorldDef world = stic_world_default_def();
    const double draw = stic_random_uniform(&b->random);
    b->friction = draw < 0.25 ? 0.0 : draw;
    world.material.surface =
        (SticSurface){.friction = b->friction,
                      .restitution = {stic_random_uniform(&b->random) < 0.5 ? 0.0 : 0.6, 0.0}};
    const bool bounces = strcmp(scheme, "penalty") != 0;
    if (!bounces)
        world.material.surface.restitution[0] = 0.0;
    test_world_open(&b->tw, NULL, &world);
    add_wall(b, stic_vec3(0.1, 0.0, 1.0), 0.0);
    add_wall(b, stic_vec3(1.0, 0.0, 0.2), -0.3);
    const int32_t bodies = 2 + (int32_t)stic_random_range(&b->random, 0.0, MOST - 1.0);
    for (int32_t k = 0; k < bodies; ++k)
        add_body(b, stic_vec3(0.3 * (k % 4), 0.4 * (k / 4), 0.25));
    for (int32_t k = 0; jointed && k < bodies; k += 2)
        add_joint(b, k, bounces);
    SticRunDef def = stic_run_default_def();
    def.scheme = scheme;
    def.step = b->step = stic_random_uniform(&b->random) < 0.5 ? 0.005 : 0.02;
    TEST_TRY(&b->tw, stic_run_create(NULL, b->tw.world, &def, &b->tw.run, &b->tw.error));
}

/* ---- a step ---- */

/// Impulses that are reported of the bodies, and the size of all that acts.
typedef struct Sums {
    SticVec3 impulse[MOST];
    double size[MOST];
} Sums;

static int32_t number_of(const Balance* b, SticBodyId id)
{
    for (int32_t k = 0; k < b->bodies; ++k)
        if (b->body[k].index == id.index && b->body[k].generation == id.generation)
            return k;
    return -1;
}

static void add_impulse(const Balance* b, SticBodyId id, double sign, SticVec3 impulse, Sums* sums)
{
    const int32_t k = number_of(b, id);
    if (k < 0)
        return;
    sums->impulse[k] = stic_vec3_add_scaled(sums->impulse[k], sign, impulse);
    sums->size[k] += stic_vec3_norm(impulse);
}

static void note(double* worst, double value)
{
    // a value that is not a number counts
    if (!(value <= *worst))
        *worst = value;
}

// The normal that is told of a contact is that of one place in the step. Those of two bodies turn
// with them and with the place where they touch; walls are flat, and theirs stay.
static double turn_of(const Balance* b, const SticContactForce* contact)
{
    double turn = 0.0;
    for (int s = 0; s < 2; ++s) {
        const int32_t k = number_of(b, contact->body[s]);
        const SticTwist twist = stic_run_twist(b->tw.run, contact->body[s]);
        if (k < 0)
            return 0.0;
        turn += b->step *
                (stic_vec3_norm(twist.angular_velocity) +
                 (stic_vec3_norm(twist.velocity) + stic_vec3_norm(b->before[k])) / b->radius[k]);
    }
    return turn;
}

static void check_laws(Balance* b, const SticContactForce* contact)
{
    const double along = stic_vec3_dot(contact->impulse, contact->axis[0]),
                 size = stic_vec3_norm(contact->impulse), turn = turn_of(b, contact);
    const SticVec3 across = stic_vec3_add_scaled(contact->impulse, -along, contact->axis[0]);
    double weight = 0.0;
    for (int s = 0; s < 2; ++s)
        if (number_of(b, contact->body[s]) >= 0)
            weight += b->step * GRAVITY * b->mass[number_of(b, contact->body[s])];
    // a normal that has turned further says nothing
    if (size == 0.0 || turn > 0.3)
        return;
    const double slack = 2.0 * turn * size;
    note(&b->worst.pull, (-along - slack) / (size + weight));
    note(&b->worst.cone, (stic_vec3_norm(across) - b->friction * along - slack) / (size + weight));
}

static void add_reported(Balance* b, Sums* sums)
{
    const SticContactForce* contact = NULL;
    const SticJointForce* joint = NULL;
    int32_t contacts = 0, joints = 0;
    TEST_TRY(&b->tw, stic_run_contacts(b->tw.run, &contact, &contacts));
    TEST_TRY(&b->tw, stic_run_joints(b->tw.run, &joint, &joints));
    assert_int_equal(joints, b->joints);
    for (int32_t i = 0; i < contacts; ++i) {
        assert_true(i == 0 || contact[i].id > contact[i - 1].id);
        check_laws(b, &contact[i]);
        for (int s = 0; s < 2; ++s)
            add_impulse(b, contact[i].body[s], s == 0 ? 1.0 : -1.0,
                        stic_vec3_scale(b->step, contact[i].force), sums);
    }
    for (int32_t i = 0; i < joints; ++i)
        for (int s = 0; s < 2; ++s)
            add_impulse(b, b->joined[i][s], s == 0 ? 1.0 : -1.0,
                        stic_vec3_scale(b->step, joint[i].force), sums);
}

static void check_momentum(Balance* b)
{
    Sums sums;
    for (int32_t k = 0; k < b->bodies; ++k) {
        sums.impulse[k] = stic_vec3(0.0, 0.0, -b->mass[k] * GRAVITY * b->step);
        sums.size[k] = stic_vec3_norm(sums.impulse[k]);
    }
    add_reported(b, &sums);
    for (int32_t k = 0; k < b->bodies; ++k) {
        const SticVec3 now = stic_run_twist(b->tw.run, b->body[k]).velocity;
        const SticVec3 change = stic_vec3_scale(b->mass[k], stic_vec3_sub(now, b->before[k]));
        const double size =
            sums.size[k] + b->mass[k] * (stic_vec3_norm(now) + stic_vec3_norm(b->before[k]));
        note(&b->worst.momentum, stic_vec3_distance(change, sums.impulse[k]) / size);
    }
}

static void check_energy(Balance* b, const double before[2])
{
    const SticLedger* ledger = &b->tw.info.ledger;
    double after[2], fall = 0.0;
    TEST_TRY(&b->tw, stic_run_energy(b->tw.run, &after[0], &after[1]));
    for (int32_t k = 0; k < b->bodies; ++k)
        fall += 0.5 * b->mass[k] * pow(GRAVITY * b->step, 2.0);
    const double size = before[0] + after[0] + fall + fabs(after[1] - before[1]);
    const double works = ledger->applied + ledger->impact + ledger->friction + ledger->damping +
                         ledger->constraint + ledger->prescribed + ledger->correction +
                         ledger->integration;
    note(&b->worst.energy, fabs(after[0] - before[0] - ledger->kinetic) / size);
    note(&b->worst.energy,
         fabs(after[1] - before[1] - ledger->potential) / (fabs(before[1]) + size));
    note(&b->worst.energy, fabs(ledger->kinetic + ledger->potential - works) / size);
    note(&b->worst.gain, (after[0] + after[1] - before[0] - before[1] - ledger->correction) / size);
}

static void make_step(Balance* b)
{
    double energy[2];
    for (int32_t k = 0; k < b->bodies; ++k)
        b->before[k] = stic_run_twist(b->tw.run, b->body[k]).velocity;
    TEST_TRY(&b->tw, stic_run_energy(b->tw.run, &energy[0], &energy[1]));
    const SticStatus status = stic_run_step(b->tw.run, &b->tw.info);
    if (status != STIC_OK)
        fail_msg("%s: %s", stic_status_name(status), b->tw.info.error.text);
    check_momentum(b);
    check_energy(b, energy);
    b->worst.steps += 1;
    b->worst.split += b->tw.info.substeps > 1;
}

/* ---- the schemes ---- */

// Bounds of what a scheme leaves by itself:
//
//   gain   explicit schemes promise no energy: impacts of bodies that spin. Contacts of relaxed and
//          penalty give way, and give back what they took
//   cone   of standard, to which laws are solved
static const struct {
    const char* name;
    int worlds, steps;
    double gain, cone;
} schemes[] = {
    {"moreau", 12, 50, 1e-4, 1e-5},      {"koziara", 12, 50, 1e-4, 1e-5},
    {"theta", 12, 50, 1e-4, 1e-5},       {"penalty", 4, 20, INFINITY, 1e-5},
    {"consistent", 12, 50, 1e-11, 1e-5}, {"decomposed", 8, 50, 1e-11, 1e-5},
    {"relaxed", 2, 40, INFINITY, 1e-5},  {"event", 3, 50, 1e-9, 1e-5},
};

static void test_balances(void** state)
{
    (void)state;
    for (size_t s = 0; s < sizeof schemes / sizeof *schemes; ++s)
        for (int jointed = 0; jointed < 2; ++jointed) {
            Worst worst = {.steps = 0};
            for (int seed = 1; seed <= schemes[s].worlds; ++seed) {
                Balance b;
                open_world(&b, (uint64_t)seed, schemes[s].name, jointed == 1);
                for (int k = 0; k < schemes[s].steps; ++k)
                    make_step(&b);
                note(&worst.momentum, b.worst.momentum);
                note(&worst.energy, b.worst.energy);
                note(&worst.gain, b.worst.gain);
                note(&worst.pull, b.worst.pull);
                note(&worst.cone, b.worst.cone);
                worst.steps += b.worst.steps;
                worst.split += b.worst.split;
                test_world_close(&b.tw);
            }
            print_message("%-10s %s: %4d steps, %4d in parts; momentum %.1e, ledger %.1e, gain "
                          "%.1e, pull %.1e, beyond cone %.1e\n",
                          schemes[s].name, jointed == 1 ? "joints" : "free  ", worst.steps,
                          worst.split, worst.momentum, worst.energy, worst.gain, worst.pull,
                          worst.cone);
            test_less(worst.momentum, 1e-10);
            test_less(worst.energy, 1e-10);
            test_less(worst.gain, schemes[s].gain);
            test_less(worst.pull, 1e-12);
            test_less(worst.cone, schemes[s].cone);
            // the worlds ask for it, but penalties have nothing to look for
            if (strcmp(schemes[s].name, "penalty") != 0)
                test_greater(worst.split, worst.steps / 8);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_balances)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
