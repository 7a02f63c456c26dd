-- Exchanges in the order of their requests: all, or those of one connection, or that were under way between two times.
SELECT e.id, e.connection_id, c.key AS connection, e.issuer, e.rpc_id, e.profile, e.method, e.name, s.name AS source, q.line,
       e.response_id, r.line AS response_line, e.parent_id, e.sent_at_us, e.settled_at_us, e.latency_us, e.outcome,
       e.history, e.error_code
FROM exchanges e
LEFT JOIN connection c ON c.id = e.connection_id
LEFT JOIN frame q ON q.id = e.id
LEFT JOIN source s ON s.id = q.source
LEFT JOIN frame r ON r.id = e.response_id
WHERE (:connection IS NULL OR e.connection_id = :connection)
  AND (:from IS NULL OR (e.sent_at_us <= :to AND (e.settled_at_us IS NULL OR e.settled_at_us >= :from)))
ORDER BY e.id;
