-- Heads of the last frames of a connection, the last one first, out of so many blocks in which it has any.
SELECT f.id, f.line, f.at_us, f.sender, f.kind, f.method, f.rpc_id, f.extra
FROM frame_block b
CROSS JOIN frames f
WHERE b.connection = :connection
  AND b.block >= (SELECT min(block)
                  FROM (SELECT block
                        FROM frame_block
                        WHERE connection = :connection
                        ORDER BY block DESC
                        LIMIT :blocks))
  AND f.id BETWEEN b.block * 256 AND b.block * 256 + 255 AND f.connection_id = b.connection
ORDER BY b.block DESC, f.id DESC
LIMIT :most;
