-- How long a slave that was granted the named lock waits before it may seize: the holder's own measure, as its ttl is.
ALTER TABLE `lock` ADD COLUMN guard_us BIGINT UNSIGNED NOT NULL DEFAULT 0;
