-- Messages of each source by way, kind, method of a cancel, and error code. The way is that of the side that the log
-- states, or that the audit resolved or inferred; where it could not, the log's own word stands.
-- Parameter: the methods of cancels as a JSON list.
SELECT source,
       CASE CASE f.direction WHEN 2 THEN c.logger WHEN 3 THEN 1 - c.logger WHEN 4 THEN i.sender ELSE f.direction END
           WHEN 0 THEN 'client->server'
           WHEN 1 THEN 'server->client'
           ELSE CASE f.direction WHEN 2 THEN 'sent-by-logger' WHEN 3 THEN 'received-by-logger' ELSE 'undirected' END
       END AS way,
       CASE kind
           WHEN 0 THEN 'request'
           WHEN 1 THEN 'notification'
           WHEN 2 THEN 'response'
           WHEN 3 THEN 'error-response'
           ELSE 'malformed'
       END,
       CASE WHEN kind = 1 AND method IN (SELECT value FROM json_each(:cancel_methods)) THEN method END AS cancel_method,
       CASE WHEN kind = 3 THEN error_code END AS code,
       count(*)
FROM frame f
LEFT JOIN connection_fact c ON c.connection = f.connection
LEFT JOIN inferred i ON f.direction = 4 AND i.frame = f.id
WHERE kind <= 5
GROUP BY source, way, CASE kind WHEN 5 THEN 4 ELSE kind END, cancel_method, code
ORDER BY source, way, kind, cancel_method, code;
