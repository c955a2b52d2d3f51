-- The names of deleted tasks, so that people find their versions and executions, which stay.
CREATE TABLE deleted_task (
    id         BIGINT       NOT NULL PRIMARY KEY,
    namespace  INT          NOT NULL DEFAULT 1,
    project    VARCHAR(64)  NOT NULL,
    name       VARCHAR(190) NOT NULL,
    version    INT          NOT NULL,
    deleted_at BIGINT       NOT NULL,
    KEY deleted_task_name (project, name, deleted_at)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
INSERT INTO deleted_task (id, project, name, version, deleted_at)
    SELECT task_id, COALESCE(JSON_UNQUOTE(JSON_EXTRACT(definition, '$.project')), 'default'),
           JSON_UNQUOTE(JSON_EXTRACT(definition, '$.name')), version, created_at
    FROM task_version WHERE action = 'deleted';
