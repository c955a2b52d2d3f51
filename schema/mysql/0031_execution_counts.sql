-- Executions by the minute (span 1) and the hour (span 60) in which they were scheduled, counted from the ledger by the
-- master. The project and the service '' are the sum of all.
CREATE TABLE execution_count (
    namespace   INT          NOT NULL,
    project     VARCHAR(100) NOT NULL,
    service     VARCHAR(100) NOT NULL,
    span        INT          NOT NULL,
    since       BIGINT       NOT NULL,
    fired       BIGINT       NOT NULL,
    succeeded   BIGINT       NOT NULL,
    failed      BIGINT       NOT NULL,
    cancelled   BIGINT       NOT NULL,
    skipped     BIGINT       NOT NULL,
    still_open  BIGINT       NOT NULL,
    lag_10ms    BIGINT       NOT NULL,
    lag_30ms    BIGINT       NOT NULL,
    lag_100ms   BIGINT       NOT NULL,
    lag_300ms   BIGINT       NOT NULL,
    lag_1s      BIGINT       NOT NULL,
    lag_3s      BIGINT       NOT NULL,
    lag_10s     BIGINT       NOT NULL,
    lag_60s     BIGINT       NOT NULL,
    lag_more    BIGINT       NOT NULL,
    PRIMARY KEY (namespace, project, service, span, since),
    KEY execution_count_age (span, since)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
-- Counts tasks by state without reading them.
CREATE INDEX task_state ON task (namespace, enabled, parked_for);
