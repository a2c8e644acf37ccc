// SPDX-License-Identifier: Apache-2.0
// Aligned tables of figures on standard output.
#include "helpers/helpers.h"

#include <stdio.h>
#include <string.h>

// columns of letters, not of bytes: continuation bytes of UTF-8 take no room
static int letters(const char* text, int bytes)
{
    int count = 0;
    for (int i = 0; i < bytes; ++i)
        count += ((unsigned char)text[i] & 0xc0u) != 0x80u;
    return count;
}

static void print_cells(const TestTable* table, const char* text)
{
    printf(" ");
    for (int32_t i = 0; i < table->columns; ++i) {
        const int bytes = (int)strcspn(text, "|");
        const int blanks = table->width[i] - letters(text, bytes);
        const int pad = blanks > 0 ? blanks : 0;
        if (i == 0)
            printf(" %.*s%*s", bytes, text, pad, "");
        else
            printf("  %*s%.*s", pad, "", bytes, text);
        text += bytes;
        text += *text == '|';
    }
    printf("\n");
}

TestTable test_table_begin(const char* title, const char* heading)
{
    TestTable table = {0};
    const char* cell = heading;
    while (table.columns < TEST_TABLE_COLUMNS) {
        const int bytes = (int)strcspn(cell, "|");
        table.width[table.columns++] = letters(cell, bytes);
        if (cell[bytes] == '\0')
            break;
        cell += bytes + 1;
    }
    printf("%s\n", title);
    print_cells(&table, heading);
    fflush(stdout);
    return table;
}

void test_table_row(const TestTable* table, const char* format, ...)
{
    char text[1024];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    print_cells(table, text);
    fflush(stdout);
}
