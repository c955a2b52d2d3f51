-- The secret that all nodes share, made by the first of them: they sign the receipts of executions with it, so that every
-- node can check whether a client got the attempt that it reports on.
CREATE TABLE cluster_secret (
    id     INTEGER NOT NULL PRIMARY KEY,
    secret TEXT    NOT NULL
);
