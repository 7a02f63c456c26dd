-- Findings that rest on a clause, by profile, clause, rule, side and certainty; of one connection where :connection names it.
SELECT profile, clause, rule, side, certainty, count(*)
FROM finding
WHERE clause IS NOT NULL AND (:connection IS NULL OR connection = :connection)
GROUP BY profile, clause, rule, side, certainty
ORDER BY profile, clause, rule, side, certainty;
