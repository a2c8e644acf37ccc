// SPDX-License-Identifier: Apache-2.0
// SUNDIALS CVODE as an integrator of variable order and step (Hindmarsh and others 2005).
//
// Its results depend on the installed library: schemes that use it promise bits for identical
// libraries only. Without it, whoever asks for it is refused with a sentence.
#ifndef STIC_STEP_CVODE_H
#define STIC_STEP_CVODE_H

#include "step/runge_kutta.h"

/// Which family of linear multistep methods.
typedef enum SticMultistep {
    STIC_MULTISTEP_ADAMS, ///< orders 1 to 12, not stiff: fixed-point iteration
    STIC_MULTISTEP_BDF    ///< orders 1 to 5, stiff: Newton
} SticMultistep;

/// An integrator; its memory comes from that library.
typedef struct SticCvode SticCvode;

/// Whether the library is there; if not, a sentence that names who asks for it.
SticStatus stic_cvode_check(const char* who, SticError* error);
/// An integrator for equations of n unknowns.
SticStatus stic_cvode_create(const SticContext* context, int32_t n, SticMultistep family,
                             SticCvode** made);
/// Destroy it; NULL is allowed.
void stic_cvode_destroy(SticCvode* cvode);
/// Begin at (t, y), with no history.
SticStatus stic_cvode_start(SticCvode* cvode, const SticOde* ode, double t, const double* y,
                            SticError* error);
/// One step with errors of at most `allowed` [n], not beyond t_most: into *t and y [n]. `ode` is
/// the same equation, as the caller has it now.
SticStatus stic_cvode_step(SticCvode* cvode, const SticOde* ode, const double* allowed,
                           double t_most, double* t, double* y);
/// y at a time inside the last step, to the order of the method.
SticStatus stic_cvode_at(SticCvode* cvode, double t, double* y);
/// Slopes at four nodes of Gauss and Legendre between two times of the last step, with their
/// weights: works of forces over the step. `scratch` [2 n].
SticStatus stic_cvode_sum(SticCvode* cvode, const SticOde* ode, const double ends[2],
                          double* scratch);

#endif
