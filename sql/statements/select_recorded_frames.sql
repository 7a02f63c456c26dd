-- Every frame of a connection in order, whole: what a replay is made of. A translation to JSON goes before the text.
SELECT id, line, at_us, sender, kind, method, rpc_id, extra, coalesce(json, raw)
FROM frames
WHERE connection_id = :connection
ORDER BY id;
