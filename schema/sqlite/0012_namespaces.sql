-- A namespace is known by the id of its lock row. It leads the keys by which a master finds its work, so that several
-- masters can share the tables. The first namespace has id 1: that is what all rows so far belong to.
ALTER TABLE task ADD COLUMN namespace INTEGER NOT NULL DEFAULT 1;
DROP INDEX task_due;
CREATE INDEX task_due ON task (namespace, parked_for, next_fire_at) WHERE next_fire_at IS NOT NULL;
ALTER TABLE execution ADD COLUMN namespace INTEGER NOT NULL DEFAULT 1;
DROP INDEX execution_open;
CREATE INDEX execution_open ON execution (namespace, due_at) WHERE due_at IS NOT NULL;
ALTER TABLE `signal` ADD COLUMN namespace INTEGER NOT NULL DEFAULT 1;
DROP INDEX signal_time;
CREATE INDEX signal_time ON `signal` (namespace, created_at, id);
