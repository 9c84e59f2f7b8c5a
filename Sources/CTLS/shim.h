// libssl, with functions for those of its calls that are macros, which Swift does not import.
#ifndef CTLS_SHIM_H
#define CTLS_SHIM_H

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

static inline int ctls_set_lowest_version(SSL_CTX *context, int version) {
    return SSL_CTX_set_min_proto_version(context, version);
}

static inline long ctls_set_mode(SSL_CTX *context, long mode) { return SSL_CTX_set_mode(context, mode); }

static inline long ctls_set_session_cache(SSL_CTX *context, long mode) {
    return SSL_CTX_set_session_cache_mode(context, mode);
}

static inline int ctls_set_name(SSL *session, const char *name) { return (int)SSL_set_tlsext_host_name(session, name); }

static inline int ctls_set_groups(SSL_CTX *context, const char *names) {
    return (int)SSL_CTX_set1_groups_list(context, names);
}

typedef int ctls_name_callback(SSL *session, int *alert, void *argument);

/// Sets the function that is called for each server name that a client indicates (RFC 6066 §3).
static inline void ctls_set_name_callback(SSL_CTX *context, ctls_name_callback *callback, void *argument) {
    SSL_CTX_set_tlsext_servername_callback(context, callback);
    SSL_CTX_set_tlsext_servername_arg(context, argument);
}

static int ctls_no_pass_phrase(char *buffer, int size, int is_writing, void *argument) {
    (void)buffer, (void)size, (void)is_writing, (void)argument;
    return 0;
}

/// Makes loading an encrypted key fail instead of asking for its pass phrase on the terminal.
static inline void ctls_ask_nobody(SSL_CTX *context) {
    SSL_CTX_set_default_passwd_cb(context, ctls_no_pass_phrase);
}

/// Makes a session pass its keys to the kernel if that accepts them.
static inline void ctls_ask_kernel_to_seal(SSL *session) { SSL_set_options(session, SSL_OP_ENABLE_KTLS); }

/// Whether the kernel encrypts what is written to a socket.
static inline int ctls_kernel_seals(BIO *bio) { return BIO_get_ktls_send(bio) ? 1 : 0; }

static inline void ctls_want_more_input(BIO *bio) { BIO_set_retry_read(bio); }
static inline void ctls_want_no_more(BIO *bio) { BIO_clear_retry_flags(bio); }

#endif
