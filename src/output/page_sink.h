// SPDX-License-Identifier: Apache-2.0
// Named arrays, deflated and written as base64 text: the data of a viewer's page.
#ifndef STIC_OUTPUT_PAGE_SINK_H
#define STIC_OUTPUT_PAGE_SINK_H

#include <zlib.h>

#include "file/file.h"
#include "stiction/extend/base.h"

/// How the values of a record are stored.
typedef enum SticRecordType {
    STIC_RECORD_BYTES,    ///< uint8
    STIC_RECORD_INTEGERS, ///< int32
    STIC_RECORD_FLOATS,   ///< float32
    STIC_RECORD_DOUBLES,  ///< float64
    STIC_RECORD_TEXTS,    ///< bytes, each text ended by a zero byte
    STIC_RECORD_STEPS,    ///< uint16 in rows; each row less the one before, low bytes, high bytes
    STIC_RECORD_IDS       ///< uint64
} SticRecordType;

enum { STIC_RECORD_NAME = 32, STIC_SINK_ROOM = 3 * 8192 };

/// Where the records go. `file` receives base64 text of the deflated stream.
typedef struct SticSink {
    SticReplace* file;
    SticError* error;
    z_stream stream;
    uint8_t packed[STIC_SINK_ROOM]; ///< deflated bytes that are not written yet
    char text[STIC_SINK_ROOM / 3 * 4];
} SticSink;

/// Begin a stream; end it with stic_sink_end or stic_sink_drop.
SticStatus stic_sink_begin(SticSink* sink, SticReplace* file, SticError* error);
/// Write everything that is left.
SticStatus stic_sink_end(SticSink* sink);
/// Free the memory after a failure.
void stic_sink_drop(SticSink* sink);

/// Head of a record of `rows` rows with `values` values each; its bytes follow by stic_sink_bytes.
SticStatus stic_sink_record(SticSink* sink, const char* name, SticRecordType type, int64_t rows,
                            int64_t values);
/// Bytes of the present record.
SticStatus stic_sink_bytes(SticSink* sink, const void* bytes, size_t count);

#endif
