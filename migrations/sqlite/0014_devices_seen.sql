-- Devices that asked with their id, for a week: of how many a release is for. Nothing of the service needs them.

CREATE TABLE seen_places (
    number INTEGER PRIMARY KEY,
    app TEXT NOT NULL,
    channel TEXT NOT NULL,
    -- When the first device was noted.
    since INTEGER NOT NULL,
    UNIQUE (app, channel),
    FOREIGN KEY (app, channel) REFERENCES channels (app, name)
) STRICT;

CREATE TABLE seen_devices (
    place INTEGER NOT NULL REFERENCES seen_places (number),
    -- The first 16 bytes of the digest that the device's bucket comes from.
    device BLOB NOT NULL CHECK (length(device) = 16),
    seen_at INTEGER NOT NULL,
    facts TEXT NOT NULL CHECK (facts GLOB '{*}'),
    -- Absent where the device did not say what it has.
    have TEXT,
    -- Whether it said more than is kept.
    cut INTEGER NOT NULL CHECK (cut IN (0, 1)),
    PRIMARY KEY (place, device)
) STRICT, WITHOUT ROWID;
