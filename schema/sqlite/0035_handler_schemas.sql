-- What clients announce of their handlers: the JSON Schemas of the payloads, and a line of text for each handler. All
-- clients of one build share a document, which `hash` names; `schema_set` of a client is that name, or NULL. `seen_at` is
-- about when a client last registered with the document, or when the cleaning last found it in use.
CREATE TABLE handler_schema (
    project  TEXT    NOT NULL,
    service  TEXT    NOT NULL,
    hash     TEXT    NOT NULL,
    document TEXT    NOT NULL,
    seen_at  INTEGER NOT NULL,
    PRIMARY KEY (project, service, hash)
);
CREATE INDEX handler_schema_seen ON handler_schema (seen_at);
ALTER TABLE client ADD COLUMN schema_set TEXT NULL;
