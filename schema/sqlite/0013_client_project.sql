-- A service belongs to a project: tasks of a project reach only clients of that project.
ALTER TABLE client ADD COLUMN project TEXT NOT NULL DEFAULT 'default';
DROP INDEX client_service;
CREATE INDEX client_service ON client (project, service);
