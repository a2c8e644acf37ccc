// SPDX-License-Identifier: Apache-2.0
// The table of models and what several of them share.
#include "system/model/models.h"

#include <string.h>

const SticModel* const stic_model_table[] = {
    &stic_model_point_mass,
    &stic_model_planar_block,
    &stic_model_painleve_rod,
    &stic_model_bar,
    &stic_model_oscillator,
    &stic_model_pendulum,
    &stic_model_pendulum_angle,
    &stic_model_double_pendulum,
    &stic_model_double_pendulum_angles,
    &stic_model_sprag_clutch,
    &stic_model_woodpecker,
    &stic_model_wheel,
    &stic_model_tippe_top,
    &stic_model_free_body,
    &stic_model_skate,
    &stic_model_elastic_box,
    NULL,
};

const SticModel* stic_model_find(const char* name, SticError* error)
{
    const char* names[64] = {NULL};
    for (int i = 0; stic_model_table[i] != NULL; ++i) {
        names[i] = stic_model_table[i]->name;
        if (strcmp(names[i], name) == 0)
            return stic_model_table[i];
    }
    const char* near = stic_suggest(name, names);
    stic_error_set(error, STIC_BAD_ARGUMENT, "there is no model '%s'%s%s%s", name,
                   near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
    return NULL;
}

void stic_model_destroy(const SticModel* model, SticSystem* system)
{
    STIC_ASSERT(model != NULL);
    if (model->destroy != NULL)
        model->destroy(system);
    else
        stic_small_destroy(system);
}

SticSmallDef stic_model_linear(const SticFieldTable* table, const void* parameters, int32_t blocks,
                               int32_t size, const double* mass, SticModelPotential* potential)
{
    static const uint8_t charts[2] = {STIC_CHART_LINEAR, STIC_CHART_LINEAR};
    static const int32_t sizes[4][2] = {{0, 0}, {1, 1}, {2, 2}, {3, 3}};
    static const int32_t term_block[2][2] = {{0, -1}, {1, -1}};
    STIC_ASSERT(blocks <= 2 && size <= 3);
    return (SticSmallDef){.name = table->name,
                          .offers = STIC_MODEL_OFFERS,
                          .blocks = blocks,
                          .chart = charts,
                          .size = sizes[size],
                          .mass = mass,
                          .terms = potential != NULL ? blocks : 0,
                          .term_block = term_block,
                          .potential = potential,
                          .self = parameters,
                          .self_size = table->size};
}

SticInteraction stic_model_contact(uint64_t id, int32_t rows, double friction, double restitution)
{
    return (SticInteraction){.id = id,
                             .law = STIC_LAW_CONE,
                             .level = STIC_LEVEL_CONTACT,
                             .rows = (uint8_t)rows,
                             .block = {0, -1},
                             .bound_of = -1,
                             .coef = {friction},
                             .restitution = {restitution, 0.0}};
}

void stic_model_rigid_mass(SticChart chart, double mass, SticVec3 inertia, double* block)
{
    const int n = chart == STIC_CHART_SCALABLE ? 7 : 6;
    const double J[3] = {inertia.x, inertia.y, inertia.z};
    memset(block, 0, (size_t)(n * n) * sizeof *block);
    for (int i = 0; i < 3; ++i) {
        block[i * n + i] = mass;
        block[(n - 3 + i) * n + n - 3 + i] = J[i];
    }
    if (chart == STIC_CHART_SCALABLE)
        block[3 * n + 3] = 0.5 * (J[0] + J[1] + J[2]);
}
