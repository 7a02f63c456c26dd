-- What some rules say about requests.
SELECT exchange_id, code, certainty, summary
FROM findings
WHERE code IN (SELECT value FROM json_each(?1)) AND exchange_id IS NOT NULL
ORDER BY certainty DESC, id;
