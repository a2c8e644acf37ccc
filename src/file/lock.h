// SPDX-License-Identifier: Apache-2.0
// One writer of a file at a time, and a way to tell a running writer from one that was killed.
//
// The lock belongs to the open file, not to its name and not to the process: other descriptors of
// the same file may be opened and closed without giving it back, and the system gives it back when
// its holder ends, however that happens. There are no stale locks.
#ifndef STIC_FILE_LOCK_H
#define STIC_FILE_LOCK_H

#include "stiction/extend/base.h"

/// What came of asking for a lock.
typedef enum SticLock {
    STIC_LOCK_FREE,   ///< nobody else had it
    STIC_LOCK_BUSY,   ///< another holder lives
    STIC_LOCK_UNKNOWN ///< the file system has no locks
} SticLock;

/// Hold an open file without waiting; FREE: it is held now, until the descriptor is closed.
SticLock stic_lock_try(int descriptor);
/// Whether somebody holds the file of this name now.
SticLock stic_lock_ask(const char* path);
/// Open a file for reading and writing and hold it; it is the file of this name when this returns.
/// IO_FAILED with a sentence if another process writes it. File systems without locks are written
/// without one.
SticStatus stic_lock_take(const char* path, int* descriptor, SticError* error);
/// Give a lock back; -1 is allowed.
void stic_lock_drop(int descriptor);
/// Whether an open file is the one of this name.
bool stic_lock_is_named(int descriptor, const char* path);

#endif
