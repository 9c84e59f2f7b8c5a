-- Tokens with a scope, an expiry, an owner and a former secret (decision 0079). SQLite changes no CHECK, so the table is
-- made anew under its name, and with it the one that refers to it.
CREATE TABLE new_tokens (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL,
    role TEXT NOT NULL CHECK (role IN ('viewer', 'publisher', 'releaser', 'admin')),
    secret_hash BLOB NOT NULL UNIQUE CHECK (length(secret_hash) = 32),
    created_at INTEGER NOT NULL,
    revoked_at INTEGER,
    -- The scope: NULL for everything, an app, or a channel of it.
    app TEXT REFERENCES apps (id),
    channel TEXT,
    -- The name of the operator who created the token; NULL in older rows.
    owner TEXT,
    expires_at INTEGER,
    last_used_at INTEGER,
    -- The secret before the latest rotation, and its end.
    previous_hash BLOB UNIQUE CHECK (length(previous_hash) = 32),
    previous_until INTEGER,
    -- Grows with each change by an operator.
    revision INTEGER NOT NULL DEFAULT 1 CHECK (revision > 0),
    FOREIGN KEY (app, channel) REFERENCES channels (app, name),
    CHECK (channel IS NULL OR app IS NOT NULL),
    CHECK ((previous_hash IS NULL) = (previous_until IS NULL))
) STRICT;

INSERT INTO new_tokens (id, name, role, secret_hash, created_at, revoked_at)
SELECT id, name, role, secret_hash, created_at, revoked_at FROM tokens;

CREATE TABLE new_idempotency_keys (
    token INTEGER NOT NULL REFERENCES new_tokens (id),
    key TEXT NOT NULL CHECK (length(key) BETWEEN 1 AND 255),
    -- Random bytes that identify the request among its retries.
    request BLOB NOT NULL CHECK (length(request) = 16),
    claimed_at INTEGER NOT NULL CHECK (claimed_at >= 0),
    -- The SHA-256 of method, target and body; NULL until the request has ended.
    fingerprint BLOB CHECK (length(fingerprint) = 32),
    -- The response; NULL if it is not kept.
    status INTEGER CHECK (status BETWEEN 200 AND 299),
    content_type TEXT,
    location TEXT,
    tag TEXT,
    body BLOB CHECK (length(body) <= 65536),
    PRIMARY KEY (token, key),
    CHECK ((status IS NULL) = (body IS NULL)),
    CHECK (status IS NULL OR fingerprint IS NOT NULL)
) STRICT, WITHOUT ROWID;

INSERT INTO new_idempotency_keys SELECT * FROM idempotency_keys;

DROP TABLE idempotency_keys;
DROP TABLE tokens;
ALTER TABLE new_tokens RENAME TO tokens;
ALTER TABLE new_idempotency_keys RENAME TO idempotency_keys;

-- For the keys that are forgotten.
CREATE INDEX idempotency_keys_by_time ON idempotency_keys (claimed_at);
