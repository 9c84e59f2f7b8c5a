-- Releases on protected channels that wait for a second person (decision 0081).
ALTER TABLE channels ADD COLUMN approvals bigint NOT NULL DEFAULT 0 CHECK (approvals IN (0, 1));

CREATE TABLE approvals (
    id bigint PRIMARY KEY,
    app text COLLATE "C" NOT NULL REFERENCES apps (id),
    channel text COLLATE "C" NOT NULL,
    state text COLLATE "C" NOT NULL CHECK (state IN ('pending', 'approved', 'rejected', 'withdrawn', 'expired')),
    action text COLLATE "C" NOT NULL,
    -- An array of the ids of the packages.
    packages text COLLATE "C" NOT NULL,
    -- The version of a single release.
    version text COLLATE "C",
    -- The release or the release set; NULL until an approved request has made it.
    release bigint,
    release_set bigint,
    -- The token or user that sent the request: 'token:2' or 'user:3'.
    requester text COLLATE "C" NOT NULL CHECK (requester ~ '^(token|user):[0-9]+$'),
    requested_by text COLLATE "C" NOT NULL,
    address text COLLATE "C" NOT NULL,
    requested_at bigint NOT NULL,
    expires_at bigint NOT NULL CHECK (expires_at > requested_at),
    reason text COLLATE "C",
    -- The body of the request, an object.
    request text COLLATE "C" NOT NULL CHECK (length(request) <= 16384),
    summary text COLLATE "C" NOT NULL,
    -- The members before and after the change.
    change text COLLATE "C" NOT NULL,
    -- The revisions of the releases, and the terms of a new one, that the change is for.
    basis text COLLATE "C" NOT NULL,
    estimate text COLLATE "C",
    decided_by text COLLATE "C",
    decided_at bigint,
    comment text COLLATE "C",
    FOREIGN KEY (app, channel) REFERENCES channels (app, name),
    CHECK (release IS NULL OR release_set IS NULL),
    CHECK ((state = 'pending') = (decided_at IS NULL)),
    CHECK ((decided_by IS NULL) = (decided_at IS NULL))
);

CREATE TRIGGER approvals_are_numbered BEFORE INSERT ON approvals FOR EACH ROW EXECUTE FUNCTION assign_id();

CREATE INDEX approvals_by_channel ON approvals (app, channel);

-- For requests that expire.
CREATE INDEX approvals_pending ON approvals (expires_at) WHERE state = 'pending';
