-- Executions that failed or timed out in their last attempt. `rerun` is the execution that runs it again, and
-- `execution.rerun_of` is the way back.
ALTER TABLE execution ADD COLUMN rerun_of BIGINT NULL;
CREATE TABLE dead_letter (
    execution_id BIGINT      NOT NULL PRIMARY KEY,
    namespace    INT         NOT NULL,
    project      VARCHAR(64) NOT NULL,
    task_id      BIGINT      NOT NULL,
    died_at      BIGINT      NOT NULL,
    resolution   VARCHAR(12) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT 'open',
    resolved_at  BIGINT      NULL,
    rerun        BIGINT      NULL,
    KEY dead_letter_time (namespace, resolution, died_at),
    KEY dead_letter_of_project (project, resolution, died_at),
    KEY dead_letter_of_task (task_id, resolution, died_at)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
