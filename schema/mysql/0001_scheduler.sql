-- MySQL 8 and MariaDB 10.11. Times are BIGINT microseconds since the Unix epoch, UTC, except in `lock`.
-- Statements end with a semicolon at the end of a line.

-- One row per namespace: the master, its ttl and its epoch (`version`). See docs/election.md.
CREATE TABLE `lock` (
    id           BIGINT          NOT NULL AUTO_INCREMENT PRIMARY KEY,
    namespace    VARCHAR(128)    CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    owner        VARCHAR(128)    CHARACTER SET ascii COLLATE ascii_bin NULL,
    version      BIGINT UNSIGNED NOT NULL,
    create_time  DATETIME(6)     NOT NULL,
    update_time  DATETIME(6)     NOT NULL,
    renew_seq    BIGINT UNSIGNED NOT NULL DEFAULT 0,
    ttl_us       BIGINT UNSIGNED NOT NULL DEFAULT 0,
    guard_conn   BIGINT UNSIGNED NOT NULL DEFAULT 0,
    guard_server VARCHAR(96)     CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT '',
    owner_addr   VARCHAR(255)    NOT NULL DEFAULT '',
    UNIQUE KEY lock_namespace (namespace)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

-- Every transaction of a master touches the row of its epoch first, so a stale one rolls back.
CREATE TABLE lock_fence (
    namespace VARCHAR(128)    CHARACTER SET ascii COLLATE ascii_bin NOT NULL PRIMARY KEY,
    epoch     BIGINT UNSIGNED NOT NULL,
    touched   BIGINT UNSIGNED NOT NULL DEFAULT 0
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

-- The registered tasks. `definition` is the whole document; the other columns are for queries.
CREATE TABLE task (
    id            BIGINT       NOT NULL PRIMARY KEY,
    project       VARCHAR(64)  NOT NULL,
    name          VARCHAR(190) NOT NULL,
    version       INT          NOT NULL,
    enabled       TINYINT      NOT NULL,
    service       VARCHAR(100) NOT NULL,
    handler       VARCHAR(150) NOT NULL,
    schedule_kind VARCHAR(16)  CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    definition    MEDIUMTEXT   NOT NULL,
    next_fire_at  BIGINT       NULL,
    waiting_for   BIGINT       NULL,
    created_at    BIGINT       NOT NULL,
    updated_at    BIGINT       NOT NULL,
    UNIQUE KEY task_name (project, name),
    KEY task_due (next_fire_at),
    KEY task_waiting (waiting_for)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

-- All versions of all tasks. `valid_from` is the first instant that this version decides.
CREATE TABLE task_version (
    task_id    BIGINT      NOT NULL,
    version    INT         NOT NULL,
    action     VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    valid_from BIGINT      NOT NULL,
    definition MEDIUMTEXT  NOT NULL,
    created_at BIGINT      NOT NULL,
    PRIMARY KEY (task_id, version)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

-- The fire ledger. One row per firing (run_key 0) or other run (run_key = id). `due_at` is the instant of the current
-- attempt and NULL once the execution has ended. started_at to error are those of the first attempt.
CREATE TABLE execution (
    id                  BIGINT       NOT NULL PRIMARY KEY,
    project             VARCHAR(64)  NOT NULL,
    task_id             BIGINT       NOT NULL,
    task_version        INT          NOT NULL,
    scheduled_at        BIGINT       NOT NULL,
    run_key             BIGINT       NOT NULL,
    cause               VARCHAR(12)  CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    state               VARCHAR(12)  CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    due_at              BIGINT       NULL,
    attempt             INT          NOT NULL,
    max_attempts        INT          NOT NULL,
    retry_delay_us      BIGINT       NOT NULL,
    epoch               BIGINT       NOT NULL,
    parent_id           BIGINT       NULL,
    shard_index         INT          NOT NULL DEFAULT 0,
    shard_total         INT          NOT NULL DEFAULT 1,
    shard_instance      VARCHAR(128) CHARACTER SET ascii COLLATE ascii_bin NULL,
    payload             MEDIUMTEXT   NULL,
    cancel_requested_at BIGINT       NULL,
    reason              VARCHAR(255) NULL,
    created_at          BIGINT       NOT NULL,
    ended_at            BIGINT       NULL,
    node                VARCHAR(128) CHARACTER SET ascii COLLATE ascii_bin NULL,
    client              VARCHAR(128) CHARACTER SET ascii COLLATE ascii_bin NULL,
    started_at          BIGINT       NULL,
    finished_at         BIGINT       NULL,
    outcome             VARCHAR(12)  CHARACTER SET ascii COLLATE ascii_bin NULL,
    progress            INT          NULL,
    result              MEDIUMTEXT   NULL,
    error               TEXT         NULL,
    UNIQUE KEY execution_firing (scheduled_at, task_id, run_key),
    KEY execution_open (due_at),
    KEY execution_of_task (task_id, scheduled_at),
    KEY execution_time (scheduled_at),
    KEY execution_parent (parent_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

-- The second and further attempts; `outcome` is how the attempt ended, NULL while it is open.
CREATE TABLE attempt (
    execution_id BIGINT       NOT NULL,
    attempt      INT          NOT NULL,
    cause        VARCHAR(16)  CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    due_at       BIGINT       NOT NULL,
    epoch        BIGINT       NOT NULL,
    node         VARCHAR(128) CHARACTER SET ascii COLLATE ascii_bin NULL,
    client       VARCHAR(128) CHARACTER SET ascii COLLATE ascii_bin NULL,
    started_at   BIGINT       NULL,
    finished_at  BIGINT       NULL,
    outcome      VARCHAR(12)  CHARACTER SET ascii COLLATE ascii_bin NULL,
    progress     INT          NULL,
    result       MEDIUMTEXT   NULL,
    error        TEXT         NULL,
    PRIMARY KEY (execution_id, attempt)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

-- Trigger processes, one row per incarnation. A node without a heartbeat for `ttl_us` counts as gone.
CREATE TABLE node (
    incarnation  VARCHAR(128) CHARACTER SET ascii COLLATE ascii_bin NOT NULL PRIMARY KEY,
    name         VARCHAR(100) NOT NULL,
    address      VARCHAR(255) NOT NULL,
    secret       VARCHAR(64)  CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    role         VARCHAR(12)  CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    version      VARCHAR(40)  NOT NULL,
    load_permille INT         NOT NULL,
    clients      INT          NOT NULL,
    draining     TINYINT      NOT NULL,
    ttl_us       BIGINT       NOT NULL,
    started_at   BIGINT       NOT NULL,
    heartbeat_at BIGINT       NOT NULL
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

-- Client processes and their states. Heartbeats are kept in the memory of the node that receives them. A row in state
-- 'gone' is kept for a while, so that every node reads of the departure.
CREATE TABLE client (
    instance   VARCHAR(128) CHARACTER SET ascii COLLATE ascii_bin NOT NULL PRIMARY KEY,
    service    VARCHAR(100) NOT NULL,
    address    VARCHAR(255) NOT NULL,
    secret     VARCHAR(64)  CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    handlers   MEDIUMTEXT   NOT NULL,
    slots      INT          NOT NULL,
    queue      INT          NOT NULL,
    version    VARCHAR(40)  NOT NULL,
    node       VARCHAR(128) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    state      VARCHAR(12)  CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    joined_at  BIGINT       NOT NULL,
    changed_at BIGINT       NOT NULL,
    KEY client_changed (changed_at),
    KEY client_service (service)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

-- Notices of web to the master, inserted in the transaction of the change and deleted by the master when done.
CREATE TABLE `signal` (
    id         BIGINT      NOT NULL PRIMARY KEY,
    kind       VARCHAR(12) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    subject    BIGINT      NOT NULL,
    created_at BIGINT      NOT NULL
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

-- Idempotency-Key of run now: the same key within a day is the same execution.
CREATE TABLE idempotency (
    project      VARCHAR(64)  NOT NULL,
    `key`        VARCHAR(128) NOT NULL,
    fingerprint  VARCHAR(64)  CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    execution_id BIGINT       NOT NULL,
    created_at   BIGINT       NOT NULL,
    PRIMARY KEY (project, `key`),
    KEY idempotency_age (created_at)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
