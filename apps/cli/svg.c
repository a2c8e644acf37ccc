// SPDX-License-Identifier: Apache-2.0
// Histories as SVG: axes with round ticks, units, a legend per panel, a caption.
//
// A curve with more points than the picture has columns keeps the first, least, largest and last
// value of each column, which looks the same. By decades that would be a solid block where errors
// jump from step to step: there the largest of each column is drawn, which is what one asks of an
// error. Curves that are zero throughout have no name in the legend. Text from a result is escaped. Colours can be told
// apart with any colour vision (Okabe and Ito 2008).
#include "svg.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "print.h"

enum { MOST_TICKS = 24, CAPTION_LETTERS = 112 };

// layout in pixels
static const double WIDTH = 760.0, LEFT = 84.0, RIGHT = 20.0, PANEL = 180.0, ABOVE = 44.0,
                    BELOW = 34.0, HEAD = 34.0, TEXT_LINE = 16.0;
static const char* const colours[STIC_HISTORY_CURVES] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                                         "#e69f00", "#56b4e9", "#8a8a8a", "#6a3d9a",
                                                         "#7a4b1f", "#000000"};

// one axis: values from low to high, by decades if logarithmic
typedef struct Axis {
    double low, high, from, to; // of the values, and pixels
    bool logarithmic;
    double tick[MOST_TICKS];
    int32_t ticks;
} Axis;

typedef struct Pen {
    SticReplace* file;
    SticError* error;
    SticStatus status;
} Pen;

/* ---- text ---- */

STIC_PRINTF(2, 3) static void put(Pen* pen, const char* format, ...)
{
    char text[1024];
    va_list list;
    va_start(list, format);
    const int length = vsnprintf(text, sizeof text, format, list);
    va_end(list);
    if (pen->status == STIC_OK && length > 0)
        pen->status = stic_replace_write(
            pen->file, text, length < (int)sizeof text ? (size_t)length : sizeof text - 1,
            pen->error);
}

// text as XML takes it; control characters become blanks, bytes that are no UTF-8 are the reader's
static void put_text(Pen* pen, const char* text)
{
    for (; *text != '\0'; ++text) {
        const unsigned char byte = (unsigned char)*text;
        if (byte == '<' || byte == '>' || byte == '&' || byte == '"')
            put(pen, "&#%d;", byte);
        else
            put(pen, "%c", byte < 0x20 || byte == 0x7f ? ' ' : *text);
    }
}

/* ---- axes ---- */

static double place(const Axis* axis, double value)
{
    const double low = axis->logarithmic ? log10(axis->low) : axis->low;
    const double high = axis->logarithmic ? log10(axis->high) : axis->high;
    const double at = axis->logarithmic ? log10(value) : value;
    return axis->from + (at - low) / (high - low) * (axis->to - axis->from);
}

// 1, 2 or 5 times a power of ten, so that about `wanted` of them fit
static double round_step(double width, double wanted)
{
    const double power = pow(10.0, floor(log10(width / wanted)));
    const double part = width / wanted / power;
    return power * (part < 1.5 ? 1.0 : part < 3.5 ? 2.0 : part < 7.5 ? 5.0 : 10.0);
}

static void tick_decades(Axis* axis)
{
    const double first = floor(log10(axis->low) + 1e-9), last = ceil(log10(axis->high) - 1e-9);
    const double every = ceil((last - first) / 6.0);
    axis->low = pow(10.0, first);
    axis->high = pow(10.0, last > first ? last : first + 1.0);
    for (double at = first; at <= last && axis->ticks<MOST_TICKS; at += every> 1.0 ? every : 1.0)
        axis->tick[axis->ticks++] = pow(10.0, at);
}

// round limits and ticks; `tight` keeps the limits
static void tick_axis(Axis* axis, double wanted, bool tight)
{
    axis->ticks = 0;
    if (axis->logarithmic) {
        tick_decades(axis);
        return;
    }
    // a constant gets some room around it, and so does a curve that only varies by rounding
    const double size = fmax(fabs(axis->low), fabs(axis->high));
    if (!(axis->high - axis->low > 1e-12 * size)) {
        const double room = size > 0.0 ? 0.1 * size : 1.0;
        axis->low -= tight ? 0.0 : room;
        axis->high += room;
    }
    const double step = round_step(axis->high - axis->low, wanted);
    if (!tight) {
        axis->low = step * floor(axis->low / step + 1e-9);
        axis->high = step * ceil(axis->high / step - 1e-9);
    }
    const double end = axis->high + 1e-9 * step;
    for (double k = ceil(axis->low / step - 1e-9); k * step <= end && axis->ticks < MOST_TICKS; ++k)
        axis->tick[axis->ticks++] = k * step + 0.0; // no -0
}

// limits of all curves of a panel; false if there is nothing to show
static bool measure(const SticHistory* h, Axis* axis)
{
    bool any = false;
    for (int32_t c = 0; c < h->curves; ++c)
        for (int64_t i = 0; i < h->count; ++i) {
            const double y = h->curve[c].value[i];
            if (!isfinite(y) || (axis->logarithmic && !(y > 0.0)))
                continue;
            axis->low = !any || y < axis->low ? y : axis->low;
            axis->high = !any || y > axis->high ? y : axis->high;
            any = true;
        }
    return any;
}

static void put_frame(Pen* pen, const Axis* x, const Axis* y, bool numbers)
{
    for (int32_t k = 0; k < y->ticks; ++k) {
        const double at = place(y, y->tick[k]);
        put(pen, "<path class=\"grid\" d=\"M%.2f %.2fH%.2f\"/>", x->from, at, x->to);
        put(pen, "<text class=\"y\" x=\"%.2f\" y=\"%.2f\" dy=\"4\">%.6g</text>\n", x->from - 8.0,
            at, y->tick[k]);
    }
    for (int32_t k = 0; k < x->ticks; ++k) {
        const double at = place(x, x->tick[k]);
        put(pen, "<path class=\"grid\" d=\"M%.2f %.2fV%.2f\"/>", at, y->from, y->to);
        if (numbers)
            put(pen, "<text class=\"x\" x=\"%.2f\" y=\"%.2f\">%.6g</text>\n", at, y->from + 18.0,
                x->tick[k]);
    }
    put(pen, "<path class=\"frame\" d=\"M%.2f %.2fV%.2fH%.2f\"/>\n", x->from, y->to, y->from,
        x->to);
}

/* ---- curves ---- */

// the points of one column of pixels: first, least, largest, last
typedef struct Column {
    int64_t index[4];
    bool filled;
} Column;

static void put_point(Pen* pen, const Axis* x, const Axis* y, double time, double value, bool* down)
{
    const bool visible = isfinite(value) && (!y->logarithmic || value > 0.0);
    if (visible)
        put(pen, "%c%.2f %.2f", *down ? 'L' : 'M', place(x, time), place(y, value));
    *down = visible;
}

static void put_column(Pen* pen, const SticHistory* h, const double* value, const Axis axes[2],
                       Column* column, bool* down)
{
    int64_t* at = column->index;
    if (!column->filled)
        return;
    column->filled = false;
    if (axes[1].logarithmic && at[3] > at[0]) {
        put_point(pen, &axes[0], &axes[1], h->time[at[2]], value[at[2]], down);
        if (at[3] + 1 == h->count && at[3] != at[2])
            put_point(pen, &axes[0], &axes[1], h->time[at[3]], value[at[3]], down);
        return;
    }
    // the two in the middle in the order of time
    if (at[1] > at[2]) {
        const int64_t swap = at[1];
        at[1] = at[2];
        at[2] = swap;
    }
    for (int k = 0; k < 4; ++k)
        if (k == 0 || at[k] != at[k - 1])
            put_point(pen, &axes[0], &axes[1], h->time[at[k]], value[at[k]], down);
}

static void put_path(Pen* pen, const SticHistory* h, const double* value, const Axis axes[2])
{
    // by decades a column has one point, else up to four
    const int64_t columns = (int64_t)(axes[0].to - axes[0].from);
    const bool thin = h->count > (axes[1].logarithmic ? 1 : 4) * columns;
    Column column = {0};
    double present = 0.0;
    bool down = false;
    for (int64_t i = 0; i < h->count; ++i) {
        const double at = thin ? floor(place(&axes[0], h->time[i])) : (double)i;
        if (column.filled && at > present)
            put_column(pen, h, value, axes, &column, &down);
        if (!column.filled)
            column = (Column){.index = {i, i, i, i}, .filled = true};
        present = at;
        // a value that is not a number stays the least, and leaves a hole
        if (!(value[i] >= value[column.index[1]]))
            column.index[1] = i;
        if (value[i] > value[column.index[2]])
            column.index[2] = i;
        column.index[3] = i;
    }
    put_column(pen, h, value, axes, &column, &down);
}

static void put_curves(Pen* pen, const SticHistory* h, const Axis axes[2])
{
    for (int32_t c = 0; c < h->curves; ++c) {
        put(pen, "<g><title>");
        put_text(pen, h->curve[c].label);
        if (h->count > 0)
            put(pen, ", %.10g %s at the end", h->curve[c].value[h->count - 1], h->unit);
        put(pen, "</title><path class=\"curve\" stroke=\"%s\" d=\"", colours[c]);
        put_path(pen, h, h->curve[c].value, axes);
        put(pen, "\"/></g>\n");
    }
}

static bool is_zero(const SticHistory* h, int32_t c)
{
    for (int64_t i = 0; i < h->count; ++i)
        if (h->curve[c].value[i] != 0.0)
            return false;
    return true;
}

// names of the curves from `first` to before `end` in one line, flush right
static void put_legend(Pen* pen, const SticHistory* h, int32_t first, int32_t end, double y)
{
    double right = WIDTH - RIGHT;
    for (int32_t c = end - 1; c >= first; --c) {
        if (is_zero(h, c))
            continue;
        right -= 7.0 * cli_text_width(h->curve[c].label);
        put(pen, "<text x=\"%.2f\" y=\"%.2f\">", right, y);
        put_text(pen, h->curve[c].label);
        put(pen, "</text><path class=\"curve\" stroke=\"%s\" d=\"M%.2f %.2fh14\"/>\n", colours[c],
            right - 18.0, y - 4.0);
        right -= 27.0;
    }
}

/* ---- the picture ---- */

// instead of curves by decades that have no point: an axis without numbers, and why it is empty
static void put_note(Pen* pen, const SticHistory* h, Axis axes[2], bool last)
{
    bool finite = h->count > 0;
    for (int32_t c = 0; c < h->curves; ++c)
        for (int64_t i = 0; i < h->count; ++i)
            finite = finite && isfinite(h->curve[c].value[i]);
    axes[1].ticks = 0;
    put_frame(pen, &axes[0], &axes[1], last);
    put(pen, "<text class=\"x caption\" x=\"%.2f\" y=\"%.2f\">%s</text>\n",
        0.5 * (axes[0].from + axes[0].to), 0.5 * (axes[1].from + axes[1].to),
        h->count == 0 ? "no values"
        : finite      ? "zero throughout"
                      : "no finite values");
}

static void put_panel(Pen* pen, const SticHistory* h, const Axis* time, double top, bool last)
{
    Axis axes[2] = {*time, {.from = top + ABOVE + PANEL, .to = top + ABOVE}};
    axes[1].logarithmic = h->logarithmic;
    const bool any = measure(h, &axes[1]);
    if (!any) {
        axes[1].logarithmic = false;
        axes[1].high = 1.0;
    }
    tick_axis(&axes[1], 5.0, false);
    // many curves: the legend has two lines
    const bool two_lines = h->curves > 4;
    put(pen, "<text class=\"panel\" x=\"%.2f\" y=\"%.2f\">", LEFT, top + (two_lines ? 18.0 : 34.0));
    put_text(pen, h->title);
    if (h->unit[0] != '\0') {
        put(pen, ", ");
        put_text(pen, h->unit);
    }
    put(pen, "</text>\n");
    const int32_t half = two_lines ? h->curves / 2 : 0;
    put_legend(pen, h, 0, half, top + 18.0);
    put_legend(pen, h, half, h->curves > 1 ? h->curves : 0, top + 34.0);
    if (any) {
        put_frame(pen, &axes[0], &axes[1], last);
        put_curves(pen, h, axes);
    } else {
        put_note(pen, h, axes, last);
    }
    if (last)
        put(pen, "<text class=\"x\" x=\"%.2f\" y=\"%.2f\">time, s</text>\n",
            0.5 * (axes[0].from + axes[0].to), axes[1].from + BELOW);
}

// the caption in lines, broken at blanks
static double put_caption(Pen* pen, const char* text, double y)
{
    while (*text != '\0') {
        size_t length = strlen(text);
        if (length > CAPTION_LETTERS) {
            length = CAPTION_LETTERS;
            while (length > 1 && text[length] != ' ')
                --length;
            if (length == 1)
                length = strlen(text);
        }
        char line[1024];
        snprintf(line, sizeof line, "%.*s", (int)length, text);
        put(pen, "<text class=\"caption\" x=\"%.2f\" y=\"%.2f\">", LEFT, y);
        put_text(pen, line);
        put(pen, "</text>\n");
        text += length;
        text += strspn(text, " ");
        y += TEXT_LINE;
    }
    return y;
}

static Axis time_axis(const CliSvg* svg)
{
    Axis axis = {.from = LEFT, .to = WIDTH - RIGHT};
    bool any = false;
    for (int32_t k = 0; k < svg->panels; ++k) {
        const SticHistory* h = &svg->panel[k];
        if (h->count == 0)
            continue;
        axis.low = !any || h->time[0] < axis.low ? h->time[0] : axis.low;
        axis.high = !any || h->time[h->count - 1] > axis.high ? h->time[h->count - 1] : axis.high;
        any = true;
    }
    // the first step ends just behind the start
    if (axis.low > 0.0 && axis.low < 0.02 * axis.high)
        axis.low = 0.0;
    tick_axis(&axis, 8.0, true);
    return axis;
}

SticStatus cli_svg_write(const CliSvg* svg, SticReplace* file, SticError* error)
{
    Pen pen = {file, error, STIC_OK};
    const Axis time = time_axis(svg);
    const double lines = ceil((double)strlen(svg->caption) / (CAPTION_LETTERS - 16)) + 1.0;
    const double panels = svg->panels * (ABOVE + PANEL + 8.0);
    const double height = HEAD + panels + BELOW + lines * TEXT_LINE;
    put(&pen,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" "
        "viewBox=\"0 0 %.0f %.0f\">\n",
        WIDTH, height, WIDTH, height);
    put(&pen, "<title>");
    put_text(&pen, svg->title);
    put(&pen,
        "</title>\n<style>text{font:12px sans-serif;fill:#1c2430}.x{text-anchor:middle}"
        ".y{text-anchor:end}.panel{font-weight:bold}.head{font-size:15px;font-weight:bold}"
        ".caption{fill:#5b6675}.grid{stroke:#d5dae1;fill:none}.frame{stroke:#1c2430;fill:none}"
        ".curve{fill:none;stroke-width:1.6;stroke-linejoin:round}</style>\n"
        "<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n");
    put(&pen, "<text class=\"head\" x=\"%.2f\" y=\"24\">", LEFT);
    put_text(&pen, svg->title);
    put(&pen, "</text>\n");
    double top = HEAD;
    for (int32_t k = 0; k < svg->panels; ++k) {
        put_panel(&pen, &svg->panel[k], &time, top, k + 1 == svg->panels);
        top += ABOVE + PANEL + 8.0;
    }
    put_caption(&pen, svg->caption, top + BELOW + TEXT_LINE);
    put(&pen, "</svg>\n");
    return pen.status;
}
