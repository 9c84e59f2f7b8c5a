-- A step of a plan may end the rules of a release (decision 0090). Servers before this migration cannot read such a step; that
-- they are outdated now keeps them from opening the database. No row changes.

UPDATE releases SET plan = plan WHERE false;
