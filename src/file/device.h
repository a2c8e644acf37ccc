// SPDX-License-Identifier: Apache-2.0
// How HDF5 reaches a file: through a descriptor of ours, and without ever seeing a write fail.
//
// HDF5 does not survive failed writes: what it could not write it tries again when the file is
// closed and when the program ends, where it loops or crashes. So a write that fails is noted here
// and HDF5 is told that it succeeded; from then on everything it writes stays in memory, where it
// finds it again, and the file is left as it was. Whoever writes asks stic_device_failed after a
// flush.
#ifndef STIC_FILE_DEVICE_H
#define STIC_FILE_DEVICE_H

#include "stiction/extend/base.h"

/// An open file as HDF5 sees it.
typedef struct SticDevice SticDevice;

/// What a device is for.
typedef enum SticDeviceUse {
    STIC_DEVICE_READ,
    STIC_DEVICE_SETTLED, ///< to be read; its writer was killed, and its marks are not shown
    STIC_DEVICE_WRITE    ///< to be changed; marks of an earlier writer are not shown
} SticDeviceUse;

/// Device on an open descriptor, which it closes at the end.
SticStatus stic_device_create(int descriptor, SticDeviceUse use, SticDevice** device);
/// Properties for H5Fopen and H5Fcreate that lead to this device, whatever name these are given;
/// -1 on failure. The caller closes them.
int64_t stic_device_access(SticDevice* device);
/// The errno value of the first write that failed, 0 if all succeeded.
int stic_device_failed(const SticDevice* device);
/// From here on nothing reaches the file.
void stic_device_abandon(SticDevice* device);
/// Give a device back after H5Fclose; `closed` tells whether that succeeded. NULL is allowed.
void stic_device_destroy(SticDevice* device, bool closed);

#endif
