-- How long do answers take, by side and method?
-- Columns: issuer, method, name (tool or command), requests, errors, cancelled, unanswered, then microseconds:
-- shortest, median, 95th percentile and longest latency of those that were answered.
WITH ranked AS (
    SELECT issuer, method, name, outcome, latency_us,
           row_number() OVER (PARTITION BY issuer, method, name ORDER BY latency_us) AS nth,
           count(latency_us) OVER (PARTITION BY issuer, method, name) AS answered,
           count(*) OVER (PARTITION BY issuer, method, name)
               - count(latency_us) OVER (PARTITION BY issuer, method, name) AS without
    FROM exchanges
)
SELECT issuer,
       method,
       name,
       count(*) AS requests,
       count(*) FILTER (WHERE outcome = 'error') AS errors,
       count(*) FILTER (WHERE outcome IN ('cancelled', 'silent')) AS cancelled,
       count(*) FILTER (WHERE outcome = 'unanswered') AS unanswered,
       min(latency_us) AS min_us,
       max(latency_us) FILTER (WHERE nth - without <= (answered + 1) / 2) AS median_us,
       max(latency_us) FILTER (WHERE nth - without <= (answered * 95 + 99) / 100) AS p95_us,
       max(latency_us) AS max_us
FROM ranked
GROUP BY issuer, method, name
ORDER BY requests DESC, issuer, method, name;
