-- Which requests does a rule say were never answered, how sure is that, and how long had they waited when the log ended?
CREATE VIEW stuck_requests AS
SELECT e.request AS id,
       c.key AS connection,
       CASE e.issuer WHEN 0 THEN 'client' ELSE 'server' END AS issuer,
       CAST(q.rpc_id AS TEXT) AS rpc_id,
       q.method,
       e.name,
       s.name AS source,
       q.line,
       strftime('%Y-%m-%dT%H:%M:%S', (q.at_us - ((q.at_us % 1000000 + 1000000) % 1000000)) / 1000000, 'unixepoch') || printf('.%06dZ', ((q.at_us % 1000000 + 1000000) % 1000000)) AS sent_at,
       q.at_us AS sent_at_us,
       CASE WHEN k.last_at_us >= q.at_us THEN k.last_at_us - q.at_us END AS open_us,
       e.history,
       CASE y.certainty WHEN 0 THEN 'violation' WHEN 1 THEN 'race' ELSE 'undecidable' END AS certainty,
       y.rule AS code
FROM finding y
JOIN exchange e ON e.request = y.exchange
JOIN frame q ON q.id = e.request
JOIN source s ON s.id = q.source
JOIN connection c ON c.id = q.connection
LEFT JOIN connection_fact k ON k.connection = q.connection
WHERE y.rule IN ('STK001', 'STK002', 'CAN011', 'SES004');
