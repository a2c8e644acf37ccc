// SPDX-License-Identifier: Apache-2.0
// Torque-free rigid body (Koziara 5.2.4; Möller's torque-free test): any rotation chart.
#include "system/model/models.h"

#include "math/math.h"

typedef struct FreeBody {
    double mass, J1, J2, J3, omega1, omega2, omega3;
} FreeBody;

static const SticField fields[] = {
    STIC_PARAMETER(FreeBody, mass, 1.0, "kg", "mass"),
    STIC_PARAMETER(FreeBody, J1, 1.0, "kg m2", "first principal inertia"),
    STIC_PARAMETER(FreeBody, J2, 2.0, "kg m2", "second principal inertia"),
    STIC_PARAMETER(FreeBody, J3, 3.0, "kg m2", "third principal inertia"),
    STIC_PARAMETER(FreeBody, omega1, 0.1, "rad/s", "start rate, body axes"),
    STIC_PARAMETER(FreeBody, omega2, 2.0, "rad/s", "start rate, body axes"),
    STIC_PARAMETER(FreeBody, omega3, 0.1, "rad/s", "start rate, body axes"),
};
static const SticFieldTable table = STIC_FIELD_TABLE("free-body", fields, FreeBody);

static SticStatus create(const SticContext* context, const void* parameters, SticChart chart,
                         SticSystem** system, SticError* error)
{
    const FreeBody* p = parameters;
    const uint8_t charts[] = {(uint8_t)chart};
    double mass[49];
    stic_model_rigid_mass(chart, p->mass, stic_vec3(p->J1, p->J2, p->J3), mass);
    const SticSmallDef def = {.name = "free-body",
                              .offers = STIC_MODEL_OFFERS,
                              .blocks = 1,
                              .chart = charts,
                              .mass = mass,
                              .self = p,
                              .self_size = sizeof *p};
    return stic_small_create(context, &def, system, error);
}

static void start(const void* parameters, SticChart chart, SticState* state)
{
    const FreeBody* p = parameters;
    double* omega = state->u + (chart == STIC_CHART_SCALABLE ? 4 : 3);
    stic_vec3_store(stic_vec3(p->omega1, p->omega2, p->omega3), omega);
}

const SticModel stic_model_free_body = {"free-body",
                                        "torque-free rigid body",
                                        &table,
                                        STIC_CHART_BIT(STIC_CHART_ROTATION) |
                                            STIC_CHART_BIT(STIC_CHART_QUATERNION) |
                                            STIC_CHART_BIT(STIC_CHART_SCALABLE),
                                        create,
                                        start,
                                        NULL};
