-- What a source misses behind a line of it.
DELETE FROM frame
WHERE source = :source AND line > :line AND id IN (SELECT frame FROM missing);
DELETE FROM missing WHERE frame NOT IN (SELECT id FROM frame);
