// SPDX-License-Identifier: Apache-2.0
// The one table of solvers, look-up by name, and which problems a solver takes.
#include "solver/method/interior.h"
#include "solver/method/koziara_newton.h"
#include "solver/methods.h"

#include <string.h>

const SticSolver stic_solver_table[] = {
    {.name = "auto",
     .text = "islands; sweeps, interior points, proximal Newton one after the other until the "
             "recomputed error passes",
     .laws = STIC_LAW_ALL,
     .facts = 0,
     .determinism = STIC_STRICT,
     .fields = &stic_auto_fields,
     .run = stic_auto_run},
    {.name = "nsgs",
     .text =
         "block Gauss-Seidel with exact local solves, on W or on mass-scaled H (Jourdan, Alart, "
         "Jean 1998; Koziara's thesis, alg. 11.3.1)",
     .laws = STIC_LAW_ALL,
     .facts = 0,
     .determinism = STIC_STRICT,
     .fields = &stic_nsgs_fields,
     .run = stic_nsgs_run},
    {.name = "asgs",
     .text =
         "accelerated symmetric Gauss-Seidel: momentum with restart and a guard (Nesterov 1983; "
         "O'Donoghue and Candès 2015): large scenes, moderate tolerances",
     .laws = STIC_LAW_ALL,
     .facts = 0,
     .determinism = STIC_STRICT,
     .fields = &stic_asgs_fields,
     .run = stic_asgs_run},
    {.name = "admm",
     .text = "alternating directions with one sparse factor, in velocities or reactions (Gabay and "
             "Mercier 1976; Acary, Brémond, Huber 2018): resting stacks and masonry",
     .laws = STIC_LAW_ALL,
     .facts = 0,
     .determinism = STIC_STRICT,
     .fields = &stic_admm_fields,
     .run = stic_admm_run},
    {.name = "apgd",
     .text =
         "accelerated projected gradient with backtracking, restart and a guard (Nesterov 1983; "
         "Mazhar, Heyn, Negrut, Tasora 2015)",
     .laws = STIC_LAW_ALL,
     .facts = 0,
     .determinism = STIC_STRICT,
     .fields = &stic_apgd_fields,
     .run = stic_apgd_run},
    {.name = "lemke",
     .text =
         "complementary pivoting on a dense problem, friction in space by facets that follow the "
         "slip (Lemke 1965; Stewart and Trinkle 1996): small problems",
     .laws = STIC_LAW_BIT(STIC_LAW_NONNEG) | STIC_LAW_BIT(STIC_LAW_CONE),
     .facts = 0,
     .determinism = STIC_STRICT,
     .fields = &stic_lemke_fields,
     .run = stic_lemke_run},
    {.name = "extragradient",
     .text = "extragradient on De Saxcé's variational inequality with a self-adapting step "
             "(Khobotov 1987): slow, converges where W is monotone",
     .laws = STIC_LAW_ALL,
     .facts = 0,
     .determinism = STIC_STRICT,
     .fields = &stic_extragradient_fields,
     .run = stic_extragradient_run},
    {.name = "jacobi-prox",
     .text = "Jacobi iteration with projections, blocks split into alpha I and a rest (Studer & "
             "Glocker 2006, eqs. 57, 59)",
     .laws = STIC_LAW_ALL,
     .facts = 0,
     .determinism = STIC_STRICT,
     .fields = &stic_jacobi_prox_fields,
     .run = stic_jacobi_prox_run},
    {.name = "jor-prox",
     .text = "relaxed Jacobi iteration with projections (Studer & Glocker 2006, eqs. 60, 61; "
             "Möller 2011, section 2.5)",
     .laws = STIC_LAW_ALL,
     .facts = 0,
     .determinism = STIC_STRICT,
     .fields = &stic_jor_prox_fields,
     .run = stic_jor_prox_run},
    {.name = "sor-prox",
     .text = "relaxed Gauss-Seidel iteration with projections (Studer & Glocker 2006, eqs. 71, 72; "
             "Möller 2011, eq. 2.67)",
     .laws = STIC_LAW_ALL,
     .facts = 0,
     .determinism = STIC_STRICT,
     .fields = &stic_sor_prox_fields,
     .run = stic_sor_prox_run},
    {.name = "gamma-prox",
     .text =
         "prox iteration on the relative velocities, for regular W (Studer & Glocker 2006, eqs. "
         "45, 46)",
     .laws = STIC_LAW_ALL,
     .facts = 0, // it inverts W, and so finds out whether that is possible
     .determinism = STIC_STRICT,
     .fields = &stic_gamma_prox_fields,
     .run = stic_gamma_prox_run},
    {.name = "uzawa",
     .text = "Uzawa's method on the augmented Lagrangian, or its pair of iterations (Studer & "
             "Glocker 2006, section 6.6, eqs. 107, 108)",
     .laws = STIC_LAW_ALL,
     .facts = 0,
     .determinism = STIC_STRICT,
     .fields = &stic_uzawa_fields,
     .run = stic_uzawa_run},
    {.name = "prox-newton",
     .text = "proximal points, each by semismooth Newton with line search, on the maps of Jean and "
             "Moreau, Alart and Curnier, Fischer and Burmeister, or the natural one",
     .laws = STIC_LAW_ALL,
     .facts = 0,
     .determinism = STIC_STRICT,
     .fields = &stic_prox_newton_fields,
     .run = stic_prox_newton_run},
    {.name = "koziara-newton",
     .text = "Newton methods with active sets and line search: UNIL, NEWT, HYB and FIX (Koziara's "
             "thesis, algs. 11.2.1-11.2.6), for regular W: deformable bodies",
     .laws = STIC_KOZIARA_LAWS,
     .facts = 0,
     .determinism = STIC_STRICT,
     .fields = &stic_koziara_newton_fields,
     .run = stic_koziara_newton_run,
     .keeps_start = true},
    {.name = "projection",
     .text =
         "one projection of the reactions that stop all motion (Nakaoka et al. 2007; Kikuuwe & "
         "Brogliato 2017, eqs. 66, 80), for regular W; not Coulomb's law unless the metric fits",
     .laws = STIC_KOZIARA_LAWS,
     .facts = 0, // it inverts W, and so finds out whether that is possible
     .determinism = STIC_STRICT,
     .fields = &stic_projection_fields,
     .run = stic_projection_run},
    {.name = "interior-point",
     .text = "interior points with Nesterov-Todd scaling that keep De Saxcé's term as a non-smooth "
             "equation, then prox-newton",
     .laws = STIC_INTERIOR_LAWS,
     .facts = 0,
     .determinism = STIC_STRICT,
     .fields = &stic_interior_point_fields,
     .run = stic_interior_point_run},
    {.name = "fixed-point",
     .text = "fixed point on s = |u_T|, each value a convex problem by interior points, with "
             "Anderson's acceleration (Acary & Cadoux 2013, eqs. 4.6-4.10)",
     .laws = STIC_INTERIOR_LAWS,
     .facts = 0,
     .determinism = STIC_STRICT,
     .fields = &stic_fixed_point_fields,
     .run = stic_fixed_point_run},
    {.name = "convex",
     .text = "convex relaxation of Anitescu and Tasora by interior points, not Coulomb's law: "
             "sliding contacts lift off; solved only where the exact error passes",
     .laws = STIC_INTERIOR_LAWS,
     .facts = 0,
     .determinism = STIC_STRICT,
     .fields = &stic_convex_fields,
     .run = stic_convex_run},
    {.name = NULL},
};

enum { MOST_SOLVERS = 64 };

const SticSolver* stic_solver_find(const char* name, SticError* error)
{
    const char* names[MOST_SOLVERS + 1] = {NULL};
    if (name == NULL) {
        stic_error_missing(error, __func__, "name");
        return NULL;
    }
    for (int32_t i = 0; stic_solver_table[i].name != NULL; ++i) {
        if (strcmp(stic_solver_table[i].name, name) == 0)
            return &stic_solver_table[i];
        if (i < MOST_SOLVERS)
            names[i] = stic_solver_table[i].name;
    }
    const char* near = stic_suggest(name, names);
    stic_error_set(error, STIC_BAD_ARGUMENT, "there is no solver '%s'%s%s%s", name,
                   near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
    return NULL;
}

// sentence for the first fact that is missing
static SticStatus refuse_fact(const SticSolver* solver, uint32_t missing, SticError* error)
{
    static const struct {
        uint32_t fact;
        const char* text;
    } reasons[] = {
        {STIC_FACT_SYMMETRIC, "needs a symmetric W, and this one is not"},
        {STIC_FACT_SPD, "needs a positive definite W, and this one is not"},
        {STIC_FACT_FOREIGN_BOUND, "needs bounds that come from other rows, and there are none"},
        {STIC_FACT_CONVEX, "needs bounds that do not depend on r, and some do"},
    };
    for (size_t i = 0; i < sizeof reasons / sizeof reasons[0]; ++i)
        if (missing & reasons[i].fact)
            return stic_error_set(error, STIC_UNSUPPORTED, "%s %s", solver->name, reasons[i].text);
    return stic_error_set(error, STIC_UNSUPPORTED, "%s does not take this problem", solver->name);
}

SticStatus stic_solver_accepts(const SticSolver* solver, const SticProblem* problem,
                               SticArena* scratch, SticError* error)
{
    for (int32_t i = 0; i < problem->count; ++i)
        if ((solver->laws & STIC_LAW_BIT(problem->law[i])) == 0)
            return stic_error_set(error, STIC_UNSUPPORTED,
                                  "%s does not handle the law '%s' of interaction %d", solver->name,
                                  stic_law_name((SticLaw)problem->law[i]), i);
    if (solver->facts == 0)
        return STIC_OK;
    uint32_t facts = 0;
    STIC_TRY(stic_problem_facts(scratch, problem, &facts));
    const uint32_t missing = solver->facts & ~facts;
    return missing == 0 ? STIC_OK : refuse_fact(solver, missing, error);
}
