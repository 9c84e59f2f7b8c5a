-- What the servers of one installation agree on. A SQLite database has one server and needs none of these tables.

-- The right to work that one server at a time does, such as removing unneeded versions.
CREATE TABLE leases (
    name text COLLATE "C" NOT NULL PRIMARY KEY,
    -- The holder, for operators.
    node text COLLATE "C" NOT NULL,
    -- The number of times that the lease changed its holder. A transaction under an earlier number is refused.
    token bigint NOT NULL CHECK (token > 0),
    -- The end by the clock of the database.
    expires_at bigint NOT NULL
);

-- The blobs whose removal from the bucket began. A transaction that would refer to one of them is refused if the removal
-- may have happened after the transaction's server stored the blob.
CREATE TABLE blob_removals (
    digest bytea NOT NULL PRIMARY KEY CHECK (length(digest) = 32),
    -- Times by the clock of the database.
    begun_at bigint NOT NULL,
    -- NULL while the removal may still happen, or if its outcome is unknown.
    ended_at bigint CHECK (ended_at >= begun_at)
);

CREATE INDEX blob_removals_by_time ON blob_removals (begun_at);
