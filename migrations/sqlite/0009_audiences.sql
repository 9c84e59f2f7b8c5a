-- Who gets a release, how far it has been let out, and what became of it; what versions ask of the host app.

-- Devices by the first 16 bytes of the digest that their bucket comes from, in their order.
CREATE TABLE device_lists (
    number INTEGER PRIMARY KEY,
    app TEXT NOT NULL REFERENCES apps (id),
    name TEXT NOT NULL
        CHECK (length(name) BETWEEN 1 AND 63 AND name GLOB '[a-z0-9]*' AND name NOT GLOB '*[^a-z0-9-]*'),
    -- Counts up at every change.
    revision INTEGER NOT NULL DEFAULT 1,
    changed_at INTEGER NOT NULL,
    -- Last: what stands behind a large value is read through it.
    devices BLOB NOT NULL CHECK (length(devices) % 16 = 0),
    UNIQUE (app, name)
) STRICT;

ALTER TABLE releases ADD COLUMN revision INTEGER NOT NULL DEFAULT 1 CHECK (revision > 0);
ALTER TABLE releases ADD COLUMN course TEXT NOT NULL DEFAULT 'running'
    CHECK (course IN ('running', 'paused', 'halted', 'completed', 'rolled-back'));
ALTER TABLE releases ADD COLUMN course_since INTEGER CHECK ((course_since IS NULL) = (course = 'running'));
ALTER TABLE releases ADD COLUMN percent INTEGER NOT NULL DEFAULT 10000 CHECK (percent BETWEEN 0 AND 10000);
-- Pairs of a percentage in basis points and milliseconds after the moment.
ALTER TABLE releases ADD COLUMN plan TEXT NOT NULL DEFAULT '[]' CHECK (plan GLOB '[[]*]');
ALTER TABLE releases ADD COLUMN paused_for INTEGER NOT NULL DEFAULT 0 CHECK (paused_for >= 0);
-- Steps of the plan whose event was appended.
ALTER TABLE releases ADD COLUMN told_steps INTEGER NOT NULL DEFAULT 0 CHECK (told_steps >= 0);
ALTER TABLE releases ADD COLUMN salt BLOB NOT NULL DEFAULT X'00000000000000000000000000000000'
    CHECK (length(salt) = 16);
ALTER TABLE releases ADD COLUMN update_mode TEXT NOT NULL DEFAULT 'silent'
    CHECK (update_mode IN ('silent', 'prompt', 'immediate'));
ALTER TABLE releases ADD COLUMN wifi_only INTEGER NOT NULL DEFAULT 0 CHECK (wifi_only IN (0, 1));
ALTER TABLE releases ADD COLUMN whitelist INTEGER REFERENCES device_lists (number);
ALTER TABLE releases ADD COLUMN excluded INTEGER REFERENCES device_lists (number);
ALTER TABLE releases ADD COLUMN rules TEXT NOT NULL DEFAULT '[]' CHECK (rules GLOB '[[]*]');
ALTER TABLE releases ADD COLUMN floor_version TEXT;
ALTER TABLE releases ADD COLUMN floor_reason TEXT CHECK ((floor_reason IS NULL) = (floor_version IS NULL));
ALTER TABLE releases ADD COLUMN floor_without_have TEXT
    CHECK (floor_without_have IN ('offer', 'withhold') AND (floor_without_have IS NULL) = (floor_version IS NULL));

-- How often it was halted and let go on again.
ALTER TABLE releases ADD COLUMN turns INTEGER NOT NULL DEFAULT 0 CHECK (turns >= 0);
-- Of the last change; absent before the first.
ALTER TABLE releases ADD COLUMN changed_at INTEGER CHECK ((changed_at IS NULL) = (revision = 1));

UPDATE releases SET salt = randomblob(16);

-- What each release was before a change, until when: who asks what was told in the past is told the truth.
CREATE TABLE release_history (
    release INTEGER NOT NULL REFERENCES releases (id),
    revision INTEGER NOT NULL,
    until INTEGER NOT NULL,
    course TEXT NOT NULL,
    course_since INTEGER,
    percent INTEGER NOT NULL,
    plan TEXT NOT NULL,
    paused_for INTEGER NOT NULL,
    active_time INTEGER NOT NULL,
    rank INTEGER NOT NULL,
    PRIMARY KEY (release, revision)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER releases_leave_a_history AFTER UPDATE OF revision ON releases
BEGIN
    INSERT INTO release_history
    VALUES (OLD.id, OLD.revision, NEW.changed_at, OLD.course, OLD.course_since, OLD.percent, OLD.plan,
        OLD.paused_for, OLD.active_time, OLD.rank);
END;

CREATE INDEX releases_with_steps ON releases (app) WHERE plan <> '[]' AND course = 'running';

CREATE TRIGGER releases_keep_what_they_are
BEFORE UPDATE OF app, package, channel, version, created_at, salt ON releases
BEGIN SELECT RAISE(ABORT, 'of a release only its terms, its moment and its course change'); END;

CREATE TRIGGER releases_count_their_changes BEFORE UPDATE OF revision ON releases
WHEN NEW.revision <> OLD.revision + 1
BEGIN SELECT RAISE(ABORT, 'a release counts its changes one by one'); END;

CREATE TRIGGER what_is_rolled_back_stays_so BEFORE UPDATE OF course ON releases
WHEN OLD.course = 'rolled-back' AND NEW.course <> 'rolled-back'
BEGIN SELECT RAISE(ABORT, 'a release that was rolled back does not come back'); END;

-- What a version asks of the app that opens it; one that asks for nothing has no row.
CREATE TABLE version_requirements (
    version INTEGER NOT NULL PRIMARY KEY REFERENCES versions (number),
    min_app_version TEXT,
    max_app_version TEXT,
    apis TEXT NOT NULL CHECK (apis GLOB '[[]*]'),
    dependencies TEXT NOT NULL CHECK (dependencies GLOB '{*}')
) STRICT;

CREATE TRIGGER version_requirements_never_change BEFORE UPDATE ON version_requirements
BEGIN SELECT RAISE(ABORT, 'a version never changes'); END;

-- The native APIs that each build of the host app has.
CREATE TABLE builds (
    app TEXT NOT NULL REFERENCES apps (id),
    app_version TEXT NOT NULL CHECK (length(CAST(app_version AS BLOB)) BETWEEN 1 AND 128),
    apis TEXT NOT NULL CHECK (apis GLOB '[[]*]'),
    changed_at INTEGER NOT NULL,
    PRIMARY KEY (app, app_version)
) STRICT, WITHOUT ROWID;

-- A further kind of event. SQLite changes no CHECK, so the table is made anew under its name.
CREATE TABLE new_events (
    app TEXT NOT NULL REFERENCES apps (id),
    sequence INTEGER NOT NULL CHECK (sequence > 0),
    time INTEGER NOT NULL,
    kind TEXT NOT NULL,
    package INTEGER,
    channel TEXT,
    version INTEGER,
    PRIMARY KEY (app, sequence),
    FOREIGN KEY (app, package) REFERENCES packages (app, number),
    FOREIGN KEY (app, channel) REFERENCES channels (app, name),
    FOREIGN KEY (package, version) REFERENCES versions (package, number),
    CHECK (CASE kind
        WHEN 'keys-changed' THEN package IS NULL AND channel IS NULL AND version IS NULL
        WHEN 'package-changed' THEN package IS NOT NULL AND channel IS NULL AND version IS NULL
        WHEN 'scheduled' THEN package IS NOT NULL AND channel IS NOT NULL AND version IS NOT NULL
        WHEN 'activated' THEN package IS NOT NULL AND channel IS NOT NULL AND version IS NOT NULL
        WHEN 'changed' THEN package IS NOT NULL AND channel IS NOT NULL AND version IS NOT NULL
        WHEN 'audiences-changed' THEN package IS NULL AND channel IS NULL AND version IS NULL
        ELSE FALSE END)
) STRICT, WITHOUT ROWID;

INSERT INTO new_events SELECT * FROM events;
DROP TABLE events;
ALTER TABLE new_events RENAME TO events;

CREATE TRIGGER events_never_change BEFORE UPDATE ON events
BEGIN SELECT RAISE(ABORT, 'an event never changes'); END;
