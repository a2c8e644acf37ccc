// SPDX-License-Identifier: Apache-2.0
// Does a one-step problem have a solution? Finds evidence, has it verified, reports the verdict.
//
//   1  does the theorem apply: laws, P = H, M or W symmetric and positive (semi-)definite
//   2  candidates for a witness of A: v = 0, a motion with u = 0, the first-order search
//   3  the margin program of A by interior point: witness of the largest margin, and a bound of it
//   4  A fails or does not apply: the margin program of A', whose multipliers refute existence
//   5  still unknown, and small: every combination of contact states (enumerate.c), if asked for
// Whatever is found goes through verify.c, which alone decides the verdict.
//
// Acary and Cadoux 2013, sections 4.3 and 4.4. Departures: s is bounded by max|w|; joints are
// admitted (eliminating them gives a problem of the same form); A' is refuted by the multipliers of
// its own margin program; candidates come first. Cost: that of maximise.c at most twice, then that
// of enumerate.c.
#include <math.h>
#include <string.h>

#include "certify/program.h"
#include "solver/arena_context.h"
#include "sparse/sparse.h"
#include "stiction/extend/problem.h"
#include "stiction/extend/sparse.h"

static const SticField existence_fields[] = {
    STIC_FIELD_REAL(SticExistenceSettings, tolerance, 1e-9, 0.0, 1.0, "-",
                    "margins within this times max|w| count as 0"),
    STIC_FIELD_REAL(SticExistenceSettings, reach, 1e6, 1.0, 1e12, "-",
                    "certificates hold for velocities up to this times max|w|"),
    STIC_FIELD_REAL(SticExistenceSettings, asymmetry, 1e-12, 0.0, 0.1, "-",
                    "|W - W'|/|W| up to which the verdict is about the symmetric part of W"),
    STIC_FIELD_COUNT(SticExistenceSettings, kinematic_steps, 500, 0, 1e9, "steps",
                     "conjugate gradient steps for a motion with u = 0"),
    STIC_FIELD_COUNT(SticExistenceSettings, search_steps, 4000, 0, 1e9, "steps",
                     "steps of the first-order search for a witness"),
    STIC_FIELD_COUNT(SticExistenceSettings, program_steps, 80, 0, 1e9, "steps",
                     "steps of the interior point"),
    STIC_FIELD_COUNT(SticExistenceSettings, program_most, 20000, 0, 1e9, "contacts",
                     "contacts up to which the interior point is used"),
    STIC_FIELD_COUNT(SticExistenceSettings, dense_most, 600, 0, 20000, "rows",
                     "rows of a local problem up to which a singular W is factorised densely"),
    STIC_FIELD_COUNT(SticExistenceSettings, branches, 0, 0, 1e9, "branches",
                     "combinations of contact states up to which all are tried where the verdict "
                     "is unknown; 0 for none"),
    STIC_FIELD_FLAG(SticExistenceSettings, margin, 1,
                    "compute the largest margin, not only a verdict"),
};

const SticFieldTable stic_existence_fields = {
    .name = "existence",
    .fields = existence_fields,
    .count = sizeof existence_fields / sizeof existence_fields[0],
    .size = sizeof(SticExistenceSettings),
};

SticExistenceSettings stic_existence_default_settings(void)
{
    SticExistenceSettings settings;
    stic_fields_default(&stic_existence_fields, &settings);
    return settings;
}

SticExistenceSettings stic_existence_quick_settings(void)
{
    SticExistenceSettings settings = stic_existence_default_settings();
    settings.margin = false;
    settings.search_steps = 200;
    settings.program_most = 2000;
    settings.branches = 1000;
    return settings;
}

const char* stic_certificate_name(SticCertificate certificate)
{
    static const char* const names[STIC_CERTIFICATE_COUNT] = {
        "nothing", "witness", "multipliers-sufficient", "multipliers-necessary", "enumeration"};
    return names[certificate];
}

const char* stic_evidence_name(SticEvidence evidence)
{
    static const char* const names[STIC_EVIDENCE_COUNT] = {"none", "rest", "kinematic", "search",
                                                           "program"};
    return names[evidence];
}

typedef struct Inquiry {
    const SticProblem* problem;
    const SticExistenceSettings* settings;
    SticArena* arena;
    SticExistence* result;
    SticError* error;
    SticFindings findings;
    double *witness, *certificate; // kept for the caller
    double *trial, *trial_r;       // [dof or rows], [rows]
    bool symmetric;
    SticBlockCsr W; // symmetric part
    SticProblem symmetrised;
} Inquiry;

/* ---- does the theorem apply ---- */

// whether A plus `shift` times its largest value on the diagonal has positive pivots only
static SticStatus has_positive_pivots(SticArena* arena, const SticBlockCsr* A, double shift,
                                      bool* definite, SticError* error)
{
    const SticArenaMark mark = stic_arena_mark(arena);
    const SticContext context = stic_arena_context_make(arena);
    SticSymbolic* symbolic = NULL;
    SticFactor* factor = NULL;
    SticFactorInfo info = {0};
    SticBlockCsr shifted = *A;
    double *value = NULL, most = 0.0;
    const int64_t values = A->value_at[stic_block_csr_count(A)];
    STIC_TRY(STIC_TAKE(arena, &value, values + 1));
    memcpy(value, A->value, (size_t)values * sizeof *value);
    for (int64_t k = 0; k < values; ++k)
        most = fabs(value[k]) > most ? fabs(value[k]) : most;
    bool complete = true;
    for (int32_t i = 0; i < A->rows; ++i) {
        const int32_t e = stic_block_csr_find(A, i, i), n = A->row_at[i + 1] - A->row_at[i];
        complete = complete && e >= 0;
        for (int32_t k = 0; k < n && e >= 0; ++k)
            value[A->value_at[e] + k * n + k] += shift * most;
    }
    shifted.value = value;
    STIC_TRY(stic_symbolic_create(&context, A, STIC_ORDERING_AMD, &symbolic, error));
    STIC_TRY(stic_factor_create(symbolic, STIC_FACTOR_LDL, &factor, error));
    const SticStatus status = stic_factor_compute(factor, &shifted, NULL, &info);
    *definite = status == STIC_OK && complete && info.negative == 0 && info.replaced == 0;
    stic_arena_rewind(arena, mark);
    return status == STIC_NOT_FINITE ? STIC_OK : status;
}

// (A + A')/2 in memory of the arena
static SticStatus symmetric_part(SticArena* arena, const SticBlockCsr* A, SticBlockCsr* part,
                                 SticError* error)
{
    const int32_t blocks = stic_block_csr_count(A);
    const int64_t values = A->value_at[blocks];
    SticBlockCsr At;
    int32_t *row = NULL, *col = NULL;
    double* value = NULL;
    STIC_TRY(stic_block_csr_transpose(A, arena, &At));
    STIC_TRY(STIC_TAKE(arena, &row, 2 * (size_t)blocks + 1));
    STIC_TRY(STIC_TAKE(arena, &col, 2 * (size_t)blocks + 1));
    STIC_TRY(STIC_TAKE(arena, &value, 2 * (size_t)values + 1));
    const SticBlockCsr* const both[2] = {A, &At};
    for (int32_t k = 0; k < 2; ++k) {
        for (int32_t i = 0; i < A->rows; ++i)
            for (int32_t e = both[k]->begin[i]; e < both[k]->begin[i + 1]; ++e) {
                row[k * blocks + e] = i;
                col[k * blocks + e] = both[k]->col[e];
            }
        for (int64_t v = 0; v < values; ++v)
            value[k * values + v] = 0.5 * both[k]->value[v];
    }
    const SticPartition partition = {
        .rows = A->rows, .cols = A->cols, .row_at = A->row_at, .col_at = A->col_at};
    const SticBlockTriplets triplets = {
        .count = 2 * blocks, .row = row, .col = col, .value = value};
    return stic_block_csr_from_blocks(&partition, &triplets, arena, part, error);
}

// whether the theorem applies; the problem may be replaced by the one with a symmetric W
static SticStatus check_theorem(Inquiry* inquiry)
{
    // symmetric to the rounding of a W that was computed, or written with 15 digits
    const double rounding = 1e-12;
    const SticProblem* problem = inquiry->problem;
    const bool global = problem->M != NULL;
    const SticBlockCsr* A = global ? problem->M->A : problem->W;
    const bool same = !global || problem->Pt == NULL || problem->Pt == problem->Ht;
    const double asymmetry = stic_block_csr_asymmetry(A), limit = inquiry->settings->asymmetry;
    bool definite = false;
    if (!same || (asymmetry > rounding && (global || asymmetry > limit)))
        return STIC_OK;
    if (asymmetry > rounding) {
        STIC_TRY(symmetric_part(inquiry->arena, A, &inquiry->W, inquiry->error));
        inquiry->symmetrised = *problem;
        inquiry->symmetrised.W = A = &inquiry->W;
        inquiry->problem = &inquiry->symmetrised;
        inquiry->result->symmetrised = true;
    }
    // M must be regular; for W, allow for the rounding of the pivots of a singular matrix, with
    // room to spare
    const double shift = global ? 0.0 : limit > 1e-10 ? limit : 1e-10;
    STIC_TRY(has_positive_pivots(inquiry->arena, A, shift, &definite, inquiry->error));
    inquiry->symmetric = definite;
    inquiry->findings.applies = definite && stic_condition_covers(problem);
    return STIC_OK;
}

/* ---- evidence ---- */

// verify a velocity and keep it if it is the best
static SticStatus consider(Inquiry* inquiry, const SticProgram* program, const double* v,
                           SticEvidence source)
{
    const double slack = inquiry->settings->tolerance * inquiry->findings.size;
    SticWitnessCheck check;
    stic_program_witness(program, v, inquiry->trial);
    STIC_TRY(stic_witness_verify(inquiry->arena, inquiry->problem, STIC_CONDITION_SUFFICIENT,
                                 inquiry->trial, &check));
    if (check.joint > slack ||
        (inquiry->findings.witness && !(check.margin > inquiry->findings.best.margin)))
        return STIC_OK;
    const int32_t length =
        inquiry->problem->M != NULL ? inquiry->problem->dof : inquiry->problem->rows;
    memcpy(inquiry->witness, inquiry->trial, (size_t)length * sizeof *inquiry->witness);
    inquiry->findings.witness = true;
    inquiry->findings.best = check;
    inquiry->result->witness = inquiry->witness;
    inquiry->result->margin = check.margin;
    inquiry->result->found_by = source;
    return STIC_OK;
}

// verify multipliers and keep them if they are the best for their condition
static SticStatus consider_dual(Inquiry* inquiry, const SticProgram* program, const double* x,
                                SticEvidence source)
{
    const bool necessary = program->condition == STIC_CONDITION_NECESSARY;
    SticExistence* result = inquiry->result;
    double* most = necessary ? &result->necessary_most : &result->margin_most;
    SticCertificateCheck check;
    stic_program_certificate(program, x, inquiry->trial_r);
    STIC_TRY(stic_certificate_verify(inquiry->arena, inquiry->problem, program->condition,
                                     inquiry->settings->reach, inquiry->trial_r, &check));
    const double bound = check.most < INFINITY ? check.most : check.value;
    if (!check.valid || !(bound < *most))
        return STIC_OK;
    *most = bound;
    if (necessary) {
        inquiry->findings.refuted = true;
        inquiry->findings.necessary = check;
    }
    memcpy(inquiry->certificate, inquiry->trial_r,
           (size_t)inquiry->problem->rows * sizeof *inquiry->certificate);
    result->certificate = inquiry->certificate;
    result->condition = program->condition;
    result->refuted_by = source;
    return STIC_OK;
}

static bool is_robust(const Inquiry* inquiry)
{
    return stic_findings_decide(&inquiry->findings, inquiry->settings->tolerance) ==
           STIC_VERDICT_EXISTS_ROBUST;
}

// the interior point again, in velocities: a singular W loses digits in multipliers, since their
// part in its null space is settled by y/x alone
static SticStatus run_factored(Inquiry* inquiry, const SticProgram* symmetric)
{
    const SticExistenceSettings* settings = inquiry->settings;
    const bool sufficient = symmetric->condition == STIC_CONDITION_SUFFICIENT;
    const SticProgramGoal goal = {.tolerance = settings->tolerance,
                                  .reach = settings->reach,
                                  .steps = settings->program_steps,
                                  .margin = true};
    // a W that is symmetric only to a tolerance is known no better than that
    const double limit = settings->asymmetry < 1e-7 ? settings->asymmetry : 1e-7;
    SticProgram program;
    SticProgramPoint point = {.margin = -INFINITY, .most = INFINITY};
    STIC_TRY(
        stic_program_factor(inquiry->arena, symmetric, limit > 1e-10 ? limit : 1e-10, &program));
    STIC_TRY(STIC_TAKE(inquiry->arena, &point.v, program.cols + 1));
    STIC_TRY(STIC_TAKE(inquiry->arena, &point.x, program.rows + 1));
    STIC_TRY(stic_program_maximise(inquiry->arena, &program, &goal, &point, &inquiry->result->steps,
                                   inquiry->error));
    if (point.most < INFINITY)
        STIC_TRY(consider_dual(inquiry, &program, point.x, STIC_EVIDENCE_PROGRAM));
    if (sufficient && point.margin > -INFINITY)
        STIC_TRY(consider(inquiry, &program, point.v, STIC_EVIDENCE_PROGRAM));
    return STIC_OK;
}

// search and interior point on one program; `point` holds the candidate to start from
static SticStatus run_program(Inquiry* inquiry, const SticProgram* program, SticProgramPoint* point)
{
    const SticExistenceSettings* settings = inquiry->settings;
    const bool sufficient = program->condition == STIC_CONDITION_SUFFICIENT;
    const bool small = program->count <= settings->program_most;
    // the program measures velocities by the columns' norms, the verifier by their largest entries:
    // a method that stops at the first certificate needs room
    const double room = settings->margin ? 1.0 : 100.0;
    SticProgramGoal goal = {.tolerance = settings->tolerance,
                            .reach = room * settings->reach,
                            .steps = settings->search_steps,
                            .margin = settings->margin};
    STIC_TRY(STIC_TAKE(inquiry->arena, &point->x, program->rows + 1));
    memset(point->x, 0, (size_t)program->rows * sizeof *point->x);
    point->most = INFINITY;
    SticEvidence source = STIC_EVIDENCE_SEARCH;
    if (!small || !settings->margin)
        STIC_TRY(stic_program_search(inquiry->arena, program, &goal, point));
    const bool decided = point->margin > goal.tolerance || point->most < -goal.tolerance;
    if (small && (goal.margin || !decided)) {
        goal.steps = settings->program_steps;
        source = STIC_EVIDENCE_PROGRAM;
        STIC_TRY(stic_program_maximise(inquiry->arena, program, &goal, point,
                                       &inquiry->result->steps, inquiry->error));
    }
    if (point->most < INFINITY)
        STIC_TRY(consider_dual(inquiry, program, point->x, source));
    if (sufficient && point->margin > -INFINITY)
        STIC_TRY(consider(inquiry, program, point->v, source));
    const bool open =
        point->margin <= goal.tolerance && point->most - point->margin > goal.tolerance;
    if (program->symmetric && small && open && program->rows <= settings->dense_most)
        return run_factored(inquiry, program);
    return STIC_OK;
}

// candidates and programs of condition A
static SticStatus ask_sufficient(Inquiry* inquiry)
{
    const SticExistenceSettings* settings = inquiry->settings;
    SticProgram program;
    SticProgramPoint point = {.margin = -INFINITY};
    double *v = NULL, *y = NULL;
    STIC_TRY(stic_program_create(inquiry->arena, inquiry->problem, STIC_CONDITION_SUFFICIENT,
                                 inquiry->symmetric, &program, inquiry->error));
    STIC_TRY(STIC_TAKE(inquiry->arena, &v, program.cols + 1));
    STIC_TRY(STIC_TAKE(inquiry->arena, &y, program.rows + 1));
    STIC_TRY(STIC_TAKE(inquiry->arena, &point.v, program.cols + 1));
    const SticProgramGoal goal = {.tolerance = settings->tolerance};
    memset(v, 0, (size_t)program.cols * sizeof *v);
    for (int32_t candidate = 0; candidate < 2; ++candidate) {
        if (candidate == 1)
            STIC_TRY(
                stic_program_kinematic(inquiry->arena, &program, settings->kinematic_steps, v));
        stic_program_velocity(&program, v, y);
        stic_program_keep(&program, &goal, v, y, &point);
        STIC_TRY(consider(inquiry, &program, v,
                          candidate == 0 ? STIC_EVIDENCE_REST : STIC_EVIDENCE_KINEMATIC));
        if (!settings->margin && is_robust(inquiry))
            return STIC_OK;
    }
    return run_program(inquiry, &program, &point);
}

static SticStatus ask_necessary(Inquiry* inquiry)
{
    SticProgram program;
    SticProgramPoint point = {.margin = -INFINITY};
    STIC_TRY(stic_program_create(inquiry->arena, inquiry->problem, STIC_CONDITION_NECESSARY,
                                 inquiry->symmetric, &program, inquiry->error));
    STIC_TRY(STIC_TAKE(inquiry->arena, &point.v, program.cols + 1));
    return run_program(inquiry, &program, &point);
}

static SticStatus inquire(Inquiry* inquiry)
{
    const double tolerance = inquiry->settings->tolerance;
    STIC_TRY(check_theorem(inquiry));
    if (inquiry->findings.applies)
        STIC_TRY(ask_sufficient(inquiry));
    const SticVerdict verdict = stic_findings_decide(&inquiry->findings, tolerance);
    return verdict == STIC_VERDICT_UNKNOWN ? ask_necessary(inquiry) : STIC_OK;
}

/* ---- the verdict ---- */

// every combination of states of a small problem; larger ones and other laws stay unknown
static SticStatus try_branches(const Inquiry* inquiry, const SticProblem* problem,
                               SticExistence* result)
{
    SticEnumerateSettings settings = stic_enumerate_default_settings();
    SticEnumeration all;
    settings.most_branches = inquiry->settings->branches;
    const SticStatus status =
        stic_solutions_enumerate(problem, &settings, inquiry->arena, &all, NULL);
    if (status == STIC_OK && all.verdict == STIC_VERDICT_NONE) {
        result->verdict = STIC_VERDICT_NONE;
        result->decided_by = STIC_CERTIFICATE_ENUMERATION;
    }
    return status == STIC_UNSUPPORTED ? STIC_OK : status;
}

static SticCertificate kind_of(const SticExistence* result)
{
    switch (result->verdict) {
    case STIC_VERDICT_EXISTS_ROBUST:
    case STIC_VERDICT_EXISTS_BORDERLINE:
        return STIC_CERTIFICATE_WITNESS;
    case STIC_VERDICT_NONE:
        return STIC_CERTIFICATE_NECESSARY;
    default:
        // it may be certain that A fails
        return result->margin_most < 0.0 ? STIC_CERTIFICATE_SUFFICIENT : STIC_CERTIFICATE_NOTHING;
    }
}

// the verdict and what it rests on
static SticStatus conclude(const Inquiry* inquiry, const SticProblem* problem,
                           SticExistence* result)
{
    result->applies = inquiry->findings.applies;
    result->size = inquiry->findings.size;
    result->verdict = stic_findings_decide(&inquiry->findings, inquiry->settings->tolerance);
    result->decided_by = kind_of(result);
    const bool open = result->verdict == STIC_VERDICT_UNKNOWN;
    return open && inquiry->settings->branches > 0 ? try_branches(inquiry, problem, result)
                                                   : STIC_OK;
}

void stic_existence_conclude(const SticExistence* existence, SticSolveInfo* info)
{
    STIC_ASSERT(existence != NULL);
    STIC_ASSERT(info != NULL);
    // the symmetric part of W is another problem; combinations of states are tried with W itself
    const bool proved =
        existence->verdict == STIC_VERDICT_NONE &&
        (!existence->symmetrised || existence->decided_by == STIC_CERTIFICATE_ENUMERATION);
    if (proved && info->outcome != STIC_OUTCOME_SOLVED)
        info->outcome = STIC_OUTCOME_NO_SOLUTION;
}

SticStatus stic_existence_decide(const SticProblem* problem, const SticExistenceSettings* settings,
                                 SticArena* arena, SticExistence* result, SticError* error)
{
    STIC_GIVEN(problem, error);
    STIC_GIVEN(arena, error);
    STIC_GIVEN(result, error);
    const SticExistenceSettings usual = stic_existence_default_settings();
    settings = settings == NULL ? &usual : settings;
    const double start = stic_timer_seconds();
    const int32_t cols = problem->M != NULL ? problem->dof : problem->rows;
    Inquiry inquiry = {
        .problem = problem, .settings = settings, .arena = arena, .result = result, .error = error};
    *result = (SticExistence){.verdict = STIC_VERDICT_UNKNOWN,
                              .margin = -INFINITY,
                              .margin_most = INFINITY,
                              .necessary_most = INFINITY};
    STIC_TRY(stic_problem_check(problem, error));
    STIC_TRY(stic_fields_check(&stic_existence_fields, settings, error));
    inquiry.findings.size = stic_condition_size(problem, STIC_CONDITION_SUFFICIENT);
    STIC_TRY(STIC_TAKE(arena, &inquiry.witness, cols + 1));
    STIC_TRY(STIC_TAKE(arena, &inquiry.certificate, problem->rows + 1));
    const SticArenaMark mark = stic_arena_mark(arena);
    SticStatus status = STIC_TAKE(arena, &inquiry.trial, cols + 1);
    if (status == STIC_OK)
        status = STIC_TAKE(arena, &inquiry.trial_r, problem->rows + 1);
    if (status == STIC_OK)
        status = inquire(&inquiry);
    if (status == STIC_OK)
        status = conclude(&inquiry, problem, result);
    stic_arena_rewind(arena, mark);
    result->seconds = stic_timer_seconds() - start;
    result->bytes = stic_arena_bytes(arena);
    return status;
}
