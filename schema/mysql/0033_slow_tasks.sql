-- Tasks whose last runs took longer than those before, found by the master. `since`: when it found that first.
CREATE TABLE slow_task (
    task_id   BIGINT NOT NULL PRIMARY KEY,
    namespace INT    NOT NULL,
    usual_us  BIGINT NOT NULL,
    recent_us BIGINT NOT NULL,
    since     BIGINT NOT NULL,
    KEY slow_task_of (namespace, task_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
