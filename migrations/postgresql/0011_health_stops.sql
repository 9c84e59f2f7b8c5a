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
