-- Pauses of services, and of whole projects (`service` empty). `ended_at` is 0 while the pause is in force. `firings` says
-- what becomes of firings meanwhile: hold or skip.
CREATE TABLE pause (
    id        BIGINT       NOT NULL PRIMARY KEY,
    namespace INT          NOT NULL,
    project   VARCHAR(64)  NOT NULL,
    service   VARCHAR(100) NOT NULL,
    firings   VARCHAR(8)   CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    reason    VARCHAR(200) NOT NULL,
    begun_by  VARCHAR(100) NOT NULL,
    since     BIGINT       NOT NULL,
    ended_at  BIGINT       NOT NULL DEFAULT 0,
    ended_by  VARCHAR(100) NOT NULL DEFAULT '',
    UNIQUE KEY pause_of_service (namespace, project, service, ended_at),
    KEY pause_end (namespace, ended_at)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
CREATE INDEX task_service ON task (namespace, project, service);
