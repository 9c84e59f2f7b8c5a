-- What pages may use of the app that opens them: those of a package, and those outside packages.

-- Absent, or the names of native APIs and the origins: {"apis": [], "origins": []}.
ALTER TABLE packages ADD COLUMN permissions TEXT CHECK (permissions GLOB '{*}');

CREATE TABLE page_grants (
    app TEXT NOT NULL REFERENCES apps (id),
    name TEXT NOT NULL
        CHECK (length(name) BETWEEN 1 AND 63 AND name GLOB '[a-z0-9]*' AND name NOT GLOB '*[^a-z0-9-]*'),
    origin TEXT NOT NULL CHECK (origin GLOB 'https://?*' OR origin GLOB 'http://?*'),
    -- Without a slash at its end, but for the root.
    path TEXT NOT NULL CHECK (path GLOB '/*' AND (path = '/' OR path NOT GLOB '*/')),
    apis TEXT NOT NULL CHECK (apis GLOB '[[]*]'),
    expires_at INTEGER NOT NULL,
    PRIMARY KEY (app, name),
    UNIQUE (app, origin, path)
) STRICT, WITHOUT ROWID;
