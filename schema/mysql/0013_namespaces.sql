-- A namespace is known by the id of its lock row. It leads the keys by which a master finds its work, so that several
-- masters can share the tables. The first namespace has id 1 whatever AUTO_INCREMENT would give it: that is what all
-- rows so far belong to. Of several lock rows the one that was renewed last is in use.
UPDATE `lock` SET id = -id;
UPDATE `lock` SET id = 1 ORDER BY update_time DESC LIMIT 1;
ALTER TABLE task
    ADD COLUMN namespace INT NOT NULL DEFAULT 1,
    DROP KEY task_due,
    ADD KEY task_due (namespace, parked_for, next_fire_at);
ALTER TABLE execution
    ADD COLUMN namespace INT NOT NULL DEFAULT 1,
    DROP KEY execution_open,
    ADD KEY execution_open (namespace, due_at);
ALTER TABLE `signal`
    ADD COLUMN namespace INT NOT NULL DEFAULT 1,
    DROP KEY signal_time,
    ADD KEY signal_time (namespace, created_at, id);
