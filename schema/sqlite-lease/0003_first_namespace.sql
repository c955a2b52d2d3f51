-- The first namespace has id 1, which the tables of the main file refer to. Of several rows the one with the most renewals
-- is in use.
UPDATE `lock` SET id = -id;
UPDATE `lock` SET id = 1 WHERE id = (SELECT id FROM `lock` ORDER BY renew_seq DESC, id LIMIT 1);
