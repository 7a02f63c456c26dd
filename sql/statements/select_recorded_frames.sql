-- Every frame of a connection in order, whole: what a replay is made of. A translation to JSON goes before the text.
-- What any connection of a source may miss is among them, where this one has begun before and has frames of that source.
SELECT f.id, f.line, f.at_us, f.sender, f.kind, f.method, f.rpc_id, f.extra, coalesce(f.json, f.raw)
FROM frame_block b
CROSS JOIN frames f
WHERE b.connection = :connection
  AND f.id BETWEEN b.block * 256 AND b.block * 256 + 255 AND f.connection_id = b.connection
UNION ALL
SELECT f.id, f.line, f.at_us, f.sender, f.kind, f.method, f.rpc_id, f.extra, f.raw
FROM missing m
CROSS JOIN frames f ON f.id = m.frame
JOIN frame g ON g.id = m.frame
WHERE g.connection IS NULL AND json_extract(g.extra, '$.why') IS NULL
  AND EXISTS (
      SELECT 1
      FROM frame_block b
      CROSS JOIN frame own ON own.id BETWEEN b.block * 256 AND b.block * 256 + 255
      WHERE b.connection = :connection AND own.connection = :connection AND own.id < g.id
  )
  AND EXISTS (
      SELECT 1
      FROM frame_block b
      CROSS JOIN frame own ON own.id BETWEEN b.block * 256 AND b.block * 256 + 255
      WHERE b.connection = :connection AND own.connection = :connection AND own.source = g.source
  )
ORDER BY 1;
