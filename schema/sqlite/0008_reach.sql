-- Can a client's home node call it? 'pending', 'reachable', or 'unreachable' with the reason for people. The home writes it
-- when it changes, without a new changed_at.
ALTER TABLE client ADD COLUMN reach TEXT NOT NULL DEFAULT 'pending';
ALTER TABLE client ADD COLUMN reach_why TEXT NOT NULL DEFAULT '';
