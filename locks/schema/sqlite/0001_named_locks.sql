-- The locks of services (docs/locks.md). `renewed_at` is boot-time microseconds and `boot` the kernel's boot id: on one
-- host the wall clock is the wrong clock. `token` is the fencing token of the last acquisition, `owner` names that
-- acquisition, NULL when the lock is free, and `took_over` says whether it ended another's time.

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

-- A name that was reaped and comes again goes on above all tokens that were reaped, of whichever name.
CREATE TABLE lock_floor (
    kind  TEXT    NOT NULL PRIMARY KEY,
    token INTEGER NOT NULL
);

INSERT INTO lock_floor (kind, token) VALUES ('record', 0), ('lease', 0);
