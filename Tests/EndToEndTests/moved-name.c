// Moves the name "moving.test" of one process between two addresses, by LD_PRELOAD: each resolution with an odd number
// has 127.0.0.2, and each other one 127.0.0.1, like a name server whose entries live for no second.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <netdb.h>
#include <stdatomic.h>
#include <string.h>

static atomic_uint resolutions;

int getaddrinfo(
    const char *restrict node, const char *restrict service, const struct addrinfo *restrict hints,
    struct addrinfo **restrict result) {
    int (*next)(const char *, const char *, const struct addrinfo *, struct addrinfo **) = dlsym(RTLD_NEXT, "getaddrinfo");
    if (!node || strcmp(node, "moving.test") != 0) return next(node, service, hints, result);
    return next(atomic_fetch_add(&resolutions, 1) % 2 == 0 ? "127.0.0.2" : "127.0.0.1", service, hints, result);
}
