// SPDX-License-Identifier: Apache-2.0
// The terms of an energy ledger and the promises of schemes, by number.
#include "step/step.h"
#include "stiction/extend/base.h"

const char* const stic_ledger_names[STIC_LEDGER_TERMS] = {
#define STIC_LEDGER_NAME(name, text) #name,
    STIC_LEDGER_LIST(STIC_LEDGER_NAME)
#undef STIC_LEDGER_NAME
};

const char* const stic_promise_names[STIC_PROMISE_COUNT] = {
#define STIC_PROMISE_WORD(name, word, text) #word,
    STIC_PROMISE_LIST(STIC_PROMISE_WORD)
#undef STIC_PROMISE_WORD
};

const char* const stic_promise_texts[STIC_PROMISE_COUNT] = {
#define STIC_PROMISE_TEXT(name, word, text) text,
    STIC_PROMISE_LIST(STIC_PROMISE_TEXT)
#undef STIC_PROMISE_TEXT
};

double stic_ledger_term(const SticLedger* ledger, int32_t k)
{
    STIC_ASSERT(ledger != NULL);
    const double terms[STIC_LEDGER_TERMS] = {
#define STIC_LEDGER_VALUE(name, text) ledger->name,
        STIC_LEDGER_LIST(STIC_LEDGER_VALUE)
#undef STIC_LEDGER_VALUE
    };
    return terms[k];
}

void stic_ledger_add(SticLedger* sum, const SticLedger* part)
{
    STIC_ASSERT(sum != NULL);
    STIC_ASSERT(part != NULL);
#define STIC_LEDGER_ADD(name, text) sum->name += part->name;
    STIC_LEDGER_LIST(STIC_LEDGER_ADD)
#undef STIC_LEDGER_ADD
}
