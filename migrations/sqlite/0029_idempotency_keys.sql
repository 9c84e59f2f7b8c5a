-- The Idempotency-Keys of requests that made a change, so that a retry gets the kept response (decision 0078).
CREATE TABLE idempotency_keys (
    token INTEGER NOT NULL REFERENCES tokens (id),
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

-- For the keys that are forgotten.
CREATE INDEX idempotency_keys_by_time ON idempotency_keys (claimed_at);
