-- Delta patches beside the incremental zips, and several of one pair: a later recipe makes a smaller one, and the first
-- may have been downloaded. SQLite changes no CHECK, so the tables are made anew under their names.

CREATE TABLE new_artifacts (
    number INTEGER PRIMARY KEY,
    package INTEGER NOT NULL,
    version INTEGER NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('full', 'files', 'delta')),
    base INTEGER CHECK (base <> version),
    base_tree BLOB CHECK (length(base_tree) = 32),
    layout TEXT NOT NULL CHECK (layout <> ''),
    tree BLOB NOT NULL CHECK (length(tree) = 32),
    blob BLOB NOT NULL,
    size INTEGER NOT NULL,
    md5 BLOB NOT NULL CHECK (length(md5) = 16),
    recipe INTEGER NOT NULL CHECK (recipe > 0),
    FOREIGN KEY (package, version) REFERENCES versions (package, number),
    FOREIGN KEY (package, base) REFERENCES versions (package, number),
    FOREIGN KEY (blob, size) REFERENCES blobs (digest, size),
    CHECK ((kind = 'full') = (base IS NULL)),
    CHECK ((base IS NULL) = (base_tree IS NULL))
) STRICT;

INSERT INTO new_artifacts SELECT * FROM artifacts;

CREATE TABLE new_artifact_signatures (
    artifact INTEGER NOT NULL REFERENCES new_artifacts (number),
    key INTEGER NOT NULL REFERENCES keys (number),
    value BLOB NOT NULL CHECK (length(value) > 0),
    PRIMARY KEY (artifact, key)
) STRICT, WITHOUT ROWID;

INSERT INTO new_artifact_signatures SELECT * FROM artifact_signatures;

DROP TABLE artifact_signatures;
DROP TABLE artifacts;
ALTER TABLE new_artifacts RENAME TO artifacts;
ALTER TABLE new_artifact_signatures RENAME TO artifact_signatures;

CREATE UNIQUE INDEX artifacts_full ON artifacts (version, layout) WHERE base IS NULL;
CREATE UNIQUE INDEX artifacts_patches ON artifacts (version, base, layout, kind, recipe) WHERE base IS NOT NULL;
CREATE INDEX artifacts_by_version ON artifacts (version);
CREATE INDEX artifacts_by_blob ON artifacts (blob);

CREATE TRIGGER artifacts_never_change BEFORE UPDATE ON artifacts
BEGIN SELECT RAISE(ABORT, 'an artifact is never rewritten'); END;
