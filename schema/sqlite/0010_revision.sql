-- Which messages a node understands: protocol::wire_revision of its build.
ALTER TABLE node ADD COLUMN revision INT NOT NULL DEFAULT 0;
