-- Private halves may be sealed under a key that the database does not hold, or be outside altogether; a retired key of the app needs none any more,
-- the root key included. Several legacy keys may be in use. SQLite changes no CHECK, so the table is made anew under its name, and with it those that refer
-- to it.

CREATE TABLE new_keys (
    number INTEGER PRIMARY KEY,
    app TEXT NOT NULL REFERENCES apps (id),
    id TEXT NOT NULL CHECK (length(id) = 16 AND id NOT GLOB '*[^0-9a-f]*'),
    purpose TEXT NOT NULL CHECK (purpose IN ('root', 'signing', 'legacy')),
    public_key BLOB NOT NULL,
    private_key BLOB,
    -- Whether the private half is AES-256-GCM's: a version byte, 12 bytes of nonce, the bytes, 16 of tag.
    sealed INTEGER NOT NULL CHECK (sealed IN (0, 1)),
    -- Whether the private half never was here: a command signs.
    outside INTEGER NOT NULL CHECK (outside IN (0, 1)),
    created_at INTEGER NOT NULL,
    retired_at INTEGER,
    UNIQUE (app, id),
    CHECK (sealed = 0 OR (private_key IS NOT NULL AND length(private_key) > 29)),
    CHECK (purpose = 'legacy' OR length(public_key) = 32),
    CHECK (outside = 0 OR (purpose = 'signing' AND private_key IS NULL)),
    CHECK (purpose = 'legacy' OR CASE WHEN private_key IS NULL
        THEN retired_at IS NOT NULL OR outside = 1 ELSE length(private_key) = 32 + 29 * sealed END)
) STRICT;

INSERT INTO new_keys SELECT number, app, id, purpose, public_key, private_key, 0, 0, created_at, retired_at FROM keys;

CREATE TABLE new_key_documents (
    app TEXT NOT NULL PRIMARY KEY REFERENCES apps (id),
    number INTEGER NOT NULL CHECK (number > 0),
    issued_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL CHECK (expires_at > issued_at),
    document BLOB NOT NULL,
    key_id TEXT NOT NULL,
    signature BLOB NOT NULL,
    FOREIGN KEY (app, key_id) REFERENCES new_keys (app, id)
) STRICT, WITHOUT ROWID;

INSERT INTO new_key_documents SELECT * FROM key_documents;

CREATE TABLE new_artifact_signatures (
    artifact INTEGER NOT NULL REFERENCES artifacts (number),
    key INTEGER NOT NULL REFERENCES new_keys (number),
    value BLOB NOT NULL CHECK (length(value) > 0),
    PRIMARY KEY (artifact, key)
) STRICT, WITHOUT ROWID;

INSERT INTO new_artifact_signatures SELECT * FROM artifact_signatures;

DROP TABLE artifact_signatures;
DROP TABLE key_documents;
DROP TABLE keys;
ALTER TABLE new_keys RENAME TO keys;
ALTER TABLE new_key_documents RENAME TO key_documents;
ALTER TABLE new_artifact_signatures RENAME TO artifact_signatures;

CREATE UNIQUE INDEX root_key_in_use ON keys (app) WHERE retired_at IS NULL AND purpose = 'root';

CREATE TRIGGER retired_keys_stay_so BEFORE UPDATE OF retired_at ON keys
WHEN OLD.purpose <> 'legacy' AND OLD.retired_at IS NOT NULL AND NEW.retired_at IS NOT OLD.retired_at
BEGIN SELECT RAISE(ABORT, 'only a legacy key comes back once it is retired'); END;

CREATE TRIGGER key_document_numbers_grow BEFORE UPDATE ON key_documents WHEN NEW.number <= OLD.number
BEGIN SELECT RAISE(ABORT, 'a key document has a higher number than the one before'); END;

-- What each root key that is retired has signed: that the next one takes its place.
CREATE TABLE root_changes (
    app TEXT NOT NULL,
    number INTEGER NOT NULL CHECK (number > 0),
    old_key TEXT NOT NULL,
    new_key TEXT NOT NULL CHECK (new_key <> old_key),
    signature BLOB NOT NULL CHECK (length(signature) = 64),
    PRIMARY KEY (app, number),
    UNIQUE (app, old_key),
    UNIQUE (app, new_key),
    FOREIGN KEY (app, old_key) REFERENCES keys (app, id),
    FOREIGN KEY (app, new_key) REFERENCES keys (app, id)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER root_changes_stay BEFORE UPDATE ON root_changes
BEGIN SELECT RAISE(ABORT, 'what a root key has signed stays'); END;

-- A row while pages that are free, or the log, may still hold private halves as they were before they were sealed.
CREATE TABLE key_remains (only INTEGER PRIMARY KEY CHECK (only = 1)) STRICT;
