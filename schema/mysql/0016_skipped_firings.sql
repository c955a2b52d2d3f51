-- Late firings that a misfire policy skipped, where they are too many for a row of `execution` each. One row covers
-- the firings of the task from first_at to last_at, both included.
CREATE TABLE skipped_range (
    task_id      BIGINT       NOT NULL,
    namespace    INT          NOT NULL,
    first_at     BIGINT       NOT NULL,
    last_at      BIGINT       NOT NULL,
    firings      INT          NOT NULL,
    task_version INT          NOT NULL,
    reason       VARCHAR(255) NOT NULL,
    created_at   BIGINT       NOT NULL,
    PRIMARY KEY (task_id, first_at),
    KEY skipped_range_age (last_at)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
