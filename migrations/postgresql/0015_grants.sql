-- Tokens with a scope, an expiry, an owner and a former secret (decision 0079).
ALTER TABLE tokens DROP CONSTRAINT tokens_role_check;

ALTER TABLE tokens ADD CONSTRAINT tokens_role_check CHECK (role IN ('viewer', 'publisher', 'releaser', 'admin'));

-- The scope: NULL for everything, an app, or a channel of it.
ALTER TABLE tokens ADD COLUMN app text COLLATE "C" REFERENCES apps (id);

ALTER TABLE tokens ADD COLUMN channel text COLLATE "C";

-- The name of the operator who created the token; NULL in older rows.
ALTER TABLE tokens ADD COLUMN owner text COLLATE "C";

ALTER TABLE tokens ADD COLUMN expires_at bigint;

ALTER TABLE tokens ADD COLUMN last_used_at bigint;

-- The secret before the latest rotation, and its end.
ALTER TABLE tokens ADD COLUMN previous_hash bytea UNIQUE CHECK (octet_length(previous_hash) = 32);

ALTER TABLE tokens ADD COLUMN previous_until bigint;

-- Grows with each change by an operator.
ALTER TABLE tokens ADD COLUMN revision bigint NOT NULL DEFAULT 1 CHECK (revision > 0);

ALTER TABLE tokens ADD FOREIGN KEY (app, channel) REFERENCES channels (app, name);

ALTER TABLE tokens ADD CHECK (channel IS NULL OR app IS NOT NULL);

ALTER TABLE tokens ADD CHECK ((previous_hash IS NULL) = (previous_until IS NULL));
