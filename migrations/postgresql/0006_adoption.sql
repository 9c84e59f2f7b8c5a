-- The days on which a server ran, counted from 1970. Records of devices age by them, so that a clock that jumps ahead
-- removes none (decision 0072).
CREATE TABLE seen_days (
    day bigint PRIMARY KEY CHECK (day >= 0)
);

INSERT INTO seen_days SELECT DISTINCT seen_at / 86400000 FROM seen_devices WHERE seen_at >= 0;

-- The number of seen devices that used a version, once a day.
CREATE TABLE adoption (
    version bigint NOT NULL REFERENCES versions (number),
    channel text COLLATE "C" NOT NULL,
    day bigint NOT NULL REFERENCES seen_days (day) ON DELETE CASCADE,
    devices bigint NOT NULL CHECK (devices > 0),
    PRIMARY KEY (version, channel, day)
);

-- For the days that are removed.
CREATE INDEX adoption_by_day ON adoption (day);

-- The last day on which the devices of the channel were counted by version.
ALTER TABLE seen_places ADD COLUMN counted_on bigint CHECK (counted_on >= 0);

-- Texts are removed as soon as no device refers to them, without the days of their use.
DROP INDEX seen_texts_by_day;
ALTER TABLE seen_texts DROP COLUMN used_on;
