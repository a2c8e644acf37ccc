// SPDX-License-Identifier: Apache-2.0
// A problem as files hold it: one law, no shifts, contacts before bilateral rows.
//
// Shifts are folded in (stic_problem_fold), so a solution of the written problem is r + r_shift,
// u + u_shift.
#include "problem/store.h"

#include "stiction/extend/base.h"
#include "stiction/extend/law.h"

// a law that the formats know, with a given number of rows
static bool is_known(SticLaw law, int32_t rows)
{
    return law == STIC_LAW_NONNEG || (law == STIC_LAW_CONE && (rows == 2 || rows == 3)) ||
           (law == STIC_LAW_ROLLING && (rows == 3 || rows == 5));
}

static SticStatus classify(const SticProblem* problem, SticExport* made, SticError* error)
{
    made->law = STIC_LAW_CONE;
    made->contact_rows = 3;
    for (int32_t i = 0; i < problem->count; ++i) {
        const SticLaw law = (SticLaw)problem->law[i];
        const int32_t rows = problem->row_at[i + 1] - problem->row_at[i];
        if (law == STIC_LAW_FREE) {
            made->free_rows += rows;
            continue;
        }
        if (!is_known(law, rows))
            return stic_error_set(error, STIC_UNSUPPORTED,
                                  "problem files cannot hold interaction %d with the law '%s'",
                                  (int)i, stic_law_name(law));
        if (made->contacts == 0) {
            made->law = law;
            made->contact_rows = rows;
        }
        if (law != made->law || rows != made->contact_rows)
            return stic_error_set(
                error, STIC_UNSUPPORTED,
                "problem files hold one law for all contacts, but interaction %d is "
                "'%s' with %d rows and others are '%s' with %d",
                (int)i, stic_law_name(law), (int)rows, stic_law_name(made->law),
                (int)made->contact_rows);
        made->contacts += 1;
    }
    return STIC_OK;
}

static SticStatus place_rows(SticArena* arena, SticExport* made)
{
    const SticProblem* problem = made->problem;
    int32_t* place = NULL;
    STIC_TRY(STIC_TAKE(arena, &place, problem->rows));
    int32_t contact = 0, bilateral = made->contacts * made->contact_rows;
    for (int32_t i = 0; i < problem->count; ++i) {
        int32_t* next = problem->law[i] == STIC_LAW_FREE ? &bilateral : &contact;
        for (int32_t row = problem->row_at[i]; row < problem->row_at[i + 1]; ++row)
            place[row] = (*next)++;
    }
    made->place = place;
    return STIC_OK;
}

SticStatus stic_problem_export(SticArena* arena, const SticProblem* problem, SticExport* made,
                               SticError* error)
{
    *made = (SticExport){.problem = problem};
    made->global = problem->M != NULL && problem->Pt == NULL;
    if (!made->global && problem->W == NULL)
        return stic_error_set(error, STIC_UNSUPPORTED,
                              "problem files cannot hold P different from H: condense the problem");
    STIC_TRY(classify(problem, made, error));
    STIC_TRY(place_rows(arena, made));
    return stic_problem_fold(arena, problem, &made->folded);
}
