// SPDX-License-Identifier: Apache-2.0
// Symbolic analyses that outlive a solve: the next solve with the same pattern uses them again.
#ifndef STIC_SOLVER_PATTERNS_H
#define STIC_SOLVER_PATTERNS_H

#include "stiction/extend/base.h"
#include "stiction/extend/sparse.h"

/// Patterns that are kept at a time.
typedef enum SticPatternSlot {
    STIC_PATTERN_CONTACTS,
    STIC_PATTERN_BODIES,
    STIC_PATTERN_JOINTS,
    STIC_PATTERNS
} SticPatternSlot;

typedef struct SticPatternCache {
    SticArena* arena[STIC_PATTERNS]; ///< memory of each, used again when a pattern changes
    SticSymbolic* symbolic[STIC_PATTERNS];
    SticArenaMark mark[STIC_PATTERNS]; ///< behind it; factors take their memory from there
} SticPatternCache;

/// The analysis of the pattern of A in a slot, made anew (`*fresh`, may be NULL) if A has another
/// pattern than the last one of this slot. Lives until then; factors made with it live until the
/// next call for this slot.
SticStatus stic_patterns_symbolic(SticPatternCache* cache, const SticContext* context,
                                  SticPatternSlot slot, const SticBlockCsr* A,
                                  SticSymbolic** symbolic, SticError* error);
/// Give everything back.
void stic_patterns_release(SticPatternCache* cache);

#endif
