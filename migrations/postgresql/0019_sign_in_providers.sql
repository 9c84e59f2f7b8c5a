-- The providers of OpenID Connect by which people sign in (decision 0087).
CREATE TABLE sign_in_providers (
    name text COLLATE "C" NOT NULL PRIMARY KEY,
    issuer text COLLATE "C" NOT NULL UNIQUE,
    label text COLLATE "C" NOT NULL,
    client_id text COLLATE "C" NOT NULL,
    -- The client secret, encrypted if the server has a key for that.
    secret bytea NOT NULL CHECK (octet_length(secret) > 0),
    sealed bigint NOT NULL CHECK (sealed IN (0, 1)),
    -- An array of texts.
    scopes text COLLATE "C" NOT NULL,
    user_claim text COLLATE "C" NOT NULL,
    groups_claim text COLLATE "C" NOT NULL,
    revision bigint NOT NULL CHECK (revision > 0)
);

-- The grants of the groups of a provider.
CREATE TABLE sign_in_grants (
    provider text COLLATE "C" NOT NULL REFERENCES sign_in_providers (name) ON DELETE CASCADE,
    number bigint NOT NULL CHECK (number > 0),
    group_name text COLLATE "C" NOT NULL,
    role text COLLATE "C" NOT NULL CHECK (role IN ('viewer', 'publisher', 'releaser', 'admin')),
    -- The scope, as of users.
    app text COLLATE "C" REFERENCES apps (id),
    channel text COLLATE "C",
    PRIMARY KEY (provider, number),
    FOREIGN KEY (app, channel) REFERENCES channels (app, name),
    CHECK (channel IS NULL OR app IS NOT NULL)
);

-- The people whom providers have identified. The provider may be deleted.
CREATE TABLE user_identities (
    user_id bigint NOT NULL PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
    issuer text COLLATE "C" NOT NULL,
    subject text COLLATE "C" NOT NULL,
    provider text COLLATE "C" NOT NULL,
    UNIQUE (issuer, subject)
);

CREATE INDEX user_identities_by_provider ON user_identities (provider);

-- The open attempts to sign in by a provider.
CREATE TABLE sign_in_attempts (
    -- The SHA-256 of the state that the provider passes back, and of the secret in the browser's cookie.
    state_hash bytea NOT NULL PRIMARY KEY CHECK (octet_length(state_hash) = 32),
    browser_hash bytea NOT NULL CHECK (octet_length(browser_hash) = 32),
    provider text COLLATE "C" NOT NULL REFERENCES sign_in_providers (name) ON DELETE CASCADE,
    destination text COLLATE "C" NOT NULL,
    -- The addresses that count as one.
    address_group text COLLATE "C" NOT NULL,
    created_at bigint NOT NULL
);

CREATE INDEX sign_in_attempts_by_time ON sign_in_attempts (created_at);

CREATE INDEX sign_in_attempts_by_address ON sign_in_attempts (address_group, created_at);

CREATE INDEX sign_in_attempts_by_provider ON sign_in_attempts (provider);
