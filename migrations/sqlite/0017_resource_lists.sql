-- The versions whose files each list for clients of seed 004 named. A list with a higher sequence of its package than a row
-- has named the same, up to the channel's next row.
CREATE TABLE resource_lists (
    number INTEGER PRIMARY KEY,
    app TEXT NOT NULL,
    package INTEGER NOT NULL,
    channel TEXT NOT NULL,
    sequence INTEGER NOT NULL CHECK (sequence >= 0),
    current INTEGER NOT NULL,
    coming INTEGER,
    -- A hash of the rules that gave the files their ids; NULL if they are not known.
    naming TEXT CHECK (length(naming) = 32 AND naming NOT GLOB '*[^0-9a-f]*'),
    FOREIGN KEY (app, package) REFERENCES packages (app, number),
    FOREIGN KEY (app, channel) REFERENCES channels (app, name),
    FOREIGN KEY (package, current) REFERENCES versions (package, number),
    FOREIGN KEY (package, coming) REFERENCES versions (package, number)
) STRICT;

CREATE INDEX resource_lists_by_package ON resource_lists (package, number);

CREATE TRIGGER resource_lists_never_change BEFORE UPDATE ON resource_lists
BEGIN SELECT RAISE(ABORT, 'what a list named never changes'); END;

CREATE TRIGGER resource_lists_never_go BEFORE DELETE ON resource_lists
BEGIN SELECT RAISE(ABORT, 'what a list named is never forgotten'); END;

-- What is known of the lists before: which version was current. Whether another one was coming is not, so that they lead to
-- no patches.
INSERT INTO resource_lists (app, package, channel, sequence, current)
SELECT app, package, channel, activated_sequence, version FROM releases
WHERE activated_sequence IS NOT NULL AND package IN (SELECT package FROM resource_numbers) ORDER BY activated_sequence;

-- Numbers counted by channel before. Those that were given stay.
CREATE TRIGGER resource_numbers_mean_one_content BEFORE INSERT ON resource_numbers
WHEN NOT EXISTS (
    SELECT 1 FROM resource_numbers
    WHERE package = NEW.package AND channel = NEW.channel AND resource = NEW.resource AND number = NEW.number
) AND EXISTS (
    SELECT 1 FROM resource_numbers
    WHERE package = NEW.package AND channel IN (SELECT name FROM channels WHERE app = NEW.app)
        AND resource = NEW.resource AND number = NEW.number AND digest <> NEW.digest
)
BEGIN SELECT RAISE(ABORT, 'the number of a resource stands for another content on another channel'); END;
