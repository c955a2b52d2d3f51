-- Tasks whose last runs took longer than those before, found by the master. `since`: when it found that first.
CREATE TABLE slow_task (
    task_id   INTEGER NOT NULL PRIMARY KEY,
    namespace INTEGER NOT NULL,
    usual_us  INTEGER NOT NULL,
    recent_us INTEGER NOT NULL,
    since     INTEGER NOT NULL
);
CREATE INDEX slow_task_of ON slow_task (namespace, task_id);
