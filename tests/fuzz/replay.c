// SPDX-License-Identifier: Apache-2.0
// Runs a fuzz target on every file of the given folders: the kept corpus as a plain test.
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "fuzz/fuzz.h"

static int replay_file(const char* path)
{
    FILE* file = fopen(path, "rb");
    if (file == NULL) {
        fprintf(stderr, "%s cannot be opened\n", path);
        return 1;
    }
    size_t size = 0, room = 1 << 12;
    uint8_t* data = malloc(room);
    while (data != NULL) {
        size += fread(data + size, 1, room - size, file);
        if (size < room)
            break;
        room *= 2;
        uint8_t* grown = realloc(data, room);
        if (grown == NULL)
            free(data);
        data = grown;
    }
    fclose(file);
    if (data == NULL)
        return 1;
    // named before it runs, so that a crash shows the input
    printf("%s\n", path);
    fflush(stdout);
    LLVMFuzzerTestOneInput(data, size);
    free(data);
    return 0;
}

int main(int count, char** arguments)
{
    int failed = 0, files = 0;
    for (int i = 1; i < count; ++i) {
        DIR* folder = opendir(arguments[i]);
        if (folder == NULL) {
            fprintf(stderr, "%s is not a folder\n", arguments[i]);
            return 1;
        }
        for (const struct dirent* entry = readdir(folder); entry != NULL; entry = readdir(folder)) {
            char path[1024];
            struct stat info;
            snprintf(path, sizeof path, "%.700s/%.300s", arguments[i], entry->d_name);
            if (stat(path, &info) != 0 || !S_ISREG(info.st_mode))
                continue;
            failed += replay_file(path);
            files += 1;
        }
        closedir(folder);
    }
    printf("%d inputs replayed\n", files);
    return failed != 0 || files == 0;
}
