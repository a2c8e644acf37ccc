// SPDX-License-Identifier: Apache-2.0
// Reader of Siconos ASCII problems.
//
//   LOCAL    d, nc, W, b (d nc), mu (nc)            d = 2, 3 (Coulomb) or 5 (rolling, then mu_roll)
//   GLOBAL   d, nc, M, H, f (n), w (d nc), mu       d = 5: then mu_roll
//   LCP      n, W, b (n)
//   ROLLING  3, nc, W, b (3 nc), mu, mu_roll        planar rolling friction
//
// The files carry no type tag. A form fits if it takes all numbers of the file: after its last
// number there may be one flag 0 or 1, as older writers leave it, and text, which becomes the
// description. With AUTO the forms are tried in the order above and the first that fits is taken;
// if none does, the error of the form that came furthest is reported.
#include <string.h>

#include "problem/ascii.h"

#include "stiction/extend/base.h"

static SticStatus read_vector(const SticContext* context, SticScan* scan, const char* what,
                              int64_t count, SticReals* reals)
{
    for (int64_t i = 0; i < count; ++i) {
        double value = 0.0;
        STIC_TRY(stic_scan_real(scan, what, &value));
        STIC_TRY(stic_reals_add(context, reals, value));
    }
    return STIC_OK;
}

// friction coefficients, refused where they stand if negative
static SticStatus read_mu(const SticContext* context, SticScan* scan, const char* what,
                          int32_t count, SticReals* reals)
{
    for (int32_t i = 0; i < count; ++i) {
        stic_scan_at_end(scan);
        const SticScan before = *scan;
        double value = 0.0;
        STIC_TRY(stic_scan_real(scan, what, &value));
        if (value < 0.0) {
            *scan = before;
            return stic_scan_fail(scan, STIC_BAD_DATA, "%s of contact %d is %g, below 0", what,
                                  (int)i, value);
        }
        STIC_TRY(stic_reals_add(context, reals, value));
    }
    return STIC_OK;
}

static SticStatus read_contacts(SticScan* scan, SticFormat format, SticRaw* raw)
{
    const bool planar_rolling = format == STIC_FORMAT_ROLLING;
    stic_scan_at_end(scan);
    const SticScan before = *scan;
    int32_t dimension = 0;
    STIC_TRY(stic_scan_integer(scan, "the number of rows per contact (2, 3 or 5)",
                               planar_rolling ? 3 : 2, planar_rolling ? 3 : 5, &dimension));
    if (dimension == 4) {
        *scan = before;
        return stic_scan_fail(scan, STIC_BAD_FILE,
                              "contacts with 4 rows are not known, only 2, 3 or 5");
    }
    STIC_TRY(stic_scan_integer(scan, "the number of contacts", 0, INT32_MAX / 8, &raw->contacts));
    raw->contact_rows = dimension;
    raw->law = dimension == 5 || planar_rolling ? STIC_LAW_ROLLING : STIC_LAW_CONE;
    return STIC_OK;
}

static SticStatus read_friction(SticScan* scan, SticRaw* raw)
{
    STIC_TRY(read_mu(&raw->context, scan, "mu", raw->contacts, &raw->mu));
    if (raw->law == STIC_LAW_ROLLING)
        STIC_TRY(read_mu(&raw->context, scan, "mu_roll", raw->contacts, &raw->mu_roll));
    return STIC_OK;
}

static SticStatus read_local(SticScan* scan, SticFormat format, SticRaw* raw)
{
    STIC_TRY(read_contacts(scan, format, raw));
    const int32_t rows = raw->contacts * raw->contact_rows;
    STIC_TRY(stic_ascii_matrix(&raw->context, scan, rows, rows, &raw->W));
    STIC_TRY(read_vector(&raw->context, scan, "an entry of b", rows, &raw->b));
    return read_friction(scan, raw);
}

static SticStatus read_global(SticScan* scan, SticFormat format, SticRaw* raw)
{
    raw->global = true;
    STIC_TRY(read_contacts(scan, format, raw));
    const int32_t rows = raw->contacts * raw->contact_rows;
    STIC_TRY(stic_ascii_matrix(&raw->context, scan, -1, -1, &raw->M));
    if (raw->M.rows != raw->M.cols)
        return stic_scan_fail(scan, STIC_BAD_FILE, "M has %d rows and %d columns", (int)raw->M.rows,
                              (int)raw->M.cols);
    STIC_TRY(stic_ascii_matrix(&raw->context, scan, raw->M.rows, rows, &raw->H));
    STIC_TRY(read_vector(&raw->context, scan, "an entry of f", raw->M.rows, &raw->f));
    STIC_TRY(read_vector(&raw->context, scan, "an entry of w", rows, &raw->w));
    return read_friction(scan, raw);
}

static SticStatus read_lcp(SticScan* scan, SticRaw* raw)
{
    STIC_TRY(stic_scan_integer(scan, "the number of rows", 0, INT32_MAX / 8, &raw->contacts));
    raw->contact_rows = 1;
    raw->law = STIC_LAW_NONNEG;
    STIC_TRY(stic_ascii_matrix(&raw->context, scan, raw->contacts, raw->contacts, &raw->W));
    return read_vector(&raw->context, scan, "an entry of b", raw->contacts, &raw->b);
}

// after the last number: at most one flag, then nothing or words
static SticStatus read_rest(SticScan* scan, const char** comment)
{
    if (stic_scan_peek_number(scan)) {
        int32_t flag = 0;
        const SticScan before = *scan;
        const bool is_flag = (*scan->at == '0' || *scan->at == '1') &&
                             stic_scan_integer(scan, "a flag", 0, 1, &flag) == STIC_OK;
        if (!is_flag || stic_scan_peek_number(scan)) {
            *scan = before;
            return stic_scan_fail(scan, STIC_BAD_FILE, "numbers follow where the file should end");
        }
    }
    *comment = stic_scan_at_end(scan) ? NULL : scan->at;
    return STIC_OK;
}

static SticStatus read_form(SticScan* scan, SticFormat format, SticRaw* raw, const char** comment)
{
    switch (format) {
    case STIC_FORMAT_GLOBAL:
        STIC_TRY(read_global(scan, format, raw));
        break;
    case STIC_FORMAT_LCP:
        STIC_TRY(read_lcp(scan, raw));
        break;
    default:
        STIC_TRY(read_local(scan, format, raw));
        break;
    }
    return read_rest(scan, comment);
}

// the mark of a comment and trailing blanks are cut from a copy
static SticStatus build_with_comment(SticRaw* raw, const char* comment, SticProblemStore** store,
                                     SticError* error)
{
    if (comment == NULL)
        return stic_problem_build(raw, store, error);
    comment += strspn(comment, "# \t");
    size_t length = strlen(comment);
    while (length > 0 && strchr(" \t\r\n", comment[length - 1]) != NULL)
        length -= 1;
    char* copy = NULL;
    STIC_TRY(STIC_ALLOCATE(&raw->context, &copy, length + 1));
    memcpy(copy, comment, length);
    raw->metadata.description = copy;
    const SticStatus status = stic_problem_build(raw, store, error);
    STIC_RELEASE(&raw->context, copy, length + 1);
    return status;
}

static SticStatus try_form(const SticContext* context, const SticAscii* ascii, SticFormat format,
                           SticScan* scan, SticProblemStore** store)
{
    SticRaw raw = {.context = *context};
    const char* comment = NULL;
    SticStatus status = read_form(scan, format, &raw, &comment);
    if (status == STIC_OK) {
        // the form fits, so that any fault of the numbers now is one of the data
        status = build_with_comment(&raw, comment, store, scan->error);
        if (status != STIC_OK && scan->error != NULL && scan->error->file[0] == '\0') {
            const SticError plain = *scan->error;
            stic_error_set_at(scan->error, status, ascii->file, 0, 0, "%s", plain.text);
        }
        scan->at = scan->end;
    }
    stic_raw_clear(&raw);
    return status;
}

SticStatus stic_ascii_parse(const SticContext* context, const SticAscii* ascii,
                            SticProblemStore** store, SticError* error)
{
    static const SticFormat forms[] = {STIC_FORMAT_LOCAL, STIC_FORMAT_GLOBAL, STIC_FORMAT_LCP,
                                       STIC_FORMAT_ROLLING};
    *store = NULL;
    SticError best = {0};
    const char* furthest = NULL;
    SticStatus status = STIC_BAD_FILE;
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; ++i) {
        if (ascii->format != STIC_FORMAT_AUTO && ascii->format != forms[i])
            continue;
        SticError failed = {0};
        SticScan scan = stic_scan_begin(ascii->text, ascii->size, ascii->file, &failed);
        const SticStatus tried = try_form(context, ascii, forms[i], &scan, store);
        if (tried == STIC_OK || tried == STIC_OUT_OF_MEMORY)
            return tried;
        // planar rolling reads what LOCAL reads and is rare: its error would only mislead
        const bool misleading =
            ascii->format == STIC_FORMAT_AUTO && forms[i] == STIC_FORMAT_ROLLING;
        if (furthest == NULL || (scan.at > furthest && !misleading)) {
            furthest = scan.at;
            best = failed;
            status = tried;
            if (failed.line > 0)
                stic_error_set_at(&best, tried, ascii->file, failed.line, failed.column,
                                  "%s (read as %s)", failed.text, stic_format_name(forms[i]));
        }
    }
    if (error != NULL)
        *error = best;
    return status;
}
