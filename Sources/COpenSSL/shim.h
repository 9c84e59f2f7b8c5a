#ifndef COPENSSL_SHIM_H
#define COPENSSL_SHIM_H

#include <openssl/evp.h>
#include <openssl/rsa.h>
#include <openssl/core_names.h>
#include <openssl/decoder.h>
#include <openssl/encoder.h>
#include <openssl/err.h>
#include <openssl/rand.h>
#include <openssl/crypto.h>

/// Wraps OPENSSL_free, a macro with the source location, which Swift does not import.
static inline void larder_openssl_free(void *memory) { OPENSSL_free(memory); }

#endif
