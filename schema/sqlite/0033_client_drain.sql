-- Since when a person has a client drained, who and why; drained_at is NULL for a client that gets work. It stays through
-- further registrations of the instance.
ALTER TABLE client ADD COLUMN drained_at INTEGER NULL;
ALTER TABLE client ADD COLUMN drained_by TEXT NOT NULL DEFAULT '';
ALTER TABLE client ADD COLUMN drain_reason TEXT NOT NULL DEFAULT '';
