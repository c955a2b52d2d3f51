-- The history of terms, for people: nothing decides by it. `began_at` is the seizure and `acting_at` the end of the
-- take-over, both by the database's clock as the master estimates it. A term that cannot tell of its end is ended by its
-- successor, at its last sign of life; from `ended_at` to the next `acting_at` counts `gap_us`, NULL where nobody had led.
-- `replayed`: open executions that were past due and taken over.
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
