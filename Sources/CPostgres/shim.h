#ifndef CPOSTGRES_SHIM_H
#define CPOSTGRES_SHIM_H

#include <libpq-fe.h>

/// Wraps the macros of postgres_ext.h, which Swift imports as integers of C without their type of C.
static inline int larder_diagnostic_sqlstate(void) { return PG_DIAG_SQLSTATE; }
static inline int larder_diagnostic_message(void) { return PG_DIAG_MESSAGE_PRIMARY; }

#endif
