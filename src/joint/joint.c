// SPDX-License-Identifier: Apache-2.0
// Rows of joints: values, gradients and their changes, brought to the coordinates of any chart.
//
// A row is a function of x and R of the two sides. Five kinds make all joints (d = x_A + R_A p_A -
// x_B - R_B p_B):
//
//   world   e_k . d               along a fixed axis
//   axis    (R_B f_k) . d         along an axis of B
//   dot     (R_A f_i) . (R_B f_k)
//   length  |d| - l
//   angle   atan2(a_1 . b_2 - a_2 . b_1, a_1 . b_1 + a_2 . b_2) and whole turns
//
// The angle is the twist about the axis, 2 atan2(x, w) of the quaternion (w, x, y, z) that turns B into A in
// axes of the joint: where the axes of the two sides are tilted against each other it has a value for
// every tilt but half a turn, and no direction of the tilt is another one's.
//
// The slope of a row is (n_A, D_A, n_B, D_B) with dg = sum n . dx + D : dR; its change along a
// motion (dx, dR) is exact, by the product rule. Then, for coordinates q = (x, turn),
//
//   G     = (n, gradient of D : R(turn))
//   H'    = G F
//   C     = change of G along y = (dn, gradient of dD : R(turn) + gradient of D : R at y's turn)
//   bias  = C(qdot) . qdot + G . d/dt(F) u
//
// where the second part of C is there for quaternions only, whose s R is quadratic. Koziara (6.2.3,
// 8.1) has H of points in fixed frames; frames that turn with B give the same H on the constraint.
#include "stiction/extend/joint.h"

#include <math.h>
#include <string.h>

#include "body/body.h"
#include "math/math.h"
#include "stiction/extend/base.h"
#include "stiction/extend/vec3.h"

/* ---- kinds ---- */

typedef enum RowKind { ROW_WORLD, ROW_AXIS, ROW_DOT, ROW_LENGTH, ROW_ANGLE } RowKind;

typedef struct Row {
    uint8_t kind;
    uint8_t a, b; // axes of A and B; ROW_WORLD: a is the fixed axis
} Row;

typedef struct Kind {
    const char* name;
    int32_t rows;
    SticJointCoordinate coordinate;
    Row row[STIC_JOINT_ROWS];
} Kind;

#define DISTANCES                                                                                  \
    {ROW_WORLD, 0, 0}, {ROW_WORLD, 1, 0},                                                          \
    {                                                                                              \
        ROW_WORLD, 2, 0                                                                            \
    }
#define ACROSS                                                                                     \
    {ROW_AXIS, 0, 1},                                                                              \
    {                                                                                              \
        ROW_AXIS, 0, 2                                                                             \
    }
#define ALONG                                                                                      \
    {ROW_DOT, 0, 1},                                                                               \
    {                                                                                              \
        ROW_DOT, 0, 2                                                                              \
    }
#define PARALLEL                                                                                   \
    ALONG,                                                                                         \
    {                                                                                              \
        ROW_DOT, 1, 2                                                                              \
    }

static const Kind kinds[STIC_JOINT_KIND_COUNT] = {
    [STIC_JOINT_POINT] = {"point", 3, STIC_JOINT_NO_COORDINATE, {DISTANCES}},
    [STIC_JOINT_LINE] = {"line", 2, STIC_JOINT_DISPLACEMENT, {ACROSS}},
    [STIC_JOINT_PLANE] = {"plane", 1, STIC_JOINT_NO_COORDINATE, {{ROW_AXIS, 0, 0}}},
    [STIC_JOINT_HINGE] = {"hinge", 5, STIC_JOINT_ANGLE, {DISTANCES, ALONG}},
    [STIC_JOINT_SLIDER] = {"slider", 5, STIC_JOINT_DISPLACEMENT, {ACROSS, PARALLEL}},
    [STIC_JOINT_WELD] = {"weld", 6, STIC_JOINT_NO_COORDINATE, {DISTANCES, PARALLEL}},
    [STIC_JOINT_ROD] = {"rod", 1, STIC_JOINT_NO_COORDINATE, {{ROW_LENGTH, 0, 0}}},
    [STIC_JOINT_AXIAL] = {"axial", 0, STIC_JOINT_DISPLACEMENT, {{0, 0, 0}}},
    [STIC_JOINT_TURNING] = {"turning", 0, STIC_JOINT_ANGLE, {{0, 0, 0}}},
    [STIC_JOINT_SPAN] = {"span", 0, STIC_JOINT_LENGTH, {{0, 0, 0}}},
};

static const Row coordinates[] = {
    [STIC_JOINT_DISPLACEMENT] = {ROW_AXIS, 0, 0},
    [STIC_JOINT_ANGLE] = {ROW_ANGLE, 1, 1},
    [STIC_JOINT_LENGTH] = {ROW_LENGTH, 0, 0},
};

const char* stic_joint_kind_name(SticJointKind kind)
{
    return (unsigned)kind < STIC_JOINT_KIND_COUNT ? kinds[kind].name : "unknown";
}

int32_t stic_joint_kind_rows(SticJointKind kind)
{
    return kinds[kind].rows;
}

SticJointCoordinate stic_joint_kind_coordinate(SticJointKind kind)
{
    return kinds[kind].coordinate;
}

/* ---- poses ---- */

// x and R of a side, or how they change along a direction
typedef struct Pose {
    SticVec3 x;
    SticMat3 R;
} Pose;

typedef struct Slope {
    SticVec3 n[2];
    SticMat3 D[2];
} Slope;

static bool is_quaternion(SticChart chart)
{
    return chart == STIC_CHART_QUATERNION || chart == STIC_CHART_SCALABLE;
}

static bool is_point(const SticJointSide* side)
{
    return side->chart == STIC_CHART_LINEAR && side->n == 3;
}

static int32_t q_size(const SticJointSide* side)
{
    return stic_chart_q_size(side->chart, side->n);
}

static Pose pose_of(const SticJointSide* side)
{
    if (side->q == NULL)
        return (Pose){stic_vec3_zero(), stic_mat3_identity()};
    Pose pose = {stic_vec3_load(side->q), stic_mat3_identity()};
    if (is_quaternion(side->chart))
        pose.R = stic_quat_to_scaled_matrix(stic_quat_load(side->q + 3));
    else if (!is_point(side))
        pose.R = stic_mat3_load(side->q + 3);
    return pose;
}

// change of a pose along y; s R is quadratic, so that (sR)(A + y) - (sR)(A - y) is twice its
// derivative
static Pose pose_change(const SticJointSide* side, const double* y)
{
    if (side->q == NULL)
        return (Pose){stic_vec3_zero(), stic_mat3_zero()};
    Pose pose = {stic_vec3_load(y), stic_mat3_zero()};
    if (is_quaternion(side->chart)) {
        const SticQuat a = stic_quat_load(side->q + 3), b = stic_quat_load(y + 3);
        const SticQuat plus = stic_quat_add(a, b), minus = stic_quat_add(a, stic_quat_scale(-1, b));
        pose.R = stic_mat3_scale(0.5, stic_mat3_sub(stic_quat_to_scaled_matrix(plus),
                                                    stic_quat_to_scaled_matrix(minus)));
    } else if (!is_point(side)) {
        pose.R = stic_mat3_load(y + 3);
    }
    return pose;
}

// R f_k of side s
static SticVec3 axis_of(const SticJoint* joint, const Pose pose[2], int s, int k)
{
    return stic_mat3_mul_vec(pose[s].R, stic_mat3_column(joint->frame[s].axes, k));
}

static SticVec3 distance_of(const SticJoint* joint, const Pose pose[2])
{
    const SticVec3 a =
        stic_vec3_add(pose[0].x, stic_mat3_mul_vec(pose[0].R, joint->frame[0].point));
    const SticVec3 b =
        stic_vec3_add(pose[1].x, stic_mat3_mul_vec(pose[1].R, joint->frame[1].point));
    return stic_vec3_sub(a, b);
}

/* ---- slopes ---- */

// slope of n . d for a fixed n
static Slope slope_along(const SticJoint* joint, SticVec3 n)
{
    const SticVec3 m = stic_vec3_neg(n);
    return (Slope){
        {n, m},
        {stic_mat3_outer(n, joint->frame[0].point), stic_mat3_outer(m, joint->frame[1].point)}};
}

static void row_axis(const SticJoint* joint, int b, const Pose pose[2], double* gap, Slope* slope)
{
    const SticVec3 n = axis_of(joint, pose, 1, b), d = distance_of(joint, pose);
    *gap = stic_vec3_dot(n, d);
    *slope = slope_along(joint, n);
    slope->D[1] =
        stic_mat3_add(slope->D[1], stic_mat3_outer(d, stic_mat3_column(joint->frame[1].axes, b)));
}

static void row_dot(const SticJoint* joint, Row row, const Pose pose[2], double* gap, Slope* slope)
{
    const SticVec3 a = axis_of(joint, pose, 0, row.a), b = axis_of(joint, pose, 1, row.b);
    *gap = stic_vec3_dot(a, b);
    *slope = (Slope){{stic_vec3_zero(), stic_vec3_zero()},
                     {stic_mat3_outer(b, stic_mat3_column(joint->frame[0].axes, row.a)),
                      stic_mat3_outer(a, stic_mat3_column(joint->frame[1].axes, row.b))}};
}

static void row_length(const SticJoint* joint, const Pose pose[2], double* gap, Slope* slope)
{
    const SticVec3 d = distance_of(joint, pose);
    const double length = stic_vec3_norm(d);
    *gap = length - joint->length;
    *slope = slope_along(joint, stic_vec3_scale(1.0 / length, d));
}

// p S + q T
static Slope combine(double p, const Slope* S, double q, const Slope* T)
{
    Slope sum;
    for (int k = 0; k < 2; ++k) {
        sum.n[k] = stic_vec3_add_scaled(stic_vec3_scale(p, S->n[k]), q, T->n[k]);
        sum.D[k] = stic_mat3_add_scaled(stic_mat3_scale(p, S->D[k]), q, T->D[k]);
    }
    return sum;
}

// twice the cosine, or the sine, of the angle, times that of half the tilt squared
static void angle_part(const SticJoint* joint, bool sine, const Pose pose[2], double* gap,
                       Slope* slope)
{
    const Row one = {ROW_DOT, 1, sine ? 2 : 1}, two = {ROW_DOT, 2, sine ? 1 : 2};
    const double sign = sine ? -1.0 : 1.0;
    double other;
    Slope rest;
    row_dot(joint, one, pose, gap, slope);
    row_dot(joint, two, pose, &other, &rest);
    *gap += sign * other;
    *slope = combine(1.0, slope, sign, &rest);
}

// the angle nearest to `about` of those that differ from this one by whole turns
static double with_turns(double angle, double about)
{
    const double off = about - angle;
    if (fabs(off) <= STIC_PI)
        return angle;
    return angle + 2.0 * STIC_PI * floor(off / (2.0 * STIC_PI) + 0.5);
}

static void row_angle(const SticJoint* joint, const Pose pose[2], double* gap, Slope* slope)
{
    double c, s;
    Slope dc, ds;
    angle_part(joint, false, pose, &c, &dc);
    angle_part(joint, true, pose, &s, &ds);
    const double w = 1.0 / (c * c + s * s);
    *gap = with_turns(stic_atan2(s, c), joint->about);
    *slope = combine(c * w, &ds, -s * w, &dc);
}

static void row_slope(const SticJoint* joint, Row row, const Pose pose[2], double* gap,
                      Slope* slope)
{
    switch (row.kind) {
    case ROW_WORLD: {
        const SticVec3 e = stic_mat3_column(stic_mat3_identity(), row.a);
        *gap = stic_vec3_dot(e, distance_of(joint, pose));
        *slope = slope_along(joint, e);
        break;
    }
    case ROW_AXIS:
        row_axis(joint, row.b, pose, gap, slope);
        break;
    case ROW_DOT:
        row_dot(joint, row, pose, gap, slope);
        break;
    case ROW_LENGTH:
        row_length(joint, pose, gap, slope);
        break;
    default:
        row_angle(joint, pose, gap, slope);
        break;
    }
}

/* ---- changes of slopes ---- */

// a dot is bilinear: its slope at the change is the change of its slope
static Slope angle_change(const SticJoint* joint, const Pose pose[2], const Pose change[2])
{
    double c, s, unused;
    Slope dc, ds, ddc, dds;
    angle_part(joint, false, pose, &c, &dc);
    angle_part(joint, true, pose, &s, &ds);
    angle_part(joint, false, change, &unused, &ddc);
    angle_part(joint, true, change, &unused, &dds);
    double c_rate = 0.0, s_rate = 0.0;
    for (int k = 0; k < 2; ++k) {
        c_rate += stic_mat3_contract(dc.D[k], change[k].R);
        s_rate += stic_mat3_contract(ds.D[k], change[k].R);
    }
    const double w = 1.0 / (c * c + s * s), w_rate = -2.0 * w * w * (c * c_rate + s * s_rate);
    const Slope first = combine(c * w, &dds, -s * w, &ddc);
    const Slope second = combine(c_rate * w + c * w_rate, &ds, -(s_rate * w + s * w_rate), &dc);
    return combine(1.0, &first, 1.0, &second);
}

static Slope row_change(const SticJoint* joint, Row row, const Pose pose[2], const Pose change[2])
{
    Slope slope;
    double unused;
    switch (row.kind) {
    case ROW_AXIS:
        // bilinear in the axis and d, as the dot is in its two axes
        row_axis(joint, row.b, change, &unused, &slope);
        return slope;
    case ROW_DOT:
        row_dot(joint, row, change, &unused, &slope);
        return slope;
    case ROW_LENGTH: {
        const SticVec3 d = distance_of(joint, pose), rate = distance_of(joint, change);
        const double length = stic_vec3_norm(d);
        const SticVec3 n = stic_vec3_scale(1.0 / length, d);
        const SticVec3 across = stic_vec3_add_scaled(rate, -stic_vec3_dot(n, rate), n);
        return slope_along(joint, stic_vec3_scale(1.0 / length, across));
    }
    case ROW_ANGLE:
        return angle_change(joint, pose, change);
    default:
        return slope_along(joint, stic_vec3_zero());
    }
}

/* ---- coordinates ---- */

static void gradient_of(const SticJointSide* side, const Slope* slope, int k, double* G)
{
    stic_vec3_store(slope->n[k], G);
    if (is_point(side))
        return;
    double D[9];
    stic_mat3_store(slope->D[k], D);
    stic_chart_turn_gradient(side->chart, side->q + 3, D, G + 3);
}

// change of G along y
static void gradient_change(const SticJointSide* side, const Slope* slope, const Slope* change,
                            const double* y, int k, double* C)
{
    gradient_of(side, change, k, C);
    if (!is_quaternion(side->chart))
        return;
    double D[9], more[4];
    stic_mat3_store(slope->D[k], D);
    stic_chart_turn_gradient(side->chart, y + 3, D, more);
    for (int c = 0; c < 4; ++c)
        C[3 + c] += more[c];
}

static double dot(int32_t n, const double* a, const double* b)
{
    double sum = 0.0;
    for (int32_t c = 0; c < n; ++c)
        sum += a[c] * b[c];
    return sum;
}

static double bias_of(const SticJoint* joint, Row row, const SticJointSide side[2],
                      const Pose pose[2], const Slope* slope)
{
    double qdot[2][STIC_CHART_MAX_Q], part[STIC_CHART_MAX_Q], qddot[STIC_CHART_MAX_Q], sum = 0.0;
    Pose motion[2];
    for (int k = 0; k < 2; ++k) {
        if (side[k].q != NULL)
            stic_chart_rate(side[k].chart, side[k].n, side[k].q, side[k].u, qdot[k]);
        motion[k] = pose_change(&side[k], qdot[k]);
    }
    const Slope change = row_change(joint, row, pose, motion);
    for (int k = 0; k < 2; ++k) {
        if (side[k].q == NULL)
            continue;
        const int32_t nq = q_size(&side[k]);
        gradient_change(&side[k], slope, &change, qdot[k], k, part);
        sum += dot(nq, part, qdot[k]);
        gradient_of(&side[k], slope, k, part);
        stic_chart_rate_change(side[k].chart, side[k].n, side[k].q, side[k].u, qddot);
        sum += dot(nq, part, qddot);
    }
    return sum;
}

static void write_C(const SticJoint* joint, Row row, const SticJointSide side[2],
                    const Pose pose[2], const Slope* slope, double* const C[2])
{
    const Pose motion[2] = {pose_change(&side[0], side[0].y), pose_change(&side[1], side[1].y)};
    const Slope change = row_change(joint, row, pose, motion);
    for (int k = 0; k < 2; ++k)
        if (C[k] != NULL)
            gradient_change(&side[k], slope, &change, side[k].y, k, C[k]);
}

static void measure_row(const SticJoint* joint, Row row, const SticJointSide side[2],
                        const Pose pose[2], int32_t at, const SticJointMeasures* out)
{
    double gap;
    Slope slope;
    row_slope(joint, row, pose, &gap, &slope);
    if (out->gap != NULL)
        out->gap[at] = gap;
    for (int k = 0; k < 2; ++k) {
        double G[STIC_CHART_MAX_Q];
        if (side[k].q == NULL || (out->G[k] == NULL && out->H[k] == NULL))
            continue;
        gradient_of(&side[k], &slope, k, G);
        if (out->H[k] != NULL)
            stic_chart_pull_back(side[k].chart, side[k].n, side[k].q, G,
                                 out->H[k] + at * side[k].n);
        if (out->G[k] != NULL)
            memcpy(out->G[k] + at * q_size(&side[k]), G, (size_t)q_size(&side[k]) * sizeof *G);
    }
    if (out->bias != NULL)
        out->bias[at] = bias_of(joint, row, side, pose, &slope);
    if (out->C[0] != NULL || out->C[1] != NULL) {
        double* C[2] = {NULL, NULL};
        for (int k = 0; k < 2; ++k)
            if (side[k].q != NULL && out->C[k] != NULL)
                C[k] = out->C[k] + at * q_size(&side[k]);
        write_C(joint, row, side, pose, &slope, C);
    }
}

static bool turns(const SticJointSide* side)
{
    return side->q == NULL || side->chart == STIC_CHART_QUATERNION ||
           side->chart == STIC_CHART_ROTATION;
}

// Gaps and H' of the three distances along fixed axes between bodies that turn, the rows of most
// joints: d(R p) = R (omega x p), so that row k of H' is e_k and p x R'e_k. Returns how many rows
// that were.
static int32_t measure_distances(const SticJoint* joint, const SticJointSide side[2],
                                 const Pose pose[2], const SticJointMeasures* out)
{
    bool more = out->bias != NULL;
    for (int k = 0; k < 2; ++k)
        more = more || out->G[k] != NULL || out->C[k] != NULL || !turns(&side[k]);
    if (more || kinds[joint->kind].row[0].kind != ROW_WORLD)
        return 0;
    if (out->gap != NULL)
        stic_vec3_store(distance_of(joint, pose), out->gap);
    for (int k = 0; k < 2; ++k) {
        if (side[k].q == NULL || out->H[k] == NULL)
            continue;
        double* H = out->H[k];
        const SticVec3 p = k == 0 ? joint->frame[0].point : stic_vec3_neg(joint->frame[1].point);
        for (int row = 0; row < 3; ++row, H += 6) {
            const double* e = pose[k].R.m[row];
            H[0] = H[1] = H[2] = 0.0;
            H[row] = k == 0 ? 1.0 : -1.0;
            stic_vec3_store(stic_vec3_cross(p, stic_vec3(e[0], e[1], e[2])), H + 3);
        }
    }
    return 3;
}

void stic_joint_measures_fill(const SticJoint* joint, const SticJointSide side[2],
                              const SticJointMeasures* out)
{
    STIC_ASSERT(joint != NULL);
    STIC_ASSERT(out != NULL);
    const Kind* kind = &kinds[joint->kind];
    const Pose pose[2] = {pose_of(&side[0]), pose_of(&side[1])};
    const int32_t first = kind->rows >= 3 ? measure_distances(joint, side, pose, out) : 0;
    for (int32_t i = first; i < kind->rows; ++i)
        measure_row(joint, kind->row[i], side, pose, i, out);
}

void stic_joint_measures_coordinate(const SticJoint* joint, const SticJointSide side[2],
                                    const SticJointMeasures* out)
{
    STIC_ASSERT(joint != NULL);
    STIC_ASSERT(out != NULL);
    const SticJointCoordinate coordinate = kinds[joint->kind].coordinate;
    STIC_ASSERT(coordinate != STIC_JOINT_NO_COORDINATE);
    const Pose pose[2] = {pose_of(&side[0]), pose_of(&side[1])};
    measure_row(joint, coordinates[coordinate], side, pose, 0, out);
}

SticVec3 stic_joint_measures_lever(const SticJoint* joint, const SticJointSide side[2])
{
    STIC_ASSERT(joint != NULL);
    STIC_ASSERT(side[0].q != NULL || side[1].q != NULL);
    const Pose a = pose_of(&side[0]);
    const SticVec3 arm = stic_mat3_mul_vec(a.R, joint->frame[0].point);
    return side[0].q != NULL ? arm
                             : stic_vec3_sub(stic_vec3_add(a.x, arm), stic_vec3_load(side[1].q));
}
