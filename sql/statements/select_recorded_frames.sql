-- Every frame of a connection in order, whole: what a replay is made of. A translation to JSON goes before the text.
SELECT f.id, f.line, f.at_us, f.sender, f.kind, f.method, f.rpc_id, f.extra, coalesce(f.json, f.raw)
FROM frame_block b
CROSS JOIN frames f
WHERE b.connection = :connection
  AND f.id BETWEEN b.block * 256 AND b.block * 256 + 255 AND f.connection_id = b.connection
ORDER BY b.block, f.id;
