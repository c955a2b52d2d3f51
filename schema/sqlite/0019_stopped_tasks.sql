-- Tasks that were disabled or deleted: the master cancels their executions of earlier versions that have not been sent by
-- `line`, and deletes the row when none of them can be left.
CREATE TABLE stopped_task (
    task_id   INTEGER NOT NULL,
    namespace INTEGER NOT NULL,
    version   INTEGER NOT NULL,
    line      INTEGER NOT NULL,
    reason    TEXT    NOT NULL,
    PRIMARY KEY (task_id, version)
) WITHOUT ROWID;
CREATE INDEX stopped_task_line ON stopped_task (namespace, line);
