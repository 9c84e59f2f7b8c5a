-- Releases on protected channels that wait for a second person (decision 0081).
ALTER TABLE channels ADD COLUMN approvals INTEGER NOT NULL DEFAULT 0 CHECK (approvals IN (0, 1));

CREATE TABLE approvals (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    app TEXT NOT NULL REFERENCES apps (id),
    channel TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('pending', 'approved', 'rejected', 'withdrawn', 'expired')),
    action TEXT NOT NULL,
    -- An array of the ids of the packages.
    packages TEXT NOT NULL,
    -- The version of a single release.
    version TEXT,
    -- The release or the release set; NULL until an approved request has made it.
    release INTEGER,
    release_set INTEGER,
    -- The token or user that sent the request: 'token:2' or 'user:3'.
    requester TEXT NOT NULL CHECK (requester GLOB 'token:[0-9]*' OR requester GLOB 'user:[0-9]*'),
    requested_by TEXT NOT NULL,
    address TEXT NOT NULL,
    requested_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL CHECK (expires_at > requested_at),
    reason TEXT,
    -- The body of the request, an object.
    request TEXT NOT NULL CHECK (length(request) <= 16384),
    summary TEXT NOT NULL,
    -- The members before and after the change.
    change TEXT NOT NULL,
    -- The revisions of the releases, and the terms of a new one, that the change is for.
    basis TEXT NOT NULL,
    estimate TEXT,
    decided_by TEXT,
    decided_at INTEGER,
    comment TEXT,
    FOREIGN KEY (app, channel) REFERENCES channels (app, name),
    CHECK (release IS NULL OR release_set IS NULL),
    CHECK ((state = 'pending') = (decided_at IS NULL)),
    CHECK ((decided_by IS NULL) = (decided_at IS NULL))
) STRICT;

CREATE INDEX approvals_by_channel ON approvals (app, channel);

-- For requests that expire.
CREATE INDEX approvals_pending ON approvals (expires_at) WHERE state = 'pending';
