// SPDX-License-Identifier: Apache-2.0
// Reading rows of data sets, checked against what the file says and can hold.
#include "output/reader.h"

#ifdef STIC_HAVE_HDF5

#include <hdf5.h>
#include <string.h>

enum { MOST_RANK = 4 };

int64_t stic_slice_rows(const SticHdf5* file, const char* path)
{
    hsize_t extent[MOST_RANK] = {0};
    if (!stic_hdf5_has(file, path))
        return 0;
    const hid_t set = H5Dopen2(file->file, path, H5P_DEFAULT);
    const hid_t space = set < 0 ? -1 : H5Dget_space(set);
    const int rank = space < 0 ? 0 : H5Sget_simple_extent_ndims(space);
    SticHdf5 quiet = *file; // a data set that the file cannot hold has no rows
    quiet.error = NULL;
    if (rank >= 1 && rank <= MOST_RANK &&
        stic_hdf5_check_storage(&quiet, path, set, true) == STIC_OK)
        H5Sget_simple_extent_dims(space, extent, NULL);
    if (space >= 0)
        H5Sclose(space);
    if (set >= 0)
        H5Dclose(set);
    H5Eclear2(H5E_DEFAULT);
    return (int64_t)extent[0];
}

// select the rows of an open data set; false if they are not there
static bool select_rows(hid_t space, const SticSlice* slice, hid_t* memory)
{
    hsize_t extent[MOST_RANK] = {0}, start[MOST_RANK] = {0};
    const int rank = H5Sget_simple_extent_ndims(space);
    uint64_t values = 1;
    if (rank < 1 || rank > MOST_RANK || slice->begin < 0 || slice->count < 0)
        return false;
    H5Sget_simple_extent_dims(space, extent, NULL);
    for (int k = 1; k < rank; ++k)
        values *= extent[k];
    if (values != (uint64_t)slice->values || (uint64_t)slice->begin > extent[0] ||
        (uint64_t)slice->count > extent[0] - (uint64_t)slice->begin)
        return false;
    start[0] = (hsize_t)slice->begin;
    extent[0] = (hsize_t)slice->count;
    *memory = H5Screate_simple(rank, extent, NULL);
    return *memory >= 0 &&
           H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, extent, NULL) >= 0;
}

static SticStatus read_rows(const SticHdf5* file, SticSlice slice, hid_t type, void* values)
{
    if (!stic_hdf5_has(file, slice.path))
        return stic_hdf5_fail(file, STIC_BAD_FILE, slice.path, "is missing");
    const hid_t set = H5Dopen2(file->file, slice.path, H5P_DEFAULT);
    if (set < 0)
        return stic_hdf5_fail(file, STIC_BAD_FILE, slice.path, "cannot be opened, it is damaged");
    const hid_t space = H5Dget_space(set), stored = H5Dget_type(set);
    hid_t memory = -1;
    SticStatus status = STIC_OK;
    const bool text = H5Tget_class(type) == H5T_STRING;
    const H5T_class_t kind = stored < 0 ? H5T_NO_CLASS : H5Tget_class(stored);
    if (text ? kind != H5T_STRING : (kind != H5T_INTEGER && kind != H5T_FLOAT))
        status = stic_hdf5_fail(file, STIC_BAD_FILE, slice.path, "is of another type");
    else
        status = stic_hdf5_check_storage(file, slice.path, set, true);
    if (status == STIC_OK && !select_rows(space, &slice, &memory))
        status = stic_hdf5_fail(
            file, STIC_BAD_FILE, slice.path, "has no %lld rows of %lld values from row %lld on",
            (long long)slice.count, (long long)slice.values, (long long)slice.begin);
    else if (status == STIC_OK && slice.count > 0 && slice.values > 0 &&
             H5Dread(set, type, memory, space, H5P_DEFAULT, values) < 0)
        status = stic_hdf5_fail(file, STIC_BAD_FILE, slice.path, "cannot be read");
    if (memory >= 0)
        H5Sclose(memory);
    if (stored >= 0)
        H5Tclose(stored);
    if (space >= 0)
        H5Sclose(space);
    if (set >= 0)
        H5Dclose(set);
    return status;
}

SticStatus stic_slice_reals(const SticHdf5* file, SticSlice slice, double* values)
{
    return read_rows(file, slice, H5T_NATIVE_DOUBLE, values);
}

SticStatus stic_slice_int32(const SticHdf5* file, SticSlice slice, int32_t* values)
{
    return read_rows(file, slice, H5T_NATIVE_INT32, values);
}

SticStatus stic_slice_int64(const SticHdf5* file, SticSlice slice, int64_t* values)
{
    return read_rows(file, slice, H5T_NATIVE_INT64, values);
}

SticStatus stic_slice_ids(const SticHdf5* file, SticSlice slice, uint64_t* values)
{
    return read_rows(file, slice, H5T_NATIVE_UINT64, values);
}

SticStatus stic_slice_bytes(const SticHdf5* file, SticSlice slice, uint8_t* values)
{
    return read_rows(file, slice, H5T_NATIVE_UINT8, values);
}

SticStatus stic_slice_texts(const SticHdf5* file, SticSlice slice, size_t width, char* values)
{
    const hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, width);
    H5Tset_strpad(type, H5T_STR_NULLPAD);
    H5Tset_cset(type, H5T_CSET_UTF8);
    const SticStatus status = read_rows(file, slice, type, values);
    H5Tclose(type);
    return status;
}

#else

/// Keeps the file from being empty where HDF5 is left out.
typedef int SticSliceAbsent;

#endif
