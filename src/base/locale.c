// SPDX-License-Identifier: Apache-2.0
// The C locale for the calling thread, by POSIX's uselocale: setlocale would change it for all.
#include "base/locale.h"

#include <locale.h>
#include <stddef.h>

SticLocale stic_locale_plain(void)
{
    const locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    // if there is no memory for it the thread keeps its own
    if (plain == (locale_t)0)
        return (SticLocale){NULL, NULL};
    return (SticLocale){plain, uselocale(plain)};
}

void stic_locale_restore(SticLocale locale)
{
    if (locale.plain == NULL)
        return;
    uselocale((locale_t)locale.before);
    freelocale((locale_t)locale.plain);
}
