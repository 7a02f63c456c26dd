-- Requests of a connection from one of them on; at most `most` requests of any connection are looked at, and of those only
-- the ones in blocks where this connection has any frame.
SELECT e.id, e.connection_id, c.key AS connection, e.issuer, e.rpc_id, e.profile, e.method, e.name, s.name AS source, q.line,
       e.response_id, r.line AS response_line, e.parent_id, e.sent_at_us, e.settled_at_us, e.latency_us, e.outcome,
       e.history, e.error_code
FROM (SELECT max(request) AS last
      FROM (SELECT request FROM exchange WHERE request >= :from ORDER BY request LIMIT :most)) w
CROSS JOIN frame_block b
CROSS JOIN exchange x
CROSS JOIN exchanges e
LEFT JOIN connection c ON c.id = e.connection_id
LEFT JOIN frame q ON q.id = e.id
LEFT JOIN source s ON s.id = q.source
LEFT JOIN frame r ON r.id = e.response_id
WHERE b.connection = :connection AND b.block BETWEEN :from / 256 AND w.last / 256
  AND x.request BETWEEN b.block * 256 AND b.block * 256 + 255 AND +x.request BETWEEN :from AND w.last
  AND e.id = x.request AND e.connection_id = b.connection
ORDER BY e.id;
