-- Findings with what a report needs, by source (in the order given), line and code. The sender stands in a subquery: joined,
-- the whole view of frames would be made for it.
SELECT x.id, x.code, x.rule, x.severity, x.certainty, x.basis, x.profile, c.key AS connection, x.source, x.line,
       x.message_id, x.exchange_id, CASE WHEN q.source = f.source THEN q.line END AS request_line,
       CASE e.issuer WHEN 0 THEN 'client' WHEN 1 THEN 'server'
                     ELSE (SELECT m.sender FROM frames m WHERE m.id = x.message_id) END AS issuer,
       CASE WHEN e.request IS NULL THEN f.method ELSE q.method END AS method, e.name, x.summary,
       l.level AS clause_level, l.text AS clause_text, l.url AS clause_url, x.evidence
FROM findings x
LEFT JOIN connection c ON c.id = x.connection_id
LEFT JOIN frame f ON f.id = x.message_id
LEFT JOIN frame q ON q.id = x.exchange_id
LEFT JOIN exchange e ON e.request = x.exchange_id
LEFT JOIN clause l ON l.name = x.clause
WHERE (:connection IS NULL OR x.connection_id = :connection)
  AND (:exchange IS NULL OR x.exchange_id = :exchange)
  AND (:message IS NULL OR x.message_id = :message)
  AND (:code IS NULL OR x.code = :code)
  AND CASE x.severity WHEN 'note' THEN 0 WHEN 'warning' THEN 1 ELSE 2 END >= :at_least
ORDER BY f.source, f.line, x.code, x.id;
