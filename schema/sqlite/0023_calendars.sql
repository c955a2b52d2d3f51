-- Named calendars, their versions, and which version of which calendar the present definition of a task has.
CREATE TABLE named_calendar (
    id         INTEGER NOT NULL PRIMARY KEY,
    namespace  INTEGER NOT NULL,
    project    TEXT    NOT NULL,
    name       TEXT    NOT NULL,
    version    INTEGER NOT NULL,
    definition TEXT    NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL
);
CREATE UNIQUE INDEX named_calendar_name ON named_calendar (namespace, project, name);
CREATE TABLE calendar_version (
    calendar_id INTEGER NOT NULL,
    version     INTEGER NOT NULL,
    definition  TEXT    NOT NULL,
    created_at  INTEGER NOT NULL,
    PRIMARY KEY (calendar_id, version)
);
CREATE TABLE task_calendar (
    task_id     INTEGER NOT NULL,
    calendar_id INTEGER NOT NULL,
    version     INTEGER NOT NULL,
    PRIMARY KEY (task_id, calendar_id)
);
CREATE INDEX task_calendar_of ON task_calendar (calendar_id, task_id);
