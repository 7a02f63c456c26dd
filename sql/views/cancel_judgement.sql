-- What the rules say about cancels: a row for each finding and each cancel among the messages that prove it.
CREATE VIEW cancel_judgement AS
SELECT y.id AS finding,
       y.frame,
       -- 0 where it is about no exchange: so it is found by the key of the table.
       j.exchange,
       j.message,
       y.rule,
       y.certainty,
       json_array(y.rule, CASE y.certainty
                              WHEN 0 THEN 'violation'
                              WHEN 1 THEN 'race'
                              ELSE 'undecidable'
                          END) AS said
FROM finding_cancel j
CROSS JOIN finding y ON y.id = j.finding;
