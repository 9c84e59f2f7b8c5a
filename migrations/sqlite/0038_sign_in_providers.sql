-- The providers of OpenID Connect by which people sign in (decision 0087).
CREATE TABLE sign_in_providers (
    name TEXT NOT NULL PRIMARY KEY,
    issuer TEXT NOT NULL UNIQUE,
    label TEXT NOT NULL,
    client_id TEXT NOT NULL,
    -- The client secret, encrypted if the server has a key for that.
    secret BLOB NOT NULL CHECK (length(secret) > 0),
    sealed INTEGER NOT NULL CHECK (sealed IN (0, 1)),
    -- An array of texts.
    scopes TEXT NOT NULL,
    user_claim TEXT NOT NULL,
    groups_claim TEXT NOT NULL,
    revision INTEGER NOT NULL CHECK (revision > 0)
) STRICT, WITHOUT ROWID;

-- The grants of the groups of a provider.
CREATE TABLE sign_in_grants (
    provider TEXT NOT NULL REFERENCES sign_in_providers (name) ON DELETE CASCADE,
    number INTEGER NOT NULL CHECK (number > 0),
    group_name TEXT NOT NULL,
    role TEXT NOT NULL CHECK (role IN ('viewer', 'publisher', 'releaser', 'admin')),
    -- The scope, as of users.
    app TEXT REFERENCES apps (id),
    channel TEXT,
    PRIMARY KEY (provider, number),
    FOREIGN KEY (app, channel) REFERENCES channels (app, name),
    CHECK (channel IS NULL OR app IS NOT NULL)
) STRICT, WITHOUT ROWID;

-- The people whom providers have identified. The provider may be deleted.
CREATE TABLE user_identities (
    user_id INTEGER NOT NULL PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
    issuer TEXT NOT NULL,
    subject TEXT NOT NULL,
    provider TEXT NOT NULL,
    UNIQUE (issuer, subject)
) STRICT, WITHOUT ROWID;

CREATE INDEX user_identities_by_provider ON user_identities (provider);

-- The open attempts to sign in by a provider.
CREATE TABLE sign_in_attempts (
    -- The SHA-256 of the state that the provider passes back, and of the secret in the browser's cookie.
    state_hash BLOB NOT NULL PRIMARY KEY CHECK (length(state_hash) = 32),
    browser_hash BLOB NOT NULL CHECK (length(browser_hash) = 32),
    provider TEXT NOT NULL REFERENCES sign_in_providers (name) ON DELETE CASCADE,
    destination TEXT NOT NULL,
    -- The addresses that count as one.
    address_group TEXT NOT NULL,
    created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX sign_in_attempts_by_time ON sign_in_attempts (created_at);

CREATE INDEX sign_in_attempts_by_address ON sign_in_attempts (address_group, created_at);

CREATE INDEX sign_in_attempts_by_provider ON sign_in_attempts (provider);
