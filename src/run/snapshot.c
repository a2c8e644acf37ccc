// SPDX-License-Identifier: Apache-2.0
// Snapshots: the state and the sums of a run as bytes.
//
// Layout, all in the byte order of the machine: header (magic, version, sizes, scheme, step, origin, hash of all else),
// t_start, totals, t, q, u, memory records, bonds, turns, works by pairs of surfaces, contacts that
// carried something in the last step, who sleeps. A snapshot of another system, version or byte order is
// refused, and so is one of another scheme or step: times are counted in steps from t_start, and
// the memory holds impulses of a step as the scheme means them.
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "file/file.h"
#include "file/system.h"
#include "run/run.h"

enum { SNAPSHOT_VERSION = 16, SCHEME_SIZE = 32 };
static const char magic[8] = {'s', 't', 'i', 'c', 's', 'n', 'a', 'p'};

typedef struct Header {
    char magic[8];
    uint32_t version, record_size;
    uint32_t blocks, nq, nu, records;
    uint32_t bond_size, bonds;
    uint32_t begun, classes; // of the memory; pairs of surfaces
    uint32_t loaded, turns;
    uint32_t sleeps, frozen; // 1: bodies may sleep; interactions of those that do
    char scheme[SCHEME_SIZE];
    double step;
    uint64_t origin;
    uint64_t hash; // of the header before it and of everything after it
} Header;

static size_t sleep_size(const Header* header)
{
    return header->sleeps == 0 ? 0
                               : (size_t)header->blocks * (sizeof(int32_t) + sizeof(uint8_t)) +
                                     (size_t)header->nu * sizeof(double) +
                                     (size_t)header->frozen * sizeof(SticFrozen);
}

static size_t body_size(const Header* header)
{
    return 2 * sizeof(double) + sizeof(SticRunTotals) +
           (size_t)(header->nq + header->nu) * sizeof(double) +
           (size_t)header->records * sizeof(SticMemoryRecord) +
           (size_t)header->bonds * sizeof(SticBond) + (size_t)header->turns * sizeof(SticTurn) +
           (size_t)header->classes * sizeof(SticClassLedger) +
           (size_t)header->loaded * sizeof(SticLoaded) + sleep_size(header);
}

static uint64_t hash_of(const Header* header, const void* body, size_t size)
{
    return stic_hash_bytes(stic_hash_bytes(0, header, offsetof(Header, hash)), body, size);
}

static unsigned char* put(unsigned char* at, const void* from, size_t bytes)
{
    if (bytes > 0)
        memcpy(at, from, bytes);
    return at + bytes;
}

static const unsigned char* get(const unsigned char* at, void* to, size_t bytes)
{
    if (bytes > 0)
        memcpy(to, at, bytes);
    return at + bytes;
}

void stic_run_set_origin(SticRun* run, uint64_t origin)
{
    STIC_ASSERT(run != NULL);
    run->origin = origin;
}

SticStatus stic_run_save(const SticRun* run, SticArena* arena, const void** bytes, size_t* count)
{
    STIC_ASSERT(run != NULL);
    STIC_ASSERT(arena != NULL);
    const SticLayout* layout = &run->def.system->layout;
    const SticState* state = run->state[0];
    Header header = {.version = SNAPSHOT_VERSION,
                     .record_size = sizeof(SticMemoryRecord),
                     .blocks = (uint32_t)layout->blocks,
                     .nq = (uint32_t)layout->nq,
                     .nu = (uint32_t)layout->nu,
                     .records = (uint32_t)state->memory->count,
                     .bond_size = sizeof(SticBond),
                     .bonds = (uint32_t)state->memory->bonds,
                     .begun = state->memory->begun,
                     .classes = (uint32_t)run->classes.count,
                     .loaded = (uint32_t)run->loaded[0].count,
                     .turns = (uint32_t)layout->turns,
                     .sleeps = run->def.sleep > 0 ? 1 : 0,
                     .frozen = (uint32_t)run->sleep.count,
                     .step = run->def.step,
                     .origin = run->origin};
    memcpy(header.magic, magic, sizeof magic);
    snprintf(header.scheme, sizeof header.scheme, "%s", run->def.scheme->name);
    const size_t body = body_size(&header);
    void* memory = NULL;
    STIC_TRY(stic_arena_take(arena, sizeof header + body, &memory));
    unsigned char *start = memory, *at = start + sizeof header;
    at = put(at, &run->t_start, sizeof run->t_start);
    at = put(at, &run->totals, sizeof run->totals);
    at = put(at, &state->t, sizeof state->t);
    at = put(at, state->q, header.nq * sizeof(double));
    at = put(at, state->u, header.nu * sizeof(double));
    at = put(at, state->memory->record, header.records * sizeof(SticMemoryRecord));
    at = put(at, state->memory->bond, header.bonds * sizeof(SticBond));
    at = put(at, state->memory->turn, header.turns * sizeof(SticTurn));
    at = put(at, run->classes.item, header.classes * sizeof(SticClassLedger));
    at = put(at, run->loaded[0].item, header.loaded * sizeof(SticLoaded));
    if (header.sleeps != 0) {
        at = put(at, run->sleep.still, header.blocks * sizeof(int32_t));
        at = put(at, run->sleep.asleep, header.blocks);
        at = put(at, run->sleep.force, header.nu * sizeof(double));
        put(at, run->sleep.frozen, header.frozen * sizeof(SticFrozen));
    }
    header.hash = hash_of(&header, start + sizeof header, body);
    memcpy(start, &header, sizeof header);
    *bytes = start;
    *count = sizeof header + body;
    return STIC_OK;
}

// a scheme of another chart has other coordinates too: the scheme is what users know
static SticStatus check_scheme(const SticRun* run, const Header* header, SticError* error)
{
    const char* scheme = run->def.scheme->name;
    if (strncmp(scheme, header->scheme, SCHEME_SIZE - 1) == 0 && header->step == run->def.step)
        return STIC_OK;
    return stic_error_set(error, STIC_BAD_DATA,
                          "the snapshot is of a run with scheme '%.*s' and steps of %g s; one with "
                          "scheme '%s' and steps of %g s cannot go on from it",
                          SCHEME_SIZE - 1, header->scheme, header->step, scheme, run->def.step);
}

static SticStatus check_header(const SticRun* run, const void* bytes, size_t count, Header* header,
                               SticError* error)
{
    const SticLayout* layout = &run->def.system->layout;
    if (count < sizeof *header)
        return stic_error_set(error, STIC_BAD_DATA, "a snapshot of %zu bytes is cut off", count);
    memcpy(header, bytes, sizeof *header);
    if (memcmp(header->magic, magic, sizeof magic) == 0 && header->version < SNAPSHOT_VERSION)
        return stic_error_set(error, STIC_BAD_DATA,
                              "the snapshot is of an earlier version of stiction, whose steps this "
                              "one does not continue; run the scene from its start");
    if (memcmp(header->magic, magic, sizeof magic) != 0 || header->version != SNAPSHOT_VERSION ||
        header->record_size != sizeof(SticMemoryRecord) || header->bond_size != sizeof(SticBond))
        return stic_error_set(error, STIC_BAD_DATA,
                              "this is not a snapshot of this version of stiction");
    STIC_TRY(check_scheme(run, header, error));
    if (header->blocks != (uint32_t)layout->blocks || header->nq != (uint32_t)layout->nq ||
        header->nu != (uint32_t)layout->nu || header->turns != (uint32_t)layout->turns)
        return stic_error_set(error, STIC_BAD_DATA,
                              "the snapshot has %u blocks with %u coordinates, system '%s' has %d "
                              "with %d",
                              header->blocks, header->nq, run->def.system->name, layout->blocks,
                              layout->nq);
    const size_t body = body_size(header);
    const unsigned char* start = bytes;
    if (count != sizeof *header + body ||
        header->hash != hash_of(header, start + sizeof *header, body))
        return stic_error_set(error, STIC_BAD_DATA, "the snapshot is damaged");
    // 0: nobody said
    if (header->origin != run->origin && header->origin != 0)
        return stic_error_set(error, STIC_BAD_DATA,
                              "the snapshot is of another scene or of a world with other bodies, "
                              "masses, shapes or joints");
    return STIC_OK;
}

// who sleeps; nobody where the run before had no sleep, or this one has none
static void get_sleep(const unsigned char* at, const Header* header, SticRun* run)
{
    SticSleep* sleep = &run->sleep;
    if (run->def.sleep == 0)
        return;
    sleep->count = sleep->contacts = sleep->sleepers = 0;
    memset(sleep->still, 0, header->blocks * sizeof(int32_t));
    memset(sleep->asleep, 0, header->blocks);
    if (header->sleeps == 0)
        return;
    at = get(at, sleep->still, header->blocks * sizeof(int32_t));
    at = get(at, sleep->asleep, header->blocks);
    at = get(at, sleep->force, header->nu * sizeof(double));
    get(at, sleep->frozen, header->frozen * sizeof(SticFrozen));
    sleep->count = (int32_t)header->frozen;
    for (uint32_t i = 0; i < header->blocks; ++i)
        sleep->sleepers += sleep->asleep[i];
    for (int32_t k = 0; k < sleep->count; ++k)
        sleep->contacts += sleep->frozen[k].interaction.level == STIC_LEVEL_CONTACT ? 1 : 0;
}

SticStatus stic_run_load(SticRun* run, const void* bytes, size_t count, SticError* error)
{
    STIC_ASSERT(run != NULL);
    Header header;
    STIC_TRY(check_header(run, bytes, count, &header, error));
    SticState* state = run->state[0];
    STIC_TRY(
        STIC_RESERVE(&run->context, &run->classes.item, &run->classes.capacity, header.classes));
    STIC_TRY(
        STIC_RESERVE(&run->context, &run->loaded[0].item, &run->loaded[0].capacity, header.loaded));
    if (run->def.sleep > 0)
        STIC_TRY(
            STIC_RESERVE(&run->context, &run->sleep.frozen, &run->sleep.capacity, header.frozen));
    STIC_TRY(stic_memory_resize(state->memory, (int32_t)header.records));
    STIC_TRY(stic_memory_resize_bonds(state->memory, (int32_t)header.bonds));
    state->memory->begun = header.begun != 0;
    const unsigned char* at = (const unsigned char*)bytes + sizeof header;
    at = get(at, &run->t_start, sizeof run->t_start);
    at = get(at, &run->totals, sizeof run->totals);
    at = get(at, &state->t, sizeof state->t);
    at = get(at, state->q, header.nq * sizeof(double));
    at = get(at, state->u, header.nu * sizeof(double));
    at = get(at, state->memory->record, header.records * sizeof(SticMemoryRecord));
    at = get(at, state->memory->bond, header.bonds * sizeof(SticBond));
    at = get(at, state->memory->turn, header.turns * sizeof(SticTurn));
    at = get(at, run->classes.item, header.classes * sizeof(SticClassLedger));
    at = get(at, run->loaded[0].item, header.loaded * sizeof(SticLoaded));
    get_sleep(at, &header, run);
    run->classes.count = (int32_t)header.classes;
    run->loaded[0].count = (int32_t)header.loaded;
    // reported at the end of a run, which still lies ahead of this one
    run->totals.notice[STIC_NOTICE_CHECKS] = (SticNotice){0};
    run->acted = run->collected = false;
    return STIC_OK;
}

/* ---- files ---- */

SticStatus stic_run_save_file(const SticRun* run, const char* path, SticError* error)
{
    STIC_GIVEN(run, error);
    STIC_GIVEN(path, error);
    SticArena* arena = NULL;
    SticReplace* replace = NULL;
    const void* bytes = NULL;
    size_t count = 0;
    STIC_TRY(stic_arena_create(&run->context, 0, &arena));
    SticStatus status = stic_run_save(run, arena, &bytes, &count);
    if (status != STIC_OK)
        stic_error_set(error, status, "no memory for a snapshot");
    else
        status = stic_replace_begin(&run->context, path, &replace, error);
    if (status == STIC_OK) {
        status = stic_replace_write(replace, bytes, count, error);
        if (status == STIC_OK)
            status = stic_replace_commit(replace, error);
        else
            stic_replace_abort(replace);
    }
    stic_arena_destroy(arena);
    return status;
}

// all bytes of an open file; `size` as its end says
static SticStatus read_bytes(FILE* file, const char* path, SticArena* arena, void** bytes,
                             size_t* size, SticError* error)
{
    long end = -1;
    // a folder can be opened, and its end is anywhere
    if (fgetc(file) == EOF && ferror(file))
        return stic_file_system_fail(error, path, errno, "cannot be read");
    if (fseek(file, 0, SEEK_END) == 0)
        end = ftell(file);
    if (end < 0 || fseek(file, 0, SEEK_SET) != 0)
        return stic_file_system_fail(error, path, errno, "cannot be read");
    *size = (size_t)end;
    STIC_TRY(stic_arena_take(arena, *size > 0 ? *size : 1, bytes));
    if (fread(*bytes, 1, *size, file) != *size)
        return stic_file_system_fail(error, path, errno, "cannot be read");
    return STIC_OK;
}

SticStatus stic_run_load_file(SticRun* run, const char* path, SticError* error)
{
    STIC_GIVEN(run, error);
    STIC_GIVEN(path, error);
    FILE* file = fopen(path, "rb");
    if (file == NULL)
        return stic_file_system_fail(error, path, errno, "cannot be opened");
    SticArena* arena = NULL;
    void* bytes = NULL;
    size_t size = 0;
    SticStatus status = stic_arena_create(&run->context, 0, &arena);
    if (status == STIC_OK)
        status = read_bytes(file, path, arena, &bytes, &size, error);
    if (status == STIC_OK)
        status = stic_run_load(run, bytes, size, error);
    fclose(file);
    stic_arena_destroy(arena);
    return status;
}
