// SPDX-License-Identifier: Apache-2.0
#include "broad_sets.h"
#include <stdio.h>
#include <string.h>
int main(int argc, char** argv)
{
    int32_t n = argc > 1 ? atoi(argv[1]) : 100000;
    int threads = argc > 2 ? atoi(argv[2]) : 1;
    for (int kind = 0; kind < SET_COUNT; ++kind) {
        BoxSet set = set_create((SetKind)kind, n, 7);
        set_size(&set, 10.0);
        SticRandom random = stic_random_create(3);
        SticContext context = stic_context_default();
        SticPool* pool = NULL;
        if (threads > 1 && stic_pool_create(&context, threads, &pool) == STIC_OK)
            context.pool = pool;
        SticBroadSettings settings = stic_broad_default_settings();
        SticBroad* broad = NULL;
        if (stic_broad_create(&context, &settings, &broad, NULL) != STIC_OK)
            return 1;
        for (int32_t i = 0; i < n; ++i) {
            int32_t h;
            SticBroadItem item = {.box = set.box[i]};
            if (stic_broad_insert(broad, &item, &h, NULL) != STIC_OK)
                return 1;
        }
        SticBroadChanges c;
        double shares[] = {0.001, 0.01, 0.05, 0.1, 10.0};
        printf("%s side %g\n", set_names[kind], set.side);
        for (int s = 0; s < 5; ++s) {
            double total = 0, worst = 0;
            int64_t ev = 0;
            int frames = 20;
            for (int f = 0; f < frames + 3; ++f) {
                if (shares[s] < 1)
                    set_move(&set, (f / 8) % 2 ? -shares[s] : shares[s]);
                else
                    set_shuffle(&set, &random);
                double t = stic_timer_seconds();
                if (stic_broad_update(broad, set.box, &c, NULL) != STIC_OK)
                    return 1;
                t = stic_timer_seconds() - t;
                if (f >= 3) {
                    total += t;
                    worst = t > worst ? t : worst;
                    ev += c.created_count;
                }
            }
            printf("   share %6.3f: %7.1f ns/box/update (worst %7.1f), %.2f overlaps/box, created "
                   "%.3f\n",
                   shares[s], total / frames / n * 1e9, worst / n * 1e9,
                   2.0 * (double)c.pair_count / n, (double)ev / frames / n);
        }
        stic_broad_destroy(broad);
        stic_pool_destroy(pool);
        set_destroy(&set);
    }
    return 0;
}
