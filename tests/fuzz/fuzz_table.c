// SPDX-License-Identifier: Apache-2.0
// Fuzz target: tables of time functions. The first two bytes choose the columns, the rest is the
// file. What is accepted has ascending times and finite numbers, and its values stay between those
// of the table.
#include "fuzz/fuzz.h"

#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "stiction/extend/scene.h"
#include "stiction/stiction.h"

static void put_file(const char* path, const void* bytes, size_t size)
{
    const int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (file < 0 || write(file, bytes, size) != (ssize_t)size)
        abort();
    close(file);
}

static void check(const SticSignal* signal)
{
    double least = HUGE_VAL, most = -HUGE_VAL;
    for (int32_t k = 0; k < signal->count; ++k) {
        if (!isfinite(signal->time[k]) || !isfinite(signal->value[k]) ||
            (k > 0 && !(signal->time[k] > signal->time[k - 1])))
            abort();
        least = fmin(least, signal->value[k]);
        most = fmax(most, signal->value[k]);
    }
    const double slack = 1e-12 * fmax(fabs(least), fabs(most));
    for (int32_t k = 0; k + 1 < signal->count; ++k) {
        const double t = 0.5 * signal->time[k] + 0.5 * signal->time[k + 1];
        const double x = stic_signal_value(signal, t);
        if (!(x >= least - slack && x <= most + slack) || isnan(stic_signal_rate(signal, t)))
            abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    char folder[256], table[512], source[512], text[512];
    if (size < 2)
        return 0;
    stic_fuzz_path(folder, sizeof folder, "table");
    mkdir(folder, 0700);
    snprintf(table, sizeof table, "%s/t.csv", folder);
    snprintf(source, sizeof source, "%s/s.lua", folder);
    const int length = snprintf(
        text, sizeof text,
        "body{name = 'a', kind = 'point', mass = 1, force = {signal.table{file = 't.csv', "
        "time_column = %d, value_column = %d}, 0, 0}}\nrun{step = 1e-3, duration = 1e-3}\n",
        1 + data[0] % 4, 1 + data[1] % 4);
    put_file(table, data + 2, size - 2);
    put_file(source, text, (size_t)length);
    const SticContext context = stic_context_default();
    const SticSceneOptions options = stic_scene_default_options();
    SticScene* scene = NULL;
    SticError error = {0};
    const SticStatus status = stic_scene_load(&context, source, &options, &scene, &error);
    if (status != error.status || (status == STIC_OK) != (scene != NULL))
        abort();
    if (scene != NULL)
        for (int32_t i = 0; i < stic_scene_def(scene)->signal_count; ++i)
            check(&stic_scene_def(scene)->signal[i]);
    stic_scene_destroy(scene);
    remove(table);
    remove(source);
    remove(folder);
    return 0;
}
