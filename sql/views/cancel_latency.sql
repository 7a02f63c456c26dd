-- How long do cancels take to settle, by method and effect? settle_* are microseconds from the cancel to the answer.
CREATE VIEW cancel_latency AS
SELECT mechanism,
       target_method AS method,
       sender,
       effect,
       count(*) AS cancels,
       count(settle_us) AS answered,
       min(settle_us) AS settle_min_us,
       CAST(avg(settle_us) AS INTEGER) AS settle_mean_us,
       max(settle_us) AS settle_max_us,
       CAST(avg(delay_us) AS INTEGER) AS delay_mean_us
FROM cancellations
GROUP BY mechanism, target_method, sender, effect;
