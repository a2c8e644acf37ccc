// SPDX-License-Identifier: Apache-2.0
// Work-precision diagrams: both axes logarithmic, a curve and a mark per scheme.
#include "compare_svg.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { WIDTH = 640, HEIGHT = 440, LEFT = 80, RIGHT = 470, TOP = 50, BOTTOM = 380, LINE = 512 };

static const char* const colours[] = {"#1b6ca8", "#c0392b", "#2e8b57", "#8e44ad", "#d68910",
                                      "#16a2b8", "#7f8c8d", "#34495e", "#a04000", "#6b8e23"};
enum { COLOURS = sizeof colours / sizeof colours[0] };

typedef struct Pen {
    SticReplace* file;
    SticError* error;
    SticStatus status;
} Pen;

static void put(Pen* pen, const char* format, ...) STIC_PRINTF(2, 3);
static void put(Pen* pen, const char* format, ...)
{
    char line[LINE];
    va_list list;
    va_start(list, format);
    const int length = vsnprintf(line, sizeof line, format, list);
    va_end(list);
    if (pen->status == STIC_OK && length > 0)
        pen->status = stic_replace_write(pen->file, line,
                                         (size_t)(length < LINE ? length : LINE - 1), pen->error);
}

// letters that mean something to XML
static void put_text(Pen* pen, const char* text)
{
    for (; *text != '\0'; ++text) {
        const unsigned char byte = (unsigned char)*text;
        if (*text == '&' || *text == '<' || *text == '>' || *text == '"')
            put(pen, "&#%d;", byte);
        else
            put(pen, "%c", byte < 0x20 || byte == 0x7f ? ' ' : *text);
    }
}

// decades around positive numbers
typedef struct Range {
    double low, high; // exponents
} Range;

static bool shown(const CliComparePoint* p)
{
    return p->done && p->error > 0.0 && p->seconds > 0.0;
}

static void widen(Range* range, double value)
{
    range->low = fmin(range->low, floor(log10(value)));
    range->high = fmax(range->high, ceil(log10(value)));
}

static double across(const Range* range, double value)
{
    return LEFT + (log10(value) - range->low) / (range->high - range->low) * (RIGHT - LEFT);
}

static double down(const Range* range, double value)
{
    return BOTTOM - (log10(value) - range->low) / (range->high - range->low) * (BOTTOM - TOP);
}

static void put_frame(Pen* pen, const Range* cost, const Range* error)
{
    const double every = ceil((error->high - error->low) / 8.0);
    for (double at = error->low; at <= error->high; at += every > 1.0 ? every : 1.0) {
        const double y = down(error, pow(10.0, at));
        put(pen, "<path stroke=\"#ddd\" d=\"M%d %.1fH%d\"/>\n", LEFT, y, RIGHT);
        put(pen, "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">1e%g</text>\n", LEFT - 6, y + 4.0,
            at);
    }
    for (double at = cost->low; at <= cost->high; at += 1.0) {
        const double x = across(cost, pow(10.0, at));
        put(pen, "<path stroke=\"#ddd\" d=\"M%.1f %dV%d\"/>\n", x, TOP, BOTTOM);
        put(pen, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">1e%g</text>\n", x, BOTTOM + 18,
            at);
    }
    put(pen, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">wall time, s</text>\n",
        (LEFT + RIGHT) / 2, BOTTOM + 40);
    put(pen,
        "<text transform=\"translate(22 %d) rotate(-90)\" text-anchor=\"middle\">error at the "
        "end</text>\n",
        (TOP + BOTTOM) / 2);
}

static void put_curve(Pen* pen, const CliComparePoint* point, int32_t count, const Range range[2],
                      int32_t number)
{
    const char* colour = colours[number % COLOURS];
    bool begun = false;
    put(pen, "<path fill=\"none\" stroke=\"%s\" stroke-width=\"1.6\" d=\"", colour);
    for (int32_t k = 0; k < count; ++k)
        if (shown(&point[k])) {
            put(pen, "%c%.1f %.1f", begun ? 'L' : 'M', across(&range[0], point[k].seconds),
                down(&range[1], point[k].error));
            begun = true;
        }
    put(pen, "%s\"/>\n", begun ? "" : "M0 0");
    for (int32_t k = 0; k < count; ++k)
        if (shown(&point[k]))
            put(pen, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3.5\" fill=\"%s\"/>\n",
                across(&range[0], point[k].seconds), down(&range[1], point[k].error), colour);
    put(pen, "<circle cx=\"%d\" cy=\"%d\" r=\"4\" fill=\"%s\"/><text x=\"%d\" y=\"%d\">",
        RIGHT + 26, TOP + 20 * number, colour, RIGHT + 38, TOP + 20 * number + 4);
    put_text(pen, point[0].scheme);
    put(pen, "</text>\n");
}

SticStatus cli_compare_svg(SticReplace* file, const char* title, const CliComparePoint* point,
                           int32_t count, SticError* error)
{
    Pen pen = {file, error, STIC_OK};
    Range range[2] = {{INFINITY, -INFINITY}, {INFINITY, -INFINITY}};
    for (int32_t k = 0; k < count; ++k)
        if (shown(&point[k])) {
            widen(&range[0], point[k].seconds);
            widen(&range[1], point[k].error);
        }
    for (int k = 0; k < 2; ++k) {
        if (!isfinite(range[k].low))
            range[k] = (Range){-1.0, 0.0};
        range[k].high = range[k].high > range[k].low ? range[k].high : range[k].low + 1.0;
    }
    put(&pen,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" "
        "font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"100%%\" height=\"100%%\" "
        "fill=\"white\"/>\n<text x=\"%d\" y=\"26\" font-size=\"15\">",
        WIDTH, HEIGHT, LEFT);
    put_text(&pen, title);
    put(&pen, "</text>\n");
    put_frame(&pen, &range[0], &range[1]);
    int32_t number = 0;
    for (int32_t k = 0, end = 0; k < count; k = end) {
        while (end < count && strcmp(point[end].scheme, point[k].scheme) == 0)
            ++end;
        put_curve(&pen, point + k, end - k, range, number++);
    }
    put(&pen, "</svg>\n");
    return pen.status;
}
