// SPDX-License-Identifier: Apache-2.0
// The table of Siconos solvers and one call of each.
//
// Options are the defaults of Siconos except tolerance and number of iterations. The clock runs
// around the driver only: conversion and, for local solvers, the condensation to W are free.
#include "peers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "FrictionContactProblem.h"
#include "Friction_cst.h"
#include "GlobalFrictionContactProblem.h"
#include "GlobalRollingFrictionContactProblem.h"
#include "LinearComplementarityProblem.h"
#include "NonSmoothDrivers.h"
#include "NumericsMatrix.h"
#include "RollingFrictionContactProblem.h"
#include "SolverOptions.h"
#include "lcp_cst.h"

// up to so many contacts dense storage was the fastest of the three for methods that factorise (48
// contacts: dense, 82: blocks, for prox and Newton; alternating directions gain at 82 too); methods
// with products alone like blocks at any size
enum { DENSE_NEWTON = 60, DENSE_ADMM = 100 };

const PeerSolver peer_table[] = {
    {.name = "siconos-nsgs",
     .text = "Gauss-Seidel with its default local solver",
     .id = {SICONOS_FRICTION_3D_NSGS, SICONOS_FRICTION_2D_NSGS, SICONOS_ROLLING_FRICTION_3D_NSGS,
            SICONOS_ROLLING_FRICTION_2D_NSGS, 0},
     .storage = PEER_BLOCK},
    {.name = "siconos-prox",
     .text = "proximal point with inner Newton (Alart-Curnier)",
     .id = {SICONOS_FRICTION_3D_PROX},
     .storage = PEER_BLOCK,
     .dense_most = DENSE_NEWTON},
    {.name = "siconos-nsn-ac",
     .text = "semismooth Newton, Alart-Curnier function",
     .id = {SICONOS_FRICTION_3D_NSN_AC},
     .storage = PEER_BLOCK,
     .dense_most = DENSE_NEWTON},
    {.name = "siconos-vi-eg",
     .text = "extragradient with a self-adapting step",
     .id = {SICONOS_FRICTION_3D_VI_EG},
     .storage = PEER_BLOCK},
    {.name = "siconos-admm",
     .text = "alternating directions on reactions",
     .id = {SICONOS_FRICTION_3D_ADMM, 0, SICONOS_ROLLING_FRICTION_3D_ADMM},
     .storage = PEER_SPARSE,
     .dense_most = DENSE_ADMM},
    {.name = "siconos-aclm",
     .text = "fixed point on s = |u_T| around convex problems",
     .id = {SICONOS_FRICTION_3D_ACLMFP},
     .storage = PEER_BLOCK},
    {.name = "siconos-nsgs-dense",
     .text = "Gauss-Seidel on dense W: its other code for the plane",
     .id = {0, SICONOS_FRICTION_2D_NSGS},
     .storage = PEER_DENSE},
    {.name = "siconos-cpg",
     .text = "conjugate projected gradient",
     .id = {0, SICONOS_FRICTION_2D_CPG},
     .storage = PEER_DENSE},
    {.name = "siconos-lemke",
     .text = "Lemke's pivoting",
     .id = {0, SICONOS_FRICTION_2D_LEMKE, 0, 0, SICONOS_LCP_LEMKE},
     .storage = PEER_DENSE},
    {.name = "siconos-pivot",
     .text = "Lemke's path with least-index rules",
     .id = {0, 0, 0, 0, SICONOS_LCP_PIVOT},
     .storage = PEER_DENSE},
    {.name = "siconos-newton-fb",
     .text = "Newton on the Fischer-Burmeister function",
     .id = {0, 0, 0, 0, SICONOS_LCP_NEWTON_FB_FBLSA},
     .storage = PEER_DENSE},
    {.name = "siconos-global-nsgs-wr",
     .text = "Gauss-Seidel after its own condensation",
     .id = {SICONOS_GLOBAL_FRICTION_3D_NSGS_WR, 0, SICONOS_GLOBAL_ROLLING_FRICTION_3D_NSGS_WR},
     .global = true},
    {.name = "siconos-global-admm",
     .text = "alternating directions on M, H",
     .id = {SICONOS_GLOBAL_FRICTION_3D_ADMM},
     .global = true},
    {.name = "siconos-global-ipm",
     .text = "interior point on M, H: the convex relaxation",
     .id = {SICONOS_GLOBAL_FRICTION_3D_IPM},
     .global = true},
    {.name = "siconos-nsgs-projection",
     .text = "Gauss-Seidel with projections on the cone",
     .id = {SICONOS_FRICTION_3D_NSGS},
     .storage = PEER_BLOCK,
     .local_solver = SICONOS_FRICTION_3D_ONECONTACT_ProjectionOnConeWithLocalIteration,
     .marginal = true},
    {.name = "siconos-nsn-fb",
     .text = "semismooth Newton, Fischer-Burmeister function",
     .id = {SICONOS_FRICTION_3D_NSN_FB},
     .storage = PEER_BLOCK,
     .dense_most = DENSE_NEWTON,
     .marginal = true},
    {.name = "siconos-nsn-nm",
     .text = "semismooth Newton, natural map",
     .id = {SICONOS_FRICTION_3D_NSN_NM},
     .storage = PEER_BLOCK,
     .dense_most = DENSE_NEWTON,
     .marginal = true},
    {.name = "siconos-vi-fpp",
     .text = "fixed point projection with a self-adapting step",
     .id = {SICONOS_FRICTION_3D_VI_FPP},
     .storage = PEER_BLOCK,
     .marginal = true},
    {.name = "siconos-tresca",
     .text = "fixed point on the friction bound",
     .id = {SICONOS_FRICTION_3D_TFP},
     .storage = PEER_BLOCK,
     .marginal = true},
    {.name = "siconos-panagiotopoulos",
     .text = "fixed point between normal and tangential problems",
     .id = {SICONOS_FRICTION_3D_PFP},
     .storage = PEER_BLOCK,
     .marginal = true},
    {.name = "siconos-global-prox-wr",
     .text = "proximal point after its own condensation",
     .id = {SICONOS_GLOBAL_FRICTION_3D_PROX_WR},
     .global = true,
     .marginal = true},
    {.name = "siconos-global-nsn-ac",
     .text = "semismooth Newton on M, H",
     .id = {SICONOS_GLOBAL_FRICTION_3D_NSN_AC},
     .global = true,
     .marginal = true},
    {.name = NULL},
};

const PeerSolver* peer_find(const char* name)
{
    for (const PeerSolver* solver = peer_table; solver->name != NULL; ++solver)
        if (strcmp(solver->name, name) == 0)
            return solver;
    return NULL;
}

/* ---- one solve ---- */

// one problem in the structure of its driver, and what the driver fills
typedef struct Call {
    PeerKind kind;
    bool global;
    FrictionContactProblem* cone;
    RollingFrictionContactProblem* rolling;
    LinearComplementarityProblem* lcp;
    GlobalFrictionContactProblem* global_cone;
    GlobalRollingFrictionContactProblem* global_rolling;
    SolverOptions* options;
    double *r, *u, *v;
} Call;

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static double norm(const double* x, int32_t n)
{
    double sum = 0.0;
    for (int32_t i = 0; i < n; ++i)
        sum += x[i] * x[i];
    return sqrt(sum);
}

static bool make_local(const SticProblem* local, PeerStorage storage, Call* call)
{
    NumericsMatrix* W = peer_matrix(local->W, storage);
    double* b = peer_copy(local->b, local->rows);
    double* mu = peer_coefficients(local, 0);
    const int32_t dimension = peer_kind_rows(call->kind);
    if (W == NULL || b == NULL || mu == NULL)
        return false;
    if (call->kind == PEER_CONE_3D || call->kind == PEER_CONE_2D) {
        call->cone = frictionContactProblem_new_with_data(dimension, local->count, W, b, mu);
        return call->cone != NULL;
    }
    if (call->kind == PEER_LCP) {
        call->lcp = newLCP();
        if (call->lcp != NULL)
            *call->lcp = (LinearComplementarityProblem){.size = local->rows, .M = W, .q = b};
        free(mu);
        return call->lcp != NULL;
    }
    call->rolling = rollingFrictionContactProblem_new_with_data(dimension, local->count, W, b, mu,
                                                                peer_coefficients(local, 2));
    return call->rolling != NULL;
}

static bool make_global(const SticProblem* problem, Call* call)
{
    NumericsMatrix* M = peer_matrix(problem->M->A, PEER_SPARSE);
    NumericsMatrix* H = peer_transpose(problem->Ht);
    double* f = peer_copy(problem->f, problem->dof);
    double* w = peer_copy(problem->w, problem->rows);
    double* mu = peer_coefficients(problem, 0);
    if (M == NULL || H == NULL || f == NULL || w == NULL || mu == NULL)
        return false;
    if (call->kind == PEER_CONE_3D) {
        GlobalFrictionContactProblem* made = globalFrictionContactProblem_new();
        if (made != NULL)
            *made = (GlobalFrictionContactProblem){.dimension = 3,
                                                   .numberOfContacts = problem->count,
                                                   .M = M,
                                                   .H = H,
                                                   .q = f,
                                                   .norm_q = norm(f, problem->dof),
                                                   .b = w,
                                                   .norm_b = norm(w, problem->rows),
                                                   .mu = mu};
        call->global_cone = made;
        return made != NULL;
    }
    GlobalRollingFrictionContactProblem* made = globalRollingFrictionContactProblem_new();
    if (made != NULL)
        *made = (GlobalRollingFrictionContactProblem){.dimension = 5,
                                                      .numberOfContacts = problem->count,
                                                      .M = M,
                                                      .H = H,
                                                      .q = f,
                                                      .b = w,
                                                      .mu = mu,
                                                      .mu_r = peer_coefficients(problem, 2)};
    call->global_rolling = made;
    return made != NULL;
}

static int drive(Call* call)
{
    double *const r = call->r, *const u = call->u;
    switch (call->kind) {
    case PEER_CONE_3D:
        return call->global ? gfc3d_driver(call->global_cone, r, u, call->v, call->options)
                            : fc3d_driver(call->cone, r, u, call->options);
    case PEER_CONE_2D:
        return fc2d_driver(call->cone, r, u, call->options);
    case PEER_ROLLING_3D:
        return call->global
                   ? g_rolling_fc3d_driver(call->global_rolling, r, u, call->v, call->options)
                   : rolling_fc3d_driver(call->rolling, r, u, call->options);
    case PEER_ROLLING_2D:
        return rolling_fc2d_driver(call->rolling, r, u, call->options);
    case PEER_LCP:
        return linearComplementarity_driver(call->lcp, r, u, call->options);
    default:
        return 1;
    }
}

static PeerStorage choose_storage(const SticProblem* local, const PeerRequest* request)
{
    const PeerSolver* solver = request->solver;
    const bool rolling = request->kind == PEER_ROLLING_3D || request->kind == PEER_ROLLING_2D;
    if (request->storage >= 0)
        return (PeerStorage)request->storage;
    if (local->count <= solver->dense_most)
        return PEER_DENSE;
    // rolling Gauss-Seidel aborts on blocks of five rows
    return rolling && solver->storage == PEER_BLOCK ? PEER_SPARSE : solver->storage;
}

static bool make_call(const SticProblem* local, const PeerRequest* request, Call* call)
{
    const PeerSolver* solver = request->solver;
    const PeerStorage storage = choose_storage(local, request);
    *call = (Call){.kind = request->kind, .global = solver->global};
    call->r = calloc((size_t)local->rows + 1, sizeof *call->r);
    call->u = calloc((size_t)local->rows + 1, sizeof *call->u);
    call->v = calloc((size_t)local->dof + 1, sizeof *call->v);
    call->options = solver_options_create(solver->id[request->kind]);
    if (call->r == NULL || call->u == NULL || call->v == NULL || call->options == NULL)
        return false;
    call->options->dparam[SICONOS_DPARAM_TOL] = request->tolerance;
    call->options->iparam[SICONOS_IPARAM_MAX_ITER] = request->max_iterations;
    if (solver->local_solver != 0)
        solver_options_update_internal(call->options, 0, solver->local_solver);
    return solver->global ? make_global(local, call) : make_local(local, storage, call);
}

// problems are not given back: some of Siconos' clean-up functions crash after a failed solve, and
// the process ends soon
static void clear_call(Call* call)
{
    free(call->r);
    free(call->u);
    free(call->v);
}

bool peer_solve(const SticProblem* local, const PeerRequest* request, void (*begin)(void*),
                void* self, PeerAnswer* answer)
{
    Call call;
    if (!make_call(local, request, &call))
        return false;
    begin(self);
    const double start = seconds_now();
    const int status = drive(&call);
    const double seconds = seconds_now() - start;
    if (answer->runs == 0 || seconds < answer->seconds)
        answer->seconds = seconds;
    if (answer->runs == 0) {
        answer->status = status;
        answer->iterations = call.options->iparam[SICONOS_IPARAM_ITER_DONE];
        answer->own_error = call.options->dparam[SICONOS_DPARAM_RESIDU];
        memcpy(answer->r, call.r, (size_t)local->rows * sizeof *call.r);
    }
    answer->runs += 1;
    clear_call(&call);
    return true;
}
