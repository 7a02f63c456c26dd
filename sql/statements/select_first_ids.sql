-- Ids of the first requests of a connection, as JSON text.
SELECT CAST(f.rpc_id AS TEXT)
FROM frame_block b
CROSS JOIN frame f ON f.id BETWEEN b.block * 256 AND b.block * 256 + 255 AND f.connection = b.connection
WHERE b.connection = :connection AND f.kind = 0 AND f.rpc_id IS NOT NULL
ORDER BY b.block, f.id
LIMIT 16;
