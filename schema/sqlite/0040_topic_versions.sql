-- How often a topic of the event stream has changed, counted by each session for itself. Rows of sessions that have not
-- changed anything for a day are deleted.
CREATE TABLE topic_version (
    namespace  INTEGER NOT NULL,
    topic      TEXT    NOT NULL,
    session    INTEGER NOT NULL,
    version    INTEGER NOT NULL,
    changed_at INTEGER NOT NULL,
    PRIMARY KEY (namespace, topic, session)
);
