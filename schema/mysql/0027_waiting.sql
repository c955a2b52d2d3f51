-- What executions that waited for over a second waited for: `blocker` is a protocol::blocker. `waited_until` is NULL until
-- the execution goes on; it may end before.
CREATE TABLE waiting (
    execution_id BIGINT      NOT NULL,
    since        BIGINT      NOT NULL,
    blocker      VARCHAR(24) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    waited_until BIGINT      NULL,
    PRIMARY KEY (execution_id, since)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
-- Rate limits of less than a token a second, of a task, or with task_id 0 of a service or (`service` empty) a project: all
-- their tokens are there from `full_at` on.
CREATE TABLE limit_state (
    namespace INT          NOT NULL,
    task_id   BIGINT       NOT NULL,
    project   VARCHAR(64)  NOT NULL,
    service   VARCHAR(100) NOT NULL,
    full_at   BIGINT       NOT NULL,
    PRIMARY KEY (namespace, task_id, project, service),
    KEY limit_state_age (full_at)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
