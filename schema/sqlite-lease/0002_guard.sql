-- As on MySQL. 0 where the guard is a file lock: there a grant proves that the holder's process has ended.
ALTER TABLE `lock` ADD COLUMN guard_us INTEGER NOT NULL DEFAULT 0;
