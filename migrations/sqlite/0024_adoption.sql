-- The days on which a server ran, counted from 1970. Records of devices age by them, so that a clock that jumps ahead
-- removes none (decision 0072).
CREATE TABLE seen_days (
    day INTEGER PRIMARY KEY CHECK (day >= 0)
) STRICT;

INSERT INTO seen_days SELECT DISTINCT seen_at / 86400000 FROM seen_devices WHERE seen_at >= 0;

-- The number of seen devices that used a version, once a day.
CREATE TABLE adoption (
    version INTEGER NOT NULL REFERENCES versions (number),
    channel TEXT NOT NULL,
    day INTEGER NOT NULL REFERENCES seen_days (day) ON DELETE CASCADE,
    devices INTEGER NOT NULL CHECK (devices > 0),
    PRIMARY KEY (version, channel, day)
) STRICT, WITHOUT ROWID;

-- For the days that are removed.
CREATE INDEX adoption_by_day ON adoption (day);

-- The last day on which the devices of the channel were counted by version.
ALTER TABLE seen_places ADD COLUMN counted_on INTEGER CHECK (counted_on >= 0);

-- Texts are removed as soon as no device refers to them, without the days of their use.
CREATE TABLE kept_texts (
    number INTEGER PRIMARY KEY,
    -- The 64-bit FNV-1a hash of the text; NULL for texts from before the table.
    hash INTEGER,
    text TEXT NOT NULL
) STRICT;

INSERT INTO kept_texts (number, hash, text) SELECT number, hash, text FROM seen_texts ORDER BY number;
DROP TABLE seen_texts;
ALTER TABLE kept_texts RENAME TO seen_texts;
CREATE INDEX seen_texts_by_hash ON seen_texts (hash);
