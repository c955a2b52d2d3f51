-- The executions that failed or timed out for good, so that a search finds them without reading the ledger: dead letters, and
-- broadcasts. `error` is that of the last attempt; `first_error` that of the first, if there were more.
CREATE TABLE failure (
    execution_id INTEGER NOT NULL PRIMARY KEY,
    namespace    INTEGER NOT NULL,
    task_id      INTEGER NOT NULL,
    scheduled_at INTEGER NOT NULL,
    error        TEXT    NULL,
    first_error  TEXT    NULL
);
CREATE INDEX failure_time ON failure (namespace, scheduled_at, execution_id);
CREATE INDEX failure_of_task ON failure (task_id, namespace, scheduled_at, execution_id);
INSERT INTO failure (execution_id, namespace, task_id, scheduled_at, error, first_error)
    SELECT d.execution_id, d.namespace, d.task_id, e.scheduled_at, COALESCE(a.error, e.error),
           CASE WHEN e.attempt > 1 THEN e.error END
    FROM dead_letter d JOIN execution e ON e.id = d.execution_id
    LEFT JOIN attempt a ON a.execution_id = e.id AND a.attempt = e.attempt;
INSERT INTO failure (execution_id, namespace, task_id, scheduled_at)
    SELECT DISTINCT p.id, p.namespace, p.task_id, p.scheduled_at
    FROM dead_letter d JOIN execution e ON e.id = d.execution_id JOIN execution p ON p.id = e.parent_id
    WHERE p.state = 'failed';
-- For searches by service: narrow, because each row that a search looks at costs a look-up.
CREATE INDEX task_of_service ON task (namespace, service, id);
