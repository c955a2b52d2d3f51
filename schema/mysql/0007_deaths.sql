-- The deaths of clients at which the execution may have been running. At the task's max_deaths it fails.
ALTER TABLE execution ADD COLUMN deaths INT NOT NULL DEFAULT 0;
