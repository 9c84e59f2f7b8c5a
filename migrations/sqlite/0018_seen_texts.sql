-- What devices say, once for each text: most devices say what others say. A row of a device is some 45 bytes then.

CREATE TABLE seen_texts (
    number INTEGER PRIMARY KEY,
    -- By which a text is found; absent for texts from before this table.
    hash INTEGER,
    text TEXT NOT NULL,
    -- The day, counted from 1970, on which a device that says this was noted last.
    used_on INTEGER NOT NULL
) STRICT;

INSERT INTO seen_texts (text, used_on)
SELECT text, max(used_on) FROM (
    SELECT facts AS text, seen_at / 86400000 AS used_on FROM seen_devices
    UNION ALL
    SELECT have, seen_at / 86400000 FROM seen_devices WHERE have IS NOT NULL)
GROUP BY text;

CREATE TABLE compact_devices (
    place INTEGER NOT NULL REFERENCES seen_places (number),
    -- The first 16 bytes of the digest that the device's bucket comes from.
    device BLOB NOT NULL CHECK (length(device) = 16),
    seen_at INTEGER NOT NULL,
    -- Numbers of texts; a text is there for as long as a device of the last days says it. No foreign keys: to check them
    -- for each text that goes would take an index of both columns.
    facts INTEGER NOT NULL,
    -- Absent where the device did not say what it has.
    have INTEGER,
    -- Whether it said more than is kept.
    cut INTEGER NOT NULL CHECK (cut IN (0, 1)),
    PRIMARY KEY (place, device)
) STRICT, WITHOUT ROWID;

CREATE INDEX seen_texts_by_text ON seen_texts (text);

INSERT INTO compact_devices (place, device, seen_at, facts, have, cut)
SELECT place, device, seen_at, (SELECT number FROM seen_texts WHERE text = facts),
    (SELECT number FROM seen_texts WHERE text = have), cut
FROM seen_devices ORDER BY place, device;

DROP INDEX seen_texts_by_text;
DROP TABLE seen_devices;
ALTER TABLE compact_devices RENAME TO seen_devices;
CREATE INDEX seen_texts_by_hash ON seen_texts (hash);
CREATE INDEX seen_texts_by_day ON seen_texts (used_on);
