-- What is told of a version beside its content, and of a package's findings that are fine.

-- A version that was published before this has no row until it gets notes.
CREATE TABLE version_details (
    version INTEGER NOT NULL PRIMARY KEY REFERENCES versions (number) ON DELETE CASCADE,
    notes TEXT CHECK (length(CAST(notes AS BLOB)) BETWEEN 1 AND 2000),
    git_commit TEXT CHECK (length(CAST(git_commit AS BLOB)) BETWEEN 1 AND 128),
    git_author TEXT CHECK (length(CAST(git_author AS BLOB)) BETWEEN 1 AND 200),
    -- What the linter found, and what of it was waived.
    warnings TEXT CHECK (warnings GLOB '[[]*]' AND length(CAST(warnings AS BLOB)) <= 1048576),
    waived TEXT CHECK (waived GLOB '[[]*]' AND length(CAST(waived AS BLOB)) <= 1048576),
    CHECK ((warnings IS NULL) = (waived IS NULL)),
    -- GLOB ends at a NUL.
    CHECK (instr(notes, char(0)) = 0 AND instr(git_commit, char(0)) = 0 AND instr(git_author, char(0)) = 0),
    -- A line feed may be in notes alone.
    CHECK (notes NOT GLOB '*[' || char(1) || '-' || char(9) || char(11) || '-' || char(31) || char(127) || ']*'),
    CHECK (git_commit NOT GLOB '*[' || char(1) || '-' || char(31) || char(127) || ']*'),
    CHECK (git_author NOT GLOB '*[' || char(1) || '-' || char(31) || char(127) || ']*')
) STRICT;

CREATE TRIGGER version_facts_never_change
BEFORE UPDATE OF version, git_commit, git_author, warnings, waived ON version_details
BEGIN SELECT RAISE(ABORT, 'of what is told of a version only its notes change'); END;

CREATE TABLE retirements (
    version INTEGER NOT NULL PRIMARY KEY REFERENCES versions (number) ON DELETE CASCADE,
    time INTEGER NOT NULL,
    actor TEXT NOT NULL CHECK (actor <> ''),
    reason TEXT NOT NULL CHECK (
        length(CAST(reason AS BLOB)) BETWEEN 1 AND 500 AND instr(reason, char(0)) = 0
        AND reason NOT GLOB '*[' || char(1) || '-' || char(31) || char(127) || ']*')
) STRICT;

CREATE TRIGGER retirements_never_change BEFORE UPDATE ON retirements
BEGIN SELECT RAISE(ABORT, 'a version is retired once, until it is not'); END;

CREATE TRIGGER retired_versions_are_not_released BEFORE INSERT ON releases
WHEN EXISTS (SELECT 1 FROM retirements WHERE version = NEW.version)
BEGIN SELECT RAISE(ABORT, 'a retired version is not released'); END;

CREATE TABLE lint_waivers (
    package INTEGER NOT NULL REFERENCES packages (number),
    code TEXT NOT NULL CHECK (code GLOB '[a-z]*' AND code NOT GLOB '*[^a-z-]*'),
    -- Empty for every path: a key tells no two NULLs apart.
    path TEXT NOT NULL CHECK (path NOT GLOB '/*' AND length(CAST(path AS BLOB)) <= 1024),
    reason TEXT NOT NULL CHECK (
        length(CAST(reason AS BLOB)) BETWEEN 1 AND 500 AND instr(reason, char(0)) = 0
        AND reason NOT GLOB '*[' || char(1) || '-' || char(31) || char(127) || ']*'),
    actor TEXT NOT NULL CHECK (actor <> ''),
    time INTEGER NOT NULL,
    PRIMARY KEY (package, code, path)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER lint_waivers_are_bounded BEFORE INSERT ON lint_waivers
WHEN (SELECT count(*) FROM lint_waivers WHERE package = NEW.package) >= 100
BEGIN SELECT RAISE(ABORT, 'a package has at most 100 waivers'); END;
