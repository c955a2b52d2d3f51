-- The settings of services, and of whole projects (`service` empty): `document` is JSON, protocol::parse_service_settings.
CREATE TABLE service_settings (
    namespace  INTEGER NOT NULL,
    project    TEXT    NOT NULL,
    service    TEXT    NOT NULL,
    version    INTEGER NOT NULL,
    document   TEXT    NOT NULL,
    updated_at INTEGER NOT NULL,
    PRIMARY KEY (namespace, project, service)
) WITHOUT ROWID;
