-- Command lines that sign in as a user who agrees in the console (decision 0089).

-- The machine of a command line; NULL for the session of a browser.
ALTER TABLE sessions ADD COLUMN machine TEXT CHECK (length(machine) BETWEEN 1 AND 64);

CREATE TABLE command_line_requests (
    -- The code that the terminal and the console show.
    code TEXT NOT NULL PRIMARY KEY CHECK (length(code) = 9),
    -- The SHA-256 of the secret of the command line, by which its session is known later.
    secret_hash BLOB NOT NULL UNIQUE CHECK (length(secret_hash) = 32),
    machine TEXT NOT NULL CHECK (length(machine) BETWEEN 1 AND 64),
    address TEXT NOT NULL,
    -- The addresses that count as one.
    address_group TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    refused INTEGER NOT NULL CHECK (refused IN (0, 1))
) STRICT, WITHOUT ROWID;

CREATE INDEX command_line_requests_by_time ON command_line_requests (created_at);

CREATE INDEX command_line_requests_by_address ON command_line_requests (address_group, created_at);
