// SPDX-License-Identifier: Apache-2.0
// Everything for people who add a system, a scheme, a law or a solver. These headers follow the
// library: unlike those of applications they may change in any version.
#ifndef STICTION_EXTEND_EXTEND_H
#define STICTION_EXTEND_EXTEND_H

#include "stiction/extend/base.h"
#include "stiction/extend/body.h"
#include "stiction/extend/certify.h"
#include "stiction/extend/file.h"
#include "stiction/extend/joint.h"
#include "stiction/extend/law.h"
#include "stiction/extend/limit.h"
#include "stiction/extend/live.h"
#include "stiction/extend/math.h"
#include "stiction/extend/mesh.h"
#include "stiction/extend/problem.h"
#include "stiction/extend/result.h"
#include "stiction/extend/run.h"
#include "stiction/extend/scene.h"
#include "stiction/extend/shape.h"
#include "stiction/extend/solid.h"
#include "stiction/extend/solver.h"
#include "stiction/extend/sparse.h"
#include "stiction/extend/step.h"
#include "stiction/extend/system.h"
#include "stiction/extend/vec3.h"
#include "stiction/extend/world.h"

#endif
