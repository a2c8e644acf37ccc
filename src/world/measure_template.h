// SPDX-License-Identifier: Apache-2.0
// Measures of four contacts at a time. Included by one file per instruction set (math/lanes.h).
//
// The contacts of a lane are those of contact.h and measure.c with the same operations in the same
// order: rigid or fixed sides, no rates, a normal alone or with two tangents.
#ifndef STIC_WORLD_MEASURE_TEMPLATE_H
#define STIC_WORLD_MEASURE_TEMPLATE_H

#include "math/lanes.h"
#include "world/measure.h"

typedef struct LaneVec {
    SticLanes x, y, z;
} LaneVec;

typedef struct LaneSide {
    LaneVec x;
    SticLanes R[3][3], s;
} LaneSide;

// who the four contacts are
typedef struct LaneGroup {
    const SticMeasureTask* task;
    const int32_t* contact;
    int32_t rows;
    int32_t u_at[2][4];    // first velocity of each body, -1: fixed
    const double* q[2][4]; // coordinates
    bool rotation;         // the chart
    int first;             // whose column comes first, A (0) or B
} LaneGroup;

typedef struct LaneTouch {
    SticLanes gap;
    LaneVec axis[3], point;
} LaneTouch;

/* ---- vectors ---- */

LANES_INLINE LaneVec vec(const SticLanes* from)
{
    return (LaneVec){from[0], from[1], from[2]};
}

LANES_INLINE LaneVec add(LaneVec a, LaneVec b)
{
    return (LaneVec){a.x + b.x, a.y + b.y, a.z + b.z};
}

LANES_INLINE LaneVec sub(LaneVec a, LaneVec b)
{
    return (LaneVec){a.x - b.x, a.y - b.y, a.z - b.z};
}

LANES_INLINE LaneVec neg(LaneVec a)
{
    return (LaneVec){-a.x, -a.y, -a.z};
}

LANES_INLINE LaneVec scale(SticLanes s, LaneVec a)
{
    return (LaneVec){s * a.x, s * a.y, s * a.z};
}

// a + s b
LANES_INLINE LaneVec add_scaled(LaneVec a, SticLanes s, LaneVec b)
{
    return (LaneVec){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}

LANES_INLINE SticLanes dot(LaneVec a, LaneVec b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

LANES_INLINE LaneVec cross(LaneVec a, LaneVec b)
{
    return (LaneVec){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

LANES_INLINE LaneVec turn(const LaneSide* side, LaneVec p)
{
    return (LaneVec){side->R[0][0] * p.x + side->R[0][1] * p.y + side->R[0][2] * p.z,
                     side->R[1][0] * p.x + side->R[1][1] * p.y + side->R[1][2] * p.z,
                     side->R[2][0] * p.x + side->R[2][1] * p.y + side->R[2][2] * p.z};
}

LANES_INLINE LaneVec turn_back(const LaneSide* side, LaneVec p)
{
    return (LaneVec){side->R[0][0] * p.x + side->R[1][0] * p.y + side->R[2][0] * p.z,
                     side->R[0][1] * p.x + side->R[1][1] * p.y + side->R[2][1] * p.z,
                     side->R[0][2] * p.x + side->R[1][2] * p.y + side->R[2][2] * p.z};
}

/* ---- sides ---- */

// the coordinates of a fixed body in the charts of rigid ones
static const double fixed_quaternion[7] = {0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0};
static const double fixed_rotation[12] = {0.0, 0.0, 0.0, 1.0, 0.0, 0.0,
                                          0.0, 1.0, 0.0, 0.0, 0.0, 1.0};

// a scaled rotation from a quaternion, as stic_quat_to_scaled_matrix
LANES_INLINE void place_quaternion(const double* const q[4], LaneSide* side)
{
    const double* const late[4] = {q[0] + 3, q[1] + 3, q[2] + 3, q[3] + 3};
    SticLanes x[4], a[4];
    lanes_gather(q, x);
    lanes_gather(late, a);
    const SticLanes ww = a[0] * a[0], xx = a[1] * a[1], yy = a[2] * a[2], zz = a[3] * a[3];
    const SticLanes xy = a[1] * a[2], xz = a[1] * a[3], yz = a[2] * a[3];
    const SticLanes wx = a[0] * a[1], wy = a[0] * a[2], wz = a[0] * a[3];
    side->x = vec(x);
    side->R[0][0] = ww + xx - yy - zz;
    side->R[0][1] = 2.0 * (xy - wz);
    side->R[0][2] = 2.0 * (xz + wy);
    side->R[1][0] = 2.0 * (xy + wz);
    side->R[1][1] = ww - xx + yy - zz;
    side->R[1][2] = 2.0 * (yz - wx);
    side->R[2][0] = 2.0 * (xz - wy);
    side->R[2][1] = 2.0 * (yz + wx);
    side->R[2][2] = ww - xx - yy + zz;
    side->s = ww + xx + yy + zz;
}

LANES_INLINE void place_rotation(const double* const q[4], LaneSide* side)
{
    SticLanes x[12];
    for (int part = 0; part < 3; ++part) {
        const double* const from[4] = {q[0] + 4 * part, q[1] + 4 * part, q[2] + 4 * part,
                                       q[3] + 4 * part};
        lanes_gather(from, x + 4 * part);
    }
    side->x = vec(x);
    for (int n = 0; n < 9; ++n)
        side->R[n / 3][n % 3] = x[3 + n];
    side->s = lanes_all(1.0);
}

LANES_INLINE void place(const LaneGroup* group, int k, LaneSide* side)
{
    if (group->rotation)
        place_rotation(group->q[k], side);
    else
        place_quaternion(group->q[k], side);
}

LANES_INLINE void look_up(const SticMeasureTask* task, const int32_t contact[4], int32_t rows,
                          LaneGroup* group)
{
    const SticView* view = task->view;
    const int32_t* block = task->set->interaction[contact[0]].block;
    *group = (LaneGroup){.task = task, .contact = contact, .rows = rows};
    // one chart and one order for all four
    group->rotation = view->charts[block[0] >= 0 ? block[0] : block[1]] == STIC_CHART_ROTATION;
    group->first = stic_measure_order(&task->set->interaction[contact[0]]);
    const double* fixed = group->rotation ? fixed_rotation : fixed_quaternion;
    for (int lane = 0; lane < STIC_LANES; ++lane)
        for (int k = 0; k < 2; ++k) {
            const int32_t own = task->set->interaction[contact[lane]].block[k];
            group->u_at[k][lane] = own < 0 ? -1 : view->u_at[own];
            group->q[k][lane] = own < 0 ? fixed : task->state->q + view->q_at[own];
        }
}

/* ---- contacts ---- */

// the two tangents of stic_mat3_frame
LANES_INLINE void frame(LaneVec n, LaneVec* first, LaneVec* second)
{
    const SticLanes sign = lanes_pick(n.z < 0.0, lanes_all(-1.0), lanes_all(1.0));
    const SticLanes a = -1.0 / (sign + n.z), b = n.x * n.y * a;
    *first = (LaneVec){1.0 + sign * n.x * n.x * a, sign * b, -sign * n.x};
    *second = (LaneVec){b, sign + n.y * n.y * a, -n.y};
}

LANES_INLINE void touch_plane(const LaneSide side[2], const SticLanes local[12], LaneTouch* touch)
{
    const LaneVec arm = turn(&side[0], vec(local)), base = turn(&side[1], vec(local + 3));
    const LaneVec nb = vec(local + 6), tip = add(side[0].x, arm);
    const LaneVec d = sub(tip, add(side[1].x, base));
    const SticLanes radius = local[9], shrink = 1.0 / side[1].s;
    LaneVec first, second;
    frame(nb, &first, &second);
    touch->axis[0] = turn(&side[1], nb);
    touch->axis[1] = scale(shrink, turn(&side[1], first));
    touch->axis[2] = scale(shrink, turn(&side[1], second));
    touch->gap = dot(touch->axis[0], d) - radius;
    touch->point = add_scaled(tip, -radius, touch->axis[0]);
}

LANES_INLINE void finish(LaneTouch* touch, LaneVec across, LaneVec centre, const SticLanes* radius)
{
    const SticLanes length = lanes_root(dot(across, across)), zero = lanes_all(0.0);
    const SticLaneMask apart = length > zero;
    const LaneVec n = scale(1.0 / length, across);
    touch->axis[0] = (LaneVec){lanes_pick(apart, n.x, zero), lanes_pick(apart, n.y, zero),
                               lanes_pick(apart, n.z, lanes_all(1.0))};
    touch->gap = length - (radius[0] + radius[1]);
    touch->point = add_scaled(centre, -(radius[0] + 0.5 * touch->gap), touch->axis[0]);
    frame(touch->axis[0], &touch->axis[1], &touch->axis[2]);
}

LANES_INLINE void touch_round(const LaneSide side[2], const SticLanes local[12], LaneTouch* touch)
{
    const LaneVec centre = add(side[0].x, turn(&side[0], vec(local)));
    const LaneVec other = add(side[1].x, turn(&side[1], vec(local + 3)));
    finish(touch, sub(centre, other), centre, local + 6);
}

LANES_INLINE void touch_round_edge(const LaneSide side[2], const SticLanes local[12],
                                   LaneTouch* touch)
{
    const LaneVec e = turn(&side[1], vec(local + 6));
    const LaneVec centre = add(side[0].x, turn(&side[0], vec(local)));
    const LaneVec d = sub(centre, add(side[1].x, turn(&side[1], vec(local + 3))));
    const SticLanes tau = dot(d, e) / dot(e, e);
    finish(touch, add_scaled(d, -tau, e), centre, local + 9);
}

LANES_INLINE void touch_edge_edge(const LaneSide side[2], const SticLanes local[12],
                                  LaneTouch* touch)
{
    const LaneVec e[2] = {turn(&side[0], vec(local + 3)), turn(&side[1], vec(local + 9))};
    const LaneVec x[2] = {add(side[0].x, turn(&side[0], vec(local))),
                          add(side[1].x, turn(&side[1], vec(local + 6)))};
    const LaneVec c = cross(e[0], e[1]), d = sub(x[0], x[1]);
    const SticLanes size = lanes_root(dot(c, c));
    const LaneVec n = scale(1.0 / size, c);
    LaneVec foot[2];
    for (int k = 0; k < 2; ++k)
        foot[k] = add_scaled(x[k], -dot(d, cross(e[1 - k], n)) / size, e[k]);
    touch->axis[0] = n;
    touch->gap = dot(n, d);
    touch->point = scale(lanes_all(0.5), add(foot[0], foot[1]));
    frame(n, &touch->axis[1], &touch->axis[2]);
}

// whether stic_touch_continue would change tangents that are a function of the normal
LANES_INLINE bool continues(const double (*tangent)[6], const int32_t contact[4], LaneVec n)
{
    const double* first[4];
    const double* second[4];
    SticLanes a[4], b[4];
    for (int lane = 0; lane < STIC_LANES; ++lane) {
        first[lane] = tangent[contact[lane]];
        second[lane] = first[lane] + 2;
    }
    lanes_gather(first, a);
    lanes_gather(second, b);
    const LaneVec t1 = vec(a), t2 = {a[3], b[2], b[3]}, m = cross(t1, t2);
    const SticLanes which = lanes_pick(lanes_abs(m.z) > 1e-8, m.z, -m.x * t1.z);
    const SticLanes one = lanes_all(1.0), sign = lanes_pick(which < 0.0, -one, one);
    const SticLanes own = lanes_pick(n.z < 0.0, -one, one);
    return lanes_any((dot(m, m) != 0.0) & (sign != own));
}

/* ---- results ---- */

// rows of H' of side k, as write_rigid of measure.c
LANES_INLINE void fill_rows(const LaneSide* side, const LaneTouch* touch, int k, int32_t rows,
                            SticLanes H[18])
{
    const LaneVec arm = sub(touch->point, side->x);
    const SticLanes shrink = 1.0 / side->s;
    for (int32_t row = 0; row < rows; ++row) {
        const LaneVec e = k == 0 ? touch->axis[row] : neg(touch->axis[row]);
        const LaneVec moment = scale(shrink, turn_back(side, cross(arm, e)));
        H[6 * row] = e.x;
        H[6 * row + 1] = e.y;
        H[6 * row + 2] = e.z;
        H[6 * row + 3] = moment.x;
        H[6 * row + 4] = moment.y;
        H[6 * row + 5] = moment.z;
    }
}

// values of lane k to to[k], `count` of them, at least 4; lanes without a place are left out
LANES_INLINE void put_values(const SticLanes* value, int count, double* const to[4])
{
    for (int at = 0; at < count; at += 4) {
        const int from = at + 4 <= count ? at : count - 4;
        SticLanes x[4] = {value[from], value[from + 1], value[from + 2], value[from + 3]};
        lanes_transpose(x);
        for (int lane = 0; lane < STIC_LANES; ++lane)
            if (to[lane] != NULL)
                lanes_store(x[lane], to[lane] + from);
    }
}

LANES_INLINE void put_H(const LaneGroup* group, const SticLanes (*H)[18])
{
    const SticMeasures* out = group->task->out;
    for (int k = 0; k < 2; ++k) {
        double* to[4];
        for (int lane = 0; lane < STIC_LANES; ++lane) {
            const int64_t at = out->u_pattern->at[group->contact[lane]][k];
            to[lane] = at < 0 ? NULL : out->H + at;
        }
        put_values(H[k], 6 * group->rows, to);
    }
}

// sum += H' u of side k
LANES_INLINE void add_speeds(const LaneGroup* group, const double* u, const SticLanes* H, int k,
                             SticLanes sum[3])
{
    static const double none[6] = {0.0};
    const double* from[4];
    const double* late[4];
    SticLanes x[4], y[4];
    for (int lane = 0; lane < STIC_LANES; ++lane) {
        from[lane] = group->u_at[k][lane] < 0 ? none : u + group->u_at[k][lane];
        late[lane] = from[lane] + 2;
    }
    lanes_gather(from, x);
    lanes_gather(late, y);
    const SticLanes own[6] = {x[0], x[1], x[2], x[3], y[2], y[3]};
    for (int32_t row = 0; row < group->rows; ++row)
        for (int c = 0; c < 6; ++c)
            sum[row] += H[6 * row + c] * own[c];
}

// H' u with the bits of the product with H': blocks in the order of the columns
LANES_INLINE void find_speeds(const LaneGroup* group, const double* u, const SticLanes (*H)[18],
                              SticLanes sum[3])
{
    for (int row = 0; row < 3; ++row)
        sum[row] = lanes_all(0.0);
    if (group->first == 0) {
        add_speeds(group, u, H[0], 0, sum);
        add_speeds(group, u, H[1], 1, sum);
    } else {
        add_speeds(group, u, H[1], 1, sum);
        add_speeds(group, u, H[0], 0, sum);
    }
}

// one number per row and lane
LANES_INLINE void put_rows(const LaneGroup* group, const SticLanes value[3], double* to)
{
    for (int lane = 0; lane < STIC_LANES; ++lane)
        for (int32_t row = 0; row < group->rows; ++row)
            to[group->task->set->row_at[group->contact[lane]] + row] = value[row][lane];
}

LANES_INLINE void put(const LaneGroup* group, const LaneSide side[2], const LaneTouch* touch)
{
    const SticMeasures* out = group->task->out;
    const int32_t rows = group->rows, *contact = group->contact;
    const SticLanes zero = lanes_all(0.0), gap[3] = {touch->gap, zero, zero},
                    none[3] = {zero, zero, zero};
    SticLanes H[2][18], speed[3];
    if (out->want & STIC_WANT_GAP)
        put_rows(group, gap, out->gap);
    if (out->want & STIC_WANT_CHI)
        put_rows(group, none, out->chi);
    if (out->want & (STIC_WANT_H | STIC_WANT_SPEED))
        for (int k = 0; k < 2; ++k)
            fill_rows(&side[k], touch, k, rows, H[k]);
    if (out->want & STIC_WANT_H)
        put_H(group, (const SticLanes(*)[18])H);
    if (out->want & STIC_WANT_SPEED) {
        find_speeds(group, group->task->state->u, (const SticLanes(*)[18])H, speed);
        for (int32_t row = 0; row < rows; ++row)
            speed[row] += zero;
        put_rows(group, speed, out->speed);
    }
    if ((out->want & STIC_WANT_SPEED) && out->further != NULL) {
        find_speeds(group, out->further, (const SticLanes(*)[18])H, speed);
        put_rows(group, speed, out->further_speed);
    }
    if (out->want & STIC_WANT_TANGENT) {
        const LaneVec *a = &touch->axis[1], *b = &touch->axis[2];
        const SticLanes tangent[6] = {a->x, a->y, a->z, b->x, b->y, b->z};
        double* const to[4] = {out->tangent[contact[0]], out->tangent[contact[1]],
                               out->tangent[contact[2]], out->tangent[contact[3]]};
        put_values(tangent, 6, to);
    }
}

static LANES_TARGET bool measure_lanes(const SticMeasureTask* task, SticContactKernel kernel,
                                       int32_t rows, const int32_t contact[4])
{
    LaneGroup group;
    LaneSide side[2];
    LaneTouch touch;
    SticLanes local[12];
    look_up(task, contact, rows, &group);
    for (int part = 0; part < 3; ++part) {
        const double* from[4];
        for (int lane = 0; lane < STIC_LANES; ++lane)
            from[lane] = task->set->local[contact[lane]] + 4 * part;
        lanes_gather(from, local + 4 * part);
    }
    for (int k = 0; k < 2; ++k)
        place(&group, k, &side[k]);
    switch (kernel) {
    case STIC_CONTACT_PLANE:
        touch_plane(side, local, &touch);
        break;
    case STIC_CONTACT_ROUND:
        touch_round(side, local, &touch);
        break;
    case STIC_CONTACT_ROUND_EDGE:
        touch_round_edge(side, local, &touch);
        break;
    default:
        touch_edge_edge(side, local, &touch);
        break;
    }
    // tangents of a plane are fixed in its body
    if (task->set->tangent != NULL && kernel != STIC_CONTACT_PLANE &&
        continues(task->set->tangent, contact, touch.axis[0]))
        return false;
    // with constant numbers of rows
    if (rows == 3) {
        group.rows = 3;
        put(&group, side, &touch);
    } else {
        group.rows = 1;
        put(&group, side, &touch);
    }
    return true;
}

#endif
