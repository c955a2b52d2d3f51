-- The tables of locks (docs/locks.md). `renewed_at` is in microseconds since the boot of the host and `boot` is the
-- kernel's boot id, because the wall clock may step. `token` is the fencing token of the last grant. `owner` names that
-- acquisition and is NULL when the lock is free. `took_over` is 1 if the grant ended an expired hold.

CREATE TABLE lock_record (
    name       TEXT    NOT NULL PRIMARY KEY,
    owner      TEXT    NULL,
    token      INTEGER NOT NULL,
    took_over  INTEGER NOT NULL,
    renew_seq  INTEGER NOT NULL,
    ttl_us     INTEGER NOT NULL,
    renewed_at INTEGER NOT NULL,
    boot       TEXT    NOT NULL,
    label      TEXT    NOT NULL
);

CREATE TABLE lock_lease (
    name       TEXT    NOT NULL PRIMARY KEY,
    owner      TEXT    NULL,
    token      INTEGER NOT NULL,
    took_over  INTEGER NOT NULL,
    renew_seq  INTEGER NOT NULL,
    ttl_us     INTEGER NOT NULL,
    renewed_at INTEGER NOT NULL,
    boot       TEXT    NOT NULL,
    label      TEXT    NOT NULL
);

-- A new row continues above the tokens of all reaped rows of its kind.
CREATE TABLE lock_floor (
    kind  TEXT    NOT NULL PRIMARY KEY,
    token INTEGER NOT NULL
);

INSERT INTO lock_floor (kind, token) VALUES ('record', 0), ('lease', 0);
