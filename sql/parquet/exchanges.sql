-- Requests and the answer that follows each, from `facts`: what is next under the same id of the same asker. Requests that a new one
-- with their id follows, and those that nothing follows, have no answer. What became of cancels is the audit's to say, not SQL's.
WITH placed AS (
    SELECT connection,
           source,
           line,
           at_us,
           kind,
           method,
           rpc_id,
           error_code,
           CASE WHEN kind = 'request' THEN COALESCE(direction, '')
                WHEN direction = 'client' THEN 'server'
                WHEN direction = 'server' THEN 'client'
                WHEN direction = 'sent' THEN 'received'
                WHEN direction = 'received' THEN 'sent'
                ELSE ''
           END AS issuer,
           ROW_NUMBER() OVER (PARTITION BY connection ORDER BY REPLACE(source, '/', ' '), seq) AS nth
    FROM facts
    WHERE kind IN ('request', 'result', 'error') AND rpc_id IS NOT NULL
),
paired AS (
    SELECT connection,
           source,
           line,
           issuer,
           rpc_id,
           method,
           kind,
           at_us AS sent_at_us,
           LEAD(kind) OVER (PARTITION BY connection, issuer, rpc_id ORDER BY nth) AS next_kind,
           LEAD(at_us) OVER (PARTITION BY connection, issuer, rpc_id ORDER BY nth) AS next_at_us,
           LEAD(line) OVER (PARTITION BY connection, issuer, rpc_id ORDER BY nth) AS next_line,
           LEAD(error_code) OVER (PARTITION BY connection, issuer, rpc_id ORDER BY nth) AS next_code
    FROM placed
)
SELECT connection,
       source,
       line,
       issuer,
       rpc_id,
       method,
       sent_at_us,
       CASE WHEN next_kind IN ('result', 'error') THEN next_kind ELSE 'unanswered' END AS outcome,
       CASE WHEN next_kind IN ('result', 'error') THEN next_line END AS response_line,
       CASE WHEN next_kind IN ('result', 'error') THEN next_at_us - sent_at_us END AS latency_us,
       CASE WHEN next_kind = 'error' THEN next_code END AS error_code
FROM paired
WHERE kind = 'request'
