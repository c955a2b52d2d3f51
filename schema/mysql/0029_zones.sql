-- The zone databases by which the cluster has planned, each from `valid_from` on, and the zones (other than UTC) that the
-- present definition of a task reads. `task_zone.version` is that of the database by which the task's next firing was
-- computed; 0: by another one, so the master computes it anew.
CREATE TABLE zone_version (
    namespace    INT          NOT NULL,
    version      INT          NOT NULL,
    name         VARCHAR(64)  NOT NULL,
    fingerprints MEDIUMTEXT   NOT NULL,
    changed      MEDIUMTEXT   NOT NULL,
    valid_from   BIGINT       NOT NULL,
    recorded_at  BIGINT       NOT NULL,
    recorded_by  VARCHAR(128) NOT NULL,
    PRIMARY KEY (namespace, version)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
CREATE TABLE task_zone (
    task_id   BIGINT      NOT NULL,
    namespace INT         NOT NULL,
    zone      VARCHAR(64) NOT NULL,
    version   INT         NOT NULL,
    PRIMARY KEY (task_id, zone),
    KEY task_zone_behind (namespace, version, zone, task_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
INSERT INTO task_zone (task_id, namespace, zone, version)
    SELECT id, namespace, JSON_UNQUOTE(JSON_EXTRACT(definition, '$.schedule.zone')), 1 FROM task
    WHERE schedule_kind IN ('cron', 'window', 'calendar')
    AND COALESCE(JSON_UNQUOTE(JSON_EXTRACT(definition, '$.schedule.zone')), 'UTC') <> 'UTC';
INSERT IGNORE INTO task_zone (task_id, namespace, zone, version)
    SELECT c.task_id, n.namespace, JSON_UNQUOTE(JSON_EXTRACT(n.definition, '$.zone')), 1
    FROM task_calendar c JOIN named_calendar n ON n.id = c.calendar_id
    WHERE COALESCE(JSON_UNQUOTE(JSON_EXTRACT(n.definition, '$.zone')), 'UTC') <> 'UTC';
