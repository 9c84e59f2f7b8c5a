-- The dialects in which a package is told of beside /config: an array of their names, sorted.
ALTER TABLE packages ADD COLUMN dialects TEXT NOT NULL DEFAULT '[]' CHECK (dialects GLOB '[[]*]');
