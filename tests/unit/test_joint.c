// SPDX-License-Identifier: Apache-2.0
// Measures of joints against differences: every kind, every pair of charts; springs and drives.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "helpers/helpers.h"
#include "math/math.h"
#include "stiction/extend/joint.h"
#include "stiction/extend/vec3.h"

enum { FORMS = 5 }; // a point, an affine block and three charts of rigid bodies

typedef struct Form {
    const char* name;
    SticChart chart;
    int32_t n;
} Form;

static const Form forms[FORMS] = {{"point", STIC_CHART_LINEAR, 3},
                                  {"affine", STIC_CHART_LINEAR, 12},
                                  {"rotation", STIC_CHART_ROTATION, 6},
                                  {"quaternion", STIC_CHART_QUATERNION, 6},
                                  {"scalable", STIC_CHART_SCALABLE, 7}};

/// Two sides with their coordinates.
typedef struct Pair {
    double q[2][12], u[2][12], y[2][12];
    SticJointSide side[2];
} Pair;

static SticVec3 random_vec(SticRandom* random)
{
    double x[3];
    test_random_vector(random, 3, -0.5, 0.5, x);
    return stic_vec3_load(x);
}

static void random_side(SticRandom* random, const Form* form, Pair* pair, int k)
{
    double* q = pair->q[k];
    test_random_vector(random, 12, -1.0, 1.0, q);
    test_random_vector(random, 12, -1.0, 1.0, pair->u[k]);
    test_random_vector(random, 12, -1.0, 1.0, pair->y[k]);
    if (form->chart == STIC_CHART_ROTATION) {
        stic_mat3_store(test_random_turn(random), q + 3);
    } else if (form->chart != STIC_CHART_LINEAR) {
        // of any length: the scaled rotation is what is measured
        double a[4];
        test_random_unit(random, 4, a);
        for (int c = 0; c < 4; ++c)
            q[3 + c] = 1.1 * a[c];
    }
    pair->side[k] = (SticJointSide){form->chart, form->n, q, pair->u[k], pair->y[k]};
}

static void random_joint(SticRandom* random, int kind, SticJoint* joint)
{
    joint->kind = kind;
    joint->length = kind == STIC_JOINT_ROD ? 0.7 : 0.0;
    for (int k = 0; k < 2; ++k)
        joint->frame[k] = (SticJointFrame){random_vec(random), test_random_turn(random)};
}

/// What is compared; the coordinate is one more row.
typedef struct Values {
    int32_t rows;
    double gap[7], bias[7], H[2][7 * 12], G[2][7 * 12], C[2][7 * 12];
} Values;

static void measure(const SticJoint* joint, const Pair* pair, Values* out)
{
    memset(out, 0, sizeof *out);
    out->rows = stic_joint_kind_rows((SticJointKind)joint->kind);
    const SticJointMeasures all = {out->gap,
                                   out->bias,
                                   {out->H[0], out->H[1]},
                                   {out->G[0], out->G[1]},
                                   {out->C[0], out->C[1]}};
    stic_joint_measures_fill(joint, pair->side, &all);
    if (stic_joint_kind_coordinate((SticJointKind)joint->kind) == STIC_JOINT_NO_COORDINATE)
        return;
    SticJointMeasures one = {.gap = out->gap + out->rows, .bias = out->bias + out->rows};
    for (int k = 0; k < 2; ++k) {
        const int32_t nq = stic_chart_q_size(pair->side[k].chart, pair->side[k].n);
        one.H[k] = out->H[k] + out->rows * pair->side[k].n;
        one.G[k] = out->G[k] + out->rows * nq;
        one.C[k] = out->C[k] + out->rows * nq;
    }
    stic_joint_measures_coordinate(joint, pair->side, &one);
    out->rows += 1;
}

// row of M times the velocities u of both sides, or times the direction y of the coordinates
static double product(const Pair* pair, double M[2][7 * 12], int32_t row, bool velocities)
{
    double sum = 0.0;
    for (int k = 0; k < 2; ++k) {
        if (pair->side[k].q == NULL)
            continue;
        const int32_t n =
            velocities ? pair->side[k].n : stic_chart_q_size(pair->side[k].chart, pair->side[k].n);
        for (int32_t c = 0; c < n; ++c)
            sum += M[k][row * n + c] * (velocities ? pair->u[k][c] : pair->y[k][c]);
    }
    return sum;
}

// pair moved by step * direction in the coordinates
static Pair moved(const Pair* pair, double direction[2][12], double step)
{
    Pair to = *pair;
    for (int k = 0; k < 2; ++k) {
        if (pair->side[k].q == NULL)
            continue;
        const int32_t nq = stic_chart_q_size(pair->side[k].chart, pair->side[k].n);
        for (int32_t c = 0; c < nq; ++c)
            to.q[k][c] += step * direction[k][c];
    }
    return to;
}

static void aim(Pair* pair)
{
    for (int k = 0; k < 2; ++k)
        if (pair->side[k].q != NULL) {
            pair->side[k].q = pair->q[k];
            pair->side[k].u = pair->u[k];
            pair->side[k].y = pair->y[k];
        }
}

// whether the angle of a pair is far enough from where it has no value, a tilt of half a turn, for
// differences of 1e-6: its slope is the inverse of that distance
static bool is_smooth(const SticJoint* joint, const Pair* pair)
{
    Values at;
    double sum = 0.0;
    measure(joint, pair, &at);
    if (stic_joint_kind_coordinate((SticJointKind)joint->kind) != STIC_JOINT_ANGLE)
        return true;
    for (int k = 0; k < 2; ++k) {
        const int32_t nq = stic_chart_q_size(pair->side[k].chart, pair->side[k].n);
        for (int32_t c = 0; pair->side[k].q != NULL && c < nq; ++c) {
            const double slope = at.G[k][(at.rows - 1) * nq + c];
            sum += slope * slope;
        }
    }
    return sum < 100.0;
}

typedef struct Errors {
    double G, H, C, bias;
} Errors;

static void compare(const SticJoint* joint, Pair* pair, Errors* worst)
{
    Values at, plus, minus;
    measure(joint, pair, &at);
    const double step = 1e-6;
    double qdot[2][12] = {{0.0}};
    for (int k = 0; k < 2; ++k)
        if (pair->side[k].q != NULL)
            stic_chart_rate(pair->side[k].chart, pair->side[k].n, pair->q[k], pair->u[k], qdot[k]);

    // along y: slope of the gap, change of G y'
    Pair ends[2] = {moved(pair, pair->y, step), moved(pair, pair->y, -step)};
    aim(&ends[0]);
    aim(&ends[1]);
    measure(joint, &ends[0], &plus);
    measure(joint, &ends[1], &minus);
    for (int32_t row = 0; row < at.rows; ++row) {
        const double slope = (plus.gap[row] - minus.gap[row]) / (2.0 * step);
        worst->G = test_worse(worst->G, fabs(slope - product(pair, at.G, row, false)));
        for (int k = 0; k < 2; ++k) {
            const int32_t nq = stic_chart_q_size(pair->side[k].chart, pair->side[k].n);
            for (int32_t c = 0; pair->side[k].q != NULL && c < nq; ++c) {
                const int32_t e = row * nq + c;
                const double change = (plus.G[k][e] - minus.G[k][e]) / (2.0 * step);
                worst->C = test_worse(worst->C, fabs(change - at.C[k][e]));
            }
        }
    }
    // along the motion: rate of the gap, rate of H' u
    ends[0] = moved(pair, qdot, step);
    ends[1] = moved(pair, qdot, -step);
    aim(&ends[0]);
    aim(&ends[1]);
    measure(joint, &ends[0], &plus);
    measure(joint, &ends[1], &minus);
    for (int32_t row = 0; row < at.rows; ++row) {
        const double rate = (plus.gap[row] - minus.gap[row]) / (2.0 * step);
        worst->H = test_worse(worst->H, fabs(rate - product(pair, at.H, row, true)));
        const double bias =
            (product(&ends[0], plus.H, row, true) - product(&ends[1], minus.H, row, true)) /
            (2.0 * step);
        worst->bias = test_worse(worst->bias, fabs(bias - at.bias[row]));
    }
}

static void test_differences(void** unused)
{
    (void)unused;
    SticRandom random = stic_random_create(5);
    const TestTable table =
        test_table_begin("worst difference to central differences, 30 pairs of sides each",
                         "kind     |A          |G      |H      |C      |bias   ");
    for (int kind = 0; kind < STIC_JOINT_KIND_COUNT; ++kind)
        for (int f = 0; f < FORMS; ++f) {
            Errors worst = {0};
            for (int trial = 0; trial < 30; ++trial) {
                SticJoint joint = {.kind = kind};
                Pair pair;
                // B is of every form, or the surroundings
                const int other = trial % (FORMS + 1);
                do {
                    random_joint(&random, kind, &joint);
                    random_side(&random, &forms[f], &pair, 0);
                    random_side(&random, &forms[other % FORMS], &pair, 1);
                    if (other == FORMS)
                        pair.side[1] = (SticJointSide){.chart = STIC_CHART_ROTATION, .n = 6};
                } while (!is_smooth(&joint, &pair));
                compare(&joint, &pair, &worst);
            }
            test_table_row(&table, "%s|%s|%.1e|%.1e|%.1e|%.1e",
                           stic_joint_kind_name((SticJointKind)kind), forms[f].name, worst.G,
                           worst.H, worst.C, worst.bias);
            // the step 1e-6 leaves 1e-10; second derivatives of angles and lengths grow where
            // axes are near the hinge's or points near each other
            test_less(worst.G, 2e-8);
            test_less(worst.H, 2e-8);
            test_less(worst.C, 1e-6);
            test_less(worst.bias, 1e-6);
        }
}

static void test_springs(void** unused)
{
    (void)unused;
    SticRandom random = stic_random_create(6);
    double worst_gradient = 0.0, worst_hessian = 0.0, worst_power = 0.0;
    static const int with_coordinate[] = {STIC_JOINT_SLIDER, STIC_JOINT_HINGE, STIC_JOINT_SPAN};
    for (int trial = 0; trial < 90; ++trial) {
        const SticSpring spring = {.stiffness = 3.0, .rest = 0.4, .damping = 0.7};
        SticJoint joint = {.kind = with_coordinate[trial % 3]};
        Pair pair;
        do {
            random_joint(&random, with_coordinate[trial % 3], &joint);
            random_side(&random, &forms[trial % FORMS], &pair, 0);
            random_side(&random, &forms[trial / 3 % FORMS], &pair, 1);
        } while (!is_smooth(&joint, &pair));
        double gradient[2][12], hessian[24 * 24], near[2][2][12], value[2];
        double* const at[2] = {gradient[0], gradient[1]};
        stic_spring_potential(&joint, &spring, pair.side, at, hessian);
        const double step = 1e-6;
        for (int e = 0; e < 2; ++e) {
            Pair end = moved(&pair, pair.y, e == 0 ? step : -step);
            aim(&end);
            double* const to[2] = {near[e][0], near[e][1]};
            value[e] = stic_spring_potential(&joint, &spring, end.side, to, NULL);
        }
        // V and dV along y
        double slope = 0.0, y[24];
        int32_t n = 0, size[2];
        for (int k = 0; k < 2; ++k) {
            size[k] = stic_chart_q_size(pair.side[k].chart, pair.side[k].n);
            for (int32_t c = 0; c < size[k]; ++c) {
                slope += gradient[k][c] * pair.y[k][c];
                y[n++] = pair.y[k][c];
            }
        }
        worst_gradient =
            test_worse(worst_gradient, fabs(slope - (value[0] - value[1]) / (2.0 * step)));
        for (int32_t i = 0; i < n; ++i) {
            const int k = i < size[0] ? 0 : 1;
            const int32_t c = i - (k == 0 ? 0 : size[0]);
            double sum = 0.0;
            for (int32_t j = 0; j < n; ++j)
                sum += hessian[i * n + j] * y[j];
            const double change = (near[0][k][c] - near[1][k][c]) / (2.0 * step);
            worst_hessian = test_worse(worst_hessian, fabs(sum - change));
        }
        // the damper takes energy: f . u = -damping c'^2
        double f[2][12] = {{0.0}}, qdot[2][12] = {{0.0}}, power = 0.0, c_at[2];
        double* const force[2] = {f[0], f[1]};
        stic_spring_add_damping(&joint, &spring, pair.side, force);
        for (int k = 0; k < 2; ++k) {
            stic_chart_rate(pair.side[k].chart, pair.side[k].n, pair.q[k], pair.u[k], qdot[k]);
            for (int32_t c = 0; c < pair.side[k].n; ++c)
                power += f[k][c] * pair.u[k][c];
        }
        for (int e = 0; e < 2; ++e) {
            Pair end = moved(&pair, qdot, e == 0 ? step : -step);
            aim(&end);
            stic_joint_measures_coordinate(&joint, end.side, &(SticJointMeasures){.gap = &c_at[e]});
        }
        const double rate = (c_at[0] - c_at[1]) / (2.0 * step);
        worst_power = test_worse(worst_power, fabs(power + 0.7 * rate * rate));
    }
    print_message("springs, 90 pairs: dV %.1e, ddV %.1e; power of dampers %.1e\n", worst_gradient,
                  worst_hessian, worst_power);
    test_less(worst_gradient, 2e-8);
    test_less(worst_hessian, 1e-6);
    test_less(worst_power, 2e-8);
}

// the angle is the twist 2 atan2(x, w) of the quaternion from B to A, whatever the tilt
static void test_twist(void** unused)
{
    (void)unused;
    double worst = 0.0;
    for (int trial = 0; trial < 500; ++trial) {
        // a turn about x after a tilt about an axis of the plane (y, z), up to 0.99 of half a turn
        const double twist = -3.0 + 0.012 * trial,
                     tilt = 0.5 * 0.99 * STIC_PI * (trial % 11) / 10.0, way = 0.7 * trial;
        const SticQuat swing = {cos(tilt), 0.0, sin(tilt) * cos(way), sin(tilt) * sin(way)},
                       turn = {cos(0.5 * twist), sin(0.5 * twist), 0.0, 0.0},
                       whole = stic_quat_mul(swing, turn);
        double q[7] = {0.0}, u[6] = {0.0}, gap = 0.0;
        stic_quat_store(whole, q + 3);
        SticJoint joint = {.kind = STIC_JOINT_TURNING};
        for (int k = 0; k < 2; ++k)
            joint.frame[k].axes = stic_mat3_identity();
        const SticJointSide side[2] = {{STIC_CHART_QUATERNION, 6, q, u, NULL},
                                       {.chart = STIC_CHART_ROTATION, .n = 6}};
        stic_joint_measures_coordinate(&joint, side, &(SticJointMeasures){.gap = &gap});
        worst = test_worse(worst, fabs(gap - twist));
    }
    print_message("500 tilted joints: angle off by %.1e\n", worst);
    test_less(worst, 1e-11);
}

// reactions of a joint between two free bodies change neither momentum nor angular momentum
static void test_momentum(void** unused)
{
    (void)unused;
    SticRandom random = stic_random_create(8);
    double worst = 0.0;
    for (int kind = 0; kind < STIC_JOINT_KIND_COUNT; ++kind)
        for (int trial = 0; trial < 30; ++trial) {
            SticJoint joint;
            Pair pair;
            Values at;
            random_joint(&random, kind, &joint);
            random_side(&random, &forms[2], &pair, 0);
            random_side(&random, &forms[2], &pair, 1);
            // points that coincide, as they do in a joint that is closed
            if (kind != STIC_JOINT_ROD && kind != STIC_JOINT_SPAN) {
                const SticVec3 a =
                    stic_mat3_mul_vec(stic_mat3_load(pair.q[0] + 3), joint.frame[0].point);
                const SticVec3 b =
                    stic_mat3_mul_vec(stic_mat3_load(pair.q[1] + 3), joint.frame[1].point);
                const SticVec3 x = stic_vec3_add(stic_vec3_load(pair.q[1]), stic_vec3_sub(b, a));
                stic_vec3_store(x, pair.q[0]);
            }
            measure(&joint, &pair, &at);
            for (int32_t row = 0; row < at.rows; ++row) {
                SticVec3 force = stic_vec3_zero(), moment = stic_vec3_zero();
                for (int k = 0; k < 2; ++k) {
                    const SticVec3 f = stic_vec3_load(at.H[k] + row * 6);
                    const SticVec3 m = stic_mat3_mul_vec(stic_mat3_load(pair.q[k] + 3),
                                                         stic_vec3_load(at.H[k] + row * 6 + 3));
                    force = stic_vec3_add(force, f);
                    moment = stic_vec3_add(
                        moment, stic_vec3_add(m, stic_vec3_cross(stic_vec3_load(pair.q[k]), f)));
                }
                worst = test_worse(worst, fmax(stic_vec3_norm(force), stic_vec3_norm(moment)));
            }
        }
    print_message("force and moment of unit reactions on the pair: %.1e\n", worst);
    test_less(worst, 1e-12);
}

static void test_drive(void** unused)
{
    (void)unused;
    const SticDrive drive = {
        .speed = 0.3, .acceleration = -0.2, .amplitude = 1.5, .frequency = 4.0, .phase = 0.6};
    double worst = 0.0;
    for (int k = 0; k < 20; ++k) {
        const double t = 0.37 * k, step = 1e-5;
        const double v = 0.3 - 0.2 * t + 1.5 * sin(4.0 * t + 0.6);
        test_less(fabs(stic_drive_velocity(&drive, t) - v), 1e-14 * (1.0 + fabs(v)));
        const double rate =
            (stic_drive_velocity(&drive, t + step) - stic_drive_velocity(&drive, t - step)) /
            (2.0 * step);
        worst = test_worse(worst, fabs(rate - stic_drive_acceleration(&drive, t)));
    }
    test_less(worst, 1e-8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_differences), cmocka_unit_test(test_springs),
        cmocka_unit_test(test_twist),       cmocka_unit_test(test_momentum),
        cmocka_unit_test(test_drive),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
