// SPDX-License-Identifier: Apache-2.0
// The growing data sets of a result file: one list of them, buffers, appending.
//
// A column is a data set whose first dimension grows; columns of one table grow together. Rows are
// kept in memory until a buffer is full or the file is flushed, so that a stored frame of a small
// system costs a few copies. See docs/reference/result-format.md for the meaning of each.
#ifndef STIC_OUTPUT_COLUMNS_H
#define STIC_OUTPUT_COLUMNS_H

#include "file/hdf5.h"
#include "output/output.h"

/// Tables: groups of columns with one number of rows.
typedef enum SticTable {
    STIC_TABLE_FRAMES,
    STIC_TABLE_CONTACTS, ///< contacts of worlds, interactions of systems written by hand
    STIC_TABLE_PAIRS,
    STIC_TABLE_STEPS,
    STIC_TABLE_EVENTS, ///< of schemes that find them; steps say where theirs end
    STIC_TABLE_COUNT
} SticTable;

/// Type of a column.
typedef enum SticColumnType {
    STIC_AS_REAL,    ///< float64 or float32 by `precision`
    STIC_AS_CONTACT, ///< float64 or float32 by `contact_precision`
    STIC_AS_DOUBLE,
    STIC_AS_INT32,
    STIC_AS_INT64,
    STIC_AS_ID, ///< uint64
    STIC_AS_BYTE
} SticColumnType;

/// Extents that are known when a run begins; positive numbers in a column stand for themselves.
enum {
    STIC_EXTENT_BODIES = -1,
    STIC_EXTENT_JOINTS = -2,
    STIC_EXTENT_NQ = -3,
    STIC_EXTENT_NU = -4,
    STIC_EXTENT_DEFORMABLE = -5,
    STIC_EXTENT_VERTICES = -6
};

/// When a column is there.
enum {
    STIC_ALWAYS = 0,
    STIC_IF_WORLD = 1,
    STIC_IF_MODEL = 2,
    STIC_IF_CONTACTS = 4, ///< world with contacts stored
    STIC_IF_PAIRS = 8,
    STIC_IF_JOINTS = 16,
    STIC_IF_STEPS = 32,
    STIC_IF_INTERACTIONS = 64, ///< model with contacts stored
    STIC_IF_DEFORMABLE = 128,
    STIC_IF_VERTICES = 1024,             ///< surfaces of elastic bodies
    STIC_IF_MOMENTS = 256,               ///< some surfaces have rolling or drilling friction
    STIC_IF_EVENTS = 512 + STIC_IF_STEPS ///< the scheme finds events, and steps are stored
};

/// The list: name, path, table, type, second and third extent (0: none), condition, unit, text,
/// names of an enumeration.
#define STIC_COLUMN_LIST(X)                                                                        \
    X(TIME, "/frames/time", FRAMES, DOUBLE, 0, 0, ALWAYS, "s", "time", NULL)                       \
    X(STEP, "/frames/step", FRAMES, INT64, 0, 0, ALWAYS, "-", "steps made", NULL)                  \
    X(LENGTH, "/frames/h", FRAMES, DOUBLE, 0, 0, ALWAYS, "s",                                      \
      "length over which the impulses of the frame acted", NULL)                                   \
    X(CONTACT_BEGIN, "/frames/contact_begin", FRAMES, INT64, 0, 0, ALWAYS, "-",                    \
      "first row of the frame in /contacts or /interactions", NULL)                                \
    X(CONTACT_COUNT, "/frames/contact_count", FRAMES, INT64, 0, 0, ALWAYS, "-",                    \
      "rows of the frame in /contacts or /interactions", NULL)                                     \
    X(PAIR_BEGIN, "/frames/pair_begin", FRAMES, INT64, 0, 0, ALWAYS, "-",                          \
      "first row of the frame in /pairs", NULL)                                                    \
    X(PAIR_COUNT, "/frames/pair_count", FRAMES, INT64, 0, 0, ALWAYS, "-",                          \
      "rows of the frame in /pairs", NULL)                                                         \
    X(ENERGY, "/frames/energy", FRAMES, DOUBLE, 2, 0, ALWAYS, "J", "kinetic and potential energy", \
      "kinetic potential")                                                                         \
    X(HASH, "/frames/hash", FRAMES, ID, 0, 0, ALWAYS, "-", "hash of the whole state", NULL)        \
    X(POSITION, "/motion/position", FRAMES, REAL, STIC_EXTENT_BODIES, 3, IF_WORLD, "m",            \
      "origin of the body's frame", NULL)                                                          \
    X(ORIENTATION, "/motion/orientation", FRAMES, REAL, STIC_EXTENT_BODIES, 4, IF_WORLD, "-",      \
      "unit quaternion w x y z from body to world axes", NULL)                                     \
    X(VELOCITY, "/motion/velocity", FRAMES, REAL, STIC_EXTENT_BODIES, 3, IF_WORLD, "m/s",          \
      "velocity of the centre of mass", NULL)                                                      \
    X(SPIN, "/motion/angular_velocity", FRAMES, REAL, STIC_EXTENT_BODIES, 3, IF_WORLD, "rad/s",    \
      "angular velocity in world axes", NULL)                                                      \
    X(GRADIENT, "/motion/F", FRAMES, REAL, STIC_EXTENT_DEFORMABLE, 9, IF_DEFORMABLE, "-",          \
      "deformation gradient", NULL)                                                                \
    X(STRESS, "/motion/stress", FRAMES, REAL, STIC_EXTENT_DEFORMABLE, 9, IF_DEFORMABLE, "Pa",      \
      "mean Cauchy stress in world axes", NULL)                                                    \
    X(VERTEX, "/motion/vertex", FRAMES, REAL, STIC_EXTENT_VERTICES, 3, IF_VERTICES, "m",           \
      "vertices of the surfaces of elastic bodies, in world axes", NULL)                           \
    X(COORDINATE, "/joint_motion/coordinate", FRAMES, REAL, STIC_EXTENT_JOINTS, 0, IF_JOINTS,      \
      "m or rad", "coordinate of the joint", NULL)                                                 \
    X(RATE, "/joint_motion/rate", FRAMES, REAL, STIC_EXTENT_JOINTS, 0, IF_JOINTS, "m/s or rad/s",  \
      "rate of the coordinate", NULL)                                                              \
    X(JOINT_FORCE, "/joint_motion/force", FRAMES, REAL, STIC_EXTENT_JOINTS, 3, IF_JOINTS, "N",     \
      "force of the joint on A in world axes", NULL)                                               \
    X(JOINT_TORQUE, "/joint_motion/torque", FRAMES, REAL, STIC_EXTENT_JOINTS, 3, IF_JOINTS, "N m", \
      "torque of the joint on A about its joint point, world axes", NULL)                          \
    X(Q, "/model/q", FRAMES, DOUBLE, STIC_EXTENT_NQ, 0, IF_MODEL, "-", "coordinates", NULL)        \
    X(U, "/model/u", FRAMES, DOUBLE, STIC_EXTENT_NU, 0, IF_MODEL, "-", "velocities", NULL)         \
    X(ID, "/contacts/id", CONTACTS, ID, 0, 0, IF_CONTACTS, "-",                                    \
      "the same contact keeps its id from frame to frame", NULL)                                   \
    X(BODY, "/contacts/body", CONTACTS, INT32, 2, 0, IF_CONTACTS, "-",                             \
      "rows of the bodies A and B in /bodies", NULL)                                               \
    X(SHAPE, "/contacts/shape", CONTACTS, INT32, 2, 0, IF_CONTACTS, "-",                           \
      "rows of their shapes in /shapes", NULL)                                                     \
    X(POINT, "/contacts/point", CONTACTS, CONTACT, 3, 0, IF_CONTACTS, "m",                         \
      "where the reaction acts", NULL)                                                             \
    X(NORMAL, "/contacts/normal", CONTACTS, CONTACT, 3, 0, IF_CONTACTS, "-",                       \
      "unit normal from B to A", NULL)                                                             \
    X(GAP, "/contacts/gap", CONTACTS, CONTACT, 0, 0, IF_CONTACTS, "m",                             \
      "distance; negative: penetration", NULL)                                                     \
    X(IMPULSE, "/contacts/impulse", CONTACTS, CONTACT, 3, 0, IF_CONTACTS, "N s",                   \
      "impulse of the step on A in world axes", NULL)                                              \
    X(FORCE, "/contacts/force", CONTACTS, CONTACT, 3, 0, IF_CONTACTS, "N",                         \
      "impulse / h: force on A in world axes", NULL)                                               \
    X(MOMENT, "/contacts/moment", CONTACTS, CONTACT, 3, 0, IF_MOMENTS, "N m",                      \
      "rolling and drilling moment on A in world axes", NULL)                                      \
    X(SLIP, "/contacts/slip", CONTACTS, CONTACT, 3, 0, IF_CONTACTS, "m/s",                         \
      "tangential velocity of A relative to B at the end of the step", NULL)                       \
    X(STATUS, "/contacts/status", CONTACTS, BYTE, 0, 0, IF_CONTACTS, "-", "what the contact does", \
      "open stick slip")                                                                           \
    X(PAIR_BODY, "/pairs/body", PAIRS, INT32, 2, 0, IF_PAIRS, "-",                                 \
      "rows of the bodies A and B in /bodies", NULL)                                               \
    X(PAIR_CONTACTS, "/pairs/contacts", PAIRS, INT32, 0, 0, IF_PAIRS, "-", "number of contacts",   \
      NULL)                                                                                        \
    X(PAIR_FORCE, "/pairs/force", PAIRS, CONTACT, 3, 0, IF_PAIRS, "N",                             \
      "sum of the contact forces on A, world axes", NULL)                                          \
    X(PAIR_POINT, "/pairs/point", PAIRS, CONTACT, 3, 0, IF_PAIRS, "m",                             \
      "centre of the normal forces", NULL)                                                         \
    X(PAIR_TORQUE, "/pairs/torque", PAIRS, CONTACT, 3, 0, IF_PAIRS, "N m",                         \
      "torque of the contact forces on A about that point", NULL)                                  \
    X(INTERACTION_ID, "/interactions/id", CONTACTS, ID, 0, 0, IF_INTERACTIONS, "-",                \
      "the same interaction keeps its id", NULL)                                                   \
    X(BLOCK, "/interactions/block", CONTACTS, INT32, 2, 0, IF_INTERACTIONS, "-",                   \
      "blocks A and B of coordinates; -1: the surroundings", NULL)                                 \
    X(LAW, "/interactions/law", CONTACTS, BYTE, 0, 0, IF_INTERACTIONS, "-", "contact law", "laws") \
    X(LEVEL, "/interactions/level", CONTACTS, BYTE, 0, 0, IF_INTERACTIONS, "-",                    \
      "what the interaction acts on", "contact position rate")                                     \
    X(ROWS, "/interactions/rows", CONTACTS, BYTE, 0, 0, IF_INTERACTIONS, "-",                      \
      "rows in use, normal first", NULL)                                                           \
    X(MODEL_GAP, "/interactions/gap", CONTACTS, CONTACT, 0, 0, IF_INTERACTIONS, "m",               \
      "gap of the first row", NULL)                                                                \
    X(MODEL_IMPULSE, "/interactions/impulse", CONTACTS, CONTACT, 6, 0, IF_INTERACTIONS, "N s",     \
      "impulse of the step", NULL)                                                                 \
    X(MODEL_FORCE, "/interactions/force", CONTACTS, CONTACT, 6, 0, IF_INTERACTIONS, "N",           \
      "impulse / h", NULL)                                                                         \
    X(MODEL_VELOCITY, "/interactions/velocity", CONTACTS, CONTACT, 6, 0, IF_INTERACTIONS, "m/s",   \
      "relative velocity at the end of the step", NULL)                                            \
    X(OUTCOME, "/steps/outcome", STEPS, BYTE, 0, 0, IF_STEPS, "-",                                 \
      "outcome of the one-step problem", "outcomes")                                               \
    X(METHOD, "/steps/method", STEPS, BYTE, 0, 0, IF_STEPS, "-", "solver that gave the reactions", \
      "solvers")                                                                                   \
    X(ERROR, "/steps/error", STEPS, DOUBLE, 0, 0, IF_STEPS, "-",                                   \
      "recomputed error in the norm that decides", NULL)                                           \
    X(AT_FLOOR, "/steps/at_floor", STEPS, BYTE, 0, 0, IF_STEPS, "-",                               \
      "1: solved only to what double precision allows", "above floor")                             \
    X(ITERATIONS, "/steps/iterations", STEPS, INT32, 0, 0, IF_STEPS, "-", "of the solver", NULL)   \
    X(NEWTON, "/steps/newton", STEPS, INT32, 0, 0, IF_STEPS, "-",                                  \
      "outer iterations of nonlinear schemes", NULL)                                               \
    X(SUBSTEPS, "/steps/substeps", STEPS, INT32, 0, 0, IF_STEPS, "-", "internal steps", NULL)      \
    X(CONTACTS, "/steps/contacts", STEPS, INT32, 0, 0, IF_STEPS, "-", "contacts that took part",   \
      NULL)                                                                                        \
    X(INTERACTIONS, "/steps/interactions", STEPS, INT32, 0, 0, IF_STEPS, "-",                      \
      "interactions that took part", NULL)                                                         \
    X(PENETRATION, "/steps/penetration", STEPS, DOUBLE, 0, 0, IF_STEPS, "m",                       \
      "deepest penetration", NULL)                                                                 \
    X(EXISTENCE, "/steps/existence", STEPS, BYTE, 0, 0, IF_STEPS, "-",                             \
      "verdict on the existence of a solution", "verdicts")                                        \
    X(CERTIFICATE, "/steps/certificate", STEPS, BYTE, 0, 0, IF_STEPS, "-",                         \
      "what decides that verdict", "certificates")                                                 \
    X(LEDGER, "/steps/ledger", STEPS, DOUBLE, STIC_LEDGER_TERMS, 0, IF_STEPS, "J",                 \
      "energy exchanged in the step",                                                              \
      "kinetic potential applied impact friction damping constraint prescribed correction "        \
      "integration")                                                                               \
    X(SECONDS, "/steps/seconds", STEPS, DOUBLE, 0, 0, IF_STEPS, "s", "wall clock of the step",     \
      NULL)                                                                                        \
    X(SOLVING, "/steps/solve_seconds", STEPS, DOUBLE, 0, 0, IF_STEPS, "s",                         \
      "wall clock of the solver in the step", NULL)                                                \
    X(EVENT_END, "/steps/event_end", STEPS, INT64, 0, 0, IF_EVENTS, "-",                           \
      "rows of /events up to the end of the step", NULL)                                           \
    X(EVENT_TIME, "/events/time", EVENTS, DOUBLE, 0, 0, IF_EVENTS, "s", "when", NULL)              \
    X(EVENT_KIND, "/events/kind", EVENTS, BYTE, 0, 0, IF_EVENTS, "-", "what happens",              \
      "impact touch take-off slip stick leap branch impact-branch")                                \
    X(EVENT_BODY, "/events/body", EVENTS, INT32, 2, 0, IF_EVENTS, "-",                             \
      "rows of the bodies A and B in /bodies, blocks of a model; -1: none", NULL)                  \
    X(EVENT_POINTS, "/events/points", EVENTS, INT32, 0, 0, IF_EVENTS, "-",                         \
      "contact points of the two that took part", NULL)                                            \
    X(EVENT_VALUE, "/events/value", EVENTS, DOUBLE, 0, 0, IF_EVENTS, "m/s, s, W or J",             \
      "largest approach of an impact, length of a leap, power of a branch, energy behind that of " \
      "an impact",                                                                                 \
      NULL)

/// Columns by number.
typedef enum SticColumn {
#define STIC_COLUMN_ENUM(name, ...) STIC_COL_##name,
    STIC_COLUMN_LIST(STIC_COLUMN_ENUM)
#undef STIC_COLUMN_ENUM
        STIC_COL_COUNT
} SticColumn;

/// Sizes that the columns need.
typedef struct SticExtents {
    int32_t bodies, joints, nq, nu, deformable, vertices;
} SticExtents;

/// What a column is.
typedef struct SticColumnDef {
    const char* path;
    uint8_t table; ///< SticTable
    uint8_t type;  ///< SticColumnType
    int32_t extent[2];
    uint32_t condition;
    const char *unit, *text, *names;
} SticColumnDef;

/// The list as a table, [STIC_COL_COUNT].
extern const SticColumnDef stic_column_defs[];

/// One growing data set.
typedef struct SticColumnData {
    int64_t set;           ///< HDF5 id; -1: not in this file
    uint32_t values;       ///< numbers in a row
    uint32_t size;         ///< bytes of a number in the file
    uint64_t written;      ///< rows in the file
    uint64_t extent;       ///< rows of the data set; a run that continues overwrites what is behind
                           ///< them
    unsigned char* buffer; ///< rows not yet written
    size_t used, capacity; ///< bytes
} SticColumnData;

/// All growing data sets of a file.
typedef struct SticColumns {
    SticContext context;
    SticHdf5 file;
    SticExtents extent;
    uint32_t conditions; ///< STIC_IF_* that hold
    SticOutputSettings settings;
    SticColumnData column[STIC_COL_COUNT];
    int64_t rows[STIC_TABLE_COUNT]; ///< appended, buffered ones included
    int64_t frames_complete_set, steps_complete_set;
} SticColumns;

/// Numbers in a row of a column.
uint32_t stic_column_values(SticColumn column, const SticExtents* extent);
/// Conditions that hold for a world (or a model) with these settings.
/// `moments`: some surfaces have rolling or drilling friction.
uint32_t stic_columns_conditions(bool world, bool moments, const SticExtents* extent,
                                 const SticOutputSettings* settings);
/// Create all data sets that the conditions ask for, empty.
SticStatus stic_columns_create(SticColumns* columns);
/// Open the data sets of an existing file and continue after these numbers of rows. Rows beyond
/// them stay until they are overwritten: a file that others read may grow but not shrink.
SticStatus stic_columns_open(SticColumns* columns, const int64_t rows[STIC_TABLE_COUNT]);
/// Append rows: reals as double, converted to the precision of the column; `values` in all.
SticStatus stic_columns_reals(SticColumns* columns, SticColumn index, const double* values,
                              size_t count);
/// Append rows of whole numbers in the type of the column.
SticStatus stic_columns_bytes(SticColumns* columns, SticColumn index, const void* values,
                              size_t bytes);
/// Write all buffers, then record that this many frames and steps are complete.
SticStatus stic_columns_flush(SticColumns* columns);
/// Close the data sets and give the buffers back.
void stic_columns_close(SticColumns* columns);

#endif
