-- The locks of services (docs/locks.md). Times are BIGINT microseconds since the Unix epoch by the database's clock; `boot`
-- is empty, as only SQLite counts from the boot of its host. `token` is the fencing token of the last acquisition,
-- `owner` names that acquisition, NULL when the lock is free, and `took_over` says whether it ended another's time.

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

-- A name that was reaped and comes again goes on above all tokens that were reaped, of whichever name.
CREATE TABLE lock_floor (
    kind  VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL PRIMARY KEY,
    token BIGINT      NOT NULL
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

INSERT INTO lock_floor (kind, token) VALUES ('record', 0), ('lease', 0);

-- What a row lock locks.
CREATE TABLE lock_row (
    name VARCHAR(190) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL PRIMARY KEY
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
