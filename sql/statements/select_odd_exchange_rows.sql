-- Exchanges that ended otherwise than by a result or an error; the partial index finds them.
SELECT e.id, e.connection_id, c.key AS connection, e.issuer, e.rpc_id, e.profile, e.method, e.name, s.name AS source, q.line,
       e.response_id, r.line AS response_line, e.parent_id, e.sent_at_us, e.settled_at_us, e.latency_us, e.outcome,
       e.history, e.error_code
FROM exchange x
CROSS JOIN exchanges e ON e.id = x.request
LEFT JOIN connection c ON c.id = e.connection_id
LEFT JOIN frame q ON q.id = e.id
LEFT JOIN source s ON s.id = q.source
LEFT JOIN frame r ON r.id = e.response_id
WHERE x.outcome >= 2 AND (:connection IS NULL OR e.connection_id = :connection)
  AND (:from IS NULL OR (e.sent_at_us <= :to AND (e.settled_at_us IS NULL OR e.settled_at_us >= :from)))
ORDER BY e.id;
