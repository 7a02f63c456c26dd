-- The first message of one side of a connection behind a frame, out of so many blocks in which the connection has any.
SELECT f.id
FROM (SELECT block
      FROM frame_block
      WHERE connection = :connection AND block >= :from / 256
      ORDER BY block
      LIMIT :blocks) b
CROSS JOIN frames f
WHERE f.id BETWEEN b.block * 256 AND b.block * 256 + 255 AND f.connection_id = :connection AND +f.id > :from
  AND f.kind IN ('request', 'notification', 'result', 'error') AND f.sender = :sender
ORDER BY b.block, f.id
LIMIT 1;
