-- Whether a release was stopped after a rule had tripped tells a resumption from other changes (decision 0071). Before,
-- every later revision of the release counted as one. SQLite drops no column of a CHECK, so the table is made anew.

CREATE TABLE new_release_health (
    release INTEGER PRIMARY KEY REFERENCES releases (id),
    number INTEGER NOT NULL CHECK (number > 0),
    -- The beginning of an hour, from which reports count.
    since INTEGER NOT NULL CHECK (since >= 0),
    tripped_action TEXT CHECK (tripped_action IN ('pause', 'halt', 'rollback')),
    verdict TEXT NOT NULL CHECK (verdict GLOB '{*}'),
    -- Whether the release was stopped after the trip; until then its action is due.
    was_stopped INTEGER NOT NULL CHECK (was_stopped IN (0, 1)),
    CHECK (was_stopped = 0 OR tripped_action IS NOT NULL)
) STRICT;

INSERT INTO new_release_health
SELECT release, number, since, tripped_action, verdict,
    tripped_action IS NOT NULL
        AND (releases.revision > tripped_revision OR releases.course IN ('halted', 'rolled-back')
            OR (releases.course = 'paused' AND tripped_action = 'pause'))
FROM release_health JOIN releases ON releases.id = release;

-- The devices that had reported about the version of a release with health rules when the latest step of its plan began.
CREATE TABLE health_steps (
    release INTEGER PRIMARY KEY REFERENCES releases (id),
    device_count INTEGER NOT NULL CHECK (device_count >= 0),
    -- The set (docs/formats/report-totals.md); absent for a step before this migration, of which only the number is known.
    devices BLOB CHECK (length(devices) > 0)
) STRICT;

INSERT INTO health_steps SELECT release, devices_before, NULL FROM release_health WHERE devices_before > 0;

DROP TABLE release_health;
ALTER TABLE new_release_health RENAME TO release_health;
