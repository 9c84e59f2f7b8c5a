#define _GNU_SOURCE
#include "clinux.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>

int clinux_accept(int listener) {
    return accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
}

void clinux_name_thread(const char *name) {
    (void)pthread_setname_np(pthread_self(), name);
}

int clinux_exchange(const char *left, const char *right) {
    return renameat2(AT_FDCWD, left, AT_FDCWD, right, RENAME_EXCHANGE);
}
