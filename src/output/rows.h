// SPDX-License-Identifier: Apache-2.0
// Rows of the tables of a result file for the slots of a world, and the part that does not change.
#ifndef STIC_OUTPUT_ROWS_H
#define STIC_OUTPUT_ROWS_H

#include "file/hdf5.h"
#include "output/output.h"

/// Rows of bodies, shapes and joints: those alive, in the order of their slots, shapes by body.
typedef struct SticTableRows {
    int32_t bodies, shapes, joints, deformable;
    int32_t vertices; ///< of surfaces of elastic bodies, shape by shape
    int32_t* moving;  ///< [shapes] first vertex among these, -1: moves with its body
    bool moments;     ///< some surfaces have rolling or drilling friction
    int32_t *body_of, *shape_of, *joint_of;        ///< [slots] row, -1: not alive
    uint32_t *body_slot, *shape_slot, *joint_slot; ///< [rows] slot
    int32_t* shape_begin;                          ///< [bodies+1] first row of the body's shapes
    int32_t* deformation; ///< [bodies] row among the deformable ones, -1: rigid
} SticTableRows;

/// Fill the rows of a world into memory of the arena.
SticStatus stic_table_rows_create(const SticWorld* world, SticArena* arena, SticTableRows* rows);
/// Write bodies, materials, shapes and joints.
SticStatus stic_table_rows_describe(const SticHdf5* file, const SticOutputDef* def,
                                    const SticTableRows* rows, SticArena* arena);
/// Id of the body of a row.
SticBodyId stic_table_rows_body(const SticTableRows* rows, const SticWorld* world, int32_t row);

#endif
