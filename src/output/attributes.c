// SPDX-License-Identifier: Apache-2.0
// Attributes and fixed data sets of a result file.
#include "output/attributes.h"

#ifdef STIC_HAVE_HDF5

#include <hdf5.h>
#include <string.h>

enum { LARGE_SET = 1 << 16 }; // bytes from which a fixed data set is deflated

// texts are UTF-8 of fixed length, padded with zeros
static hid_t text_type(size_t width)
{
    const hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, width > 0 ? width : 1);
    H5Tset_strpad(type, H5T_STR_NULLPAD);
    H5Tset_cset(type, H5T_CSET_UTF8);
    return type;
}

static SticStatus write_attribute(const SticHdf5* file, int64_t object, const char* name,
                                  hid_t types[2], hid_t space, const void* value)
{
    const hid_t made = H5Acreate2(object, name, types[0], space, H5P_DEFAULT, H5P_DEFAULT);
    const bool failed = made < 0 || H5Awrite(made, types[1], value) < 0;
    if (made >= 0)
        H5Aclose(made);
    H5Sclose(space);
    return failed ? stic_hdf5_fail(file, STIC_IO_FAILED, name, "cannot be written") : STIC_OK;
}

SticStatus stic_attribute_text(const SticHdf5* file, int64_t object, const char* name,
                               const char* text)
{
    const char* words = text == NULL ? "" : text;
    const hid_t type = text_type(strlen(words));
    const SticStatus status =
        write_attribute(file, object, name, (hid_t[]){type, type}, H5Screate(H5S_SCALAR), words);
    H5Tclose(type);
    return status;
}

SticStatus stic_attribute_reals(const SticHdf5* file, int64_t object, const char* name,
                                const double* values, int32_t count)
{
    const hsize_t extent = (hsize_t)count;
    const hid_t space = count == 1 ? H5Screate(H5S_SCALAR) : H5Screate_simple(1, &extent, NULL);
    hid_t types[2] = {H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE};
    return write_attribute(file, object, name, types, space, values);
}

SticStatus stic_attribute_integer(const SticHdf5* file, int64_t object, const char* name,
                                  int64_t value)
{
    hid_t types[2] = {H5T_STD_I64LE, H5T_NATIVE_INT64};
    return write_attribute(file, object, name, types, H5Screate(H5S_SCALAR), &value);
}

static SticStatus write_setting(const SticHdf5* file, hid_t group, const SticField* field,
                                double value)
{
    switch (field->type) {
    case STIC_FIELD_CHOICE:
        return stic_attribute_text(file, group, field->name, field->choices[(int32_t)value]);
    case STIC_FIELD_INT:
    case STIC_FIELD_BOOL:
        return stic_attribute_integer(file, group, field->name, (int64_t)value);
    default:
        return stic_attribute_reals(file, group, field->name, &value, 1);
    }
}

SticStatus stic_attribute_settings(const SticHdf5* file, const char* path,
                                   const SticFieldTable* table, const void* settings)
{
    STIC_TRY(stic_hdf5_make_group(file, path));
    const hid_t group = H5Gopen2(file->file, path, H5P_DEFAULT);
    SticStatus status = STIC_OK;
    for (int32_t i = 0; status == STIC_OK && table != NULL && i < table->count; ++i) {
        const SticField* field = &table->fields[i];
        const double value = settings == NULL ? field->initial : stic_fields_get(field, settings);
        status = write_setting(file, group, field, value);
    }
    H5Gclose(group);
    return status;
}

SticStatus stic_attribute_read(const SticHdf5* file, const char* name, SticArena* arena,
                               const char** text)
{
    *text = "";
    if (H5Aexists(file->file, name) <= 0)
        return STIC_OK;
    const hid_t attribute = H5Aopen(file->file, name, H5P_DEFAULT);
    const hid_t type = attribute < 0 ? -1 : H5Aget_type(attribute);
    const size_t width = type < 0 ? 0 : H5Tget_size(type);
    SticStatus status = STIC_OK;
    char* words = NULL;
    if (type < 0 || H5Tget_class(type) != H5T_STRING || H5Tis_variable_str(type) > 0 ||
        width > ((size_t)1 << 20))
        status = stic_hdf5_fail(file, STIC_BAD_FILE, name, "is not a text");
    if (status == STIC_OK)
        status = STIC_TAKE(arena, &words, width + 1);
    if (status == STIC_OK) {
        memset(words, 0, width + 1);
        if (H5Aread(attribute, type, words) < 0)
            status = stic_hdf5_fail(file, STIC_BAD_FILE, name, "cannot be read");
        *text = words;
    }
    if (type >= 0)
        H5Tclose(type);
    if (attribute >= 0)
        H5Aclose(attribute);
    return status;
}

double stic_attribute_number(const SticHdf5* file, const char* name, double otherwise)
{
    if (H5Aexists(file->file, name) <= 0)
        return otherwise;
    const hid_t attribute = H5Aopen(file->file, name, H5P_DEFAULT);
    const hid_t space = attribute < 0 ? -1 : H5Aget_space(attribute);
    double value = otherwise;
    if (space < 0 || H5Sget_simple_extent_npoints(space) != 1 ||
        H5Aread(attribute, H5T_NATIVE_DOUBLE, &value) < 0)
        value = otherwise;
    if (space >= 0)
        H5Sclose(space);
    if (attribute >= 0)
        H5Aclose(attribute);
    H5Eclear2(H5E_DEFAULT);
    return value;
}

/* ---- fixed data sets ---- */

static SticStatus write_fixed(const SticHdf5* file, const SticFixedSet* set, hid_t types[2],
                              const void* values)
{
    hsize_t extent[3] = {(hsize_t)set->rows, 0, 0};
    int rank = 1;
    size_t bytes = (size_t)set->rows * H5Tget_size(types[0]);
    for (int k = 0; k < 2; ++k)
        if (set->extent[k] > 0) {
            extent[rank++] = (hsize_t)set->extent[k];
            bytes *= (size_t)set->extent[k];
        }
    const hid_t space = H5Screate_simple(rank, extent, NULL);
    const hid_t plan = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_obj_track_times(plan, 0);
    if (bytes >= LARGE_SET) {
        hsize_t chunk[3] = {extent[0], extent[1], extent[2]};
        const hsize_t most = (hsize_t)(LARGE_SET * (uint64_t)set->rows / bytes);
        chunk[0] = most < 1 ? 1 : most;
        H5Pset_chunk(plan, rank, chunk);
        H5Pset_shuffle(plan);
        H5Pset_deflate(plan, 4);
    }
    const hid_t made =
        H5Dcreate2(file->file, set->path, types[0], space, H5P_DEFAULT, plan, H5P_DEFAULT);
    const bool failed = made < 0 || (set->rows > 0 && H5Dwrite(made, types[1], H5S_ALL, H5S_ALL,
                                                               H5P_DEFAULT, values) < 0);
    SticStatus status = STIC_OK;
    if (failed)
        status = stic_hdf5_fail(file, STIC_IO_FAILED, set->path, "cannot be written");
    if (status == STIC_OK)
        status = stic_attribute_text(file, made, "unit", set->unit);
    if (status == STIC_OK)
        status = stic_attribute_text(file, made, "text", set->text);
    if (status == STIC_OK && set->names != NULL)
        status = stic_attribute_text(file, made, "names", set->names);
    if (made >= 0)
        H5Dclose(made);
    H5Pclose(plan);
    H5Sclose(space);
    return status;
}

SticStatus stic_fixed_set_reals(const SticHdf5* file, const SticFixedSet* set, const double* values)
{
    return write_fixed(file, set, (hid_t[]){H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE}, values);
}

SticStatus stic_fixed_set_floats(const SticHdf5* file, const SticFixedSet* set, const float* values)
{
    return write_fixed(file, set, (hid_t[]){H5T_IEEE_F32LE, H5T_NATIVE_FLOAT}, values);
}

SticStatus stic_fixed_set_integers(const SticHdf5* file, const SticFixedSet* set,
                                   const int32_t* values)
{
    return write_fixed(file, set, (hid_t[]){H5T_STD_I32LE, H5T_NATIVE_INT32}, values);
}

SticStatus stic_fixed_set_bytes(const SticHdf5* file, const SticFixedSet* set,
                                const uint8_t* values)
{
    return write_fixed(file, set, (hid_t[]){H5T_STD_U8LE, H5T_NATIVE_UINT8}, values);
}

SticStatus stic_fixed_set_texts(const SticHdf5* file, const SticFixedSet* set, const char* texts,
                                size_t width)
{
    const hid_t type = text_type(width);
    const SticStatus status = write_fixed(file, set, (hid_t[]){type, type}, texts);
    H5Tclose(type);
    return status;
}

#else

/// Keeps the file from being empty where HDF5 is left out.
typedef int SticAttributesAbsent;

#endif
