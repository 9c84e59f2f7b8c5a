-- A step of a plan, or an operator, may drop the audience rules of a release (decision 0090). The history keeps the terms, so that a decision
-- at a time in the past is made by the rules of that time. No rules were dropped before, so the present terms are those of earlier rows.
--
-- Servers before this migration cannot read such a step, and are outdated from here on.

ALTER TABLE release_history ADD COLUMN terms TEXT;

UPDATE release_history SET terms = (SELECT terms FROM releases WHERE releases.id = release_history.release);

DROP TRIGGER releases_leave_a_history;
CREATE TRIGGER releases_leave_a_history AFTER UPDATE OF revision ON releases
BEGIN
    INSERT INTO release_history
    VALUES (OLD.id, OLD.revision, NEW.changed_at, OLD.course, OLD.course_since, OLD.percent, OLD.plan,
        OLD.paused_for, OLD.active_time, OLD.rank, OLD.terms);
END;
