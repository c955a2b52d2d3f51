-- The time that a slave waits between the grant of the named lock and its seizure. The holder writes it, like its ttl.
ALTER TABLE `lock` ADD COLUMN guard_us BIGINT UNSIGNED NOT NULL DEFAULT 0;
