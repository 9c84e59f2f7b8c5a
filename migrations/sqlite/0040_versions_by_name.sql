-- For searches by the beginning of a version over all packages.
CREATE INDEX versions_by_name ON versions (folded);
