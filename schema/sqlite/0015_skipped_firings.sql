-- Late firings that a misfire policy skipped, where they are too many for a row of `execution` each. One row covers
-- the firings of the task from first_at to last_at, both included.
CREATE TABLE skipped_range (
    task_id      INTEGER NOT NULL,
    namespace    INTEGER NOT NULL,
    first_at     INTEGER NOT NULL,
    last_at      INTEGER NOT NULL,
    firings      INTEGER NOT NULL,
    task_version INTEGER NOT NULL,
    reason       TEXT    NOT NULL,
    created_at   INTEGER NOT NULL,
    PRIMARY KEY (task_id, first_at)
) WITHOUT ROWID;
CREATE INDEX skipped_range_age ON skipped_range (last_at);
