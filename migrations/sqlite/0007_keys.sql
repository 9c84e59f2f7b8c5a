-- Several signing keys may be in use at once, so that they can be changed without a device that trusts none of them; a
-- retired one is known for ever and can sign no more. SQLite changes no CHECK, so the table is made anew under its name,
-- and with it those that refer to it.

CREATE TABLE new_keys (
    number INTEGER PRIMARY KEY,
    app TEXT NOT NULL REFERENCES apps (id),
    id TEXT NOT NULL CHECK (length(id) = 16 AND id NOT GLOB '*[^0-9a-f]*'),
    purpose TEXT NOT NULL CHECK (purpose IN ('root', 'signing', 'legacy')),
    public_key BLOB NOT NULL,
    private_key BLOB,
    created_at INTEGER NOT NULL,
    retired_at INTEGER,
    UNIQUE (app, id),
    CHECK (purpose = 'legacy' OR length(public_key) = 32),
    CHECK (purpose = 'legacy' OR CASE WHEN private_key IS NULL
        THEN purpose = 'signing' AND retired_at IS NOT NULL ELSE length(private_key) = 32 END)
) STRICT;

INSERT INTO new_keys SELECT * FROM keys;

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

CREATE UNIQUE INDEX keys_in_use ON keys (app, purpose) WHERE retired_at IS NULL AND purpose <> 'signing';

CREATE TRIGGER retired_keys_stay_so BEFORE UPDATE OF retired_at ON keys
WHEN OLD.purpose = 'signing' AND OLD.retired_at IS NOT NULL AND NEW.retired_at IS NOT OLD.retired_at
BEGIN SELECT RAISE(ABORT, 'a retired signing key does not come back'); END;

CREATE TRIGGER key_document_numbers_grow BEFORE UPDATE ON key_documents WHEN NEW.number <= OLD.number
BEGIN SELECT RAISE(ABORT, 'a key document has a higher number than the one before'); END;
