-- Which versions a build of the app ships: such a version stays, and patches are made from it.

CREATE TABLE presets (
    number INTEGER PRIMARY KEY,
    app TEXT NOT NULL REFERENCES apps (id),
    build TEXT NOT NULL CHECK (
        length(build) BETWEEN 1 AND 64 AND build GLOB '[A-Za-z0-9]*' AND build NOT GLOB '*[^A-Za-z0-9._+-]*'
        AND instr(build, '..') = 0),
    created_at INTEGER NOT NULL,
    UNIQUE (app, build)
) STRICT;

CREATE TABLE preset_versions (
    preset INTEGER NOT NULL REFERENCES presets (number) ON DELETE CASCADE,
    package INTEGER NOT NULL,
    version INTEGER NOT NULL,
    PRIMARY KEY (preset, package),
    FOREIGN KEY (package, version) REFERENCES versions (package, number)
) STRICT, WITHOUT ROWID;

CREATE INDEX preset_versions_by_version ON preset_versions (package, version);

CREATE TRIGGER preset_versions_never_change BEFORE UPDATE ON preset_versions
BEGIN SELECT RAISE(ABORT, 'what a build ships never changes'); END;

CREATE TRIGGER pruned_versions_are_not_shipped BEFORE INSERT ON preset_versions
WHEN EXISTS (SELECT 1 FROM prunings WHERE version = NEW.version AND restored_at IS NULL)
BEGIN SELECT RAISE(ABORT, 'a version without files cannot be shipped'); END;
