-- The client wants the ids in the calls of its home as text: JavaScript rounds numbers over 2^53.
ALTER TABLE client ADD COLUMN text_ids TINYINT NOT NULL DEFAULT 0;
