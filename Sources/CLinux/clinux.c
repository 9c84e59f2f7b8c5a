#define _GNU_SOURCE
#include "clinux.h"

#include <pthread.h>

int clinux_accept(int listener) {
    return accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
}

void clinux_name_thread(const char *name) {
    (void)pthread_setname_np(pthread_self(), name);
}
