-- Reports are aggregated in the order of their numbers instead of being counted by a trigger (decision 0068). The table
-- report_counts keeps the counts from before.
DROP TRIGGER reports_are_counted;

DROP INDEX reports_by_version;

-- The key of the hashes of device ids in report_totals.
ALTER TABLE meta ADD COLUMN device_key BLOB CHECK (length(device_key) = 16);
UPDATE meta SET device_key = randomblob(16);

-- The newest report in report_totals or report_counts; no row before the first report.
CREATE TABLE report_progress (
    only INTEGER PRIMARY KEY CHECK (only = 1),
    through INTEGER NOT NULL CHECK (through > 0),
    received_at INTEGER NOT NULL,
    -- The number of changes of report_totals, by which a query notices one between its pages.
    revision INTEGER NOT NULL CHECK (revision >= 0)
) STRICT;

INSERT INTO report_progress (only, through, received_at, revision)
SELECT 1, number, received_at, 0 FROM reports ORDER BY number DESC LIMIT 1;

-- The numbers of reports about a version by time, and by what reports state. The texts are empty if reports state none.
CREATE TABLE report_totals (
    version INTEGER NOT NULL REFERENCES versions (number),
    span TEXT NOT NULL CHECK (span IN ('hour', 'day', 'day-summary', 'all-time')),
    start INTEGER NOT NULL CHECK (start >= 0),
    event TEXT NOT NULL,
    -- The id of the release, or 0.
    release INTEGER NOT NULL CHECK (release >= 0),
    reason TEXT NOT NULL,
    platform TEXT NOT NULL,
    app_version TEXT NOT NULL,
    reports INTEGER NOT NULL CHECK (reports > 0),
    -- The reports whose time is that of their receipt, since the device's clock was too far off.
    corrected INTEGER NOT NULL CHECK (corrected BETWEEN 0 AND reports),
    -- The number of devices in the set, before it so that reading the number does not read the set.
    device_count INTEGER NOT NULL CHECK (device_count >= 0),
    -- The set of devices and the distribution of durations (docs/formats/report-totals.md).
    devices BLOB NOT NULL CHECK (length(devices) > 0),
    durations BLOB CHECK (length(durations) > 1),
    PRIMARY KEY (version, span, start, event, release, reason, platform, app_version),
    -- Summaries distinguish less.
    CHECK (span NOT IN ('day-summary', 'all-time') OR (release = 0 AND platform = '' AND app_version = '')),
    CHECK (span <> 'all-time' OR (start = 0 AND reason = ''))
) STRICT;

-- For the oldest totals.
CREATE INDEX report_totals_by_time ON report_totals (span, start);

-- The texts of reports that a package has totals for, whose number is limited.
CREATE TABLE report_labels (
    package INTEGER NOT NULL REFERENCES packages (number),
    kind TEXT NOT NULL CHECK (kind IN ('reason', 'platform', 'app-version')),
    name TEXT NOT NULL CHECK (name <> ''),
    -- The day of the last report. A text that was not reported for a month may be replaced.
    used_at INTEGER NOT NULL,
    PRIMARY KEY (package, kind, name)
) STRICT, WITHOUT ROWID;
