// SPDX-License-Identifier: Apache-2.0
// Fuzz target: any bytes as a file that may be gzip, through the file system.
#include "fuzz/fuzz.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "file/file.h"

enum { LIMIT = 1 << 16 };

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    const SticContext context = stic_context_default();
    char path[64];
    stic_fuzz_path(path, sizeof path, "gzip");
    const int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (file < 0)
        return 0;
    const ssize_t written = write(file, data, size);
    close(file);
    SticText text;
    SticError error = {0};
    if (written == (ssize_t)size) {
        const SticStatus status = stic_text_load(&context, path, LIMIT, &text, &error);
        if (status == STIC_OK && (text.size > LIMIT || text.bytes[text.size] != '\0'))
            abort();
        if ((status == STIC_OK) != (text.bytes != NULL))
            abort();
        stic_text_unload(&text);
    }
    unlink(path);
    return 0;
}
