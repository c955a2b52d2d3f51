-- Until when masters may have fired, by their clocks, in microseconds since the Unix epoch. It never falls.
ALTER TABLE lock_fence ADD COLUMN fired_until INTEGER NOT NULL DEFAULT 0;
