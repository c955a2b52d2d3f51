-- The history of terms, for people; no decision depends on it. `began_at` is the seizure and `acting_at` the end of the
-- take-over, both by the database's clock as the master estimates it. If a term cannot record its end, its successor does,
-- with the last sign of life. `gap_us` is the time from `ended_at` of the previous term to `acting_at`, NULL for the first
-- term. `replayed` counts the past-due open executions that were taken over.
CREATE TABLE term (
    namespace           TEXT    NOT NULL,
    epoch               INTEGER NOT NULL,
    owner               TEXT    NOT NULL,
    node                TEXT    NOT NULL,
    how                 TEXT    NOT NULL,
    began_at            INTEGER NOT NULL,
    acting_at           INTEGER NOT NULL,
    gap_us              INTEGER NULL,
    ended_at            INTEGER NULL,
    why_ended           TEXT    NULL,
    replayed            INTEGER NOT NULL,
    PRIMARY KEY (namespace, epoch)
);
