-- Reports are aggregated in the order of their numbers instead of being counted by a trigger (decision 0068). The table
-- report_counts keeps the counts from before.
DROP TRIGGER reports_are_counted ON reports;
DROP FUNCTION count_reports();

DROP INDEX reports_by_version;

-- The key of the hashes of device ids in report_totals.
ALTER TABLE meta ADD COLUMN device_key bytea CHECK (length(device_key) = 16);
UPDATE meta SET device_key = uuid_send(gen_random_uuid());

-- The newest report in report_totals or report_counts; no row before the first report.
CREATE TABLE report_progress (
    "only" bigint PRIMARY KEY CHECK ("only" = 1),
    through bigint NOT NULL CHECK (through > 0),
    received_at bigint NOT NULL,
    -- The number of changes of report_totals, by which a query notices one between its pages.
    revision bigint NOT NULL CHECK (revision >= 0)
);

INSERT INTO report_progress ("only", through, received_at, revision)
SELECT 1, number, received_at, 0 FROM reports ORDER BY number DESC LIMIT 1;

-- The numbers of reports about a version by time, and by what reports state. The texts are empty if reports state none.
CREATE TABLE report_totals (
    version bigint NOT NULL REFERENCES versions (number),
    span text COLLATE "C" NOT NULL CHECK (span IN ('hour', 'day', 'day-summary', 'all-time')),
    start bigint NOT NULL CHECK (start >= 0),
    event text COLLATE "C" NOT NULL,
    -- The id of the release, or 0.
    release bigint NOT NULL CHECK (release >= 0),
    reason text COLLATE "C" NOT NULL,
    platform text COLLATE "C" NOT NULL,
    app_version text COLLATE "C" NOT NULL,
    reports bigint NOT NULL CHECK (reports > 0),
    -- The reports whose time is that of their receipt, since the device's clock was too far off.
    corrected bigint NOT NULL CHECK (corrected BETWEEN 0 AND reports),
    -- The number of devices in the set, before it so that reading the number does not read the set.
    device_count bigint NOT NULL CHECK (device_count >= 0),
    -- The set of devices and the distribution of durations (docs/formats/report-totals.md).
    devices bytea NOT NULL CHECK (length(devices) > 0),
    durations bytea CHECK (length(durations) > 1),
    PRIMARY KEY (version, span, start, event, release, reason, platform, app_version),
    -- Summaries distinguish less.
    CHECK (span NOT IN ('day-summary', 'all-time') OR (release = 0 AND platform = '' AND app_version = '')),
    CHECK (span <> 'all-time' OR (start = 0 AND reason = ''))
);

-- For the oldest totals.
CREATE INDEX report_totals_by_time ON report_totals (span, start);

-- The texts of reports that a package has totals for, whose number is limited.
CREATE TABLE report_labels (
    package bigint NOT NULL REFERENCES packages (number),
    kind text COLLATE "C" NOT NULL CHECK (kind IN ('reason', 'platform', 'app-version')),
    name text COLLATE "C" NOT NULL CHECK (name <> ''),
    -- The day of the last report. A text that was not reported for a month may be replaced.
    used_at bigint NOT NULL,
    PRIMARY KEY (package, kind, name)
);

-- Assigns the number after the highest one that was ever used: the newest reports may be deleted once they are aggregated.
CREATE OR REPLACE FUNCTION number_report() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.number := greatest(
        (SELECT max(number) FROM reports), (SELECT through FROM report_progress), 0) + 1;
    RETURN NEW;
END $$;
