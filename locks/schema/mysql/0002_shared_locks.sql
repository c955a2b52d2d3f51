-- Locks that several may hold at once. `kind` is 'semaphore' or 'read_write'. Times are as in lock_record. The row with an
-- empty owner belongs to the name: its `token` is that of the last grant, at `renewed_at`. Every other row is a holder
-- that takes `weight` of `capacity`.

CREATE TABLE lock_shared (
    kind            VARCHAR(16)  CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    name            VARCHAR(190) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
    owner           VARCHAR(128) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    token           BIGINT       NOT NULL,
    weight          BIGINT       NOT NULL,
    capacity        BIGINT       NOT NULL,
    ttl_us          BIGINT       NOT NULL,
    renewed_at      BIGINT       NOT NULL,
    room_kept_until BIGINT       NOT NULL,
    boot            VARCHAR(64)  CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    label           VARCHAR(190) NOT NULL,
    PRIMARY KEY (kind, name, owner)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

INSERT INTO lock_floor (kind, token) VALUES ('semaphore', 0), ('read_write', 0);
