-- For tasks with a maximum of firings: how many count, and since which version; `resume_at` is where the task goes on if
-- it has fired as often as it may and a firing is given back. For tasks with a jitter: `next_fire_at` is when the planner
-- looks at the task, and `firing_cursor` the first firing that is not planned, where the two differ.
ALTER TABLE task ADD COLUMN firings INTEGER NOT NULL DEFAULT 0;
ALTER TABLE task ADD COLUMN counted_since INTEGER NULL;
ALTER TABLE task ADD COLUMN resume_at INTEGER NULL;
ALTER TABLE task ADD COLUMN firing_cursor INTEGER NULL;
