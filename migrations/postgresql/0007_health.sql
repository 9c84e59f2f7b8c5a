-- The latest watch of each release that has health rules (decision 0071).
CREATE TABLE release_health (
    release bigint PRIMARY KEY REFERENCES releases (id),
    number bigint NOT NULL CHECK (number > 0),
    -- The beginning of an hour, from which reports count.
    since bigint NOT NULL CHECK (since >= 0),
    -- The devices that had reported when the latest plan step began.
    devices_before bigint NOT NULL CHECK (devices_before >= 0),
    -- The revision of the release at which a rule tripped.
    tripped_revision bigint CHECK (tripped_revision > 0),
    tripped_action text COLLATE "C" CHECK (tripped_action IN ('pause', 'halt', 'rollback')),
    verdict text COLLATE "C" NOT NULL CHECK (verdict LIKE '{%}'),
    CHECK ((tripped_revision IS NULL) = (tripped_action IS NULL))
);

-- The health rules of new releases that give none; absent for no rules.
ALTER TABLE apps ADD COLUMN health text COLLATE "C" CHECK (health LIKE '{%}');

-- The health rules, which are among the terms of a release, change with it; the server changes no other member.
DROP TRIGGER releases_keep_their_terms ON releases;
