-- A connection has a frame in this block.
INSERT OR IGNORE INTO frame_block (connection, block) VALUES (?1, ?2);
