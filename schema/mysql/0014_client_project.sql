-- A service belongs to a project: tasks of a project reach only clients of that project.
ALTER TABLE client
    ADD COLUMN project VARCHAR(64) NOT NULL DEFAULT 'default',
    DROP KEY client_service,
    ADD KEY client_service (project, service);
