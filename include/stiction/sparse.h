// SPDX-License-Identifier: Apache-2.0
// The block matrices that problems are made of.
#ifndef STICTION_SPARSE_H
#define STICTION_SPARSE_H

#include "stiction/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- block CSR ---- */

/// Read-only view of a block CSR matrix. Block row i covers the scalar rows row_at[i] …
/// row_at[i+1]-1, block column j likewise; blocks of a row are sorted by column and stored row by
/// row.
typedef struct SticBlockCsr {
    int32_t rows;            ///< block rows
    int32_t cols;            ///< block columns
    const int32_t* row_at;   ///< [rows+1] first scalar row of each block row
    const int32_t* col_at;   ///< [cols+1] first scalar column of each block column
    const int32_t* begin;    ///< [rows+1] first block of each block row
    const int32_t* col;      ///< [blocks] block column of each block
    const int64_t* value_at; ///< [blocks+1] first value of each block
    const double* value;     ///< values, each block row by row
} SticBlockCsr;

#ifdef __cplusplus
}
#endif

#endif
