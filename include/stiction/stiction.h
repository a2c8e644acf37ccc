// SPDX-License-Identifier: Apache-2.0
// All public headers of libstiction.
#ifndef STICTION_H
#define STICTION_H

#include "stiction/base.h"
#include "stiction/file.h"
#include "stiction/law.h"
#include "stiction/problem.h"
#include "stiction/shape.h"
#include "stiction/solver.h"
#include "stiction/sparse.h"

#endif
