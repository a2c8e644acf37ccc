// SPDX-License-Identifier: Apache-2.0
// Material of bodies that deform.
#ifndef STICTION_BODY_H
#define STICTION_BODY_H

#include "stiction/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- material ---- */

/// An isotropic St Venant-Kirchhoff material.
typedef struct SticElastic {
    double young;   ///< Young's modulus, Pa, > 0
    double poisson; ///< Poisson's ratio, in (-1, 1/2)
} SticElastic;

#ifdef __cplusplus
}
#endif

#endif
