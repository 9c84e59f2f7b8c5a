-- The latest watch of each release that has health rules (decision 0071).
CREATE TABLE release_health (
    release INTEGER PRIMARY KEY REFERENCES releases (id),
    number INTEGER NOT NULL CHECK (number > 0),
    -- The beginning of an hour, from which reports count.
    since INTEGER NOT NULL CHECK (since >= 0),
    -- The devices that had reported when the latest plan step began.
    devices_before INTEGER NOT NULL CHECK (devices_before >= 0),
    -- The revision of the release at which a rule tripped.
    tripped_revision INTEGER CHECK (tripped_revision > 0),
    tripped_action TEXT CHECK (tripped_action IN ('pause', 'halt', 'rollback')),
    verdict TEXT NOT NULL CHECK (verdict GLOB '{*}'),
    CHECK ((tripped_revision IS NULL) = (tripped_action IS NULL))
) STRICT;

-- The health rules of new releases that give none; absent for no rules.
ALTER TABLE apps ADD COLUMN health TEXT CHECK (health GLOB '{*}');

-- The health rules, which are among the terms of a release, change with it; the server changes no other member.
DROP TRIGGER releases_keep_their_terms;
