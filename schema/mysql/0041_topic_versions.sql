-- How often a topic of the event stream has changed, counted by each session for itself: a counter that all share would make
-- one edit wait for another. Rows of sessions that have not changed anything for a day are deleted.
CREATE TABLE topic_version (
    namespace  INT         NOT NULL,
    topic      VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    session    BIGINT      NOT NULL,
    version    BIGINT      NOT NULL,
    changed_at BIGINT      NOT NULL,
    PRIMARY KEY (namespace, topic, session)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
