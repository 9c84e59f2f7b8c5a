-- Releases of several packages that are made and changed as one, and that a device gets all of or none.

CREATE TABLE release_sets (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    app TEXT NOT NULL,
    channel TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    FOREIGN KEY (app, channel) REFERENCES channels (app, name)
) STRICT;

ALTER TABLE releases ADD COLUMN release_set INTEGER REFERENCES release_sets (id);

CREATE UNIQUE INDEX releases_by_set ON releases (release_set, package) WHERE release_set IS NOT NULL;

CREATE TRIGGER release_sets_never_change BEFORE UPDATE ON release_sets
BEGIN SELECT RAISE(ABORT, 'a release set never changes: its releases do'); END;

CREATE TRIGGER releases_stay_in_their_set BEFORE UPDATE OF release_set ON releases
BEGIN SELECT RAISE(ABORT, 'a release stays in the set that it was made in'); END;

CREATE TRIGGER releases_of_a_set_are_alike BEFORE INSERT ON releases
WHEN NEW.release_set IS NOT NULL AND NOT EXISTS (
    SELECT 1 FROM release_sets
    WHERE id = NEW.release_set AND app = NEW.app AND channel = NEW.channel AND created_at = NEW.created_at)
BEGIN SELECT RAISE(ABORT, 'a release is of the app, the channel and the time of its set'); END;
