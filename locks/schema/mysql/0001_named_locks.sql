-- The tables of locks (docs/locks.md). Times are BIGINT microseconds since the Unix epoch by the database's clock. `boot`
-- is empty; only SQLite counts from the boot of its host. `token` is the fencing token of the last grant. `owner` names
-- that acquisition and is NULL when the lock is free. `took_over` is 1 if the grant ended an expired hold.

CREATE TABLE lock_record (
    name       VARCHAR(190) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL PRIMARY KEY,
    owner      VARCHAR(128) CHARACTER SET ascii COLLATE ascii_bin NULL,
    token      BIGINT       NOT NULL,
    took_over  TINYINT      NOT NULL,
    renew_seq  BIGINT       NOT NULL,
    ttl_us     BIGINT       NOT NULL,
    renewed_at BIGINT       NOT NULL,
    boot       VARCHAR(64)  CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    label      VARCHAR(190) NOT NULL
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE lock_lease (
    name       VARCHAR(190) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL PRIMARY KEY,
    owner      VARCHAR(128) CHARACTER SET ascii COLLATE ascii_bin NULL,
    token      BIGINT       NOT NULL,
    took_over  TINYINT      NOT NULL,
    renew_seq  BIGINT       NOT NULL,
    ttl_us     BIGINT       NOT NULL,
    renewed_at BIGINT       NOT NULL,
    boot       VARCHAR(64)  CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    label      VARCHAR(190) NOT NULL
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

-- A new row continues above the tokens of all reaped rows of its kind.
CREATE TABLE lock_floor (
    kind  VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL PRIMARY KEY,
    token BIGINT      NOT NULL
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

INSERT INTO lock_floor (kind, token) VALUES ('record', 0), ('lease', 0);

-- The rows that row locks lock.
CREATE TABLE lock_row (
    name VARCHAR(190) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL PRIMARY KEY
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
