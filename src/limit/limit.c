// SPDX-License-Identifier: Apache-2.0
// Tasks and results of limit analysis; joints in a motion of collapse.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "limit/limit.h"
#include "stiction/extend/base.h"
#include "stiction/extend/law.h"
#include "stiction/extend/vec3.h"

SticLimitTask stic_limit_default_task(void)
{
    return (SticLimitTask){.cone = STIC_LIMIT_EXACT, .facets = 8, .tolerance = 1e-9};
}

const char* stic_limit_outcome_name(SticLimitOutcome outcome)
{
    static const char* const names[STIC_LIMIT_OUTCOME_COUNT] = {"found", "unlimited", "none",
                                                                "open"};
    return names[outcome];
}

static SticStatus check_task(const SticLimit* limit, const SticLimitTask* task, SticError* error)
{
    STIC_ASSERT(task->dead != NULL && task->cone >= 0 && task->cone < STIC_LIMIT_CONE_COUNT);
    if (task->facets < 3 || !(task->tolerance > 0.0))
        return stic_error_set(error, STIC_BAD_DATA,
                              "limit: at least 3 facets and a positive tolerance are needed");
    for (int32_t k = 0; k < limit->dof; ++k)
        if (!isfinite(task->dead[k]) || (task->live != NULL && !isfinite(task->live[k])))
            return stic_error_set(error, STIC_NOT_FINITE, "limit: a load is not finite");
    return STIC_OK;
}

SticStatus stic_limit_solve(const SticLimit* limit, const SticLimitTask* task, SticArena* arena,
                            SticLimitResult* result, SticError* error)
{
    STIC_ASSERT(limit != NULL && task != NULL && arena != NULL && result != NULL);
    SticLimitProgram program;
    double *r = NULL, *v = NULL;
    *result = (SticLimitResult){0};
    STIC_TRY(check_task(limit, task, error));
    STIC_TRY(stic_limit_program(limit, task, arena, &program, error));
    STIC_TRY(stic_limit_maximise(&program, task, arena, result, error));
    // from cones to forces of the contacts
    STIC_TRY(STIC_TAKE(arena, &r, limit->set.rows + 1));
    memset(r, 0, (size_t)limit->set.rows * sizeof *r);
    for (int32_t p = 0; p < program.count; ++p) {
        const int32_t i = program.source[p], at = limit->set.row_at[i];
        for (int32_t row = program.row_at[p]; row < program.row_at[p + 1]; ++row)
            for (int32_t k = 0; k < limit->set.row_at[i + 1] - at; ++k)
                r[at + k] += program.force * program.coef[row][k] * result->r[row];
    }
    const double spare =
        task->live == NULL && isfinite(result->factor) ? program.force * result->factor : 0.0;
    for (int32_t i = 0; i < limit->set.count; ++i)
        if (limit->set.interaction[i].law != STIC_LAW_FREE)
            r[limit->set.row_at[i]] += spare - limit->set.interaction[i].cohesion;
    result->r = r;
    STIC_TRY(STIC_TAKE(arena, &v, limit->dof + 1));
    for (int32_t k = 0; k < limit->dof; ++k)
        v[k] = program.size[k] * result->v[k];
    result->v = v;
    return STIC_OK;
}

/* ---- joints ---- */

// a contact of a result
typedef struct Touch {
    int32_t interaction;
    SticContactView view;
} Touch;

static double larger(double a, double b)
{
    return a > b ? a : b;
}

static double smaller(double a, double b)
{
    return a < b ? a : b;
}

static bool less(SticBodyId a, SticBodyId b)
{
    return a.index < b.index;
}

// contacts of a pair come with either body first
static SticBodyId side_of(const Touch* touch, int side)
{
    const bool turned = less(touch->view.body[1], touch->view.body[0]);
    return touch->view.body[turned ? 1 - side : side];
}

static int compare_pairs(const Touch* a, const Touch* b)
{
    for (int k = 0; k < 2; ++k)
        if (side_of(a, k).index != side_of(b, k).index)
            return less(side_of(a, k), side_of(b, k)) ? -1 : 1;
    return 0;
}

static int compare_touches(const void* first, const void* second)
{
    const Touch *a = first, *b = second;
    const int pairs = compare_pairs(a, b);
    return pairs != 0 ? pairs
                      : (a->interaction > b->interaction) - (a->interaction < b->interaction);
}

static int compare_joints(const void* first, const void* second)
{
    const SticLimitJoint *a = first, *b = second;
    const double p = larger(a->slide, a->open), q = larger(b->slide, b->open);
    if (p != q)
        return p > q ? -1 : 1;
    for (int k = 0; k < 2; ++k)
        if (a->body[k].index != b->body[k].index)
            return less(a->body[k], b->body[k]) ? -1 : 1;
    return 0;
}

// the joint of `count` contacts of one pair; u are relative velocities, r forces
static SticLimitJoint joint_of(const SticLimit* limit, const Touch* touch, int32_t count,
                               const double* u, const double* r)
{
    SticLimitJoint joint = {.body = {touch->view.body[0], touch->view.body[1]}, .contacts = count};
    SticVec3 middle = stic_vec3_zero();
    double load = 0.0, largest = 0.0, least = INFINITY, most = -INFINITY;
    for (int32_t c = 0; c < count; ++c)
        largest = larger(largest, r[limit->set.row_at[touch[c].interaction]]);
    for (int32_t c = 0; c < count; ++c) {
        const SticContactView* view = &touch[c].view;
        const int32_t at = limit->set.row_at[touch[c].interaction];
        const int32_t rows = limit->set.row_at[touch[c].interaction + 1] - at;
        const double side = view->body[0].index == joint.body[0].index ? 1.0 : -1.0;
        double across = 0.0;
        for (int32_t k = 0; k < rows; ++k) {
            joint.force = stic_vec3_add_scaled(joint.force, side * r[at + k], view->axis[k]);
            across += k > 0 ? u[at + k] * u[at + k] : 0.0;
        }
        const double normal = larger(r[at], 0.0);
        middle = stic_vec3_add_scaled(middle, 1.0 / count, view->point);
        joint.point = stic_vec3_add_scaled(joint.point, normal, view->point);
        load += normal;
        least = smaller(least, u[at]);
        most = larger(most, u[at]);
        // what slides is seen where the joint is pressed: open corners swing
        if (normal > 1e-3 * largest)
            joint.slide = larger(joint.slide, sqrt(across));
    }
    joint.point = load > 0.0 ? stic_vec3_scale(1.0 / load, joint.point) : middle;
    joint.open = most - least;
    return joint;
}

SticStatus stic_limit_joints(const SticLimit* limit, const SticLimitResult* result, double part,
                             SticArena* arena, const SticLimitJoint** joint, int32_t* count)
{
    STIC_ASSERT(limit != NULL && result != NULL && arena != NULL && joint != NULL && count != NULL);
    Touch* touch = NULL;
    SticLimitJoint* made = NULL;
    double *u = NULL, largest = 0.0;
    int32_t touches = 0;
    STIC_TRY(STIC_TAKE(arena, &touch, limit->set.count + 1));
    STIC_TRY(STIC_TAKE(arena, &made, limit->set.count + 1));
    STIC_TRY(STIC_TAKE(arena, &u, limit->set.rows + 1));
    stic_block_csr_multiply(1.0, &limit->A, result->v, 0.0, u);
    for (int32_t i = 0; i < limit->set.count; ++i)
        if (limit->set.interaction[i].law != STIC_LAW_FREE)
            touch[touches++] =
                (Touch){i, stic_world_contact(limit->system, &limit->set, i, limit->state)};
    qsort(touch, (size_t)touches, sizeof *touch, compare_touches);
    *count = 0;
    for (int32_t c = 0, end; c < touches; c = end) {
        for (end = c + 1; end < touches && compare_pairs(&touch[c], &touch[end]) == 0;)
            ++end;
        made[*count] = joint_of(limit, touch + c, end - c, u, result->r);
        largest = larger(largest, larger(made[*count].slide, made[*count].open));
        *count += 1;
    }
    for (int32_t j = 0; j < *count; ++j) {
        made[j].slides = made[j].slide > part * largest;
        made[j].hinges = made[j].open > part * largest;
    }
    qsort(made, (size_t)*count, sizeof *made, compare_joints);
    *joint = made;
    return STIC_OK;
}
