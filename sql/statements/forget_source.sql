-- A source, its frames, and the connections that have none without it.
DELETE FROM missing WHERE frame IN (SELECT m.frame FROM missing m CROSS JOIN frame f ON f.id = m.frame WHERE f.source = :source);
DELETE FROM frame WHERE source = :source;
DELETE FROM skipped_line WHERE source = :source;
DELETE FROM connection WHERE source = :source AND id NOT IN (SELECT connection FROM frame WHERE connection IS NOT NULL);
UPDATE connection SET source = (SELECT min(source) FROM frame WHERE connection = connection.id) WHERE source = :source;
DELETE FROM source WHERE id = :source;
