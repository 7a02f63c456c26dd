-- Heads of the frames of a connection before one of them, the nearest first.
SELECT f.id, f.line, f.at_us, f.sender, f.kind, f.method, f.rpc_id, f.extra
FROM frames f
WHERE f.connection_id = :connection AND f.id < :from
ORDER BY f.id DESC
LIMIT :most;
