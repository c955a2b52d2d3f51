-- Tasks that fire at the same instant are planned in the order of their services, so that the planner can leave those of
-- one service for later without reading them.
ALTER TABLE task
    DROP KEY task_due,
    ADD KEY task_due (namespace, parked_for, next_fire_at, project, service);
