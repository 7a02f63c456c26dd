-- Ids of the first requests of a connection, as JSON text.
SELECT CAST(rpc_id AS TEXT)
FROM frame
WHERE connection = :connection AND kind = 0 AND rpc_id IS NOT NULL
ORDER BY id
LIMIT 16;
