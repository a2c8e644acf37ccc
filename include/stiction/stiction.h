// SPDX-License-Identifier: Apache-2.0
// All public headers of libstiction.
#ifndef STICTION_H
#define STICTION_H

#include "stiction/base.h"
#include "stiction/body.h"
#include "stiction/certify.h"
#include "stiction/file.h"
#include "stiction/joint.h"
#include "stiction/law.h"
#include "stiction/problem.h"
#include "stiction/result.h"
#include "stiction/run.h"
#include "stiction/scene.h"
#include "stiction/shape.h"
#include "stiction/solid.h"
#include "stiction/solver.h"
#include "stiction/sparse.h"
#include "stiction/step.h"
#include "stiction/vec3.h"
#include "stiction/world.h"

#endif
