// SPDX-License-Identifier: Apache-2.0
// Height fields over a regular grid.
#include "shape/build.h"

#include <string.h>

static SticStatus check_def(const SticHeightFieldDef* def, SticError* error)
{
    if (def->columns < 2 || def->rows < 2)
        return stic_error_set(error, STIC_BAD_ARGUMENT,
                              "a height field needs at least 2 x 2 points, not %d x %d",
                              def->columns, def->rows);
    // twice the number of cells must be a triangle index
    if ((int64_t)def->columns * def->rows > INT32_MAX / 2)
        return stic_error_set(error, STIC_BAD_ARGUMENT, "a height field of %d x %d is too large",
                              def->columns, def->rows);
    if (!(def->dx > 0.0) || !(def->dy > 0.0) || !isfinite(def->dx * def->columns) ||
        !isfinite(def->dy * def->rows))
        return stic_error_set(error, STIC_BAD_ARGUMENT,
                              "the distance of points must be positive and finite, not %g and %g",
                              def->dx, def->dy);
    STIC_GIVEN(def->height, error);
    for (int64_t i = 0; i < (int64_t)def->columns * def->rows; ++i)
        if (!isfinite(def->height[i]))
            return stic_error_set(error, STIC_NOT_FINITE,
                                  "the height in column %d, row %d is not finite",
                                  (int)(i % def->columns), (int)(i / def->columns));
    return STIC_OK;
}

// the first triangle of a region; paths to it are halved on the way
static int32_t first_of(int32_t* region, int32_t t)
{
    for (; region[t] != t; t = region[t])
        region[t] = region[region[t]];
    return t;
}

static SticVec3 normal_of(const SticHeightField* field, int32_t index, SticVec3 corner[3])
{
    stic_height_field_triangle(field, index, corner);
    return stic_vec3_normalize(
        stic_vec3_cross(stic_vec3_sub(corner[1], corner[0]), stic_vec3_sub(corner[2], corner[0])));
}

// triangles that meet in flat edges are one region
static void fill_regions(const SticHeightField* field, int32_t* region)
{
    const int32_t count = 2 * (field->columns - 1) * (field->rows - 1);
    for (int32_t t = 0; t < count; ++t)
        region[t] = t;
    for (int32_t t = 0; t < count; ++t)
        for (int j = 0; j < 3; ++j) {
            const int32_t other = stic_height_field_across(field, t, j);
            SticVec3 x[3], y[3];
            if (other < t)
                continue;
            const SticVec3 m = normal_of(field, t, x), n = normal_of(field, other, y);
            if (stic_fold_form(m, n, stic_vec3_sub(x[(j + 1) % 3], x[j])) != STIC_EDGE_FLAT)
                continue;
            const int32_t a = first_of(region, t), b = first_of(region, other);
            region[a < b ? b : a] = a < b ? a : b;
        }
    for (int32_t t = 0; t < count; ++t)
        region[t] = first_of(region, t);
}

SticStatus stic_shape_create_height_field(const SticContext* context, const SticHeightFieldDef* def,
                                          SticShape** shape, SticError* error)
{
    context = stic_context_given(context);
    STIC_GIVEN(def, error);
    STIC_GIVEN(shape, error);
    *shape = NULL;
    STIC_TRY(check_def(def, error));
    SticShape* made;
    STIC_TRY(stic_shape_allocate(context, STIC_SHAPE_HEIGHT_FIELD, &made, error));
    SticHeightField* field = &made->as.field;
    const size_t points = (size_t)def->columns * (size_t)def->rows;
    field->columns = def->columns;
    field->rows = def->rows;
    field->dx = def->dx;
    field->dy = def->dy;
    const size_t cells = (size_t)(def->columns - 1) * (size_t)(def->rows - 1);
    field->bytes = points * sizeof *def->height + 2 * cells * sizeof *field->region;
    const SticStatus status = stic_allocate(context, field->bytes, &field->memory);
    if (status == STIC_OK) {
        double* height = field->memory;
        int32_t* region = (int32_t*)(height + points);
        memcpy(height, def->height, points * sizeof *height);
        field->height = height;
        field->region = region;
        fill_regions(field, region);
        field->low = field->high = def->height[0];
        for (size_t i = 1; i < points; ++i) {
            field->low = def->height[i] < field->low ? def->height[i] : field->low;
            field->high = def->height[i] > field->high ? def->height[i] : field->high;
        }
        made->bounds.low = stic_vec3(0.0, 0.0, field->low);
        made->bounds.high =
            stic_vec3((def->columns - 1) * def->dx, (def->rows - 1) * def->dy, field->high);
        made->centre = stic_vec3_lerp(made->bounds.low, made->bounds.high, 0.5);
        made->radius = stic_vec3_distance(made->centre, made->bounds.high);
    }
    return stic_shape_finish(status, made, shape, error);
}

void stic_height_field_triangle(const SticHeightField* field, int32_t index, SticVec3 corner[3])
{
    STIC_ASSERT(index >= 0);
    const int32_t cell = index / 2, i = cell % (field->columns - 1),
                  j = cell / (field->columns - 1);
    // (i,j), then the two others counter-clockwise seen from above
    const int32_t di[2][3] = {{0, 1, 1}, {0, 1, 0}}, dj[2][3] = {{0, 0, 1}, {0, 1, 1}};
    for (int c = 0; c < 3; ++c) {
        const int32_t x = i + di[index % 2][c], y = j + dj[index % 2][c];
        corner[c] =
            stic_vec3(x * field->dx, y * field->dy, field->height[(int64_t)y * field->columns + x]);
    }
}

int32_t stic_height_field_across(const SticHeightField* field, int32_t index, int j)
{
    STIC_ASSERT(index >= 0 && j >= 0 && j < 3);
    const int32_t cells = field->columns - 1, cell = index / 2;
    const int32_t x = cell % cells, y = cell / cells;
    const bool odd = index % 2 == 1;
    if (odd ? j == 0 : j == 2)
        return odd ? index - 1 : index + 1;
    if (odd)
        return j == 1 ? (y + 2 < field->rows ? 2 * (cell + cells) : -1)
                      : (x > 0 ? 2 * (cell - 1) : -1);
    return j == 0 ? (y > 0 ? 2 * (cell - cells) + 1 : -1)
                  : (x + 2 < field->columns ? 2 * (cell + 1) + 1 : -1);
}

/// Sine of the angle below which two triangles lie in one plane.
#define FLAT 1e-9

SticEdgeForm stic_fold_form(SticVec3 normal, SticVec3 other, SticVec3 e)
{
    const double sine = stic_vec3_dot(stic_vec3_cross(normal, other), stic_vec3_normalize(e));
    if (fabs(sine) <= FLAT)
        return STIC_EDGE_FLAT;
    return sine > 0.0 ? STIC_EDGE_CONVEX : STIC_EDGE_CONCAVE;
}

// cells [first, last) of one direction that meet [low, high]; touching counts
static void cell_range(double low, double high, double step, int32_t cells, int32_t* first,
                       int32_t* last)
{
    // rounding of the quotient may move a border by one cell: one more on each side
    const double begin = floor(low / step) - 1.0, end = floor(high / step) + 2.0;
    *first = begin > 0.0 ? (begin < cells ? (int32_t)begin : cells) : 0;
    *last = end > 0.0 ? (end < cells ? (int32_t)end : cells) : 0;
    while (*first < *last && (*first + 1) * step < low)
        *first += 1;
    while (*last > *first && (*last - 1) * step > high)
        *last -= 1;
}

void stic_height_field_cells(const SticHeightField* field, SticBounds box, int32_t first[2],
                             int32_t last[2])
{
    first[0] = first[1] = last[0] = last[1] = 0;
    // everything below the surface is solid, so only boxes above it are sorted out by height
    if (!(box.low.x <= box.high.x && box.low.y <= box.high.y && box.low.z <= field->high))
        return;
    cell_range(box.low.x, box.high.x, field->dx, field->columns - 1, &first[0], &last[0]);
    cell_range(box.low.y, box.high.y, field->dy, field->rows - 1, &first[1], &last[1]);
}
