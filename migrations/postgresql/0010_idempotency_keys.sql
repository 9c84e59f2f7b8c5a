-- The Idempotency-Keys of requests that made a change, so that a retry gets the kept response (decision 0078).
CREATE TABLE idempotency_keys (
    token bigint NOT NULL REFERENCES tokens (id),
    key text COLLATE "C" NOT NULL CHECK (length(key) BETWEEN 1 AND 255),
    -- Random bytes that identify the request among its retries.
    request bytea NOT NULL CHECK (length(request) = 16),
    claimed_at bigint NOT NULL CHECK (claimed_at >= 0),
    -- The SHA-256 of method, target and body; NULL until the request has ended.
    fingerprint bytea CHECK (length(fingerprint) = 32),
    -- The response; NULL if it is not kept.
    status bigint CHECK (status BETWEEN 200 AND 299),
    content_type text COLLATE "C",
    location text COLLATE "C",
    tag text COLLATE "C",
    body bytea CHECK (length(body) <= 65536),
    PRIMARY KEY (token, key),
    CHECK ((status IS NULL) = (body IS NULL)),
    CHECK (status IS NULL OR fingerprint IS NOT NULL)
);

-- For the keys that are forgotten.
CREATE INDEX idempotency_keys_by_time ON idempotency_keys (claimed_at);
