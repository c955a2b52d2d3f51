-- Tasks that run after the success of another one, and the firings of such parents whose ends have not been followed yet.
CREATE TABLE task_parent (
    task_id   BIGINT NOT NULL PRIMARY KEY,
    parent_id BIGINT NOT NULL,
    KEY task_parent_of (parent_id, task_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
CREATE TABLE settle (
    execution_id BIGINT NOT NULL PRIMARY KEY,
    namespace    INT    NOT NULL,
    task_id      BIGINT NOT NULL,
    scheduled_at BIGINT NOT NULL
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
