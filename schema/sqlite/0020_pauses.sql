-- Pauses of services, and of whole projects (`service` empty). `ended_at` is 0 while the pause is in force. `firings` says
-- what becomes of firings meanwhile: hold or skip.
CREATE TABLE pause (
    id        INTEGER NOT NULL PRIMARY KEY,
    namespace INTEGER NOT NULL,
    project   TEXT    NOT NULL,
    service   TEXT    NOT NULL,
    firings   TEXT    NOT NULL,
    reason    TEXT    NOT NULL,
    begun_by  TEXT    NOT NULL,
    since     INTEGER NOT NULL,
    ended_at  INTEGER NOT NULL DEFAULT 0,
    ended_by  TEXT    NOT NULL DEFAULT ''
);
CREATE UNIQUE INDEX pause_of_service ON pause (namespace, project, service, ended_at);
CREATE INDEX pause_end ON pause (namespace, ended_at);
CREATE INDEX task_service ON task (namespace, project, service);
