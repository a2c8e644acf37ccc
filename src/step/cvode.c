// SPDX-License-Identifier: Apache-2.0
// SUNDIALS CVODE as an integrator of variable order and step.
#include "step/cvode.h"

#include "stiction/extend/base.h"

#include <float.h>
#include <math.h>
#include <string.h>

#ifdef STIC_HAVE_SUNDIALS

#include <cvode/cvode.h>
#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunlinsol/sunlinsol_spgmr.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

// unknowns up to which Newton's matrix is a dense one, by differences
enum { DENSE_MOST = 100 };

struct SticCvode {
    SticContext context;
    int32_t n;
    SUNContext sundials;
    void* memory;
    N_Vector y;
    double* allowed; // [n]
    SUNMatrix matrix;
    SUNLinearSolver linear;
    SUNNonlinearSolver nonlinear;
    SticOde ode;
    SticStatus status; // of the slope
    SticError* error;  // where messages of the library go
};

SticStatus stic_cvode_check(const char* who, SticError* error)
{
    (void)who;
    (void)error;
    return STIC_OK;
}

static int slope(realtype t, N_Vector y, N_Vector rate, void* self)
{
    SticCvode* cvode = self;
    cvode->status =
        cvode->ode.slope(cvode->ode.self, t, N_VGetArrayPointer(y), 0.0, N_VGetArrayPointer(rate));
    return cvode->status == STIC_OK ? 0 : -1;
}

// the library's norm is a mean of squares; the root of n makes it at least the largest part
static int weigh(N_Vector y, N_Vector weight, void* self)
{
    const SticCvode* cvode = self;
    const double* from = N_VGetArrayPointer(y);
    double* to = N_VGetArrayPointer(weight);
    for (int32_t c = 0; c < cvode->n; ++c) {
        // CVODE refuses tolerances below rounding
        const double rounding = 32.0 * DBL_EPSILON * fabs(from[c]);
        to[c] =
            sqrt((double)cvode->n) / (cvode->allowed[c] > rounding ? cvode->allowed[c] : rounding);
    }
    return 0;
}

static void complain(int code, const char* module, const char* function, char* text, void* self)
{
    SticCvode* cvode = self;
    (void)module;
    (void)function;
    // warnings have positive codes
    if (code < 0 && cvode->error != NULL && cvode->error->status == STIC_OK)
        stic_error_set(cvode->error, STIC_BAD_ARGUMENT, "CVODE: %s", text);
}

static SticStatus choose_methods(SticCvode* cvode, SticMultistep family)
{
    if (family == STIC_MULTISTEP_ADAMS) {
        cvode->nonlinear = SUNNonlinSol_FixedPoint(cvode->y, 0, cvode->sundials);
        if (cvode->nonlinear == NULL ||
            CVodeSetNonlinearSolver(cvode->memory, cvode->nonlinear) != CV_SUCCESS)
            return STIC_OUT_OF_MEMORY;
        return STIC_OK;
    }
    if (cvode->n <= DENSE_MOST) {
        cvode->matrix = SUNDenseMatrix(cvode->n, cvode->n, cvode->sundials);
        if (cvode->matrix != NULL)
            cvode->linear = SUNLinSol_Dense(cvode->y, cvode->matrix, cvode->sundials);
    } else {
        cvode->linear = SUNLinSol_SPGMR(cvode->y, SUN_PREC_NONE, 0, cvode->sundials);
    }
    if (cvode->linear == NULL ||
        CVodeSetLinearSolver(cvode->memory, cvode->linear, cvode->matrix) != CV_SUCCESS)
        return STIC_OUT_OF_MEMORY;
    return STIC_OK;
}

static SticStatus prepare(SticCvode* cvode, SticMultistep family)
{
    if (SUNContext_Create(NULL, &cvode->sundials) != 0)
        return STIC_OUT_OF_MEMORY;
    cvode->y = N_VNew_Serial(cvode->n, cvode->sundials);
    cvode->memory =
        CVodeCreate(family == STIC_MULTISTEP_ADAMS ? CV_ADAMS : CV_BDF, cvode->sundials);
    if (cvode->y == NULL || cvode->memory == NULL)
        return STIC_OUT_OF_MEMORY;
    N_VConst(0.0, cvode->y);
    if (CVodeInit(cvode->memory, slope, 0.0, cvode->y) != CV_SUCCESS ||
        CVodeSetUserData(cvode->memory, cvode) != CV_SUCCESS ||
        CVodeSetErrHandlerFn(cvode->memory, complain, cvode) != CV_SUCCESS ||
        CVodeWFtolerances(cvode->memory, weigh) != CV_SUCCESS)
        return STIC_OUT_OF_MEMORY;
    return choose_methods(cvode, family);
}

SticStatus stic_cvode_create(const SticContext* context, int32_t n, SticMultistep family,
                             SticCvode** made)
{
    SticCvode* cvode = NULL;
    *made = NULL;
    STIC_TRY(STIC_ALLOCATE(context, &cvode, 1));
    cvode->context = *context;
    cvode->n = n;
    SticStatus status = STIC_ALLOCATE(context, &cvode->allowed, (size_t)n);
    if (status == STIC_OK)
        status = prepare(cvode, family);
    if (status != STIC_OK) {
        stic_cvode_destroy(cvode);
        return status;
    }
    *made = cvode;
    return STIC_OK;
}

void stic_cvode_destroy(SticCvode* cvode)
{
    if (cvode == NULL)
        return;
    const SticContext context = cvode->context;
    if (cvode->memory != NULL)
        CVodeFree(&cvode->memory);
    if (cvode->nonlinear != NULL)
        SUNNonlinSolFree(cvode->nonlinear);
    if (cvode->linear != NULL)
        SUNLinSolFree(cvode->linear);
    if (cvode->matrix != NULL)
        SUNMatDestroy(cvode->matrix);
    if (cvode->y != NULL)
        N_VDestroy(cvode->y);
    if (cvode->sundials != NULL)
        SUNContext_Free(&cvode->sundials);
    STIC_RELEASE(&context, cvode->allowed, (size_t)cvode->n);
    STIC_RELEASE(&context, cvode, 1);
}

static SticStatus outcome(SticCvode* cvode, int code)
{
    if (cvode->status != STIC_OK)
        return cvode->status;
    if (code >= 0)
        return STIC_OK;
    return cvode->error != NULL && cvode->error->status != STIC_OK ? cvode->error->status
                                                                   : STIC_BAD_ARGUMENT;
}

SticStatus stic_cvode_start(SticCvode* cvode, const SticOde* ode, double t, const double* y,
                            SticError* error)
{
    cvode->ode = *ode;
    cvode->error = error;
    cvode->status = STIC_OK;
    memcpy(N_VGetArrayPointer(cvode->y), y, (size_t)cvode->n * sizeof *y);
    return outcome(cvode, CVodeReInit(cvode->memory, t, cvode->y));
}

SticStatus stic_cvode_step(SticCvode* cvode, const SticOde* ode, const double* allowed,
                           double t_most, double* t, double* y)
{
    cvode->ode = *ode;
    memcpy(cvode->allowed, allowed, (size_t)cvode->n * sizeof *allowed);
    int code = CVodeSetStopTime(cvode->memory, t_most);
    if (code == CV_SUCCESS)
        code = CVode(cvode->memory, t_most, cvode->y, t, CV_ONE_STEP);
    memcpy(y, N_VGetArrayPointer(cvode->y), (size_t)cvode->n * sizeof *y);
    return outcome(cvode, code);
}

SticStatus stic_cvode_at(SticCvode* cvode, double t, double* y)
{
    const int code = CVodeGetDky(cvode->memory, t, 0, cvode->y);
    memcpy(y, N_VGetArrayPointer(cvode->y), (size_t)cvode->n * sizeof *y);
    return outcome(cvode, code);
}

#else

SticStatus stic_cvode_check(const char* who, SticError* error)
{
    return stic_error_set(error, STIC_UNSUPPORTED,
                          "%s asks for CVODE, and this program was built without SUNDIALS "
                          "(Debian: libsundials-dev); the pair 8(5,3) does without",
                          who);
}

SticStatus stic_cvode_create(const SticContext* context, int32_t n, SticMultistep family,
                             SticCvode** made)
{
    (void)context;
    (void)n;
    (void)family;
    *made = NULL;
    return STIC_UNSUPPORTED;
}

void stic_cvode_destroy(SticCvode* cvode)
{
    STIC_ASSERT(cvode == NULL);
    (void)cvode;
}

SticStatus stic_cvode_start(SticCvode* cvode, const SticOde* ode, double t, const double* y,
                            SticError* error)
{
    (void)cvode;
    (void)ode;
    (void)t;
    (void)y;
    (void)error;
    return STIC_UNSUPPORTED;
}

SticStatus stic_cvode_step(SticCvode* cvode, const SticOde* ode, const double* allowed,
                           double t_most, double* t, double* y)
{
    (void)cvode;
    (void)ode;
    (void)allowed;
    (void)t_most;
    (void)t;
    (void)y;
    return STIC_UNSUPPORTED;
}

SticStatus stic_cvode_at(SticCvode* cvode, double t, double* y)
{
    (void)cvode;
    (void)t;
    (void)y;
    return STIC_UNSUPPORTED;
}

#endif

SticStatus stic_cvode_sum(SticCvode* cvode, const SticOde* ode, const double ends[2],
                          double* scratch)
{
    // nodes and weights on [-1, 1], order eight
    static const double node[4] = {-0.86113631159405257522, -0.33998104358485626480,
                                   0.33998104358485626480, 0.86113631159405257522};
    static const double weight[4] = {0.34785484513745385737, 0.65214515486254614263,
                                     0.65214515486254614263, 0.34785484513745385737};
    const double middle = 0.5 * (ends[0] + ends[1]), half = 0.5 * (ends[1] - ends[0]);
    for (int k = 0; k < 4; ++k) {
        const double t = middle + half * node[k];
        STIC_TRY(stic_cvode_at(cvode, t, scratch));
        STIC_TRY(ode->slope(ode->self, t, scratch, half * weight[k], scratch + ode->n));
    }
    return STIC_OK;
}
