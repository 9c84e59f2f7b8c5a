-- The ids of reports that have left the window early, so that a repeated report counts once for 7 days (decision 0076). Each
-- row is a segment of 65,536 consecutive numbers of reports.
CREATE TABLE report_id_segments (
    segment bigint PRIMARY KEY CHECK (segment >= 0),
    -- The last number up to which the ids of the segment's reports are kept, and the receipt of the last of these reports.
    through bigint NOT NULL CHECK (through >> 16 = segment),
    received_at bigint NOT NULL,
    ids bigint NOT NULL CHECK (ids BETWEEN 1 AND 65536)
);

-- The hashes of a segment's ids by their first byte: the other 7 bytes of each, sorted.
CREATE TABLE report_ids (
    segment bigint NOT NULL REFERENCES report_id_segments (segment),
    part bigint NOT NULL CHECK (part BETWEEN 0 AND 255),
    hashes bytea NOT NULL CHECK (length(hashes) > 0 AND length(hashes) % 7 = 0),
    PRIMARY KEY (segment, part)
);

-- The filters of segments whose ids are all kept. A missing one is made again from the hashes.
CREATE TABLE report_id_filters (
    segment bigint PRIMARY KEY REFERENCES report_id_segments (segment),
    bits bytea NOT NULL CHECK (length(bits) = 131072)
);

-- The receipt of the newest report whose id was forgotten within 7 days.
CREATE TABLE report_ids_forgotten (
    "only" bigint PRIMARY KEY CHECK ("only" = 1),
    received_at bigint NOT NULL
);

-- Until now an id was forgotten with its report.
INSERT INTO report_ids_forgotten ("only", received_at)
SELECT 1, oldest.received_at FROM (SELECT number, received_at FROM reports ORDER BY number LIMIT 1) AS oldest
WHERE oldest.number > 1;
