// SPDX-License-Identifier: Apache-2.0
// One frame: the state of a run and what acted in its last step, appended to the columns.
#include "output/writer.h"

#ifdef STIC_HAVE_HDF5

#include <string.h>

#include "math/math.h"
#include "stiction/extend/run.h"
#include "world/soft.h"

static SticStatus append_int64(SticOutput* output, SticColumn column, int64_t value)
{
    return stic_columns_bytes(&output->columns, column, &value, sizeof value);
}

/* ---- motion ---- */

static SticStatus append_motion(SticOutput* output, const SticSystem* system,
                                const SticState* state)
{
    const size_t n = (size_t)output->rows.bodies;
    double *position = NULL, *orientation = NULL, *velocity = NULL, *spin = NULL;
    STIC_TRY(STIC_TAKE(output->scratch, &position, 3 * n + 1));
    STIC_TRY(STIC_TAKE(output->scratch, &orientation, 4 * n + 1));
    STIC_TRY(STIC_TAKE(output->scratch, &velocity, 3 * n + 1));
    STIC_TRY(STIC_TAKE(output->scratch, &spin, 3 * n + 1));
    for (size_t i = 0; i < n; ++i) {
        const SticBodyId id = stic_table_rows_body(&output->rows, output->world, (int32_t)i);
        const SticPose pose = stic_world_pose(system, state, id);
        const SticTwist twist = stic_world_twist(system, state, id);
        stic_vec3_store(pose.origin, position + 3 * i);
        stic_quat_store(stic_pose_orientation(&pose), orientation + 4 * i);
        stic_vec3_store(twist.velocity, velocity + 3 * i);
        stic_vec3_store(twist.angular_velocity, spin + 3 * i);
    }
    SticColumns* columns = &output->columns;
    STIC_TRY(stic_columns_reals(columns, STIC_COL_POSITION, position, 3 * n));
    STIC_TRY(stic_columns_reals(columns, STIC_COL_ORIENTATION, orientation, 4 * n));
    STIC_TRY(stic_columns_reals(columns, STIC_COL_VELOCITY, velocity, 3 * n));
    return stic_columns_reals(columns, STIC_COL_SPIN, spin, 3 * n);
}

static SticStatus append_deformation(SticOutput* output, const SticSystem* system,
                                     const SticState* state)
{
    const size_t n = (size_t)output->rows.deformable;
    double *gradient = NULL, *stress = NULL;
    if (n == 0)
        return STIC_OK;
    STIC_TRY(STIC_TAKE(output->scratch, &gradient, 9 * n));
    STIC_TRY(STIC_TAKE(output->scratch, &stress, 9 * n));
    for (int32_t i = 0; i < output->rows.bodies; ++i) {
        const int32_t row = output->rows.deformation[i];
        if (row < 0)
            continue;
        const SticBodyId id = stic_table_rows_body(&output->rows, output->world, i);
        stic_mat3_store(stic_world_pose(system, state, id).F, gradient + 9 * row);
        stic_mat3_store(stic_world_stress(system, state, id), stress + 9 * row);
    }
    STIC_TRY(stic_columns_reals(&output->columns, STIC_COL_GRADIENT, gradient, 9 * n));
    return stic_columns_reals(&output->columns, STIC_COL_STRESS, stress, 9 * n);
}

// surfaces of elastic bodies, shape by shape
static SticStatus append_vertices(SticOutput* output, const SticSystem* system,
                                  const SticState* state)
{
    const SticTableRows* rows = &output->rows;
    SticVec3* place = NULL;
    double* value = NULL;
    int32_t used = 0;
    if (rows->vertices == 0)
        return STIC_OK;
    STIC_TRY(STIC_TAKE(output->scratch, &place, rows->vertices));
    STIC_TRY(STIC_TAKE(output->scratch, &value, 3 * (size_t)rows->vertices));
    for (int32_t i = 0; i < rows->shapes; ++i)
        if (rows->moving[i] >= 0)
            used += stic_soft_surface_places(stic_view_of(system),
                                             output->world->shape[rows->shape_slot[i]].body, state,
                                             place + used);
    STIC_ASSERT(used == rows->vertices);
    for (int32_t i = 0; i < used; ++i)
        stic_vec3_store(place[i], value + 3 * (size_t)i);
    return stic_columns_reals(&output->columns, STIC_COL_VERTEX, value, 3 * (size_t)used);
}

static SticStatus append_joints(SticOutput* output, const SticActing* acting,
                                const SticState* state)
{
    const size_t n = (size_t)output->rows.joints;
    double *coordinate = NULL, *rate = NULL, *force = NULL, *torque = NULL;
    SticJointForce* joint = NULL;
    if (n == 0 || !output->settings.joints)
        return STIC_OK;
    STIC_TRY(STIC_TAKE(output->scratch, &coordinate, n));
    STIC_TRY(STIC_TAKE(output->scratch, &rate, n));
    STIC_TRY(STIC_TAKE(output->scratch, &force, 3 * n));
    STIC_TRY(STIC_TAKE(output->scratch, &torque, 3 * n));
    STIC_TRY(STIC_TAKE(output->scratch, &joint, output->world->joints));
    STIC_TRY(stic_acting_joints(acting, output->world, state, output->scratch, joint));
    for (size_t i = 0; i < n; ++i) {
        const SticJointForce* seen = &joint[output->rows.joint_slot[i]];
        coordinate[i] = seen->coordinate;
        rate[i] = seen->rate;
        stic_vec3_store(seen->force, force + 3 * i);
        stic_vec3_store(seen->torque, torque + 3 * i);
    }
    SticColumns* columns = &output->columns;
    STIC_TRY(stic_columns_reals(columns, STIC_COL_COORDINATE, coordinate, n));
    STIC_TRY(stic_columns_reals(columns, STIC_COL_RATE, rate, n));
    STIC_TRY(stic_columns_reals(columns, STIC_COL_JOINT_FORCE, force, 3 * n));
    return stic_columns_reals(columns, STIC_COL_JOINT_TORQUE, torque, 3 * n);
}

/* ---- contacts ---- */

// one member of an array of rows as an array of its own
static const double* gather(double* to, const void* rows, size_t count, size_t stride,
                            size_t values)
{
    for (size_t i = 0; i < count; ++i)
        memcpy(to + i * values, (const unsigned char*)rows + i * stride, values * sizeof *to);
    return to;
}

static SticStatus append_contact_integers(SticOutput* output, const SticContactRow* contact,
                                          size_t n)
{
    uint64_t* id = NULL;
    int32_t(*body)[2] = NULL, (*shape)[2] = NULL;
    uint8_t* status = NULL;
    STIC_TRY(STIC_TAKE(output->scratch, &id, n + 1));
    STIC_TRY(STIC_TAKE(output->scratch, &body, n + 1));
    STIC_TRY(STIC_TAKE(output->scratch, &shape, n + 1));
    STIC_TRY(STIC_TAKE(output->scratch, &status, n + 1));
    for (size_t i = 0; i < n; ++i) {
        id[i] = contact[i].id;
        memcpy(body[i], contact[i].body, sizeof body[i]);
        memcpy(shape[i], contact[i].shape, sizeof shape[i]);
        status[i] = contact[i].status;
    }
    SticColumns* columns = &output->columns;
    STIC_TRY(stic_columns_bytes(columns, STIC_COL_ID, id, n * sizeof *id));
    STIC_TRY(stic_columns_bytes(columns, STIC_COL_BODY, body, n * sizeof *body));
    STIC_TRY(stic_columns_bytes(columns, STIC_COL_SHAPE, shape, n * sizeof *shape));
    return stic_columns_bytes(columns, STIC_COL_STATUS, status, n);
}

static SticStatus append_contacts(SticOutput* output, const SticContactRow* contact, size_t n)
{
    const struct {
        SticColumn column;
        size_t offset, values;
    } part[] = {
        {STIC_COL_POINT, offsetof(SticContactRow, point), 3},
        {STIC_COL_NORMAL, offsetof(SticContactRow, normal), 3},
        {STIC_COL_GAP, offsetof(SticContactRow, gap), 1},
        {STIC_COL_IMPULSE, offsetof(SticContactRow, impulse), 3},
        {STIC_COL_FORCE, offsetof(SticContactRow, force), 3},
        {STIC_COL_MOMENT, offsetof(SticContactRow, moment), 3},
        {STIC_COL_SLIP, offsetof(SticContactRow, slip), 3},
    };
    double* values = NULL;
    STIC_TRY(append_contact_integers(output, contact, n));
    STIC_TRY(STIC_TAKE(output->scratch, &values, 3 * n + 1));
    for (size_t k = 0; k < sizeof part / sizeof part[0]; ++k) {
        gather(values, (const unsigned char*)contact + part[k].offset, n, sizeof *contact,
               part[k].values);
        STIC_TRY(stic_columns_reals(&output->columns, part[k].column, values, part[k].values * n));
    }
    output->columns.rows[STIC_TABLE_CONTACTS] += (int64_t)n;
    return STIC_OK;
}

static SticStatus append_pairs(SticOutput* output, const SticContactRow* contact, int32_t contacts)
{
    SticPairRow* pair = NULL;
    int32_t(*body)[2] = NULL, *count = NULL, pairs = 0;
    double* values = NULL;
    SticColumns* columns = &output->columns;
    STIC_TRY(STIC_TAKE(output->scratch, &pair, contacts + 1));
    STIC_TRY(stic_pair_row_sum(contact, contacts, output->scratch, pair, &pairs));
    const size_t n = (size_t)pairs;
    STIC_TRY(STIC_TAKE(output->scratch, &body, n + 1));
    STIC_TRY(STIC_TAKE(output->scratch, &count, n + 1));
    STIC_TRY(STIC_TAKE(output->scratch, &values, 3 * n + 1));
    for (size_t i = 0; i < n; ++i) {
        memcpy(body[i], pair[i].body, sizeof body[i]);
        count[i] = pair[i].contacts;
    }
    STIC_TRY(stic_columns_bytes(columns, STIC_COL_PAIR_BODY, body, n * sizeof *body));
    STIC_TRY(stic_columns_bytes(columns, STIC_COL_PAIR_CONTACTS, count, n * sizeof *count));
    gather(values, &pair->force, n, sizeof *pair, 3);
    STIC_TRY(stic_columns_reals(columns, STIC_COL_PAIR_FORCE, values, 3 * n));
    gather(values, &pair->point, n, sizeof *pair, 3);
    STIC_TRY(stic_columns_reals(columns, STIC_COL_PAIR_POINT, values, 3 * n));
    gather(values, &pair->torque, n, sizeof *pair, 3);
    STIC_TRY(stic_columns_reals(columns, STIC_COL_PAIR_TORQUE, values, 3 * n));
    columns->rows[STIC_TABLE_PAIRS] += pairs;
    return STIC_OK;
}

/* ---- systems written by hand ---- */

static SticStatus append_interactions(SticOutput* output, const SticActing* acting)
{
    SticColumns* columns = &output->columns;
    SticRowSum* rows = NULL;
    int32_t count = 0;
    STIC_TRY(stic_acting_rows(acting, output->scratch, &rows, &count));
    for (int32_t i = 0; i < count; ++i) {
        const SticRowSum* row = &rows[i];
        const SticInteraction* interaction = &row->interaction;
        double force[6];
        for (int c = 0; c < 6; ++c)
            force[c] = row->impulse[c] / acting->h;
        STIC_TRY(stic_columns_bytes(columns, STIC_COL_INTERACTION_ID, &interaction->id,
                                    sizeof interaction->id));
        STIC_TRY(stic_columns_bytes(columns, STIC_COL_BLOCK, interaction->block,
                                    sizeof interaction->block));
        STIC_TRY(stic_columns_bytes(columns, STIC_COL_LAW, &interaction->law, 1));
        STIC_TRY(stic_columns_bytes(columns, STIC_COL_LEVEL, &interaction->level, 1));
        STIC_TRY(stic_columns_bytes(columns, STIC_COL_ROWS, &interaction->rows, 1));
        STIC_TRY(stic_columns_reals(columns, STIC_COL_MODEL_GAP, &row->gap, 1));
        STIC_TRY(stic_columns_reals(columns, STIC_COL_MODEL_IMPULSE, row->impulse, 6));
        STIC_TRY(stic_columns_reals(columns, STIC_COL_MODEL_FORCE, force, 6));
        STIC_TRY(stic_columns_reals(columns, STIC_COL_MODEL_VELOCITY, row->velocity, 6));
    }
    columns->rows[STIC_TABLE_CONTACTS] += count;
    return STIC_OK;
}

static SticStatus append_model(SticOutput* output, const SticActing* acting, const SticState* state)
{
    const SticLayout* layout = &acting->system->layout;
    SticColumns* columns = &output->columns;
    STIC_TRY(stic_columns_reals(columns, STIC_COL_Q, state->q, (size_t)layout->nq));
    STIC_TRY(stic_columns_reals(columns, STIC_COL_U, state->u, (size_t)layout->nu));
    return output->settings.contacts ? append_interactions(output, acting) : STIC_OK;
}

static SticStatus append_world(SticOutput* output, const SticActing* acting, const SticState* state)
{
    SticContactRow* contact = NULL;
    int32_t count = 0;
    STIC_TRY(append_motion(output, acting->system, state));
    STIC_TRY(append_deformation(output, acting->system, state));
    STIC_TRY(append_vertices(output, acting->system, state));
    STIC_TRY(append_joints(output, acting, state));
    if (!output->settings.contacts && !output->settings.pairs)
        return STIC_OK;
    STIC_TRY(stic_output_contacts(acting, output->world, &output->rows, output->scratch, &contact,
                                  &count));
    if (output->settings.contacts)
        STIC_TRY(append_contacts(output, contact, (size_t)count));
    return output->settings.pairs ? append_pairs(output, contact, count) : STIC_OK;
}

/* ---- the frame ---- */

static SticStatus append_index(SticOutput* output, const SticRun* run, const SticActing* acting,
                               const int64_t before[STIC_TABLE_COUNT])
{
    const SticSystem* system = acting->system;
    const SticState* state = stic_run_now(run);
    SticColumns* columns = &output->columns;
    const int64_t* rows = columns->rows;
    double energy[2];
    const uint64_t hash = stic_run_hash(run);
    STIC_TRY(stic_system_kinetic(system, state, output->scratch, &energy[0]));
    STIC_TRY(stic_system_potential(system, state, output->scratch, &energy[1]));
    STIC_TRY(stic_columns_reals(columns, STIC_COL_TIME, &state->t, 1));
    STIC_TRY(append_int64(output, STIC_COL_STEP, stic_run_totals(run)->steps));
    STIC_TRY(stic_columns_reals(columns, STIC_COL_LENGTH, &acting->h, 1));
    STIC_TRY(append_int64(output, STIC_COL_CONTACT_BEGIN, before[STIC_TABLE_CONTACTS]));
    STIC_TRY(append_int64(output, STIC_COL_CONTACT_COUNT,
                          rows[STIC_TABLE_CONTACTS] - before[STIC_TABLE_CONTACTS]));
    STIC_TRY(append_int64(output, STIC_COL_PAIR_BEGIN, before[STIC_TABLE_PAIRS]));
    STIC_TRY(append_int64(output, STIC_COL_PAIR_COUNT,
                          rows[STIC_TABLE_PAIRS] - before[STIC_TABLE_PAIRS]));
    STIC_TRY(stic_columns_reals(columns, STIC_COL_ENERGY, energy, 2));
    return stic_columns_bytes(columns, STIC_COL_HASH, &hash, sizeof hash);
}

SticStatus stic_frame_append(SticOutput* output, const SticRun* run)
{
    SticActing acting;
    int64_t before[STIC_TABLE_COUNT];
    memcpy(before, output->columns.rows, sizeof before);
    STIC_TRY(stic_arena_reset(output->scratch));
    STIC_TRY(stic_output_acting(run, output->world, output->settings.least_norm, output->scratch,
                                &acting));
    if (output->world != NULL)
        STIC_TRY(append_world(output, &acting, stic_run_now(run)));
    else
        STIC_TRY(append_model(output, &acting, stic_run_now(run)));
    STIC_TRY(append_index(output, run, &acting, before));
    output->columns.rows[STIC_TABLE_FRAMES] += 1;
    output->last_step = stic_run_totals(run)->steps;
    return STIC_OK;
}

#else

/// Keeps the file from being empty where HDF5 is left out.
typedef int SticFrameAbsent;

#endif
