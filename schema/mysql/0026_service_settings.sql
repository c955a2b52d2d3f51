-- The settings of services, and of whole projects (`service` empty): `document` is JSON, protocol::parse_service_settings.
CREATE TABLE service_settings (
    namespace  INT          NOT NULL,
    project    VARCHAR(64)  NOT NULL,
    service    VARCHAR(100) NOT NULL,
    version    INT          NOT NULL,
    document   TEXT         NOT NULL,
    updated_at BIGINT       NOT NULL,
    PRIMARY KEY (namespace, project, service)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
