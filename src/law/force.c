// SPDX-License-Identifier: Apache-2.0
// Force laws of mechanics by name: which law of the solvers, how many rows, which coefficients.
//
// Bilateral constraint, unilateral contact, Coulomb friction in the plane and in space, anisotropic
// and Coulomb-Contensou friction follow Möller 2011, sections 3.7.1-3.7.5; a unilateral law without
// a gap condition is a sprag clutch (his section 3.7.2).
#include <string.h>

#include "stiction/extend/base.h"
#include "stiction/extend/law.h"

SticForceLaw stic_force_bilateral(int32_t rows)
{
    return (SticForceLaw){.law = STIC_LAW_FREE, .rows = rows};
}

SticForceLaw stic_force_unilateral(void)
{
    return (SticForceLaw){.law = STIC_LAW_NONNEG, .rows = 1};
}

SticForceLaw stic_force_sprag_clutch(void)
{
    return stic_force_unilateral();
}

SticForceLaw stic_force_friction(int32_t rows, double mu)
{
    if (rows == 1)
        return (SticForceLaw){.law = STIC_LAW_INTERVAL, .rows = 1, .coef = {mu, mu}};
    return (SticForceLaw){.law = STIC_LAW_BALL, .rows = rows, .coef = {mu}};
}

SticForceLaw stic_force_tresca(int32_t rows, double bound)
{
    SticForceLaw made = stic_force_friction(rows, 1.0);
    made.bound = bound;
    return made;
}

SticForceLaw stic_force_motor(double least, double most)
{
    return (SticForceLaw){.law = STIC_LAW_INTERVAL, .rows = 1, .coef = {least, most}, .bound = 1.0};
}

SticForceLaw stic_force_coulomb(int32_t rows, double mu)
{
    return (SticForceLaw){.law = STIC_LAW_CONE, .rows = rows, .coef = {mu}};
}

SticForceLaw stic_force_anisotropic(double mu1, double mu2)
{
    return (SticForceLaw){.law = STIC_LAW_CONE_ELLIPSE, .rows = 3, .coef = {mu1, mu2}};
}

SticForceLaw stic_force_contensou(double mu, double patch_radius)
{
    return (SticForceLaw){
        .law = STIC_LAW_CONE_CONTENSOU, .rows = 4, .coef = {mu, 0.0, 0.0, patch_radius}};
}

SticForceLaw stic_force_rolling(int32_t rows, double mu, double mu_roll)
{
    return (SticForceLaw){.law = STIC_LAW_ROLLING, .rows = rows, .coef = {mu, 0.0, mu_roll}};
}

/* ---- by name ---- */

static SticForceLaw make_bilateral(const double* value)
{
    return stic_force_bilateral((int32_t)value[0]);
}

static SticForceLaw make_unilateral(const double* value)
{
    (void)value;
    return stic_force_unilateral();
}

static SticForceLaw make_tresca_planar(const double* value)
{
    return stic_force_tresca(1, value[0]);
}

static SticForceLaw make_tresca(const double* value)
{
    return stic_force_tresca(2, value[0]);
}

static SticForceLaw make_motor(const double* value)
{
    return stic_force_motor(value[0], value[1]);
}

static SticForceLaw make_coulomb_planar(const double* value)
{
    return stic_force_coulomb(2, value[0]);
}

static SticForceLaw make_coulomb(const double* value)
{
    return stic_force_coulomb(3, value[0]);
}

static SticForceLaw make_anisotropic(const double* value)
{
    return stic_force_anisotropic(value[0], value[1]);
}

static SticForceLaw make_contensou(const double* value)
{
    return stic_force_contensou(value[0], value[1]);
}

static SticForceLaw make_rolling_planar(const double* value)
{
    return stic_force_rolling(3, value[0], value[1]);
}

static SticForceLaw make_rolling(const double* value)
{
    return stic_force_rolling(5, value[0], value[1]);
}

const SticForceEntry stic_force_table[] = {
    {"bilateral", "Joint: the velocity of its rows is zero.", {"rows"}, {"-"}, make_bilateral},
    {"unilateral", "Contact without friction.", {NULL}, {NULL}, make_unilateral},
    {"sprag-clutch",
     "One-way clutch: turns one way, holds the other.",
     {NULL},
     {NULL},
     make_unilateral},
    {"tresca-planar",
     "Friction of given bound along a line.",
     {"bound"},
     {"N s"},
     make_tresca_planar},
    {"tresca", "Friction of given bound in a plane.", {"bound"}, {"N s"}, make_tresca},
    {"motor",
     "Drive that holds its speed within impulse limits.",
     {"least", "most"},
     {"N s", "N s"},
     make_motor},
    {"coulomb-planar",
     "Contact with Coulomb friction in two dimensions.",
     {"mu"},
     {"-"},
     make_coulomb_planar},
    {"coulomb", "Contact with Coulomb friction.", {"mu"}, {"-"}, make_coulomb},
    {"anisotropic",
     "Contact with Coulomb friction that differs along the two tangents.",
     {"mu1", "mu2"},
     {"-", "-"},
     make_anisotropic},
    {"contensou",
     "Contact over a round patch with coupled sliding and drilling friction.",
     {"mu", "patch_radius"},
     {"-", "m"},
     make_contensou},
    {"rolling-planar",
     "Contact with sliding and rolling friction in two dimensions.",
     {"mu", "mu_roll"},
     {"-", "m"},
     make_rolling_planar},
    {"rolling",
     "Contact with sliding and rolling friction.",
     {"mu", "mu_roll"},
     {"-", "m"},
     make_rolling},
    {NULL, NULL, {NULL}, {NULL}, NULL},
};

const SticForceEntry* stic_force_find(const char* name, SticError* error)
{
    enum { COUNT = sizeof stic_force_table / sizeof stic_force_table[0] };
    const char* names[COUNT];
    for (int k = 0; k < COUNT; ++k) {
        names[k] = stic_force_table[k].name;
        if (names[k] != NULL && strcmp(names[k], name) == 0)
            return &stic_force_table[k];
    }
    const char* near = stic_suggest(name, names);
    stic_error_set(error, STIC_BAD_ARGUMENT, "there is no force law '%s'%s%s%s", name,
                   near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
    return NULL;
}
