// Files of the repository that are part of the binary. A new file needs an array with its #embed and a line of the table
// in embedded.c; a test compares that table with the folders.
#ifndef CEMBEDDED_H
#define CEMBEDDED_H

#include <stddef.h>

typedef struct {
    const char *name;
    const unsigned char *bytes;
    size_t count;
} embedded_file;

/// The migrations of migrations/sqlite, in order.
const embedded_file *embedded_migrations(size_t *count);

/// The migrations of migrations/postgresql, in order.
const embedded_file *embedded_postgresql_migrations(size_t *count);

/// The files of Public/, served under /console/.
const embedded_file *embedded_console(size_t *count);

#endif
