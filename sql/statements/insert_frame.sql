-- One frame. The order of the parameters is that of the writer.
INSERT INTO frame (id, connection, seq, source, line, byte_offset, at_us, direction, kind, method, rpc_id, error_code,
                   bytes, extra, body, json)
VALUES (:id, :connection, :seq, :source, :line, :byte_offset, :at_us, :direction, :kind, :method, :rpc_id, :error_code,
        :bytes, :extra, :body, :json);
