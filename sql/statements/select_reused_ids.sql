-- Requests of one connection whose id the same side used before, with that side (0 client, 1 server). Only the index of
-- requests is read until pairs are found: ids that stand there once are passed over at once. The side that wrote the
-- log is looked for only where frames say sent or received: any settled request shows it.
WITH twice AS MATERIALIZED (
    SELECT rpc_id
    FROM frame
    WHERE connection = :connection AND kind = 0 AND rpc_id IS NOT NULL
    GROUP BY rpc_id
    HAVING count(*) > 1
),
logger AS (
    SELECT CASE f.direction WHEN 2 THEN e.issuer ELSE 1 - e.issuer END AS side
    FROM frame f
    CROSS JOIN exchange e ON e.request = f.id
    WHERE f.connection = :connection AND f.kind = 0 AND f.direction IN (2, 3)
    LIMIT 1
),
sent AS (
    SELECT f.id, f.rpc_id,
           CASE f.direction
               WHEN 0 THEN 0
               WHEN 1 THEN 1
               WHEN 2 THEN (SELECT side FROM logger)
               WHEN 3 THEN 1 - (SELECT side FROM logger)
               ELSE (SELECT sender FROM inferred i WHERE i.frame = f.id)
           END AS sender
    FROM twice t
    CROSS JOIN frame f ON f.connection = :connection AND f.rpc_id = t.rpc_id AND f.kind = 0
),
pairs AS (
    SELECT lag(id) OVER (PARTITION BY rpc_id, sender ORDER BY id) AS earlier, id, sender
    FROM sent
    WHERE sender IS NOT NULL
)
SELECT p.sender, a.id, a.at_us, b.id, b.at_us, b.rpc_id, b.method
FROM pairs p
CROSS JOIN frame a ON a.id = p.earlier
CROSS JOIN frame b ON b.id = p.id
ORDER BY b.id;
