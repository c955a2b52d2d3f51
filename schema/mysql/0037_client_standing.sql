-- All that a list of services reads of the clients, in the order of the list: counting a hundred thousand of them reads no rows.
CREATE INDEX client_standing ON client (project, service, state, reach, drained_at);
