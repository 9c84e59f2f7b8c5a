-- Webhooks: URLs that receive the entries of an app's audit log in their order (decision 0069).
CREATE TABLE webhooks (
    id bigint PRIMARY KEY,
    app text COLLATE "C" NOT NULL REFERENCES apps (id),
    kind text COLLATE "C" NOT NULL CHECK (kind IN ('standard', 'slack', 'feishu', 'dingtalk')),
    -- A JSON object with the URL and the secrets, encrypted if the server has a key for that.
    endpoint bytea NOT NULL CHECK (length(endpoint) > 0),
    sealed bigint NOT NULL CHECK (sealed IN (0, 1)),
    -- The patterns of actions: a JSON array.
    events text COLLATE "C" NOT NULL CHECK (events LIKE '[%]'),
    created_at bigint NOT NULL,
    -- Grows with each change by an operator, and with a pause.
    revision bigint NOT NULL CHECK (revision > 0),
    paused_at bigint,
    paused_because text COLLATE "C",
    -- The newest audit entry that was delivered or that no pattern matches.
    through bigint NOT NULL CHECK (through >= 0),
    -- The failed attempts since the last delivery, and the time of the first of them.
    attempts bigint NOT NULL CHECK (attempts >= 0),
    failing_since bigint,
    next_at bigint NOT NULL,
    -- The number of the newest row in webhook_deliveries.
    deliveries bigint NOT NULL CHECK (deliveries >= 0),
    CHECK ((paused_at IS NULL) = (paused_because IS NULL)),
    CHECK ((attempts = 0) = (failing_since IS NULL))
);

CREATE TRIGGER webhooks_are_numbered BEFORE INSERT ON webhooks FOR EACH ROW EXECUTE FUNCTION assign_id();

CREATE INDEX webhooks_by_app ON webhooks (app);

-- The newest attempts of each webhook.
CREATE TABLE webhook_deliveries (
    webhook bigint NOT NULL REFERENCES webhooks (id) ON DELETE CASCADE,
    number bigint NOT NULL CHECK (number > 0),
    -- The id of the audit entry; absent for a test call.
    entry bigint,
    event text COLLATE "C" NOT NULL CHECK (event <> ''),
    time bigint NOT NULL,
    milliseconds bigint NOT NULL CHECK (milliseconds >= 0),
    outcome text COLLATE "C" NOT NULL CHECK (outcome IN ('delivered', 'rejected', 'unreachable', 'forbidden')),
    status bigint,
    reason text COLLATE "C" NOT NULL,
    PRIMARY KEY (webhook, number)
);

-- The entries of an app after an id.
CREATE INDEX audit_by_app ON audit (app, id);
