-- Messages only: requests, notifications, responses, and what should have been one. Members of a batch are rows.
CREATE VIEW messages AS
SELECT id, connection_id, connection, seq, source, line, byte_offset, at, at_us, sender, sender_inferred, kind, method,
       rpc_id, error_code, bytes, raw, json, extra
FROM frames
WHERE kind IN ('request', 'notification', 'result', 'error', 'malformed');
