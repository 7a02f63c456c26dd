-- Which requests were never answered, and how long had they waited when the log ended?
-- `outcome >= 2` says nothing new: it lets SQLite use the partial index.
CREATE VIEW stuck_requests AS
SELECT e.request AS id,
       c.key AS connection,
       CASE e.issuer WHEN 0 THEN 'client' ELSE 'server' END AS issuer,
       CAST(q.rpc_id AS TEXT) AS rpc_id,
       q.method,
       e.name,
       s.name AS source,
       q.line,
       q.at_us AS sent_at_us,
       k.last_at_us - q.at_us AS open_us,
       e.history
FROM exchange e
JOIN frame q ON q.id = e.request
JOIN source s ON s.id = q.source
JOIN connection c ON c.id = q.connection
LEFT JOIN connection_fact k ON k.connection = q.connection
WHERE e.outcome = 4 AND e.outcome >= 2;
