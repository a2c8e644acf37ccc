// SPDX-License-Identifier: Apache-2.0
// The first bytes of an HDF5 file: marks of its writer and the end of its data.
#ifndef STIC_FILE_SUPERBLOCK_H
#define STIC_FILE_SUPERBLOCK_H

#include "stiction/extend/base.h"

enum { STIC_SUPERBLOCK = 48 }; ///< bytes, version 3 with offsets of 8 bytes

/// Marks that a writer sets when it opens a file and removes when it closes it.
typedef enum SticMarks {
    STIC_MARKS_NONE,   ///< closed, or not a file of this kind
    STIC_MARKS_CHANGE, ///< open to be changed: nobody may read
    STIC_MARKS_GROW    ///< one writer appends, others may read
} SticMarks;

/// Marks in the first bytes of a file.
SticMarks stic_superblock_marks(const unsigned char block[STIC_SUPERBLOCK]);
/// The same for a file by name; NONE if it cannot be read.
SticMarks stic_superblock_look(const char* path);
/// Make it the block of a file of `size` bytes that nobody is writing: no marks, and everything up
/// to the end of the file belongs to it. Anything but a sound block stays as it is.
void stic_superblock_settle(unsigned char block[STIC_SUPERBLOCK], uint64_t size);

#endif
