-- Locks that several may hold at once. `kind` is 'semaphore' or 'read_write'. Times are as in lock_record. The row with an
-- empty owner belongs to the name: its `token` is that of the last grant, at `renewed_at`. Every other row is a holder
-- that takes `weight` of `capacity`.

CREATE TABLE lock_shared (
    kind            TEXT    NOT NULL,
    name            TEXT    NOT NULL,
    owner           TEXT    NOT NULL,
    token           INTEGER NOT NULL,
    weight          INTEGER NOT NULL,
    capacity        INTEGER NOT NULL,
    ttl_us          INTEGER NOT NULL,
    renewed_at      INTEGER NOT NULL,
    room_kept_until INTEGER NOT NULL,
    boot            TEXT    NOT NULL,
    label           TEXT    NOT NULL,
    PRIMARY KEY (kind, name, owner)
);

INSERT INTO lock_floor (kind, token) VALUES ('semaphore', 0), ('read_write', 0);
