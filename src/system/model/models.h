// SPDX-License-Identifier: Apache-2.0
// The registered models, one file each.
#ifndef STIC_SYSTEM_MODEL_MODELS_H
#define STIC_SYSTEM_MODEL_MODELS_H

#include "math/math.h"
#include "stiction/extend/base.h"
#include "stiction/extend/system.h"
#include "stiction/extend/vec3.h"

extern const SticModel stic_model_point_mass;
extern const SticModel stic_model_planar_block;
extern const SticModel stic_model_painleve_rod;
extern const SticModel stic_model_bar;
extern const SticModel stic_model_oscillator;
extern const SticModel stic_model_pendulum;
extern const SticModel stic_model_pendulum_angle;
extern const SticModel stic_model_double_pendulum;
extern const SticModel stic_model_double_pendulum_angles;
extern const SticModel stic_model_sprag_clutch;
extern const SticModel stic_model_woodpecker;
extern const SticModel stic_model_wheel;
extern const SticModel stic_model_tippe_top;
extern const SticModel stic_model_free_body;
extern const SticModel stic_model_skate;
extern const SticModel stic_model_elastic_box;

/// Mass block of a rigid body in principal axes; the scalable chart gets tr(J)/2 for nu
/// (Möller 4.88).
void stic_model_rigid_mass(SticChart chart, double mass, SticVec3 inertia, double* block);
/// Lambda, or s R of the quaternion: quadratic in the coordinates, so discrete derivatives stay
/// exact.
static inline SticMat3 stic_model_scaled_rotation(SticChart chart, const double* q)
{
    return chart == STIC_CHART_ROTATION ? stic_mat3_load(q + 3)
                                        : stic_quat_to_scaled_matrix(stic_quat_load(q + 3));
}

/// Term k of a potential as in SticSmallDef.
typedef double SticModelPotential(const void* self, int32_t k, const double* q, double* gradient,
                                  double* hessian);
/// Definition of one or two blocks of `size` linear coordinates (1 to 3), one potential term each
/// (NULL: none); interactions and what else there is are added by the model.
SticSmallDef stic_model_linear(const SticFieldTable* table, const void* parameters, int32_t blocks,
                               int32_t size, const double* mass, SticModelPotential* potential);
/// Contact of block 0 with what does not move, with Coulomb friction in the `rows` of the velocity.
SticInteraction stic_model_contact(uint64_t id, int32_t rows, double friction, double restitution);

/// What most models offer: everything except derivatives of forces without a potential.
enum {
    STIC_MODEL_OFFERS = STIC_OFFERS_CONSTANT_MASS | STIC_OFFERS_POTENTIAL | STIC_OFFERS_HESSIAN |
                        STIC_OFFERS_DIRECTIONS_Q | STIC_OFFERS_CURVATURE | STIC_OFFERS_BIAS |
                        STIC_OFFERS_SCLERONOMIC | STIC_OFFERS_OPEN_GAPS
};

/// Row of a parameter table: any finite value.
#define STIC_PARAMETER(type, member, initial, unit, text)                                          \
    STIC_FIELD_REAL(type, member, initial, -1e300, 1e300, unit, text)

/// Table of an array of fields.
#define STIC_FIELD_TABLE(name, fields, type)                                                       \
    {                                                                                              \
        name, fields, (int32_t)(sizeof(fields) / sizeof(fields)[0]), sizeof(type)                  \
    }

#endif
