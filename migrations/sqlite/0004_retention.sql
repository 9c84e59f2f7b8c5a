-- What may be removed, and what was: semantics.md §8, decision 0015.

-- Since when no answer names an artifact. One that has no row is named, or has not been looked at since it came.
CREATE TABLE unreferenced_artifacts (
    artifact INTEGER PRIMARY KEY REFERENCES artifacts (number) ON DELETE CASCADE,
    since INTEGER NOT NULL
) STRICT;

-- When it was last looked whether something may go. What the clock jumps over, forward or back, counts for nothing.
CREATE TABLE retention_clock (
    only INTEGER PRIMARY KEY CHECK (only = 1),
    seen_at INTEGER NOT NULL
) STRICT;

-- Whoever restores a copy draws a new epoch. What answers have named since that copy is not known: all moments are
-- noted anew.
CREATE TRIGGER a_new_epoch_forgets_the_moments AFTER UPDATE OF epoch ON meta
BEGIN DELETE FROM unreferenced_artifacts; END;

-- Versions whose files and archives were removed. Their rows stay, so that a version string never means two contents;
-- publishing the same content again brings them back.
CREATE TABLE prunings (
    version INTEGER PRIMARY KEY REFERENCES versions (number),
    pruned_at INTEGER NOT NULL,
    restored_at INTEGER
) STRICT;

CREATE TRIGGER prunings_never_go BEFORE DELETE ON prunings
BEGIN SELECT RAISE(ABORT, 'that a version was removed is never forgotten'); END;

CREATE TRIGGER pruned_versions_are_not_released BEFORE INSERT ON releases
WHEN EXISTS (SELECT 1 FROM prunings WHERE version = NEW.version AND restored_at IS NULL)
BEGIN SELECT RAISE(ABORT, 'a version without files cannot be released'); END;

-- By which it is told whether anything still refers to a blob.
CREATE INDEX files_by_digest ON files (digest, size);
CREATE INDEX files_by_deflated_digest ON files (deflated_digest, deflated_size);
CREATE INDEX artifacts_by_base ON artifacts (base) WHERE base IS NOT NULL;
