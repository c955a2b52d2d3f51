-- Named calendars, their versions, and which version of which calendar the present definition of a task has.
CREATE TABLE named_calendar (
    id         BIGINT       NOT NULL PRIMARY KEY,
    namespace  INT          NOT NULL,
    project    VARCHAR(64)  NOT NULL,
    name       VARCHAR(190) NOT NULL,
    version    INT          NOT NULL,
    definition MEDIUMTEXT   NOT NULL,
    created_at BIGINT       NOT NULL,
    updated_at BIGINT       NOT NULL,
    UNIQUE KEY named_calendar_name (namespace, project, name)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
CREATE TABLE calendar_version (
    calendar_id BIGINT     NOT NULL,
    version     INT        NOT NULL,
    definition  MEDIUMTEXT NOT NULL,
    created_at  BIGINT     NOT NULL,
    PRIMARY KEY (calendar_id, version)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
CREATE TABLE task_calendar (
    task_id     BIGINT NOT NULL,
    calendar_id BIGINT NOT NULL,
    version     INT    NOT NULL,
    PRIMARY KEY (task_id, calendar_id),
    KEY task_calendar_of (calendar_id, task_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
