-- The names of deleted tasks, so that people find their versions and executions, which stay.
CREATE TABLE deleted_task (
    id         INTEGER NOT NULL PRIMARY KEY,
    namespace  INTEGER NOT NULL DEFAULT 1,
    project    TEXT    NOT NULL,
    name       TEXT    NOT NULL,
    version    INTEGER NOT NULL,
    deleted_at INTEGER NOT NULL
);
CREATE INDEX deleted_task_name ON deleted_task (project, name, deleted_at);
INSERT INTO deleted_task (id, project, name, version, deleted_at)
    SELECT task_id, COALESCE(json_extract(definition, '$.project'), 'default'), json_extract(definition, '$.name'),
           version, created_at
    FROM task_version WHERE action = 'deleted';
