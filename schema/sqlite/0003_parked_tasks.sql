-- A task whose service has as many open executions as it may have is parked: `parked_for` is "project/service", empty
-- otherwise. The planner's index begins with it, so that the planner does not read parked tasks. The master parks tasks
-- and takes them back; an edit takes its task back.
ALTER TABLE task ADD COLUMN parked_for TEXT NOT NULL DEFAULT '';
ALTER TABLE task ADD COLUMN parked_at INTEGER NULL;
ALTER TABLE task ADD COLUMN parked_reason TEXT NULL;
DROP INDEX task_due;
CREATE INDEX task_due ON task (parked_for, next_fire_at) WHERE next_fire_at IS NOT NULL;
