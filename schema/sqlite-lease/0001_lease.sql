-- SQLite 3.40: the lease, in a separate file, so that a long write to the main file cannot cost mastership.
-- `update_time` is in boot-time microseconds, because the wall clock may step, and `boot` is the kernel's boot id. In
-- simulations of a server, `update_time` is in microseconds of the database's clock and `boot` is unused.
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
