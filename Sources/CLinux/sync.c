#define _GNU_SOURCE
#include "clinux_sync.h"

#include <fcntl.h>
#include <unistd.h>

int clinux_syncfs(int descriptor) { return syncfs(descriptor); }

int clinux_begin_writing(int descriptor) { return sync_file_range(descriptor, 0, 0, SYNC_FILE_RANGE_WRITE); }
