-- Where a stored connection stands: how many frames it has, and whether the connection itself was closed.
SELECT count(*), coalesce(max(f.kind IN (8, 9) AND f.extra ->> '$.stream' IS NULL), 0)
FROM frame_block b
CROSS JOIN frame f ON f.id BETWEEN b.block * 256 AND b.block * 256 + 255 AND f.connection = b.connection
WHERE b.connection = :connection;
