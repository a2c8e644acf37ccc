// SPDX-License-Identifier: Apache-2.0
// Notices of a run as lines, and as a text of its result.
//
// The text has room from the start and is written again with every snapshot: readers of a file that
// grows may see values change, but nothing may be added to it.
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/locale.h"
#include "output/attributes.h"
#include "output/notices.h"
#include "output/output.h"
#include "stiction/extend/world.h"

// one value for all
static bool is_default(SticNoticeKind kind)
{
    return kind == STIC_NOTICE_DENSITY || kind == STIC_NOTICE_FRICTION;
}

// kinds that are about the scene as a whole and not about a moment of the run
static bool is_timeless(SticNoticeKind kind)
{
    return kind == STIC_NOTICE_OVERLAP || kind == STIC_NOTICE_LIMIT || kind == STIC_NOTICE_RUN ||
           kind == STIC_NOTICE_REMAINDER || is_default(kind) || kind == STIC_NOTICE_RENAMED ||
           kind == STIC_NOTICE_CHECKS || kind == STIC_NOTICE_ROUGH;
}

// whether the worst value means anything
static bool has_worst(SticNoticeKind kind, const SticNotice* notice)
{
    // Newton's iteration of a nonlinear scheme can fail although the contacts are solved
    if (kind == STIC_NOTICE_MISSED)
        return notice->worst > 1.0;
    return kind != STIC_NOTICE_CHECKS && kind != STIC_NOTICE_RUN && kind != STIC_NOTICE_RENAMED;
}

static const char* name_of(const SticRun* run, const SticWorld* world, const SticNotice* notice,
                           int side)
{
    if (world == NULL)
        return "";
    const char* name = stic_world_part_name(world, notice->part[side]);
    return name[0] != '\0'
               ? name
               : stic_world_block_name(stic_run_parts(run)->system, notice->block[side]);
}

// one line, whatever the names are
static void blank_controls(char* text)
{
    for (char* at = text; *at != '\0'; ++at)
        if ((unsigned char)*at < ' ' || *at == 0x7f)
            *at = ' ';
}

void stic_output_notice_line(const SticRun* run, const SticWorld* world, SticNoticeKind kind,
                             char* text, size_t size)
{
    const SticNotice* notice = &stic_run_totals(run)->notice[kind];
    text[0] = '\0';
    if (notice->count == 0)
        return;
    const char *a = name_of(run, world, notice, 0), *b = name_of(run, world, notice, 1);
    char times[64] = "", worst[64] = "", since[64] = "";
    const SticLocale locale = stic_locale_plain();
    const bool plain = strcmp(stic_notice_unit(kind), "-") == 0;
    if (is_default(kind)) {
        // "…: 0.5, 3 of them, such as crank"
        snprintf(text, size, "%s: %.3g%s%s, %lld of them%s%s", stic_notice_text(kind),
                 notice->worst, plain ? "" : " ", plain ? "" : stic_notice_unit(kind),
                 (long long)notice->count, a[0] != '\0' ? ", such as " : "", a);
        stic_locale_restore(locale);
        blank_controls(text);
        return;
    }
    if (kind != STIC_NOTICE_RUN && kind != STIC_NOTICE_RENAMED && kind != STIC_NOTICE_REMAINDER)
        snprintf(times, sizeof times, ": %lld", (long long)notice->count);
    if (has_worst(kind, notice))
        snprintf(worst, sizeof worst, ", %.3g%s%s%s", notice->worst, plain ? "" : " ",
                 plain ? "" : stic_notice_unit(kind), notice->count > 1 ? " at most" : "");
    if (!is_timeless(kind))
        snprintf(since, sizeof since, ", first at t = %.6g s", notice->first);
    snprintf(text, size, "%s%s%s%s%s%s%s%s%s", stic_notice_text(kind), times, worst,
             a[0] != '\0' ? " (" : "", a, a[0] != '\0' && b[0] != '\0' ? " and " : "",
             a[0] != '\0' ? b : "", a[0] != '\0' ? ")" : "", since);
    stic_locale_restore(locale);
    blank_controls(text);
}

#ifdef STIC_HAVE_HDF5
#include <hdf5.h>

// every kind has its line, and none is longer than LINE
enum { LINE = 400, WORD = 32, ROOM = 12288 };
static_assert(STIC_NOTICE_COUNT * (LINE + WORD) <= ROOM, "all notices fit");

static const char path[] = "/notices";

// all of them, a line each, then blanks
static void write_lines(const SticRun* run, const SticWorld* world, char room[ROOM + 1])
{
    size_t used = 0;
    for (int k = 0; run != NULL && k < STIC_NOTICE_COUNT; ++k) {
        char line[LINE];
        stic_output_notice_line(run, world, (SticNoticeKind)k, line, sizeof line);
        if (line[0] == '\0')
            continue;
        const int made = snprintf(room + used, ROOM - used, "%s: %s\n",
                                  stic_notice_word((SticNoticeKind)k), line);
        used += (size_t)made;
    }
    memset(room + used, ' ', ROOM - used);
    room[ROOM] = '\0';
}

SticStatus stic_notices_make(const SticHdf5* file)
{
    char room[ROOM + 1];
    write_lines(NULL, NULL, room);
    return stic_fixed_set_texts(
        file, &(SticFixedSet){path, "-", "what the run has to say", NULL, 1, {0, 0}}, room, ROOM);
}

SticStatus stic_notices_write(const SticHdf5* file, const SticRun* run, const SticWorld* world)
{
    char room[ROOM + 1];
    if (!stic_hdf5_has(file, path))
        return STIC_OK; // results of version 0.1 have no notices
    write_lines(run, world, room);
    const hid_t set = H5Dopen2(file->file, path, H5P_DEFAULT);
    const hid_t type = set < 0 ? -1 : H5Dget_type(set);
    const bool fits = type >= 0 && H5Tget_class(type) == H5T_STRING && H5Tget_size(type) == ROOM;
    const bool done = fits && H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, room) >= 0;
    if (type >= 0)
        H5Tclose(type);
    if (set >= 0)
        H5Dclose(set);
    return done ? STIC_OK : stic_hdf5_fail(file, STIC_BAD_FILE, path, "cannot be changed");
}

#endif
