// SPDX-License-Identifier: Apache-2.0
// Words for the numbers of a frame: "energy", "BODY.position", "q0".
#ifndef STIC_OUTPUT_WORDS_H
#define STIC_OUTPUT_WORDS_H

#include "output/reader.h"

enum { STIC_WORD_SIZE = 128, STIC_WORD_VALUES = 4, STIC_WORDS_MORE = 4 };

/// What a word stands for.
typedef enum SticWordKind {
    STIC_WORD_TIME,
    STIC_WORD_STEP,
    STIC_WORD_ENERGY, ///< kinetic, potential
    STIC_WORD_CONTACTS,
    STIC_WORD_POSITION,
    STIC_WORD_ORIENTATION,
    STIC_WORD_VELOCITY,
    STIC_WORD_SPIN,
    STIC_WORD_FORCE, ///< sum of the contact forces on a body
    STIC_WORD_Q,
    STIC_WORD_U
} SticWordKind;

/// A word with its meaning.
typedef struct SticWord {
    SticWordKind quantity;
    int32_t index; ///< body, or number of a coordinate
    char word[STIC_WORD_SIZE];
} SticWord;

/// Find the meaning of `column->word`. An unknown one is reported together with the nearest known
/// word, or with the list of all; `more` holds up to STIC_WORDS_MORE words that the caller knows
/// besides, NULL behind the last.
SticStatus stic_word_parse(const SticResult* result, const char* const* more, SticWord* column,
                           SticError* error);
/// Numbers of a word in a frame; returns how many there are.
int32_t stic_word_values(const SticWord* column, const SticResultFrame* frame,
                         double values[STIC_WORD_VALUES]);
/// Headings of these numbers, NULL behind the last; the first NULL: the word itself says it.
const char* const* stic_word_headings(const SticWord* word);
/// Unit of these numbers, "" if they have none or it is not known.
const char* stic_word_unit(const SticWord* word);

#endif
