-- What clients of seed 004 are told of a package's files: an object; an empty one says nothing that is not so anyway.
ALTER TABLE packages ADD COLUMN resources TEXT NOT NULL DEFAULT '{}' CHECK (resources GLOB '{*}');

-- The same from a version's own larder.json; NULL where it has none, and of versions from before there was one.
ALTER TABLE versions ADD COLUMN resources TEXT CHECK (resources GLOB '{*}');

-- The numbers under which the contents of resources were told; a number never means two contents.
CREATE TABLE resource_numbers (
    package INTEGER NOT NULL,
    channel TEXT NOT NULL,
    resource TEXT NOT NULL CHECK (length(resource) BETWEEN 1 AND 200 AND resource NOT GLOB '*[^A-Za-z0-9._=-]*'),
    number INTEGER NOT NULL CHECK (number > 0),
    digest BLOB NOT NULL CHECK (length(digest) = 32),
    -- Whether it was told as part of a current version.
    told INTEGER NOT NULL CHECK (told IN (0, 1)),
    app TEXT NOT NULL,
    PRIMARY KEY (package, channel, resource, number),
    FOREIGN KEY (app, package) REFERENCES packages (app, number),
    FOREIGN KEY (app, channel) REFERENCES channels (app, name)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER resource_numbers_never_change BEFORE UPDATE ON resource_numbers
WHEN NEW.package <> OLD.package OR NEW.channel <> OLD.channel OR NEW.resource <> OLD.resource
    OR NEW.number <> OLD.number OR NEW.digest <> OLD.digest OR NEW.told < OLD.told
BEGIN SELECT RAISE(ABORT, 'the number of a resource never means another content'); END;

CREATE TRIGGER resource_numbers_never_go BEFORE DELETE ON resource_numbers
BEGIN SELECT RAISE(ABORT, 'the number of a resource is never used again'); END;

-- By which the latest event of a package is found.
CREATE INDEX events_by_package ON events (package, sequence) WHERE package IS NOT NULL;
