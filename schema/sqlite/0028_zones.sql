-- The zone databases by which the cluster has planned, each from `valid_from` on, and the zones (other than UTC) that the
-- present definition of a task reads. `task_zone.version` is that of the database by which the task's next firing was
-- computed; 0: by another one, so the master computes it anew.
CREATE TABLE zone_version (
    namespace    INTEGER NOT NULL,
    version      INTEGER NOT NULL,
    name         TEXT    NOT NULL,
    fingerprints TEXT    NOT NULL,
    changed      TEXT    NOT NULL,
    valid_from   INTEGER NOT NULL,
    recorded_at  INTEGER NOT NULL,
    recorded_by  TEXT    NOT NULL,
    PRIMARY KEY (namespace, version)
);
CREATE TABLE task_zone (
    task_id   INTEGER NOT NULL,
    namespace INTEGER NOT NULL,
    zone      TEXT    NOT NULL,
    version   INTEGER NOT NULL,
    PRIMARY KEY (task_id, zone)
);
CREATE INDEX task_zone_behind ON task_zone (namespace, version, zone, task_id);
INSERT INTO task_zone (task_id, namespace, zone, version)
    SELECT id, namespace, json_extract(definition, '$.schedule.zone'), 1 FROM task
    WHERE schedule_kind IN ('cron', 'window', 'calendar')
    AND COALESCE(json_extract(definition, '$.schedule.zone'), 'UTC') <> 'UTC';
INSERT OR IGNORE INTO task_zone (task_id, namespace, zone, version)
    SELECT c.task_id, n.namespace, json_extract(n.definition, '$.zone'), 1
    FROM task_calendar c JOIN named_calendar n ON n.id = c.calendar_id
    WHERE COALESCE(json_extract(n.definition, '$.zone'), 'UTC') <> 'UTC';
