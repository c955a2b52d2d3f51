-- Locks that several may hold at once: permits of semaphores, and readers. `kind` is whose names they are: 'semaphore' or
-- 'read_write'. Times are as in lock_record. `token` is that of the last grant of the name, of whichever holder.

CREATE TABLE lock_shared (
    kind            TEXT    NOT NULL,
    name            TEXT    NOT NULL,
    token           INTEGER NOT NULL,
    room_kept_until INTEGER NOT NULL,
    used_at         INTEGER NOT NULL,
    boot            TEXT    NOT NULL,
    PRIMARY KEY (kind, name)
);

-- `weight` of the `capacity` of the name is what this holder takes.
CREATE TABLE lock_shared_holder (
    kind       TEXT    NOT NULL,
    name       TEXT    NOT NULL,
    owner      TEXT    NOT NULL,
    token      INTEGER NOT NULL,
    weight     INTEGER NOT NULL,
    capacity   INTEGER NOT NULL,
    ttl_us     INTEGER NOT NULL,
    renewed_at INTEGER NOT NULL,
    boot       TEXT    NOT NULL,
    label      TEXT    NOT NULL,
    PRIMARY KEY (kind, name, owner)
);

INSERT INTO lock_floor (kind, token) VALUES ('semaphore', 0), ('read_write', 0);
