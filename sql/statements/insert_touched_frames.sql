-- The frames of the touched connections, and what whole sources miss.
INSERT INTO temp.touched_frame (id)
SELECT id FROM main.frame WHERE connection IN (SELECT connection FROM temp.touched)
UNION ALL
SELECT f.id FROM main.missing m CROSS JOIN main.frame f ON f.id = m.frame WHERE f.connection IS NULL;
