#include "embedded.h"

#define FILES(array, count) *count = sizeof(array) / sizeof(array[0]); return array
#define FILE_OF(label, data) { label, data, sizeof(data) }

static const unsigned char migration_0001[] = {
#embed "../../migrations/sqlite/0001_foundation.sql"
};

static const embedded_file migrations[] = {
    FILE_OF("0001_foundation.sql", migration_0001),
};

static const unsigned char console_index_html[] = {
#embed "../../Public/index.html"
};

static const embedded_file console[] = {
    FILE_OF("index.html", console_index_html),
};

const embedded_file *embedded_migrations(size_t *count) { FILES(migrations, count); }
const embedded_file *embedded_console(size_t *count) { FILES(console, count); }
