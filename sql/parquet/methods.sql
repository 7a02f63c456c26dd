-- How often each method was asked for, how that ended, and how long the answers took, from `exchanges` of this folder.
SELECT method,
       COUNT(*) AS requests,
       COUNT(*) FILTER (WHERE outcome = 'unanswered') AS unanswered,
       COUNT(*) FILTER (WHERE outcome = 'error') AS errors,
       MIN(latency_us) AS least_us,
       MAX(latency_us) AS most_us
FROM exchanges
GROUP BY method
