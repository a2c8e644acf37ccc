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
    field->bytes = points * sizeof *def->height;
    const SticStatus status = stic_allocate(context, field->bytes, &field->memory);
    if (status == STIC_OK) {
        memcpy(field->memory, def->height, field->bytes);
        field->height = field->memory;
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
