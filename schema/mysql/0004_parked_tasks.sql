-- A task whose service has as many open executions as it may have is parked: `parked_for` is "project/service", empty
-- otherwise. The planner's index begins with it, so that the planner does not read parked tasks. The master parks tasks
-- and takes them back; an edit takes its task back.
ALTER TABLE task
    ADD COLUMN parked_for    VARCHAR(170) NOT NULL DEFAULT '',
    ADD COLUMN parked_at     BIGINT       NULL,
    ADD COLUMN parked_reason VARCHAR(255) NULL,
    DROP KEY task_due,
    ADD KEY task_due (parked_for, next_fire_at);
