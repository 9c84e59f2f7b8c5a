#ifndef COPENSSL_SHIM_H
#define COPENSSL_SHIM_H

#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rsa.h>
#include <openssl/bn.h>
#include <openssl/ec.h>
#include <openssl/ecdsa.h>
#include <openssl/param_build.h>
#include <openssl/core_names.h>
#include <openssl/decoder.h>
#include <openssl/encoder.h>
#include <openssl/err.h>
#include <openssl/rand.h>
#include <openssl/crypto.h>

/// Wraps OPENSSL_free, a macro with the source location, which Swift does not import.
static inline void larder_openssl_free(void *memory) { OPENSSL_free(memory); }

/// EVP_PKEY_PUBLIC_KEY, an expression of other macros, which Swift does not import.
static inline int larder_public_key_selection(void) { return EVP_PKEY_PUBLIC_KEY; }

#endif
