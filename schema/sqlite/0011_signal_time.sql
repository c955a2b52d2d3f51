-- The master reads the signals of the last seconds.
CREATE INDEX signal_time ON `signal` (created_at, id);
