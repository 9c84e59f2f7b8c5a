-- When an event of a name was counted last, to the day: a name that was not for a week gives its place to another.
ALTER TABLE report_events ADD COLUMN counted_at INTEGER NOT NULL DEFAULT 0;

UPDATE report_events SET counted_at = CAST(strftime('%s', 'now') AS INTEGER) * 1000;
