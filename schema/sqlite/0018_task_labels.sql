-- For lists of tasks by owner and labels; the definition has both as well.
ALTER TABLE task ADD COLUMN owner TEXT NOT NULL DEFAULT '';
CREATE INDEX task_owner ON task (owner, id);
CREATE TABLE task_label (
    task_id INTEGER NOT NULL,
    name    TEXT    NOT NULL,
    value   TEXT    NOT NULL,
    PRIMARY KEY (task_id, name)
) WITHOUT ROWID;
CREATE INDEX task_label_value ON task_label (name, value, task_id);
