// SPDX-License-Identifier: Apache-2.0
// Settings of result files, names of files beside them.
#include "output/output.h"

#include "stiction/extend/base.h"

#include <stdio.h>
#include <string.h>

static const char* const precision_names[] = {"double", "single", NULL};

static const SticField fields[] = {
    STIC_FIELD_COUNT(SticOutputSettings, every, 10, 1, 1e9, "steps", "steps per stored frame"),
    STIC_FIELD_REAL(SticOutputSettings, interval, 0, 0, 1e30, "s",
                    "simulated time between stored frames instead of every; 0: not used"),
    STIC_FIELD_PICK(SticOutputSettings, precision, STIC_PRECISION_DOUBLE, STIC_PRECISION_COUNT - 1,
                    precision_names, "precision of motion and joints"),
    STIC_FIELD_PICK(SticOutputSettings, contact_precision, STIC_PRECISION_SINGLE,
                    STIC_PRECISION_COUNT - 1, precision_names, "precision of contacts and pairs"),
    STIC_FIELD_FLAG(SticOutputSettings, contacts, 1, "store contacts"),
    STIC_FIELD_FLAG(SticOutputSettings, pairs, 1,
                    "store the resultant force of every pair of bodies"),
    STIC_FIELD_FLAG(SticOutputSettings, joints, 1, "store motion and forces of joints"),
    STIC_FIELD_FLAG(SticOutputSettings, solver, 1, "store what every step did"),
    STIC_FIELD_FLAG(SticOutputSettings, least_norm, 0,
                    "store the contact forces of least norm among those that give the same motion"),
    STIC_FIELD_FLAG(SticOutputSettings, xdmf, 0, "write an XDMF file for ParaView at the end"),
    STIC_FIELD_COUNT(SticOutputSettings, compression, 1, 0, 9, "-",
                     "level of deflate for large data sets; 0: none"),
    STIC_FIELD_REAL(SticOutputSettings, flush, 1, 0, 1e9, "s",
                    "wall clock between flushes; 0: at every stored frame"),
    STIC_FIELD_COUNT(SticOutputSettings, snapshot_every, 0, 0, 1e9, "steps",
                     "steps between snapshots; 0: by the clock only"),
    STIC_FIELD_REAL(SticOutputSettings, snapshot, 60, 0, 1e9, "s",
                    "wall clock between snapshots; 0: only when the run ends"),
};

const SticFieldTable stic_output_fields = {
    "output", fields, (int32_t)(sizeof fields / sizeof fields[0]), sizeof(SticOutputSettings)};

SticOutputSettings stic_output_default_settings(void)
{
    SticOutputSettings settings;
    stic_fields_default(&stic_output_fields, &settings);
    return settings;
}

SticOutputDef stic_output_default_def(void)
{
    return (SticOutputDef){.settings = stic_output_default_settings()};
}

SticStatus stic_output_beside(const char* path, const char* extension, char* name, size_t size,
                              SticError* error)
{
    const char* slash = strrchr(path, '/');
    const char* dot = strrchr(path, '.');
    // a dot in a folder's name, or at the start of the file's, is no extension
    const bool has = dot != NULL && dot > path && (slash == NULL || dot > slash + 1);
    const size_t length = has ? (size_t)(dot - path) : strlen(path);
    if (length + strlen(extension) + 1 > size)
        return stic_error_set(error, STIC_BAD_ARGUMENT, "the name of the result is too long");
    memcpy(name, path, length);
    memcpy(name + length, extension, strlen(extension) + 1);
    return STIC_OK;
}
