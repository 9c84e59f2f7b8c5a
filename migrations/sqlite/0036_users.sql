-- People who operate the server, with passwords and sessions (decision 0080).
CREATE TABLE users (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL UNIQUE CHECK (length(name) BETWEEN 1 AND 64),
    disabled INTEGER NOT NULL CHECK (disabled IN (0, 1)),
    created_at INTEGER NOT NULL,
    signed_in_at INTEGER,
    -- The scrypt of the password, with its salt and cost.
    password BLOB NOT NULL CHECK (length(password) = 32),
    salt BLOB NOT NULL CHECK (length(salt) = 16),
    log_n INTEGER NOT NULL CHECK (log_n BETWEEN 1 AND 24),
    r INTEGER NOT NULL CHECK (r BETWEEN 1 AND 64),
    p INTEGER NOT NULL CHECK (p BETWEEN 1 AND 64),
    -- The second factor, a JSON object, encrypted if the server has a key for that; NULL without one.
    factor BLOB CHECK (length(factor) > 0),
    sealed INTEGER NOT NULL CHECK (sealed IN (0, 1)),
    -- Whether signing in needs a code of the second factor.
    confirmed INTEGER NOT NULL CHECK (confirmed IN (0, 1)),
    -- Grows with each change by an operator.
    revision INTEGER NOT NULL CHECK (revision > 0),
    CHECK (factor IS NOT NULL OR (sealed = 0 AND confirmed = 0))
) STRICT;

CREATE TABLE user_grants (
    user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    number INTEGER NOT NULL CHECK (number > 0),
    role TEXT NOT NULL CHECK (role IN ('viewer', 'publisher', 'releaser', 'admin')),
    -- The scope: NULL for everything, an app, or a channel of it.
    app TEXT REFERENCES apps (id),
    channel TEXT,
    PRIMARY KEY (user_id, number),
    FOREIGN KEY (app, channel) REFERENCES channels (app, name),
    CHECK (channel IS NULL OR app IS NOT NULL)
) STRICT, WITHOUT ROWID;

CREATE TABLE sessions (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    secret_hash BLOB NOT NULL UNIQUE CHECK (length(secret_hash) = 32),
    created_at INTEGER NOT NULL,
    used_at INTEGER NOT NULL CHECK (used_at >= created_at),
    -- The address at sign-in.
    address TEXT NOT NULL
) STRICT;

CREATE INDEX sessions_by_user ON sessions (user_id);

CREATE INDEX sessions_by_time ON sessions (created_at);

-- Keys of requests belong to a token or a user: 'token:2' or 'user:3'.
CREATE TABLE new_idempotency_keys (
    holder TEXT NOT NULL CHECK (holder GLOB 'token:[0-9]*' OR holder GLOB 'user:[0-9]*'),
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
    PRIMARY KEY (holder, key),
    CHECK ((status IS NULL) = (body IS NULL)),
    CHECK (status IS NULL OR fingerprint IS NOT NULL)
) STRICT, WITHOUT ROWID;

INSERT INTO new_idempotency_keys
SELECT 'token:' || token, key, request, claimed_at, fingerprint, status, content_type, location, tag, body
FROM idempotency_keys;

DROP TABLE idempotency_keys;
ALTER TABLE new_idempotency_keys RENAME TO idempotency_keys;

-- For the keys that are forgotten.
CREATE INDEX idempotency_keys_by_time ON idempotency_keys (claimed_at);
