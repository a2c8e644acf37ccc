// SPDX-License-Identifier: Apache-2.0
// Attributes and fixed data sets of a result file.
#ifndef STIC_OUTPUT_ATTRIBUTES_H
#define STIC_OUTPUT_ATTRIBUTES_H

#include "file/hdf5.h"
#include "stiction/extend/base.h"

/// A fixed data set with its description.
typedef struct SticFixedSet {
    const char* path;
    const char *unit, *text, *names; ///< `names` may be NULL
    int64_t rows;
    int32_t extent[2]; ///< further extents; 0: none
} SticFixedSet;

/// Text attribute of an object (an HDF5 id); NULL is stored as an empty text.
SticStatus stic_attribute_text(const SticHdf5* file, int64_t object, const char* name,
                               const char* text);
/// Attribute of `count` numbers; 1: a single value.
SticStatus stic_attribute_reals(const SticHdf5* file, int64_t object, const char* name,
                                const double* values, int32_t count);
/// Whole-number attribute.
SticStatus stic_attribute_integer(const SticHdf5* file, int64_t object, const char* name,
                                  int64_t value);
/// Group `path` with one attribute per setting; `settings` NULL: the defaults of the table.
SticStatus stic_attribute_settings(const SticHdf5* file, const char* path,
                                   const SticFieldTable* table, const void* settings);
/// Text of an attribute of `/` into memory of the arena; empty if it is absent.
SticStatus stic_attribute_read(const SticHdf5* file, const char* name, SticArena* arena,
                               const char** text);
/// Number of an attribute of `/`, `otherwise` if it is absent.
double stic_attribute_number(const SticHdf5* file, const char* name, double otherwise);

/// Fixed data sets of doubles, floats, int32, bytes and texts of `width` bytes each.
SticStatus stic_fixed_set_reals(const SticHdf5* file, const SticFixedSet* set,
                                const double* values);
SticStatus stic_fixed_set_floats(const SticHdf5* file, const SticFixedSet* set,
                                 const float* values);
SticStatus stic_fixed_set_integers(const SticHdf5* file, const SticFixedSet* set,
                                   const int32_t* values);
SticStatus stic_fixed_set_bytes(const SticHdf5* file, const SticFixedSet* set,
                                const uint8_t* values);
SticStatus stic_fixed_set_texts(const SticHdf5* file, const SticFixedSet* set, const char* texts,
                                size_t width);

#endif
