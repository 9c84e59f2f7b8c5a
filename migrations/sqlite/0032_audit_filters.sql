-- For the newest entries of an actor, an action and an object. The columns after the id serve further conditions without
-- a look at each row.
CREATE INDEX audit_by_actor ON audit (actor, id, app);

CREATE INDEX audit_by_action ON audit (action, id);

CREATE INDEX audit_by_subject ON audit (subject, id, action, actor, app);

CREATE INDEX audit_by_actor_action ON audit (actor, action, id, app);

CREATE INDEX audit_by_app_action ON audit (app, action, id);
