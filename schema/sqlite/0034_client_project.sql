-- The clients of a project in order of instance, so that a page of a small project reads no other project's.
CREATE INDEX client_project ON client (project, instance);
