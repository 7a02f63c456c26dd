-- One frame with an id of its own.
INSERT INTO frame (connection, seq, source, line, byte_offset, at_us, direction, kind, method, rpc_id, error_code, bytes, extra,
                   body, json, id)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?);
