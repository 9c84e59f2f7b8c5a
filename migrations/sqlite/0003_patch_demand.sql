-- Patches from bases that no plan names: from which ones devices asked for one, and when last.

CREATE TABLE patch_demand (
    package INTEGER NOT NULL,
    version INTEGER NOT NULL,
    base INTEGER NOT NULL CHECK (base <> version),
    asked_at INTEGER NOT NULL,
    PRIMARY KEY (version, base),
    FOREIGN KEY (package, version) REFERENCES versions (package, number),
    FOREIGN KEY (package, base) REFERENCES versions (package, number)
) STRICT, WITHOUT ROWID;
