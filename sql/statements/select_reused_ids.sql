-- Requests of one connection and side whose id the same side used before. The first pass reads the index alone and
-- keeps the few ids that stand there more than once.
WITH twice AS MATERIALIZED (
    SELECT rpc_id
    FROM frame
    WHERE connection = :connection AND kind = 0 AND rpc_id IS NOT NULL
    GROUP BY rpc_id
    HAVING count(*) > 1
),
sent AS (
    SELECT f.id, f.at_us, f.rpc_id, f.method,
           CASE f.direction
               WHEN 0 THEN 0
               WHEN 1 THEN 1
               WHEN 2 THEN :logger
               WHEN 3 THEN 1 - :logger
               ELSE (SELECT sender FROM inferred i WHERE i.frame = f.id)
           END AS sender
    FROM twice t
    CROSS JOIN frame f ON f.connection = :connection AND f.rpc_id = t.rpc_id AND f.kind = 0
),
pairs AS (
    SELECT lag(id) OVER earlier AS earlier_id, lag(at_us) OVER earlier AS earlier_at_us, id, at_us, rpc_id, method
    FROM sent
    WHERE sender = :issuer
    WINDOW earlier AS (PARTITION BY rpc_id ORDER BY id)
)
SELECT earlier_id, earlier_at_us, id, at_us, rpc_id, method
FROM pairs
WHERE earlier_id IS NOT NULL
ORDER BY id;
