-- Until when the pages of a package are to come from the network.
ALTER TABLE packages ADD COLUMN online_until INTEGER;

CREATE INDEX packages_online ON packages (app) WHERE online_until IS NOT NULL;
