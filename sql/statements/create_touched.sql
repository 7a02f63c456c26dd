-- Connections that are folded again after an append, and their frames.
CREATE TEMP TABLE IF NOT EXISTS touched (connection INTEGER PRIMARY KEY);
CREATE TEMP TABLE IF NOT EXISTS touched_frame (id INTEGER PRIMARY KEY);
DELETE FROM temp.touched;
DELETE FROM temp.touched_frame;
