-- People who operate the server, with passwords and sessions (decision 0080).
CREATE TABLE users (
    id bigint PRIMARY KEY,
    name text COLLATE "C" NOT NULL UNIQUE CHECK (length(name) BETWEEN 1 AND 64),
    disabled bigint NOT NULL CHECK (disabled IN (0, 1)),
    created_at bigint NOT NULL,
    signed_in_at bigint,
    -- The scrypt of the password, with its salt and cost.
    password bytea NOT NULL CHECK (octet_length(password) = 32),
    salt bytea NOT NULL CHECK (octet_length(salt) = 16),
    log_n bigint NOT NULL CHECK (log_n BETWEEN 1 AND 24),
    r bigint NOT NULL CHECK (r BETWEEN 1 AND 64),
    p bigint NOT NULL CHECK (p BETWEEN 1 AND 64),
    -- The second factor, a JSON object, encrypted if the server has a key for that; NULL without one.
    factor bytea CHECK (octet_length(factor) > 0),
    sealed bigint NOT NULL CHECK (sealed IN (0, 1)),
    -- Whether signing in needs a code of the second factor.
    confirmed bigint NOT NULL CHECK (confirmed IN (0, 1)),
    -- Grows with each change by an operator.
    revision bigint NOT NULL CHECK (revision > 0),
    CHECK (factor IS NOT NULL OR (sealed = 0 AND confirmed = 0))
);

CREATE TRIGGER users_are_numbered BEFORE INSERT ON users FOR EACH ROW EXECUTE FUNCTION assign_id();

CREATE TABLE user_grants (
    user_id bigint NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    number bigint NOT NULL CHECK (number > 0),
    role text COLLATE "C" NOT NULL CHECK (role IN ('viewer', 'publisher', 'releaser', 'admin')),
    -- The scope: NULL for everything, an app, or a channel of it.
    app text COLLATE "C" REFERENCES apps (id),
    channel text COLLATE "C",
    PRIMARY KEY (user_id, number),
    FOREIGN KEY (app, channel) REFERENCES channels (app, name),
    CHECK (channel IS NULL OR app IS NOT NULL)
);

CREATE TABLE sessions (
    id bigint PRIMARY KEY,
    user_id bigint NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    secret_hash bytea NOT NULL UNIQUE CHECK (octet_length(secret_hash) = 32),
    created_at bigint NOT NULL,
    used_at bigint NOT NULL CHECK (used_at >= created_at),
    -- The address at sign-in.
    address text COLLATE "C" NOT NULL
);

CREATE TRIGGER sessions_are_numbered BEFORE INSERT ON sessions FOR EACH ROW EXECUTE FUNCTION assign_id();

CREATE INDEX sessions_by_user ON sessions (user_id);

CREATE INDEX sessions_by_time ON sessions (created_at);

-- Keys of requests belong to a token or a user: 'token:2' or 'user:3'.
ALTER TABLE idempotency_keys DROP CONSTRAINT idempotency_keys_token_fkey;

ALTER TABLE idempotency_keys ALTER COLUMN token TYPE text COLLATE "C" USING 'token:' || token;

ALTER TABLE idempotency_keys RENAME COLUMN token TO holder;

ALTER TABLE idempotency_keys ADD CHECK (holder ~ '^(token|user):[0-9]+$');
