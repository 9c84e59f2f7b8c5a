#ifndef CPOSTGRES_SHIM_H
#define CPOSTGRES_SHIM_H

#include <libpq-fe.h>

/// Return macros of postgres_ext.h, which are character literals, as the type that `PQresultErrorField` takes.
static inline int larder_diagnostic_sqlstate(void) { return PG_DIAG_SQLSTATE; }
static inline int larder_diagnostic_message(void) { return PG_DIAG_MESSAGE_PRIMARY; }

#endif
