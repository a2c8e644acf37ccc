// SPDX-License-Identifier: Apache-2.0
// Ways to solve the algebraic inclusion of the relaxed scheme (Kikuuwe and Brogliato 2017, section
// 4.5): solvers of the library by the names that the paper knows them by.
//
//   exact         De Saxcé's term and any exact solver        exact
//   convex        Anitescu and Tasora: without that term      approximate: slides lift off
//   projection    Nakaoka: -W^-1 b projected on the cones     approximate: no metric
//   newton        Alart and Curnier's function                exact
//   faceted       a cone of eight faces, one pivoting         approximate: directions
//   quartic       one contact at a time in closed form        exact
//   product       projection in the metric W U                exact, where W U allows it
//
// The error of an approximate way, like that of an exact one, is recomputed and shown; it does not
// count as a missed step.
#include "step/relaxed_way.h"

#include "stiction/extend/base.h"

#include <string.h>

typedef struct Way {
    const char *solver, *field, *value; // one field of the solver's settings; NULL: none
    const char* remark;                 // why it is not exact; NULL: it is
} Way;

const char* const stic_way_names[] = {"run",     "exact",   "convex",  "projection", "newton",
                                      "faceted", "quartic", "product", NULL};

static const Way ways[] = {
    {NULL, NULL, NULL, NULL},
    {"auto", NULL, NULL, NULL},
    {"convex", NULL, NULL,
     "approximate contact laws, way 'convex': sliding contacts lift off (Anitescu and Tasora)"},
    {"projection", "metric", "contact",
     "approximate contact laws, way 'projection': contacts do not know of each other's opening "
     "and sliding (Nakaoka)"},
    {"prox-newton", "map", "alart-curnier", NULL},
    {"lemke", "rounds", "1",
     "approximate contact laws, way 'faceted': friction has eight directions"},
    {"nsgs", "local", "quartic", NULL},
    {"projection", "metric", "product", NULL},
};

bool stic_way_is_exact(int32_t way)
{
    return ways[way].remark == NULL;
}

const char* stic_way_remark(int32_t way)
{
    return ways[way].remark;
}

SticStatus stic_way_take(int32_t way, SticStepper* stepper, SticError* error)
{
    const Way* chosen = &ways[way];
    double* settings = NULL;
    if (chosen->solver == NULL)
        return STIC_OK;
    const SticSolver* solver = stic_solver_find(chosen->solver, error);
    if (solver == NULL)
        return STIC_BAD_ARGUMENT;
    stepper->solve.solver = solver;
    stepper->solve.method_settings = NULL;
    if (chosen->field == NULL)
        return STIC_OK;
    STIC_TRY(STIC_TAKE(stepper->arena, &settings, solver->fields->size / sizeof *settings + 1));
    stic_fields_default(solver->fields, settings);
    stepper->solve.method_settings = settings;
    return stic_fields_set(solver->fields, settings, chosen->field, chosen->value, error);
}
