-- The last component of a file's path, by which clients of seed 003 request a file: rtrim removes all that follows the last slash.
ALTER TABLE files ADD COLUMN name TEXT AS (substr(path, length(rtrim(path, replace(path, '/', ''))) + 1)) VIRTUAL;

CREATE INDEX files_by_name ON files (version, name);
