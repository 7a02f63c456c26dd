-- The frames of one connection in order, between two frame ids.
SELECT id, source, line, byte_offset, at_us, sender, sender_inferred, kind, method, rpc_id, error_code, bytes,
       connection_id, CASE WHEN :raw > 0 THEN substr(raw, 1, :raw) END
FROM frames
WHERE connection_id = :connection AND id BETWEEN :from AND :to
ORDER BY id;
