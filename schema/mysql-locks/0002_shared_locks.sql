-- Locks that several may hold at once: permits of semaphores, and readers. `kind` is whose names they are: 'semaphore' or
-- 'read_write'. Times are as in lock_record. `token` is that of the last grant of the name, of whichever holder.

CREATE TABLE lock_shared (
    kind            VARCHAR(16)  CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    name            VARCHAR(190) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
    token           BIGINT       NOT NULL,
    room_kept_until BIGINT       NOT NULL,
    used_at         BIGINT       NOT NULL,
    boot            VARCHAR(64)  CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    PRIMARY KEY (kind, name)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

-- `weight` of the `capacity` of the name is what this holder takes.
CREATE TABLE lock_shared_holder (
    kind       VARCHAR(16)  CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    name       VARCHAR(190) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
    owner      VARCHAR(128) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    token      BIGINT       NOT NULL,
    weight     BIGINT       NOT NULL,
    capacity   BIGINT       NOT NULL,
    ttl_us     BIGINT       NOT NULL,
    renewed_at BIGINT       NOT NULL,
    boot       VARCHAR(64)  CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    label      VARCHAR(190) NOT NULL,
    PRIMARY KEY (kind, name, owner)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

INSERT INTO lock_floor (kind, token) VALUES ('semaphore', 0), ('read_write', 0);
