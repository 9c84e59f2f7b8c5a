-- When devices download what is released for a moment to come, so that all of them together stay within a budget.
ALTER TABLE releases ADD COLUMN download_from INTEGER;
ALTER TABLE releases ADD COLUMN download_rate INTEGER
    CHECK ((download_rate IS NULL) = (download_from IS NULL) AND download_rate > 0);
ALTER TABLE releases ADD COLUMN download_devices INTEGER
    CHECK ((download_devices IS NULL) = (download_from IS NULL) AND download_devices > 0);
ALTER TABLE releases ADD COLUMN download_round INTEGER
    CHECK ((download_round IS NULL) = (download_from IS NULL) AND download_round > 0);

CREATE TRIGGER releases_keep_their_downloads
BEFORE UPDATE OF download_from, download_rate, download_devices, download_round ON releases
BEGIN SELECT RAISE(ABORT, 'when devices download a release is decided when it is made'); END;
