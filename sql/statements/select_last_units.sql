-- Heads of the last frames of a connection, the last one first.
SELECT f.id, f.line, f.at_us, f.sender, f.kind, f.method, f.rpc_id, f.extra
FROM frames f
WHERE f.connection_id = :connection
ORDER BY f.id DESC
LIMIT :most;
