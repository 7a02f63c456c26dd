-- One frame as people see it; raw is cut after :raw characters, and NULL where :raw is 0.
SELECT id, source, line, byte_offset, at_us, sender, sender_inferred, kind, method, rpc_id, error_code, bytes,
       connection_id, CASE WHEN :raw > 0 THEN substr(raw, 1, :raw) END
FROM frames
WHERE id = :id;
