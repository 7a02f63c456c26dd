-- What the rules say about each cancel, by the request that the finding is about. `is_fault`: about the cancel itself.
-- The cast gives `message` an affinity, without which a join by it would search all rows for each.
CREATE VIEW cancel_judgement AS
SELECT CAST(p.value ->> 1 AS INTEGER) AS message,
       y.exchange,
       max(y.frame = p.value ->> 1) AS is_fault,
       min(y.certainty) AS certainty,
       json_group_array(json_array(y.rule, CASE y.certainty
                                               WHEN 0 THEN 'violation'
                                               WHEN 1 THEN 'race'
                                               ELSE 'undecidable'
                                           END)) AS findings
FROM finding y, json_each(y.evidence) p
WHERE p.value ->> 0 = 'cancel'
GROUP BY p.value ->> 1, y.exchange;
