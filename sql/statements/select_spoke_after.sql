-- The first message of one side of a connection behind a frame, out of so many blocks in which the connection has any. Nothing
-- behind it is read: blocks are gone through in the order of the answer.
SELECT f.id
FROM frame_block b
CROSS JOIN frames f
WHERE b.connection = :connection
  AND b.block BETWEEN :from / 256 AND (SELECT max(block)
                                       FROM (SELECT block
                                             FROM frame_block
                                             WHERE connection = :connection AND block >= :from / 256
                                             ORDER BY block
                                             LIMIT :blocks))
  AND f.id BETWEEN b.block * 256 AND b.block * 256 + 255 AND f.connection_id = b.connection AND +f.id > :from
  AND f.kind IN ('request', 'notification', 'result', 'error') AND f.sender = :sender
ORDER BY b.block, f.id
LIMIT 1;
