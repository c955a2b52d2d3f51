-- What clients announce of their handlers: the JSON Schemas of the payloads, and a line of text for each handler. All
-- clients of one build share a document, which `hash` names; `schema_set` of a client is that name, or NULL. `seen_at` is
-- about when a client last registered with the document, or when the cleaning last found it in use.
CREATE TABLE handler_schema (
    project  VARCHAR(64)  NOT NULL,
    service  VARCHAR(100) NOT NULL,
    hash     VARCHAR(32)  CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    document MEDIUMTEXT   NOT NULL,
    seen_at  BIGINT       NOT NULL,
    PRIMARY KEY (project, service, hash),
    KEY handler_schema_seen (seen_at)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
ALTER TABLE client ADD COLUMN schema_set VARCHAR(32) CHARACTER SET ascii COLLATE ascii_bin NULL;
