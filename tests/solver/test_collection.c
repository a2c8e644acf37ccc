// SPDX-License-Identifier: Apache-2.0
// The public collection with nsgs, sor-prox and extragradient, the quick files: expected ends by
// name.
#include "collection.h"

static void test_collection(void** state)
{
    (void)state;
    const TestTable table = collection_table("tolerance 1e-8, 10 s");
    int32_t wrong = 0;
    for (size_t k = 0; k < sizeof collection / sizeof collection[0]; ++k) {
        const CollectionEntry* entry = &collection[k];
        if (entry->slow)
            continue;
        wrong += collection_solve(&table, entry->name, "nsgs", entry->nsgs);
        // what it cannot solve takes all of the ten seconds
        if (entry->sor_prox == 'S')
            wrong += collection_solve(&table, entry->name, "sor-prox", 'S');
        wrong += collection_solve(&table, entry->name, "extragradient", entry->extragradient);
    }
    assert_int_equal(wrong, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_collection)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
