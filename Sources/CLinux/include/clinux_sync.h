// Calls that make files durable and that glibc declares for _GNU_SOURCE alone.
#ifndef CLINUX_SYNC_H
#define CLINUX_SYNC_H

/// syncfs(2).
int clinux_syncfs(int descriptor);

/// sync_file_range(2) over a whole file: begins to write it and does not wait.
int clinux_begin_writing(int descriptor);

#endif
