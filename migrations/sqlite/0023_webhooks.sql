-- Webhooks: URLs that receive the entries of an app's audit log in their order (decision 0069).
CREATE TABLE webhooks (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    app TEXT NOT NULL REFERENCES apps (id),
    kind TEXT NOT NULL CHECK (kind IN ('standard', 'slack', 'feishu', 'dingtalk')),
    -- A JSON object with the URL and the secrets, encrypted if the server has a key for that.
    endpoint BLOB NOT NULL CHECK (length(endpoint) > 0),
    sealed INTEGER NOT NULL CHECK (sealed IN (0, 1)),
    -- The patterns of actions: a JSON array.
    events TEXT NOT NULL CHECK (events GLOB '[[]*]'),
    created_at INTEGER NOT NULL,
    -- Grows with each change by an operator, and with a pause.
    revision INTEGER NOT NULL CHECK (revision > 0),
    paused_at INTEGER,
    paused_because TEXT,
    -- The newest audit entry that was delivered or that no pattern matches.
    through INTEGER NOT NULL CHECK (through >= 0),
    -- The failed attempts since the last delivery, and the time of the first of them.
    attempts INTEGER NOT NULL CHECK (attempts >= 0),
    failing_since INTEGER,
    next_at INTEGER NOT NULL,
    -- The number of the newest row in webhook_deliveries.
    deliveries INTEGER NOT NULL CHECK (deliveries >= 0),
    CHECK ((paused_at IS NULL) = (paused_because IS NULL)),
    CHECK ((attempts = 0) = (failing_since IS NULL))
) STRICT;

CREATE INDEX webhooks_by_app ON webhooks (app);

-- The newest attempts of each webhook.
CREATE TABLE webhook_deliveries (
    webhook INTEGER NOT NULL REFERENCES webhooks (id) ON DELETE CASCADE,
    number INTEGER NOT NULL CHECK (number > 0),
    -- The id of the audit entry; absent for a test call.
    entry INTEGER,
    event TEXT NOT NULL CHECK (event <> ''),
    time INTEGER NOT NULL,
    milliseconds INTEGER NOT NULL CHECK (milliseconds >= 0),
    outcome TEXT NOT NULL CHECK (outcome IN ('delivered', 'rejected', 'unreachable', 'forbidden')),
    status INTEGER,
    reason TEXT NOT NULL,
    PRIMARY KEY (webhook, number)
) STRICT, WITHOUT ROWID;

-- The entries of an app after an id.
CREATE INDEX audit_by_app ON audit (app, id);
