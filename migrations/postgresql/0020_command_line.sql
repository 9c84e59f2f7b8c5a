-- Command lines that sign in as a user who agrees in the console (decision 0089).

-- The machine of a command line; null for the session of a browser.
ALTER TABLE sessions ADD COLUMN machine text COLLATE "C" CHECK (length(machine) BETWEEN 1 AND 64);

CREATE TABLE command_line_requests (
    -- The code that the terminal and the console show.
    code text COLLATE "C" NOT NULL PRIMARY KEY CHECK (length(code) = 9),
    -- The SHA-256 of the secret of the command line, by which its session is known later.
    secret_hash bytea NOT NULL UNIQUE CHECK (octet_length(secret_hash) = 32),
    machine text COLLATE "C" NOT NULL CHECK (length(machine) BETWEEN 1 AND 64),
    address text COLLATE "C" NOT NULL,
    -- The addresses that count as one.
    address_group text COLLATE "C" NOT NULL,
    created_at bigint NOT NULL,
    refused bigint NOT NULL CHECK (refused IN (0, 1))
);

CREATE INDEX command_line_requests_by_time ON command_line_requests (created_at);

CREATE INDEX command_line_requests_by_address ON command_line_requests (address_group, created_at);
