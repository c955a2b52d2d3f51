-- Requests to stop the handler of an attempt; `cause` is a protocol::stop_cause. The execution is in state `stopping` until
-- the attempt ends. A row is kept as long as its execution.
CREATE TABLE stop_request (
    execution_id INTEGER NOT NULL,
    attempt      INTEGER NOT NULL,
    cause        TEXT    NOT NULL,
    requested_at INTEGER NOT NULL,
    PRIMARY KEY (execution_id, attempt)
);
