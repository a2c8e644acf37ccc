// SPDX-License-Identifier: Apache-2.0
// The C locale for a while.
#ifndef STIC_BASE_LOCALE_H
#define STIC_BASE_LOCALE_H

/// The locale that a thread had.
typedef struct SticLocale {
    void *plain, *before;
} SticLocale;

/// Give the calling thread the C locale: what printf, strtod and Lua make of numbers is then the
/// same in any host program. Other threads keep theirs.
SticLocale stic_locale_plain(void);
/// Restore the locale that the thread had.
void stic_locale_restore(SticLocale locale);

#endif
