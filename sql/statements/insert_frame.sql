-- One frame behind all others, and several where what is selected is said again. Columns in the order of the table, so that SQLite
-- copies none; the id, which is the last column, is the one that follows.
INSERT INTO frame (connection, seq, source, line, byte_offset, at_us, direction, kind, method, rpc_id, error_code, bytes, extra,
                   body, json)
SELECT ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?;
