-- Messages of each source by way (as the log states it), kind, method of a cancel, and error code.
-- Parameter: the methods of cancels as a JSON list.
SELECT source,
       CASE direction
           WHEN 0 THEN 'client->server'
           WHEN 1 THEN 'server->client'
           WHEN 2 THEN 'sent-by-logger'
           WHEN 3 THEN 'received-by-logger'
           ELSE 'undirected'
       END,
       CASE kind
           WHEN 0 THEN 'request'
           WHEN 1 THEN 'notification'
           WHEN 2 THEN 'response'
           WHEN 3 THEN 'error-response'
           ELSE 'malformed'
       END,
       CASE WHEN method IN (SELECT value FROM json_each(:cancel_methods)) THEN method END AS cancel_method,
       CASE WHEN kind = 3 THEN error_code END AS code,
       count(*)
FROM frame
WHERE kind <= 5
GROUP BY source, direction, CASE kind WHEN 5 THEN 4 ELSE kind END, cancel_method, code
ORDER BY source, direction, kind, cancel_method, code;
