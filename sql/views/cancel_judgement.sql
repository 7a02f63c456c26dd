-- What the rules say about cancels: a row for each finding and each cancel among the messages that prove it.
CREATE VIEW cancel_judgement AS
SELECT y.id AS finding,
       y.frame,
       y.exchange,
       p.value ->> 1 AS message,
       y.rule,
       y.certainty,
       json_array(y.rule, CASE y.certainty
                              WHEN 0 THEN 'violation'
                              WHEN 1 THEN 'race'
                              ELSE 'undecidable'
                          END) AS said
FROM finding y
CROSS JOIN json_each(y.evidence) p
WHERE p.value ->> 0 = 'cancel';
