-- SQLite 3.40. Times are INTEGER microseconds since the Unix epoch, UTC. The lease is in a separate file
-- (schema/sqlite-lease).
-- Statements end with a semicolon at the end of a line.

-- Every transaction of a master touches the row of its epoch first, so a stale one rolls back.
CREATE TABLE lock_fence (
    namespace           TEXT    NOT NULL PRIMARY KEY,
    epoch               INTEGER NOT NULL,
    touched             INTEGER NOT NULL DEFAULT 0
);

-- The registered tasks. `definition` is the whole document; the other columns are for queries.
CREATE TABLE task (
    id                  INTEGER NOT NULL PRIMARY KEY,
    project             TEXT    NOT NULL,
    name                TEXT    NOT NULL,
    version             INTEGER NOT NULL,
    enabled             INTEGER NOT NULL,
    service             TEXT    NOT NULL,
    handler             TEXT    NOT NULL,
    schedule_kind       TEXT    NOT NULL,
    definition          TEXT    NOT NULL,
    next_fire_at        INTEGER NULL,
    waiting_for         INTEGER NULL,
    created_at          INTEGER NOT NULL,
    updated_at          INTEGER NOT NULL
);
CREATE UNIQUE INDEX task_name ON task (project, name);
CREATE INDEX task_due ON task (next_fire_at) WHERE next_fire_at IS NOT NULL;
CREATE INDEX task_waiting ON task (waiting_for) WHERE waiting_for IS NOT NULL;

-- All versions of all tasks. `valid_from` is the first instant that this version decides.
CREATE TABLE task_version (
    task_id             INTEGER NOT NULL,
    version             INTEGER NOT NULL,
    action              TEXT    NOT NULL,
    valid_from          INTEGER NOT NULL,
    definition          TEXT    NOT NULL,
    created_at          INTEGER NOT NULL,
    PRIMARY KEY (task_id, version)
);

-- The fire ledger. One row per firing (run_key 0) or other run (run_key = id). `due_at` is the instant of the current
-- attempt and NULL once the execution has ended. started_at to error are those of the first attempt.
CREATE TABLE execution (
    id                  INTEGER NOT NULL PRIMARY KEY,
    project             TEXT    NOT NULL,
    task_id             INTEGER NOT NULL,
    task_version        INTEGER NOT NULL,
    scheduled_at        INTEGER NOT NULL,
    run_key             INTEGER NOT NULL,
    cause               TEXT    NOT NULL,
    state               TEXT    NOT NULL,
    due_at              INTEGER NULL,
    attempt             INTEGER NOT NULL,
    max_attempts        INTEGER NOT NULL,
    retry_delay_us      INTEGER NOT NULL,
    epoch               INTEGER NOT NULL,
    parent_id           INTEGER NULL,
    shard_index         INTEGER NOT NULL DEFAULT 0,
    shard_total         INTEGER NOT NULL DEFAULT 1,
    shard_instance      TEXT    NULL,
    payload             TEXT    NULL,
    cancel_requested_at INTEGER NULL,
    reason              TEXT    NULL,
    created_at          INTEGER NOT NULL,
    ended_at            INTEGER NULL,
    node                TEXT    NULL,
    client              TEXT    NULL,
    started_at          INTEGER NULL,
    finished_at         INTEGER NULL,
    outcome             TEXT    NULL,
    progress            INTEGER NULL,
    result              TEXT    NULL,
    error               TEXT    NULL
);
CREATE UNIQUE INDEX execution_firing ON execution (scheduled_at, task_id, run_key);
CREATE INDEX execution_open ON execution (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX execution_of_task ON execution (task_id, scheduled_at);
CREATE INDEX execution_time ON execution (scheduled_at);
CREATE INDEX execution_parent ON execution (parent_id) WHERE parent_id IS NOT NULL;

-- The second and further attempts; `outcome` is how the attempt ended, NULL while it is open.
CREATE TABLE attempt (
    execution_id        INTEGER NOT NULL,
    attempt             INTEGER NOT NULL,
    cause               TEXT    NOT NULL,
    due_at              INTEGER NOT NULL,
    epoch               INTEGER NOT NULL,
    node                TEXT    NULL,
    client              TEXT    NULL,
    started_at          INTEGER NULL,
    finished_at         INTEGER NULL,
    outcome             TEXT    NULL,
    progress            INTEGER NULL,
    result              TEXT    NULL,
    error               TEXT    NULL,
    PRIMARY KEY (execution_id, attempt)
);

-- Trigger processes, one row per incarnation. A node without a heartbeat for `ttl_us` counts as gone.
CREATE TABLE node (
    incarnation         TEXT    NOT NULL PRIMARY KEY,
    name                TEXT    NOT NULL,
    address             TEXT    NOT NULL,
    secret              TEXT    NOT NULL,
    role                TEXT    NOT NULL,
    version             TEXT    NOT NULL,
    load_permille       INTEGER NOT NULL,
    clients             INTEGER NOT NULL,
    draining            INTEGER NOT NULL,
    ttl_us              INTEGER NOT NULL,
    started_at          INTEGER NOT NULL,
    heartbeat_at        INTEGER NOT NULL
);

-- Client processes and their states. Heartbeats are kept in the memory of the node that receives them. A row in state
-- 'gone' is kept for a while, so that every node reads of the departure.
CREATE TABLE client (
    instance            TEXT    NOT NULL PRIMARY KEY,
    service             TEXT    NOT NULL,
    address             TEXT    NOT NULL,
    secret              TEXT    NOT NULL,
    handlers            TEXT    NOT NULL,
    slots               INTEGER NOT NULL,
    queue               INTEGER NOT NULL,
    version             TEXT    NOT NULL,
    node                TEXT    NOT NULL,
    state               TEXT    NOT NULL,
    joined_at           INTEGER NOT NULL,
    changed_at          INTEGER NOT NULL
);
CREATE INDEX client_changed ON client (changed_at);
CREATE INDEX client_service ON client (service);

-- Notices of web to the master, inserted in the transaction of the change and deleted by the master when done.
CREATE TABLE `signal` (
    id                  INTEGER NOT NULL PRIMARY KEY,
    kind                TEXT    NOT NULL,
    subject             INTEGER NOT NULL,
    created_at          INTEGER NOT NULL
);

-- Idempotency-Key of run now: the same key within a day is the same execution.
CREATE TABLE idempotency (
    project             TEXT    NOT NULL,
    `key`               TEXT    NOT NULL,
    fingerprint         TEXT    NOT NULL,
    execution_id        INTEGER NOT NULL,
    created_at          INTEGER NOT NULL,
    PRIMARY KEY (project, `key`)
);
CREATE INDEX idempotency_age ON idempotency (created_at);
