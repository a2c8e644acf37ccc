// SPDX-License-Identifier: Apache-2.0
// Contact impulses of least norm among those that give the same motion.
//
// Where W is singular (a box on four points, a wall, an arch) the reactions r of a step are not
// unique, though its motion H r is. Of all z with the same motion that obey the laws of contact,
//
//   minimise |z|^2 / 2   subject to   H z = H r,   z_i in C_i
//
// is unique and does not depend on the solver, its start or the order of contacts. C_i follows from
// the velocities, which all solutions share: {0} for a contact that opens or stays open, the ray of r_i for one
// that slides or rolls (its direction is given by that), the friction cone for one that sticks, the
// half-line of a contact without friction. Joints and laws without a normal row keep their r.
//
// Its dual is smooth and without constraints: with z(y) = prox_C(y) for the cone C,
//
//   maximise   c . y - |z(H' y)|^2 / 2,   gradient  c - H z(H' y),   c = H r,
//
// solved by Newton's method with an element of the generalised derivative of prox, conjugate
// gradients and a line search, as Qi and Sun (2006) do for the nearest correlation matrix. Rows of
// H are scaled to unit length, since forces and torques have different units. Cost: one product
// with H and H' per step of the conjugate gradients; workspace 8 vectors.
#include "output/least_norm.h"

#include "math/math.h"
#include "stiction/extend/law.h"
#include "stiction/extend/sparse.h"
#include "system/push.h"

#include <math.h>
#include <string.h>

enum { NEWTON_MOST = 60, GRADIENTS_MOST = 400, HALVINGS_MOST = 30 };
// the motion is the same to this part of the scaled momentum
#define TOLERANCE 1e-10
// gaps below this part of the smaller body are closed
#define CLOSED 1e-9

typedef enum Kind { KEPT, ZERO, RAY, CONE } Kind;

typedef struct Task {
    const SticActing* acting;
    int32_t count, rows, dof;
    Kind* kind;         // [count]
    SticConvexSet* set; // [count] of CONE
    double* ray;        // [rows] unit direction of RAY
    double* jacobian;   // [count][36] of CONE
    double* scale;      // [dof] 1 / length of a row of H, 0: no contact acts there
    double *c, *y, *trial, *gradient, *step, *p, *q, *residual; // [dof]
    double *z, *w;                                              // [rows]
} Task;

/* ---- products ---- */

static double dot(int32_t n, const double* a, const double* b)
{
    double sum = 0.0;
    for (int32_t i = 0; i < n; ++i)
        sum += a[i] * b[i];
    return sum;
}

static bool redistributes(const Task* task, int32_t i)
{
    return task->kind[i] != KEPT;
}

// w = H' y for contacts that are redistributed, 0 elsewhere; `q` is used
static void pull(Task* task, const double* y, double* w)
{
    for (int32_t k = 0; k < task->dof; ++k)
        task->q[k] = task->scale[k] * y[k];
    stic_block_csr_multiply(1.0, &task->acting->Ht, task->q, 0.0, w);
}

// g = H z
static void push(Task* task, const double* z, double* g)
{
    memset(g, 0, (size_t)task->dof * sizeof *g);
    stic_block_csr_multiply_transpose(1.0, &task->acting->Ht, z, 1.0, g);
    for (int32_t k = 0; k < task->dof; ++k)
        g[k] *= task->scale[k];
}

/* ---- the cones ---- */

// z = prox_C(w), w is not changed; with `slope` its derivative is kept
static void project(Task* task, const double* w, double* z, bool slope)
{
    const SticSet* set = &task->acting->set;
    memset(z, 0, (size_t)task->rows * sizeof *z);
    for (int32_t i = 0; i < task->count; ++i) {
        const int32_t at = set->row_at[i], n = set->interaction[i].rows;
        if (task->kind[i] == RAY) {
            const double along = dot(n, task->ray + at, w + at);
            task->jacobian[36 * (int64_t)i] = along > 0.0 ? 1.0 : 0.0;
            for (int32_t c = 0; along > 0.0 && c < n; ++c)
                z[at + c] = along * task->ray[at + c];
        } else if (task->kind[i] == CONE) {
            stic_set_prox(&task->set[i], w + at, z + at);
            if (slope)
                stic_set_prox_derivative(&task->set[i], w + at, task->jacobian + 36 * (int64_t)i);
        }
    }
}

// w = J w in place
static void differentiate(const Task* task, double* w)
{
    const SticSet* set = &task->acting->set;
    for (int32_t i = 0; i < task->count; ++i) {
        const int32_t at = set->row_at[i], n = set->interaction[i].rows;
        const double* J = task->jacobian + 36 * (int64_t)i;
        double image[6] = {0.0};
        if (task->kind[i] == RAY) {
            const double along = J[0] * dot(n, task->ray + at, w + at);
            for (int32_t c = 0; c < n; ++c)
                image[c] = along * task->ray[at + c];
        } else if (task->kind[i] == CONE) {
            for (int32_t c = 0; c < n; ++c)
                image[c] = dot(n, J + c * n, w + at);
        }
        memcpy(w + at, image, (size_t)n * sizeof *w);
    }
}

/* ---- Newton ---- */

// dual objective and gradient at y; z holds the primal point
static double evaluate(Task* task, const double* y, bool slope, double* gradient)
{
    pull(task, y, task->w);
    project(task, task->w, task->z, slope);
    push(task, task->z, gradient);
    for (int32_t k = 0; k < task->dof; ++k)
        gradient[k] = task->c[k] - gradient[k];
    return dot(task->dof, task->c, y) - 0.5 * dot(task->rows, task->z, task->z);
}

// step = (H J H' + small I)^-1 gradient by conjugate gradients; `small` keeps the step finite along
// directions that no active contact resists
static void newton_direction(Task* task, double small)
{
    const int32_t n = task->dof;
    double* r = task->residual;
    memset(task->step, 0, (size_t)n * sizeof *task->step);
    memcpy(r, task->gradient, (size_t)n * sizeof *r);
    memcpy(task->p, r, (size_t)n * sizeof *r);
    double size = dot(n, r, r);
    const double end = 1e-6 * size;
    for (int32_t k = 0; k < GRADIENTS_MOST && size > end; ++k) {
        pull(task, task->p, task->w);
        differentiate(task, task->w);
        push(task, task->w, task->q);
        for (int32_t c = 0; c < n; ++c)
            task->q[c] += small * task->p[c];
        const double curve = dot(n, task->p, task->q);
        if (!(curve > 0.0))
            return;
        const double length = size / curve;
        for (int32_t c = 0; c < n; ++c) {
            task->step[c] += length * task->p[c];
            r[c] -= length * task->q[c];
        }
        const double next = dot(n, r, r);
        for (int32_t c = 0; c < n; ++c)
            task->p[c] = r[c] + next / size * task->p[c];
        size = next;
    }
}

// move y along the step until the objective rises enough; false if it does not
static bool climb(Task* task, double value)
{
    const double slope = dot(task->dof, task->gradient, task->step);
    double length = 1.0;
    for (int32_t k = 0; k < HALVINGS_MOST; ++k, length *= 0.5) {
        for (int32_t c = 0; c < task->dof; ++c)
            task->trial[c] = task->y[c] + length * task->step[c];
        // rounding of the objective hides a rise below 1e-15 of it
        if (evaluate(task, task->trial, false, task->residual) >=
            value + 1e-4 * length * slope - 1e-15 * fabs(value)) {
            memcpy(task->y, task->trial, (size_t)task->dof * sizeof *task->y);
            return true;
        }
    }
    return false;
}

static void solve(Task* task, SticLeastNorm* how)
{
    const double size = sqrt(dot(task->dof, task->c, task->c));
    how->residual = INFINITY;
    for (how->newton = 0; how->newton < NEWTON_MOST; ++how->newton) {
        const double value = evaluate(task, task->y, true, task->gradient);
        const double error = sqrt(dot(task->dof, task->gradient, task->gradient));
        how->residual = size > 0.0 ? error / size : 0.0;
        how->found = how->residual <= TOLERANCE;
        if (how->found)
            return;
        const double small = 1e-9 + 1e-3 * (how->residual < 1.0 ? how->residual : 1.0);
        newton_direction(task, small);
        if (!climb(task, value))
            break;
    }
}

/* ---- setting up ---- */

static SticStatus take(SticActing* acting, SticArena* arena, Task* task)
{
    const int32_t rows = acting->set.rows, dof = acting->system->layout.nu;
    double** const vectors[] = {&task->scale, &task->c, &task->y, &task->trial,   &task->gradient,
                                &task->step,  &task->p, &task->q, &task->residual};
    *task = (Task){.acting = acting, .count = acting->set.count, .rows = rows, .dof = dof};
    STIC_TRY(STIC_TAKE(arena, &task->kind, task->count + 1));
    STIC_TRY(STIC_TAKE(arena, &task->set, task->count + 1));
    STIC_TRY(STIC_TAKE(arena, &task->jacobian, 36 * ((int64_t)task->count + 1)));
    STIC_TRY(STIC_TAKE(arena, &task->ray, rows + 1));
    STIC_TRY(STIC_TAKE(arena, &task->z, rows + 1));
    STIC_TRY(STIC_TAKE(arena, &task->w, rows + 1));
    for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; ++i) {
        STIC_TRY(STIC_TAKE(arena, vectors[i], dof + 1));
        memset(*vectors[i], 0, ((size_t)dof + 1) * sizeof **vectors[i]);
    }
    return STIC_OK;
}

// what contact i may do instead of r, seen from its velocity and the gap that this leaves
static Kind kind_of(const SticActing* acting, int32_t i, double slip)
{
    const SticInteraction* interaction = &acting->set.interaction[i];
    const int32_t n = interaction->rows, at = acting->set.row_at[i];
    const double *r = acting->r + at, *u = acting->velocity + at;
    // what resting contacts are apart by rounding, and by what solvers leave
    const double closed = stic_larger(slip * acting->h, CLOSED * interaction->size);
    const bool known = interaction->law == STIC_LAW_NONNEG || interaction->law == STIC_LAW_CONE ||
                       interaction->law == STIC_LAW_ROLLING;
    if (interaction->level != STIC_LEVEL_CONTACT || !known || interaction->cohesion > 0.0)
        return KEPT;
    if (!(r[0] > 0.0))
        return u[0] > slip || acting->gap[at] + acting->h * u[0] > closed ? ZERO : CONE;
    return n > 1 && sqrt(dot(n - 1, u + 1, u + 1)) > slip ? RAY : CONE;
}

// kinds and cones; the impulses that are redistributed go to z, their number is returned
static int32_t classify(Task* task, double slip)
{
    const SticActing* acting = task->acting;
    int32_t count = 0;
    memset(task->z, 0, (size_t)task->rows * sizeof *task->z);
    for (int32_t i = 0; i < task->count; ++i) {
        const SticInteraction* interaction = &acting->set.interaction[i];
        const int32_t at = acting->set.row_at[i], n = interaction->rows;
        const double* r = acting->r + at;
        task->kind[i] = kind_of(acting, i, slip);
        if (task->kind[i] == CONE)
            task->set[i] = interaction->law == STIC_LAW_NONNEG
                               ? stic_set_nonneg(1)
                               : stic_law_set((SticLaw)interaction->law, n, interaction->coef, 0.0);
        const double length = sqrt(dot(n, r, r));
        for (int32_t c = 0; redistributes(task, i) && c < n; ++c) {
            task->z[at + c] = r[c];
            task->ray[at + c] = length > 0.0 ? r[c] / length : 0.0;
        }
        count += redistributes(task, i) ? 1 : 0;
    }
    return count;
}

static void scale_rows(Task* task)
{
    const SticBlockCsr* Ht = &task->acting->Ht;
    for (int32_t i = 0; i < task->count; ++i)
        for (int32_t b = Ht->begin[i]; redistributes(task, i) && b < Ht->begin[i + 1]; ++b) {
            const int32_t col = Ht->col_at[Ht->col[b]], n = Ht->col_at[Ht->col[b] + 1] - col;
            const double* H = Ht->value + Ht->value_at[b];
            for (int32_t row = 0; row < task->acting->set.interaction[i].rows; ++row)
                for (int32_t c = 0; c < n; ++c)
                    task->scale[col + c] += H[row * n + c] * H[row * n + c];
        }
    for (int32_t k = 0; k < task->dof; ++k)
        task->scale[k] = task->scale[k] > 0.0 ? 1.0 / sqrt(task->scale[k]) : 0.0;
}

// what contacts gave, where a step has it beside r: more by what other impulses give
static SticStatus replace_given(const Task* task, const double* r, SticActing* acting,
                                SticArena* arena)
{
    const SticSet* set = &acting->set;
    double(*given)[6] = NULL, change[6];
    if (acting->given == NULL)
        return STIC_OK;
    STIC_TRY(STIC_TAKE(arena, &given, set->count));
    memcpy(given, acting->given, (size_t)set->count * sizeof *given);
    const SticPushRows rows = {acting->system, set, &acting->Ht, &acting->at};
    for (int32_t i = 0; i < set->count; ++i) {
        for (int32_t c = 0; c < set->interaction[i].rows; ++c)
            change[c] = r[set->row_at[i] + c] - acting->r[set->row_at[i] + c];
        if (redistributes(task, i))
            stic_push_add_rows(&rows, i, change, given[i]);
    }
    acting->given = (const double(*)[6])given;
    return STIC_OK;
}

SticStatus stic_least_norm(SticActing* acting, double slip, SticArena* arena, SticLeastNorm* how)
{
    Task task;
    double* r = NULL;
    *how = (SticLeastNorm){.found = false};
    if (acting->set.rows == 0)
        return STIC_OK;
    STIC_TRY(take(acting, arena, &task));
    if (classify(&task, slip) == 0)
        return STIC_OK;
    scale_rows(&task);
    push(&task, task.z, task.c);
    solve(&task, how);
    if (!how->found)
        return STIC_OK;
    // the rest keeps its impulses
    STIC_TRY(STIC_TAKE(arena, &r, acting->set.rows));
    memcpy(r, acting->r, (size_t)acting->set.rows * sizeof *r);
    for (int32_t i = 0; i < task.count; ++i)
        for (int32_t k = acting->set.row_at[i];
             redistributes(&task, i) && k < acting->set.row_at[i + 1]; ++k)
            r[k] = task.z[k];
    STIC_TRY(replace_given(&task, r, acting, arena));
    acting->r = r;
    return STIC_OK;
}
