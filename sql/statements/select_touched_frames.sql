-- The frames of the touched connections in order. The touched ids lead, so that no payload is ever sorted.
SELECT f.id, f.connection, f.source, f.line, f.byte_offset, f.at_us, f.direction, f.kind, f.method, f.rpc_id,
       f.error_code, f.extra, f.body, f.json
FROM temp.touched_frame t
CROSS JOIN main.frame f ON f.id = t.id
ORDER BY t.id;
