-- What a node says of itself, for people, as JSON: the longest steps of its event loops.
ALTER TABLE node ADD COLUMN health VARCHAR(2000) NOT NULL DEFAULT '{}';
