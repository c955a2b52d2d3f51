-- The secret that all nodes share, made by the first of them: they sign the receipts of executions with it, so that every
-- node can check whether a client got the attempt that it reports on.
CREATE TABLE cluster_secret (
    id     TINYINT     NOT NULL PRIMARY KEY,
    secret VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
