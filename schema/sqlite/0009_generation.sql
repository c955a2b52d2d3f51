-- Each client numbers its registrations. A write for one of them does nothing once the row has a later one.
ALTER TABLE client ADD COLUMN generation BIGINT NOT NULL DEFAULT 0;
