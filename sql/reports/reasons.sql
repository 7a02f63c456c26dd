-- Which reasons do cancels give, and how long after the request do they come?
-- Columns: reason, sender, cancels, then microseconds from the request to the cancel: shortest, mean, longest.
SELECT reason,
       sender,
       count(*) AS cancels,
       min(delay_us) AS delay_min_us,
       CAST(avg(delay_us) AS INTEGER) AS delay_mean_us,
       max(delay_us) AS delay_max_us
FROM cancellations
GROUP BY reason, sender
ORDER BY cancels DESC, reason, sender;
