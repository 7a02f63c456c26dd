-- How many cancels of each connection were proven by rules of these codes not to be honoured.
SELECT x.connection, count(*)
FROM cancellation x
WHERE (x.exchange, x.message) IN (SELECT j.exchange, j.message
                                  FROM cancel_judgement j
                                  WHERE j.rule IN (SELECT value FROM json_each(:codes)) AND j.certainty = 0)
GROUP BY x.connection;
