-- What Larder knows, with its invariants. Times are Unix milliseconds; digests are raw bytes. JSON is checked by its
-- braces alone: a schema that is not trusted may not call SQLite's JSON functions.

CREATE TABLE meta (
    only INTEGER PRIMARY KEY CHECK (only = 1),
    epoch TEXT NOT NULL CHECK (length(epoch) = 16 AND epoch NOT GLOB '*[^0-9a-f]*')
) STRICT;

INSERT INTO meta (only, epoch) VALUES (1, lower(hex(randomblob(8))));

CREATE TABLE apps (
    id TEXT NOT NULL PRIMARY KEY
        CHECK (length(id) BETWEEN 1 AND 63 AND id GLOB '[a-z0-9]*' AND id NOT GLOB '*[^a-z0-9-]*'),
    config_version INTEGER NOT NULL CHECK (config_version > 0),
    -- Of the last event; events may go, the count stays.
    sequence INTEGER NOT NULL DEFAULT 0 CHECK (sequence >= 0)
) STRICT, WITHOUT ROWID;

CREATE TABLE channels (
    app TEXT NOT NULL REFERENCES apps (id),
    name TEXT NOT NULL
        CHECK (length(name) BETWEEN 1 AND 63 AND name GLOB '[a-z0-9]*' AND name NOT GLOB '*[^a-z0-9-]*'),
    PRIMARY KEY (app, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE keys (
    number INTEGER PRIMARY KEY,
    app TEXT NOT NULL REFERENCES apps (id),
    id TEXT NOT NULL CHECK (length(id) = 16 AND id NOT GLOB '*[^0-9a-f]*'),
    purpose TEXT NOT NULL CHECK (purpose IN ('root', 'signing', 'legacy')),
    public_key BLOB NOT NULL,
    private_key BLOB,
    created_at INTEGER NOT NULL,
    retired_at INTEGER,
    UNIQUE (app, id),
    CHECK (purpose = 'legacy' OR (length(public_key) = 32 AND private_key IS NOT NULL AND length(private_key) = 32))
) STRICT;

CREATE UNIQUE INDEX keys_in_use ON keys (app, purpose) WHERE retired_at IS NULL;

CREATE TABLE key_documents (
    app TEXT NOT NULL PRIMARY KEY REFERENCES apps (id),
    number INTEGER NOT NULL CHECK (number > 0),
    issued_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL CHECK (expires_at > issued_at),
    document BLOB NOT NULL,
    key_id TEXT NOT NULL,
    signature BLOB NOT NULL,
    FOREIGN KEY (app, key_id) REFERENCES keys (app, id)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER key_document_numbers_grow BEFORE UPDATE ON key_documents WHEN NEW.number <= OLD.number
BEGIN SELECT RAISE(ABORT, 'a key document has a higher number than the one before'); END;

CREATE TABLE packages (
    number INTEGER PRIMARY KEY,
    app TEXT NOT NULL REFERENCES apps (id),
    id TEXT NOT NULL CHECK (
        length(id) BETWEEN 1 AND 64 AND id GLOB '[A-Za-z0-9]*' AND id NOT GLOB '*[^A-Za-z0-9._-]*'
        AND instr(id, '..') = 0),
    folded TEXT NOT NULL CHECK (folded = lower(id)),
    name TEXT NOT NULL,
    entry TEXT CHECK (entry <> ''),
    url_prefix TEXT NOT NULL CHECK (url_prefix GLOB '/*' AND url_prefix GLOB '*/'),
    enabled INTEGER NOT NULL CHECK (enabled IN (0, 1)),
    priority INTEGER NOT NULL,
    UNIQUE (app, folded),
    UNIQUE (app, number)
) STRICT;

CREATE TABLE blobs (
    digest BLOB NOT NULL UNIQUE CHECK (length(digest) = 32),
    size INTEGER NOT NULL CHECK (size >= 0),
    -- What refers to a blob states its size as well, and cannot be wrong about it.
    PRIMARY KEY (digest, size)
) STRICT, WITHOUT ROWID;

CREATE TABLE versions (
    number INTEGER PRIMARY KEY,
    package INTEGER NOT NULL REFERENCES packages (number),
    version TEXT NOT NULL CHECK (
        length(version) BETWEEN 1 AND 64 AND version GLOB '[A-Za-z0-9]*' AND version NOT GLOB '*[^A-Za-z0-9._+-]*'
        AND instr(version, '..') = 0),
    folded TEXT NOT NULL CHECK (folded = lower(version)),
    tree_hash BLOB NOT NULL CHECK (length(tree_hash) = 32),
    identity BLOB NOT NULL CHECK (length(identity) = 32),
    entry TEXT CHECK (entry <> ''),
    url_prefix TEXT NOT NULL CHECK (url_prefix GLOB '/*' AND url_prefix GLOB '*/'),
    -- What the upload's own app.config.json and files.json added, by key.
    app_config TEXT NOT NULL CHECK (app_config GLOB '{*}'),
    file_map TEXT NOT NULL CHECK (file_map GLOB '{*}'),
    file_count INTEGER NOT NULL CHECK (file_count >= 0),
    total_size INTEGER NOT NULL CHECK (total_size >= 0),
    created_at INTEGER NOT NULL,
    UNIQUE (package, folded),
    UNIQUE (package, number)
) STRICT;

CREATE TRIGGER versions_never_change BEFORE UPDATE ON versions
BEGIN SELECT RAISE(ABORT, 'a version never changes'); END;

CREATE TABLE files (
    version INTEGER NOT NULL REFERENCES versions (number),
    path TEXT NOT NULL CHECK (path <> '' AND path NOT GLOB '/*'),
    digest BLOB NOT NULL,
    size INTEGER NOT NULL,
    crc32 INTEGER NOT NULL CHECK (crc32 BETWEEN 0 AND 4294967295),
    deflated_digest BLOB,
    deflated_size INTEGER,
    PRIMARY KEY (version, path),
    FOREIGN KEY (digest, size) REFERENCES blobs (digest, size),
    FOREIGN KEY (deflated_digest, deflated_size) REFERENCES blobs (digest, size),
    CHECK ((deflated_digest IS NULL) = (deflated_size IS NULL)),
    CHECK (deflated_size < size)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER files_never_change BEFORE UPDATE ON files
BEGIN SELECT RAISE(ABORT, 'a version never changes'); END;

CREATE TABLE artifacts (
    number INTEGER PRIMARY KEY,
    package INTEGER NOT NULL,
    version INTEGER NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('full', 'files')),
    base INTEGER CHECK (base <> version),
    base_tree BLOB CHECK (length(base_tree) = 32),
    layout TEXT NOT NULL CHECK (layout <> ''),
    tree BLOB NOT NULL CHECK (length(tree) = 32),
    blob BLOB NOT NULL,
    size INTEGER NOT NULL,
    md5 BLOB NOT NULL CHECK (length(md5) = 16),
    recipe INTEGER NOT NULL CHECK (recipe > 0),
    FOREIGN KEY (package, version) REFERENCES versions (package, number),
    FOREIGN KEY (package, base) REFERENCES versions (package, number),
    FOREIGN KEY (blob, size) REFERENCES blobs (digest, size),
    CHECK ((kind = 'full') = (base IS NULL)),
    CHECK ((base IS NULL) = (base_tree IS NULL))
) STRICT;

CREATE UNIQUE INDEX artifacts_full ON artifacts (version, layout) WHERE base IS NULL;
CREATE UNIQUE INDEX artifacts_files ON artifacts (version, base, layout) WHERE base IS NOT NULL;
CREATE INDEX artifacts_by_version ON artifacts (version);
CREATE INDEX artifacts_by_blob ON artifacts (blob);

CREATE TRIGGER artifacts_never_change BEFORE UPDATE ON artifacts
BEGIN SELECT RAISE(ABORT, 'an artifact is never rewritten'); END;

CREATE TABLE artifact_signatures (
    artifact INTEGER NOT NULL REFERENCES artifacts (number),
    key INTEGER NOT NULL REFERENCES keys (number),
    value BLOB NOT NULL CHECK (length(value) > 0),
    PRIMARY KEY (artifact, key)
) STRICT, WITHOUT ROWID;

CREATE TABLE releases (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    app TEXT NOT NULL,
    package INTEGER NOT NULL,
    channel TEXT NOT NULL,
    version INTEGER NOT NULL,
    mandatory INTEGER NOT NULL CHECK (mandatory IN (0, 1)),
    active_time INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    rank INTEGER NOT NULL CHECK (rank > 0),
    -- Of the event that told of its moment; absent until that has come.
    activated_sequence INTEGER CHECK (activated_sequence > 0),
    UNIQUE (package, channel, rank),
    UNIQUE (app, activated_sequence),
    FOREIGN KEY (app, package) REFERENCES packages (app, number),
    FOREIGN KEY (app, channel) REFERENCES channels (app, name),
    FOREIGN KEY (package, version) REFERENCES versions (package, number)
) STRICT;

CREATE INDEX releases_by_version ON releases (app, version);
CREATE INDEX releases_to_activate ON releases (app, active_time) WHERE activated_sequence IS NULL;

CREATE TRIGGER activations_are_told_once BEFORE UPDATE OF activated_sequence ON releases
WHEN OLD.activated_sequence IS NOT NULL
BEGIN SELECT RAISE(ABORT, 'an activation is told once'); END;

CREATE TABLE events (
    app TEXT NOT NULL REFERENCES apps (id),
    sequence INTEGER NOT NULL CHECK (sequence > 0),
    time INTEGER NOT NULL,
    kind TEXT NOT NULL,
    package INTEGER,
    channel TEXT,
    version INTEGER,
    PRIMARY KEY (app, sequence),
    FOREIGN KEY (app, package) REFERENCES packages (app, number),
    FOREIGN KEY (app, channel) REFERENCES channels (app, name),
    FOREIGN KEY (package, version) REFERENCES versions (package, number),
    CHECK (CASE kind
        WHEN 'keys-changed' THEN package IS NULL AND channel IS NULL AND version IS NULL
        WHEN 'package-changed' THEN package IS NOT NULL AND channel IS NULL AND version IS NULL
        WHEN 'scheduled' THEN package IS NOT NULL AND channel IS NOT NULL AND version IS NOT NULL
        WHEN 'activated' THEN package IS NOT NULL AND channel IS NOT NULL AND version IS NOT NULL
        ELSE FALSE END)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER events_never_change BEFORE UPDATE ON events
BEGIN SELECT RAISE(ABORT, 'an event never changes'); END;

CREATE TABLE tokens (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL,
    role TEXT NOT NULL CHECK (role IN ('publisher', 'releaser', 'admin')),
    secret_hash BLOB NOT NULL UNIQUE CHECK (length(secret_hash) = 32),
    created_at INTEGER NOT NULL,
    revoked_at INTEGER
) STRICT;

CREATE TABLE audit (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    time INTEGER NOT NULL,
    actor TEXT NOT NULL,
    action TEXT NOT NULL,
    -- Without a reference: what is said of an app outlives it.
    app TEXT,
    subject TEXT NOT NULL,
    details TEXT NOT NULL CHECK (details GLOB '{*}')
) STRICT;

CREATE TRIGGER audit_never_changes BEFORE UPDATE ON audit
BEGIN SELECT RAISE(ABORT, 'the audit log is only appended to'); END;

CREATE TRIGGER audit_never_shrinks BEFORE DELETE ON audit
BEGIN SELECT RAISE(ABORT, 'the audit log is only appended to'); END;

CREATE TABLE reports (
    number INTEGER PRIMARY KEY,
    app TEXT NOT NULL REFERENCES apps (id),
    device TEXT NOT NULL,
    event_id TEXT NOT NULL,
    version INTEGER NOT NULL REFERENCES versions (number),
    event TEXT NOT NULL,
    -- By the device's clock.
    time INTEGER NOT NULL,
    received_at INTEGER NOT NULL,
    details TEXT NOT NULL CHECK (details GLOB '{*}'),
    UNIQUE (app, device, event_id)
) STRICT;

CREATE INDEX reports_by_version ON reports (version, event, device);

CREATE TRIGGER reports_never_change BEFORE UPDATE ON reports
BEGIN SELECT RAISE(ABORT, 'a report never changes'); END;

-- The names of events that a package has had, whose number is bounded.
CREATE TABLE report_events (
    package INTEGER NOT NULL REFERENCES packages (number),
    name TEXT NOT NULL,
    PRIMARY KEY (package, name)
) STRICT, WITHOUT ROWID;

-- What counting the reports would come to.
CREATE TABLE report_counts (
    version INTEGER NOT NULL REFERENCES versions (number),
    event TEXT NOT NULL,
    reports INTEGER NOT NULL CHECK (reports > 0),
    devices INTEGER NOT NULL CHECK (devices BETWEEN 1 AND reports),
    PRIMARY KEY (version, event)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER reports_are_counted AFTER INSERT ON reports
BEGIN
    INSERT INTO report_counts (version, event, reports, devices) VALUES (NEW.version, NEW.event, 1, 1)
    ON CONFLICT (version, event) DO UPDATE SET
        reports = reports + 1,
        devices = devices + NOT EXISTS (
            SELECT 1 FROM reports
            WHERE version = NEW.version AND event = NEW.event AND device = NEW.device AND number <> NEW.number);
END;
