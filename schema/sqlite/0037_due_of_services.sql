-- Tasks that fire at the same instant are planned in the order of their services, so that the planner can leave those of
-- one service for later without reading them.
DROP INDEX task_due;
CREATE INDEX task_due ON task (namespace, parked_for, next_fire_at, project, service) WHERE next_fire_at IS NOT NULL;
