-- Reports are unique within a segment of 65,536 numbers, and filters find those of earlier segments (decision 0074): in an index
-- over all reports, each report changes a page of its own.
CREATE TABLE new_reports (
    number INTEGER PRIMARY KEY,
    app TEXT NOT NULL REFERENCES apps (id),
    device TEXT NOT NULL,
    event_id TEXT NOT NULL,
    version INTEGER NOT NULL REFERENCES versions (number),
    event TEXT NOT NULL,
    -- By the device's clock.
    time INTEGER NOT NULL,
    received_at INTEGER NOT NULL,
    details TEXT NOT NULL CHECK (details GLOB '{*}')
) STRICT;

INSERT INTO new_reports (number, app, device, event_id, version, event, time, received_at, details)
SELECT number, app, device, event_id, version, event, time, received_at, details FROM reports ORDER BY number;

DROP TABLE reports;
ALTER TABLE new_reports RENAME TO reports;

CREATE UNIQUE INDEX reports_by_segment ON reports (number >> 16, app, device, event_id);

CREATE TRIGGER reports_never_change BEFORE UPDATE ON reports
BEGIN SELECT RAISE(ABORT, 'a report never changes'); END;

-- The filters of complete segments. A missing one is made again from the reports.
CREATE TABLE report_filters (
    segment INTEGER PRIMARY KEY,
    bits BLOB NOT NULL CHECK (length(bits) = 131072)
) STRICT;
