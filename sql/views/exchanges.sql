-- Every request and what became of it. The id is the frame id of the request.
CREATE VIEW exchanges AS
SELECT e.request AS id,
       q.connection AS connection_id,
       (SELECT key FROM connection WHERE id = q.connection) AS connection,
       CASE e.issuer WHEN 0 THEN 'client' ELSE 'server' END AS issuer,
       CAST(q.rpc_id AS TEXT) AS rpc_id,
       p.label AS profile,
       q.method,
       e.name,
       e.request AS request_id,
       e.response AS response_id,
       e.parent AS parent_id,
       strftime('%Y-%m-%dT%H:%M:%S', (q.at_us - ((q.at_us % 1000000 + 1000000) % 1000000)) / 1000000, 'unixepoch') || printf('.%06dZ', ((q.at_us % 1000000 + 1000000) % 1000000)) AS sent_at,
       q.at_us AS sent_at_us,
       CASE
           WHEN e.settled IS NULL THEN strftime('%Y-%m-%dT%H:%M:%S', (r.at_us - ((r.at_us % 1000000 + 1000000) % 1000000)) / 1000000, 'unixepoch') || printf('.%06dZ', ((r.at_us % 1000000 + 1000000) % 1000000))
           ELSE strftime('%Y-%m-%dT%H:%M:%S', (t.at_us - ((t.at_us % 1000000 + 1000000) % 1000000)) / 1000000, 'unixepoch') || printf('.%06dZ', ((t.at_us % 1000000 + 1000000) % 1000000))
       END AS settled_at,
       CASE WHEN e.settled IS NULL THEN r.at_us ELSE t.at_us END AS settled_at_us,
       -- A clock that was set back in between measures nothing.
       CASE WHEN r.at_us >= q.at_us THEN r.at_us - q.at_us END AS latency_us,
       CASE e.outcome
           WHEN 0 THEN 'result'
           WHEN 1 THEN 'error'
           WHEN 2 THEN 'cancelled'
           WHEN 3 THEN 'silent'
           WHEN 4 THEN 'unanswered'
           WHEN 5 THEN 'superseded'
       END AS outcome,
       e.history,
       r.error_code
FROM exchange e
LEFT JOIN frame q ON q.id = e.request
LEFT JOIN frame r ON r.id = e.response
LEFT JOIN frame t ON t.id = e.settled
LEFT JOIN profile p ON p.id = e.profile;
