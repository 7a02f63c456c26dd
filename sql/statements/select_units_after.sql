-- Heads of the frames of a connection from one of them on: as many as asked for, out of so many blocks in which it has any.
SELECT f.id, f.line, f.at_us, f.sender, f.kind, f.method, f.rpc_id, f.extra
FROM frame_block b
CROSS JOIN frames f
WHERE b.connection = :connection
  AND b.block BETWEEN :from / 256 AND (SELECT max(block)
                                       FROM (SELECT block
                                             FROM frame_block
                                             WHERE connection = :connection AND block >= :from / 256
                                             ORDER BY block
                                             LIMIT :blocks))
  AND f.id BETWEEN b.block * 256 AND b.block * 256 + 255 AND f.connection_id = b.connection AND +f.id >= :from
ORDER BY b.block, f.id
LIMIT :most;
