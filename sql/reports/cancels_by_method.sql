-- What became of the cancels of each method?
-- Columns: method, cancels, then how many had each effect; settle_mean_us is microseconds from cancel to answer.
SELECT target_method AS method,
       count(*) AS cancels,
       count(*) FILTER (WHERE effect = 'silent') AS silent,
       count(*) FILTER (WHERE effect = 'acknowledged') AS acknowledged,
       count(*) FILTER (WHERE effect IN ('result', 'partial')) AS answered_all_the_same,
       count(*) FILTER (WHERE effect = 'error') AS other_error,
       count(*) FILTER (WHERE effect = 'moot') AS too_late,
       count(*) FILTER (WHERE effect IN ('unknown-target', 'malformed')) AS names_nothing,
       count(*) FILTER (WHERE effect = 'unsettled') AS unsettled,
       CAST(avg(settle_us) AS INTEGER) AS settle_mean_us
FROM cancellations
GROUP BY target_method
ORDER BY cancels DESC, method;
