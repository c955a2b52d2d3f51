-- As on MySQL. 0 for a file lock, where a grant proves that the holder's process has ended.
ALTER TABLE `lock` ADD COLUMN guard_us INTEGER NOT NULL DEFAULT 0;
