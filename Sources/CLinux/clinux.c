#define _GNU_SOURCE
#include "clinux.h"

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/ioctl.h>
#include <linux/sockios.h>
#include <locale.h>
#include <wchar.h>
#include <unistd.h>
#include <stdio.h>

int clinux_accept(int listener, int *family, unsigned char address[16]) {
    struct sockaddr_storage peer = {0};
    socklen_t size = sizeof peer;
    int number = accept4(listener, (struct sockaddr *)&peer, &size, SOCK_NONBLOCK | SOCK_CLOEXEC);
    *family = peer.ss_family;
    if (peer.ss_family == AF_INET) memcpy(address, &((struct sockaddr_in *)&peer)->sin_addr, 4);
    if (peer.ss_family == AF_INET6) memcpy(address, &((struct sockaddr_in6 *)&peer)->sin6_addr, 16);
    return number;
}

int clinux_unacknowledged(int socket, int *count) {
    return ioctl(socket, SIOCOUTQ, count);
}

int clinux_close_from(posix_spawn_file_actions_t *actions, int first) {
    return posix_spawn_file_actions_addclosefrom_np(actions, first);
}

int clinux_pipe(int ends[2]) {
    return pipe2(ends, O_NONBLOCK | O_CLOEXEC);
}

void clinux_name_thread(const char *name) {
    (void)pthread_setname_np(pthread_self(), name);
}

void clinux_return_blocks_from(int bytes) {
    (void)mallopt(M_MMAP_THRESHOLD, bytes);
}

void clinux_return_freed(void) {
    (void)malloc_trim(0);
}

int clinux_exchange(const char *left, const char *right) {
    return renameat2(AT_FDCWD, left, AT_FDCWD, right, RENAME_EXCHANGE);
}

int clinux_wait(sem_t *semaphore, const struct timespec *moment) {
    return sem_clockwait(semaphore, CLOCK_MONOTONIC, moment);
}

static atomic_int signal_descriptor = -1;

static void deliver(int signal) {
    int saved = errno;
    unsigned char byte = (unsigned char)signal;
    ssize_t written = write(atomic_load(&signal_descriptor), &byte, 1);
    (void)written;
    errno = saved;
}

int clinux_deliver_signal(int signal, int descriptor) {
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_flags = SA_RESTART;
    action.sa_handler = descriptor < 0 ? SIG_DFL : deliver;
    atomic_store(&signal_descriptor, descriptor);
    return sigaction(signal, &action, NULL) == 0 ? 0 : errno;
}

static locale_t characters;

static void open_characters(void) { characters = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0); }

int clinux_columns(unsigned int character) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, open_characters);
    // Without the locale, which belongs to the C library, every character counts as one.
    if (characters == (locale_t)0) { return 1; }
    locale_t former = uselocale(characters);
    int columns = wcwidth((wchar_t)character);
    uselocale(former);
    return columns > 0 ? columns : 0;
}
