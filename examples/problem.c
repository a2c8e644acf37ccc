// SPDX-License-Identifier: Apache-2.0
// A problem by hand: a mass of 2 kg that hits a floor with friction while it slides.
//
//   M v = f + H r        u = H' v        Coulomb's law between r and u, normal first
#include <stdio.h>

#include "stiction/stiction.h"

int main(void)
{
    const double M[9] = {2, 0, 0, 0, 2, 0, 0, 0, 2}; // x, y, z
    const double H[9] = {0, 1, 0, 0, 0, 1, 1, 0, 0}; // rows of the contact: z, x, y
    const double f[3] = {2 * 1.0, 0, 2 * -3.0};      // momentum before: 1 m/s along x, -3 along z
    const double w[3] = {0, 0, 0}, mu[1] = {0.2};
    const SticProblemDef def = {1, 3, 3, mu, M, H, f, w, NULL, NULL};
    const SticContext context = stic_context_default();
    SticError error = {0};
    SticProblemStore* store = NULL;
    SticArena* arena = NULL;
    SticSolveInfo info = {0};
    SticExistence existence = {0};
    double r[3] = {0}, u[3] = {0};
    int failed = stic_problem_create(&context, &def, &store, &error) ||
                 stic_arena_create(&context, 0, &arena) ||
                 stic_solve_named(&context, stic_problem_view(store), "auto", r, u, &info) ||
                 stic_existence_decide(stic_problem_view(store), NULL, arena, &existence, &error);
    printf("%s to %.1g, a solution %s\n", stic_outcome_name(info.outcome), info.errors.unit_free,
           stic_verdict_name(existence.verdict));
    printf("r = %.3f %.3f %.3f N s, u = %.3f %.3f %.3f m/s\n", r[0], r[1], r[2], u[0], u[1], u[2]);
    fputs(failed ? error.text : "", stderr);
    stic_arena_destroy(arena);
    stic_problem_destroy(store);
    return failed;
}
