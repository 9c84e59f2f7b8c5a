-- For the first entry of the last hour, from which publishers may follow the log.
CREATE INDEX audit_by_time ON audit (time, id);
