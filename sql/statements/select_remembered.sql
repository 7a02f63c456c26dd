-- The newest request with this id before a frame, where this side sent it. Only settled requests can be asked for, and
-- those have their exchange. The index is named because the planner would rather walk the whole connection backwards.
SELECT f.id, f.at_us, f.method, e.response, r.at_us
FROM frame f INDEXED BY frame_request
CROSS JOIN exchange e ON e.request = f.id
LEFT JOIN frame r ON r.id = e.response
WHERE f.connection = :connection AND f.rpc_id = :rpc_id AND f.kind = 0 AND f.id < :before AND e.issuer = :issuer
ORDER BY f.id DESC
LIMIT 1;
