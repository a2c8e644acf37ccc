// SPDX-License-Identifier: Apache-2.0
// Notices: words, and repetitions counted as one.
#include "stiction/extend/base.h"
#include "stiction/extend/run.h"

static const struct {
    const char *word, *unit, *text;
} kinds[STIC_NOTICE_COUNT] = {
#define KIND(name, word, unit, text) {word, unit, text},
    STIC_NOTICE_LIST(KIND)
#undef KIND
};

const char* stic_notice_word(SticNoticeKind kind)
{
    return (uint32_t)kind < STIC_NOTICE_COUNT ? kinds[kind].word : "unknown";
}

const char* stic_notice_text(SticNoticeKind kind)
{
    return (uint32_t)kind < STIC_NOTICE_COUNT ? kinds[kind].text : "unknown";
}

const char* stic_notice_unit(SticNoticeKind kind)
{
    return (uint32_t)kind < STIC_NOTICE_COUNT ? kinds[kind].unit : "-";
}

SticNotice stic_notice_make(double value, int32_t a, int32_t b)
{
    return (SticNotice){.count = 1, .worst = value, .block = {a, b}, .part = {-1, -1}};
}

void stic_notice_add(SticNotice* sum, const SticNotice* more)
{
    STIC_ASSERT(sum != NULL);
    STIC_ASSERT(more != NULL);
    if (more->count == 0)
        return;
    const SticNotice before = *sum;
    if (before.count == 0 || more->worst > before.worst)
        *sum = *more;
    if (before.count > 0)
        sum->first = before.first;
    sum->count = before.count + more->count;
}
