-- Clauses that no finding rests on any more.
DELETE FROM clause WHERE name NOT IN (SELECT clause FROM finding WHERE clause IS NOT NULL);
