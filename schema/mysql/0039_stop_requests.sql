-- Requests to stop the handler of an attempt; `cause` is a protocol::stop_cause. The execution is in state `stopping` until
-- the attempt ends. A row is kept as long as its execution.
CREATE TABLE stop_request (
    execution_id BIGINT      NOT NULL,
    attempt      INT         NOT NULL,
    cause        VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    requested_at BIGINT      NOT NULL,
    PRIMARY KEY (execution_id, attempt)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
