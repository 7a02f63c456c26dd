-- All messages for a spreadsheet, in the order of the log.
SELECT c.key AS connection, m.id, m.source, m.line, m.byte_offset, m.at_us, m.sender, m.sender_inferred, m.kind, m.method,
       m.rpc_id, m.error_code, m.bytes, m.raw
FROM messages m
LEFT JOIN connection c ON c.id = m.connection_id
ORDER BY m.id;
