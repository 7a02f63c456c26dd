-- Every captured unit, with the words for what is stored as numbers.
-- Left joins throughout: SQLite leaves out those whose columns a query does not use.
CREATE VIEW frames AS
SELECT f.id,
       f.connection AS connection_id,
       (SELECT key FROM connection WHERE id = f.connection) AS connection,
       f.seq,
       s.name AS source,
       f.line,
       f.byte_offset,
       strftime('%Y-%m-%dT%H:%M:%S', (f.at_us - ((f.at_us % 1000000 + 1000000) % 1000000)) / 1000000, 'unixepoch') || printf('.%06dZ', ((f.at_us % 1000000 + 1000000) % 1000000)) AS at,
       f.at_us,
       CASE CASE f.direction
                WHEN 0 THEN 0
                WHEN 1 THEN 1
                WHEN 2 THEN c.logger
                WHEN 3 THEN 1 - c.logger
                ELSE i.sender
            END
           WHEN 0 THEN 'client'
           WHEN 1 THEN 'server'
       END AS sender,
       f.direction = 4 AND i.sender IS NOT NULL AS sender_inferred,
       CASE f.kind
           WHEN 0 THEN 'request'
           WHEN 1 THEN 'notification'
           WHEN 2 THEN 'result'
           WHEN 3 THEN 'error'
           WHEN 4 THEN 'malformed'
           WHEN 5 THEN 'malformed'
           WHEN 6 THEN 'batch'
           WHEN 7 THEN 'open'
           WHEN 8 THEN 'close'
           WHEN 9 THEN 'exit'
           WHEN 10 THEN 'stderr'
           WHEN 11 THEN 'gap'
           WHEN 12 THEN 'http'
           WHEN 13 THEN 'sse'
       END AS kind,
       f.method,
       CAST(f.rpc_id AS TEXT) AS rpc_id,
       f.error_code,
       f.bytes,
       f.body AS raw,
       CASE
           WHEN f.json IS NOT NULL THEN f.json
           WHEN f.kind IN (0, 1, 2, 3, 5, 6, 12, 13) THEN f.body
       END AS json,
       f.extra
FROM frame f
LEFT JOIN source s ON s.id = f.source
LEFT JOIN connection_fact c ON c.connection = f.connection
LEFT JOIN inferred i ON i.frame = f.id;
