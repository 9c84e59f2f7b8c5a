-- Whether a release was stopped after a rule had tripped tells a resumption from other changes (decision 0071). Before,
-- every later revision of the release counted as one.

-- Whether the release was stopped after the trip; until then its action is due.
ALTER TABLE release_health ADD COLUMN was_stopped bigint NOT NULL DEFAULT 0 CHECK (was_stopped IN (0, 1));
ALTER TABLE release_health ALTER COLUMN was_stopped DROP DEFAULT;

UPDATE release_health SET was_stopped = 1 FROM releases
WHERE releases.id = release AND tripped_action IS NOT NULL
    AND (releases.revision > tripped_revision OR releases.course IN ('halted', 'rolled-back')
        OR (releases.course = 'paused' AND tripped_action = 'pause'));

ALTER TABLE release_health ADD CHECK (was_stopped = 0 OR tripped_action IS NOT NULL);
ALTER TABLE release_health DROP COLUMN tripped_revision;

-- The devices that had reported about the version of a release with health rules when the latest step of its plan began.
CREATE TABLE health_steps (
    release bigint PRIMARY KEY REFERENCES releases (id),
    device_count bigint NOT NULL CHECK (device_count >= 0),
    -- The set (docs/formats/report-totals.md); absent for a step before this migration, of which only the number is known.
    devices bytea CHECK (length(devices) > 0)
);

INSERT INTO health_steps SELECT release, devices_before, NULL FROM release_health WHERE devices_before > 0;
ALTER TABLE release_health DROP COLUMN devices_before;
