// SPDX-License-Identifier: Apache-2.0
// Matrices of Siconos ASCII files: dense, sparse block and sparse storage.
//
//   storage rows columns, then
//   0 dense         rows columns, values column by column
//   1 sparse block  blocks, block rows, block columns, cumulative row sizes, cumulative column sizes,
//                   length of the row pointers, number of column indices, row pointers, column
//                   indices, then per block its number and its values column by column
//   2 sparse        origin code (1 triplets, 2 compressed columns), then CSparse's printed form:
//                   indices and values with six significant digits
#include "problem/ascii.h"

#include "stiction/extend/base.h"

#include <string.h>

enum { DENSE, SPARSE_BLOCK, SPARSE };
enum { TRIPLETS = 1, COMPRESSED_COLUMNS = 2 };
enum { EXACT_BELOW = 1000000 }; // %g prints whole numbers below this exactly

/* ---- dense ---- */

static SticStatus read_dense(const SticContext* context, SticScan* scan, SticEntries* entries)
{
    int32_t rows = 0, cols = 0;
    STIC_TRY(stic_scan_integer(scan, "the number of rows", entries->rows, entries->rows, &rows));
    STIC_TRY(stic_scan_integer(scan, "the number of columns", entries->cols, entries->cols, &cols));
    for (int32_t j = 0; j < cols; ++j)
        for (int32_t i = 0; i < rows; ++i) {
            double value = 0.0;
            STIC_TRY(stic_scan_real(scan, "a matrix entry", &value));
            STIC_TRY(stic_entries_add(context, entries, i, j, value));
        }
    return STIC_OK;
}

/* ---- sparse block ---- */

// whole numbers as read
typedef struct Integers {
    int32_t* value;
    size_t count, capacity;
} Integers;

// `count` whole numbers in [0, high], none smaller than the one before; `what` names them
static SticStatus read_rising(const SticContext* context, SticScan* scan, const char* what,
                              int32_t count, int32_t high, Integers* integers)
{
    int32_t low = 0;
    for (int32_t i = 0; i < count; ++i) {
        int32_t value = 0;
        STIC_TRY(stic_scan_integer(scan, what, low, high, &value));
        STIC_TRY(STIC_RESERVE(context, &integers->value, &integers->capacity, integers->count + 1));
        integers->value[integers->count++] = low = value;
    }
    return STIC_OK;
}

typedef struct BlockLayout {
    int32_t blocks, block_rows, block_cols;
    Integers row_end, col_end; // cumulative sizes
    Integers begin;            // first block of each block row
    Integers col;              // block column of each block
} BlockLayout;

// cumulative sizes that end at `total`
static SticStatus read_sizes(const SticContext* context, SticScan* scan, int32_t count,
                             int32_t total, Integers* ends)
{
    STIC_TRY(read_rising(context, scan, "a cumulative block size", count, total, ends));
    if ((count == 0 ? 0 : ends->value[count - 1]) != total)
        return stic_scan_fail(scan, STIC_BAD_FILE, "the block sizes add up to %d instead of %d",
                              count == 0 ? 0 : (int)ends->value[count - 1], (int)total);
    return STIC_OK;
}

static SticStatus read_layout(const SticContext* context, SticScan* scan,
                              const SticEntries* entries, BlockLayout* layout)
{
    STIC_TRY(stic_scan_integer(scan, "the number of blocks", 0, INT32_MAX - 1, &layout->blocks));
    STIC_TRY(
        stic_scan_integer(scan, "the number of block rows", 0, entries->rows, &layout->block_rows));
    STIC_TRY(stic_scan_integer(scan, "the number of block columns", 0, entries->cols,
                               &layout->block_cols));
    STIC_TRY(read_sizes(context, scan, layout->block_rows, entries->rows, &layout->row_end));
    STIC_TRY(read_sizes(context, scan, layout->block_cols, entries->cols, &layout->col_end));

    // empty block rows at the end may lack their pointers
    int32_t pointers = 0, columns = 0;
    STIC_TRY(stic_scan_integer(scan, "the number of row pointers", 0, layout->block_rows + 1,
                               &pointers));
    STIC_TRY(stic_scan_integer(scan, "the number of column indices", layout->blocks, layout->blocks,
                               &columns));
    STIC_TRY(read_rising(context, scan, "a row pointer", pointers, layout->blocks, &layout->begin));
    if (layout->blocks > 0 && (pointers == 0 || layout->begin.value[0] != 0 ||
                               layout->begin.value[pointers - 1] != layout->blocks))
        return stic_scan_fail(scan, STIC_BAD_FILE, "the row pointers do not cover the %d blocks",
                              (int)layout->blocks);
    for (int32_t k = 0; k < columns; ++k) {
        int32_t col = 0;
        STIC_TRY(stic_scan_integer(scan, "a block column", 0, layout->block_cols - 1, &col));
        STIC_TRY(STIC_RESERVE(context, &layout->col.value, &layout->col.capacity, k + 1));
        layout->col.value[k] = col;
    }
    return STIC_OK;
}

static SticStatus read_block(const SticContext* context, SticScan* scan, const BlockLayout* layout,
                             int32_t block_row, int32_t block, SticEntries* entries)
{
    int32_t number = 0;
    STIC_TRY(stic_scan_integer(scan, "the number of the block", block, block, &number));
    const int32_t block_col = layout->col.value[block];
    const int32_t row = block_row == 0 ? 0 : layout->row_end.value[block_row - 1];
    const int32_t col = block_col == 0 ? 0 : layout->col_end.value[block_col - 1];
    for (int32_t j = col; j < layout->col_end.value[block_col]; ++j)
        for (int32_t i = row; i < layout->row_end.value[block_row]; ++i) {
            double value = 0.0;
            STIC_TRY(stic_scan_real(scan, "a matrix entry", &value));
            STIC_TRY(stic_entries_add(context, entries, i, j, value));
        }
    return STIC_OK;
}

static SticStatus read_sparse_block(const SticContext* context, SticScan* scan,
                                    SticEntries* entries)
{
    BlockLayout layout = {0};
    SticStatus status = read_layout(context, scan, entries, &layout);
    for (int32_t i = 0; status == STIC_OK && i + 1 < (int32_t)layout.begin.count; ++i)
        for (int32_t k = layout.begin.value[i]; status == STIC_OK && k < layout.begin.value[i + 1];
             ++k)
            status = read_block(context, scan, &layout, i, k, entries);
    STIC_RELEASE(context, layout.row_end.value, layout.row_end.capacity);
    STIC_RELEASE(context, layout.col_end.value, layout.col_end.capacity);
    STIC_RELEASE(context, layout.begin.value, layout.begin.capacity);
    STIC_RELEASE(context, layout.col.value, layout.col.capacity);
    return status;
}

/* ---- sparse, as CSparse prints it ---- */

// a whole number printed with %g; beyond six digits it is no longer exact and is refused
static SticStatus read_index(SticScan* scan, const char* what, int32_t count, int32_t* index)
{
    const int32_t high = count < EXACT_BELOW ? count : EXACT_BELOW;
    if (high == 0)
        return stic_scan_fail(scan, STIC_BAD_FILE, "an empty matrix has no entries");
    return stic_scan_integer(scan, what, 0, high - 1, index);
}

// whether the current line, after blanks, has the ':' of an entry
static bool line_has_entry(SticScan* scan)
{
    if (!stic_scan_peek_number(scan))
        return false;
    const size_t length = strcspn(scan->at, ":\n");
    return scan->at[length] == ':';
}

// number of entries from the heading, or -1 where %g rounded it
static SticStatus read_heading(SticScan* scan, const SticEntries* entries, int32_t* count)
{
    int32_t rows = 0, cols = 0;
    STIC_TRY(stic_scan_integer(scan, "the number of rows", entries->rows, entries->rows, &rows));
    STIC_TRY(stic_scan_literal(scan, "-by-"));
    STIC_TRY(stic_scan_integer(scan, "the number of columns", entries->cols, entries->cols, &cols));
    STIC_TRY(stic_scan_literal(scan, ", nzmax:"));
    const char* line = NULL;
    size_t length = 0;
    const SticScan before = *scan;
    stic_scan_line(scan, &line, &length);
    const SticScan after = *scan;
    // the size of the arrays says nothing about the number of entries
    *scan = before;
    const size_t mark = strlen("nnz:");
    while (scan->at + mark <= line + length && memcmp(scan->at, "nnz:", mark) != 0)
        scan->at += 1;
    STIC_TRY(stic_scan_literal(scan, "nnz:"));
    const size_t digits = strspn(scan->at, " 0123456789");
    *count = -1;
    if (scan->at[digits] != '.' && scan->at[digits] != 'e')
        STIC_TRY(stic_scan_integer(scan, "the number of entries", 0, INT32_MAX, count));
    *scan = after;
    return STIC_OK;
}

static SticStatus read_triplets(const SticContext* context, SticScan* scan, SticEntries* entries,
                                int32_t* found)
{
    for (*found = 0; line_has_entry(scan); *found += 1) {
        int32_t row = 0, col = 0;
        double value = 0.0;
        STIC_TRY(read_index(scan, "a row index", entries->rows, &row));
        STIC_TRY(read_index(scan, "a column index", entries->cols, &col));
        STIC_TRY(stic_scan_literal(scan, ":"));
        STIC_TRY(stic_scan_real(scan, "a matrix entry", &value));
        STIC_TRY(stic_entries_add(context, entries, row, col, value));
    }
    return STIC_OK;
}

static SticStatus read_columns(const SticContext* context, SticScan* scan, SticEntries* entries,
                               int32_t* found)
{
    *found = 0;
    while (stic_scan_peek(scan, "col ")) {
        int32_t col = 0;
        const char* rest = NULL;
        size_t length = 0;
        STIC_TRY(stic_scan_literal(scan, "col "));
        STIC_TRY(read_index(scan, "a column index", entries->cols, &col));
        stic_scan_line(scan, &rest, &length);
        for (; line_has_entry(scan); *found += 1) {
            int32_t row = 0;
            double value = 0.0;
            STIC_TRY(read_index(scan, "a row index", entries->rows, &row));
            STIC_TRY(stic_scan_literal(scan, ":"));
            STIC_TRY(stic_scan_real(scan, "a matrix entry", &value));
            STIC_TRY(stic_entries_add(context, entries, row, col, value));
        }
    }
    return STIC_OK;
}

static SticStatus read_sparse(const SticContext* context, SticScan* scan, SticEntries* entries)
{
    int32_t origin = 0, declared = 0, found = 0;
    STIC_TRY(stic_scan_integer(scan, "the origin code", 0, 9, &origin));
    if (origin != TRIPLETS && origin != COMPRESSED_COLUMNS)
        return stic_scan_fail(
            scan, STIC_UNSUPPORTED,
            "sparse storage with origin code %d is not read, only 1 (triplets) and "
            "2 (compressed columns)",
            (int)origin);
    STIC_TRY(stic_scan_literal(scan, "CSparse"));
    const char* line = NULL;
    size_t length = 0;
    stic_scan_line(scan, &line, &length);
    if (stic_scan_peek(scan, "triplet:")) {
        STIC_TRY(stic_scan_literal(scan, "triplet:"));
        STIC_TRY(read_heading(scan, entries, &declared));
        STIC_TRY(read_triplets(context, scan, entries, &found));
    } else {
        STIC_TRY(read_heading(scan, entries, &declared));
        STIC_TRY(read_columns(context, scan, entries, &found));
    }
    if (declared >= 0 && found != declared)
        return stic_scan_fail(scan, STIC_BAD_FILE,
                              "the matrix has %d entries instead of the %d "
                              "that its heading declares",
                              (int)found, (int)declared);
    return STIC_OK;
}

static SticStatus read_size(SticScan* scan, const char* what, int32_t wanted, int32_t* size)
{
    const int32_t low = wanted < 0 ? 0 : wanted, high = wanted < 0 ? INT32_MAX - 1 : wanted;
    return stic_scan_integer(scan, what, low, high, size);
}

SticStatus stic_ascii_matrix(const SticContext* context, SticScan* scan, int32_t rows, int32_t cols,
                             SticEntries* entries)
{
    STIC_ASSERT(rows >= -1 && cols >= -1); // -1: not known
    int32_t storage = 0;
    STIC_TRY(stic_scan_integer(scan, "the storage type (0 dense, 1 sparse block, 2 sparse)", DENSE,
                               SPARSE, &storage));
    STIC_TRY(read_size(scan, "the number of rows of the matrix", rows, &entries->rows));
    STIC_TRY(read_size(scan, "the number of columns of the matrix", cols, &entries->cols));
    switch (storage) {
    case DENSE:
        return read_dense(context, scan, entries);
    case SPARSE_BLOCK:
        return read_sparse_block(context, scan, entries);
    default:
        return read_sparse(context, scan, entries);
    }
}
