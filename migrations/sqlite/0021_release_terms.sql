-- The attributes of a release that an operator decides are one JSON object (decision 0055). Columns are left for what
-- constraints, indexes and the history of releases need: the lists of devices, the rollout, the salt.

ALTER TABLE releases ADD COLUMN terms TEXT NOT NULL DEFAULT '{}' CHECK (terms GLOB '{*}');

UPDATE releases SET terms = json_object(
    'mandatory', json(iif(mandatory, 'true', 'false')),
    'updateMode', update_mode,
    'wifiOnly', json(iif(wifi_only, 'true', 'false')),
    'rules', json(rules),
    'floor', json(iif(floor_version IS NULL, NULL, json_object(
        'version', floor_version, 'reason', floor_reason, 'withoutHave', floor_without_have))),
    -- An RFC 3339 time with its milliseconds.
    'downloads', json(iif(download_from IS NULL, NULL, json_object(
        'from', strftime('%Y-%m-%dT%H:%M:%S', download_from / 1000, 'unixepoch') || printf('.%03dZ', download_from % 1000),
        'bytesPerSecond', download_rate, 'devices', download_devices, 'round', download_round))));

DROP TRIGGER releases_keep_their_downloads;

ALTER TABLE releases DROP COLUMN mandatory;
ALTER TABLE releases DROP COLUMN update_mode;
ALTER TABLE releases DROP COLUMN wifi_only;
ALTER TABLE releases DROP COLUMN rules;
ALTER TABLE releases DROP COLUMN floor_without_have;
ALTER TABLE releases DROP COLUMN floor_reason;
ALTER TABLE releases DROP COLUMN floor_version;
ALTER TABLE releases DROP COLUMN download_round;
ALTER TABLE releases DROP COLUMN download_devices;
ALTER TABLE releases DROP COLUMN download_rate;
ALTER TABLE releases DROP COLUMN download_from;

CREATE TRIGGER releases_keep_their_terms BEFORE UPDATE OF terms ON releases
BEGIN SELECT RAISE(ABORT, 'the terms of a release are decided when it is made'); END;
