-- Since when a person has a client drained, who and why; drained_at is NULL for a client that gets work. It stays through
-- further registrations of the instance.
ALTER TABLE client
    ADD COLUMN drained_at   BIGINT       NULL,
    ADD COLUMN drained_by   VARCHAR(100) NOT NULL DEFAULT '',
    ADD COLUMN drain_reason VARCHAR(200) NOT NULL DEFAULT '';
