-- One frame. SQLite numbers it: one more than the last. The order of the parameters is that of the writer.
INSERT INTO frame (connection, seq, source, line, byte_offset, at_us, direction, kind, method, rpc_id, error_code,
                   bytes, extra, body, json)
VALUES (:connection, :seq, :source, :line, :byte_offset, :at_us, :direction, :kind, :method, :rpc_id, :error_code,
        :bytes, :extra, :body, :json);
