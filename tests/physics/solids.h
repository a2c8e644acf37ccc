// SPDX-License-Identifier: Apache-2.0
// Solids with a scheme in a test.
#ifndef STIC_TESTS_PHYSICS_SOLIDS_H
#define STIC_TESTS_PHYSICS_SOLIDS_H

#include "helpers/helpers.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "step/step.h"
#include "stiction/extend/solid.h"
#include "stiction/extend/vec3.h"

enum { TEST_SOLID_MOST = 20000 };

/// A box with what is added to it, a scheme and two states.
typedef struct TestSolid {
    SticContext context;
    SticSolidMesh mesh;
    SticSolidDef def;
    SticSolidSupport support[TEST_SOLID_MOST];
    SticSolidForce force[TEST_SOLID_MOST];
    SticSolidPair pair[TEST_SOLID_MOST];
    SticSolidObstacle obstacle[2];
    SticSystem* system;
    SticStepper* stepper;
    double settings[64];
    SticState *now, *next;
    SticStepInfo info;
    SticStepRecord record;
    SticError error;
} TestSolid;

/// The mesh of a box; the definition is to be filled before test_solid_start.
static inline void test_solid_open(TestSolid* solid, const SticSolidBox* box,
                                   SticSolidMaterial material)
{
    memset(solid, 0, sizeof *solid);
    solid->context = stic_context_default();
    assert_int_equal(stic_solid_box(&solid->context, box, &solid->mesh, &solid->error), STIC_OK);
    solid->def = (SticSolidDef){.name = "solid",
                                .mesh = &solid->mesh,
                                .material = material,
                                .support = solid->support,
                                .force = solid->force,
                                .pair = solid->pair,
                                .obstacle = solid->obstacle};
}

/// Support the nodes where coordinate `axis` is `place`, along some axes.
static inline void test_solid_hold(TestSolid* solid, int axis, double place, uint8_t axes)
{
    for (int32_t i = 0; i < solid->mesh.nodes; ++i)
        if (fabs(stic_vec3_get(solid->mesh.node[i], axis) - place) < 1e-9) {
            assert_true(solid->def.supports < TEST_SOLID_MOST);
            solid->support[solid->def.supports++] = (SticSolidSupport){.node = i, .axes = axes};
        }
}

/// A traction on the side x = place, Pa.
static inline void test_solid_pull(TestSolid* solid, double place, SticVec3 traction)
{
    double* area = NULL;
    assert_int_equal(STIC_ALLOCATE(&solid->context, &area, (size_t)solid->mesh.nodes), STIC_OK);
    assert_int_equal(
        stic_solid_areas(&solid->mesh, stic_vec3(1.0, 0.0, 0.0), place, area, &solid->error),
        STIC_OK);
    for (int32_t i = 0; i < solid->mesh.nodes; ++i)
        if (area[i] != 0.0) {
            assert_true(solid->def.forces < TEST_SOLID_MOST);
            solid->force[solid->def.forces++] =
                (SticSolidForce){i, stic_vec3_scale(area[i], traction)};
        }
    STIC_RELEASE(&solid->context, area, (size_t)solid->mesh.nodes);
}

/// Build the system and a state at rest; settings as "name=value name=value …".
static inline void test_solid_start(TestSolid* solid, const char* scheme, const char* settings)
{
    const SticScheme* found = stic_scheme_find(scheme, &solid->error);
    char text[256], *rest = text, *word;
    assert_non_null(found);
    if (stic_solid_create(&solid->context, &solid->def, &solid->system, &solid->error) != STIC_OK)
        fail_msg("%s", solid->error.text);
    assert_int_equal(stic_stepper_create(&solid->context, found, &solid->stepper), STIC_OK);
    stic_fields_default(found->fields, solid->settings);
    snprintf(text, sizeof text, "%s", settings);
    while ((word = strtok_r(rest, " ", &rest)) != NULL) {
        char* value = strchr(word, '=');
        *value++ = '\0';
        if (stic_fields_set(found->fields, solid->settings, word, value, &solid->error) != STIC_OK)
            fail_msg("%s", solid->error.text);
    }
    solid->stepper->settings = solid->settings;
    solid->stepper->solve.settings.tolerance = 1e-12;
    solid->stepper->record = &solid->record;
    assert_int_equal(stic_state_create(&solid->context, &solid->system->layout, &solid->now),
                     STIC_OK);
    assert_int_equal(stic_state_create(&solid->context, &solid->system->layout, &solid->next),
                     STIC_OK);
}

static inline void test_solid_step(TestSolid* solid, double t_to)
{
    if (stic_step(solid->stepper, solid->system, solid->now, t_to, solid->next, &solid->info) !=
        STIC_OK)
        fail_msg("%s", solid->info.error.text);
    assert_int_equal(solid->info.solve.outcome, STIC_OUTCOME_SOLVED);
    SticState* old = solid->now;
    solid->now = solid->next;
    solid->next = old;
}

static inline void test_solid_close(TestSolid* solid)
{
    stic_stepper_destroy(solid->stepper);
    if (solid->system != NULL) {
        stic_state_destroy(solid->now, &solid->system->layout);
        stic_state_destroy(solid->next, &solid->system->layout);
    }
    stic_solid_destroy(solid->system);
    stic_solid_mesh_release(&solid->mesh);
}

/// The node nearest to a place.
static inline int32_t test_solid_node(const TestSolid* solid, double x, double y, double z)
{
    int32_t best = 0;
    for (int32_t i = 1; i < solid->mesh.nodes; ++i)
        if (stic_vec3_distance(solid->mesh.node[i], stic_vec3(x, y, z)) <
            stic_vec3_distance(solid->mesh.node[best], stic_vec3(x, y, z)))
            best = i;
    return best;
}

/// Sum of the normal impulses of the last step over its length, N.
static inline double test_solid_press(const TestSolid* solid)
{
    double sum = 0.0;
    for (int32_t i = 0; i < solid->record.set.count; ++i)
        sum += solid->record.r[solid->record.set.row_at[i]] / solid->record.h;
    return sum;
}

#endif
