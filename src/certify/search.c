// SPDX-License-Identifier: Apache-2.0
// Cheap candidates for a witness: a motion that follows all obstacles, and a first-order search.
//
//   kinematic   min |A v + c|^2 by conjugate gradients in the metric of the program. All obstacles
//               moving as one rigid body give u = 0 (Acary and Cadoux 2013, section 4.3): w is then
//               in the range of the kinematics and A holds with margin 0 or more.
//   search      min phi(v) = sum dist^2(A v + c - t e, cones)/2 for a target t > 0, by Nesterov's
//               accelerated gradient with restarts. Where some margin above t exists the iterates
//               reach a positive one after finitely many steps, since t is in reserve. Where even t
//               is out of reach d = y - proj(y) tends to a vector with A' d = 0: then x = -d is in
//               the cones with c . x < 0, a certificate. The target falls tenfold where d stays.
// An extragradient method needs two products per step with the same operator and has no better
// rate; the feasibility problem is a smooth convex minimisation, for which the accelerated gradient is
// optimal (Nesterov, Soviet Math. Dokl. 27 (1983); restarts: O'Donoghue and Candès 2015).
// Cost: two products with A per step. Workspace: eight vectors.
#include <math.h>
#include <string.h>

#include "certify/program.h"

#include "stiction/extend/base.h"

// steps between two looks at how far it is, which cost about a step
enum { JUDGE = 10 };

/* ---- kinematic ---- */

SticStatus stic_program_kinematic(SticArena* arena, const SticProgram* program, int32_t steps,
                                  double* v)
{
    STIC_ASSERT(steps >= 0);
    const SticArenaMark mark = stic_arena_mark(arena);
    const int32_t rows = program->rows, cols = program->cols;
    double *q = NULL, *image = NULL, *along = NULL, *g = NULL, *p = NULL;
    STIC_TRY(STIC_TAKE(arena, &q, rows + 1));
    STIC_TRY(STIC_TAKE(arena, &image, rows + 1));
    STIC_TRY(STIC_TAKE(arena, &along, rows + 1));
    STIC_TRY(STIC_TAKE(arena, &g, cols + 1));
    STIC_TRY(STIC_TAKE(arena, &p, cols + 1));
    memset(v, 0, (size_t)cols * sizeof *v);
    for (int32_t row = 0; row < rows; ++row)
        q[row] = -program->c[row];
    double gamma = stic_program_pull(program, q, p, along);
    const double first = gamma;
    double scale = 0.0;
    for (int32_t k = 0; k < cols && program->symmetric; ++k)
        scale = sqrt(program->metric[k]) > scale ? sqrt(program->metric[k]) : scale;
    // q . A D^-1 A' q by rounding: A itself in the symmetric form, else of unit size and squared
    const double rounding = program->symmetric ? 0x1p-48 * scale : 0x1p-98;
    // the square of 1e-14: nothing is left of c but rounding
    for (int32_t step = 0; step < steps && gamma > 1e-28 * first; ++step) {
        if (step % JUDGE == JUDGE - 1)
            STIC_TRY(stic_context_ask(stic_arena_context(arena), NULL));
        double square = 0.0, length = 0.0;
        for (int32_t row = 0; row < rows; ++row) {
            square += along[row] * along[row];
            length += q[row] * q[row];
        }
        // what is left of q is across the range: its image is rounding
        if (!(square > 0.0) || gamma <= rounding * length)
            break;
        const double al = gamma / square;
        for (int32_t k = 0; k < cols; ++k)
            v[k] += al * p[k];
        for (int32_t row = 0; row < rows; ++row)
            q[row] -= al * along[row];
        const double next = stic_program_pull(program, q, g, image);
        const double beta = next / gamma;
        for (int32_t k = 0; k < cols; ++k)
            p[k] = g[k] + beta * p[k];
        for (int32_t row = 0; row < rows; ++row)
            along[row] = image[row] + beta * along[row];
        gamma = next;
    }
    stic_arena_rewind(arena, mark);
    return STIC_OK;
}

/* ---- search ---- */

typedef struct Search {
    const SticProgram* program;
    double lipschitz;
    double *v, *v_old, *w; // [cols] iterate, the one before, extrapolated
    double *y, *y_old, *z; // [rows] their velocities
    double *d, *image;     // [rows] defect, A g
    double* g;             // [cols]
    double momentum;
} Search;

static SticStatus create(SticArena* arena, const SticProgram* program, Search* made)
{
    *made = (Search){.program = program};
    double** const by_row[] = {&made->y, &made->y_old, &made->z, &made->d, &made->image};
    double** const by_col[] = {&made->v, &made->v_old, &made->w, &made->g};
    for (size_t k = 0; k < sizeof by_row / sizeof by_row[0]; ++k)
        STIC_TRY(STIC_TAKE(arena, by_row[k], program->rows + 1));
    for (size_t k = 0; k < sizeof by_col / sizeof by_col[0]; ++k)
        STIC_TRY(STIC_TAKE(arena, by_col[k], program->cols + 1));
    return STIC_OK;
}

// largest eigenvalue of A D^-1 A' from above, by power iteration
static double curvature(Search* search)
{
    enum { ROUNDS = 30 };
    const SticProgram* program = search->program;
    SticRandom random = stic_random_create(1);
    double size = 0.0;
    for (int32_t row = 0; row < program->rows; ++row)
        search->d[row] = stic_random_range(&random, -1.0, 1.0);
    for (int32_t round = 0; round < ROUNDS; ++round) {
        double square = 0.0, before = 0.0;
        for (int32_t row = 0; row < program->rows; ++row)
            before += search->d[row] * search->d[row];
        stic_program_pull(program, search->d, search->g, search->image);
        for (int32_t row = 0; row < program->rows; ++row)
            square += search->image[row] * search->image[row];
        size = before > 0.0 ? sqrt(square / before) : 0.0;
        for (int32_t row = 0; row < program->rows; ++row)
            search->d[row] = square > 0.0 ? search->image[row] / sqrt(square) : 0.0;
    }
    // power iteration ends below the largest value
    return size > 0.0 ? 1.1 * size : 1.0;
}

// d = y - t e - (its projection on the cones); gives |d|^2
static double defect(const SticProgram* program, const double* y, double t, double* d)
{
    double total = 0.0;
    for (int32_t p = 0; p < program->count; ++p) {
        const int32_t at = program->row_at[p], n = program->row_at[p + 1] - at;
        if (program->equality[p]) {
            memcpy(d + at, y + at, (size_t)n * sizeof *d);
        } else {
            const double axis = y[at] - t;
            double sum = 0.0;
            for (int32_t k = 1; k < n; ++k)
                sum += y[at + k] * y[at + k];
            const double across = sqrt(sum);
            // inside; in the polar cone; between them
            const double up = axis >= across ? axis : axis <= -across ? 0.0 : 0.5 * (axis + across);
            d[at] = axis - up;
            for (int32_t k = 1; k < n; ++k)
                d[at + k] = axis >= across || across == 0.0 ? 0.0 : y[at + k] * (1.0 - up / across);
        }
        for (int32_t k = 0; k < n; ++k)
            total += d[at + k] * d[at + k];
    }
    return total;
}

static void restart(Search* search)
{
    search->momentum = 1.0;
    stic_program_velocity(search->program, search->v, search->y);
    memcpy(search->w, search->v, (size_t)search->program->cols * sizeof *search->w);
    memcpy(search->z, search->y, (size_t)search->program->rows * sizeof *search->z);
}

// one accelerated step; gives |d|^2 at the extrapolated point
static double step(Search* search, double t)
{
    const SticProgram* program = search->program;
    const double size = defect(program, search->z, t, search->d);
    double turn = 0.0;
    stic_program_pull(program, search->d, search->g, search->image);
    memcpy(search->v_old, search->v, (size_t)program->cols * sizeof *search->v);
    memcpy(search->y_old, search->y, (size_t)program->rows * sizeof *search->y);
    const double next = 0.5 * (1.0 + sqrt(1.0 + 4.0 * search->momentum * search->momentum));
    const double beta = (search->momentum - 1.0) / next;
    for (int32_t k = 0; k < program->cols; ++k) {
        search->v[k] = search->w[k] - search->g[k] / search->lipschitz;
        search->w[k] = search->v[k] + beta * (search->v[k] - search->v_old[k]);
    }
    for (int32_t row = 0; row < program->rows; ++row) {
        search->y[row] = search->z[row] - search->image[row] / search->lipschitz;
        turn += search->d[row] * (search->y[row] - search->y_old[row]);
        search->z[row] = search->y[row] + beta * (search->y[row] - search->y_old[row]);
    }
    search->momentum = next;
    if (turn > 0.0)
        restart(search);
    return size;
}

SticStatus stic_program_search(SticArena* arena, const SticProgram* program,
                               const SticProgramGoal* goal, SticProgramPoint* point)
{
    // products drift apart by rounding
    enum { REFRESH = 200 };
    const SticArenaMark mark = stic_arena_mark(arena);
    Search search;
    // a reserve that many problems allow; it is reduced after some hundred steps without success
    double t = 0.01, last = INFINITY;
    STIC_TRY(create(arena, program, &search));
    search.lipschitz = curvature(&search);
    if (point->margin > -INFINITY)
        memcpy(search.v, point->v, (size_t)program->cols * sizeof *search.v);
    else
        memset(search.v, 0, (size_t)program->cols * sizeof *search.v);
    restart(&search);
    for (int32_t k = 1; k <= goal->steps; ++k) {
        const double size = step(&search, t);
        if (k % JUDGE == 0)
            STIC_TRY(stic_context_ask(stic_arena_context(arena), NULL));
        if (k % JUDGE == 0)
            stic_program_keep(program, goal, search.v, search.y, point);
        if (point->margin > 2.0 * goal->tolerance || size == 0.0)
            break;
        if (k % REFRESH != 0)
            continue;
        for (int32_t row = 0; row < program->rows; ++row)
            search.d[row] = -search.d[row];
        stic_program_keep_dual(program, goal, search.d, point);
        if (point->most < -2.0 * goal->tolerance)
            break;
        // rounding of the products, the momentum is kept
        stic_program_velocity(program, search.v, search.y);
        stic_program_velocity(program, search.w, search.z);
        // the defect stays: this target is out of reach
        if (size > 0.5 * last && t > goal->tolerance) {
            t *= 0.1;
            restart(&search);
        }
        last = size;
    }
    stic_program_keep(program, goal, search.v, search.y, point);
    stic_arena_rewind(arena, mark);
    return STIC_OK;
}
