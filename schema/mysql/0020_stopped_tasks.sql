-- Tasks that were disabled or deleted: the master cancels their executions of earlier versions that have not been sent by
-- `line`, and deletes the row when none of them can be left.
CREATE TABLE stopped_task (
    task_id   BIGINT       NOT NULL,
    namespace INT          NOT NULL,
    version   INT          NOT NULL,
    line      BIGINT       NOT NULL,
    reason    VARCHAR(255) NOT NULL,
    PRIMARY KEY (task_id, version),
    KEY stopped_task_line (namespace, line)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
