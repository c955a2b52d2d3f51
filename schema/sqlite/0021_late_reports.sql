-- Executions that ended without their handlers, and what the clients reported of the handlers later; `outcome` is NULL
-- until then. It changes nothing, and is kept as long as the execution.
CREATE TABLE late_report (
    execution_id INTEGER NOT NULL PRIMARY KEY,
    attempt      INTEGER NOT NULL,
    outcome      TEXT    NULL,
    client       TEXT    NULL,
    finished_at  INTEGER NULL,
    reported_at  INTEGER NULL,
    result       TEXT    NULL,
    error        TEXT    NULL
);
