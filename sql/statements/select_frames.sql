-- Every frame in order, for a fold over all of them.
SELECT id, connection, source, line, byte_offset, at_us, direction, kind, method, rpc_id, error_code, extra, body, json
FROM frame
ORDER BY id;
