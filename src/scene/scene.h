// SPDX-License-Identifier: Apache-2.0
// What the files of scene/ share: values as scripts and texts give them, field tables of
// statements, and the builder that turns statements into a definition.
//
//   Lua script ─┐
//               ├─▶ statement name + value ─▶ builder: field tables ─▶ definition ─▶ text
//   text form ──┘
#ifndef STIC_SCENE_SCENE_H
#define STIC_SCENE_SCENE_H

#include "file/file.h"
#include "stiction/extend/scene.h"
#include "stiction/extend/shape.h"

/* ---- values ---- */

/// What a value is.
typedef enum SticValueType {
    STIC_VALUE_NUMBER,
    STIC_VALUE_STRING,
    STIC_VALUE_FLAG,
    STIC_VALUE_TABLE,
    STIC_VALUE_FUNCTION ///< of a script: a function of time
} SticValueType;

/// A value; memory of an arena.
typedef struct SticValue {
    uint8_t type;          ///< SticValueType
    int32_t line;          ///< where it stands, 0 if unknown
    double number;         ///< NUMBER; FLAG: 0 or 1; FUNCTION: the script's reference
    const char* string;    ///< STRING
    int32_t count;         ///< TABLE: items
    struct SticItem* item; ///< TABLE: [count] positional ones first
} SticValue;

/// An entry of a table.
typedef struct SticItem {
    const char* key; ///< NULL: positional
    SticValue value;
} SticItem;

/// Item of a table by its key, or NULL.
const SticValue* stic_value_get(const SticValue* table, const char* key);
/// Number of positional items of a table.
int32_t stic_value_length(const SticValue* table);

/* ---- field tables ---- */

/// Type of a field and of its member.
typedef enum SticEntryType {
    STIC_ENTRY_REAL,      ///< double in [low, high]
    STIC_ENTRY_POSITIVE,  ///< double > 0 and <= high
    STIC_ENTRY_OPTIONAL,  ///< double in [0, high], or false for 0
    STIC_ENTRY_COUNT,     ///< int32_t in [low, high]
    STIC_ENTRY_FLAG,      ///< bool
    STIC_ENTRY_TOUCH,     ///< int32_t, SticJoined: true or false
    STIC_ENTRY_PICK,      ///< int32_t, one of `choices`
    STIC_ENTRY_NAME,      ///< const char*
    STIC_ENTRY_VEC3,      ///< SticVec3
    STIC_ENTRY_TURN,      ///< SticQuat
    STIC_ENTRY_MAT3,      ///< SticMat3, symmetric
    STIC_ENTRY_PAIR,      ///< double[2]; one number sets the first
    STIC_ENTRY_RANGE,     ///< double[2], ascending, infinite allowed
    STIC_ENTRY_LOAD,      ///< SticSceneLoad
    STIC_ENTRY_PATH,      ///< SticSceneLoad of a motion
    STIC_ENTRY_TURNING,   ///< SticSceneScalar of a motion, a drive or an actuator
    STIC_ENTRY_BODY,      ///< int32_t, a body by name; "ground": -1
    STIC_ENTRY_JOINT,     ///< int32_t, a joint by name
    STIC_ENTRY_MATERIAL,  ///< int32_t, a material by name
    STIC_ENTRY_MATERIALS, ///< int32_t[2], two materials by name
    STIC_ENTRY_COLOUR,    ///< SticColour
    STIC_ENTRY_COMPONENT, ///< int32_t, x, y, z, length or a number from 1
    STIC_ENTRY_PARTS,     ///< const SticScenePart* with its count
    STIC_ENTRY_REALS,     ///< const double* with its count
    STIC_ENTRY_POINTS,    ///< const SticVec3* with its count
    STIC_ENTRY_FACES,     ///< lists of vertices, of SticSceneShape
    STIC_ENTRY_ELEMENTS,  ///< lists of vertices, of SticSceneShape
    STIC_ENTRY_FILE       ///< reads a file into the struct
} SticEntryType;

/// One field of a statement.
typedef struct SticEntry {
    const char* name;           ///< in scenes
    uint8_t type;               ///< SticEntryType
    uint32_t offset;            ///< of the member
    uint32_t count_offset;      ///< of the member with the count, for lists
    double low, high;           ///< accepted
    const char* unit;           ///< "-" if none
    const char* text;           ///< one sentence
    const char* const* choices; ///< of PICK, NULL-terminated
} SticEntry;

/// The fields of one statement or of one kind of it.
typedef struct SticEntryTable {
    const char* name;       ///< statement, such as "body"
    const char* kind;       ///< such as "box"; NULL: the statement has no kinds
    const char* text;       ///< one sentence
    const char* positional; ///< field that items without a key belong to; NULL: none
    const SticEntry* entry; ///< fields
    int32_t count;          ///< number of fields
} SticEntryTable;

extern const SticEntryTable stic_entries_body, stic_entries_part, stic_entries_material,
    stic_entries_surface, stic_entries_joint, stic_entries_run, stic_entries_output,
    stic_entries_history, stic_entries_check, stic_entries_mixing, stic_entries_contacts,
    stic_entries_load;
/// Fields of a kind of shape, by SticShapeKind; name NULL: not in scenes.
extern const SticEntryTable stic_entries_shape[STIC_SHAPE_KIND_COUNT];
/// Fields of a kind of time function, by SticSignalKind.
extern const SticEntryTable stic_entries_signal[STIC_SIGNAL_KIND_COUNT];
/// What a field accepts, in words; `text` is room for them.
const char* stic_entry_accepted(const SticEntry* entry, char text[320]);
/// Field of a table by name, or NULL.
const SticEntry* stic_entry_find(const SticEntryTable* entries, const char* name);

/// What the items of a scene are before their fields are read; fields that are the same are not
/// written.
typedef struct SticStandards {
    SticSignal signal;
    SticSceneMaterial material;
    SticSceneSurface surface;
    SticScenePart part;
    SticSceneBody body;
    SticSceneJoint joint;
    SticScenePoint point;
    SticSceneHistory history;
    SticSceneCheck check;
} SticStandards;

SticStandards stic_scene_standards(void);

/* ---- scenes ---- */

/// Names of one kind, each with its index.
typedef struct SticNames {
    int32_t* slot; ///< [slots] 1 + index, 0: free
    size_t slots;
    int32_t count;
} SticNames;

enum { STIC_MOST_PARAMETERS = 32 }; ///< that are remembered; scripts may ask for more

/// A scene and the room of its lists.
struct SticScene {
    SticContext context;
    SticArena* arena;   ///< texts and arrays
    const char* source; ///< the text it was read from
    SticSceneDef def;
    SticSceneMaterial* material;
    SticSceneSurface* surface;
    SticSignal* signal;
    SticSceneShape* shape;
    SticSceneBody* body;
    SticSceneJoint* joint;
    SticSceneHistory* history;
    SticSceneCheck* check;
    SticScenePoint* point;
    size_t capacity[9];                              ///< of the lists, in this order
    const char* parameter[STIC_MOST_PARAMETERS + 1]; ///< that a script asked for, ended by NULL
    const char* standard[STIC_MOST_PARAMETERS];      ///< their defaults as text
    int32_t parameters;
    double model_parameters[STIC_SETTINGS_ROOM / sizeof(double)];
    double scheme_settings[STIC_SETTINGS_ROOM / sizeof(double)];
    uint32_t scheme_given; ///< bits of those that were written down, see stic_scheme_agree
    double solver_settings[STIC_SETTINGS_ROOM / sizeof(double)];
};

/// An empty scene with the defaults.
SticStatus stic_scene_begin(const SticContext* context, SticScene** scene);
/// Copy of a text in the memory of a scene.
SticStatus stic_scene_keep(SticScene* scene, const char* text, const char** kept);

/* ---- the builder ---- */

/// A scene under construction.
typedef struct SticBuilder {
    SticScene* scene;
    SticArena* scratch; ///< values and messages
    const char* file;   ///< for messages
    int32_t line;       ///< of the statement
    int folder;         ///< descriptor of the scene's folder; -1: no files are read
    bool share;         ///< shapes of the same content become one; not where numbers name them
    SticError* error;
    char what[96];      ///< statement under construction, for messages
    SticNames names[3]; ///< materials, bodies, joints
    SticNames shapes;   ///< shapes by content
    /// make a time function of a script's function, component 0 to 2, as a path or held over each
    /// step; NULL: there are none
    SticStatus (*sample)(struct SticBuilder*, const SticValue* function, int32_t component,
                         bool path, int32_t* signal);
    void* script; ///< for `sample`
} SticBuilder;

SticStatus stic_builder_open(SticBuilder* builder, SticScene* scene, const char* file,
                             SticError* error);
void stic_builder_close(SticBuilder* builder);
/// One statement. `index`, if not NULL, gets the number of what was added.
SticStatus stic_builder_apply(SticBuilder* builder, const char* statement, const SticValue* value,
                              int32_t* index);
/// Names of all statements, NULL-terminated.
extern const char* const stic_statement_names[];
/// Change fields from outside, "run.step" = "1e-3"; schemes and solvers that are chosen come first.
SticStatus stic_builder_set(SticBuilder* builder, const SticSceneOptions* options);
/// Another end of the run, SticSceneOptions.until.
void stic_builder_until(SticBuilder* builder, double until);
/// Memory of what was defined so far.
size_t stic_scene_bytes(const SticScene* scene);
/// Checks that need the whole definition.
SticStatus stic_builder_finish(SticBuilder* builder);
/// Line of a value (NULL: of the statement).
int32_t stic_builder_line(const SticBuilder* builder, const SticValue* at);
/// Report a failure at a value (NULL: at the statement).
SticStatus stic_builder_fail(SticBuilder* builder, const SticValue* at, const char* format, ...)
    STIC_PRINTF(3, 4);
/// Read the fields of a value into a struct; items of `skip` (NULL-terminated, may be NULL) are
/// left out.
SticStatus stic_builder_fields(SticBuilder* builder, const SticEntryTable* table,
                               const SticValue* value, const char* const* skip, void* target);
/// Set fields of a settings struct from the items of a value that `skip` does not name.
SticStatus stic_builder_settings(SticBuilder* builder, const SticFieldTable* table,
                                 const SticFieldTable* second, const SticValue* value,
                                 void* const settings[2]);
/// Index of a name, -1 if unknown. Which: 0 material, 1 body, 2 joint.
int32_t stic_builder_find(const SticBuilder* builder, int which, const char* name);
/// The name that is most like an unknown one, NULL if none is.
SticStatus stic_builder_near(SticBuilder* builder, int which, const char* name, const char** near);
/// One of the kinds of a statement, which the field `kind` names.
SticStatus stic_builder_kind(SticBuilder* builder, const SticEntryTable* tables, int32_t count,
                             const SticValue* value, int32_t* kind);
/// Append a copy of a shape to the definition.
SticStatus stic_builder_append_shape(SticBuilder* builder, const SticSceneShape* shape);
/// Add a shape, or find one of the same content.
SticStatus stic_builder_add_shape(SticBuilder* builder, const SticValue* value, int32_t* index);
/// Add a time function.
SticStatus stic_builder_add_signal(SticBuilder* builder, const SticValue* value, int32_t* index);
/// A value in a few characters, for messages.
const char* stic_value_show(const SticValue* value, char text[64]);

/// Refuse a value with what the field accepts.
SticStatus stic_builder_refuse(SticBuilder* builder, const SticEntry* entry,
                               const SticValue* value);
/// Read one field that is a list, a shape or a file.
SticStatus stic_builder_list(SticBuilder* builder, const SticEntry* entry, const SticValue* value,
                             void* target);
/// Read a mesh or a table of the scene's folder into a shape or time function.
SticStatus stic_builder_file(SticBuilder* builder, const SticValue* path, const SticValue* all,
                             void* target, bool is_signal);

/* ---- texts and scripts ---- */

/// First line of the text form.
#define STIC_SCENE_MARK "-- stiction scene 1"

/// Statements of a text form.
SticStatus stic_scene_read(SticBuilder* builder, const SticText* text);
/// Statements of a Lua script; UNSUPPORTED without Lua.
SticStatus stic_scene_run_script(SticBuilder* builder, const SticText* text,
                                 const SticSceneOptions* options);
/// Refuse what a script must not contain.
SticStatus stic_script_check_text(SticBuilder* builder, const char* text);
/// Text of a file in a folder, by a relative path that does not leave it: no "..", no links.
SticStatus stic_folder_load(const SticContext* context, int folder, const char* path,
                            SticText* text, SticError* error);

/// Columns of a file, counted from 1.
typedef struct SticSignalColumns {
    int32_t time, value;
} SticSignalColumns;

/// Time of value k of a curve.
double stic_signal_knot(const SticSignal* signal, int32_t k);
/// A curve, or a derivative of it of order one or two, at a time; constant before and after its
/// values.
double stic_signal_curve(const SticSignal* signal, double t, int order);

/// Points of a time function from the lines of a file that begin with a number. The error names the
/// line of a point that cannot be read.
SticStatus stic_signal_read(SticArena* arena, const SticText* text, SticSignalColumns columns,
                            SticSignal* signal, SticError* error);

#endif
