-- Handlers that did not return within the grace period after they were asked to stop. Their executions have ended; these
-- rows stay until the client reports the end of the handler, is gone, or a person releases it.
CREATE TABLE unresponsive (
    execution_id INTEGER NOT NULL PRIMARY KEY,
    namespace    INTEGER NOT NULL,
    attempt      INTEGER NOT NULL,
    client       TEXT    NOT NULL,
    since        INTEGER NOT NULL
);
