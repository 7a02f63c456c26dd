-- What stands under each key, from `facts`: a key is one connection, or several where a client began anew on it.
SELECT connection,
       COUNT(DISTINCT source) AS sources,
       MIN(at_us) AS first_at_us,
       MAX(at_us) AS last_at_us,
       COUNT(*) FILTER (WHERE kind IN ('request', 'notification', 'result', 'error')) AS messages,
       COUNT(*) FILTER (WHERE kind = 'request') AS requests,
       CAST(SUM(bytes) FILTER (WHERE kind IN ('request', 'notification', 'result', 'error')) AS BIGINT) AS bytes
FROM facts
WHERE connection IS NOT NULL
GROUP BY connection
