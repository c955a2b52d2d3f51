-- What may be at a client. An execution that is due at or below the watermark and whose attempt is not marked as out has
-- never been handed to a node: `out_attempt` is the attempt that is marked. `watermark_epoch` is the epoch of the last master
-- that kept to this; behind a master of an older version nothing is known. `begun`: an attempt that is over may have begun.
ALTER TABLE execution
    ADD COLUMN out_attempt INT NULL,
    ADD COLUMN begun TINYINT NOT NULL DEFAULT 0;
ALTER TABLE lock_fence
    ADD COLUMN watermark BIGINT NOT NULL DEFAULT 0,
    ADD COLUMN watermark_epoch BIGINT UNSIGNED NOT NULL DEFAULT 0;
UPDATE execution SET begun = 1 WHERE due_at IS NOT NULL AND attempt > 1;
