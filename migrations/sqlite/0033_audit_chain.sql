-- How the change came to the server: by a token from an address, or by the server itself. NULL in older entries.
ALTER TABLE audit ADD COLUMN source TEXT CHECK (source GLOB '{*}');

-- The SHA-256 over the hash of the entry before and this entry (decision 0077). NULL in older entries.
ALTER TABLE audit ADD COLUMN hash BLOB CHECK (length(hash) = 32);

-- The newest entry without a hash, 0 if there is none, and the hash that continues in the next one.
ALTER TABLE meta ADD COLUMN audit_id INTEGER CHECK (audit_id >= 0);

ALTER TABLE meta ADD COLUMN audit_hash BLOB CHECK (
    (audit_hash IS NULL) = (audit_id IS NULL) AND (audit_hash IS NULL OR length(audit_hash) = 32));
