-- A source, its frames, and the connections that have none without it.
DELETE FROM missing WHERE frame IN (SELECT m.frame FROM missing m CROSS JOIN frame f ON f.id = m.frame WHERE f.source = :source);
DELETE FROM frame WHERE source = :source;
DELETE FROM skipped_line WHERE source = :source;
DELETE FROM frame_block;
INSERT INTO frame_block (connection, block)
SELECT DISTINCT connection, id / 256 FROM frame WHERE connection IS NOT NULL;
DELETE FROM connection WHERE source = :source AND id NOT IN (SELECT connection FROM frame_block);
UPDATE connection
SET source = (SELECT min(f.source)
              FROM frame_block b
              CROSS JOIN frame f ON f.id BETWEEN b.block * 256 AND b.block * 256 + 255 AND f.connection = b.connection
              WHERE b.connection = connection.id)
WHERE source = :source;
DELETE FROM source WHERE id = :source;
