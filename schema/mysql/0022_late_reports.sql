-- Executions that ended without their handlers, and what the clients reported of the handlers later; `outcome` is NULL
-- until then. It changes nothing, and is kept as long as the execution.
CREATE TABLE late_report (
    execution_id BIGINT       NOT NULL PRIMARY KEY,
    attempt      INT          NOT NULL,
    outcome      VARCHAR(16)  CHARACTER SET ascii COLLATE ascii_bin NULL,
    client       VARCHAR(190) NULL,
    finished_at  BIGINT       NULL,
    reported_at  BIGINT       NULL,
    result       MEDIUMTEXT   NULL,
    error        TEXT         NULL
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
