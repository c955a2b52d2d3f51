-- For lists of tasks by owner and labels; the definition has both as well.
ALTER TABLE task ADD COLUMN owner VARCHAR(100) NOT NULL DEFAULT '';
ALTER TABLE task ADD KEY task_owner (owner, id);
CREATE TABLE task_label (
    task_id BIGINT       NOT NULL,
    name    VARCHAR(63)  CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    value   VARCHAR(100) NOT NULL,
    PRIMARY KEY (task_id, name),
    KEY task_label_value (name, value, task_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
