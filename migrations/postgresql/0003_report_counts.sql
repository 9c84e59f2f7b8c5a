-- Reports arrive in batches of thousands, and a batch is one statement. Counting by row updates one row of counts as often
-- as the batch has reports, and each update leaves a dead row that the next one has to skip. The counts stay the same.
DROP TRIGGER reports_are_counted ON reports;
DROP FUNCTION count_report();

-- Adds the inserted reports to the counts. A device is added if the window held none of its reports of a version and event
-- before the statement, whose reports have the highest numbers.
--
-- The subquery with LIMIT and the setting keep the lookup of each device in the index. A plan that was made while the table
-- was small would read all of it.
CREATE FUNCTION count_reports() RETURNS trigger LANGUAGE plpgsql SET enable_seqscan = off AS $$
BEGIN
    WITH devices AS (
        SELECT version, event, count(*) AS reports,
            CASE WHEN (
                SELECT 1 FROM reports AS kept
                WHERE kept.version = added.version AND kept.event = added.event AND kept.device = added.device
                    AND kept.number < (SELECT min(number) FROM added_reports)
                LIMIT 1
            ) IS NULL THEN 1 ELSE 0 END AS devices
        FROM added_reports AS added GROUP BY version, event, device
    ), counts AS MATERIALIZED (
        SELECT version, event, sum(reports)::bigint AS reports, sum(devices)::bigint AS devices
        FROM devices GROUP BY version, event
    ), updated AS (
        UPDATE report_counts AS counted
        SET reports = counted.reports + counts.reports, devices = counted.devices + counts.devices
        FROM counts WHERE counted.version = counts.version AND counted.event = counts.event
        RETURNING counted.version, counted.event
    )
    INSERT INTO report_counts (version, event, reports, devices)
    SELECT version, event, reports, devices FROM counts
    WHERE NOT EXISTS (
        SELECT FROM updated WHERE updated.version = counts.version AND updated.event = counts.event
    );
    RETURN NULL;
END $$;

CREATE TRIGGER reports_are_counted AFTER INSERT ON reports
REFERENCING NEW TABLE AS added_reports FOR EACH STATEMENT EXECUTE FUNCTION count_reports();

-- A batch numbers its reports itself.
DROP TRIGGER reports_are_numbered ON reports;
CREATE TRIGGER reports_are_numbered BEFORE INSERT ON reports FOR EACH ROW
WHEN (NEW.number IS NULL) EXECUTE FUNCTION number_report();
