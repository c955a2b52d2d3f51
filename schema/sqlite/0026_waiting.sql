-- What executions that waited for over a second waited for: `blocker` is a protocol::blocker. `waited_until` is NULL until
-- the execution goes on; it may end before.
CREATE TABLE waiting (
    execution_id INTEGER NOT NULL,
    since        INTEGER NOT NULL,
    blocker      TEXT    NOT NULL,
    waited_until INTEGER NULL,
    PRIMARY KEY (execution_id, since)
) WITHOUT ROWID;
-- Rate limits of less than a token a second, of a task, or with task_id 0 of a service or (`service` empty) a project: all
-- their tokens are there from `full_at` on.
CREATE TABLE limit_state (
    namespace INTEGER NOT NULL,
    task_id   INTEGER NOT NULL,
    project   TEXT    NOT NULL,
    service   TEXT    NOT NULL,
    full_at   INTEGER NOT NULL,
    PRIMARY KEY (namespace, task_id, project, service)
) WITHOUT ROWID;
CREATE INDEX limit_state_age ON limit_state (full_at);
