-- Handlers that did not return within the grace period after they were asked to stop. Their executions have ended; these
-- rows stay until the client reports the end of the handler, is gone, or a person releases it.
CREATE TABLE unresponsive (
    execution_id BIGINT       NOT NULL PRIMARY KEY,
    namespace    INT          NOT NULL,
    attempt      INT          NOT NULL,
    client       VARCHAR(128) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    since        BIGINT       NOT NULL
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
