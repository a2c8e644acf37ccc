// SPDX-License-Identifier: Apache-2.0
// Writer of Siconos ASCII problems: sparse block storage, every number in its shortest exact form.
//
// The description becomes text after the last number, where readers stop. Title, guesses and
// solution have no place in these files.
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "file/file.h"
#include "problem/store.h"
#include "stiction/extend/base.h"

// text on its way to the file; the first failure stays
typedef struct Writer {
    SticReplace* replace;
    SticError* error;
    SticStatus status;
    size_t used;
    char text[8192];
} Writer;

static void flush_text(Writer* writer)
{
    if (writer->status == STIC_OK)
        writer->status =
            stic_replace_write(writer->replace, writer->text, writer->used, writer->error);
    writer->used = 0;
}

static void put_text(Writer* writer, const char* text)
{
    for (size_t length = strlen(text); length > 0;) {
        const size_t room = sizeof writer->text - writer->used;
        const size_t part = length < room ? length : room;
        memcpy(writer->text + writer->used, text, part);
        writer->used += part;
        text += part;
        length -= part;
        if (writer->used == sizeof writer->text)
            flush_text(writer);
    }
}

static void put_integer(Writer* writer, int32_t value, const char* after)
{
    char text[16];
    snprintf(text, sizeof text, "%d", (int)value);
    put_text(writer, text);
    put_text(writer, after);
}

static void put_real(Writer* writer, double value, const char* after)
{
    char text[40];
    stic_number_format(value, text, sizeof text);
    put_text(writer, text);
    put_text(writer, after);
}

static void put_vector(Writer* writer, const double* x, int32_t count)
{
    for (int32_t i = 0; i < count; ++i)
        put_real(writer, x[i], i + 1 < count ? " " : "");
    put_text(writer, "\n");
}

static void put_integers(Writer* writer, const int32_t* x, int32_t count)
{
    for (int32_t i = 0; i < count; ++i)
        put_integer(writer, x[i], i + 1 < count ? " " : "");
    put_text(writer, "\n");
}

// values column by column
static void put_block(Writer* writer, const double* value, int32_t rows, int32_t cols)
{
    for (int32_t j = 0; j < cols; ++j)
        for (int32_t i = 0; i < rows; ++i)
            put_real(writer, value[i * cols + j], i + 1 < rows ? " " : "\n");
}

static void put_matrix(Writer* writer, const SticBlockCsr* A)
{
    const int32_t blocks = stic_block_csr_count(A);
    put_integer(writer, 1, "\n");
    put_integer(writer, stic_block_csr_height(A), "\n");
    put_integer(writer, stic_block_csr_width(A), "\n");
    put_integer(writer, blocks, "\n");
    put_integer(writer, A->rows, "\n");
    put_integer(writer, A->cols, "\n");
    put_integers(writer, A->row_at + 1, A->rows);
    put_integers(writer, A->col_at + 1, A->cols);
    put_integer(writer, A->rows + 1, "\n");
    put_integer(writer, blocks, "\n");
    put_integers(writer, A->begin, A->rows + 1);
    put_integers(writer, A->col, blocks);
    for (int32_t i = 0; i < A->rows; ++i)
        for (int32_t k = A->begin[i]; k < A->begin[i + 1]; ++k) {
            const int32_t j = A->col[k];
            put_integer(writer, k, "\n");
            put_block(writer, A->value + A->value_at[k], A->row_at[i + 1] - A->row_at[i],
                      A->col_at[j + 1] - A->col_at[j]);
        }
}

static void put_coefficients(Writer* writer, const SticProblem* problem, int which)
{
    for (int32_t i = 0; i < problem->count; ++i)
        put_real(writer, problem->coef[i][which], i + 1 < problem->count ? " " : "");
    put_text(writer, "\n");
}

static void put_problem(Writer* writer, const SticExport* made, const SticBlockCsr* H,
                        const SticMetadata* metadata)
{
    const SticProblem* problem = made->problem;
    if (made->law != STIC_LAW_NONNEG)
        put_integer(writer, made->contact_rows, "\n");
    put_integer(writer, made->contacts, "\n");
    if (made->global) {
        put_matrix(writer, problem->M->A);
        put_matrix(writer, H);
        put_vector(writer, made->folded.f, problem->dof);
        put_vector(writer, made->folded.w, problem->rows);
    } else {
        put_matrix(writer, problem->W);
        put_vector(writer, made->folded.b, problem->rows);
    }
    if (made->law != STIC_LAW_NONNEG)
        put_coefficients(writer, problem, 0);
    if (made->law == STIC_LAW_ROLLING)
        put_coefficients(writer, problem, 2);
    if (metadata->description != NULL) {
        put_text(writer, "\n# ");
        put_text(writer, metadata->description);
        put_text(writer, "\n");
    }
    flush_text(writer);
}

static SticStatus write_with(SticArena* arena, const SticContext* context, const SticExport* made,
                             const SticMetadata* metadata, const char* path, SticError* error)
{
    SticBlockCsr H = {0};
    if (made->global)
        STIC_TRY(stic_block_csr_transpose(made->problem->Ht, arena, &H));
    Writer writer = {.error = error};
    STIC_TRY(stic_replace_begin(context, path, &writer.replace, error));
    put_problem(&writer, made, &H, metadata);
    if (writer.status == STIC_OK)
        return stic_replace_commit(writer.replace, error);
    stic_replace_abort(writer.replace);
    return writer.status;
}

SticStatus stic_ascii_write(const SticContext* context, const SticProblem* problem,
                            const SticMetadata* metadata, const char* path, SticError* error)
{
    SticArena* arena = NULL;
    SticExport made;
    STIC_TRY(stic_arena_create(context, 0, &arena));
    SticStatus status = stic_problem_export(arena, problem, &made, error);
    if (status == STIC_OK && (made.free_rows > 0 || (made.law == STIC_LAW_NONNEG && made.global)))
        status = stic_error_set(error, STIC_UNSUPPORTED,
                                "ASCII problem files hold neither bilateral constraints nor "
                                "unilateral contacts in global form");
    if (status == STIC_OK)
        status = write_with(arena, context, &made, metadata, path, error);
    stic_arena_destroy(arena);
    return status;
}
