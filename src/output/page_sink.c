// SPDX-License-Identifier: Apache-2.0
// Named arrays, deflated and written as base64 text.
//
// The stream is a sequence of records: a head of 48 bytes (name padded with zeros to 32, type,
// values per row, rows as a 64-bit number; all little-endian like the machines this runs on), then
// the values without padding. A reader needs no table and no size in advance, a writer no memory
// but one row.
#include "output/page_sink.h"

#include <string.h>

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

// three bytes become four digits; fewer are filled up with '='
static SticStatus write_base64(SticSink* sink, size_t count)
{
    const uint8_t* b = sink->packed;
    char* to = sink->text;
    for (size_t i = 0; i < count; i += 3) {
        const size_t left = count - i;
        const uint32_t group = (uint32_t)b[i] << 16 | (left > 1 ? (uint32_t)b[i + 1] << 8 : 0u) |
                               (left > 2 ? (uint32_t)b[i + 2] : 0u);
        *to++ = digits[group >> 18];
        *to++ = digits[group >> 12 & 63u];
        *to++ = left > 1 ? digits[group >> 6 & 63u] : '=';
        *to++ = left > 2 ? digits[group & 63u] : '=';
    }
    return stic_replace_write(sink->file, sink->text, (size_t)(to - sink->text), sink->error);
}

// deflate what is given; full buffers go to the file, so that only the last one needs filling up
static SticStatus pump(SticSink* sink, int flush)
{
    for (;;) {
        const int code = deflate(&sink->stream, flush);
        if (code == Z_STREAM_ERROR)
            return stic_error_set(sink->error, STIC_IO_FAILED, "the page cannot be compressed");
        if (sink->stream.avail_out > 0)
            return STIC_OK;
        STIC_TRY(write_base64(sink, STIC_SINK_ROOM));
        sink->stream.next_out = sink->packed;
        sink->stream.avail_out = STIC_SINK_ROOM;
    }
}

SticStatus stic_sink_begin(SticSink* sink, SticReplace* file, SticError* error)
{
    sink->file = file;
    sink->error = error;
    memset(&sink->stream, 0, sizeof sink->stream);
    if (deflateInit(&sink->stream, 6) != Z_OK)
        return stic_error_set(error, STIC_OUT_OF_MEMORY, "out of memory");
    sink->stream.next_out = sink->packed;
    sink->stream.avail_out = STIC_SINK_ROOM;
    return STIC_OK;
}

SticStatus stic_sink_end(SticSink* sink)
{
    sink->stream.next_in = NULL;
    sink->stream.avail_in = 0;
    SticStatus status = pump(sink, Z_FINISH);
    if (status == STIC_OK)
        status = write_base64(sink, STIC_SINK_ROOM - sink->stream.avail_out);
    stic_sink_drop(sink);
    return status;
}

void stic_sink_drop(SticSink* sink)
{
    deflateEnd(&sink->stream);
}

SticStatus stic_sink_bytes(SticSink* sink, const void* bytes, size_t count)
{
    enum { MOST = 1 << 30 };
    // zlib reads only; its type is older than const
    union {
        const void* given;
        uint8_t* taken;
    } from = {bytes};
    while (count > 0) {
        const size_t part = count < MOST ? count : MOST;
        sink->stream.next_in = from.taken;
        sink->stream.avail_in = (uInt)part;
        STIC_TRY(pump(sink, Z_NO_FLUSH));
        from.taken += part;
        count -= part;
    }
    return STIC_OK;
}

SticStatus stic_sink_record(SticSink* sink, const char* name, SticRecordType type, int64_t rows,
                            int64_t values)
{
    uint8_t head[STIC_RECORD_NAME + 16] = {0};
    const int32_t numbers[2] = {(int32_t)type, (int32_t)values};
    const size_t length = strlen(name);
    STIC_ASSERT(length < STIC_RECORD_NAME);
    memcpy(head, name, length);
    memcpy(head + STIC_RECORD_NAME, numbers, sizeof numbers);
    memcpy(head + STIC_RECORD_NAME + sizeof numbers, &rows, sizeof rows);
    return stic_sink_bytes(sink, head, sizeof head);
}
