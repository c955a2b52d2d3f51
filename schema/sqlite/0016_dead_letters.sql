-- Executions that failed or timed out in their last attempt. `rerun` is the execution that runs it again, and
-- `execution.rerun_of` is the way back.
ALTER TABLE execution ADD COLUMN rerun_of INTEGER NULL;
CREATE TABLE dead_letter (
    execution_id INTEGER NOT NULL PRIMARY KEY,
    namespace    INTEGER NOT NULL,
    project      TEXT    NOT NULL,
    task_id      INTEGER NOT NULL,
    died_at      INTEGER NOT NULL,
    resolution   TEXT    NOT NULL DEFAULT 'open',
    resolved_at  INTEGER NULL,
    rerun        INTEGER NULL
);
CREATE INDEX dead_letter_time ON dead_letter (namespace, resolution, died_at);
CREATE INDEX dead_letter_of_project ON dead_letter (project, resolution, died_at);
CREATE INDEX dead_letter_of_task ON dead_letter (task_id, resolution, died_at);
