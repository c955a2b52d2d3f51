-- Can a client's home node call it? 'pending', 'reachable', or 'unreachable' with the reason for people. The home writes it
-- when it changes, without a new changed_at.
ALTER TABLE client
    ADD COLUMN reach     VARCHAR(12)   CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT 'pending',
    ADD COLUMN reach_why VARCHAR(1000) NOT NULL DEFAULT '';
