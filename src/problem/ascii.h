// SPDX-License-Identifier: Apache-2.0
// Matrices of Siconos ASCII files.
#ifndef STIC_PROBLEM_ASCII_H
#define STIC_PROBLEM_ASCII_H

#include "file/file.h"
#include "problem/store.h"

/// Read a matrix: storage type, rows, columns, then its entries. A count of rows or columns that
/// is not `rows` or `cols` is refused; -1 accepts any.
SticStatus stic_ascii_matrix(const SticContext* context, SticScan* scan, int32_t rows, int32_t cols,
                             SticEntries* entries);

#endif
