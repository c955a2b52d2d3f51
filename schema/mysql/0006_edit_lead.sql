-- planner.edit_lead of the present master, in microseconds: no edit may take a shorter one. 0: not known yet.
ALTER TABLE lock_fence ADD COLUMN edit_lead_us BIGINT NOT NULL DEFAULT 0;
