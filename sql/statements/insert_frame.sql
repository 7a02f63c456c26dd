-- One frame, and several where what is selected is said again. Columns in the order of the table, so that SQLite copies none.
INSERT INTO frame (id, connection, seq, source, line, byte_offset, at_us, direction, kind, method, rpc_id, error_code,
                   bytes, extra, body, json)
SELECT ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?;
