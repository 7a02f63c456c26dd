-- The side that wrote the log, as any settled request of the connection shows it (0 client, 1 server).
SELECT CASE f.direction WHEN 2 THEN e.issuer ELSE 1 - e.issuer END
FROM frame f
CROSS JOIN exchange e ON e.request = f.id
WHERE f.connection = :connection AND f.kind = 0 AND f.direction IN (2, 3)
LIMIT 1;
