// SPDX-License-Identifier: Apache-2.0
// Reading the events of a result.
#include "output/reader.h"
#include "stiction/extend/result.h"

#ifdef STIC_HAVE_HDF5

SticStatus stic_result_events(SticResult* result, SticArena* arena, SticResultEvents* events,
                              SticError* error)
{
    STIC_ASSERT(result != NULL);
    STIC_ASSERT(arena != NULL);
    STIC_ASSERT(events != NULL);
    const SticHdf5* file = &result->file;
    *events = (SticResultEvents){.stored = stic_hdf5_has(file, "/events/time")};
    result->file.error = error;
    int64_t n = 0;
    STIC_TRY(stic_range_events(file, result->range.steps, &n));
    if (n == 0)
        return STIC_OK;
    STIC_TRY(STIC_TAKE(arena, &events->time, n));
    STIC_TRY(STIC_TAKE(arena, &events->kind, n));
    STIC_TRY(STIC_TAKE(arena, &events->body, n));
    STIC_TRY(STIC_TAKE(arena, &events->points, n));
    STIC_TRY(STIC_TAKE(arena, &events->value, n));
    STIC_TRY(stic_slice_reals(file, (SticSlice){"/events/time", 0, n, 1}, events->time));
    STIC_TRY(stic_slice_bytes(file, (SticSlice){"/events/kind", 0, n, 1}, events->kind));
    STIC_TRY(stic_slice_int32(file, (SticSlice){"/events/body", 0, n, 2}, events->body[0]));
    STIC_TRY(stic_slice_int32(file, (SticSlice){"/events/points", 0, n, 1}, events->points));
    STIC_TRY(stic_slice_reals(file, (SticSlice){"/events/value", 0, n, 1}, events->value));
    for (int64_t i = 0; i < n; ++i)
        if (events->kind[i] >= STIC_EVENT_COUNT)
            return stic_hdf5_fail(file, STIC_BAD_FILE, "/events/kind",
                                  "event %lld has the kind %d, which is not known", (long long)i,
                                  events->kind[i]);
    events->count = n;
    return STIC_OK;
}

#else

SticStatus stic_result_events(SticResult* result, SticArena* arena, SticResultEvents* events,
                              SticError* error)
{
    STIC_ASSERT(events != NULL);
    (void)result, (void)arena;
    *events = (SticResultEvents){0};
    return stic_error_set(error, STIC_UNSUPPORTED,
                          "this build of stiction has no HDF5: results cannot be read");
}

#endif
