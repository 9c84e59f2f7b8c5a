// What the Glibc overlay of Swift does not expose: Linux's event calls, and variadic calls in fixed forms.
#ifndef CLINUX_H
#define CLINUX_H

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <semaphore.h>
#include <spawn.h>
#include <time.h>

// GNU calls, which the overlay's headers leave out.

/// accept4: the next connection, non-blocking and closed on exec; -1 and errno. The peer's address family, and the 4 or
/// 16 bytes of its address where it has one.
int clinux_accept(int listener, int *family, unsigned char address[16]);

/// SIOCOUTQ: bytes of a socket that its peer has not acknowledged; -1 and errno.
int clinux_unacknowledged(int socket, int *count);

/// Names the calling thread, at most 15 bytes.
void clinux_name_thread(const char *name);

/// Has every block of memory of at least so many bytes be the kernel's own again once it is freed.
void clinux_return_blocks_from(int bytes);

/// Has memory that is free already be the kernel's own again.
void clinux_return_freed(void);

/// renameat2 with RENAME_EXCHANGE: two names change places in one step; -1 and errno.
int clinux_exchange(const char *left, const char *right);

/// sem_clockwait until a moment of the monotonic clock; -1 and errno.
int clinux_wait(sem_t *semaphore, const struct timespec *moment);

/// posix_spawn_file_actions_addclosefrom_np: the new program has no descriptor from this one on. 0, or an errno.
int clinux_close_from(posix_spawn_file_actions_t *actions, int first);

/// The columns of a terminal that a character takes, whatever the locale: 0 for combining and control characters.
int clinux_columns(unsigned int character);

// Signals, whose handlers may do next to nothing.

/// pipe2: both ends non-blocking and closed on exec; -1 and errno.
int clinux_pipe(int ends[2]);

/// Has every arriving `signal` written, as one byte, to a descriptor that does not block; the same for all signals.
/// -1 gives the signal its default action back. 0, or an errno.
int clinux_deliver_signal(int signal, int descriptor);

#endif
