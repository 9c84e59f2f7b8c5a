-- How the change came to the server: by a token from an address, or by the server itself. NULL in older entries.
ALTER TABLE audit ADD COLUMN source text COLLATE "C" CHECK (source LIKE '{%}');

-- The SHA-256 over the hash of the entry before and this entry (decision 0077). NULL in older entries.
ALTER TABLE audit ADD COLUMN hash bytea CHECK (octet_length(hash) = 32);

-- The newest entry without a hash, 0 if there is none, and the hash that continues in the next one.
ALTER TABLE meta ADD COLUMN audit_id bigint CHECK (audit_id >= 0);

ALTER TABLE meta ADD COLUMN audit_hash bytea CHECK (
    (audit_hash IS NULL) = (audit_id IS NULL) AND (audit_hash IS NULL OR octet_length(audit_hash) = 32));
