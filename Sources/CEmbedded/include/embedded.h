// Files of the repository that are part of the binary. scripts/embed writes their arrays and tables into embedded.c; a
// test compares the tables with the folders.
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

/// The files of Public/ and its folders by path, served under /console/.
const embedded_file *embedded_console(size_t *count);

#endif
