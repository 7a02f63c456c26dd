-- The frames of the touched connections.
INSERT INTO temp.touched_frame (id)
SELECT id FROM main.frame WHERE connection IN (SELECT connection FROM temp.touched);
