-- The frames of the touched connections, and what whole sources miss.
INSERT INTO temp.touched_frame (id)
SELECT id FROM main.frame WHERE connection IN (SELECT connection FROM temp.touched)
UNION ALL
SELECT id FROM main.frame WHERE kind = 11 AND connection IS NULL;
