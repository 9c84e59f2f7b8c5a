-- The rules by which CI jobs get short-lived tokens for identity tokens (decision 0085).
CREATE TABLE ci_trusts (
    name text COLLATE "C" NOT NULL PRIMARY KEY,
    issuer text COLLATE "C" NOT NULL,
    audience text COLLATE "C" NOT NULL,
    -- An object of patterns by claim.
    claims text COLLATE "C" NOT NULL,
    role text COLLATE "C" NOT NULL CHECK (role IN ('viewer', 'publisher', 'releaser')),
    -- The scope, as of tokens.
    app text COLLATE "C" REFERENCES apps (id),
    channel text COLLATE "C",
    lifetime_seconds bigint NOT NULL CHECK (lifetime_seconds BETWEEN 60 AND 3600),
    FOREIGN KEY (app, channel) REFERENCES channels (app, name),
    CHECK (channel IS NULL OR app IS NOT NULL)
);

-- The CI trust by which a job got the token; NULL for tokens that operators made. The trust may be deleted.
ALTER TABLE tokens ADD COLUMN trust text COLLATE "C";

-- For the tokens that are forgotten.
CREATE INDEX tokens_by_trust_expiry ON tokens (expires_at) WHERE trust IS NOT NULL;
