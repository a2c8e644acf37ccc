// SPDX-License-Identifier: Apache-2.0
// JSON writer.
#include "json.h"

#include <inttypes.h>
#include <math.h>

#include "print.h"

// bytes of the valid UTF-8 sequence at `text`, 0 if there is none (RFC 3629: no overlong forms, no
// surrogates, nothing above U+10FFFF)
static int32_t utf8_length(const unsigned char* text)
{
    const unsigned char first = text[0];
    unsigned char low = 0x80, high = 0xbf;
    int32_t length = 0;
    if (first < 0x80)
        return 1;
    if (first >= 0xc2 && first <= 0xdf)
        length = 2;
    else if (first >= 0xe0 && first <= 0xef)
        length = 3;
    else if (first >= 0xf0 && first <= 0xf4)
        length = 4;
    if (first == 0xe0)
        low = 0xa0;
    if (first == 0xed)
        high = 0x9f;
    if (first == 0xf0)
        low = 0x90;
    if (first == 0xf4)
        high = 0x8f;
    for (int32_t i = 1; i < length; ++i) {
        if (text[i] < low || text[i] > high)
            return 0;
        low = 0x80;
        high = 0xbf;
    }
    return length;
}

static void put_string(FILE* file, const char* text)
{
    putc('"', file);
    for (const unsigned char* at = (const unsigned char*)text; *at != '\0';) {
        const int32_t length = utf8_length(at);
        if (length == 0)
            fputs("\\ufffd", file);
        else if (*at == '"' || *at == '\\')
            fprintf(file, "\\%c", *at);
        else if (*at < 0x20 || *at == 0x7f)
            fprintf(file, "\\u%04x", *at);
        else
            fwrite(at, 1, (size_t)length, file);
        at += length > 0 ? length : 1;
    }
    putc('"', file);
}

static void put_name(CliJson* json, const char* name)
{
    if (json->filled)
        fputs(", ", json->file);
    json->filled = true;
    if (name == NULL)
        return;
    put_string(json->file, name);
    fputs(": ", json->file);
}

void cli_json_begin(CliJson* json, const char* name, char bracket)
{
    put_name(json, name);
    putc(bracket, json->file);
    json->filled = false;
}

void cli_json_end(CliJson* json, char bracket)
{
    putc(bracket, json->file);
    json->filled = true;
}

void cli_json_line(CliJson* json)
{
    cli_json_end(json, '}');
    putc('\n', json->file);
    json->filled = false;
}

void cli_json_text(CliJson* json, const char* name, const char* text)
{
    put_name(json, name);
    if (text != NULL)
        put_string(json->file, text);
    else
        fputs("null", json->file);
}

void cli_json_real(CliJson* json, const char* name, double value)
{
    char text[40];
    put_name(json, name);
    cli_number_format(value, text, sizeof text);
    fputs(isfinite(value) ? text : "null", json->file);
}

void cli_json_integer(CliJson* json, const char* name, int64_t value)
{
    put_name(json, name);
    fprintf(json->file, "%" PRId64, value);
}

void cli_json_bool(CliJson* json, const char* name, bool value)
{
    put_name(json, name);
    fputs(value ? "true" : "false", json->file);
}
