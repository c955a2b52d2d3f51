-- The history of terms, for people; no decision depends on it. `began_at` is the seizure and `acting_at` the end of the
-- take-over, both by the database's clock as the master estimates it. If a term cannot record its end, its successor does,
-- with the last sign of life. `gap_us` is the time from `ended_at` of the previous term to `acting_at`, NULL for the first
-- term. `replayed` counts the past-due open executions that were taken over.
CREATE TABLE term (
    namespace VARCHAR(128)    CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    epoch     BIGINT UNSIGNED NOT NULL,
    owner     VARCHAR(128)    CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    node      VARCHAR(100)    NOT NULL,
    how       VARCHAR(12)     CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    began_at  BIGINT          NOT NULL,
    acting_at BIGINT          NOT NULL,
    gap_us    BIGINT          NULL,
    ended_at  BIGINT          NULL,
    why_ended VARCHAR(255)    NULL,
    replayed  INT             NOT NULL,
    PRIMARY KEY (namespace, epoch)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
