-- Executions by the minute (span 1) and the hour (span 60) in which they were scheduled, counted from the ledger by the
-- master. The project and the service '' are the sum of all.
CREATE TABLE execution_count (
    namespace   INTEGER NOT NULL,
    project     TEXT    NOT NULL,
    service     TEXT    NOT NULL,
    span        INTEGER NOT NULL,
    since       INTEGER NOT NULL,
    fired       INTEGER NOT NULL,
    succeeded   INTEGER NOT NULL,
    failed      INTEGER NOT NULL,
    cancelled   INTEGER NOT NULL,
    skipped     INTEGER NOT NULL,
    still_open  INTEGER NOT NULL,
    lag_10ms    INTEGER NOT NULL,
    lag_30ms    INTEGER NOT NULL,
    lag_100ms   INTEGER NOT NULL,
    lag_300ms   INTEGER NOT NULL,
    lag_1s      INTEGER NOT NULL,
    lag_3s      INTEGER NOT NULL,
    lag_10s     INTEGER NOT NULL,
    lag_60s     INTEGER NOT NULL,
    lag_more    INTEGER NOT NULL,
    PRIMARY KEY (namespace, project, service, span, since)
) WITHOUT ROWID;
CREATE INDEX execution_count_age ON execution_count (span, since);
-- Counts tasks by state without reading them.
CREATE INDEX task_state ON task (namespace, enabled, parked_for);
