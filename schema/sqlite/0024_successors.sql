-- Tasks that run after the success of another one, and the firings of such parents whose ends have not been followed yet.
CREATE TABLE task_parent (
    task_id   INTEGER NOT NULL PRIMARY KEY,
    parent_id INTEGER NOT NULL
);
CREATE INDEX task_parent_of ON task_parent (parent_id, task_id);
CREATE TABLE settle (
    execution_id INTEGER NOT NULL PRIMARY KEY,
    namespace    INTEGER NOT NULL,
    task_id      INTEGER NOT NULL,
    scheduled_at INTEGER NOT NULL
);
