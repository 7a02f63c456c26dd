-- The frames of the touched connections, and what whole sources miss.
INSERT INTO temp.touched_frame (id)
SELECT f.id
FROM temp.touched t
CROSS JOIN main.frame_block b ON b.connection = t.connection
CROSS JOIN main.frame f ON f.id BETWEEN b.block * 256 AND b.block * 256 + 255 AND f.connection = t.connection
UNION ALL
SELECT f.id FROM main.missing m CROSS JOIN main.frame f ON f.id = m.frame WHERE f.connection IS NULL;
