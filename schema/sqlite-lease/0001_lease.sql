-- SQLite 3.40: the lease, in a file of its own, so that a long write in the main file cannot cost mastership.
-- `update_time` is boot-time microseconds and `boot` the kernel's boot id: on one host the wall clock is the wrong clock.
-- Where SQLite stands in for a server (simulation), `update_time` is microseconds of the database's clock, `boot` unused.
CREATE TABLE `lock` (
    id           INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    namespace    TEXT    NOT NULL UNIQUE,
    owner        TEXT    NULL,
    version      INTEGER NOT NULL,
    create_time  INTEGER NOT NULL,
    update_time  INTEGER NOT NULL,
    boot         TEXT    NOT NULL DEFAULT '',
    renew_seq    INTEGER NOT NULL DEFAULT 0,
    ttl_us       INTEGER NOT NULL DEFAULT 0,
    guard_conn   INTEGER NOT NULL DEFAULT 0,
    guard_server TEXT    NOT NULL DEFAULT '',
    owner_addr   TEXT    NOT NULL DEFAULT ''
);
