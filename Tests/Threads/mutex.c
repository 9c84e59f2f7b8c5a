// Informs ThreadSanitizer of the order that `Synchronization.Mutex` enforces between its holders.
//
// The slow paths of Swift's mutex are in a library that is not instrumented, and the kernel itself changes the word (a futex with
// priority inheritance). A contended lock is therefore invisible to the sanitizer, which reports every access under it as a race.
// This library is preloaded, replaces those two functions, calls the real ones, and reports the order to the sanitizer. It hides no
// other race: scripts/check-threads first shows that a race without a lock is still found.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>

#define LOCK_SLOW "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define UNLOCK_SLOW "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"
#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context))

// Absent in programs without the sanitizer.
extern void __tsan_acquire(void *address) __attribute__((weak));
extern void __tsan_release(void *address) __attribute__((weak));

typedef SWIFT void Lock(uint32_t thread, SELF void *handle);
typedef SWIFT void Unlock(SELF void *handle);

static Lock *real_lock;
static Unlock *real_unlock;

__attribute__((constructor)) static void find(void) {
    real_lock = (Lock *)dlsym(RTLD_NEXT, LOCK_SLOW);
    real_unlock = (Unlock *)dlsym(RTLD_NEXT, UNLOCK_SLOW);
}

SWIFT void lock_slow(uint32_t thread, SELF void *handle) __asm__(LOCK_SLOW);
SWIFT void lock_slow(uint32_t thread, SELF void *handle) {
    if (!real_lock) abort();
    real_lock(thread, handle);
    if (__tsan_acquire) __tsan_acquire(handle);
}

SWIFT void unlock_slow(SELF void *handle) __asm__(UNLOCK_SLOW);
SWIFT void unlock_slow(SELF void *handle) {
    if (!real_unlock) abort();
    if (__tsan_release) __tsan_release(handle);
    real_unlock(handle);
}
