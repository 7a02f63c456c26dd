-- All exchanges with this id; each connection is looked up in the index of requests.
SELECT e.id, e.connection_id, c.key AS connection, e.issuer, e.rpc_id, e.profile, e.method, e.name, s.name AS source, q.line,
       e.response_id, r.line AS response_line, e.parent_id, e.sent_at_us, e.settled_at_us, e.latency_us, e.outcome,
       e.history, e.error_code
FROM connection k
CROSS JOIN frame n ON n.connection = k.id AND n.rpc_id = :rpc_id AND n.kind = 0
CROSS JOIN exchanges e ON e.id = n.id
LEFT JOIN connection c ON c.id = e.connection_id
LEFT JOIN frame q ON q.id = e.id
LEFT JOIN source s ON s.id = q.source
LEFT JOIN frame r ON r.id = e.response_id
WHERE (:connection IS NULL OR k.id = :connection)
  AND (:issuer IS NULL OR e.issuer = CASE :issuer WHEN 0 THEN 'client' ELSE 'server' END)
ORDER BY e.id;
