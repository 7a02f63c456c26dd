-- The last requests of a connection; at most `most` requests of any connection are looked at.
SELECT e.id, e.connection_id, c.key AS connection, e.issuer, e.rpc_id, e.profile, e.method, e.name, s.name AS source, q.line,
       e.response_id, r.line AS response_line, e.parent_id, e.sent_at_us, e.settled_at_us, e.latency_us, e.outcome,
       e.history, e.error_code
FROM (SELECT request FROM exchange ORDER BY request DESC LIMIT :most) x
CROSS JOIN exchanges e ON e.id = x.request
LEFT JOIN connection c ON c.id = e.connection_id
LEFT JOIN frame q ON q.id = e.id
LEFT JOIN source s ON s.id = q.source
LEFT JOIN frame r ON r.id = e.response_id
WHERE e.connection_id = :connection
ORDER BY e.id;
