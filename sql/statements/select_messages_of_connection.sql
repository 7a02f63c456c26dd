-- The frames of one connection in order, between two frame ids. They are looked for in each block and nowhere else: the sign
-- keeps SQLite from going by the other two bounds.
SELECT f.id, f.source, f.line, f.byte_offset, f.at_us, f.sender, f.sender_inferred, f.kind, f.method, f.rpc_id,
       f.error_code, f.bytes, f.connection_id, CASE WHEN :raw > 0 THEN substr(f.raw, 1, :raw) END
FROM frame_block b
CROSS JOIN frames f
WHERE b.connection = :connection AND b.block BETWEEN :from / 256 AND :to / 256
  AND f.id BETWEEN b.block * 256 AND b.block * 256 + 255 AND f.connection_id = b.connection
  AND +f.id BETWEEN :from AND :to
ORDER BY b.block, f.id;
