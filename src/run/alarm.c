// SPDX-License-Identifier: Apache-2.0
// The energy alarm: whether the error of the time discretisation is small against the energies at
// play.
//
// The ledger's integration term is what kinetic and potential energy changed by without any work.
// It is compared with what was exchanged: the sum over the other terms of the largest amount each
// has reached so far, the kinetic energy itself and not its change (a body that spins freely
// exchanges nothing and may still be made to gain), and
//
//     idle = h^2/2 f' M^-1 f    with the forces f of the start
//
// the energy that loads give, in one step, to bodies that are then stopped: bodies at rest exchange
// only this, and their ledger is noise of the solver. Rounding of the sums is allowed in addition.
// Largest amounts are used, and not sums of absolute values, which grow with every swing of a
// pendulum and would hide a steady gain.
#include <float.h>
#include <math.h>

#include "problem/mass.h"
#include "run/run.h"
#include "stiction/extend/base.h"

// the last term of a ledger is the one in question
enum { INTEGRATION = STIC_LEDGER_TERMS - 1 };

SticStatus stic_alarm_begin(SticRun* run, double kinetic)
{
    const SticSystem* system = run->def.system;
    SticArena* arena = run->stepper->arena;
    const double h = run->def.step;
    double *f = NULL, *v = NULL;
    SticMass mass;
    STIC_TRY(STIC_TAKE(arena, &f, system->layout.nu));
    STIC_TRY(STIC_TAKE(arena, &v, system->layout.nu));
    STIC_TRY(system->ops->mass(system, run->state[0], arena, &mass));
    STIC_TRY(stic_system_force(system, run->state[0], arena, f));
    STIC_TRY(stic_mass_solve(&mass, f, v));
    double idle = 0.0;
    for (int32_t i = 0; i < system->layout.nu; ++i)
        idle += 0.5 * h * h * f[i] * v[i];
    run->totals.idle = idle;
    run->totals.kinetic_start = run->totals.largest.kinetic = kinetic;
    return STIC_OK;
}

static void enlarge(double value, double* largest)
{
    *largest = fabs(value) > *largest ? fabs(value) : *largest;
}

static double exchanged(const SticRunTotals* totals)
{
    double sum = totals->idle;
    for (int32_t k = 0; k < INTEGRATION; ++k)
        sum += stic_ledger_term(&totals->largest, k);
    return sum;
}

double stic_totals_energy_error(const SticRunTotals* totals)
{
    STIC_ASSERT(totals != NULL);
    const double rounding = DBL_EPSILON * (double)totals->steps * fabs(totals->energy_start);
    const double error = fabs(totals->ledger.integration) - rounding, sum = exchanged(totals);
    if (!(error > 0.0))
        return 0.0;
    return sum > 0.0 ? error / sum : (double)INFINITY;
}

void stic_alarm_step(SticRun* run)
{
    SticRunTotals* totals = &run->totals;
    SticLedger* largest = &totals->largest;
    SticLedger now = totals->ledger;
    now.kinetic += totals->kinetic_start;
#define ENLARGE(name, text) enlarge(now.name, &largest->name);
    STIC_LEDGER_LIST(ENLARGE)
#undef ENLARGE
    const double share = stic_totals_energy_error(totals);
    const bool asked = run->def.energy_alarm > 0.0 && !run->def.scheme->still;
    if (!asked || !(share > run->def.energy_alarm))
        return;
    const SticNotice notice = stic_notice_make(share, -1, -1);
    stic_run_note(run, STIC_NOTICE_ENERGY, &notice);
}
